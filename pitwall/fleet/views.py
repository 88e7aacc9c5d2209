"""Show a lake's answers in a terminal: title, sentences, tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pitwall.analysis.compose_words import effect_sentence
from pitwall.track.model import Track
from pitwall.words.language import Language

Row = dict[str, Any]
# How each figure is written: a unit's format, a number's, or what the words call it.
_FORMS: Mapping[str, str] = {
    "time_s": "lap", "best": "lap", "target_s": "lap", "gap_s": ".3f", "loss_s": ".2f", "earlier_m": "m.0f",
    "slower_mps": "m/s.1f", "heeded_share": ".0%", "heeded_gain_s": ".2f", "after_laps": ".1f",
    "worth_s": ".3f",
}  # fmt: skip
# A corner's figures; the others are seconds.
_UNITS: Mapping[str, str] = {
    "entry_speed_mps": "m/s.1f", "min_speed_mps": "m/s.1f", "exit_speed_mps": "m/s.1f", "brake_m": "m.0f",
    "throttle_m": "m.0f", "peak_brake_bar": "bar.0f",
}  # fmt: skip
# A difference of the fast quarter must exceed a GPS's uncertainty.
OTHERWISE_M, OTHERWISE_MPS = 2.0, 0.3


class FleetTable(NamedTuple):
    """The names of the columns, and rows of cells."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class FleetView(NamedTuple):
    """An answer to look at."""

    title: str
    lines: Sequence[str]
    tables: Sequence[FleetTable]


def _cell(value: Any, form: str, words: Language) -> str:
    if value is None:
        return ""
    if not form:
        return str(value)
    if form == "lap":
        return words.figures.lap_time(value)
    return format(value, form) if form[0] == "." else words.figures.format_field(value, form)


def _table(rows: Sequence[Row], columns: Mapping[str, str], words: Language) -> FleetTable:
    return FleetTable(
        tuple(words.term("fleet", head) for head in columns),
        tuple(tuple(_cell(row[key], _FORMS.get(key, ""), words) for key in columns.values()) for row in rows),
    )


def leaderboard_view(answer: Row, track: str, words: Language) -> FleetView:
    """Show a track's leaderboard."""
    rows = [{**row, "conditions": words.term("fleet", row["conditions"])} for row in answer["rows"]]
    columns = {
        "place": "place", "driver": "driver", "class": "car_class", "conditions": "conditions",
        "time": "time_s", "gap": "gap_s", "date": "date", "laps": "laps", "sessions": "sessions",
    }  # fmt: skip
    lines = () if rows else (words.say("fleet nobody"),)
    title = words.say("fleet best laps", track=track)
    return FleetView(title, lines, (_table(rows, columns, words),))


def corner_view(answer: Row, track: Track, words: Language) -> FleetView:
    """Show distributions, what the fast quarter does otherwise, and where the driver stands."""
    name = next(c.name for c in track.corners if c.id == answer["corner"])
    spreads = {row["figure"]: row for row in answer["spreads"]}
    lines = [
        words.say(
            "fleet corner of", passes=spreads["time_s"]["passes"], drivers=answer["drivers"],
            sessions=answer["sessions"],
        )
    ]  # fmt: skip
    by_m, by_mps = (_otherwise(spreads.get(figure)) for figure in ("brake_m", "min_speed_mps"))
    if abs(by_m) >= OTHERWISE_M:
        # Less far before the apex is later.
        lines.append(words.say(f"fleet fast brakes {'later' if by_m < 0.0 else 'earlier'}", by=abs(by_m)))
    if by_mps >= OTHERWISE_MPS:
        lines.append(words.say("fleet fast carries", by=by_mps))
    columns = ["p10", "p25", "p50", "p75", "p90", "fast", "others"]
    if (own := answer["standing"]) is not None:
        lines.append(
            words.say(
                "fleet standing", driver=answer["driver"], share=own["faster_than_share"],
                passes=own["passes"],
            )
        )  # fmt: skip
        columns.append("own")
    rows = tuple(
        (
            words.term("fleet", row["figure"]),
            *(_cell(row[column], _UNITS.get(row["figure"], ".2f"), words) for column in columns),
        )
        for row in answer["spreads"]
    )
    head = tuple(words.term("fleet", each) for each in ("figure", *columns))
    title = words.say("fleet corner", corner=name, track=track.name)
    return FleetView(title, tuple(lines), (FleetTable(head, rows),))


def _otherwise(row: Row | None) -> float:
    if row is None or row["fast"] is None or row["others"] is None:
        return 0.0
    return float(row["fast"] - row["others"])


def driver_view(answer: Row, tracks: Mapping[str, Track], words: Language) -> FleetView:
    """Show trends and weakest corners."""
    lines: list[str] = []
    trends, weak = [], []
    for each in answer["tracks"]:
        track = tracks[each["track"]].name if each["track"] in tracks else each["track"]
        gain_s = each["gain_s_per_session"]
        if each["plateau"]:
            lines.append(words.say("fleet plateau", track=track))
        elif gain_s is not None:
            lines.append(
                words.say(f"fleet {'gains' if gain_s >= 0.0 else 'loses'}", track=track, by=abs(gain_s))
            )
        own = [
            {**row, "track": track, "corner": corner_name(tracks.get(each["track"]), row["corner"]),
             "cause": words.term("cause", row["cause"])}
            for row in each["weakest"]
        ]  # fmt: skip
        if own:
            worst = own[0]
            lines.append(
                words.say("fleet weakest", track=track, corner=worst["corner"], loss=worst["loss_s"])
            )
        weak += own
        trends.append({**each, "track": track, "best": min(each["best_s"])})
    columns = {
        "track": "track", "class": "car_class", "sessions": "sessions", "laps": "laps", "best": "best",
        "target": "target_s",
    }  # fmt: skip
    tables = [_table(trends, columns, words)]
    if weak:
        columns = {
            "track": "track", "corner": "corner", "loss": "loss_s", "earlier": "earlier_m",
            "slower": "slower_mps", "cause": "cause",
        }  # fmt: skip
        tables.append(_table(weak, columns, words))
    return FleetView(words.say("fleet driver", driver=answer["driver"]), tuple(lines), tuple(tables))


def advice_view(answer: Row, saved: str, words: Language) -> FleetView:
    """Show what each piece of advice is worth. `saved`: the file that the coach reads it from."""
    rows = [{**row, "concept": words.short_advice(row["concept"])} for row in answer["rows"]]
    columns = {
        "advice": "concept", "spoken": "spoken", "judged": "judged", "heeded": "heeded_share",
        "gain": "heeded_gain_s", "after": "after_laps", "worth": "worth_s",
    }  # fmt: skip
    lines = [] if rows else [words.say("fleet no advice")]
    lines.append(effect_sentence(answer["effect"], words))
    if saved:
        lines.append(words.say("fleet advice saved", path=saved))
    return FleetView(words.say("fleet advice"), tuple(lines), (_table(rows, columns, words),))


def reference_view(answer: Row, track: Track, path: str, words: Language) -> FleetView:
    """Show from which laps the pieces are, and how to drive against it."""
    gain_s = max(answer["best_s"] - answer["time_s"], 0.0)
    lines = (
        words.say("fleet reference gain", best=answer["best_s"], gain=gain_s),
        words.say("fleet reference file", path=path),
    )
    pieces = answer["pieces"].items()
    rows = [{"corner": corner_name(track, corner), "piece": piece} for corner, piece in pieces]
    title = words.say("fleet reference", track=track.name, time=answer["time_s"])
    return FleetView(title, lines, (_table(rows, {"corner": "corner", "piece": "piece"}, words),))


def corner_name(track: Track | None, corner_id: str) -> str:
    """Return a corner's name, made of its id where the track is not known here."""
    names = {corner.id: corner.name for corner in track.corners} if track is not None else {}
    return names.get(corner_id, corner_id.replace("_", " ").capitalize())

"""A lake's answers as a person reads them, in a terminal and on a page: title, sentences, tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import msgspec

from pitwall.config import PACKAGE
from pitwall.fleet.answers import AdviceAnswer, CornerAnswer, DriverAnswer, FigureSpread, Leaderboard
from pitwall.fleet.composed import ComposedLap, RefinedTrack, TrainingSet
from pitwall.helpers.html import html_page
from pitwall.track.model import Track
from pitwall.words.language import Language

# The unit that a figure is in; the others are seconds.
_UNITS: Mapping[str, str] = {
    "entry_speed_mps": "m/s.1f", "min_speed_mps": "m/s.1f", "exit_speed_mps": "m/s.1f", "brake_m": "m.0f",
    "throttle_m": "m.0f", "peak_brake_bar": "bar.0f",
}  # fmt: skip
# The fast quarter does otherwise what differs by more than a GPS is uncertain by.
OTHERWISE_M, OTHERWISE_MPS = 2.0, 0.3


class FleetTable(msgspec.Struct, frozen=True):
    """`head`: the names of the columns. `bars`: a number for each row to draw, or none."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bars: tuple[float, ...] = ()


class FleetView(msgspec.Struct, frozen=True):
    """An answer to look at."""

    title: str
    lines: tuple[str, ...]
    tables: tuple[FleetTable, ...]


def leaderboard_view(answer: Leaderboard, track: str, words: Language) -> FleetView:
    head = ("place", "driver", "class", "conditions", "time", "gap", "date", "laps", "sessions")
    rows = tuple(
        (
            str(row.place),
            row.driver,
            row.car_class,
            words.term("fleet", row.conditions),
            words.figures.lap_time(row.time_s),
            format(row.gap_s, ".3f"),
            str(row.date or ""),
            str(row.laps),
            str(row.sessions),
        )
        for row in answer.rows
    )
    lines = () if rows else (words.say("fleet nobody"),)
    table = FleetTable(_head(head, words), rows, tuple(row.gap_s for row in answer.rows))
    return FleetView(words.say("fleet best laps", track=track), lines, (table,))


def corner_view(answer: CornerAnswer, track: Track, words: Language) -> FleetView:
    """Distributions, what the fast quarter does otherwise, and where the driver stands."""
    name = next(c.name for c in track.corners if c.id == answer.corner)
    spreads = {spread.figure: spread for spread in answer.spreads}
    passes = spreads["time_s"].passes
    lines = [
        words.say(
            "fleet corner of", passes=passes, drivers=answer.drivers, sessions=answer.sessions
        )
    ]  # fmt: skip
    by_m, by_mps = _otherwise(spreads.get("brake_m")), _otherwise(spreads.get("min_speed_mps"))
    if by_m is not None and abs(by_m) >= OTHERWISE_M:
        # Less far before the apex is later.
        if by_m < 0.0:
            lines.append(words.say("fleet fast brakes later", by=-by_m))
        else:
            lines.append(words.say("fleet fast brakes earlier", by=by_m))
    if by_mps is not None and by_mps >= OTHERWISE_MPS:
        lines.append(words.say("fleet fast carries", by=by_mps))
    own = answer.standing
    if own is not None:
        lines.append(
            words.say("fleet standing", driver=own.driver, share=own.faster_than_share, passes=own.passes)
        )
    if answer.analysed:
        lines.append(words.say("fleet analysed", count=answer.analysed))
    columns = ("p10", "p25", "p50", "p75", "p90", "fast", "others")
    head = ("figure", *columns, *(("own",) if own else ()))
    rows = []
    for each in answer.spreads:
        values = [getattr(each, column) for column in columns]
        if own is not None:
            values.append(own.medians.get(each.figure))
        rows.append((words.term("fleet", each.figure), *(_figure(each.figure, v, words) for v in values)))
    title = words.say("fleet corner", corner=name, track=track.name)
    return FleetView(title, tuple(lines), (FleetTable(_head(head, words), tuple(rows)),))


def _otherwise(spread: FigureSpread | None) -> float | None:
    if spread is None or spread.fast is None or spread.others is None:
        return None
    return spread.fast - spread.others


def driver_view(answer: DriverAnswer, tracks: Mapping[str, Track], words: Language) -> FleetView:
    """Trends and weakest corners; bars are what these cost."""
    lines: list[str] = []
    weak: list[tuple[float, tuple[str, ...]]] = []
    for each in answer.tracks:
        track = tracks[each.track].name if each.track in tracks else each.track
        gain_s = each.gain_s_per_session
        if each.plateau:
            lines.append(words.say("fleet plateau", track=track))
        elif gain_s is not None and gain_s >= 0.0:
            lines.append(words.say("fleet gains", track=track, by=gain_s))
        elif gain_s is not None:
            lines.append(words.say("fleet loses", track=track, by=-gain_s))
        if each.weakest:
            worst = each.weakest[0]
            corner = _corner(tracks, each.track, worst.corner, words)
            lines.append(words.say("fleet weakest", track=track, corner=corner, loss=worst.loss_s))
        weak += [
            (
                corner_of.loss_s,
                (
                    track,
                    _corner(tracks, each.track, corner_of.corner, words),
                    format(corner_of.loss_s, ".2f"),
                    _figure("brake_m", corner_of.earlier_m, words),
                    _figure("min_speed_mps", corner_of.slower_mps, words),
                    words.term("cause", corner_of.cause),
                ),
            )
            for corner_of in each.weakest
        ]
    head = ("track", "class", "sessions", "laps", "best", "target")
    trends = tuple(
        (
            tracks[each.track].name if each.track in tracks else each.track,
            each.car_class,
            str(each.sessions),
            str(each.laps),
            words.figures.lap_time(min(each.best_s)),
            "" if each.target_s is None else words.figures.lap_time(each.target_s),
        )
        for each in answer.tracks
    )
    tables = [FleetTable(_head(head, words), trends)]
    if weak:
        weak_head = ("track", "corner", "loss", "earlier", "slower", "cause")
        bars = tuple(loss_s for loss_s, _ in weak)
        tables.append(FleetTable(_head(weak_head, words), tuple(row for _, row in weak), bars))
    return FleetView(words.say("fleet driver", driver=answer.driver), tuple(lines), tuple(tables))


def advice_view(answer: AdviceAnswer, saved: str, words: Language) -> FleetView:
    """Return what each piece of advice is worth; bars are that. `saved`: the file that the coach reads it
    from."""
    head = ("advice", "spoken", "judged", "heeded", "gain", "after", "worth")
    rows = tuple(
        (
            words.concept(row.concept).short if row.concept in words.concepts() else row.concept,
            str(row.spoken),
            str(row.judged),
            "" if row.heeded_share is None else format(row.heeded_share, ".0%"),
            "" if row.heeded_gain_s is None else format(row.heeded_gain_s, ".2f"),
            "" if row.after_laps is None else format(row.after_laps, ".1f"),
            format(row.worth_s, ".3f"),
        )
        for row in answer.rows
    )
    said = [] if rows else [words.say("fleet no advice")]
    if saved:
        said.append(words.say("fleet advice saved", path=saved))
    table = FleetTable(_head(head, words), rows, tuple(row.worth_s for row in answer.rows))
    return FleetView(words.say("fleet advice"), tuple(said), (table,))


def reference_view(answer: ComposedLap, track: Track, path: str, words: Language) -> FleetView:
    """From which laps the pieces are, and how to drive against it."""
    time_s = answer.lap.lap.lap_time_s
    lines = (
        words.say("fleet reference gain", best=answer.best_s, gain=answer.best_s - time_s),
        *((words.say("fleet reference file", path=path),) if path else ()),
    )
    rows = tuple(
        (_corner({track.id: track}, track.id, corner, words), piece)
        for corner, piece in answer.pieces.items()
    )
    title = words.say("fleet reference", track=track.name, time=time_s)
    return FleetView(title, lines, (FleetTable(_head(("corner", "piece"), words), rows),))


def track_view(answer: RefinedTrack, path: str, words: Language) -> FleetView:
    """How far line and corners moved."""
    track = answer.track
    lines = (
        words.say("fleet line moved", moved=answer.moved_m, length=track.length_m),
        *((words.say("fleet track file", path=path),) if path else ()),
    )
    rows = tuple(
        (
            _corner({track.id: track}, track.id, corner, words),
            _figure("brake_m", apex_m, words),
            _figure("brake_m", brake_m, words),
        )
        for corner, (apex_m, brake_m) in answer.corners.items()
    )
    title = words.say("fleet track", track=track.name, sessions=answer.sessions)
    return FleetView(title, lines, (FleetTable(_head(("corner", "apex", "brake"), words), rows),))


def training_view(answer: TrainingSet, path: str, words: Language) -> FleetView:
    rows = tuple(
        (part.split, str(len(part.drivers)), str(len(part.tracks)), str(part.laps), str(part.rows))
        for part in answer.parts
    )
    lines = (words.say("fleet held track", track=answer.held_track),) if answer.held_track else ()
    table = FleetTable(_head(("part", "drivers", "tracks", "laps", "rows"), words), rows)
    return FleetView(words.say("fleet train", path=path, rate=answer.rate_hz), lines, (table,))


def _head(names: Sequence[str], words: Language) -> tuple[str, ...]:
    return tuple(words.term("fleet", name) for name in names)


def _figure(name: str, value: float | None, words: Language) -> str:
    """A value with its unit, as the driver thinks of it."""
    if value is None:
        return ""
    unit = _UNITS.get(name)
    return words.figures.format_field(value, unit) if unit else format(value, ".2f")


def _corner(tracks: Mapping[str, Track], track: str, corner_id: str, words: Language) -> str:
    names = {corner.id: corner.name for corner in tracks[track].corners} if track in tracks else {}
    return names.get(corner_id, corner_id.replace("_", " ").capitalize())


# The report's own style, and the bars of a table.
STYLE = PACKAGE / "api" / "page" / "style.css"
_BARS = """
.fleet td, .fleet th { padding: .3em .7em; text-align: left; white-space: nowrap; }
.fleet .wide { overflow-x: auto; }
.fleet svg { display: block; fill: currentColor; opacity: .55; }
"""


def fleet_page(view: FleetView) -> bytes:
    """The answer with all that shows it."""
    lines = "".join(f"<p>{escape(line)}</p>" for line in view.lines)
    tables = "".join(map(_table, view.tables))
    body = f'<main class="fleet"><h1>{escape(view.title)}</h1>{lines}{tables}</main>'
    return html_page(view.title, body, [STYLE.read_text(encoding="utf-8"), _BARS])


def _table(table: FleetTable) -> str:
    bars = bool(table.bars) and max(table.bars) > 0.0
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in table.head) + (
        "<th></th>" if bars else ""
    )
    rows = [
        "<tr>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in row)
        + (_bar(table.bars[i] / max(table.bars)) if bars else "")
        + "</tr>"
        for i, row in enumerate(table.rows)
    ]
    return (
        f"<div class='wide'><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _bar(share: float) -> str:
    width = max(round(120.0 * share), 1)
    return (
        f'<td><svg width="120" height="10" aria-hidden="true"><rect width="{width}" height="10"/></svg></td>'
    )

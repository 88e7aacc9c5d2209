"""Questions about a recorded signal: the query, and its highest, lowest or mean value in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import msgspec

from pitwall.words.language import ENGLISH, Language

Result = Mapping[str, Any]
Extreme = Literal["highest", "lowest", "mean"]


class Recorded(msgspec.Struct, frozen=True):
    """`expression` over the table `frames` gives the signal in `unit`; by `words` it is asked for. Its
    highest value is what it did not fall below for `held_s` seconds: one reading alone may be a kerb."""

    name: str
    words: frozenset[str]
    expression: str
    unit: str
    digits: int
    held_s: float = 0.0


def _recorded(
    name: str, words: str, expression: str, unit: str, digits: int, held_s: float = 0.0
) -> Recorded:
    return Recorded(name, frozenset(words.split()), expression, unit, digits, held_s)


# The first whose word is in a question is meant.
RECORDED: tuple[Recorded, ...] = (
    _recorded("engine speed", "rpm rpms revs rev revving revved redline", "rpm", "rpm", 0),
    _recorded("oil pressure", "oilpressure", "oil_bar", "bar", 1),
    _recorded("oil temperature", "oil", "oil_temp_c", "°C", 0),
    _recorded("coolant temperature", "coolant water temperature temp temps hot", "coolant_c", "°C", 0),
    _recorded("brake pressure", "brakepressure", "brake_bar", "bar", 0),
    _recorded("throttle", "throttle accelerator gas", "throttle_pct", "%", 0),
    _recorded("lateral g", "g gs lateral cornering", "abs(g_lat)", "g", 2, held_s=0.3),
    _recorded("speed", "speed kph kmh mph vmax", "speed_mps * 3.6", "km/h", 0),
)  # fmt: skip
# Two words that name a signal together; apart they may mean anything.
_TOGETHER: tuple[tuple[frozenset[str], frozenset[str], str], ...] = (
    (frozenset(("oil",)), frozenset(("pressure",)), "oilpressure"),
    (
        frozenset(("brake", "brakes", "braked", "braking")),
        frozenset(("hard", "harder", "hardest", "pressure", "bar", "max", "maximum", "peak")),
        "brakepressure",
    ),
    (frozenset(("fast",)), frozenset(("i",)), "speed"),
)
_LOW = frozenset(("lowest", "least", "minimum", "min", "slowest"))
_MEAN = frozenset(("average", "mean", "usual", "typical"))
_SQL_OF: dict[Extreme, str] = {"highest": "max", "lowest": "min", "mean": "avg"}


def signal_named(words: Sequence[str]) -> Recorded | None:
    """The signal that a question's words (lower case) name, None where they name none."""
    found = set(words)
    found |= {name for one, other, name in _TOGETHER if one & found and other & found}
    return next((each for each in RECORDED if each.words & found), None)


# What drivers ask for and no source here gives, unless a logger has a channel of that name.
_UNTOLD: dict[str, frozenset[str]] = {
    "flags": frozenset(("flag", "flags", "marshal", "marshals")),
    "other cars": frozenset((
        "traffic", "overtake", "overtakes", "overtook", "overtaken", "opponent", "opponents", "rival",
        "rivals",
    )),
    "penalties": frozenset(("penalty", "penalties")),
    "tyres": frozenset(("tyre", "tyres", "tire", "tires")),
    "fuel": frozenset(("fuel", "petrol")),
}  # fmt: skip


def untold(words: Sequence[str], channels: Sequence[str]) -> str:
    """What a question's words (lower case) ask for and no data tells, "" where there is nothing of the kind.
    `channels`: the names of what was recorded."""
    found = (what for what, asked in _UNTOLD.items() if asked.intersection(words))
    return next((what for what in found if not _has_channel(_UNTOLD[what], channels)), "")


def _has_channel(asked: Collection[str], channels: Sequence[str]) -> bool:
    return any(word in channel.lower() for word in asked for channel in channels)


def extreme_named(words: Sequence[str]) -> Extreme:
    """What of a signal is asked for: its highest value where nothing else is said."""
    found = set(words)
    return "lowest" if found & _LOW else "mean" if found & _MEAN else "highest"


def reading_sql(recorded: Recorded, extreme: Extreme, session: str, laps: Sequence[int]) -> str:
    """One SELECT for `query_pitwall_db`: lap and value, the most extreme first; of all laps where none is
    named, a mean then over the whole session (lap -1)."""
    own = session.replace("'", "''")
    of_laps = f" AND lap IN ({', '.join(str(int(lap)) for lap in laps)})" if laps else ""
    whole = extreme == "mean" and not laps
    grouped = "" if whole else " GROUP BY lap"
    way = "ASC" if extreme == "lowest" else "DESC"
    if recorded.held_s and extreme == "highest":
        # One row is no window: where a hole is before it, nothing was held.
        held = f"(PARTITION BY lap ORDER BY t RANGE BETWEEN {recorded.held_s} PRECEDING AND CURRENT ROW)"
        return (
            f"SELECT lap, max(least) AS value FROM (SELECT lap, min({recorded.expression}) OVER held AS "  # noqa: S608
            f"least, count(*) OVER held AS readings FROM frames WHERE session = '{own}'{of_laps} "
            f"WINDOW held AS {held}) "
            "WHERE readings >= 3 GROUP BY lap ORDER BY value DESC NULLS LAST, lap"
        )
    return (
        f"SELECT {'-1' if whole else 'lap'} AS lap, {_SQL_OF[extreme]}({recorded.expression}) AS value "  # noqa: S608
        f"FROM frames WHERE session = '{own}'{of_laps}{grouped} ORDER BY value {way} NULLS LAST, lap"
    )


def compose_reading(
    recorded: Recorded, extreme: Extreme, laps: Sequence[int], result: Result, words: Language = ENGLISH
) -> str:
    """The answer in a sentence from what the query gave."""
    rows = [(lap, value) for lap, value in result.get("rows", ()) if value is not None]
    signal, most = words.term("signal", recorded.name), words.term("extreme", extreme)
    if not rows:
        return words.say("not recorded in laps" if laps else "not recorded", signal=signal, laps=laps)

    def shown(value: float) -> str:
        return words.figures.measured(value, recorded.unit, f".{recorded.digits}f").replace(" %", "%")

    if extreme == "mean" or len(laps) > 1:
        parts = [
            words.say("reading in lap", value=shown(value), lap=lap) if lap >= 0 and laps else shown(value)
            for lap, value in rows
        ]
        return words.say(
            "readings" if laps else "readings in session", extreme=most, signal=signal, values=parts
        )
    lap, value = rows[0]
    key = "reading of laps" if laps else "reading"
    said = words.say(key, extreme=most, signal=signal, laps=laps, lap=lap, value=shown(value))
    held = recorded.held_s if extreme == "highest" else 0.0
    return f"{said} {words.say('held for', time=held)}" if held else said


def compose_lap_times(laps: Sequence[int], overview: Result, words: Language = ENGLISH) -> str:
    """The times of these laps as `agent_telemetry` gives them."""
    known = {each["lap"]: each for each in overview["lap_times"]}
    said = []
    for lap in laps:
        time_s, kind = known[lap]["time_s"], words.term("lap kind", known[lap]["kind"])
        key = "lap not timed" if time_s is None else "lap timed"
        said.append(words.say(key, lap=lap, time=time_s, kind=kind))
    best = overview["best_lap"]
    if best and best not in laps:
        said.append(words.say("your best", time=overview["best_lap_s"], lap=best))
    return " ".join(said)

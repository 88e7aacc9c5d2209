"""From a file's own column names to channels: canonical where the meaning is sure, a slug of their own
else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pitwall.telemetry.recordings.text import label
from pitwall.telemetry.recordings.units import Conversion, is_known, to_canonical
from pitwall.telemetry.sample import Channel
from pitwall.telemetry.signals import SIGNALS

# More columns than any logger has; a header beyond it is damage.
MAX_COLUMNS = 2000


class Heading(NamedTuple):
    """One column as the file's header has it. `cell` is its place in a row; `source` such as gps, obd,
    calc."""

    cell: int
    name: str
    unit: str = ""
    source: str = ""


class Rule(NamedTuple):
    """`pattern` matches the whole slug. Of several columns the lowest `rank` gets the canonical name.

    `factor` turns the file's convention into ours (a sign, or 1/60 for minutes of arc); `source` limits the
    rule to columns of that source.
    """

    pattern: str
    canonical: str
    rank: int = 0
    factor: float = 1.0
    source: str = ""


class Column(NamedTuple):
    """A column that is handed over: value = cell * scale + offset."""

    cell: int
    channel: Channel
    scale: float = 1.0
    offset: float = 0.0


# What cars call their own channels on CAN and OBD; the same words turn up behind every logger.
# A pedal is what the driver does, a throttle plate what the ECU makes of it. "(Calc)" is converted twice.
VEHICLE_RULES: tuple[Rule, ...] = (
    Rule(r"(engine_?)?(rpm|speed_rpm|revs)|engine_speed|enginespeed|engine_rotation_speed", "rpm"),
    Rule(r"engine", "rpm", 2),
    Rule(r"(accelerator|acc|accel|throttle|gas)_?pedal(_?(pos|position|angle))?", "throttle_pct"),
    Rule(r"accelerator(_?(pos|position))?|pps|app|pedal_?(pos|position)", "throttle_pct"),
    Rule(r"throttle(_?(pos|position|angle|pct))?|tps\d?|thr|tpos", "throttle_pct", 1),
    Rule(r"(brake|brk)_?(line_?)?(pressure|press|prs)(_?(f|front))?(_?1)?|p_?brake(_?f)?", "brake_bar"),
    Rule(r"(front_)(brake|brk)_?(pressure|press)|(brake|brk)_?(front|f)_?(pressure|press)?", "brake_bar"),
    Rule(r"(brake|brk)_?(pressure|press|prs)_calc", "brake_bar", 3),
    Rule(r"(brake|brk)(_?(pedal))?(_?(pos|position|pct))?", "brake_pct"),
    Rule(r"brake|brk", "brake_bar", 2),
    Rule(r"(steering|steer|str)(_?wheel)?(_?(angle|position|pos|ang))?", "steering_deg"),
    Rule(r"(current_?)?gear(_?(position|pos|number|no))?", "gear"),
    Rule(r"(calculated|calc)_gear|gear_calc", "gear", 2),
    Rule(r"(engine_?)?(coolant|water)(_?(temperature|temp|t))?(_?1)?|ect|clt|(engine_?)(temperature|temp)",
         "coolant_c"),
    Rule(r"(coolant|water)_?(temperature|temp)_calc", "coolant_c", 3),
    Rule(r"(engine_?)?oil_?(temperature|temp|t)(_?1)?", "oil_temp_c"),
    Rule(r"oil_?(temperature|temp)_calc", "oil_temp_c", 3),
    Rule(r"(engine_?)?oil_?(pressure|press|prs|p)(_?1)?", "oil_bar"),
    Rule(r"oil_?(pressure|press)_calc", "oil_bar", 3),
    Rule(r"(indicated_)?(vehicle|car)_?speed", "wheel_speed_mps"),
    Rule(r"(wheel|ground|drive|road|indicated|dash|obd|ecu)_?speed", "wheel_speed_mps", 1),
    Rule(r"wheel_?speed_?(fl|front_left|avg|average|f|front|lf)|speed_?(fl|lf)", "wheel_speed_mps", 2),
    Rule(r"lap|laps|lap_?(number|no|num|count|counter)|current_?lap", "lap_number"),
)  # fmt: skip
# The bus a channel came by says nothing about its meaning.
_BUS = re.compile(r"^(ecu|can|canbus|obd|obd2|obdii|m1|aim)_(?=\w{3})")
_UNIT_IN_NAME = re.compile(r"^(.*?)\s*[(\[](\(?[^()\[\]]*\)?)[)\]]\s*$", re.DOTALL)


def slug(name: str) -> str:
    """`Brake Pressure (Front)` -> `brake_pressure_front`; camelCase is split; never empty."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", "_", label(name))
    return re.sub(r"[^a-z0-9]+", "_", split.lower()).strip("_")[:64] or "column"


def name_and_unit(text: str) -> tuple[str, str]:
    """`Height (m)` -> (`Height`, `m`); `Gear ((null))` -> (`Gear`, ``)."""
    match = _UNIT_IN_NAME.match(text.strip())
    if match is None or not match[1]:
        return text.strip(), ""
    return match[1], "" if match[2] in ("(null)", "null", "-") else match[2]


def map_columns(
    headings: Sequence[Heading], rules: Sequence[Rule], defaults: dict[str, str] | None = None
) -> tuple[Column, ...]:
    """Columns in the file's order, names unique. The format's own `rules` are asked before VEHICLE_RULES.

    `defaults`: the unit by canonical name that this format means where the file gives none.
    """
    compiled = [(re.compile(rule.pattern), rule) for rule in (*rules, *VEHICLE_RULES)]
    found = [_canonical(heading, compiled, defaults or {}) for heading in headings]
    winner: dict[str, int] = {}
    for index, candidate in enumerate(found):
        if candidate is None:
            continue
        name, rank = candidate[0].canonical, candidate[0].rank
        best = winner.get(name)
        if best is None or rank < found[best][0].rank:  # type: ignore[index]
            winner[name] = index
    taken = set(SIGNALS)
    columns: list[Column] = []
    for index, heading in enumerate(headings):
        candidate = found[index]
        if candidate is not None and winner[candidate[0].canonical] == index:
            columns.append(_canonical_column(heading, *candidate))
        else:
            name = _unique(heading, taken)
            taken.add(name)
            columns.append(Column(heading.cell, Channel(name, label(heading.unit), label(heading.name))))
    return tuple(columns)


def _canonical(
    heading: Heading, compiled: Sequence[tuple[re.Pattern[str], Rule]], defaults: dict[str, str]
) -> tuple[Rule, Conversion] | None:
    for rule in _matching(heading, compiled):
        unit = heading.unit.strip()
        conversion = to_canonical(rule.canonical, unit or defaults.get(rule.canonical, ""))
        if conversion is not None:
            return rule, conversion
    return None


def unit_fits(heading: Heading, rules: Sequence[Rule]) -> bool:
    """False where the name says what it is and the unit is one that it can't have."""
    compiled = [(re.compile(rule.pattern), rule) for rule in (*rules, *VEHICLE_RULES)]
    meanings = [rule.canonical for rule in _matching(heading, compiled)]
    if not meanings or not is_known(heading.unit):
        return True
    return any(to_canonical(name, heading.unit) is not None for name in meanings)


def _matching(heading: Heading, compiled: Sequence[tuple[re.Pattern[str], Rule]]) -> Iterator[Rule]:
    own = slug(heading.name)
    bare = _BUS.sub("", own)
    for pattern, rule in compiled:
        if rule.source in ("", heading.source) and (pattern.fullmatch(own) or pattern.fullmatch(bare)):
            yield rule


def _canonical_column(heading: Heading, rule: Rule, conversion: Conversion) -> Column:
    signal = SIGNALS[rule.canonical]
    channel = Channel(signal.name, signal.unit, label(heading.name))
    return Column(heading.cell, channel, rule.factor * conversion.scale, rule.factor * conversion.offset)


def _unique(heading: Heading, taken: set[str]) -> str:
    own = slug(heading.name)
    if own not in taken:
        return own
    if heading.source:
        own = f"{own}_{slug(heading.source)}"
        if own not in taken:
            return own
    number = 2
    while f"{own}_{number}" in taken:
        number += 1
    return f"{own}_{number}"

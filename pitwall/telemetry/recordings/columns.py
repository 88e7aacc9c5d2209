"""The one table of column names and units: what a file's column is called here.

A name is canonical if its meaning is sure, else a slug."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.recordings.text import label
from pitwall.telemetry.sample import Channel, Stream
from pitwall.telemetry.signals import SIGNALS

G_MPS2 = 9.80665  # standard gravity, CGPM 1901
KNOT_MPS = 1852 / 3600


class Conversion(NamedTuple):
    """canonical = raw * scale + offset."""

    dimension: str
    scale: float
    offset: float = 0.0


# How codes that are no value are named.
NO_VALUE = re.compile(
    r"\b(not[ _]?(available|valid|used|present|defined)|unavailable|invalid|undefined|sna|n/a)\b",
    re.IGNORECASE,
)

# By `unit_key`. Mile 1609.344 m; psi 6894.757 Pa; foot 0.3048 m.
_SPELLINGS: tuple[tuple[str, Conversion], ...] = (
    ("m/s mps ms m/sec meters/second metres/second", Conversion("speed", 1.0)),
    ("km/h kmh kph km/hr kmph kilometer/hour kilometers/hour", Conversion("speed", 1 / 3.6)),
    ("mph mi/h mile/h miles/hour", Conversion("speed", 0.44704)),
    ("knots knot kn kt kts kn/h", Conversion("speed", KNOT_MPS)),
    ("ft/s", Conversion("speed", 0.3048)),
    ("cm/s", Conversion("speed", 0.01)),
    ("mm/s", Conversion("speed", 0.001)),
    ("bar", Conversion("pressure", 1.0)),
    ("psi", Conversion("pressure", 0.06894757)),
    ("kpa", Conversion("pressure", 0.01)),
    ("mbar hpa", Conversion("pressure", 0.001)),
    ("mpa", Conversion("pressure", 10.0)),
    ("pa", Conversion("pressure", 1.0e-5)),
    ("c degc celsius celcius degreesc degreecelsius degreescelsius", Conversion("temperature", 1.0)),
    ("f degf fahrenheit degreesf degreefahrenheit", Conversion("temperature", 5 / 9, -160 / 9)),
    ("k kelvin", Conversion("temperature", 1.0, -273.15)),
    ("g gs", Conversion("acceleration", 1.0)),
    ("mg", Conversion("acceleration", 0.001)),
    ("m/s2 m/s^2 m/s/s mps2", Conversion("acceleration", 1 / G_MPS2)),
    ("deg degree degrees decimal decimaldegrees wgs84", Conversion("angle", 1.0)),
    ("rad radian radians", Conversion("angle", 57.29577951308232)),
    ("deg/s deg/sec degsec degs dps degrees/s degrees/sec", Conversion("rate", 1.0)),
    ("rad/s rads rad/sec", Conversion("rate", 57.29577951308232)),
    ("m metre metres meter meters", Conversion("length", 1.0)),
    ("km", Conversion("length", 1000.0)),
    ("mm", Conversion("length", 0.001)),
    ("ft feet foot", Conversion("length", 0.3048)),
    ("mile miles mi", Conversion("length", 1609.344)),
    ("% percent pct", Conversion("ratio", 1.0)),
    ("rpm 1/min r/min rev/min revs/min revolutions/minute min1", Conversion("rotation", 1.0)),
)
_UNITS = {spelling: conversion for spellings, conversion in _SPELLINGS for spelling in spellings.split()}

# Ambiguous without a unit: no signal is better than a wrong one.
_NEEDS_UNIT = frozenset({"speed", "pressure"})
_NO_UNIT = frozenset({"", "null", "none", "na", "n/a"})


def unit_key(unit: str) -> str:
    """Return a unit in lower case, without decoration."""
    text = re.sub("[_ ]per[_ ]", "/", label(unit).lower())
    return re.sub(r"[^a-z0-9%/^]", "", text.replace("²", "2").replace("⁻¹", "1"))


def is_known(unit: str) -> bool:
    """Return whether it is a unit, not `raw` or `(null)`."""
    return unit_key(unit) in _UNITS


def has_unit(unit: str) -> bool:
    """Return whether a unit is given."""
    return unit_key(unit) not in _NO_UNIT


def to_canonical(name: str, unit: str) -> Conversion | None:
    """Return the conversion to the canonical signal; None if the unit doesn't fit."""
    dimension, key = SIGNALS[name].dimension, unit_key(unit)
    if dimension == "count":
        return None if key in _UNITS else Conversion("count", 1.0)
    if key in _NO_UNIT:
        return None if dimension in _NEEDS_UNIT else Conversion(dimension, 1.0)
    found = _UNITS.get(key)
    if found is None and name in ("lat_deg", "lon_deg"):
        return Conversion(dimension, 1.0)  # `°N`, `ddmm.mmmm`: how a place is written, its figures tell
    return found if found is not None and found.dimension == dimension else None


NO_DEFAULTS: Mapping[str, str] = MappingProxyType({})
# More than any logger has.
MAX_COLUMNS = 2000


class Heading(NamedTuple):
    """A column of the header. `cell`: its place in a row; `source` such as gps, obd, calc."""

    cell: int
    name: str
    unit: str = ""
    source: str = ""


class Rule(NamedTuple):
    """`pattern` matches the whole slug. Of several columns the lowest `rank` is used.

    `factor`: the file's convention to ours (a sign, 1/60 for minutes of arc); `source`: only
    columns of a matching source.
    """

    pattern: str
    canonical: str
    rank: int = 0
    factor: float = 1.0
    source: str = ""


class MappedColumn(NamedTuple):
    """A column: value = cell * scale + offset, of which the unit's part is `unit_scale`,
    `unit_offset`."""

    cell: int
    channel: Channel
    scale: float = 1.0
    offset: float = 0.0
    unit_scale: float = 1.0
    unit_offset: float = 0.0


def info_of(
    form: str,
    path: Path,
    groups: Iterable[tuple[str, Sequence[MappedColumn]]],
    **about: str | tuple[float, ...],
) -> RecordingInfo:
    """Return the header of a recording of these streams: source and columns. `about`: further
    fields."""
    streams, scales = [], {}
    for number, (source, columns) in enumerate(groups):
        streams.append(Stream(number, source, tuple(column.channel for column in columns)))
        for at, column in enumerate(columns):
            scales[number, at] = (column.unit_scale, column.unit_offset)
    return RecordingInfo(form, str(path), tuple(streams), scales=scales, **about)  # type: ignore[arg-type]


# A receiver's columns, whatever the logger. A plain "speed" is its own only in a file of positions.
_OF_PLACE = r"((gps\d?|gnss|location|position|pos|loc|osd|device)_)?"
# A place by whatever other name, but no corner of a map and no end of a journey.
_ANY_PLACE = r"(?!\w*(min|max|home|start|end|first|last|dest|target)\w*_la?t?o?n?g?)\w+_"
RECEIVER_RULES: tuple[Rule, ...] = (
    Rule(_OF_PLACE + r"lat(itude)?(_n_s)?|gps_coord_0", "lat_deg"),
    Rule(_OF_PLACE + r"(lng|long?|long?t?itude)(_e_w)?|gps_coord_1", "lon_deg"),
    Rule(_ANY_PLACE + "lat(itude)?", "lat_deg", 5),
    Rule(_ANY_PLACE + "(lng|lon|longitude)", "lon_deg", 5),
    Rule(_OF_PLACE + r"(altitude|height|elevation|alt|elv|ele)", "altitude_m"),
    Rule(r"(gps\d?|gnss|location|gnd|osd)_?(2d_|ground_?|h_)?(speed|velocity|spd)|gps\d?_2d|(speed|velocity)_gps"
         r"|speed_?over_?ground|gspd", "speed_mps"),
    Rule(_OF_PLACE + r"(true_|ground_)?(heading|hdg|course|bearing|direction|cog|gcrs)(_?over_?ground)?",
         "heading_deg"),
    Rule(r"((gps|num|locked)_?)?(sats?|satellites)(_used)?|(gps_)?n(um)?_?sat\w*", "satellites"),
)  # fmt: skip
PLAIN_SPEED = Rule(r"(ground_)?speed|velocity|spd", "speed_mps", 1)
# Measured against GPS: positive to the left and when accelerating, but for the car's own sensor
# (`Indicated`), which lags and is off by a quarter of a g.
_RACELOGIC: tuple[Rule, ...] = (
    *RECEIVER_RULES,
    Rule(r"(gps_)?lat(eral)?_?acc(el(eration)?)?(_g|_calc)?|(calc_)?lat_?acc|latacc", "g_lat"),
    Rule(r"(gps_)?long?(itudinal)?_?acc(el(eration)?)?(_g|_calc)?|(calc_)?long_?acc|longacc", "g_long"),
    Rule(r"indicated_lat(eral)?_acc(el(eration)?)?", "g_lat", 2, -1.0),
    Rule(r"indicated_long(itudinal)?_acc(el(eration)?)?", "g_long", 2),
    Rule(r"z_rotation_gyroscope|yaw_?rate|gyro_?z|rate_of_turn", "yaw_rate_dps"),
)
SEMICIRCLE_DEG = 180.0 / 2**31
# What each family of files calls its columns, and their signs; before VEHICLE_RULES.
RULES: dict[str, tuple[Rule, ...]] = {
    "apps": (
        *RECEIVER_RULES,
        PLAIN_SPEED,
        Rule("vbox_lat_min", "lat_deg"),
        Rule("vbox_long_minutes", "lon_deg"),
        Rule(r"speed_?obd|obd_?speed|speed_\w*can", "wheel_speed_mps"),
        Rule("trk", "heading_deg"),
        Rule("accx_can", "g_long"),
        Rule("accy_can", "g_lat"),
    ),
    "laptimer": (
        *RECEIVER_RULES,
        PLAIN_SPEED,
        Rule("lapindex", "lap_number"),
        Rule("throttle", "throttle_pct", factor=100.0),
        Rule("oil", "oil_temp_c"),
    ),
    "racebox": (
        *RECEIVER_RULES,
        PLAIN_SPEED,
        Rule("gforcex", "g_long"),
        Rule("gforcey", "g_lat"),
        Rule("gyroz", "yaw_rate_dps"),
    ),
    "alfano": (*RECEIVER_RULES, PLAIN_SPEED, Rule("orientation", "heading_deg", factor=0.01)),
    "vbo": (
        Rule(r"lat|latitude", "lat_deg", factor=1 / 60),
        Rule(r"long|lng|lon|longitude", "lon_deg", factor=-1 / 60),
        Rule(r"velocity(_km_?h|_kmh)?|speed(_km_?h|_kmh)?", "speed_mps"),
        *_RACELOGIC,
    ),
    "vbox": (*_RACELOGIC, PLAIN_SPEED),
    # The speed of any bus is the car's own.
    "racechrono": (
        Rule("speed", "wheel_speed_mps", source=r"(?!(gps|calc)$).+"),
        Rule("speed", "speed_mps", source="gps"),
        Rule("speed", "speed_mps", 1),
        *_RACELOGIC,
    ),
    # AccelX is positive to the left, AccelY when BRAKING, Yaw to the right.
    "racecapture": (
        *RECEIVER_RULES,
        PLAIN_SPEED,
        Rule(r"accel_?x", "g_lat"),
        Rule(r"accel_?y", "g_long", factor=-1.0),
        Rule(r"yaw", "yaw_rate_dps", factor=-1.0),
        Rule(r"lap_?count", "lap_number"),
        Rule(r"current_?lap", "lap_number", 1),
    ),
    # GPS LatAcc and GPS Gyro are positive to the RIGHT; the loggers' own are believed to be so.
    "aim": (
        *RECEIVER_RULES,
        Rule(r"gps_lat_?acc", "g_lat", factor=-1.0),
        Rule(r"gps_lon_?acc", "g_long"),
        Rule(r"lateral_?acc|acc_?lateral|lat_?acc", "g_lat", 1, -1.0),
        Rule(r"inline_?acc|acc_?inline|long?_?acc", "g_long", 1),
        Rule(r"gps_gyro", "yaw_rate_dps", factor=-1.0),
        Rule(r"yaw_?rate|gyro", "yaw_rate_dps", 1, -1.0),
        Rule(r"speed", "wheel_speed_mps", 1),
    ),
    "motec": (
        *RECEIVER_RULES,
        Rule(r"ground_speed", "speed_mps", 1),
        Rule(r"speed", "speed_mps", 2),
        Rule(r"g_force_lat(eral)?|g_lat(eral)?|lat_?acc", "g_lat"),
        Rule(r"g_force_long(itudinal)?|g_lon(g(itudinal)?)?|long?_?acc", "g_long"),
        Rule(r"(gyro_)?yaw_?(rate|velocity)|roty", "yaw_rate_dps"),
    ),
    "ecu": (
        *RECEIVER_RULES,
        Rule(r"vss\d?|speed|vehicle_speed_\w+|(front|rear)_wheel_speed", "wheel_speed_mps", 3),
    ),
    "fit": (
        Rule("position_lat", "lat_deg", factor=SEMICIRCLE_DEG),
        Rule("position_long", "lon_deg", factor=SEMICIRCLE_DEG),
        Rule("enhanced_speed", "speed_mps"),
        Rule("speed", "speed_mps", 1),
        Rule("enhanced_altitude", "altitude_m"),
        Rule("altitude", "altitude_m", 1),
        Rule("heading", "heading_deg"),
    ),
    # On a bus a plain speed is that of the wheels.
    "bus": (Rule(r"speed|v_?(car|veh(icle)?)", "wheel_speed_mps", 2),),
}
# What cars call their channels on CAN and OBD. A pedal is the driver's input, a throttle plate the
# ECU's. "(Calc)" is converted twice.
VEHICLE_RULES: tuple[Rule, ...] = (
    Rule(r"(engine_?)?(rpms?|speed_rpm|revs)|(rpm|n)_?eng(ine)?|nmot|engine_speed|enginespeed"
         r"|engine_rotation_speed", "rpm"),
    Rule(r"engine", "rpm", 2),
    Rule(r"gas|(accelerator|acc|accel|throttle|gas)_?pedal(_?(pos|position|angle))?(_d)?|r_?throttle\w*",
         "throttle_pct"),
    Rule(r"accel(erator)?_?(pos|position|opening_angle)|accelerator|pps|aps|app|pedal_?(pos|position)"
         r"|pos_?pedal", "throttle_pct"),
    Rule(r"(abs(olute)?_)?throttle(_?(pos|position|angle|input))?(_manifold)?|tps\d?|thr|tpos|ath",
         "throttle_pct", 1),
    Rule(r"relative_throttle(_?(pos|position))?", "throttle_pct", 2),
    Rule(r"(brake|brk)_?((line|oil|fluid)_?)?(pressure|press|pres|prs)(_?(f|front))?(_?1)?|p_?(brake|brk)(_?(f|front))?",
         "brake_bar"),
    Rule(r"(front|f)_?(brake|brk)_?(pressure|press|pres)?|(brake|brk)_?(front|f)_?(pressure|press|pres)?",
         "brake_bar"),
    Rule(r"(brake|brk)_?(pressure|press|prs)_calc", "brake_bar", 3),
    Rule(r"(brake|brk)(_?(pedal))?(_?(pos|position|input))?", "brake_pct"),
    Rule(r"brakes?|brk", "brake_bar", 2),
    Rule(r"(steering|steered|steer|str)(_?(wheel|whl|wh))?(_?(angle|position|pos|ang))?|a_?ste(er)?",
         "steering_deg"),
    Rule(r"(current_?|n_?)?gear(_?(position|pos|number|no))?", "gear"),
    Rule(r"(calculated|calc)_gear|gear_calc", "gear", 2),
    Rule(r"(eng(ine)?_?)?(coolant|water)(_?(temperature|temp|t))?(_?1)?|ect|clt|(eng(ine)?_?)(temperature|temp)"
         r"|t_?(eng(ine)?_?)?(water|coolant)|tmot", "coolant_c"),
    Rule(r"(coolant|water)_?(temperature|temp)_calc", "coolant_c", 3),
    Rule(r"(eng(ine)?_?)?oil_?(temperature|temp|t)(_?1)?|t_?(eng(ine)?_?)?oil", "oil_temp_c"),
    Rule(r"oil_?(temperature|temp)_calc", "oil_temp_c", 3),
    Rule(r"(eng(ine)?_?)?oil_?(pressure|press|pres|prs|p)(_?1)?|p_?(eng(ine)?_?)?oil", "oil_bar"),
    Rule(r"oil_?(pressure|press)_calc", "oil_bar", 3),
    Rule(r"(indicated_)?(vehicle|car)_?speed(_sensor)?|v_?car", "wheel_speed_mps"),
    Rule(r"(wheel|ground|drive|road|indicated|dash|obd|ecu|corr(ected)?)_?speed", "wheel_speed_mps", 1),
    Rule(r"wheel_?speed_?(fl|front_left|avg|average|f|front|lf)|speed_?(fl|lf)|(v_?whl|ws)_?(fl|lf)",
         "wheel_speed_mps", 2),
    Rule(r"lap|laps|lap_?(number|no|num|count|counter)", "lap_number"),
    Rule(r"current_?lap", "lap_number", 1),
)  # fmt: skip
# Words around a name that mean nothing: the bus that it came by, and that it was measured.
_AROUND = re.compile(
    r"^((ecu|can|canbus|obd|obd2|obdii|m1|aim|sensors?|drivetrain|plx|current|actual|measured|value)_(?=\w{3}))+"
    r"|(?<=\w{3})_(value|actual|sensor|signal|filtered)$"
)
# What a channel came by (TrackAddict, HP Tuners).
_FROM = re.compile(r"\s*(\*\w+| \(SAE\))\s*$")
_GLUED = re.compile(r"(?<=[a-z])(kmh|kph|mph)$")
_UNIT_IN_NAME = re.compile(r"^(.*?)\s*[(\[](\(?[^()\[\]]*\)?)[)\]]\s*$", re.DOTALL)


def slug(name: str) -> str:
    """Return `Brake Pressure (Front)` as `brake_pressure_front`; never empty."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", "_", label(name))
    return re.sub(r"[^a-z0-9]+", "_", split.lower()).strip("_")[:64] or "column"


def name_and_unit(text: str) -> tuple[str, str]:
    """Return `Height (m)` as (`Height`, `m`)."""
    match = _UNIT_IN_NAME.match(text.strip())
    if match is None or not match[1] or match[2].isdigit():
        return text.strip(), ""
    return match[1], "" if match[2] in ("(null)", "null", "-") else match[2]


def heading(cell: int, text: str, unit: str = "", source: str = "") -> Heading:
    """Return a column, its unit perhaps from its name."""
    if len(parts := text.replace('"', "").split("|")) > 2:  # as RaceCapture names them
        text, unit = parts[:2]
    name, in_name = name_and_unit(_FROM.sub("", text.strip()))
    return Heading(cell, name, unit or in_name, source)


def map_columns(
    headings: Sequence[Heading],
    family: str = "",
    defaults: Mapping[str, str] = NO_DEFAULTS,
    dead: Collection[int] = (),
) -> tuple[MappedColumn, ...]:
    """Map columns, in the file's order, to unique names by the rules of the `family`, then
    VEHICLE_RULES.

    `defaults`: units by canonical name. `dead`: cells that never change; others outrank them.
    """
    found = _meanings(headings, family, defaults)
    ranked = sorted(
        ((heading.cell in dead, meaning[0].rank), heading.cell, meaning[0].canonical)
        for heading, meaning in zip(headings, found, strict=True)
        if meaning is not None
    )
    winner = {name: cell for _, cell, name in reversed(ranked)}
    used = set(SIGNALS)
    columns: list[MappedColumn] = []
    for heading, meaning in zip(headings, found, strict=True):
        if meaning is not None and winner[meaning[0].canonical] == heading.cell:
            columns.append(_canonical_column(heading, *meaning))
        else:
            name = _unique(heading, used)
            used.add(name)
            columns.append(
                MappedColumn(heading.cell, Channel(name, label(heading.unit), label(heading.name)))
            )
    return tuple(columns)


def rivals(headings: Sequence[Heading], family: str, defaults: Mapping[str, str]) -> list[list[Heading]]:
    """Return the columns of each signal that several give, the preferred first."""
    same: dict[str, list[tuple[int, Heading]]] = {}
    for heading, meaning in zip(headings, _meanings(headings, family, defaults), strict=True):
        if meaning is not None:
            same.setdefault(meaning[0].canonical, []).append((meaning[0].rank, heading))
    return [[each for _, each in sorted(group, key=itemgetter(0))] for group in same.values() if group[1:]]


def _meanings(
    headings: Sequence[Heading], family: str, defaults: Mapping[str, str]
) -> list[tuple[Rule, Conversion] | None]:
    return [
        next(
            (
                (rule, conversion)
                for each in _with_unit_at_end(heading)
                for rule in _matching(each, family)
                if (conversion := to_canonical(
                    rule.canonical, each.unit.strip() or defaults.get(rule.canonical, "")
                )) is not None
            ),
            None,
        )
        for heading in headings
    ]  # fmt: skip


def _with_unit_at_end(heading: Heading) -> Iterator[Heading]:
    """Yield the column, and each reading of the last words of its name as its unit: `speed_kmh`,
    `speed_meters_per_second`, `mph`."""
    yield heading
    words = [] if has_unit(heading.unit) else _GLUED.sub(r"_\1", slug(heading.name)).split("_")
    for at in range(max(0, len(words) - 3), len(words)):
        unit = "_".join(words[at:])
        if unit_key(unit) in _UNITS and (at or unit in ("mph", "kmh", "km_h", "kph", "knots")):
            yield heading._replace(name="_".join(words[:at]) or "speed", unit=unit)


def unit_fits(heading: Heading, family: str) -> bool:
    """Return whether a known name can have its unit."""
    meanings = [rule.canonical for rule in _matching(heading, family)]
    if not meanings or not is_known(heading.unit):
        return True
    return any(to_canonical(name, heading.unit) is not None for name in meanings)


@cache
def _compiled(family: str) -> tuple[tuple[re.Pattern[str], Rule], ...]:
    return tuple((re.compile(rule.pattern), rule) for rule in (*RULES.get(family, ()), *VEHICLE_RULES))


def _matching(heading: Heading, family: str) -> Iterator[Rule]:
    own = slug(heading.name)
    bare = _AROUND.sub("", own)
    for pattern, rule in _compiled(family):
        fits = not rule.source or re.fullmatch(rule.source, heading.source)
        if fits and (pattern.fullmatch(own) or pattern.fullmatch(bare)):
            yield rule


def _canonical_column(heading: Heading, rule: Rule, conversion: Conversion) -> MappedColumn:
    signal = SIGNALS[rule.canonical]
    channel = Channel(signal.name, signal.unit, label(heading.name))
    of_unit = (rule.factor * conversion.scale, rule.factor * conversion.offset)
    return MappedColumn(heading.cell, channel, *of_unit, *of_unit)


def _unique(heading: Heading, used: set[str]) -> str:
    own = slug(heading.name)
    if own not in used:
        return own
    if heading.source:
        own = f"{own}_{slug(heading.source)}"
        if own not in used:
            return own
    number = 2
    while f"{own}_{number}" in used:
        number += 1
    return f"{own}_{number}"

"""How text files write times and positions, chosen once by a file's first rows.

Times are ISO 8601, a date and a time, parts of a date, seconds since 1970 in any power of a
thousand, a time of day (also AM or PM), or elapsed seconds. Positions are degrees, degrees times
1e7 (u-blox), minutes of arc (Racelogic), degrees and minutes run together (NMEA) or apart
(`38°9.608862 N`), signed, with a side in the cell, or with N/S and E/W columns (Qstarz, BT747).
Cells may hold their unit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.fix import metres_between
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.columns import Heading, slug
from pitwall.telemetry.recordings.rows import Cells, number
from pitwall.telemetry.recordings.timeline import clock_s, date_and_time, seconds_of_day
from pitwall.telemetry.session_clock import DAY_S

Clock = Callable[[Cells], float]
Rewrite = Callable[[Cells], None]

# The time column is the first of these: with a day first.
TIMES = re.compile(
    r"(?P<day>((local|lcl|utc|gps)_?)?date(_?time)?|day|datum|dt)"
    r"|(?P<time>((utc|gps|device|system|local|lcl|log|run)_?)*(time|timestamp|utc)(_?(s|ms|msec|utc|sec|secs|seconds|stamp))?"
    r"|timestamp_\w+|epoch\w*|unix_?time(stamp)?|time_of_day|ts|(uhr|zeit)\w*|heure|hora|fecha\w*|temps|tiempo|tempo)"
    r"|(?P<elapsed>(seconds|elapsed(_?time)?|offset)(_?(s|sec|secs|seconds|ms|msec|elapsed))?|time_from_start)"
    r"|(?P<part>years?|months?|hours?|minutes?|seconds?|(centi|milli)_?seconds?)"
)
# Further names of a clock; and what makes one none: a lap's time, or how long something took.
_COUNT = re.compile(r"(^|_)(t|time|timestamp|seconds|secs?|millis|elapsed|clock)(ms)?(_|$)")
_NO_CLOCK = re.compile(
    r"(^|_)(lap|best|last|prev|previous|next|delta|gap|diff|left|sector|split|pit|dwell|inj|pulse|fuel|loop"
    r"|response|estimated|expected|predicted|zone|cpu|download)(_|$)|remain|laptime"
)
# 20250724; Columbus writes 250724.
_COMPACT_DAY = re.compile(r"(\d\d)?(\d\d)(\d\d)(\d\d)")
_DOTTED_DAY = re.compile(r"^(\d{1,2})\.(\d{1,2})\.(\d\d)$")
_COMPACT_CLOCK = re.compile(r"^(\d\d)-?(\d\d)-?(\d\d(?:\.\d+)?)$")
# Six figures of a moment, however parted: `2020:12:10:18:58:24:00`, `2016-05-14 11-17-09_123`.
_SIX = re.compile(
    r"((?:19|20)\d\d)[-:/._](\d\d?)[-:/._](\d\d?)[-:/._ T]+(\d\d?)[-:.](\d\d)[-:.](\d\d)"
    r"(?:[.,:_](\d{1,9}))?(.*)"
)
_COMPACT = re.compile(r"\b((?:19|20)\d\d)(\d\d)(\d\d)[ T_-]?(\d\d)(\d\d)(\d\d)(?:\.(\d+))?(.*)")
# 063015.20; not 63015 seconds of a day, nor a count of milliseconds.
_HHMMSS = re.compile(r"(0\d|1\d|2[0-3])[0-5]\d[0-5]\d(\.\d+)?")
_TO_SECONDS = re.compile(r"\d:\d\d:\d\d|(^|\s)\d\d?\.\d\d\.\d\d(\s|$)")
_PARTS_S = {"hour": 3600.0, "minute": 60.0, "second": 1.0, "centisecond": 0.01, "millisecond": 0.001}
_ZONE = re.compile(r"\d [A-Z]{3,5}\b")
_UNITS_S = {"us": 1e-6, "µs": 1e-6, "ns": 1e-9, "min": 60.0, "minutes": 60.0, "h": 3600.0, "hr": 3600.0}
_MILLISECONDS = re.compile(r"m(illi)?s(ec(ond)?s?)?")
# Seconds since 1970 in these parts of a second.
_SINCE_1970 = ((1e9, 4.1e9, 1.0), (1e12, 4.1e12, 1e3), (1e15, 4.1e15, 1e6), (1e18, 4.1e18, 1e9))
# The most a car does in a second, and the least in a drive.
FASTEST_MPS, SLOWEST_MPS = 130.0, 0.3
# A clock that begins earlier counts from the start, and is no time of day.
ELAPSED_S = 600.0
# Whole numbers that count on by so much are no seconds.
LEAST_COUNT = 15.0


class RowTime(NamedTuple):
    """How a row's time is read. `utc`: its zone is given."""

    clock: Clock
    cells: tuple[int, ...]
    dated: bool = False
    utc: bool = False
    of_day: bool = False


def find_time(
    headings: Sequence[Heading], rows: Sequence[Cells], *, year_first: bool = False
) -> RowTime | None:
    """Return how the rows tell their time, None if they don't."""
    if not rows:
        return None
    named = [(each, found) for each in headings if (found := TIMES.fullmatch(slug(each.name)))]
    of = {kind: [each for each, found in named if found[kind]] for kind in ("day", "time", "elapsed", "part")}
    known = {each.cell for each, _ in named}
    further = [each for each in headings if each.cell not in known and _may_count(slug(each.name))]
    clocks = (*of["time"], *of["day"], *further)
    dated = [read(each, rows) for read in (_since_1970, _moments) for each in clocks]
    if not any(dated):  # of another name: a moment that moves on in most rows
        moments = [read(each, rows) for read in (_moments, _since_1970) for each in headings]
        dated = [time for time in moments if time and 2 * len(set(_clocked(time, rows))) > len(rows)]
    if times := [each for each in dated if each is not None]:
        # The finest: seconds next to milliseconds, or one that stands still, tells less.
        best = max(times, key=lambda each: len(set(_clocked(each, rows))))
        best = _in_utc(best, [each for each in times if each.utc], rows)
        return _refined(best, [*of["elapsed"], *of["part"], *of["time"], *further], rows)
    rest = [*of["time"], *of["elapsed"], *of["part"]]
    # A day under another name, and a clock under any.
    others = [each for each in headings if not of["day"] and _reads(partial(_day_s, each.cell), rows)]
    for day in (*of["day"][:1], *others[:1]):
        rest = [each for each in headings if each != day] if others else rest
        if (time := _day_and_parts(day, rest, rows, year_first=year_first)) is not None:
            return _refined(time, [each for each in rest if each.cell not in time.cells], rows)
    for each in (*of["time"], *of["elapsed"]):
        if (time := _numbers_or_clock(each, rows)) is not None:
            return time
    # Of another name: a count that never falls.
    counts = (_numbers_or_clock(each, rows) for each in further)
    return next((time for time in counts if time and _counts_on([*_clocked(time, rows)])), None)


def tells_time(name: str) -> bool:
    """Return whether a column of this slug may tell a time."""
    return TIMES.fullmatch(name) is not None or _may_count(name)


def _may_count(name: str) -> bool:
    return _COUNT.search(name) is not None and _NO_CLOCK.search(name) is None


def _counts_on(times_s: Sequence[float]) -> bool:
    late = sum(b < a for a, b in pairwise(times_s))
    return late <= 0.02 * len(times_s) and 2 * len(set(times_s)) > len(times_s)


def _in_utc(time: RowTime, utc: Sequence[RowTime], rows: Sequence[Cells]) -> RowTime:
    """Return a local clock by the zone that a clock of UTC in the same rows tells."""
    for each in () if time.utc else utc:
        both = [[*_clocked(time, [row]), *_clocked(each, [row])] for row in rows]
        off_s = median([pair[0] - pair[1] for pair in both if len(pair) == 2] or [math.inf])
        zone_s = 900.0 * round(off_s / 900.0) if abs(off_s) <= 14 * 3600.0 else math.inf
        if abs(off_s - zone_s) < 120.0:
            return time._replace(clock=_begun(-zone_s, time.clock), utc=True)
    return time


def moment_s(text: str) -> tuple[float, bool]:
    """Read a date with time as unix seconds, and whether its zone is given. ValueError."""
    text = text.strip()
    for form in (None, _SIX, _COMPACT):
        if form is not None and (six := form.search(text)) is not None:
            *parts, fraction, rest = six.groups()
            text = "{}-{:0>2}-{:0>2}T{:0>2}:{}:{}".format(*parts)
            text += f".{(fraction or '0')[:6]:0<6}" + re.sub(r"^\W*(UTC|GMT|Z)$", "Z", rest.strip())
        with suppress(ValueError):
            found = datetime.fromisoformat(text)
            return found.replace(tzinfo=found.tzinfo or UTC).timestamp(), found.tzinfo is not None
    dated = date_and_time(text)
    if dated is None or not _TO_SECONDS.search(text):
        raise ValueError(f"{text[:30]!r} is no date with a time to seconds")
    zone = re.search(r"\b(GMT|UTC)(?:([+-]\d\d):?(\d\d))?\b", text)
    east_s = int(zone[2]) * 3600.0 + int(f"{zone[2][0]}{zone[3]}") * 60.0 if zone and zone[2] else 0.0
    return dated[0] - east_s, zone is not None


def _clocked(time: RowTime, rows: Sequence[Cells]) -> Iterator[float]:
    for row in rows:
        with suppress(ValueError, IndexError, OverflowError):
            yield time.clock(row)


def _refined(dated: RowTime, elapsed: Sequence[Heading], rows: Sequence[Cells]) -> RowTime:
    """Return the clock of a column that counts on between the dated one's whole seconds, or evenly
    where a phone's own stamps jitter, if any."""
    coarse = list(_clocked(dated, rows))
    for each in elapsed:
        count = _seconds(each.cell, 1.0, unit_s(each))
        fine = list(_clocked(RowTime(count, ()), rows))
        spans_s = [times[-1] - times[0] for times in (coarse, fine) if times]
        finer = len(set(fine)) > 2 * len(set(coarse))
        evener = len(fine) == len(coarse) and _is_even(fine) and not _is_even(coarse)
        most_s = 3.0 if finer else 0.1 if evener else 0.0
        if len(spans_s) == 2 and abs(spans_s[0] - spans_s[1]) < most_s and spans_s[0] > 3.0:
            return dated._replace(clock=_begun(coarse[0] - fine[0], count), cells=(*dated.cells, each.cell))
    return dated


def _is_even(times_s: Sequence[float]) -> bool:
    steps_s = [after - before for before, after in pairwise(times_s)]
    middle_s = median(steps_s) if steps_s else 0.0
    return middle_s > 0.0 and all(abs(step_s - middle_s) < 0.02 * middle_s for step_s in steps_s)


def disorder(time: RowTime, rows: Sequence[Cells]) -> tuple[str, str] | None:
    """Return what is wrong with the times and what to do: one or two for many rows, since a program
    rounded them (`1,51E+12`), or each older than the one above it."""
    times_s = list(_clocked(time, rows))
    if len(rows) > 200 and len(set(times_s)) in (1, 2):
        what = f"its first {len(rows)} rows have one time or two: {rows[0][time.cells[0]][:30]!r}"
        return what, "a program rounded it; take the logger's own export, not one that a spreadsheet saved"
    if sum(after < before for before, after in pairwise(times_s)) > max(9.0, 0.9 * len(times_s)):
        return "its newest row stands first", "sort its rows by time, the oldest first"
    return None


def _begun(begun_s: float, count: Clock) -> Clock:
    return lambda row: begun_s + count(row)


def _reads(read: Callable[[Cells], object], rows: Sequence[Cells]) -> bool:
    good = 0
    for row in rows:
        try:
            read(row)
        except (ValueError, IndexError, OverflowError):
            continue
        good += 1
    return good > 0 and good >= 0.5 * len(rows)


def _moments(each: Heading, rows: Sequence[Cells]) -> RowTime | None:
    at = each.cell

    def read(row: Cells) -> float:
        if ":" not in row[at] and not (_SIX.search(row[at]) or _COMPACT.search(row[at])):
            raise ValueError("no time in it")
        return moment_s(row[at])[0]

    if not _reads(read, rows):
        return None
    first = next(row for row in rows if _reads(read, [row]))
    # A zone that is only named makes the time a local one.
    said = moment_s(first[at])[1] or _ZONE.search(first[at]) is None
    named = re.search("utc|gmt|gps", f"{each.name} {each.unit}", re.IGNORECASE)
    utc = said and (moment_s(first[at])[1] or named)
    return RowTime(read, (at,), dated=True, utc=bool(utc))


def _day_s(at: int, row: Cells) -> float:
    """Return the unix time of a date without a clock. ValueError."""
    found = date_and_time(row[at]) if len(row[at]) > 5 else None
    if found is None or found[1]:
        raise ValueError("no date alone")
    return found[0]


def _day_and_parts(
    day: Heading, rest: Sequence[Heading], rows: Sequence[Cells], *, year_first: bool
) -> RowTime | None:
    """Read a date and a time of day, or its parts, in separate columns."""

    parts = {slug(each.name).replace("_", "").rstrip("s"): each.cell for each in rest}
    of_date = [parts[name] for name in ("year", "month") if name in parts]

    def midnight_s(row: Cells) -> float:
        text = row[day.cell].strip()
        if len(of_date) == 2:
            text = "-".join(f"{float(row[cell]):.0f}" for cell in (*of_date, day.cell))
        if (compact := _COMPACT_DAY.fullmatch(text)) and (compact[1] or year_first):
            text = f"{compact[1] or 20}{compact[2]}-{compact[3]}-{compact[4]}"
        if re.match(r"\d{4}\.", text):
            text = text.replace(".", "-")
        found = date_and_time(_DOTTED_DAY.sub(r"\1/\2/\3", text))
        if found is None:
            raise ValueError("no date")
        return found[0] // DAY_S * DAY_S

    if {"hour", "minute", "second"} <= parts.keys():
        cells = {parts[name]: scale for name, scale in _PARTS_S.items() if name in parts}

        def of_parts(row: Cells) -> float:
            tod_s = sum(float(row[cell]) * scale for cell, scale in cells.items())
            return midnight_s(row) + tod_s

        utc = any(each.unit.lower() == "utc" for each in rest)
        found = RowTime(of_parts, (day.cell, *of_date, *cells), dated=True, utc=utc)
        return found if _reads(of_parts, rows) else None
    for each in rest:
        at = each.cell

        def of_clock(row: Cells, at: int = at) -> float:
            return midnight_s(row) + clock_s(_COMPACT_CLOCK.sub(r"\1:\2:\3", row[at].strip()))

        if _reads(of_clock, rows):
            utc = "utc" in slug(each.name) or "utc" in slug(day.name)
            return RowTime(of_clock, (day.cell, at), dated=True, utc=utc)
    return None


def time_of(each: Heading, rows: Sequence[Cells]) -> RowTime | None:
    """Return how this column tells the time, None if it doesn't."""
    return _since_1970(each, rows) or _moments(each, rows) or _numbers_or_clock(each, rows)


def _since_1970(each: Heading, rows: Sequence[Cells]) -> RowTime | None:
    at = each.cell
    values = [value for row in rows if at < len(row) and (value := number(row[at])) is not None]
    if len(values) < max(1, 0.5 * len(rows)):
        return None
    for low, high, parts in _SINCE_1970:
        if all(low <= value <= high for value in values):
            return RowTime(_seconds(at, parts), (at,), dated=True, utc=True)
    least, most = min(values), max(values)
    # Days since 1900, as spreadsheets have them.
    named = TIMES.fullmatch(slug(each.name))
    if named and 36_526.0 < least < most < 73_050.0 and most - least < 6e-4 * len(values):
        days = _seconds(at, 1 / DAY_S)
        return RowTime(lambda row: days(row) - 25_569.0 * DAY_S, (at,), dated=True)
    return None


def _numbers_or_clock(each: Heading, rows: Sequence[Cells]) -> RowTime | None:
    at = each.cell
    values = [value for row in rows if at < len(row) and (value := number(row[at])) is not None]
    run_together = [_HHMMSS.fullmatch(row[at].strip()) is not None for row in rows if at < len(row)]
    if all(run_together) and len(rows) > 1 and max(values) - min(values) < LEAST_COUNT * len(values):
        return RowTime(lambda row: seconds_of_day(row[at]), (at,), of_day=True)
    if len(values) >= max(1, 0.5 * len(rows)):
        return RowTime(_seconds(at, 1.0, unit_s(each)), (at,))
    of_day = RowTime(lambda row: clock_s(row[at]), (at,))
    if _reads(of_day.clock, rows):
        return of_day._replace(of_day=next(_clocked(of_day, rows)) >= ELAPSED_S)
    counted = RowTime(lambda row: sixties_s(row[at]), (at,))
    return counted if _reads(counted.clock, rows) else None


def _seconds(at: int, parts: float, scale: float = 1.0) -> Clock:
    def read(row: Cells) -> float:
        value = number(row[at])
        return math.nan if value is None else value / parts * scale

    return read


def unit_s(each: Heading) -> float:
    """Return the factor from a time column's figures to seconds."""
    unit = each.unit.strip().lower()
    if _MILLISECONDS.fullmatch(unit) or re.search(r"(^|_|time|stamp)(ms(ec)?|milli\w*)$", slug(each.name)):
        return 1e-3
    return _UNITS_S.get(unit, 1.0)


def sixties_s(cell: str) -> float:
    """Read `12.34`, `14:15:46.020` or `01:23.4` as seconds. ValueError."""
    found = 0.0
    for part in cell.replace(",", ".").split(":"):
        found = found * 60.0 + float(part)
    return found


_OF_SECONDS = re.compile("run_?time|sec")


def believed_scale(
    headings: Sequence[Heading], rows: Sequence[Cells], time: RowTime, prepare: Rewrite,
    at: Mapping[str, int], notes: FindingLog,
) -> float:  # fmt: skip
    """Return the factor to seconds of a count whose unit is none, or makes the car impossibly fast."""
    if time.dated or time.of_day:
        return 1.0
    clocks = [each for each in headings if each.cell in time.cells]
    named = any(each.unit or unit_s(each) != 1.0 or _OF_SECONDS.search(slug(each.name)) for each in clocks)
    times, fixes = [*_clocked(time, rows)], []
    for row in (list(row) for row in rows) if at else ():
        try:
            prepare(row)
            fixes.append((time.clock(row), float(row[at["lat_deg"]]), float(row[at["lon_deg"]])))
        except (ValueError, IndexError):
            continue
    speeds = [metres_between(*a[1:], *b[1:]) / (b[0] - a[0]) for a, b in pairwise(fixes) if b[0] > a[0]]
    mps = median(speeds) if speeds else 0.0
    scaled = any(unit_s(each) < 1.0 for each in clocks)
    if scaled and mps > FASTEST_MPS and SLOWEST_MPS <= mps / 1000.0 <= FASTEST_MPS:
        what = f"is named milliseconds, and the fixes make {mps:.0f} m/s of that: read as seconds"
        notes.add("reckoned", "time", None, what)
        return 1000.0
    step = median([b - a for a, b in pairwise(times) if b > a] or [0.0])
    counted = not named and all(map(float.is_integer, times)) and step >= LEAST_COUNT
    if not counted or SLOWEST_MPS <= mps <= FASTEST_MPS:
        return 1.0
    unit, by = ("milliseconds", 1e-3) if step < LEAST_COUNT * 1000.0 else ("microseconds", 1e-6)
    notes.add("reckoned", "time", None, f"counts on by {step:.0f} and has no unit: read as {unit}")
    return by


_WITH_UNIT = re.compile(r"\s*([-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?)\s+([a-zA-Z%°][\w/%°]*)\s*")


def units_in_cells(rows: Sequence[Cells], width: int, without: Collection[int]) -> dict[int, str]:
    """Return the unit that all filled cells of a column hold."""
    units = {}
    for cell in set(range(width)) - set(without):
        filled = [row[cell] for row in rows if cell < len(row) and row[cell].strip()]
        found = [_WITH_UNIT.fullmatch(each) for each in filled]
        if filled and all(found) and len(units_found := {each[2] for each in found if each}) == 1:
            units[cell] = units_found.pop()
    return units


def without_units(units: Mapping[int, str]) -> Iterable[Rewrite]:
    """Yield what leaves the bare number."""

    def strip(cells: Cells) -> None:
        for at in units:
            if (found := _WITH_UNIT.fullmatch(cells[at])) is not None:
                cells[at] = found[1]

    if units:
        yield strip


# Degrees, minutes, seconds and a side of the earth.
_ANGLE = re.compile(
    r"\s*([NSEW]?)\s*([+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?)(?:[^\d.A-Za-z+-]+(\d+(?:\.\d*)?))?"
    r"(?:[^\d.A-Za-z+-]+(\d+(?:\.\d*)?))?[^\dA-Za-z.]*([NSEW]?)\s*",
    re.IGNORECASE,
)
_LETTERS = frozenset({" N", " E", " S", " W"})


def angle(cell: str) -> float | None:
    """Read `38°9.608862 N`, `-122.45`, `N49.07` or `122°27'12.5" W` as a signed number."""
    degrees, mark, rest = cell.partition("°")
    if mark and rest[-2:] in _LETTERS:  # as VBOX has it in each row
        try:
            value = float(degrees) + float(rest[:-2]) / 60.0
            return -value if rest[-1] in "SW" else value
        except ValueError:
            pass
    match = _ANGLE.fullmatch(cell.replace(",", "."))
    if match is None:
        return None
    before, whole, minute, second, behind = match.groups()
    value = abs(float(whole)) + float(minute or 0) / 60.0 + float(second or 0) / 3600.0
    negative = whole.startswith("-") != ((before or behind).upper() in ("S", "W"))
    return -value if negative else value


def _degrees_and_minutes(value: float) -> float:
    whole = math.trunc(value / 100.0)
    return whole + (value - whole * 100.0) / 60.0


def minutes_of_arc(value: float) -> float:
    """Return degrees."""
    return value * (1 / 60)


# Forms of a number that can't be degrees, and which figures fit each.
_FORMS: tuple[tuple[Callable[[float], float], Callable[[float], bool]], ...] = (
    (_degrees_and_minutes, lambda value: value <= 18_059.999999 and value % 100.0 < 60.0),
    (minutes_of_arc, lambda value: value <= 10_800.0),
    (lambda value: value / 1e7, lambda value: value.is_integer() and value <= 1.8e9),
)
_SOUTH, _WEST = ("lat_deg", "S"), ("lon_deg", "W")
_HEMISPHERES = {
    "n_s": _SOUTH, "ns": _SOUTH, "lat_dir": _SOUTH, "e_w": _WEST, "ew": _WEST, "lon_dir": _WEST,
}  # fmt: skip
# Words that say whether a row has a fix, and that it has none.
_VALIDITY, _VOID = (
    {"valid", "validity", "fix", "fix_status"},
    {"no fix", "none", "invalid", "void", "v", "no"},
)


def to_degrees(
    headings: Sequence[Heading], rows: Sequence[Cells], at: Mapping[str, int], path: Path, *, minutes: bool
) -> Iterable[Rewrite]:
    """Yield what rewrites positions as signed degrees. `minutes`: what can't be degrees are minutes
    of arc. RecordingError."""
    if not at:
        return
    texts = [row[cell] for row in rows for cell in at.values()]
    lettered = any(number(each) is None and angle(each) is not None for each in texts)
    largest = {
        name: [abs(value) for row in rows if (value := angle(row[cell])) is not None]
        for name, cell in at.items()
    }
    most = {name: max(found, default=0.0) for name, found in largest.items()}
    form: Callable[[float], float] | None = None
    if most["lat_deg"] > 90.0 or most["lon_deg"] > 180.0:
        found = [each for values in largest.values() for each in values]
        fitting = (form for form, fits in _FORMS if all(map(fits, found)))
        form = minutes_of_arc if minutes else next(fitting, None)
        if form is None:
            what = f"has a latitude of {most['lat_deg']:g} and a longitude of {most['lon_deg']:g}"
            raise RecordingError(path, what, hint="export positions in decimal degrees", recognised=True)
    if form is not None or lettered:
        # Minutes of arc are Racelogic's, positive to the west.
        sign = {"lat_deg": 1.0, "lon_deg": -1.0 if form is minutes_of_arc else 1.0}
        read = form or float

        def rewrite(cells: Cells) -> None:
            for name, cell in at.items():
                value = angle(cells[cell])
                cells[cell] = "" if value is None else repr(read(value) * sign[name])

        yield rewrite
    for each in headings:
        if slug(each.name) in _HEMISPHERES:
            name, letter = _HEMISPHERES[slug(each.name)]
            yield _signed(at[name], each.cell, letter)


def _signed(at: int, side_at: int, negative: str) -> Rewrite:
    def sign(cells: Cells) -> None:
        cell = cells[at].strip()
        if cells[side_at].strip().upper().startswith(negative) and cell and not cell.startswith("-"):
            cells[at] = f"-{cell}"

    return sign


def without_fix(
    headings: Sequence[Heading], rows: Sequence[Cells], at: Mapping[str, int], notes: FindingLog
) -> Iterable[Rewrite]:
    """Yield what blanks a row that says in a word that it has no fix."""
    said = [each.cell for each in headings if slug(each.name) in _VALIDITY]

    def is_void(cells: Cells) -> bool:
        return any(cells[cell].strip().lower().replace("_", " ") in _VOID for cell in said)

    def blank(cells: Cells) -> None:
        if is_void(cells):
            for cell in at.values():
                cells[cell] = ""

    if at and any(map(is_void, rows)):
        notes.add("void_fix", "lat_deg", None, "the logger says it has no fix")
        yield blank

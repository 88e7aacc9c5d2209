"""CSV of positions by any app: the name gives a column's meaning, the cells its notation.

Times are ISO 8601, a date and a time, parts of a date, seconds since 1970 in any power of a
thousand, a time of day (also AM or PM), or elapsed seconds. Positions are degrees, degrees times
1e7 (u-blox), degrees and minutes run together (NMEA), or unsigned with N/S and E/W columns (Qstarz,
BT747). Cells may hold their unit. Names and units that the fixes refute are not believed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from itertools import islice, pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.fix import METRES_PER_DEG
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.columns import PLAIN_SPEED, RECEIVER_RULES, Heading, Rule, map_columns, slug
from pitwall.telemetry.recordings.gps_csv import app_heading
from pitwall.telemetry.recordings.rows import (
    Cells,
    RowRecording,
    RowTable,
    delimiter_of,
    number,
    splitter,
    with_local_start,
    with_start,
)
from pitwall.telemetry.recordings.text import encoding_of, head_lines, numbered_lines
from pitwall.telemetry.recordings.timeline import clock_s, date_and_time, is_unix
from pitwall.telemetry.session_clock import DAY_S

MAX_PREAMBLE_LINES = 60
# Column meanings of all plain text formats, asked before those of cars (columns.py).
RULES: tuple[Rule, ...] = (
    *RECEIVER_RULES,
    PLAIN_SPEED,
    Rule("vbox_lat_min", "lat_deg"),
    Rule("vbox_long_minutes", "lon_deg"),
    Rule(r"speed_?obd|obd_?speed|speed_\w*can", "wheel_speed_mps"),
    Rule(r"accx_can", "g_long"),
    Rule(r"accy_can", "g_lat"),
)
# The time column is the first of these: those with a day come first.
_TIMES = re.compile(
    r"(?P<day>date(_?time)?|day|datum)|(?P<time>(utc|gps|device|local)?_?(time|timestamp|utc)(_?(s|ms|utc|sec|stamp))?"
    r"|timestamp_\w+|epoch\w*)|(?P<elapsed>seconds(_elapsed)?|elapsed(_time|_s)?|offset)|(?P<part>hours?|minutes?|seconds?)"
)
_SOUTH, _WEST = ("lat_deg", "S"), ("lon_deg", "W")
_HEMISPHERES = {
    "n_s": _SOUTH, "ns": _SOUTH, "lat_dir": _SOUTH, "e_w": _WEST, "ew": _WEST, "lon_dir": _WEST,
}  # fmt: skip
# A side of the earth before or behind its degrees.
_WITH_SIDE = re.compile(r"\s*([NSEW]?)\s*(\d+(?:[.,]\d+)?)\s*°?\s*([NSEW]?)\s*", re.IGNORECASE)
# Words that say whether a row has a fix, and those that say it has none.
_VALIDITY, _VOID = (
    {"valid", "validity", "fix", "fix_status"},
    {"no fix", "none", "invalid", "void", "v", "no"},
)
# 20250724; Columbus, whose names are these, writes 250724, which others write for 25 July 2024.
_COMPACT_DAY, _COLUMBUS = re.compile(r"(\d\d)?(\d\d)(\d\d)(\d\d)"), {"tag", "latitude_n_s"}
_COMPACT_CLOCK = re.compile(r"(\d\d)(\d\d)(\d\d(?:\.\d+)?)")
# Toyota's GR Cup writes no units.
TRD_UNITS = {"speed_mps": "km/h", "wheel_speed_mps": "km/h", "brake_bar": "bar"}
# Columns that phones' own positions have: their speed is in m/s where nothing tells it.
_OF_ANDROID = {"provider", "accuracy", "horizontal_accuracy", "speed_accuracy", "bearing_accuracy"}
_PLACE: set[str] = {"lat_deg", "lon_deg"}
_WITH_UNIT = re.compile(r"\s*([-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?)\s+([a-zA-Z%°][a-zA-Z/%°0-9]*)\s*")
_MILLISECONDS = re.compile(r"m(illi)?s(ec(ond)?s?)?")
# Seconds since 1970 in these units; later than 2001 in each.
_SINCE_1970 = ((1e9, 4.1e9, 1.0), (1e12, 4.1e12, 1e-3), (1e15, 4.1e15, 1e-6), (1e18, 4.1e18, 1e-9))
# The most a car does in a second, and the least in a recorded drive.
FASTEST_MPS, SLOWEST_MPS = 130.0, 0.3

Clock = Callable[[Cells], float]


class _Table(NamedTuple):
    line: int
    delimiter: str
    headings: list[Heading]


class _Time(NamedTuple):
    """How a row's time is read. `utc`: its zone is given; `dated`: it has the day."""

    clock: Clock
    cells: tuple[int, ...]
    dated: bool = False
    utc: bool = False
    of_day: bool = False


def sniff(head: bytes) -> bool:
    """Accept a row of names with a latitude and a longitude, above rows that have a time."""
    return _find_names(head_lines(head)[:MAX_PREAMBLE_LINES]) is not None


class PlainCsvRecording(RowRecording):
    """A CSV of positions, of no program in particular."""

    def __init__(self, path: Path, head: bytes) -> None:
        encoding = encoding_of(head)
        preamble = islice(numbered_lines(path, encoding), MAX_PREAMBLE_LINES)
        found = _find_names([line or "" for _, line in preamble])
        if found is None:
            raise RecordingError(path, "has no row of names with a position", hint="export it again")
        table = RowTable(path, encoding, found.line + 1, found.delimiter, len(found.headings))
        rows = [row for row in table.rows if len(row) >= table.cells]
        in_cells = _units_in_cells(rows, len(found.headings), without=_positions(found.headings).values())
        headings = [
            each._replace(unit=each.unit or in_cells.get(each.cell, ""))
            for each in found.headings
            if each.cell < table.cells
        ]
        at = _positions(headings)
        time = find_time(headings, rows)
        if time is None:
            what, hint = (
                "no row has a time that can be read",
                f"its columns are {', '.join(h.name for h in headings[:12])}",
            )
            raise RecordingError(path, what, line=found.line, hint=hint)
        rewrite = [
            *_without_units(in_cells),
            *_sided(rows, at),
            *_to_degrees(headings, rows, at, path),
            *_void(headings, rows, at, table.notes),
        ]

        def prepare(cells: Cells) -> None:
            for change in rewrite:
                change(cells)

        scale = _believed_scale(headings, rows, time, prepare, at, table.notes)
        for row in rows:
            prepare(row)
        names = {slug(each.name) for each in headings}
        units = {"speed_mps": "m/s"} if names & _OF_ANDROID else {}
        if names >= _COLUMBUS:
            units = {"speed_mps": "km/h"}
        columns = table.columns(
            [each for each in headings if each.cell not in time.cells],
            RULES,
            TRD_UNITS if "vbox_lat_min" in names else units,
        )
        super().__init__(
            table, "csv", "csv", columns, lambda row: time.clock(row) * scale, DAY_S if time.of_day else None,
            prepare=prepare if rewrite else None,
        )  # fmt: skip
        start_s = self.start_raw_s()
        if time.of_day:
            self.info = with_start(self.info, None, start_s)
        elif time.dated and not time.utc:
            self.info = with_local_start(self.info, datetime.fromtimestamp(start_s, UTC).isoformat())
        elif is_unix(start_s):
            self.info = with_start(self.info, round(start_s, 3))


def _find_names(lines: Sequence[str]) -> _Table | None:
    for number_, line in enumerate(lines):
        delimiter = delimiter_of(line)
        if line.count(delimiter) < 2:
            continue
        cells = splitter(delimiter)(line.lstrip("\ufeff"))
        headings = [app_heading(i, cell) for i, cell in enumerate(cells)]
        if not _positions(headings) or any(number(cell) is not None for cell in cells):
            continue
        if any(_TIMES.fullmatch(slug(each.name)) for each in headings):
            return _Table(number_ + 1, delimiter, headings)
    return None


def _positions(headings: Sequence[Heading]) -> dict[str, int]:
    """Return the cells of latitude and longitude, empty where not both are there."""
    names: dict[str, int] = {column.channel.name: column.cell for column in map_columns(headings, RULES)}
    return {name: names[name] for name in _PLACE} if names.keys() >= _PLACE else {}


def moment_s(text: str) -> tuple[float, bool]:
    """Read a date with time as seconds since 1970, and whether its zone is given. ValueError."""
    text = text.strip()
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        dated = date_and_time(re.sub(r"(?<=\d)-([A-Za-z]{3})-(?=\d{4})", r" \1 ", text))
        if dated is None:
            raise ValueError(f"{text[:30]!r} is no date") from None
        return dated[0] // DAY_S * DAY_S + clock_s(text), bool(re.search(r"\b(GMT|UTC)\b", text))
    return found.replace(tzinfo=found.tzinfo or UTC).timestamp(), found.tzinfo is not None


def find_time(headings: Sequence[Heading], rows: Sequence[Cells]) -> _Time | None:
    """Return how the rows tell their time, None if they don't."""
    if not rows:
        return None
    named = [(each, found) for each in headings if (found := _TIMES.fullmatch(slug(each.name)))]
    of = {kind: [each for each, found in named if found[kind]] for kind in ("day", "time", "elapsed", "part")}
    for each in (*of["time"], *of["day"]):
        if (time := _moments(each, rows)) is not None:
            return time
    if of["day"]:
        rest, year_first = (
            [*of["time"], *of["elapsed"], *of["part"]],
            {slug(h.name) for h in headings} >= _COLUMBUS,
        )
        if (time := _day_and_parts(of["day"][0], rest, rows, year_first=year_first)) is not None:
            return time
    for each in (*of["time"], *of["elapsed"]):
        if (time := _numbers_or_clock(each, rows)) is not None:
            return time
    return None


def _reads(read: Callable[[Cells], object], rows: Sequence[Cells]) -> bool:
    good = 0
    for row in rows:
        try:
            read(row)
        except (ValueError, IndexError, OverflowError):
            continue
        good += 1
    return good > 0 and good >= 0.5 * len(rows)


def _moments(each: Heading, rows: Sequence[Cells]) -> _Time | None:
    at = each.cell

    def read(row: Cells) -> float:
        if ":" not in row[at]:
            raise ValueError("no time in it")
        return moment_s(row[at])[0]

    if not _reads(read, rows):
        return None
    first = next(row for row in rows if _reads(read, [row]))
    utc = moment_s(first[at])[1] or "utc" in slug(each.name) or "gps" in slug(each.name)
    return _Time(read, (at,), dated=True, utc=utc)


def _day_and_parts(
    day: Heading, rest: Sequence[Heading], rows: Sequence[Cells], *, year_first: bool
) -> _Time | None:
    """Read a date and a time of day, or hours, minutes and seconds, in separate columns."""

    def midnight_s(row: Cells) -> float:
        text = row[day.cell].strip()
        if (compact := _COMPACT_DAY.fullmatch(text)) and (compact[1] or year_first):
            text = f"{compact[1] or 20}{compact[2]}-{compact[3]}-{compact[4]}"
        found = date_and_time(text)
        if found is None:
            raise ValueError("no date")
        return found[0] // DAY_S * DAY_S

    parts = {slug(each.name).rstrip("s"): each.cell for each in rest}
    if {"hour", "minute", "second"} <= parts.keys():
        cells = (parts["hour"], parts["minute"], parts["second"])

        def of_parts(row: Cells) -> float:
            hour, minute, second = (float(row[cell]) for cell in cells)
            return midnight_s(row) + hour * 3600.0 + minute * 60.0 + second

        return _Time(of_parts, (day.cell, *cells), dated=True) if _reads(of_parts, rows) else None
    for each in rest:
        at = each.cell

        def of_clock(row: Cells, at: int = at) -> float:
            return midnight_s(row) + clock_s(_COMPACT_CLOCK.sub(r"\1:\2:\3", row[at].strip()))

        if _reads(of_clock, rows):
            utc = "utc" in slug(each.name) or "utc" in slug(day.name)
            return _Time(of_clock, (day.cell, at), dated=True, utc=utc)
    return None


def _numbers_or_clock(each: Heading, rows: Sequence[Cells]) -> _Time | None:
    at = each.cell
    values = [value for row in rows if at < len(row) and (value := number(row[at])) is not None]
    if len(values) >= max(1, 0.5 * len(rows)):
        for low, high, scale in _SINCE_1970:
            if all(low <= value <= high for value in values):
                return _Time(_seconds(at, scale), (at,), dated=True, utc=True)
        return _Time(_seconds(at, unit_s(each)), (at,))
    if _reads(lambda row: clock_s(row[at]), rows):
        return _Time(lambda row: clock_s(row[at]), (at,), of_day=True)
    return None


def _seconds(at: int, scale: float) -> Clock:
    def read(row: Cells) -> float:
        value = number(row[at])
        return math.nan if value is None else value * scale

    return read


def unit_s(each: Heading) -> float:
    """Return the factor from a time column's figures to seconds, by its name or unit."""
    unit = each.unit.strip().lower()
    if _MILLISECONDS.fullmatch(unit) or slug(each.name).endswith("_ms"):
        return 1e-3
    return 1e-6 if unit in ("us", "µs") else 1.0


def _believed_scale(
    headings: Sequence[Heading], rows: Sequence[Cells], time: _Time, prepare: Callable[[Cells], None],
    at: dict[str, int], notes: FindingLog,
) -> float:  # fmt: skip
    """Return 1000 if milliseconds, as the name says, would make the car impossibly fast: seconds."""
    if time.dated or time.of_day or all(unit_s(headings[cell]) == 1.0 for cell in time.cells):
        return 1.0
    fixes = []
    for row in (list(row) for row in rows):
        try:
            prepare(row)
            fixes.append((time.clock(row), float(row[at["lat_deg"]]), float(row[at["lon_deg"]])))
        except (ValueError, IndexError):
            continue
    speeds = [
        math.hypot(b[1] - a[1], (b[2] - a[2]) * math.cos(math.radians(a[1]))) * METRES_PER_DEG / (b[0] - a[0])
        for a, b in pairwise(fixes)
        if b[0] > a[0]
    ]
    speed_mps = median(speeds) if speeds else 0.0
    if speed_mps <= FASTEST_MPS or not SLOWEST_MPS <= speed_mps / 1000.0 <= FASTEST_MPS:
        return 1.0
    what = f"is named milliseconds, and the fixes make {speed_mps:.0f} m/s of that: read as seconds"
    notes.add("reckoned", "time", None, what)
    return 1000.0


def _units_in_cells(rows: Sequence[Cells], width: int, without: Collection[int]) -> dict[int, str]:
    """Return the unit that all filled cells of a column hold behind their number."""
    units = {}
    for cell in set(range(width)) - set(without):
        filled = [row[cell] for row in rows if cell < len(row) and row[cell].strip()]
        found = [_WITH_UNIT.fullmatch(each) for each in filled]
        if filled and all(found) and len(units_found := {each[2] for each in found if each}) == 1:
            units[cell] = units_found.pop()
    return units


def _without_units(units: dict[int, str]) -> list[Callable[[Cells], None]]:
    def strip(cells: Cells) -> None:
        for at in units:
            if (found := _WITH_UNIT.fullmatch(cells[at])) is not None:
                cells[at] = found[1]

    return [strip] if units else []


def _sided(rows: Sequence[Cells], at: dict[str, int]) -> list[Callable[[Cells], None]]:
    """Return what rewrites `49.07N` as degrees, done to `rows` already; nothing where none is so."""

    def sign(cells: Cells) -> None:
        for cell in at.values():
            found = _WITH_SIDE.fullmatch(cells[cell])
            if found is not None and (side := (found[1] or found[3]).upper()):
                cells[cell] = f"-{found[2]}" if side in "SW" else found[2]

    cells = (row[cell].strip() for row in rows for cell in at.values())
    if not any(each[:1].isalpha() or each[-1:].isalpha() for each in cells):
        return []
    for row in rows:
        sign(row)
    return [sign]


def _void(
    headings: Sequence[Heading], rows: Sequence[Cells], at: dict[str, int], notes: FindingLog
) -> list[Callable[[Cells], None]]:
    """Return what blanks the place of a row that says in a word that it has no fix."""
    said = [each.cell for each in headings if slug(each.name) in _VALIDITY]

    def is_void(cells: Cells) -> bool:
        return any(cells[cell].strip().lower() in _VOID for cell in said)

    def blank(cells: Cells) -> None:
        if is_void(cells):
            for cell in at.values():
                cells[cell] = ""

    if not any(map(is_void, rows)):
        return []
    notes.add("void_fix", "lat_deg", None, "the logger says it has no fix")
    return [blank]


def _to_degrees(
    headings: Sequence[Heading], rows: Sequence[Cells], at: dict[str, int], path: Path
) -> list[Callable[[Cells], None]]:
    """Return what rewrites the cells of a position as signed degrees, nothing where they are."""
    changes: list[Callable[[Cells], None]] = []
    values = {
        name: [abs(value) for row in rows if (value := number(row[at[name]])) is not None]
        for name in ("lat_deg", "lon_deg")
    }
    largest = {name: max(found, default=0.0) for name, found in values.items()}
    if largest["lat_deg"] > 90.0 or largest["lon_deg"] > 180.0:
        form = next(
            (form for form, fits in _FORMS if all(fits(v) for found in values.values() for v in found)), None
        )
        if form is None:
            what = f"has a latitude of {largest['lat_deg']:g} and a longitude of {largest['lon_deg']:g}"
            raise RecordingError(path, what, hint="export positions in decimal degrees", recognised=True)
        # Minutes of arc are Racelogic's, who count them positive to the west.
        west = -1.0 if form is _minutes_of_arc else 1.0
        changes = [_rewriter(at["lat_deg"], form), _rewriter(at["lon_deg"], form, west)]
    sides = [
        (each.cell, _HEMISPHERES[slug(each.name)]) for each in headings if slug(each.name) in _HEMISPHERES
    ]
    return [*changes, *(_signed(at[name], cell, letter) for cell, (name, letter) in sides)]


def _degrees_of_e7(value: float) -> float:
    return value * 1e-7


def _degrees_and_minutes(value: float) -> float:
    whole = math.trunc(value / 100.0)
    return whole + (value - whole * 100.0) / 60.0


def _minutes_of_arc(value: float) -> float:
    return value / 60.0


# The forms of a number that can't be degrees, and whether a figure can be of that form.
_FORMS: tuple[tuple[Callable[[float], float], Callable[[float], bool]], ...] = (
    (_degrees_and_minutes, lambda value: value <= 18_059.999999 and value % 100.0 < 60.0),
    (_minutes_of_arc, lambda value: value <= 10_800.0),
    (_degrees_of_e7, lambda value: value.is_integer() and value <= 1.8e9),
)


def _rewriter(at: int, form: Callable[[float], float], sign: float = 1.0) -> Callable[[Cells], None]:
    def rewrite(cells: Cells) -> None:
        value = number(cells[at])
        cells[at] = "" if value is None else f"{sign * form(value):.9f}"

    return rewrite


def _signed(at: int, side_at: int, negative: str) -> Callable[[Cells], None]:
    def sign(cells: Cells) -> None:
        cell = cells[at].strip()
        if cells[side_at].strip().upper().startswith(negative) and cell and not cell.startswith("-"):
            cells[at] = f"-{cell}"

    return sign

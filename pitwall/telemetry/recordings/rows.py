"""The engine of all row files: one line is one reading of one stream."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from math import isfinite
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitwall.telemetry.findings import Finding, FindingKind, FindingLog
from pitwall.telemetry.recordings.base import BUDGET, FEWER, LOOK_ROWS, RecordingError, RecordingInfo
from pitwall.telemetry.recordings.columns import (
    MAX_COLUMNS,
    NO_DEFAULTS,
    Heading,
    MappedColumn,
    has_unit,
    info_of,
    map_columns,
    rivals,
    slug,
)
from pitwall.telemetry.recordings.text import numbered_lines
from pitwall.telemetry.recordings.timeline import Timeline, date_and_time, time_of_day
from pitwall.telemetry.sample import Channel, Sample
from pitwall.telemetry.session_clock import DAY_S
from pitwall.telemetry.signals import NEEDS_FIX

Values = list[float | None]
Decoder = Callable[[Sequence[str], float], Values]

# Columns of a fix's own quality: 0 means no fix.
VALIDITY = ("satellites", "fix_type", "fix_quality", "gps_qual", "gpsqual", "gpsfix")


def number(cell: str) -> float | None:
    """Return a finite number, or None; a comma is a decimal point."""
    try:
        value = float(cell)
    except ValueError:
        try:
            value = float(cell.replace(",", "."))
        except ValueError:
            return None
    return value if isfinite(value) else None


def make_decoder(
    columns: Sequence[MappedColumn], log: FindingLog, masks: Mapping[str, int], validity: Sequence[str]
) -> Decoder:
    """Return a function (cells, t) -> values in the columns' order, None if none.

    `masks`: bits to keep of a channel. `validity`: channels whose 0 voids the fix.
    """
    names = [column.channel.name for column in columns]
    pick = _picker([column.cell for column in columns])
    linear = [(i, c.scale, c.offset) for i, c in enumerate(columns) if (c.scale, c.offset) != (1.0, 0.0)]
    masked = [(names.index(name), mask) for name, mask in masks.items() if name in names]
    check_fix = _fix_checker(names, log, validity)

    # Most files have no blanks: the fastest way is tried until a row fails.
    full = True

    def decode(cells: Sequence[str], t: float) -> Values:
        nonlocal full
        picked = pick(cells)
        try:
            values: Values = (
                list(map(float, picked)) if full else [float(cell) if cell else None for cell in picked]
            )
        except ValueError:
            full = False
            values = _slowly(picked, names, log, t)
        for i, scale, offset in linear:
            value = values[i]
            if value is not None:
                values[i] = value * scale + offset
        if not isfinite(sum(filter(None, values))):
            values = [v if v is None or isfinite(v) else None for v in values]
        for i, mask in masked:
            value = values[i]
            if value is not None:
                values[i] = float(int(value) & mask)
        check_fix(values, t)
        return values

    return decode


def is_blank(cell: str) -> bool:
    """Return whether a cell is empty, or says that it has no value."""
    return cell.strip().strip("-").lower() in ("", "nan", "null", "n/a", "na", "inf", "none", "no data")


def _picker(cells: list[int]) -> Callable[[Sequence[str]], Sequence[str]]:
    if cells == list(range(len(cells))):
        return lambda row: row[: len(cells)]
    if len(cells) == 1:
        return lambda row: (row[cells[0]],)
    return itemgetter(*cells)


def _slowly(cells: Sequence[str], names: list[str], log: FindingLog, t: float) -> Values:
    values: Values = []
    for cell, name in zip(cells, names, strict=True):
        value = number(cell) if cell else None
        # NaN and the like mean a blank; anything else is damage.
        if value is None and not is_blank(cell):
            log.add("malformed_row", name, t, f"{cell.strip()[:40]!r} is not a number")
        values.append(value)
    return values


def _fix_checker(
    names: list[str], log: FindingLog, validity: Sequence[str]
) -> Callable[[Values, float], None]:
    """Blank a fix that the logger marks invalid, or that is no place on earth."""
    flags = [names.index(name) for name in validity if name in names]
    fix = [names.index(name) for name in NEEDS_FIX if name in names]
    if "lat_deg" not in names or "lon_deg" not in names:
        return lambda values, t: None
    lat_at, lon_at = names.index("lat_deg"), names.index("lon_deg")
    heading_at = names.index("heading_deg") if "heading_deg" in names else None

    def check(values: Values, t: float) -> None:
        for i in flags:
            if values[i] == 0.0:
                return blank(values, t, "void_fix", "the logger says it has no fix")
        lat, lon = values[lat_at], values[lon_at]
        if lat is None or lon is None:
            # Half a position is none.
            values[lat_at] = values[lon_at] = None
        elif lat == 0.0:
            return blank(values, t, "void_fix", "position 0, 0")
        elif not (-90.0 <= lat <= 90.0 and -180.0 <= lon <= 180.0):
            return blank(values, t, "out_of_range", f"{lat:.4f}, {lon:.4f} is no place on earth")
        if heading_at is not None:
            heading = values[heading_at]
            # Some loggers write -180..180.
            if heading is not None and -360.0 <= heading < 0.0:
                values[heading_at] = heading + 360.0
        return None

    def blank(values: Values, t: float, kind: FindingKind, why: str) -> None:
        if values[lat_at] is None and values[lon_at] is None:
            return
        for i in fix:
            values[i] = None
        log.add(kind, "lat_deg", t, why)

    return check


STREAM_ID = 0
# Rows looked at before the first sample.
PEEK_ROWS = 400
WANTED = "export each row with its time, and position, speed, engine speed, throttle or brakes"
# A pedal in parts of one has more than a switch's two or a few steps.
LEAST_PARTS = 10
# How far to look for a first fix (25 Hz: 13 minutes).
FIX_ROWS = 20_000
# A parked receiver wanders less (about 100 m).
PARKED_DEG = 0.001
# Beyond any clock in seconds or milliseconds.
MAX_RAW_S = 1.0e11

Cells = list[str]


class _Form(NamedTuple):
    """Another unit of a signal, by its figures: from `low` up to between `least` and `high`.
    `scale` 0: it is not used."""

    low: float
    least: float
    high: float
    scale: float
    offset: float
    wanted: str


_PEDAL = (
    _Form(-0.02, 0.2, 1.02, 100.0, 0.0, "read as parts of one"),
    _Form(0.0, 254.0, 255.0, 100 / 255, 0.0, "read as 0 to 255"),
)
_BY_RANGE: dict[str, tuple[_Form, ...]] = {
    "throttle_pct": _PEDAL,
    "brake_pct": _PEDAL,
    "coolant_c": (_Form(32.0, 150.0, 400.0, 5 / 9, -160 / 9, "read as Fahrenheit"),),
    "heading_deg": (_Form(0.0, 5.9, 6.2832, 180 / math.pi, 0.0, "read as radians"),),
    "steering_deg": (_Form(-7.0, 0.02, 7.0, 0.0, 0.0, "too little for degrees, not used"),),
}


class RowTable:
    """The rows below a header: the first ones (`rows`, without blanks and remarks), and a row's
    width (`cells`): what most have, up to the header's `width`.

    Rows may lack blank cells at their end; longer ones are refused. RecordingError, also without
    rows.
    """

    def __init__(
        self, path: Path, encoding: str, first_line: int, delimiter: str | None,
        width: int | Callable[[list[Cells]], int],
        *, names_line: int | None = None, comment: str | tuple[str, ...] = "\n",
    ) -> None:  # fmt: skip
        self.path, self.encoding, self.first_line = path, encoding, first_line
        self.comment, self.notes = comment, FindingLog()
        split = self.split = splitter(delimiter)
        lines = islice(numbered_lines(path, encoding), first_line - 1, None)
        found = (
            split(line) for _, line in islice(lines, FIX_ROWS)
            if line is not None and line.strip() and not line.startswith(comment)
        )  # fmt: skip
        self.rows = list(islice(found, PEEK_ROWS))
        if not self.rows:
            what, hint = "has a header but no rows", "the logger recorded nothing"
            raise RecordingError(path, what, line=first_line, hint=hint)
        line = first_line - 1 if names_line is None else names_line
        width = width if isinstance(width, int) else width(self.rows)
        if width > MAX_COLUMNS:
            raise RecordingError(path, f"a header of {width} columns", line=line, hint="it is damaged")
        trimmed = Counter(width if _trim(list(row), width) else len(row) for row in self.rows)
        cells = trimmed.most_common(1)[0][0]
        self.cells = width if cells > width and width in trimmed else cells
        if self.cells > width or self.cells < 2:
            what = f"the header names {width} columns but the rows have {self.cells}"
            hint = "export it again; a comma in a number makes two columns of it where commas part them"
            raise RecordingError(path, what, line=line, hint=hint)

    def part(self, at: int) -> None:
        """Make two cells of the cell `at`, which holds two numbers."""
        cut = self.split
        self.split = lambda line: _part(cut(line), at)
        self.rows = [_part(row, at) for row in self.rows]
        self.cells += 1

    def columns(
        self, headings: Sequence[Heading], family: str, defaults: Mapping[str, str] = NO_DEFAULTS
    ) -> tuple[MappedColumn, ...]:
        """Return the columns of numbers. Of two that say the same one that moves is used, with a
        note; columns of words are left out."""
        self.with_unit = {each.cell for each in headings if has_unit(each.unit)}
        same = rivals([each for each in headings if each.cell < self.cells], family, defaults)
        dead = self._dead([each for group in same for each in group])
        for first, *others in same:
            live = next((each for each in others if each.cell not in dead), None)
            if first.cell in dead and live is not None:
                what = f"{first.name!r} never changes: {live.name!r} is used"
                self.notes.add("stuck", first.name, None, what)
        return self._numbers(self._by_range(map_columns(headings, family, defaults, dead)))

    def _by_range(self, columns: Sequence[MappedColumn]) -> list[MappedColumn]:
        """Return the columns, those without a unit in the one that alone makes their figures
        possible."""
        wanted = {
            column.cell: [math.inf, -math.inf]
            for column in columns
            if column.channel.name in _BY_RANGE and column.scale == 1.0 and column.cell not in self.with_unit
        }
        seen = {cell: set[float]() for cell in wanted}
        for row in self._all() if wanted else ():
            for cell, span in wanted.items():
                value = number(row[cell]) if cell < len(row) else None
                if value is not None:
                    span[:] = min(span[0], value), max(span[1], value)
                    if len(seen[cell]) < LEAST_PARTS:
                        seen[cell].add(value)
        return [
            self._in_form(each, wanted[each.cell], len(seen[each.cell])) if each.cell in wanted else each
            for each in columns
        ]

    def _in_form(self, column: MappedColumn, span: Sequence[float], seen: int) -> MappedColumn:
        least, most = span
        signal, name = column.channel.name, column.channel.label
        form = next((f for f in _BY_RANGE[signal] if f.low <= least and f.least <= most <= f.high), None)
        if form is None or (seen < LEAST_PARTS and most < 255.0 and (most != 1.0 or seen < 3)):
            return column
        what = f"{name!r} reads {least:.4g} to {most:.4g} and has no unit: {form.wanted}"
        if not form.scale:
            what = f'{what}; give it, --channel {signal}="{name}:rad"'
            column = column._replace(channel=Channel(f"{slug(name)}_own", "", name))
        else:
            by = (form.scale, form.offset)
            column = MappedColumn(column.cell, column.channel, *by, *by)
        self.notes.add("reckoned" if form.scale else "blank_channel", signal, None, what)
        return column

    def _all(self) -> Iterator[Cells]:
        for _, line in islice(numbered_lines(self.path, self.encoding), self.first_line - 1, None):
            yield [] if line is None or line.startswith(self.comment) else self.split(line)

    def _dead(self, headings: Sequence[Heading]) -> set[int]:
        """Return which of these columns never change."""
        still: dict[int, float | None] = {each.cell: None for each in headings}
        for row in self._all() if still else ():
            for cell, before in list(still.items()) if len(row) >= self.cells else ():
                value = number(row[cell])
                if before is None:
                    still[cell] = value
                elif value is not None and value != before:
                    del still[cell]
            if not still:
                break
        return set(still)

    def _numbers(self, columns: Sequence[MappedColumn]) -> tuple[MappedColumn, ...]:
        kept: list[MappedColumn] = []
        rows = [row for row in self.rows if len(row) >= self.cells]
        for column in columns:
            if column.cell >= self.cells:
                continue
            cells = [row[column.cell] for row in rows]
            filled = [cell for cell in cells if not is_blank(cell)]
            texts = [cell for cell in filled if number(cell) is None]
            if not filled and not column.channel.canonical and "-" in cells and len(cells) == PEEK_ROWS:
                self.notes.add("blank_channel", "", None, "columns of '-' and the like, left out")
            elif filled and len(texts) == len(filled):
                what = f"holds text ({texts[0][:30]!r}), left out"
                self.notes.add("blank_channel", column.channel.name, None, what)
            else:
                kept.append(column)
        return tuple(kept)


class Decoded(NamedTuple):
    """A row with its raw clock."""

    raw_s: float
    t: float
    values: Values


class FirstFix(NamedTuple):
    """Where the car was first, and what the file and the session call that moment."""

    raw_s: float
    t: float
    lat_deg: float
    lon_deg: float


class RowRecording:
    """A row file as a `Recording` with one stream."""

    def __init__(
        self, table: RowTable, form: str, source: str, columns: tuple[MappedColumn, ...],
        clock: Callable[[Cells], float], wrap_s: float | None = None,
        *, prepare: Callable[[Cells], None] | None = None, masks: Mapping[str, int] | None = None,
        about: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        """`clock`: a row's raw seconds, ValueError for none; `wrap_s`: a day for times of day;
        `prepare`: rewrites cells in place; `masks` as in `make_decoder`; `about`: venue, driver,
        vehicle. RecordingError if no row has a time and a value."""
        self.path, self.table, self.columns = table.path, table, columns
        self.clock, self._wrap_s, self._prepare, self._masks = clock, wrap_s, prepare, masks or {}
        self.validity: Sequence[str] = VALIDITY
        self.info = info_of(form, table.path, [(source, columns)], **(about or {}))
        self._log = FindingLog()
        self.first_fix = _settle(self)

    def samples(self) -> Iterator[Sample]:
        """Yield samples in the file's order, in constant memory."""
        for _, t, values in self.decoded():
            yield Sample(STREAM_ID, t, tuple(values))

    def start_raw_s(self) -> float:
        """Return what the file's own clock read at t = 0."""
        return next((row.raw_s - row.t for row in self.decoded()), 0.0)

    def findings(self) -> list[Finding]:
        """Return what opening and the last pass met."""
        return self.table.notes.findings() + self._log.findings()

    def decoded(self) -> Iterator[Decoded]:
        """Yield the rows that have a time."""
        log, timeline, decode = self.begin()
        clock, advance = self.clock, timeline.advance
        for number_, cells in self.rows(log, timeline):
            try:
                raw_s = clock(cells)
            except (ValueError, IndexError):
                raw_s = float("nan")
            if not -MAX_RAW_S < raw_s < MAX_RAW_S:
                log.add("malformed_row", "", timeline.t, f"line {number_}: no time in it")
                continue
            t = advance(raw_s)
            if t is not None:
                yield Decoded(raw_s, t, decode(cells, t))

    def begin(self) -> tuple[FindingLog, Timeline, Decoder]:
        """Begin another pass."""
        log = self._log = FindingLog()
        return log, Timeline(log, self._wrap_s), make_decoder(self.columns, log, self._masks, self.validity)

    def rows(self, log: FindingLog, timeline: Timeline) -> Iterator[tuple[int, Cells]]:
        """Yield the data rows of the right width."""
        table, prepare, wanted = self.table, self._prepare, self.table.cells
        split, lines = table.split, numbered_lines(self.path, table.encoding)
        most_rows, short = BUDGET.rows_of(wanted) + table.first_line, 0
        for number_, line in islice(lines, table.first_line - 1, None):
            if number_ % LOOK_ROWS == 0:
                BUDGET.refuse_barren(self.path, log, timeline)
            if number_ > most_rows:
                what = f"has more than {most_rows} lines of {wanted} columns"
                raise RecordingError(self.path, what, hint=FEWER)
            if line is None:
                log.add("malformed_row", "", timeline.t, f"line {number_} is endless")
                continue
            cells = split(line)
            if 0.5 * wanted < len(cells) == short:  # a second one: the last columns ended
                cells += [""] * (wanted - short)
            if len(cells) != wanted and not _trim(cells, wanted):
                if not line.strip() or line.startswith(table.comment):
                    timeline.standing += 1
                else:
                    short = len(cells)
                    log.add(
                        "malformed_row", "", timeline.t, f"line {number_}: {len(cells)} cells, not {wanted}"
                    )
                continue
            if prepare is not None:
                prepare(cells)
            yield number_, cells


def _trim(cells: Cells, wanted: int) -> bool:
    """Drop blank cells beyond the last column; False if the row is of another length."""
    if len(cells) > wanted and not any(cell.strip() for cell in cells[wanted:]):
        del cells[wanted:]
        return True
    return False


def _part(cells: Cells, at: int) -> Cells:
    cells[at : at + 1] = [*re.findall(r"-?\d+\.\d+", "".join(cells[at : at + 1])), "", ""][:2]
    return cells


def splitter(delimiter: str | None) -> Callable[[str], Cells]:
    """Return what cuts a line. Where commas don't separate they are decimal points."""
    if delimiter is None:
        return lambda line: (line.replace(",", ".") if "," in line else line).split()
    decimal_comma = delimiter != ","

    def split(line: str) -> Cells:
        if '"' in line:
            try:
                return next(csv.reader((line,), delimiter=delimiter), [])
            except csv.Error:
                return []
        if decimal_comma and "," in line:
            line = line.replace(",", ".")
        return line.split(delimiter)

    return split


def delimiter_of(line: str) -> str | None:
    """Return the most frequent of comma, semicolon, tab and bar; None for blanks."""
    most = max(",;\t", key=line.count)
    return most if most in line else "|" if "|" in line else None


def _settle(recording: RowRecording) -> FirstFix | None:
    """Check that the file is usable; return its first row with a position, if any.

    A validity channel that is 0 while the car drives is not believed. RecordingError if no row has
    a time and a value.
    """
    first = next(_fixes(recording), None)
    if first is not None:
        return first
    believed, recording.validity = recording.validity, ()
    first = next(_fixes(recording), None)
    if first is not None and any(
        abs(fix.lat_deg - first.lat_deg) + abs(fix.lon_deg - first.lon_deg) > PARKED_DEG
        for fix in _fixes(recording)
    ):
        return first
    recording.validity = believed
    return None


def _fixes(recording: RowRecording) -> Iterator[FirstFix]:
    """Yield the positions of the first rows. RecordingError if no row is usable."""
    names = [channel.name for channel in recording.info.streams[0].channels]
    if not names:
        raise RecordingError(recording.path, "has no column of numbers", line=recording.table.first_line)
    if not any(channel.canonical for channel in recording.info.streams[0].channels):
        raise RecordingError(
            recording.path,
            f"has no column that Pitwall knows: {', '.join(names[:12])}",
            line=recording.table.first_line - 1,
            hint=WANTED,
        )
    has_position = "lat_deg" in names and "lon_deg" in names
    lat_at, lon_at = (names.index("lat_deg"), names.index("lon_deg")) if has_position else (0, 0)
    usable = False
    for raw_s, t, values in islice(recording.decoded(), FIX_ROWS):
        usable = usable or any(value is not None for value in values)
        lat, lon = values[lat_at], values[lon_at]
        if has_position and lat is not None and lon is not None:
            yield FirstFix(raw_s, t, lat, lon)
        elif usable and not has_position:
            return
    if not usable:
        raise RecordingError(
            recording.path,
            "no row has a time and a number",
            line=recording.table.first_line,
            hint="the rows are of another format than their names; export the file again",
        )


def with_start(
    info: RecordingInfo, start_utc_s: float | None, start_raw_s: float | None = None
) -> RecordingInfo:
    """Add the unix time of t = 0, or if unknown the time of day. `start_raw_s`: a time-of-day clock
    at t = 0."""
    if start_utc_s is None and start_raw_s is not None:
        return msgspec.structs.replace(info, time_of_day_s=round(start_raw_s % DAY_S, 3))
    return msgspec.structs.replace(info, start_utc_s=start_utc_s)


def with_local_start(info: RecordingInfo, about: str) -> RecordingInfo:
    """Add the start of a clock of unknown zone: its day, if any, and time of day."""
    begun = date_and_time(about)
    if begun is None:
        return with_start(info, None, time_of_day(about))
    return msgspec.structs.replace(info, start_utc_s=begun[0], time_of_day_s=begun[0] % DAY_S)

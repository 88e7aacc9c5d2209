"""Logs of engine control units: the car's signals, seldom its place.

Text with a row of names, as by TunerStudio (.msl), ECUMaster, Link, MaxxECU, RomRaider and others:
a time in one column, perhaps a row of units. Haltech's (`%DataLog%`) lists its channels above the
rows, each with a type that scales its whole numbers. TunerStudio's binary .mlg has records of
fields that its header describes, value = (raw + transform) * scale, each with a checksum.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from pitwall.telemetry.findings import Finding, FindingLog
from pitwall.telemetry.recordings.base import BUDGET, RecordingError
from pitwall.telemetry.recordings.columns import (
    MAX_COLUMNS,
    RECEIVER_RULES,
    Heading,
    MappedColumn,
    Rule,
    heading,
    info_of,
    is_known,
    map_columns,
    slug,
)
from pitwall.telemetry.recordings.rows import (
    LOOK_LINES,
    Cells,
    RowRecording,
    RowTable,
    delimiter_of,
    number,
    splitter,
    with_local_start,
    with_start,
)
from pitwall.telemetry.recordings.text import encoding_of, head_lines, numbered_lines, open_bytes, reading
from pitwall.telemetry.recordings.timeline import Timeline, date_and_time, is_unix
from pitwall.telemetry.sample import Sample

MAX_PREAMBLE_LINES = 60
_TIME = re.compile(r"(log_?|run_?|elapsed_?)?(time|timestamp|offset|seconds)(_(s|sec|secs|seconds|ms|msec))?")
_TIMED = re.compile(r"time|offset|seconds", re.IGNORECASE)  # cheap, before each cell is looked at
_SAE = re.compile(r" \(SAE\)$")  # HP Tuners says so of a channel by the standard, where others have the unit
ROMRAIDER_TIME = "Time (msec)"
_MS = re.compile(r"m(illi)?s(ec(ond)?s?)?", re.IGNORECASE)
RULES = (
    *RECEIVER_RULES,
    Rule(r"vss\d?|speed|vehicle_speed_\w+|(front|rear)_wheel_speed", "wheel_speed_mps", 3),
)
UNREADABLE = "export it again as CSV"

HALTECH, HALTECH_LINES = "%DataLog%", 20_000
# A type's unit and the scale of its whole numbers (pressures are absolute, shown as gauge).
_HALTECH_TYPES = {
    "EngineSpeed": ("rpm", 1.0, 0.0),
    "Pressure": ("kPa", 0.1, -101.3),
    "AbsPressure": ("kPa", 0.1, 0.0),
    "Temperature": ("K", 0.1, 0.0),
    "Speed": ("km/h", 0.1, 0.0),
    "Percentage": ("%", 0.1, 0.0),
    "Angle": ("deg", 0.1, 0.0),
}
_CLOCK = re.compile(r"\d{1,2}:\d\d:\d\d\b")
_NO_READING = "-21474836"


class _Header(NamedTuple):
    """The row of names: the first line of data, how lines are split, the columns, and the time
    column."""

    first_line: int
    delimiter: str
    headings: list[Heading]
    time_at: int
    scale_s: float
    began: str = ""


def sniff(head: bytes) -> bool:
    """Accept Haltech's mark, or a row of names with a time and a car's signal, and soon a row with
    a time."""
    lines = head_lines(head)
    if lines[0].startswith(HALTECH):
        return True
    for number_, line in enumerate(lines[:MAX_PREAMBLE_LINES]):
        if (found := _names(line)) is not None:
            delimiter, _, at = found
            below = (splitter(delimiter)(each) for each in lines[number_ + 1 : number_ + 5])
            return any(len(cells) > at + 1 and _is_time(cells[at]) for cells in below)
    return False


def _names(line: str) -> tuple[str, list[Heading], int] | None:
    """The delimiter, the columns and the time's place, where the line is a row of names."""
    delimiter = delimiter_of(line)
    if line.count(delimiter) < 2 or _TIMED.search(line) is None:
        return None
    cells = [_SAE.sub("", cell) for cell in splitter(delimiter)(line.lstrip("\ufeff"))]
    headings = [heading(i, cell) for i, cell in enumerate(cells[:MAX_COLUMNS])]
    timed = [each.cell for each in headings if _TIME.fullmatch(slug(each.name))]
    if not timed or any(number(cell) is not None for cell in cells):
        return None
    # RomRaider's row is known by itself: what it logs is chosen among hundreds.
    known = cells[0].strip() == ROMRAIDER_TIME or any(
        column.channel.canonical for column in map_columns(headings, RULES)
    )
    return (delimiter, headings, timed[0]) if known else None


class EcuCsvRecording(RowRecording):
    """A log in text."""

    def __init__(self, path: Path, head: bytes) -> None:
        encoding = encoding_of(head)
        is_haltech = head_lines(head)[0].startswith(HALTECH)
        found, types = _haltech_header(path, encoding) if is_haltech else (_header(path, encoding), {})
        remark, at = "Log" if is_haltech else "MARK", found.time_at
        table = RowTable(
            path, encoding, found.first_line, found.delimiter, len(found.headings), comment=remark
        )
        columns = table.columns([each for each in found.headings if each.cell != at], RULES)
        if not any(column.channel.canonical for column in columns):
            what = f"is an ECU's log, and none of its {len(columns)} signals is one that Pitwall knows"
            hint = "log engine speed, throttle, gear or vehicle speed too"
            raise RecordingError(path, what, hint=hint, recognised=True)
        scaled = tuple(_scaled(each, *types.get(each.cell, (1.0, 0.0))) for each in columns)
        super().__init__(
            table, "haltech" if is_haltech else "ecu-csv", "ecu", scaled,
            lambda row: _seconds(row[at]) * found.scale_s, prepare=_blank if types else None,
        )  # fmt: skip
        start_s = self.start_raw_s()
        if is_unix(start_s):
            self.info = with_start(self.info, round(start_s, 3))
        elif found.began:
            clock = table.rows[0][at] if is_haltech else ""
            self.info = with_local_start(self.info, f"{found.began} {clock}")


def _header(path: Path, encoding: str) -> _Header:
    began = ""
    found: tuple[str, list[Heading], int] | None = None
    for count, line in numbered_lines(path, encoding):
        if line is None or count > MAX_PREAMBLE_LINES:
            break
        if found is None:
            found = _names(line)
            began = began or (line if date_and_time(line) is not None and found is None else "")
        elif line.strip():
            delimiter, headings, at = found
            below = splitter(delimiter)(line)
            is_units = len(below) == len(headings) and number(below[at]) is None and ":" not in below[at]
            if is_units:
                headings = [
                    each._replace(unit=unit) if not each.unit and is_known(unit) else each
                    for each, unit in zip(headings, below, strict=True)
                ]
            time_unit = (
                headings[at].unit
                or (below[at] if is_units else "")
                or slug(headings[at].name).rpartition("_")[2]
            )
            scale_s = 0.001 if _MS.fullmatch(time_unit.strip()) else 1.0
            return _Header(count + 1 if is_units else count, delimiter, headings, at, scale_s, began)
    raise RecordingError(path, "has a row of names and no rows below it", hint=UNREADABLE)


def _haltech_header(path: Path, encoding: str) -> tuple[_Header, dict[int, tuple[float, float]]]:
    """The columns, and what turns each one's whole numbers into its unit."""
    headings, types, began = [Heading(0, "time")], {0: (1.0, 0.0)}, ""
    for count, line in numbered_lines(path, encoding):
        if line is None or count > HALTECH_LINES or len(headings) > MAX_COLUMNS:
            break
        key, _, value = (part.strip() for part in line.partition(" : "))
        if key == "Channel":
            headings.append(Heading(len(headings), value))
        elif key == "Type" and value in _HALTECH_TYPES:
            unit, scale, offset = _HALTECH_TYPES[value]
            headings[-1] = headings[-1]._replace(unit=unit)
            types[headings[-1].cell] = (scale, offset)
        elif key == "Log" and len(value) >= 8:
            began = f"{value[:4]}-{value[4:6]}-{value[6:8]}"
        elif _CLOCK.match(line) and len(headings) > 1:
            return _Header(count, ",", headings, 0, 1.0, began), types
    raise RecordingError(path, "lists channels and has no rows", hint="export it from NSP again")


def _is_time(cell: str) -> bool:
    try:
        _seconds(cell)
    except ValueError:
        return False
    return True


def _scaled(column: MappedColumn, scale: float, offset: float) -> MappedColumn:
    """The column of a file whose own numbers are (value - offset) / scale."""
    return column._replace(scale=column.scale * scale, offset=column.scale * offset + column.offset)


def _blank(cells: Cells) -> None:
    for at, cell in enumerate(cells):
        if cell.startswith(_NO_READING):
            cells[at] = ""


def _seconds(cell: str) -> float:
    """`12.34`, `14:15:46.020` or `01:23.4` in seconds. ValueError."""
    found = 0.0
    for part in cell.replace(",", ".").split(":"):
        found = found * 60.0 + float(part)
    return found


MLG = b"MLVLG\0"
# type, name, unit, style, scale, transform: how a field's description, as long as its version says,
# begins.
_FIELD = struct.Struct(">b34s10sbff")
_FIELD_BYTES = {1: 55, 2: 89}
_CODES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "q", 7: "f", 10: "B", 11: "H", 12: "I"}
_BITS = 10
MARKER_BYTES, MLG_HEAD_BYTES = 50, 1 << 20


class MlgRecording:
    """TunerStudio's .mlg as a `Recording` with one stream."""

    def __init__(self, path: Path, head: bytes) -> None:
        self.path, self._log = path, FindingLog()
        with open_bytes(path) as file:
            head = file.read(MLG_HEAD_BYTES)
        version = struct.unpack_from(">h", head, 6)[0] if len(head) > 30 else 0
        if version not in _FIELD_BYTES:
            raise RecordingError(path, f"is MLG of version {version}, 1 and 2 are read", hint=UNREADABLE)
        at = 16 if version == 2 else 14
        begun_s = struct.unpack_from(">i", head, 8)[0]
        self._data_at, record_bytes, count = struct.unpack_from(">IHH", head, at)
        fields = [
            _FIELD.unpack_from(head, place)
            for place in range(at + 8, at + 8 + count * _FIELD_BYTES[version], _FIELD_BYTES[version])
            if place + _FIELD_BYTES[version] <= len(head)
        ]
        # A kind that is unknown is a byte of flags, as the length of a record shows.
        self._record = struct.Struct(">" + "".join(_CODES.get(kind, "B") for kind, *_ in fields))
        if len(fields) < count or self._record.size != record_bytes:
            hint = "copy the log again, or " + UNREADABLE
            raise RecordingError(path, "has a damaged list of fields", hint=hint)
        names = [(_plain(name), _plain(unit)) for _, name, unit, *_ in fields]
        kept = [i for i, (kind, *_) in enumerate(fields) if kind < _BITS]
        timed = [i for i in kept if _TIME.fullmatch(slug(names[i][0]))]
        if not timed:
            raise RecordingError(path, "has no field of its time", hint=UNREADABLE)
        self._time = (timed[0], *fields[timed[0]][4:6], 0.001 if _MS.fullmatch(names[timed[0]][1]) else 1.0)
        columns = map_columns([Heading(i, *names[i]) for i in kept if i != timed[0]], RULES)
        self._columns = [
            _scaled(each, fields[each.cell][4], fields[each.cell][4] * fields[each.cell][5])
            for each in columns
        ]
        begun = float(begun_s) if is_unix(begun_s) else None
        self.info = with_start(info_of("mlg", path, [("ecu", columns)]), begun)
        if next(self.samples(), None) is None:
            raise RecordingError(path, "holds no records", hint="the logger may not have closed it")

    def samples(self) -> Iterator[Sample]:
        """Yield one sample a record, `t` never running backwards."""
        log = self._log = FindingLog()
        timeline = Timeline(log)
        time_at, scale, transform, scale_s = self._time
        for count, raw in enumerate(self._records(log)):
            if count % LOOK_LINES == 0:
                BUDGET.refuse_barren(self.path, log, timeline)
            raw_s = (raw[time_at] + transform) * scale * scale_s
            t = timeline.advance(raw_s) if isfinite(raw_s) else None
            if t is not None:
                values = (raw[each.cell] * each.scale + each.offset for each in self._columns)
                yield Sample(0, t, tuple([value if isfinite(value) else None for value in values]))

    def findings(self) -> list[Finding]:
        """Return the last pass's findings."""
        return self._log.findings()

    def _records(self, log: FindingLog) -> Iterator[tuple[float, ...]]:
        long = self._record.size + 1
        with reading(self.path) as file:
            file.read(self._data_at)
            while len(head := file.read(4)) == 4:
                if head[0] == 1:
                    file.read(MARKER_BYTES)
                    continue
                body = file.read(long)
                if head[0] != 0 or len(body) < long:
                    log.add("malformed_row", "", None, "the log breaks off or is damaged")
                    return
                if sum(body[:-1]) & 0xFF != body[-1]:
                    log.add("bad_checksum", "", None, "a record whose sum is wrong, left out")
                    if log.count("bad_checksum") > BUDGET.unread:
                        raise RecordingError(self.path, "has too many damaged records", hint=UNREADABLE)
                    continue
                yield self._record.unpack_from(body)


def _plain(raw: bytes) -> str:
    return raw.partition(b"\0")[0].decode("latin-1").strip()


def sniff_mlg(head: bytes) -> bool:
    """Accept TunerStudio's mark."""
    return head.startswith(MLG)

"""Logs of engine control units that are no text with a row of names (those: dialects.py).

Haltech's (`%DataLog%`) lists its channels above the rows. TunerStudio's binary .mlg has records of
fields that its header describes, value = (raw + transform) * scale, each with a checksum.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from math import isfinite
from pathlib import Path

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.base import BUDGET, RecordingError, TimedRecording
from pitwall.telemetry.recordings.cells import TIMES, sixties_s, unit_s
from pitwall.telemetry.recordings.columns import (
    MAX_COLUMNS,
    Heading,
    MappedColumn,
    info_of,
    map_columns,
    slug,
)
from pitwall.telemetry.recordings.rows import (
    Cells,
    RowRecording,
    RowTable,
    with_local_start,
    with_start,
)
from pitwall.telemetry.recordings.text import encoding_of, head_lines, numbered_lines, open_bytes, reading
from pitwall.telemetry.recordings.timeline import Timeline, is_unix

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


class HaltechRecording(RowRecording):
    """A log in Haltech's text: channels listed above the rows, each with a type that scales it."""

    def __init__(self, path: Path, head: bytes) -> None:
        encoding = encoding_of(head)
        first_line, headings, types, began = _listed(path, encoding)
        table = RowTable(path, encoding, first_line, ",", len(headings), comment="Log")
        columns = [
            _scaled(each, *types.get(each.cell, (1.0, 0.0))) for each in table.columns(headings[1:], "ecu")
        ]
        super().__init__(
            table, "haltech", "ecu", tuple(columns), lambda row: sixties_s(row[0]),
            prepare=_blank if types else None,
        )  # fmt: skip
        if began:
            self.info = with_local_start(self.info, f"{began} {table.rows[0][0]}")


def sniff(head: bytes) -> bool:
    """Accept Haltech's mark."""
    return head_lines(head)[0].startswith(HALTECH)


def _listed(path: Path, encoding: str) -> tuple[int, list[Heading], dict[int, tuple[float, float]], str]:
    """The first line of data, the columns, what turns each one's whole numbers into its unit, and
    the day."""
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
            return count, headings, types, began
    raise RecordingError(path, "lists channels and has no rows", hint="export it from NSP again")


def _scaled(column: MappedColumn, scale: float, offset: float) -> MappedColumn:
    """The column of a file whose own numbers are (value - offset) / scale."""
    return column._replace(scale=column.scale * scale, offset=column.scale * offset + column.offset)


def _blank(cells: Cells) -> None:
    for at, cell in enumerate(cells):
        if cell.startswith(_NO_READING):
            cells[at] = ""


MLG = b"MLVLG\0"
# type, name, unit, style, scale, transform: how a field's description, as long as its version says,
# begins.
_FIELD = struct.Struct(">b34s10sbff")
_FIELD_BYTES = {1: 55, 2: 89}
_CODES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "q", 7: "f", 10: "B", 11: "H", 12: "I"}
_BITS = 10
MARKER_BYTES, MLG_HEAD_BYTES = 50, 1 << 20


class MlgRecording(TimedRecording):
    """TunerStudio's .mlg as a `Recording` with one stream."""

    def __init__(self, path: Path, head: bytes) -> None:
        super().__init__(path)
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
        timed = [i for i in kept if TIMES.fullmatch(slug(names[i][0]))]
        if not timed:
            raise RecordingError(path, "has no field of its time", hint=UNREADABLE)
        self._time = (timed[0], *fields[timed[0]][4:6], unit_s(Heading(0, *names[timed[0]])))
        columns = map_columns([Heading(i, *names[i]) for i in kept if i != timed[0]], "ecu")
        self._columns = [
            _scaled(each, fields[each.cell][4], fields[each.cell][4] * fields[each.cell][5])
            for each in columns
        ]
        begun = float(begun_s) if is_unix(begun_s) else None
        self.info = with_start(info_of("mlg", path, [("ecu", columns)]), begun)
        if next(self.samples(), None) is None:
            raise RecordingError(path, "holds no records", hint="the logger may not have closed it")

    def _timed(
        self, log: FindingLog, timeline: Timeline
    ) -> Iterator[tuple[float, int, tuple[float | None, ...]]]:
        time_at, scale, transform, scale_s = self._time
        for raw in self._records(log):
            values = (raw[each.cell] * each.scale + each.offset for each in self._columns)
            raw_s = (raw[time_at] + transform) * scale * scale_s
            yield raw_s, 0, tuple([value if isfinite(value) else None for value in values])

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

"""Haltech's text log (`%DataLog%`): typed channels, listed above the rows."""

from __future__ import annotations

import re
from pathlib import Path

from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.cells import sixties_s
from pitwall.telemetry.recordings.columns import (
    MAX_COLUMNS,
    Heading,
    MappedColumn,
)
from pitwall.telemetry.recordings.rows import (
    Cells,
    RowRecording,
    RowTable,
    with_local_start,
)
from pitwall.telemetry.recordings.text import encoding_of, head_lines, numbered_lines

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

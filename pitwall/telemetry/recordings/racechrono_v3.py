"""RaceChrono's CSV: version 3 (a preamble, then rows of names, units and sources), and the older
version 2.

Names repeat; the source row tells them apart: GPS before calculated before a bus for speed and
heading; a bus's `speed` is the car's own. `timestamp` is unix seconds with duplicates, at all
sensors' moments. Signs, measured against GPS: `lateral_acc` is positive to the left,
`longitudinal_acc` when accelerating (and `lean_angle` negative to the left).
"""

from __future__ import annotations

import csv
from pathlib import Path

from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.columns import RECEIVER_RULES, Heading, Rule, heading, name_and_unit, slug
from pitwall.telemetry.recordings.rows import (
    RowRecording,
    RowTable,
    delimiter_of,
    number,
    splitter,
    with_start,
)
from pitwall.telemetry.recordings.text import encoding_of, head_lines, label, numbered_lines
from pitwall.telemetry.recordings.timeline import is_unix

# The preamble has about ten lines; notes may run over several.
MAX_PREAMBLE_LINES = 200

RULES: tuple[Rule, ...] = (
    Rule(r"speed|gps_speed|speed_gps", "speed_mps", source="gps"),
    Rule(r"speed", "speed_mps", 1),
    *RECEIVER_RULES,
    Rule(r"lateral_acc(eleration)?", "g_lat"),
    Rule(r"longitudinal_acc(eleration)?", "g_long"),
    Rule(r"yaw_rate|rate_of_turn", "yaw_rate_dps"),
)
_TIME = ("timestamp", "unix_time", "time")
_OWN_SOURCES = ("gps", "calc", "")


def sniff(head: bytes) -> bool:
    """Accept the first line names the program, or the preamble and header are its own."""
    lines = head_lines(head)
    if "created using racechrono" in lines[0].lower():
        return True
    return any(
        line.lower().lstrip('"').startswith("timestamp,fragment_id") for line in lines[:MAX_PREAMBLE_LINES]
    )


class RaceChronoRecording(RowRecording):
    """A RaceChrono CSV of version 2 or 3."""

    def __init__(self, path: Path, head: bytes) -> None:
        encoding = encoding_of(head)
        preamble, names_line, header, delimiter = _read_header(path, encoding)
        names, units, sources, extra = _header_rows(path, encoding, names_line, header, delimiter)
        first_line = names_line + 1 + extra
        table = RowTable(path, encoding, first_line, delimiter, len(names), names_line=names_line)
        # `100: gps` is the device number and its kind.
        kinds = [source.rpartition(":")[2].strip().lower() for source in sources]
        headings = [heading(i, *each) for i, each in enumerate(zip(names, units, kinds, strict=True))]
        time_at = next(i for name in _TIME for i, n in enumerate(names) if _slug(n) == name)
        columns = table.columns(headings, _rules(headings), time_at=time_at)
        super().__init__(
            table, "racechrono", "racechrono", columns, lambda row: float(row[time_at]),
            about={
                "venue": preamble.get("track name", ""), "driver": preamble.get("driver name", ""),
                "vehicle": preamble.get("vehicle name", preamble.get("vehicle", "")),
            },
        )  # fmt: skip
        start = self.start_raw_s()
        self.info = with_start(self.info, start if is_unix(start) else None)


def _slug(name: str) -> str:
    return slug(name_and_unit(name)[0])


def _rules(headings: list[Heading]) -> tuple[Rule, ...]:
    """RULES, and before them that the speed of any bus is the car's own."""
    buses = sorted({heading.source for heading in headings} - set(_OWN_SOURCES))
    return (*(Rule("speed", "wheel_speed_mps", source=bus) for bus in buses), *RULES)


def _read_header(path: Path, encoding: str) -> tuple[dict[str, str], int, list[str], str]:
    preamble: dict[str, str] = {}
    for line_number, line in numbered_lines(path, encoding):
        if line_number > MAX_PREAMBLE_LINES:
            break
        delimiter = delimiter_of(line or "")
        cells = splitter(delimiter)(line or "")
        slugs = {_slug(cell) for cell in cells}
        if "latitude" in slugs and slugs & set(_TIME):
            return preamble, line_number, cells, delimiter
        if len(cells) >= 2:
            preamble.setdefault(cells[0].strip().lower(), label(cells[1]))
    raise RecordingError(path, "has no row of column names with timestamp and latitude",
                         hint="export the session again as CSV v3")  # fmt: skip


def _header_rows(
    path: Path, encoding: str, names_line: int, names: list[str], delimiter: str
) -> tuple[list[str], list[str], list[str], int]:
    """Names, units and sources, and how many header rows follow the names (0 to 2)."""
    below: list[list[str]] = []
    for line_number, line in numbered_lines(path, encoding):
        if line_number <= names_line:
            continue
        cells = next(csv.reader((line,), delimiter=delimiter), []) if line else []
        if len(below) == 2 or any(number(cell) is not None for cell in cells):
            break
        below.append((cells + [""] * len(names))[: len(names)])
    blank = [""] * len(names)
    units = below[0] if below else blank
    sources = below[1] if len(below) > 1 else blank
    return names, units, sources, len(below)

"""AiM RaceStudio 2 and 3 CSV, and MoTeC's: a preamble of key and values, a row of names, of units,
data.

`Beacon Markers` are lap ends in seconds of the file's own clock. `Date` and `Time` (MoTeC: `Log
Date`, `Log Time`) are local without a zone. `GPS Heading` runs from -180 to 180, and RaceStudio
interpolates straight across south: those rows get no heading. Signs, measured against GPS heading:
`GPS LatAcc` and `GPS Gyro` are positive to the RIGHT, so negated; `GPS LonAcc` is positive when
accelerating. The loggers' own `LateralAcc` and `YawRate` are assumed to be the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from math import isfinite
from pathlib import Path

import msgspec

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.base import RecordingError, RecordingInfo
from pitwall.telemetry.recordings.columns import RECEIVER_RULES, Rule, heading, name_and_unit, slug
from pitwall.telemetry.recordings.rows import (
    Cells,
    RowRecording,
    RowTable,
    delimiter_of,
    number,
    splitter,
    with_local_start,
)
from pitwall.telemetry.recordings.text import encoding_of, head_lines, label, numbered_lines
from pitwall.telemetry.recordings.timeline import Timeline

MAX_PREAMBLE_LINES = 200
# A car does not turn so far from one row to the next, not even in a spin (20 Hz: 600 deg/s).
MAX_TURN_DEG = 30.0
# Where a line across ±180 can begin: a receiver's own step is 1/10 s at most.
NEAR_SOUTH_DEG = 135.0
# Half a second at 100 Hz: then it is no straight line but the truth.
MAX_BLANKS = 50

_ABOUT = {"venue": ("venue", "track", "session"), "driver": ("racer", "driver"), "vehicle": ("vehicle",)}
RULES: tuple[Rule, ...] = (
    *RECEIVER_RULES,
    Rule(r"gps_lat_?acc", "g_lat", factor=-1.0),
    Rule(r"gps_lon_?acc", "g_long"),
    Rule(r"lateral_?acc|acc_?lateral|lat_?acc", "g_lat", 1, -1.0),
    Rule(r"inline_?acc|acc_?inline|long?_?acc", "g_long", 1),
    Rule(r"gps_gyro", "yaw_rate_dps", factor=-1.0),
    Rule(r"yaw_?rate|gyro", "yaw_rate_dps", 1, -1.0),
    Rule(r"speed", "wheel_speed_mps", 1),
)


def sniff(head: bytes) -> bool:
    """Accept a first line `Format,AIM CSV File`, with or without quotes, or MoTeC's."""
    line = next((line for line in head_lines(head) if line.strip()), "").lstrip("\ufeff").replace('"', "")
    about = line.lower().replace(";", ",").replace("\t", ",")
    return about.startswith(("format,aim csv file", "format,motec csv file"))


class RaceStudioRecording(RowRecording):
    """An AiM RaceStudio CSV."""

    def __init__(self, path: Path, head: bytes) -> None:
        encoding = encoding_of(head)
        preamble, names_line, names, delimiter = _read_header(path, encoding)
        units, first_line = _units(path, encoding, names_line, names, delimiter)
        table = RowTable(path, encoding, first_line, delimiter, len(names), names_line=names_line)
        headings = [heading(i, n, u.strip()) for i, (n, u) in enumerate(zip(names, units, strict=True))]
        columns = table.columns(headings, RULES, time_at=0)
        self._heading_at = next((c.cell for c in columns if c.channel.name == "heading_deg"), None)
        super().__init__(
            table, "racestudio", "aim", columns, lambda row: float(row[0]),
            about={field: _first(preamble, *keys) for field, keys in _ABOUT.items()},
        )  # fmt: skip
        when = f"{_named(preamble, 'date', 'log date')} {_named(preamble, 'time', 'log time')}"
        self.info = with_local_start(self.info, when)
        self.info = _with_marks(self.info, preamble.get("beacon markers", []), self.start_raw_s())

    def rows(self, log: FindingLog, timeline: Timeline) -> Iterator[tuple[int, Cells]]:
        """Yield the data rows, without the headings that RaceStudio made up between 180 and -180."""
        at = self._heading_at
        last_deg, blanks = 0.0, 0
        for line_number, cells in super().rows(log, timeline):
            heading_deg = None if at is None else number(cells[at])
            if heading_deg is not None and at is not None:
                turn_deg = abs((heading_deg - last_deg + 180.0) % 360.0 - 180.0)
                if abs(last_deg) > NEAR_SOUTH_DEG and turn_deg > MAX_TURN_DEG and blanks < MAX_BLANKS:
                    cells[at] = ""
                    blanks += 1
                    log.add("jump", "heading_deg", timeline.t, "drawn straight across ±180°, left out")
                else:
                    last_deg, blanks = heading_deg, 0
            yield line_number, cells


def _first(preamble: dict[str, list[str]], *keys: str) -> str:
    values = (label(preamble[key][0]) for key in keys if preamble.get(key))
    return next((value for value in values if value), "")


def _named(preamble: dict[str, list[str]], *keys: str) -> str:
    """Return the cells of the first filled key of these: a date may hold commas.

    After a blank cell another key begins: i2 writes two on a line.
    """
    cells = (list(takewhile(str.strip, preamble[key])) for key in keys if preamble.get(key))
    values = (" ".join(each).strip() for each in cells)
    return next((value for value in values if value), "")


def _read_header(path: Path, encoding: str) -> tuple[dict[str, list[str]], int, list[str], str]:
    preamble: dict[str, list[str]] = {}
    delimiter = ""
    for line_number, line in numbered_lines(path, encoding):
        if line_number > MAX_PREAMBLE_LINES:
            break
        delimiter = delimiter or delimiter_of(line or "")
        cells = [cell.strip() for cell in splitter(delimiter)(line or "")]
        key = cells[0].lower() if cells else ""
        # `Time` is a key of the preamble too: there its value is a time of day.
        if (
            slug(name_and_unit(key)[0]) == "time"
            and any(cells[1:])
            and not re.match(r"\d{1,2}[:.]\d\d", cells[1])
        ):
            return preamble, line_number, cells, delimiter
        if key:
            preamble.setdefault(key, cells[1:])
    raise RecordingError(path, "has no row of channel names that begins with Time",
                         hint="export it again with the time as first column")  # fmt: skip


def _units(
    path: Path, encoding: str, names_line: int, names: list[str], delimiter: str
) -> tuple[list[str], int]:
    """Return the row of units, which some exports write twice, and the first data line's number."""
    units, width = list[str](), len(names)
    for line_number, line in numbered_lines(path, encoding):
        if line_number <= names_line or not (line or "").strip(f' "{delimiter}'):
            continue
        cells = splitter(delimiter)(line or "")
        if [cell.strip() for cell in cells] == names:
            continue
        if number(cells[0]) is None and not units:
            units = (cells + [""] * width)[:width]
            continue
        return units or [""] * width, line_number
    raise RecordingError(
        path, "has a header but no rows", line=names_line, hint="the logger recorded nothing"
    )


def _with_marks(info: RecordingInfo, marks: list[str], zero_s: float) -> RecordingInfo:
    """Beacons in session seconds, in order."""
    each = [part for cell in marks for part in re.split(r"[,;]?\s+", cell)]  # some write all into one cell
    times = [value - zero_s for value in map(number, each) if value is not None and isfinite(value)]
    return msgspec.structs.replace(info, lap_marks_t=tuple(sorted(round(t, 6) for t in times if t >= 0.0)))

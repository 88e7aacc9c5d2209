"""VBOX CSV: what Racelogic's Circuit Tools and VBOX Tools export; names with units in one header
row.

Positions are `38°9.608862 N` (degrees and minutes); degrees, or minutes of arc with west positive,
are read too. Signs, measured against GPS: `Lateral acceleration` is positive to the left and
`Longitudinal acceleration` when accelerating. `Indicated Lateral` (the car's own sensor, by CAN) is
positive to the right, so negated; it and `Indicated Longitudinal` are second choice: they lag and
are off by a quarter of a g.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.columns import (
    PLAIN_SPEED,
    RECEIVER_RULES,
    Heading,
    MappedColumn,
    Rule,
    name_and_unit,
    slug,
)
from pitwall.telemetry.recordings.rows import (
    Cells,
    RowRecording,
    RowTable,
    delimiter_of,
    splitter,
    with_start,
)
from pitwall.telemetry.recordings.text import encoding_of, head_lines, numbered_lines
from pitwall.telemetry.recordings.timeline import seconds_of_day
from pitwall.telemetry.session_clock import DAY_S

RULES: tuple[Rule, ...] = (
    *RECEIVER_RULES,
    PLAIN_SPEED,
    Rule(r"(gps_)?lat(eral)?_?acc(el(eration)?)?", "g_lat"),
    Rule(r"(gps_)?long?(itudinal)?_?acc(el(eration)?)?", "g_long"),
    Rule(r"indicated_lat(eral)?_acc(el(eration)?)?", "g_lat", 2, -1.0),
    Rule(r"indicated_long(itudinal)?_acc(el(eration)?)?", "g_long", 2),
    Rule(r"yaw_?rate", "yaw_rate_dps"),
)
_TIMES = (r"utc_?time|time_of_day|utc", r"time|elapsed_time|elapsed|time_from_start")
# Degrees, minutes, seconds and a letter, whatever stands between them.
_ANGLE = re.compile(
    r"\s*([+-]?\d+(?:\.\d*)?)(?:[^\d.A-Za-z+-]+(\d+(?:\.\d*)?))?(?:[^\d.A-Za-z+-]+(\d+(?:\.\d*)?))?"
    r"[^\dA-Za-z.]*([NSEWnsew]?)\s*"
)
# Columns of VBOX's own programs, and a position as they write it.
_OWN = {"avi_sync_time", "sampleperiod", "vertical_velocity", "utc_time"}
_LETTERED = re.compile(r"\d[^\w,;]*[NSEWnsew]\s*([,;\t]|$)")
_LETTERS = frozenset({" N", " E", " S", " W"})
# VBOX files count satellites and flags in one number where they have no column for the flags.
SATS_MASK = 0x3F


def sniff(head: bytes) -> bool:
    """Accept a header row with a time and a position, and either a VBOX-only column or N and E in
    cells."""
    lines = [line for line in head_lines(head) if line.strip()][:20]
    line = lines[0].lstrip("\ufeff") if lines else ""
    names = {slug(name_and_unit(cell)[0]) for cell in splitter(delimiter_of(line))(line)}
    placed = {"latitude", "lat"} & names and {"longitude", "long", "lon"} & names
    own = _OWN & names or any(_LETTERED.search(row) for row in lines[1:])
    return bool(placed) and bool(own) and _timed(names)


def _timed(names: set[str]) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in _TIMES for name in names)


class VboxCsvRecording(RowRecording):
    """A VBOX CSV file."""

    def __init__(self, path: Path, head: bytes) -> None:
        encoding = encoding_of(head)
        header_line, line = _header(path, encoding)
        delimiter = delimiter_of(line)
        names = splitter(delimiter)(line.lstrip("\ufeff"))
        table = RowTable(path, encoding, header_line + 1, delimiter, len(names))
        whole = [row for row in table.rows if len(row) == table.cells]
        headings = [Heading(i, *name_and_unit(name)) for i, name in enumerate(names[: table.cells])]
        time_at, clock, wrap_s = _clock(path, headings, whole, header_line)
        mapped = table.mapped([each for each in headings if each.cell != time_at], RULES)
        prepare = _position_reader(path, mapped, whole)
        for row in whole:
            prepare(row)
        columns, masks = table.numbers(mapped), {"satellites": SATS_MASK}
        super().__init__(table, "vbox-csv", "vbox", columns, clock, wrap_s, prepare=prepare, masks=masks)
        if wrap_s is not None:
            self.info = with_start(self.info, None, self.start_raw_s())


def _header(path: Path, encoding: str) -> tuple[int, str]:
    for number, line in numbered_lines(path, encoding):
        if line is None:
            break
        if line.strip():
            return number, line
    raise RecordingError(path, "has a header row without an end", line=1, hint="it is damaged; export again")


def _clock(
    path: Path, headings: list[Heading], rows: list[Cells], line: int
) -> tuple[int, Callable[[Cells], float], float | None]:
    """The column that gives the time: UTC of day before seconds from the start."""
    found = [
        (pattern, heading)
        for pattern in _TIMES
        for heading in headings
        if re.fullmatch(pattern, slug(heading.name))
    ]
    if found:
        pattern, heading = found[0]
        at = heading.cell
        if pattern == _TIMES[0] or any(":" in row[at] for row in rows):
            return at, lambda row: seconds_of_day(row[at]), DAY_S
        scale = 0.001 if heading.unit.strip().lower() == "ms" else 1.0
        return at, lambda row: float(row[at]) * scale, None
    raise RecordingError(
        path, "has no time column", line=line, hint="export it with UTC time or elapsed time"
    )


def _position_reader(
    path: Path, mapped: tuple[MappedColumn, ...], rows: list[Cells]
) -> Callable[[Cells], None]:
    """Turns the two position cells of a row into degrees as text."""
    at = {column.channel.name: column.cell for column in mapped}
    if "lat_deg" not in at or "lon_deg" not in at:
        raise RecordingError(path, "has no latitude and longitude in degrees", hint="export them too")
    lat_at, lon_at = at["lat_deg"], at["lon_deg"]
    plain = [angle(row[lat_at]) for row in rows]
    # Plain numbers beyond 90 are Racelogic's minutes of arc, whose west is positive.
    minutes = any(value is not None and abs(value) > 90.0 for value in plain)
    lat_scale, lon_scale = (1 / 60, -1 / 60) if minutes else (1.0, 1.0)

    def prepare(row: Cells) -> None:
        for cell, scale in ((lat_at, lat_scale), (lon_at, lon_scale)):
            value = angle(row[cell])
            row[cell] = "" if value is None else repr(value * scale)

    return prepare


def angle(cell: str) -> float | None:
    """Read `38°9.608862 N`, `-122.45` or `122°27'12.5" W` as signed degrees, None for neither."""
    degrees, mark, rest = cell.partition("°")
    if mark and rest[-2:] in _LETTERS:
        try:
            value = float(degrees) + float(rest[:-2]) / 60.0
            return -value if rest[-1] in "SW" else value
        except ValueError:
            pass
    match = _ANGLE.fullmatch(cell)
    if match is None:
        return None
    whole, minute, second, letter = match.groups()
    value = abs(float(whole)) + float(minute or 0) / 60.0 + float(second or 0) / 3600.0
    negative = whole.startswith("-") != (letter.upper() in ("S", "W"))
    return -value if negative else value

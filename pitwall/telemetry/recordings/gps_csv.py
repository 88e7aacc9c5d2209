"""CSV files of lap timer apps and GPS loggers: a row of names, after a preamble of any length.

Their differences are rows of `DIALECTS`. RaceBox writes ISO times or seconds, speed in km/h and its
own axes (forward, left, up, as in its VBO). TrackAddict (RaceRender) repeats the last fix between
two and marks new ones in `GPS_Update`; its brake is computed from the speed, so it is no brake. A
.dovex counts unix milliseconds. Alfano's ADA writes 9120 rpm as `9,120`, and headings in 0.01
degrees. Harry's LapTimer has units in the names, the local day and time of day, and 0 for a missing
sensor.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

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
    with_local_start,
    with_start,
)
from pitwall.telemetry.recordings.text import encoding_of, head_lines, label, numbered_lines
from pitwall.telemetry.recordings.timeline import is_unix, seconds_of_day
from pitwall.telemetry.session_clock import DAY_S

# A .dovex keeps room for its lap times: nine hundred blank lines before the names.
MAX_PREAMBLE_LINES = 5_000
COMMENT = "#"
# Units that stand at the end of a name; `*OBD` says where TrackAddict had a channel from.
_UNIT_AT_END = re.compile(r"(?P<name>.+?)_(?P<unit>mph|kmh|kph|m|deg|ft|celsius)", re.IGNORECASE)
_FROM = re.compile(r"\s*\*\w+\s*$")
# Harry's LapTimer writes 17-MAY-18.
_SHORT_DAY = re.compile(r"(\d{1,2})-([A-Za-z]{3})-(\d\d)")
_TIMED = re.compile(r"time|utc", re.IGNORECASE)  # what every dialect's names hold, and few other lines do
_THOUSANDS = re.compile(r"\d{1,2}[.,]\d{3}")
_ABOUT = {"venue": ("track", "course"), "driver": ("driver", "racer"), "vehicle": ("vehicle", "kart")}

PLACE: tuple[Rule, ...] = (*RECEIVER_RULES, PLAIN_SPEED)


def _iso_or_s(cell: str) -> float:
    if ":" not in cell:
        return float(cell)
    return datetime.fromisoformat(cell.replace("Z", "+00:00")).replace(tzinfo=UTC).timestamp()


def _thousands(cell: str) -> str:
    return re.sub(r"[.,]", "", cell) if _THOUSANDS.fullmatch(cell) else cell


class Dialect(NamedTuple):
    """A kind of file. `names`: slugs of its header row; `time`: the clock's slug, read by
    `seconds`.

    `defaults`: unwritten units by canonical name. `fresh`: the column that is 0 in a repeated fix.
    `rewrite`: cells, by slug, that are not plain numbers. `day`: the column of the local day, if
    the clock is the local time of day. `unit`: what the clock's column must be in.
    """

    format: str
    source: str
    names: frozenset[str]
    time: str
    seconds: Callable[[str], float] = float
    rules: tuple[Rule, ...] = PLACE
    defaults: dict[str, str] = {}  # noqa: RUF012 - never written to
    fresh: str = ""
    rewrite: dict[str, Callable[[str], str]] = {}  # noqa: RUF012 - never written to
    day: str = ""
    unit: str = ""


DIALECTS: tuple[Dialect, ...] = (
    Dialect(
        "racebox-csv", "racebox", frozenset({"record", "time", "latitude", "longitude", "gforcex"}), "time",
        _iso_or_s,
        (*PLACE, Rule("gforcex", "g_long"), Rule("gforcey", "g_lat"), Rule("gyroz", "yaw_rate_dps")),
        {"speed_mps": "km/h"},
    ),
    Dialect(
        "trackaddict", "trackaddict", frozenset({"utc_time", "gps_update", "latitude", "longitude"}),
        "utc_time", fresh="gps_update",
    ),
    Dialect(
        "dovex", "dovex", frozenset({"timestamp", "lat", "lng", "speed"}), "timestamp",
        lambda cell: float(cell) / 1000.0,
    ),
    Dialect(
        "alfano", "alfano", frozenset({"absolute_time", "time_lap", "speed_gps", "lat", "lon"}),
        "absolute_time", rules=(*PLACE, Rule("orientation", "heading_deg", factor=0.01)),
        defaults={"speed_mps": "km/h"}, rewrite={"rpm": _thousands},
    ),
    Dialect(
        "laptimer", "laptimer", frozenset({"lapindex", "date", "time", "latitude", "linealg"}), "time",
        seconds_of_day,
        (*PLACE, Rule("lapindex", "lap_number"), Rule("throttle", "throttle_pct", factor=100.0),
         Rule("oil", "oil_temp_c")),
        day="date",
    ),
    Dialect(
        "overlay-csv", "overlay", frozenset({"utc", "lat", "lon"}), "utc", lambda cell: float(cell) / 1000.0,
        unit="ms",
    ),
)  # fmt: skip


def app_heading(cell: int, text: str) -> Heading:
    """Return the column of a name as apps write it: its unit in brackets or at its end."""
    name, unit = name_and_unit(_FROM.sub("", text.strip().lstrip("\ufeff")))
    at_end = None if unit else _UNIT_AT_END.fullmatch(name)
    return Heading(cell, at_end["name"], at_end["unit"]) if at_end else Heading(cell, name, unit)


def _names(line: str) -> tuple[str, list[Heading]]:
    delimiter = delimiter_of(line)
    return delimiter, [app_heading(i, cell) for i, cell in enumerate(splitter(delimiter)(line))]


def _dialect(line: str) -> Dialect | None:
    if line.count(",") + line.count(";") + line.count("\t") < 3 or _TIMED.search(line) is None:
        return None
    units = {slug(heading.name): heading.unit for heading in _names(line)[1]}
    return next(
        (each for each in DIALECTS if each.names <= units.keys() and each.unit in ("", units[each.time])),
        None,
    )


def sniff(head: bytes) -> bool:
    """Accept a header row of one of the dialects, or the first line of a .dovex."""
    lines = head_lines(head)
    return (lines[:1] or [""])[0].startswith("datetime,driver,course") or any(map(_dialect, lines[:200]))


class GpsCsvRecording(RowRecording):
    """A CSV of any of the dialects."""

    def __init__(self, path: Path, head: bytes) -> None:
        encoding = encoding_of(head)
        dialect, line_number, line, about = _header(path, encoding)
        delimiter, headings = _names(line)
        table = RowTable(path, encoding, line_number + 1, delimiter, len(headings), comment=COMMENT)
        at = {slug(each.name): each.cell for each in reversed(headings) if each.cell < table.cells}
        if dialect.time not in at or (dialect.day and dialect.day not in at):
            raise RecordingError(path, "has rows without a time", line=line_number, hint="export it again")
        time_at = at[dialect.time]
        headings = [each for each in headings if each.cell != time_at]
        columns = table.columns(headings, dialect.rules, dialect.defaults)
        super().__init__(
            table, dialect.format, dialect.source, columns, lambda row: dialect.seconds(row[time_at]),
            DAY_S if dialect.day else None, prepare=_prepare(dialect, at, columns), about=about,
        )  # fmt: skip
        start_s = self.start_raw_s()
        tod_s = re.search(r"UTC time\s*:\s*(\d\d)(\d\d)(\d\d)", line)
        if dialect.day:
            first = next(row for row in table.rows if len(row) >= table.cells)
            day = _SHORT_DAY.sub(r"\1 \2 20\3", first[at[dialect.day]])
            self.info = with_local_start(self.info, f"{day} {first[time_at]}")
        elif is_unix(start_s):
            self.info = with_start(self.info, round(start_s, 3))
        elif tod_s is not None:
            seconds = int(tod_s[1]) * 3600.0 + int(tod_s[2]) * 60.0 + int(tod_s[3])
            self.info = with_start(self.info, None, seconds)


def _header(path: Path, encoding: str) -> tuple[Dialect, int, str, dict[str, str]]:
    """Return the dialect, the row of names with its number, and the preamble's venue, driver and
    vehicle."""
    about: dict[str, str] = {}
    for number, line in numbered_lines(path, encoding):
        if line is None or number > MAX_PREAMBLE_LINES:
            break
        dialect = _dialect(line)
        if dialect is not None:
            return dialect, number, line, about
        key, _, value = line.partition(",")
        for field, keys in _ABOUT.items():
            if key.strip().lower() in keys and value.strip():
                about[field] = label(value.strip().strip('"'))
    raise RecordingError(path, "has no row of names that we know", hint="export it again, with all channels")


def _prepare(
    dialect: Dialect, at: dict[str, int], columns: tuple[MappedColumn, ...]
) -> Callable[[Cells], None]:
    """Blank the fix of a row that only repeats it, and rewrite what is no plain number."""
    rewrite = [(at[name], change) for name, change in dialect.rewrite.items() if name in at]
    fresh_at = at.get(dialect.fresh)
    of_fix = ("lat_deg", "lon_deg", "altitude_m", "speed_mps", "heading_deg")
    fix = [column.cell for column in columns if column.channel.name in of_fix]

    def prepare(cells: Cells) -> None:
        for cell, change in rewrite:
            cells[cell] = change(cells[cell])
        if fresh_at is not None and cells[fresh_at] == "0":
            for cell in fix:
                cells[cell] = ""

    return prepare

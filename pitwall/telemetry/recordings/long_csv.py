"""CSV with one reading a row: name, value, unit (Car Scanner, TRD's GR Cup)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from math import isfinite, nan
from pathlib import Path

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.base import RecordingError, Timed, TimedRecording
from pitwall.telemetry.recordings.cells import find_time
from pitwall.telemetry.recordings.columns import (
    NO_DEFAULTS,
    Heading,
    MappedColumn,
    info_of,
    map_columns,
    slug,
)
from pitwall.telemetry.recordings.dialects import TRD_UNITS
from pitwall.telemetry.recordings.rows import (
    Cells,
    delimiter_of,
    number,
    splitter,
    with_local_start,
    with_start,
)
from pitwall.telemetry.recordings.text import encoding_of, head_lines, numbered_lines
from pitwall.telemetry.recordings.timeline import Timeline, date_and_time, is_unix
from pitwall.telemetry.session_clock import DAY_S

NAMES = ("pid", "telemetry_name", "signal", "channel", "sensor", "parameter")
VALUES, UNITS, CARS = ("value", "telemetry_value"), ("units", "unit"), ("vehicle_id", "vehicle")
PLACE = ("lat_deg", "lon_deg")
PEEK_ROWS = 2_000
# A name's end that tells its source.
_SOURCE = re.compile(r"\s*\((GPS|OBD|SAE)\)\s*$", re.IGNORECASE)


def sniff(head: bytes) -> bool:
    """Accept a first row with a column of names and one of values."""
    return _places(head_lines(head)[0])[1] != {}


class LongCsvRecording(TimedRecording):
    """A CSV with one reading a row: each name is a stream."""

    several_at_once = True

    def __init__(self, path: Path, head: bytes) -> None:
        super().__init__(path)
        self._encoding = encoding_of(head)
        self._delimiter, at = _places(head_lines(head)[0])
        self._at = at
        rows = list(islice(self._rows(), PEEK_ROWS))
        time = find_time([Heading(cell, name) for name, cell in at.items()], rows)
        if time is None:
            raise RecordingError(path, "no row has a time that can be read", line=1, hint="export it again")
        self._time = time
        cars = {row[at["car"]] for row in rows} if "car" in at else set()
        if len(cars) > 1:
            what = f"holds {len(cars)} cars ({', '.join(sorted(cars)[:4])})"
            raise RecordingError(path, what, hint="keep the rows of one car", recognised=True)
        units = {row[at["name"]]: row[at["unit"]] if "unit" in at else "" for row in reversed(rows)}
        wanted = [
            Heading(i, _SOURCE.sub("", name), unit, "gps" if "gps" in name.lower() else "")
            for i, (name, unit) in enumerate(units.items())
        ]
        columns = map_columns(
            wanted, "apps", TRD_UNITS if at["name"] == at.get("telemetry_name") else NO_DEFAULTS
        )
        # A position is one reading: of two columns, else of two rows of one moment.
        self._places = [at[name] for name in ("latitude", "longitude") if name in at]
        named = {column.channel.name: column for column in columns}
        pair = tuple(named[name] for name in PLACE if name in named)
        self._of: dict[str, tuple[int, MappedColumn]] = dict(zip(units, enumerate(columns, 1), strict=True))
        if len(pair) == 2:
            self._of = {n: (0 if c in pair else i, c) for n, (i, c) in self._of.items()}
        elif len(self._places) == 2:
            pair = map_columns([Heading(i, name) for i, name in enumerate(PLACE)], "apps")
        groups = [("phone", pair), *(("car", () if c in pair else (c,)) for c in columns)]
        self.info = info_of("long-csv", path, groups)
        begun = next((raw_s for raw_s, _ in self._moments(FindingLog())), 0.0)
        if is_unix(begun) and time.utc:
            self.info = with_start(self.info, round(begun, 3))
        elif is_unix(begun):
            self.info = with_local_start(self.info, datetime.fromtimestamp(begun, UTC).isoformat())
        elif (day := date_and_time(path.stem)) is not None and 0.0 <= begun < DAY_S:
            midnight_s = day[0] // DAY_S * DAY_S
            iso = datetime.fromtimestamp(midnight_s + begun, UTC).isoformat()
            self.info = with_local_start(self.info, iso)

    def _timed(self, log: FindingLog, timeline: Timeline) -> Timed:
        placed, half = None, dict[str, float]()
        half_s = nan
        for raw_s, row in self._moments(log):
            place = tuple(number(row[cell]) for cell in self._places)
            if place and None not in place and place != placed:
                placed = place
                yield raw_s, 0, place
            stream, column = self._of.get(row[self._at["name"]], (0, None))
            value = number(row[self._at["value"]])
            if value is None or column is None:
                continue
            if stream:
                yield raw_s, stream, (value * column.scale + column.offset,)
                continue
            half = {**(half if half_s == raw_s else {}), column.channel.name: value}
            half_s = raw_s
            if len(half) == 2:
                yield raw_s, 0, (half["lat_deg"], half["lon_deg"])

    def _rows(self) -> Iterator[Cells]:
        split, width = splitter(self._delimiter), max(self._at.values()) + 1
        for _, line in islice(numbered_lines(self.path, self._encoding), 1, None):
            cells = split(line) if line is not None else []
            if len(cells) >= width:
                yield cells

    def _moments(self, log: FindingLog) -> Iterator[tuple[float, Cells]]:
        for row in self._rows():
            try:
                raw_s = self._time.clock(row)
            except (ValueError, IndexError):
                raw_s = nan
            if isfinite(raw_s):
                yield raw_s, row
            else:
                log.add("malformed_row", "", None, "a row without a time")


def _places(line: str) -> tuple[str | None, dict[str, int]]:
    delimiter = delimiter_of(line)
    slugs = [slug(cell) for cell in splitter(delimiter)(line.lstrip("\ufeff").strip())]
    at = {name: i for i, name in reversed(list(enumerate(slugs)))}
    found = dict(at)
    for ours, names in (("name", NAMES), ("value", VALUES), ("unit", UNITS), ("car", CARS)):
        theirs = next((name for name in names if name in at), None)
        if theirs is not None:
            found[ours] = at[theirs]
    if "longtitude" in found:  # as Car Scanner writes it
        found["longitude"] = found.pop("longtitude")
    return delimiter, found if {"name", "value"} <= found.keys() else {}

"""RaceCapture log: a header of `"name"|"unit"|...` fields, then rows with blanks.

Two dialects. The older has `#` before the header, one number (the rate) after the unit, and a
`Time` in UTC as HHMMSS.SSS on the rows of the GPS only. The newer has min, max and rate, and on
every row `Interval` (milliseconds of the logger's own clock: the time used) and `Utc` (unix
milliseconds, which can step backwards). Signs, measured on a real log against GPS speed and
heading: `AccelX` is lateral, positive to the left; `AccelY` is longitudinal, positive when BRAKING,
so negated; `Yaw` is positive to the right, so negated. Gyros are not calibrated and positions
repeat between fixes: signal quality judges that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.columns import Heading, slug
from pitwall.telemetry.recordings.rows import (
    Cells,
    Decoded,
    RowRecording,
    RowTable,
    number,
    with_start,
)
from pitwall.telemetry.recordings.text import encoding_of, head_lines, numbered_lines
from pitwall.telemetry.recordings.timeline import Timeline, is_unix, seconds_of_day
from pitwall.telemetry.session_clock import DAY_S

# Early firmware writes no unit here.
DEFAULT_UNITS = {"speed_mps": "mph"}
# This many rows wait for the next time, to be spread evenly.
MAX_WAITING = 256
_FIELD = re.compile(r'\s*"([^"]*)"\s*\|\s*"([^"]*)"((?:\s*\|\s*[-+.\dA-Za-z]+)*)\s*')


class _Field(NamedTuple):
    name: str
    unit: str
    rate_hz: float


def sniff(head: bytes) -> bool:
    """Accept a header row of `"name"|"unit"|number`."""
    line = next((line for line in head_lines(head) if line.strip()), "")
    return re.match(r'\ufeff?\s*#?\s*"[^"]*"\s*\|\s*"[^"]*"\s*\|', line) is not None


class RaceCaptureRecording(RowRecording):
    """A RaceCapture log of either dialect."""

    def __init__(self, path: Path, head: bytes) -> None:
        encoding = encoding_of(head)
        line_number, fields = _read_header(path, encoding)
        table = RowTable(path, encoding, line_number + 1, ",", len(fields))
        names = [slug(field.name) for field in fields[: table.cells]]
        interval_at, utc_at, time_at = (_index(names, name) for name in ("interval", "utc", "time"))
        timing = {interval_at, utc_at, time_at}
        headings = [Heading(i, field.name, field.unit) for i, field in enumerate(fields) if i not in timing]
        columns = table.columns(headings, "racecapture", DEFAULT_UNITS)
        whole = [row for row in table.rows if len(row) == table.cells]
        of_day = time_at is not None and all(_is_time_of_day(row[time_at]) for row in whole)
        clock_at = next((at for at in (interval_at, utc_at, time_at) if at is not None), None)
        if clock_at is None:
            raise RecordingError(path, "has neither Interval nor Utc nor Time", line=line_number,
                                 hint="switch one of them on in the logger")  # fmt: skip
        by_tod = clock_at == time_at and of_day
        scale = 0.001 if clock_at != time_at else 1.0

        def clock(row: Cells) -> float:
            return seconds_of_day(row[clock_at]) if by_tod else float(row[clock_at]) * scale

        self._clock_at, self._utc_at = clock_at, utc_at
        self._row_s = 1.0 / max([field.rate_hz for field in fields] + [1.0])
        super().__init__(table, "racecapture", "racecapture", columns, clock, DAY_S if by_tod else None)
        self.info = with_start(self.info, self._start_utc(), self.start_raw_s() if by_tod else None)

    def decoded(self) -> Iterator[Decoded]:
        """Yield the rows; those without a time lie evenly between two that have one."""
        log, timeline, decode = self.begin()
        for raw_s, t, cells in self._timed(log, timeline):
            yield Decoded(raw_s, t, decode(cells, t))

    def _timed(self, log: FindingLog, timeline: Timeline) -> Iterator[tuple[float, float, Cells]]:
        waiting: list[Cells] = []
        t, shift, raw_s, started = 0.0, 0.0, 0.0, False
        for number_, cells in self.rows(log, timeline):
            if not cells[self._clock_at].strip():
                waiting.append(cells)
                if len(waiting) < MAX_WAITING:
                    continue
                if started:
                    for k, early in enumerate(waiting, 1):
                        yield raw_s, round(t + k * self._row_s, 6), early
                    t = round(t + len(waiting) * self._row_s, 6)
                waiting.clear()
                continue
            raw = self._raw(cells)
            found = None if raw is None else timeline.advance(raw)
            if raw is None or found is None:
                if raw is None:
                    log.add("malformed_row", "", t, f"line {number_}: no time in it")
                continue
            if not started:
                # What came before the first time makes room for itself.
                shift, started = len(waiting) * self._row_s, True
                t = -self._row_s
            now = max(t, found + shift)
            for row_t, early in self._spread(t, now, waiting):
                yield raw, row_t, early
            waiting.clear()
            t, raw_s = round(now, 6), raw
            yield raw, t, cells
        for k, early in enumerate(waiting, 1):
            if started:
                yield raw_s, round(t + k * self._row_s, 6), early

    def _spread(self, start_t: float, end_t: float, waiting: list[Cells]) -> Iterator[tuple[float, Cells]]:
        """Spread rows at the header's rate, closer where they would not fit."""
        step = min(self._row_s, (end_t - start_t) / (len(waiting) + 1))
        for k, cells in enumerate(waiting, 1):
            yield round(start_t + k * step, 6), cells

    def _raw(self, cells: Cells) -> float | None:
        try:
            raw_s = self.clock(cells)
        except ValueError:
            return None
        return raw_s if abs(raw_s) < 1.0e11 else None

    def _start_utc(self) -> float | None:
        """Return the start by the first believable Utc."""
        if self._utc_at is None:
            return None
        log = FindingLog()
        timeline = Timeline(log)
        for _, t, cells in self._timed(log, timeline):
            utc_s = (number(cells[self._utc_at]) or 0.0) / 1000.0
            if is_unix(utc_s):
                return round(utc_s - t, 3)
        return None


def _index(names: list[str], name: str) -> int | None:
    return names.index(name) if name in names else None


def _is_time_of_day(cell: str) -> bool:
    if not cell.strip():
        return True
    try:
        seconds_of_day(cell)
    except ValueError:
        return False
    return True


def _read_header(path: Path, encoding: str) -> tuple[int, list[_Field]]:
    for line_number, line in numbered_lines(path, encoding):
        if line is not None and not line.strip():
            continue
        fields, at = [], 0
        text = (line or "").strip().lstrip("\ufeff#").rstrip(",")
        while at < len(text):
            match = _FIELD.match(text, at)
            if match is None or (match.end() < len(text) and text[match.end()] != ","):
                break
            rates = [value for value in map(number, match[3].split("|")) if value is not None]
            fields.append(_Field(match[1], match[2], min(rates[-1], 1000.0) if rates else 1.0))
            at = match.end() + 1
        if at >= len(text) and len(fields) > 1:
            return line_number, fields
        break
    raise RecordingError(
        path, "has a damaged header row", line=1, hint='each field must read "name"|"unit"|rate'
    )

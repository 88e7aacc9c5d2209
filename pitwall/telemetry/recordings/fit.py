"""FIT, as watches, cycle computers and Garmin's cameras write it (extra `formats`).

fitdecode decodes it.
A camera's fixes are `gps_metadata`, several a second; all others are `record`. Positions are
semicircles (degrees = raw * 180 / 2^31). The scale of a developer's field is applied here:
fitdecode does not. Laps count if a person or a place ended them; their times are the clock's.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import accumulate, islice
from math import inf, isfinite, nan
from pathlib import Path
from struct import error as StructError
from typing import Any, NamedTuple

import msgspec

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.base import BUDGET, LOOK_ROWS, RecordingError, TimedRecording
from pitwall.telemetry.recordings.columns import MAX_COLUMNS, Heading, info_of, map_columns
from pitwall.telemetry.recordings.rows import with_start
from pitwall.telemetry.recordings.text import reading
from pitwall.telemetry.recordings.timeline import ACTIVITY_PAUSE_S, Timeline, is_unix

READER, MISSING = "fitdecode", 'pip install "pitwall[formats]"; or export the activity as GPX'
KINDS = ("gps_metadata", "record")  # the first that has positions is read
NO_DRIVE = "only an activity by car, bike or kart has a drive; settings, courses and workouts have none"
LAP_TRIGGERS = ("manual", "position_start", "position_lap", "position_waypoint", "position_marked")
FIT_EPOCH_S, FIT_LEAST, MOST_BYTES = 631_065_600, 0x1000_0000, 32 << 20
_CLOCKS = ("timestamp", "timestamp_ms", "utc_timestamp", "fractional_timestamp", "time256")
# Columns times rows, 80 MB at most; messages between two records (a camera's sensors).
MOST_VALUES, MOST_BETWEEN = 10_000_000, 100_000
# What a damaged file raises, besides fitdecode's errors.
_DAMAGE = (
    ValueError, LookupError, TypeError, AttributeError, OverflowError, StructError, MemoryError,
    AssertionError,
)  # fmt: skip

Key = str | tuple[int, int]


class _Row(NamedTuple):
    """A message with a time: kind, seconds of its clock, (name, unit, value) by field."""

    kind: str
    raw_s: float
    fields: dict[Key, tuple[str, str, float]]
    utc_s: float | None = None


class _Lap(NamedTuple):
    """When it began (unix), how long it took by the clock, and whether a crossing ended it."""

    begun_s: float
    long_s: float
    crossed: bool


def sniff(head: bytes) -> bool:
    """Accept a header of 12 or 14 bytes with FIT's mark."""
    return head[:1] in (b"\x0c", b"\x0e") and head[8:12] == b".FIT"


class FitRecording(TimedRecording):
    """A FIT file, decoded once, a millisecond a row."""

    jump_s = ACTIVITY_PAUSE_S

    def __init__(self, path: Path, head: bytes) -> None:
        if find_spec(READER) is None:
            what = "is FIT, and the package that reads it is not installed"
            raise RecordingError(path, what, hint=MISSING, recognised=True)
        super().__init__(path)
        headings: dict[str, dict[Key, Heading]] = {kind: {} for kind in KINDS}
        rows: dict[str, list[tuple[float, array[float]]]] = {kind: [] for kind in KINDS}
        laps: list[_Lap] = []
        self._sport = ""
        values, timeline = 0, Timeline(self._log, jump_s=ACTIVITY_PAUSE_S)
        # Unix time minus the device's clock: the largest is the nearest.
        self._offset_s = -inf
        for count, row in enumerate(self._rows(laps)):
            known = headings[row.kind]
            for key, (name, unit, _) in row.fields.items():
                if key not in known and len(known) < MAX_COLUMNS:
                    known[key] = Heading(len(known), name, "" if unit == "semicircles" else unit)
            cells = (row.fields[key][2] if key in row.fields else nan for key in known)
            rows[row.kind].append((row.raw_s, array("d", cells)))
            timeline.advance(row.raw_s)
            if row.utc_s is not None:
                self._offset_s = max(self._offset_s, row.utc_s - row.raw_s)
            values += len(known)
            if values > MOST_VALUES:
                raise RecordingError(path, f"holds more than {MOST_VALUES} values", hint="split the activity")
            if count % LOOK_ROWS == 0:
                BUDGET.refuse_barren(path, self._log, timeline)
        kind = next((each for each in KINDS if "position_lat" in headings[each]), KINDS[-1])
        if not headings[kind]:
            raise RecordingError(path, "has no records", hint=NO_DRIVE)
        if self._sport == "swimming":
            raise RecordingError(path, "is a swim, and no drive", hint=NO_DRIVE, recognised=True)
        self._rows_read = rows[kind]
        self._columns = map_columns(list(headings[kind].values()), "fit")
        begun_s, dated_s = self._rows_read[0][0], self._dated()
        info = with_start(info_of("fit", path, [("gps", self._columns)]), dated_s)
        if dated_s is not None and laps and is_unix(laps[0].begun_s):
            begun_s = dated_s
        ends = accumulate((lap.long_s for lap in laps), initial=laps[0].begun_s - begun_s if laps else 0.0)
        marks = [round(end, 3) for end, lap in zip(islice(ends, 1, None), laps, strict=True) if lap.crossed]
        self.info = msgspec.structs.replace(info, lap_marks_t=tuple(each for each in marks if each > 0.0))

    def _dated(self) -> float | None:
        timeline = Timeline(FindingLog(), jump_s=ACTIVITY_PAUSE_S)
        for raw_s, _ in self._rows_read:
            t = timeline.advance(raw_s)
            if t is not None and is_unix(raw_s):
                return raw_s - t
        began_s = self._rows_read[0][0] + self._offset_s
        return round(began_s, 3) if is_unix(began_s) else None

    def _timed(
        self, log: FindingLog, timeline: Timeline
    ) -> Iterator[tuple[float, int, tuple[float | None, ...]]]:
        columns = self._columns
        for raw_s, cells in self._rows_read:
            short = (None,) * (len(columns) - len(cells))  # what only later rows have
            yield raw_s, 0, (*[
                None if value != value else value * column.scale + column.offset
                for value, column in zip(cells, columns, strict=False)
            ], *short)  # fmt: skip

    def _rows(self, laps: list[_Lap]) -> Iterator[_Row]:
        import fitdecode

        described: dict[Key, tuple[str, str, float, float]] = {}
        if self.path.stat().st_size > MOST_BYTES:
            raise RecordingError(
                self.path, f"is larger than {MOST_BYTES >> 20} MB", hint="split the activity"
            )
        try:
            with (
                reading(self.path) as file,
                fitdecode.FitReader(
                    file,
                    processor=None,  # it converts what is not read here, for a third of the time
                    check_crc=fitdecode.CrcCheck.DISABLED,
                    error_handling=fitdecode.ErrorHandling.IGNORE,
                ) as frames,
            ):
                between = 0
                for frame in frames:
                    between += 1
                    if between > MOST_BETWEEN:
                        what = f"has more than {MOST_BETWEEN} messages without a record"
                        raise RecordingError(self.path, what, hint="export the activity alone")
                    if frame.frame_type != fitdecode.FIT_FRAME_DATA:
                        continue
                    if frame.name in KINDS:
                        raw_s = _seconds(frame)
                        if raw_s is not None:
                            between = 0
                            utc_s = _clock(_value(frame, "utc_timestamp"))
                            yield _Row(frame.name, raw_s, _fields(frame, described), utc_s)
                    elif frame.name in ("sport", "session"):
                        self._sport = _value(frame, "sport") or self._sport
                    elif frame.name == "field_description":
                        _describe(frame, described)
                    elif frame.name == "lap" and (lap := _lap(frame)) is not None:
                        laps.append(lap)
        except (fitdecode.FitError, *_DAMAGE) as error:
            self._notes.add(
                "malformed_row", "", None, f"the file breaks off or is damaged: {str(error)[:80]}"
            )


def _value(frame: Any, name: str) -> Any:
    return frame.get_value(name, fallback=None)


def _seconds(frame: Any) -> float | None:
    whole = _clock(_value(frame, "timestamp"))
    parts = (_value(frame, "timestamp_ms"), _value(frame, "fractional_timestamp"))
    ms, fraction = (each if isinstance(each, int | float) else 0.0 for each in parts)
    return None if whole is None else whole + ms / 1000.0 + fraction


def _clock(value: Any) -> float | None:
    """Turn FIT's clock (since 1989-12-31; below FIT_LEAST since power-on) into unix seconds."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value + FIT_EPOCH_S if value >= FIT_LEAST else value)


def _fields(
    frame: Any, described: dict[Key, tuple[str, str, float, float]]
) -> dict[Key, tuple[str, str, float]]:
    found: dict[Key, tuple[str, str, float]] = {}
    for each in frame.fields:
        value = each.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            continue
        if each.field_def is not None and each.field_def.is_dev:
            key = (each.field_def.dev_data_index, each.field_def.def_num)
            if key in described:
                name, unit, scale, offset = described[key]
                found[key] = (name, unit, value / scale - offset)
        elif each.field is not None and each.name not in _CLOCKS:
            found.setdefault(each.name, (each.name, each.units or "", float(value)))
    return found


def _describe(frame: Any, described: dict[Key, tuple[str, str, float, float]]) -> None:
    index, number = _value(frame, "developer_data_index"), _value(frame, "field_definition_number")
    name, unit = _value(frame, "field_name"), _value(frame, "units")
    name, unit = (each[0] if isinstance(each, tuple) and each else each for each in (name, unit))
    if isinstance(index, int) and isinstance(number, int) and name:
        scale, offset = _value(frame, "scale"), _value(frame, "offset")
        described[index, number] = (str(name), str(unit or ""), float(scale or 1), float(offset or 0))


def _lap(frame: Any) -> _Lap | None:
    begun_s, long_s = _clock(_value(frame, "start_time")), _value(frame, "total_elapsed_time")
    if begun_s is None or not isinstance(long_s, int | float):
        return None
    return _Lap(begun_s, float(long_s), _value(frame, "lap_trigger") in LAP_TRIGGERS)

"""The interface of every reader: a header that is known after opening, then a stream of samples."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from heapq import merge
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from pitwall.contract.problems import UserError
from pitwall.telemetry.findings import Finding, FindingLog
from pitwall.telemetry.outside import clean_fields, day_or_none
from pitwall.telemetry.recordings.timeline import JUMP_S, Timeline
from pitwall.telemetry.sample import Sample, Stream, Values

T = TypeVar("T")

# Stands in every file that the simulator writes.
MARK = "SIMULATED by Pitwall: no real car, no real driver"


class RecordingError(UserError):
    """A file that can't be used; `recognised`: a known format that is not read here."""

    def __init__(
        self, path: Path, what: str, *, line: int | None = None, hint: str = "", recognised: bool = False
    ) -> None:
        where = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{where}: {what}" + (f" ({hint})" if hint else ""))
        self.path, self.what, self.line, self.hint, self.recognised = path, what, line, hint, recognised


FEWER = "export fewer channels"


class ImportBudget(msgspec.Struct, frozen=True):
    """Limits of the import of one file: rows, columns, values, processor seconds by its size, bytes
    of memory of a process of its own. Rows of up to `wide_row` values are free.

    `unread` rows, `standing` ones (without progress) and clock steps `back` are limited too.
    """

    rows: int = 20_000_000
    columns: int = 5_000
    wide_row: int = 400
    values: int = 2_000_000
    unread: int = 300_000
    standing: int = 200_000
    back: int = 1_000
    base_s: float = 15.0
    s_per_mb: float = 10.0
    bytes: int = 384 << 20

    def seconds(self, path: Path) -> float:
        """Return the seconds for this file."""
        return self.base_s + self.s_per_mb * path.stat().st_size / 1e6

    def rows_of(self, values: int) -> int:
        """Return how many rows of this many `values` a file may have."""
        return min(self.rows, self.values // max(values - self.wide_row, 1))

    def refuse_barren(self, path: Path, log: FindingLog, timeline: Timeline) -> None:
        """Refuse a file that is not worth reading on. RecordingError."""
        if log.count("malformed_row", "bad_checksum") > self.unread:
            what = f"more than {self.unread} of its rows and cells can't be read"
            raise RecordingError(path, what, hint="export it again")
        if timeline.standing > self.standing:
            what = f"its time stands still for more than {self.standing} rows"
            raise RecordingError(path, what, hint="export it again, with the time of each row")
        if timeline.set_back > self.back:
            what = f"its time runs back more than {self.back} times"
            raise RecordingError(path, what, hint="sort its rows by time")

    @contextmanager
    def limited(self, path: Path, since_s: float) -> Iterator[None]:
        """Limit one uninterrupted read, on a process's main thread."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        most_s = self.seconds(path)

        def over(*_: object) -> None:
            raise RecordingError(
                path, f"takes more than {most_s:.0f} s of this processor", hint="split the recording"
            )

        before = signal.signal(signal.SIGPROF, over)
        signal.setitimer(signal.ITIMER_PROF, max(most_s - (time.thread_time() - since_s), 0.1))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            signal.signal(signal.SIGPROF, before)

    def bounded(self, found: Iterable[T], info: RecordingInfo, path: Path, since_s: float) -> Iterator[T]:
        """Yield what is found, until a RecordingError over the budget."""
        columns = sum(len(stream.channels) for stream in info.streams)
        if columns > self.columns:
            what = f"has {columns} columns, {self.columns} at most can be read"
            raise RecordingError(path, what, hint=FEWER)
        most_s, values = self.seconds(path), self.values
        for number, each in enumerate(found):
            if number % 256 == 0 and time.thread_time() - since_s > most_s:
                what = f"takes more than {most_s:.0f} s of this processor"
                raise RecordingError(path, what, hint="split the recording")
            values -= max(len(getattr(each, "values", ())) - self.wide_row, 0)
            if values < 0:
                raise RecordingError(
                    path, f"has too many rows of more than {self.wide_row} values", hint=FEWER
                )
            if number >= self.rows:
                raise RecordingError(path, f"has more than {self.rows} rows", hint="split the recording")
            yield each


BUDGET = ImportBudget()
# How often it is looked whether a file is worth reading on.
LOOK_ROWS = 1_024


class StoredGate(msgspec.Struct, frozen=True):
    """Two points of a start line as the file stores them, degrees WGS84.

    Loggers differ in whether they lie across the track or along the travel: the track room decides
    that. `is_run`: a person gave a start line and another finish line.
    """

    a_lat_deg: float
    a_lon_deg: float
    b_lat_deg: float
    b_lon_deg: float
    name: str = ""
    is_run: bool = False


class RecordingInfo(msgspec.Struct, frozen=True):
    """The header of a recording. `start_utc_s`: unix time of t = 0, if given.

    `time_of_day_s`: the logger's clock at t = 0 if the file gives no UTC; with a day, `start_utc_s`
    is that local clock read as UTC. `lap_marks_t`: lap ends. `splits`: sector lines. `scales`: by
    stream and place, scale and offset from the file's figures to ours.
    """

    format: str
    path: str
    streams: tuple[Stream, ...]
    start_utc_s: float | None = None
    gate: StoredGate | None = None
    venue: str = ""
    driver: str = ""
    vehicle: str = ""
    lap_marks_t: tuple[float, ...] = ()
    time_of_day_s: float | None = None
    splits: tuple[StoredGate, ...] = ()
    scales: Mapping[tuple[int, int], tuple[float, float]] = {}

    def __post_init__(self) -> None:
        clean_fields(self, "venue", "driver", "vehicle")
        msgspec.structs.force_setattr(self, "start_utc_s", day_or_none(self.start_utc_s))


class Recording(Protocol):
    """An opened file. `samples` may be called again; `findings` fills meanwhile."""

    info: RecordingInfo

    def samples(self) -> Iterator[Sample]:
        """Yield samples, `t` never running backwards, in constant memory."""
        ...

    def findings(self) -> list[Finding]:
        """Return the last pass's findings."""
        ...


Timed = Iterator[tuple[float, int, Values]]


class TimedRecording:
    """A file of readings with the logger's own seconds; a subclass reads them (`_timed`).

    Findings of opening go into `_notes`. Readings of one moment are no fault if `several_at_once`;
    a longer step than `jump_s` needs a second row.
    """

    info: RecordingInfo
    several_at_once = False
    jump_s = JUMP_S

    def __init__(self, path: Path) -> None:
        self.path, self._notes, self._log = path, FindingLog(), FindingLog()

    def samples(self) -> Iterator[Sample]:
        """Yield samples, `t` never running backwards, in constant memory."""
        log = self._log = FindingLog()
        timeline = Timeline(log, jump_s=self.jump_s)
        last_raw_s, t = math.nan, None
        for number, (raw_s, stream, values) in enumerate(self._timed(log, timeline)):
            if number % LOOK_ROWS == 0:
                BUDGET.refuse_barren(self.path, log, timeline)
            if not (self.several_at_once and raw_s == last_raw_s):
                last_raw_s, t = raw_s, timeline.advance(raw_s) if math.isfinite(raw_s) else None
            if t is not None:
                yield Sample(stream, t, values)

    def _timed(self, log: FindingLog, timeline: Timeline) -> Timed:
        raise NotImplementedError

    def findings(self) -> list[Finding]:
        """Return what opening and the last pass met."""
        return self._notes.findings() + self._log.findings()


class ChangedRecording:
    """A recording whose samples come by way of `change`, with `notes` before its own findings."""

    def __init__(
        self,
        recording: Recording,
        change: Callable[[Recording], Iterator[Sample]],
        *notes: Finding,
        info: RecordingInfo | None = None,
    ) -> None:
        self.info = info or recording.info
        self._recording, self._change, self._notes = recording, change, notes

    def samples(self) -> Iterator[Sample]:
        """Yield the samples."""
        return self._change(self._recording)

    def findings(self) -> list[Finding]:
        """Return the notes, and the last pass's findings."""
        return [*self._notes, *self._recording.findings()]


def readings_of(
    recording: Recording, names: Set[str], until_s: float = math.inf
) -> Iterator[tuple[str, float, float]]:
    """Yield name, t and value of these signals, each from the first channel that has it."""
    at: dict[int, list[tuple[str, int]]] = {}
    found: set[str] = set()
    for stream in recording.info.streams:
        for place, channel in enumerate(stream.channels):
            if channel.name in names and channel.name not in found:
                found.add(channel.name)
                at.setdefault(stream.id, []).append((channel.name, place))
    for sample in recording.samples():
        if sample.t > until_s:
            return
        for name, place in at.get(sample.stream, ()):
            if (value := sample.values[place]) is not None:
                yield name, sample.t, value


class Series(NamedTuple):
    """A column of a file, all in memory: value = raw * scale + offset."""

    raw: Sequence[float]
    scale: float
    offset: float


class SeriesRecording:
    """A `Recording` that is held in memory: one stream for all channels of the same times."""

    info: RecordingInfo

    def __init__(self, groups: Sequence[tuple[Sequence[float], Sequence[Series]]], log: FindingLog) -> None:
        """`groups`: the times (s) of each stream of `info`, and its columns; `log`: findings of
        opening."""
        self._groups, self._opening, self._log = groups, log, FindingLog()

    def samples(self) -> Iterator[Sample]:
        """Return the streams' rows in the order of their times."""
        log = self._log = FindingLog()
        rows = [_rows(number, *group, log) for number, group in enumerate(self._groups)]
        return iter(merge(*rows, key=lambda sample: sample.t))

    def findings(self) -> list[Finding]:
        """Return the last pass's findings."""
        return self._opening.findings() + self._log.findings()


def _rows(
    stream: int, times_s: Sequence[float], columns: Sequence[Series], log: FindingLog
) -> Iterator[Sample]:
    last_t = 0.0
    for n, t in enumerate(times_s):
        if not (math.isfinite(t) and t >= last_t):
            log.add("time_backwards", "", last_t, "a row before the one above it, dropped")
            continue
        last_t = t
        values = (raw[n] * scale + offset for raw, scale, offset in columns)
        yield Sample(stream, t, tuple([value if math.isfinite(value) else None for value in values]))

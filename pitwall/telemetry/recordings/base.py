"""The interface of every reader: a header that is known after opening, then a stream of samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from pitwall.contract.problems import UserError
from pitwall.telemetry.findings import Finding
from pitwall.telemetry.outside import clean_fields, day_or_none
from pitwall.telemetry.sample import Sample, Stream


class RecordingError(UserError):
    """A file that can't be used. Says what is wrong, where, and what to do about it."""

    def __init__(self, path: Path, what: str, *, line: int | None = None, hint: str = "") -> None:
        where = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{where}: {what}" + (f" ({hint})" if hint else ""))
        self.path, self.what, self.line, self.hint = path, what, line, hint


class StoredGate(msgspec.Struct, frozen=True):
    """Two points of a start line as the file stores them, signed decimal degrees WGS84.

    Whether they lie across the track or along the travel differs between loggers: the track room decides
    that from the data, and whether the gate belongs to this place at all.
    """

    a_lat_deg: float
    a_lon_deg: float
    b_lat_deg: float
    b_lon_deg: float
    name: str = ""


class RecordingInfo(msgspec.Struct, frozen=True):
    """The header of a recording. `start_utc_s` is the unix time of t = 0 where the file tells it.

    `time_of_day_s` is what the logger's clock showed at t = 0, in seconds since midnight. It is given only
    where the file tells no UTC: with the day, `start_utc_s` is that local clock read as if it were UTC.
    `lap_marks_t` are lap-end times (session seconds) that the logger wrote in its header (AiM beacons).
    `splits` are the lines where its sectors end, the start line apart.
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

    def __post_init__(self) -> None:
        clean_fields(self, "venue", "driver", "vehicle")
        msgspec.structs.force_setattr(self, "start_utc_s", day_or_none(self.start_utc_s))


class Recording(Protocol):
    """An opened file. `samples` may be called again for another pass; `findings` fills as it is read."""

    info: RecordingInfo

    def samples(self) -> Iterator[Sample]:
        """Yield samples in the file's order, `t` never running backwards, in constant memory."""
        ...

    def findings(self) -> list[Finding]:
        """What the last pass met in the file itself: malformed rows, bad checksums, time steps."""
        ...


class WatchedRecording:
    """A recording that calls `look` before each sample, with its number: to pause, or to break off."""

    def __init__(self, recording: Recording, look: Callable[[int], None]) -> None:
        self.info, self.findings = recording.info, recording.findings
        self._recording, self._look = recording, look

    def samples(self) -> Iterator[Sample]:
        for number, sample in enumerate(self._recording.samples()):
            self._look(number)
            yield sample

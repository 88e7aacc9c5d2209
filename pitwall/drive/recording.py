"""Record a session: its journal first, then the in-drive path, then DuckDB.

A bug that a record brings to light costs that frame, never the drive or the sample."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence

import msgspec

from pitwall.coach.cue import LedgerLine
from pitwall.drive.prepare import place_stamp
from pitwall.drive.session import PLACE_KINDS, DriveListener, DriveSession
from pitwall.store.checkpoint import PathOutput
from pitwall.store.errors import StoreError
from pitwall.store.session import SessionWriter
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings.journal import ControlRecord, LedgerRecord, NumberedSample, StreamRecord
from pitwall.telemetry.sample import Sample, Stream
from pitwall.track.lap import CornerPass, Lap

log = logging.getLogger("pitwall")

# What a recorder accepts. A journal holds more, such as batches and events; the store keeps those.
Fed = Sample | StreamRecord | ControlRecord | LedgerRecord


def findings_of(path: DriveSession) -> str:
    """List what a live session's data showed, as its notes, a line a finding."""
    return "\n".join(dict.fromkeys(finding.detail for finding in path.fusion.findings()))


# So much waits in memory, three minutes at full bus.
BACKLOG_MOST = 40_000


class Backlog:
    """Holds new records for the path; one thread appends, another takes."""

    def __init__(self) -> None:
        self.left_seq = -1
        self._records: deque[tuple[int, Fed]] = deque()

    def __len__(self) -> int:
        return len(self._records)

    def append(self, seq: int, record: Fed) -> None:
        """Add the newest record."""
        if len(self._records) >= BACKLOG_MOST:
            self.left_seq = self._records.popleft()[0]
        self._records.append((seq, record))

    def take(self) -> tuple[int, Fed]:
        """Take the oldest record that is here. IndexError without one."""
        return self._records.popleft()


class Recorder(DriveListener):
    """Records one session: `take` is for new records, `feed` for those of the journal."""

    def __init__(
        self,
        path: DriveSession,
        writer: SessionWriter | None,
        listeners: Sequence[DriveListener] = (),
        *,
        strict: bool = False,
    ) -> None:
        """Record for a `path` and its `listeners`; `strict` raises their errors."""
        self.path, self._writer, self._strict = path, writer, strict
        self.faults = 0
        self.backlog: Backlog | None = None
        # Drives new records at once while there is a backlog.
        self.live_end: Callable[[Fed], None] | None = None
        self._held: dict[int, LedgerLine] | None = None
        self.made = PathOutput()
        self._listeners = tuple(listeners)
        path.listen((self, *self._listeners))

    @property
    def writer(self) -> SessionWriter:
        """Return what keeps the session."""
        assert self._writer is not None
        return self._writer

    def take(self, record: Fed) -> Frame | None:
        """Journal a new record, then give it to the path; return the frame it made, if any."""
        writer = self._writer
        if writer is not None:
            if isinstance(record, Sample):
                record = writer.keep(record)
            elif isinstance(record, StreamRecord):
                writer.keep_stream(record.stream)
            else:
                writer.keep_record(record)
        if self.backlog is not None:
            self.backlog.append(self.writer.seq, record)
            if self.live_end is not None:
                self.live_end(record)
            return None
        return self.feed(record)

    def feed(self, record: Fed) -> Frame | None:
        """Give the path a record of the journal; return the frame it made, if any."""
        if isinstance(record, Sample):
            return self._drive(record)
        match record:
            case StreamRecord():
                if self._writer is not None:
                    self._writer.row_stream(record.stream)
                self.path.stream(record.stream)
            case ControlRecord():
                self._control(record)
            case LedgerRecord():
                line = msgspec.json.decode(record.line, type=LedgerLine)
                # A cue that ended twice (the drive went on after a stop) ended the second time.
                self.made.lines[line.cue] = line
        return None

    def go_on_from(self, made: PathOutput, streams: Sequence[Stream]) -> None:
        """Continue a thawed path that had made this of these streams."""
        self.made = made
        if self._writer is not None:
            for stream in streams:
                self._writer.row_stream(stream)
            for lap in made.laps:
                self._writer.lap(lap)
            for corner_pass in made.passes:
                self._writer.corner_pass(corner_pass)

    def hold_ledger(self) -> None:
        """Hold back the ledger and mute the listeners: the session is being fed again."""
        self._held = {}
        self.path.listen((self,))

    def release_ledger(self) -> None:
        """Keep the ledger of a session that was fed to its end."""
        held, self._held = self._held or {}, None
        writer, lines = self._writer, self.made.lines
        if writer is not None:
            for line in lines.values():
                writer.row_cue(line)
        for cue, line in held.items():
            if cue not in lines:
                self.ledger(line)
        self.path.listen((self, *self._listeners))

    def drop_ledger(self) -> list[LedgerLine]:
        """Return what was held back, in the order of time, and keep none of it."""
        held, self._held = self._held or {}, None
        return sorted(held.values(), key=lambda line: (line.t, line.cue))

    def finish(self) -> None:
        """Close the open lap and give every cue its end. Leaves the writer open."""
        if self.made.first_fix is None:
            self._keep_place()
        try:
            self.path.finish()
        except Exception as error:
            if self._strict or isinstance(error, StoreError):
                raise
            self.faults += 1
            log.exception("the drive could not be finished")

    def lap(self, lap: Lap) -> None:
        if self._writer is not None:
            self.made.laps.append(lap)
            self._writer.lap(lap)

    def lap_marked(self, lap: Lap) -> None:
        if self._writer is not None:
            laps = self.made.laps
            laps[:] = [lap if each.number == lap.number else each for each in laps]
            self._writer.lap_marked(lap)

    def corner_pass(self, corner_pass: CornerPass) -> None:
        if self._writer is not None:
            self.made.passes.append(corner_pass)
            self._writer.corner_pass(corner_pass)

    def ledger(self, line: LedgerLine) -> None:
        """Keep it, or hold it back."""
        if self._held is not None:
            self._held[line.cue] = line
        elif self._writer is not None:
            self.made.lines[line.cue] = line
            self._writer.cue(line)

    def _drive(self, sample: Sample) -> Frame | None:
        path, writer = self.path, self._writer
        frame: Frame | None = None
        distrusted: Sequence[int] = ()
        try:
            frame = path.feed(sample)
            distrusted = path.distrusted
        except Exception as error:
            if self._strict or isinstance(error, StoreError):
                raise
            self.faults += 1
            if self.faults == 1:
                log.exception("the in-drive path failed on %r", sample)
        if writer is not None:
            assert isinstance(sample, NumberedSample)
            position = path.position if frame is not None else None
            writer.row(sample, frame, position, path.lap_number, distrusted)
            if self.made.first_fix is None and frame is not None and frame.lat_deg is not None:
                self.made.first_fix = (frame.lat_deg, frame.lon_deg or 0.0)
                self._keep_place()
        return frame

    def _keep_place(self) -> None:
        if self._writer is None:
            return
        track, (lat_deg, lon_deg) = self.path.track, self.made.first_fix or (None, None)
        stamp = self.made.stamp or place_stamp(self.path.supplies.tracks, lat_deg, lon_deg)
        if lat_deg is not None:
            # Of the tracks at the first fix: laps before a later track are to be measured again.
            self.made.stamp = stamp
        self._writer.place(track.id if track is not None else "", lat_deg, lon_deg, stamp)

    def _control(self, record: ControlRecord) -> None:
        try:
            self.path.control(record)
        except Exception as error:
            if self._strict or isinstance(error, StoreError):
                raise
            self.faults += 1
            log.exception("the in-drive path failed on %r", record)
        if record.kind in PLACE_KINDS:
            self._keep_place()

"""What the in-drive path holds of the store: hand over and go on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from pitwall.coach.cue import LedgerLine
from pitwall.contract.status import JournalStatus
from pitwall.store.damage import check_journal, end_journal, journal_seal
from pitwall.store.errors import StoreError
from pitwall.store.files import checksum, stamp_list
from pitwall.store.journal_writer import Ending, JournalWriter
from pitwall.store.rows import Row, lap_row, struct_row
from pitwall.store.writer import (
    DatabaseWriter,
    RowItem,
    SampleItem,
    SessionState,
    StatementItem,
    StreamItem,
)
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.journal import (
    COPIES,
    BatchRecord,
    ControlRecord,
    EventRecord,
    LedgerRecord,
    NumberedSample,
    SessionMeta,
    StreamRecord,
)
from pitwall.telemetry.sample import Sample, Stream
from pitwall.track.lap import CornerPass, Lap, Position

_astuple = msgspec.structs.astuple
_NO_PLACE = (None, None, None)
_CLOSE = (
    "UPDATE sessions SET closed_utc_s = ?, complete = ?, notes = ?, track = coalesce(nullif(?, ''), track), "
    "shed_rows = ?, journal_stamp = ?, journal_crc = ?, journal_last_seq = ? WHERE id = ?"
)


def _frame_row(
    session: str, seq: int, lap: int, frame: Frame | None, position: Position | None
) -> Row | None:
    if frame is None:
        return None
    if position is None:
        return (session, seq, lap, *_astuple(frame), *_NO_PLACE)
    return (
        session, seq, lap, *_astuple(frame), position.distance_m, position.offset_m, position.status,
    )  # fmt: skip


class Going(msgspec.Struct, frozen=True):
    """A session that goes on: what of it is in the journal and the database already."""

    state: SessionState
    ending: Ending
    samples: int
    last_sample_seq: int


class SessionWriter:
    """One session being recorded, the journal first, then DuckDB; for one thread. `sample` takes 2 us.

    What is handed over is copied or frozen: a frame or position may be used again by the caller.
    """

    def __init__(
        self,
        session: str,
        path: Path,
        database: DatabaseWriter,
        *,
        lossless: bool,
        after: Going | None = None,
    ) -> None:
        """A new session, or with `after` one that goes on; `header` comes first in a new one."""
        self.id, self.path = session, path
        self._database, self._lossless = database, lossless
        self._state = SessionState(session) if after is None else after.state
        self._seq = -1 if after is None else after.ending.last_seq
        self.closed = False
        # False sheds the tall signals, counted: the next start makes them from the journal.
        self.keep_tall = True
        self._samples = 0 if after is None else after.samples
        self._last_sample_seq = -1 if after is None else after.last_sample_seq
        self._journal = JournalWriter(path, lossless=lossless, after=after.ending if after else None)

    @property
    def seq(self) -> int:
        """The sequence number of the last record that was handed over."""
        return self._seq

    def header(self, meta: SessionMeta) -> None:
        """What the session is: the first record of its journal."""
        for _ in range(COPIES):
            self._journal.append(self._next(), meta)

    def stream(self, stream: Stream) -> None:
        """Define a stream; before its first sample. May come at any time."""
        for _ in range(COPIES):
            self._journal.append(self._next(), StreamRecord(stream))
        self._database.put(StreamItem(self._state, stream), self._lossless)

    def sample(
        self,
        sample: Sample,
        frame: Frame | None,
        position: Position | None,
        lap: int,
        distrusted: Sequence[int] = (),
    ) -> None:
        """Keep one sample and the frame made at it (None: it made none), the place and the lap.

        `distrusted`: places in `sample.values` of canonical readings that the frame does not carry on; they
        are kept raw among the tall signals.
        """
        seq = self._seq = self._last_sample_seq = self._seq + 1
        self._samples += 1
        self._journal.append(seq, sample)
        row = _frame_row(self.id, seq, lap, frame, position)
        self._database.put_sample(
            SampleItem(self._state, seq, sample, row, tuple(distrusted), self.keep_tall), self._lossless
        )
        if not self.keep_tall:
            self._state.shed += 1

    def keep(self, sample: Sample) -> NumberedSample:
        """Keep one sample in the journal alone: its rows are a RebuildWriter's, once it is driven."""
        seq = self._seq = self._last_sample_seq = self._seq + 1
        self._samples += 1
        self._journal.append(seq, sample)
        return NumberedSample(sample.stream, sample.t, sample.values, seq)

    def lap(self, lap: Lap) -> None:
        """Keep a finished lap."""
        self._row("laps", lap_row(self.id, lap))

    def corner_pass(self, corner_pass: CornerPass) -> None:
        """Keep one drive through a corner."""
        self._row("corner_passes", struct_row(self.id, corner_pass))

    def cue(self, line: LedgerLine) -> None:
        """Keep what became of a cue; in the journal too."""
        self._journal.append(self._next(), LedgerRecord(msgspec.json.encode(line)))
        self._row("cues", struct_row(self.id, line))

    def event(self, t: float, kind: str, detail: str = "") -> None:
        """Keep something that happened (a lost source, a question of the driver); in the journal too."""
        self._journal.append(self._next(), EventRecord(t, kind, detail))
        self._row("driver_events", (self.id, t, kind, detail))

    def control(self, record: ControlRecord) -> None:
        """Keep what the path is told, at its place among the samples."""
        self._journal.append(self._next(), record)

    def batch(self, batch: str, samples: int) -> None:
        """The next `samples` samples were handed in together: they are kept whole or not at all."""
        self._journal.append(self._next(), BatchRecord(batch, samples))
        self._row("batches", (batch, self.id, samples, self._seq))

    def room(self) -> int:
        """How many more records the journal can take before it sheds."""
        return self._journal.room()

    def pass_over(self) -> None:
        """A sample is shed before it comes here: counted with what the journal sheds."""
        self._journal.pass_over()

    def on_durable(self, told: Callable[[int], None]) -> None:
        """Call this, from a thread, with the last sequence number on the disk whenever it has risen."""
        self._journal.on_durable = told

    def hurry(self) -> None:
        """Sync now: somebody waits."""
        self._journal.hurry()

    def stats(self) -> JournalStatus:
        """The journal's counters; the database's are in `Store.stats`."""
        return self._journal.stats()

    def close(self, *, notes: str = "", track: str = "") -> None:
        """End the session: its journal is sealed, DuckDB has every row. Never raises for a live one.

        `notes` are findings for people; `track` replaces the id given at the beginning. Lossless sessions
        raise StoreError where something could not be written.
        """
        self.closed = True
        stats = self._journal.close(self._next(), self._samples)
        seal = (stamp_list(self.path), stats.crc, self._last_sample_seq) if stats.state == "closed" else None
        self._end(notes, track, seal, complete=True)
        if not self._database.flush() and self._lossless:
            raise StoreError(
                f"session {self.id} is in its journal, but not in the database; start again to rebuild"
            )
        if self._lossless and stats.state != "closed":
            raise StoreError(
                f"{self.path} could not be finished: {stats.last_error}; make room and try again"
            )

    def abandon(self) -> None:
        """Stop without an end, as a kill would: the next start rebuilds what DuckDB lacks."""
        self._journal.close(self._next(), None)

    def _next(self) -> int:
        self._seq += 1
        return self._seq

    def _row(self, table: str, row: Row) -> None:
        self._database.put(RowItem(self._state, table, row), self._lossless)

    def _end(
        self, notes: str, track: str, seal: tuple[list[int], int, int] | None, *, complete: bool
    ) -> None:
        values = [
            time.time(),
            complete,
            notes,
            track,
            self._state.shed,
            *(seal or (None, None, None)),
            self.id,
        ]
        self._database.put(StatementItem(_CLOSE, values))


class RebuildWriter(SessionWriter):
    """The same, fed from the session's own journal: rows that are there already are passed over.

    Samples must come from `JournalRecording(path, numbered=True)`, in its order. Laps, corner passes and cues
    are made anew.
    """

    def __init__(self, state: SessionState, path: Path, database: DatabaseWriter, *, complete: bool) -> None:
        self.id, self.path = state.id, path
        self._database, self._lossless, self._state = database, True, state
        self._seq, self._have = -1, state.last_seq
        self._complete = complete

    def stream(self, stream: Stream) -> None:
        """Define a stream."""
        self._database.put(StreamItem(self._state, stream), lossless=True)

    def sample(
        self,
        sample: Sample,
        frame: Frame | None,
        position: Position | None,
        lap: int,
        distrusted: Sequence[int] = (),
    ) -> None:
        """Keep one sample of the journal, unless its rows are there."""
        seq = sample.seq if isinstance(sample, NumberedSample) else self._seq + 1
        self._seq = seq
        if seq <= self._have:
            return
        row = _frame_row(self.id, seq, lap, frame, position)
        self._database.put_sample(SampleItem(self._state, seq, sample, row, tuple(distrusted), True), True)

    def cue(self, line: LedgerLine) -> None:
        """Keep what became of a cue; the journal has it."""
        self._row("cues", struct_row(self.id, line))

    def event(self, t: float, kind: str, detail: str = "") -> None:
        """The journal's own events are kept by `Store.resume`; a rebuild adds none."""

    def control(self, record: ControlRecord) -> None:
        """The journal has it."""

    def batch(self, batch: str, samples: int) -> None:
        """The journal's own batches are kept by `Store.resume`."""

    def go_on(self) -> SessionWriter:
        """The journal was fed again to its end: a writer that adds to it. StoreError if it can't be read."""
        try:
            found = check_journal(self.path)
            crc, size = checksum(self.path)
        except (OSError, RecordingError) as error:
            raise StoreError(f"{self.path} can't be gone on with: {error}") from error
        reopen = (
            "UPDATE sessions SET closed_utc_s = NULL, complete = false, journal_stamp = NULL WHERE id = ?"
        )
        self._database.put(StatementItem(reopen, [self.id]))
        going = Going(self._state, Ending(size, crc, found.last_seq), found.samples, found.last_sample_seq)
        return SessionWriter(self.id, self.path, self._database, lossless=False, after=going)

    def stats(self) -> JournalStatus:
        """A rebuild writes no journal."""
        return JournalStatus(state="closed")

    def close(self, *, notes: str = "", track: str = "") -> None:
        """End the rebuild: the journal gets the end it lacks. StoreError where that fails."""
        try:
            found = check_journal(self.path)
            if not found.ended:
                end_journal(self.path, found)
            seal = (*journal_seal(self.path), found.last_sample_seq)
        except (OSError, RecordingError) as error:
            raise StoreError(f"{self.path} can't be closed: {error}") from error
        self._end(notes, track, seal, complete=self._complete)
        if not self._database.flush():
            raise StoreError(f"session {self.id} could not be rebuilt: the database can't be written")

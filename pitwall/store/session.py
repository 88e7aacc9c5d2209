"""The in-drive path's side of the store: it hands over samples and rows, and never waits."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from pitwall.coach.cue import LedgerLine
from pitwall.contract.status import JournalStatus
from pitwall.store.errors import StoreError
from pitwall.store.files import checksum, stamp_list
from pitwall.store.journal_check import JournalCheck, check_journal, end_journal, journal_seal
from pitwall.store.journal_writer import Ending, JournalWriter
from pitwall.store.rows import Row, lap_row, struct_row
from pitwall.store.writer import (
    DatabaseWriter,
    Item,
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
    Record,
    SessionMeta,
    StreamRecord,
)
from pitwall.telemetry.sample import Sample, Stream
from pitwall.track.lap import CornerPass, Lap, Position

_astuple = msgspec.structs.astuple
_NO_PLACE = (None, None, None)
_CLOSE = (
    "UPDATE sessions SET closed_utc_s = ?, complete = ?, notes = coalesce(nullif(?, ''), notes), "
    "shed_rows = greatest(shed_rows, ?), journal_stamp = ?, journal_crc = ?, journal_last_seq = ? "
    "WHERE id = ?"
)
_UNJUDGE = "DELETE FROM driver_events WHERE session = ? AND kind LIKE 'profile.%'"
MARK_LAP = "UPDATE laps SET kind = ?, reason = ? WHERE session = ? AND lap = ?"
_PLACE = "UPDATE sessions SET track = ?, lat_deg = ?, lon_deg = ?, place_stamp = ? WHERE id = ?"


def _frame_row(
    session: str, seq: int, lap: int, frame: Frame | None, position: Position | None
) -> Row | None:
    if frame is None:
        return None
    place = _NO_PLACE if position is None else _astuple(position)[1:4]
    return (session, seq, lap, *_astuple(frame), *place)


class SessionWriter:
    """A session being recorded: its journal first, then DuckDB. What is handed over is copied."""

    def __init__(
        self,
        session: str,
        path: Path,
        database: DatabaseWriter,
        *,
        lossless: bool,
        again: SessionState | None = None,
        found: JournalCheck | None = None,
        complete: bool = True,
    ) -> None:
        """A new session, begun by `header`, or one fed `again` what was `found` in its journal."""
        self.id, self.path = session, path
        self.closed = False
        self.samples = 0
        # Findings for people, where `close` is given none.
        self.notes = ""
        # False sheds the tall signals: the next start makes them.
        self.keep_tall = True
        self._database, self._lossless, self._complete = database, lossless, complete
        self._state, self._found = again or SessionState(session), found or JournalCheck()
        self._seq = self._last_sample_seq = -1
        # Samples of the present batch that are still to come.
        self._of_batch = 0
        self._journal = None if again is not None else JournalWriter(path, lossless=lossless)

    def go_on(self) -> None:
        """Open the journal to add to it. StoreError."""
        found, self._found = self._found, JournalCheck()
        if found.spans:
            # After what was added a torn batch would be whole again.
            raise StoreError(f"{self.path} can't be gone on with: it is damaged and could not be mended")
        try:
            crc, size = checksum(self.path)
            self._journal = JournalWriter(self.path, lossless=False, after=Ending(size, crc, found.last_seq))
        except OSError as error:
            raise StoreError(f"{self.path} can't be gone on with: {error}") from error
        # A copy of it is not whole any more.
        reopen = (
            "UPDATE sessions SET closed_utc_s = NULL, complete = false, journal_stamp = NULL, "
            "exported_utc_s = NULL WHERE id = ?"
        )
        self._database.put(StatementItem(reopen, [self.id]))
        self._seq, self.samples = found.last_seq, found.samples
        self._last_sample_seq = found.last_sample_seq
        self._lossless = self._state.again = False

    @property
    def seq(self) -> int:
        """Return the sequence number of the last record."""
        return self._seq

    def header(self, meta: SessionMeta) -> None:
        """Write the first record of the journal."""
        for _ in range(COPIES):
            self._append(meta)

    def keep(self, sample: Sample) -> NumberedSample:
        """Hand a sample to the journal; a NumberedSample is from there."""
        if type(sample) is NumberedSample:
            return sample
        journal = self._journal or self._open_journal
        seq = self._seq + 1
        journal.append(seq, sample, never_shed=self._of_batch > 0)
        self._of_batch -= self._of_batch > 0
        self._seq = self._last_sample_seq = seq
        self.samples += 1
        return NumberedSample(sample.stream, sample.t, sample.values, seq)

    def keep_stream(self, stream: Stream) -> None:
        """Hand a stream's definition to the journal; before its first sample."""
        for _ in range(COPIES):
            self._append(StreamRecord(stream))

    def row(
        self,
        sample: NumberedSample,
        frame: Frame | None,
        position: Position | None,
        lap: int,
        distrusted: Sequence[int] = (),
    ) -> None:
        """Hand a sample to DuckDB with its frame, place and lap; `distrusted`: values kept raw."""
        row = _frame_row(self.id, sample.seq, lap, frame, position)
        item = SampleItem(
            self._state, sample.seq, sample, row, tuple(distrusted), self.keep_tall, row is not None
        )
        self._database.put_sample(item, self._lossless)
        if not self.keep_tall:
            self._state.shed += 1

    def row_stream(self, stream: Stream) -> None:
        """Hand a stream's definition to DuckDB; before its first sample."""
        self._put(StreamItem(self._state, stream))

    def place(self, track: str, lat_deg: float | None, lon_deg: float | None, stamp: str) -> None:
        """Keep where the session is driven: track, first fix, stamp of the tracks near there."""
        self._database.put(StatementItem(_PLACE, [track, lat_deg, lon_deg, stamp, self.id]))

    def clock_set(self, by_s: float) -> None:
        """Note that the clock was set: the session began `by_s` later."""
        sql = "UPDATE sessions SET start_utc_s = round(start_utc_s + ?, 3) WHERE id = ?"
        self._database.put(StatementItem(sql, [by_s, self.id]))

    def lap(self, lap: Lap) -> None:
        """Keep a finished lap."""
        self._row("laps", lap_row(self.id, lap))

    def lap_marked(self, lap: Lap) -> None:
        """Keep what a person said of a lap."""
        self._database.put(StatementItem(MARK_LAP, [lap.kind, lap.reason, self.id, lap.number]))

    def corner_pass(self, corner_pass: CornerPass) -> None:
        """Keep a corner pass."""
        self._row("corner_passes", struct_row(self.id, corner_pass))

    def cue(self, line: LedgerLine) -> None:
        """Keep what became of a cue; in the journal too."""
        if self._journal is not None:
            self._append(LedgerRecord(msgspec.json.encode(line)))
        self.row_cue(line)

    def row_cue(self, line: LedgerLine) -> None:
        """Keep what became of a cue that the journal has."""
        self._row("cues", struct_row(self.id, line))

    def event(self, t: float, kind: str, detail: str = "") -> None:
        """Keep something that happened; in the journal too."""
        self._append(EventRecord(t, kind, detail))
        self._row("driver_events", (self.id, t, kind, detail))

    def keep_record(self, record: ControlRecord | LedgerRecord) -> None:
        """Hand a record to the journal alone."""
        self._append(record)

    def batch(self, batch: str, samples: int) -> None:
        """Announce that the next `samples` are one batch; until the last nothing is shed."""
        self._append(BatchRecord(batch, samples))
        self._of_batch = samples
        self._row("batches", (batch, self.id, samples, self._seq))

    def room(self) -> int:
        """Return how many records the journal can take before it sheds."""
        return self._open_journal.room()

    def has_rows(self, seq: int) -> bool:
        """Return whether DuckDB has committed the samples up to this number."""
        return self._state.last_seq >= min(seq, self._last_sample_seq)

    def pass_over(self) -> None:
        """Count a sample that is shed before it comes here."""
        self._open_journal.pass_over()

    def on_durable(self, notify: Callable[[int], None]) -> None:
        """Call this, from a thread, with the last sequence number on the disk."""
        self._open_journal.on_durable = notify

    def hurry(self) -> None:
        """Sync now: somebody waits."""
        self._open_journal.hurry()

    def stats(self) -> JournalStatus:
        """Return the journal's counters."""
        return self._open_journal.stats()

    def close(self, *, notes: str = "") -> None:
        """End the session: seal its journal, write every row. A lossless one: StoreError."""
        self.closed, notes = True, notes or self.notes
        if self._journal is None:
            self._end(notes, self._seal_again())
        else:
            self._seq += 1
            stats = self._journal.close(self._seq, self.samples)
            sealed, seal = stats.state == "closed", None
            with contextlib.suppress(OSError):  # removed in this very moment: the next start says so
                seal = (stamp_list(self.path), stats.crc, self._last_sample_seq) if sealed else None
            self._end(notes, seal)
            if self._lossless and not sealed:
                raise StoreError(
                    f"{self.path} could not be finished: {stats.last_error}; make room and try again"
                )
        if not self._database.flush() and self._lossless:
            raise StoreError(
                f"session {self.id} is in its journal, but not in the database "
                f"({self._database.stats().last_error}); start again to rebuild"
            )

    def abandon(self) -> None:
        """Stop without an end, as a kill would."""
        self.closed = True
        if self._journal is not None:
            self._seq += 1
            self._journal.close(self._seq, None)

    @property
    def _open_journal(self) -> JournalWriter:
        if self._journal is None:
            raise StoreError(f"the journal of session {self.id} is only read")
        return self._journal

    def _append(self, record: Record | Sample) -> int:
        self._seq += 1
        self._open_journal.append(self._seq, record, never_shed=self._of_batch > 0)
        return self._seq

    def _seal_again(self) -> tuple[list[int], int, int]:
        try:
            found = check_journal(self.path)
            if not found.ended:
                end_journal(self.path, found)
            return (*journal_seal(self.path), found.last_sample_seq)
        except (OSError, RecordingError) as error:
            raise StoreError(f"{self.path} can't be closed: {error}") from error

    def _put(self, item: Item) -> None:
        self._database.put(item, self._lossless)

    def _row(self, table: str, row: Row) -> None:
        self._put(RowItem(self._state, table, row))

    def _end(self, notes: str, seal: tuple[list[int], int, int] | None) -> None:
        values = [time.time(), self._complete, notes, self._state.shed, *(seal or (None, None, None))]
        closed = StatementItem(_CLOSE, [*values, self.id])
        # What a job judged while laps were missing.
        closed.then = [StatementItem(_UNJUDGE, [self.id])]
        self._database.put(closed)


def forget_after(session: str, last_seq: int, samples: int) -> list[StatementItem]:
    """Return what removes a session's rows after a sequence number."""
    sql = "UPDATE sessions SET samples = ?, last_seq = ?, shed_rows = 0 WHERE id = ?"
    return [
        *(
            StatementItem(f"DELETE FROM {table} WHERE session = ? AND seq > ?", [session, last_seq])  # noqa: S608
            for table in ("frames", "signals")
        ),
        StatementItem(sql, [samples, last_seq, session]),
    ]

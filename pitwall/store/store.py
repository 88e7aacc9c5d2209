"""The facade: one home, its journals and its database."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import _duckdb as duckdb
import msgspec

from pitwall.config import Home, beneath
from pitwall.contract.status import StoreStatus
from pitwall.store.checkpoint import forget_checkpoints
from pitwall.store.database import Database, ReadDatabase, StandIn
from pitwall.store.errors import StoreError, StoreLockedError, StoreReadOnlyError
from pitwall.store.files import free_name
from pitwall.store.home_journal import RowChange
from pitwall.store.journal_check import CheckedJournal, JournalCheck, check_journal
from pitwall.store.kept import forget_kept
from pitwall.store.lock import READ_ONLY, HomeLock, read_only
from pitwall.store.opening import (
    OpenReport,
    Pending,
    batches_of,
    holds_less,
    journals_of,
    meta_from,
    open_checked,
    open_copy,
    open_stand_in,
    open_to_read,
    scratch_folder,
)
from pitwall.store.queries import rows
from pitwall.store.same_drive import mark_same_drive
from pitwall.store.schema import FROM_JOURNAL
from pitwall.store.session import SessionWriter, forget_after
from pitwall.store.sqlanswer import Refusal, SqlAnswer
from pitwall.store.sqlgate import SqlGate
from pitwall.store.writer import (
    SHED_ABOVE,
    ChangeItem,
    DatabaseWriter,
    Item,
    RowItem,
    SessionState,
    StatementItem,
)
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.journal import SUFFIX, JournalRecording, SessionMeta
from pitwall.telemetry.recordings.text import open_bytes
from pitwall.telemetry.session_clock import DAY_S

Rebuild = Callable[[JournalRecording, SessionWriter], object]

_INSERT_SESSION = (
    "INSERT INTO sessions (id, kind, source_name, source_digest, track, format, start_utc_s, created_utc_s, "
    "samples, last_seq, shed_rows, complete, app_version, driver, vehicle, venue, notes, time_of_day_s) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, -1, 0, false, ?, ?, ?, ?, '', ?) ON CONFLICT DO NOTHING"
)
# A header's option: the time of day of second 0, if its day is not known.
TIME_OF_DAY_OPTION = "time_of_day_s"
# Without a database a batch that is sent again was broken off in one of these.
LAST_JOURNALS = 3
# The event that keeps an import's findings.
NOTES = "notes"


class Store:
    """`open` or `open_to_read` first, `close` last. Readers take a `cursor`; `begin` records."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.handover = home.handover
        self._lock: HomeLock | None = None
        self._database: ReadDatabase | None = None
        self._closing = ExitStack()
        self._writer: DatabaseWriter | None = None
        self._gate = SqlGate()
        self._recording: list[SessionWriter] = []
        self.pending: list[Pending] = []
        self.lines: list[str] = []

    def open(self, *, to_drive: bool = False) -> OpenReport:
        """Check, repair and open everything; `to_drive`: a full disk is no error. StoreError."""
        if self._database is not None:
            raise StoreError(f"{self.home.root} is open already")
        if not to_drive and (why := read_only(self.home)):
            raise StoreReadOnlyError(f"{why}; choose another PITWALL_HOME")
        report = OpenReport()
        try:
            self.home.prepare()
        except OSError as error:
            why = f"{error.filename or self.home.root} can't be made: {error.strerror}"
            if not to_drive:
                kind = StoreReadOnlyError if error.errno in READ_ONLY else StoreError
                raise kind(f"{why}; choose another PITWALL_HOME") from error
            report.lines.append(f"{why}; the drive goes on without it")
        self._lock = HomeLock(self.home.root)
        try:
            try:
                database = open_checked(self.home, report)
            except StoreError as error:
                if not to_drive or isinstance(error, StoreLockedError):
                    raise
                database = open_stand_in(self.home, error, report)
        except StoreError:
            self._lock.release()
            self._lock = None
            raise
        self._database = database
        self._writer = DatabaseWriter(database, alone=not to_drive)
        with suppress(OSError):  # what killed readers, and a database that was copied, left behind
            for left in self.handover.iterdir():
                left.unlink(missing_ok=True)
        self.pending = list(report.pending)
        report.lines += [f"session {item.session}: {item.reason}; to be rebuilt" for item in report.pending]
        return report

    def open_to_read(self, *, copy: bool = False) -> bool:
        """Open for cursors alone; return whether all is up to date; `copy`: while a daemon runs."""
        if self._database is not None:
            raise StoreError(f"{self.home.root} is open already")
        report = OpenReport()
        try:
            self.handover = scratch = Path(self._closing.enter_context(scratch_folder()))
            try:
                self._lock = HomeLock(self.home.root, to_read=True)
            except StoreLockedError:
                if not copy:
                    raise
                self._database, whole = open_copy(self.home, scratch), True
            else:
                self._database, whole = open_to_read(self.home, scratch, report)
        except BaseException:
            self.close()
            raise
        self.pending, self.lines = list(report.pending), list(report.lines)
        return whole

    def close(self) -> None:
        """Commit, fold, seal, let others in; open sessions stay so. Never raises."""
        for session in self._recording:
            if not session.closed:
                session.abandon()
        self._recording = []
        self._gate.close()
        self._gate = SqlGate()
        if self._writer is not None:
            self._writer.close()
        if self._database is not None:
            self._database.close()
        if self._lock is not None:
            self._lock.release()
        self._writer, self._database, self._lock = None, None, None
        self._closing.close()
        self.handover = self.home.handover

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def new_id(self, utc_s: float) -> str:
        """Return a free session id: the time in UTC."""
        path = free_name(self.home.journals, time.strftime("%Y%m%d-%H%M%S", time.gmtime(utc_s)) + SUFFIX)
        return path.name.removesuffix(SUFFIX)

    def begin(self, meta: SessionMeta, *, lossless: bool) -> SessionWriter:
        """Start a session. `lossless` (an import): wait for the disk instead of shedding."""
        writer = self._writing()
        if not meta.id or meta.id.startswith(".") or Path(meta.id).name != meta.id:
            raise StoreError(f"{meta.id!r} can't name a session: it must be a plain file name")
        path = beneath(self.home.journals, meta.id + SUFFIX)
        # Where the folder can't be entered the journal's writer says so; the drive goes on.
        if os.path.lexists(path):
            raise StoreError(f"session {meta.id} exists already: {path}")
        writer.put(_insert(meta))
        return self.keep_watch(SessionWriter(meta.id, path, writer, lossless=lossless), meta)

    def keep_watch(self, session: SessionWriter, meta: SessionMeta | None = None) -> SessionWriter:
        """Return a session that is being recorded; `close` abandons it if nobody ended it."""
        if meta is not None:
            session.header(meta)
        self._recording = [other for other in self._recording if not other.closed] + [session]
        return session

    def find_import(self, digest: str) -> str | None:
        """Return the session that an import of this content made, None without a whole one."""
        return next((session for session, whole in self._imports(digest) if whole), None)

    def _imports(self, digest: str) -> list[tuple[str, bool]]:
        sql = (
            "SELECT id, complete FROM sessions WHERE source_digest = ? AND kind = 'import' "
            "ORDER BY created_utc_s, id"
        )
        return rows(self, sql, [digest])

    def drop_imports(self, digest: str, *, complete: bool = False) -> list[str]:
        """Remove what interrupted imports of this content left, `complete` ones too; return ids."""
        dropped = [(session, whole) for session, whole in self._imports(digest) if complete or not whole]
        for session, whole in dropped:
            self._drop(session, None if whole else self.home.damaged)
        return [session for session, _ in dropped]

    def drop_unfinished(self, digest: str) -> None:
        """Remove what a stopped import of this content kept."""
        self.flush()
        for session in (session for session, whole in self._imports(digest) if not whole):
            for writer in self._recording:
                if writer.id == session and not writer.closed:
                    writer.abandon()
            self._drop(session)

    def drop_replay(self, session: str) -> None:
        """Remove an earlier replay of the same file."""
        if rows(self, "SELECT 1 FROM sessions WHERE id = ? AND kind = 'replay'", [session]):
            self._drop(session)

    def delete(self, session: str) -> None:
        """Remove a session's rows; move its journal to the trash. StoreError if it is going on."""
        if session in self.going_on():
            raise StoreError(f"session {session} is going on; delete it when it is over")
        self._drop(session, self.home.trash)

    def going_on(self) -> set[str]:
        """Return the sessions that are being recorded."""
        return {writer.id for writer in self._recording if not writer.closed}

    def trash(self) -> list[str]:
        """Return the sessions in the trash. OSError."""
        return sorted(path.stem for path in self.home.trash.glob(f"*{SUFFIX}"))

    def restore(self, session: str) -> None:
        """Take a journal out of the trash; `recover` makes the rows. StoreError."""
        name = session + SUFFIX
        if session not in self.trash():
            have = ", ".join(self.trash()) or "nothing"
            raise StoreError(f"{session!r} is not in the trash; there is: {have}")
        if (self.home.journals / name).exists():
            raise StoreError(f"session {session} is there already; delete that one first")
        try:
            (self.home.trash / name).rename(self.home.journals / name)
        except OSError as error:
            raise StoreError(f"{self.home.trash / name} can't be moved: {error.strerror}") from error
        self.pend(self.home.journals / name, "was restored from the trash")

    def empty_trash(self) -> list[str]:
        """Delete the journals in the trash for good; return their ids."""
        gone = self.trash()
        for session in gone:
            beneath(self.home.trash, session + SUFFIX).unlink(missing_ok=True)
            forget_kept(self.home, session)
            if not beneath(self.home.journals, session + SUFFIX).exists():
                self.change(RowChange("session_edits", {"session": session}, None))
        self.flush()
        return gone

    def give_room_back(self, *, always: bool = False) -> int:
        """Give deleted rows' room back if there is much of it, or `always`; return the bytes."""
        if self.going_on() and not always:
            return 0
        return self._writing().rewrite(always=always)

    def free_block_bytes(self) -> int:
        """Return the room inside the database's file, 0 if unknown."""
        with suppress(StoreError, duckdb.Error):
            if isinstance(self._database, Database):
                return self._database.room()[1]
        return 0

    def resume(
        self, session: str, checked: CheckedJournal | None = None, found: JournalCheck | None = None
    ) -> SessionWriter:
        """Rebuild a session: feed it its journal's samples, or those after `checked`.
        StoreError."""
        writer = self._writing()
        path = beneath(self.home.journals, session + SUFFIX)
        try:
            found = found or check_journal(path, checked)
        except (OSError, RecordingError) as error:
            raise StoreError(f"session {session} can't be rebuilt: {error}") from error
        sql = (
            "SELECT last_seq, shed_rows, complete, samples, if(closed_utc_s IS NULL, NULL, journal_last_seq) "
            "FROM sessions WHERE id = ?"
        )
        known = rows(self, sql, [session])
        last_seq, shed, complete, samples, sealed_seq = known[0] if known else (-1, 0, False, 0, None)
        if sealed_seq is not None and holds_less(found, sealed_seq, samples):
            raise StoreError(
                f"session {session} stays as it is: its journal was cut or damaged after it was closed, "
                f"{found.samples} of {samples} readings are left there"
            )
        kept = checked.found if checked is not None else JournalCheck()
        if checked is None:
            shed = 0
        elif last_seq < kept.last_sample_seq:
            shed += max(kept.samples - samples, 1)
        # Of a live session all there is is in its journal; a file may hold more than its import
        # took.
        meta = meta_from(path, found)
        complete = complete or meta.kind == "live" or meta.format == "live"
        if not known:
            writer.put(_insert(meta))
        # After a kill meanwhile the next start finds the session not closed.
        reopen = (
            "UPDATE sessions SET closed_utc_s = NULL, notes = '', "
            "exported_utc_s = CASE WHEN ? THEN NULL ELSE exported_utc_s END, start_utc_s = ? WHERE id = ?"
        )
        # A copy of a journal without an end may hold less than the journal.
        copied_less = any(each.session == session and not each.complete for each in self.pending)
        begun = StatementItem(reopen, [copied_less, meta.start_utc_s, session])
        changes = [
            _delete(table, session) for table in ("laps", "corner_passes", "cues", "driver_events", "batches")
        ]
        changes += forget_after(session, kept.last_sample_seq, kept.samples)
        changes.append(StatementItem("UPDATE sessions SET shed_rows = ? WHERE id = ?", [shed, session]))
        begun.then = changes
        writer.put(begun)
        state = SessionState(session, kept.last_sample_seq, again=True)
        state.shed = shed
        for event in found.events:
            if event.kind == NOTES:
                sql = "UPDATE sessions SET notes = ? WHERE id = ?"
                writer.put(StatementItem(sql, [event.detail, session]))
            writer.put(RowItem(state, "driver_events", (session, event.t, event.kind, event.detail)))
        for seq, batch in found.batches:
            writer.put(RowItem(state, "batches", (batch.id, session, batch.samples, seq)))
        return SessionWriter(
            session,
            path,
            writer,
            lossless=True,
            again=state,
            found=found,
            complete=bool(complete) or found.ended,
        )

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a reader's connection; close it soon. StoreError."""
        if self._database is None:
            raise StoreError(f"{self.home.root} is not open")
        return self._database.cursor()

    def ask(self, sql: str, stopped: Callable[[], bool] = lambda: False) -> SqlAnswer | Refusal:
        """Run a bounded SELECT, see `sqlgate`. StoreError."""
        if self._database is None:
            raise StoreError(f"{self.home.root} is not open")
        return self._gate.ask(self._database, sql, stopped)

    def pend(self, path: Path, reason: str) -> None:
        """Let the next `recover` make this journal's rows again."""
        if all(item.path != path for item in self.pending):
            self.pending.append(Pending(path.stem, path, reason, False))

    def give_way(self) -> None:
        """Give a live drive priority: rebuilds and imports wait before live rows are shed."""
        self._writing().lossless_above = SHED_ABOVE["tall signals"] // 3

    def mark_exported(self, session: str) -> None:
        """Note that a copy is elsewhere: it may be dropped when the disk fills up."""
        self.put("UPDATE sessions SET exported_utc_s = ? WHERE id = ?", [time.time(), session])

    def drop_oldest_exported(self) -> str | None:
        """Delete the oldest exported session; return its id, if any. Waits for the disk."""
        sql = (
            "SELECT id FROM sessions WHERE exported_utc_s IS NOT NULL AND closed_utc_s IS NOT NULL "
            "ORDER BY coalesce(start_utc_s, created_utc_s), id LIMIT 1"
        )
        found = rows(self, sql, [])
        if not found:
            return None
        session = str(found[0][0])
        self._drop(session)
        return session

    def known_batches(self, most: int) -> list[str]:
        """Return the ids of the last batches that are in a journal, newest last.

        On a full disk the database may have committed what the journal could not write: of an
        interrupted session the journal counts.
        """
        sql = (
            "SELECT b.id FROM batches b JOIN sessions s ON s.id = b.session "
            "WHERE NOT list_contains(?, b.session) ORDER BY s.created_utc_s DESC, b.seq DESC LIMIT ?"
        )
        found = rows(self, sql, [[item.session for item in self.pending], most])
        known = [str(row[0]) for row in reversed(found)]
        for item in self.pending:
            known += item.batches
        if not self.kept:
            known += self._batches_of_last_journals()
        return known[-most:]

    @property
    def kept(self) -> bool:
        """Return whether its rows are those of the home, not a stand-in's."""
        return not isinstance(self._database, StandIn)

    def _batches_of_last_journals(self) -> list[str]:
        known: list[str] = []
        with suppress(OSError):
            for path, _ in reversed(journals_of(self.home)[:LAST_JOURNALS]):
                with suppress(OSError, RecordingError):
                    known += batches_of(check_journal(path))
        return known

    def put(self, sql: str, values: list[object]) -> None:
        """Hand one statement to the writer thread."""
        self._writing().put(StatementItem(sql, list(values)))

    def change(self, *changes: RowChange, then: Sequence[tuple[str, list[object]]] = ()) -> None:
        """Change rows of the home's journal, then of the database; `then`: in the same
        transaction."""
        records = b"".join(change.encoded() for change in changes)
        self._writing().put(ChangeItem(changes, records, [StatementItem(*each) for each in then]))

    def flush(self) -> bool:
        """Wait until all is committed; False if the database keeps failing."""
        return self._writing().flush()

    def commit(self, what: str) -> None:
        """Flush; StoreError with why `what` can't be written."""
        if not self.flush():
            error = self._writing().stats().last_error
            raise StoreError(f"{what} can't be written: {error}; make room and try again")

    def stats(self) -> StoreStatus:
        """Return the writer's counters, and what is to be rebuilt."""
        rebuilding = tuple(pending.session for pending in self.pending)
        return msgspec.structs.replace(self._writing().stats(), rebuilding=rebuilding)

    def _writing(self) -> DatabaseWriter:
        if self._writer is None:
            what = "is not open" if self._database is None else "is only read now: nothing can be kept there"
            raise StoreError(f"{self.home.root} {what}")
        return self._writer

    def _drop(self, session: str, keep_in: Path | None = None) -> None:
        items: list[Item] = [_delete(table, session) for table in FROM_JOURNAL if table != "sessions"]
        items.append(StatementItem("DELETE FROM sessions WHERE id = ?", [session]))
        for item in items:
            self._writing().put(item)
        if not self.flush() and keep_in == self.home.trash:
            raise StoreError(f"session {session} can't be deleted now: the database keeps failing")
        forget_checkpoints(self.home)  # perhaps of this session: nothing of it may be left
        journal = beneath(self.home.journals, session + SUFFIX)
        if keep_in is None:
            journal.unlink(missing_ok=True)
        elif journal.exists():
            # One of this id in the trash is a copy of the same recording.
            journal.replace(
                keep_in / journal.name if keep_in == self.home.trash else free_name(keep_in, journal.name)
            )
        self.pending = [item for item in self.pending if item.session != session]


def recover(store: Store, rebuild: Rebuild, sessions: Collection[str] | None = None) -> list[str]:
    """Run `rebuild` for the pending sessions; return lines to show. One that fails stays."""
    lines: list[str] = []
    for pending in list(store.pending):
        if sessions is not None and pending.session not in sessions:
            continue
        try:
            recording = JournalRecording(pending.path, numbered=True)
            writer = store.resume(pending.session)
            rebuild(recording, writer)
            writer.close()
            mark_same_drive(store, pending.session)
        except Exception as error:  # a bug in one session must not keep the car from starting
            lines.append(f"session {pending.session} could not be rebuilt: {error}; {pending.path} is kept")
            continue
        store.pending.remove(pending)
        lines.append(f"session {pending.session} was rebuilt from its journal ({pending.reason})")
    return lines


def digest_of(path: Path) -> str:
    """Return the digest of a file's unpacked content: BLAKE2b-128 in hexadecimal. OSError."""
    digest = hashlib.blake2b(digest_size=16)
    with open_bytes(path) as file:
        for chunk in iter(lambda: file.read(1 << 20), b""):
            digest.update(chunk)
    return digest.hexdigest()


def _insert(meta: SessionMeta) -> StatementItem:
    values = [
        meta.id, meta.kind, meta.source_name, meta.source_digest, meta.track, meta.format, meta.start_utc_s,
        meta.created_utc_s, meta.app_version, meta.driver, meta.vehicle, meta.venue, _time_of_day(meta),
    ]  # fmt: skip
    return StatementItem(_INSERT_SESSION, values)


def _time_of_day(meta: SessionMeta) -> float | None:
    try:
        seconds = float(meta.options[TIME_OF_DAY_OPTION])
    except (KeyError, ValueError):
        return None
    return seconds if 0.0 <= seconds <= DAY_S else None


def _delete(table: str, session: str) -> StatementItem:
    return StatementItem(f"DELETE FROM {table} WHERE session = ?", [session])  # noqa: S608

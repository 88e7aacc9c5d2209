"""The start: look at every file, set aside what is damaged, list what must be rebuilt."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Container, Sequence
from pathlib import Path

import _duckdb as duckdb
import msgspec

from pitwall.config import Home
from pitwall.store.checkpoint import checked_before
from pitwall.store.damage import (
    MAKE_ANEW,
    MENDED,
    CheckedJournal,
    JournalCheck,
    SetAside,
    check_journal,
    end_journal,
    finish_repairs,
    journal_seal,
    repair_journal,
    salvage,
    take_out_batches,
)
from pitwall.store.database import DamagedDatabaseError, Database, ReadDatabase, StandIn, judge
from pitwall.store.errors import NO_ROOM, StoreError, StoreFullError
from pitwall.store.files import checksum, free_name, set_aside, stamp_list, sync_path
from pitwall.store.schema import FROM_JOURNAL, migrate
from pitwall.store.seal import Seal, Verdict, inspect, log_of
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.journal import SUFFIX, SessionMeta

# Journals that are sealed and look unchanged are read again at a start only up to this sum; the newest first.
VERIFY_JOURNALS_UP_TO = 64 << 20
_LOG_ALONE = "belongs to a database that is damaged or gone"
# The note of a session that was not closed and had no journal at a start.
NO_JOURNAL = "its journal is missing"


class Pending(msgspec.Struct, frozen=True):
    """A session whose rows must be made again from its journal. `complete`: it was closed cleanly. `batches`:
    the ids of what was handed in and is in the journal; the database may know more of them, or fewer."""

    session: str
    path: Path
    reason: str
    complete: bool
    batches: tuple[str, ...] = ()


class OpenReport(msgspec.Struct):
    """Holds what a start found and did. `lines` say it to people, in the order it happened."""

    set_aside: list[SetAside] = []
    pending: list[Pending] = []
    lines: list[str] = []

    def aside(self, found: SetAside) -> None:
        """Note a damaged file."""
        self.set_aside.append(found)
        self.lines.append(found.line())


class _Known(msgspec.Struct, frozen=True):
    """Holds what the database says of a session."""

    closed: bool
    complete: bool
    last_seq: int
    shed_rows: int
    stamp: list[int] | None
    crc: int | None
    journal_last_seq: int | None
    # It was closed because no journal of it was found.
    alone: bool


def open_checked(home: Home, report: OpenReport) -> Database:
    """Open and check everything. StoreError where the place, not a file, is at fault.

    Damage may show as late as the first write to an index; then all begins again with a fresh database.
    """
    path = home.database
    folder = free_name(home.damaged, time.strftime("%Y%m%d-%H%M%S", time.gmtime()))
    try:
        for each in (path, log_of(path), Seal(path).path):
            if each.is_dir():
                # A phone that starts by itself has nobody to move it away.
                what = "a database" if each == path else "a file"
                _aside(each, folder, f"is a folder, not {what}", report)
        try:
            return _open(home, folder, report)
        except DamagedDatabaseError as error:
            _renew(home, folder, str(error), report)
            return _open(home, folder, report)
    except DamagedDatabaseError as error:
        raise StoreError(f"{path} can't be made: {error}") from error
    except OSError as error:
        kind = StoreFullError if error.errno in NO_ROOM else StoreError
        raise kind(f"{error.filename or path} can't be used: {error.strerror or error}") from error


def open_stand_in(home: Home, why: StoreError, report: OpenReport) -> Database:
    """A database in memory, for a drive where none can be opened: on a full disk, or a forbidden one."""
    report.lines.append(
        f"{why}; until then nothing is kept but the journals, and nothing is known of earlier days"
    )
    report.pending = []
    database = StandIn(home.database, str(why))
    migrate(database.con)
    return database


def _open(home: Home, folder: Path, report: OpenReport) -> Database:
    # What a killed process spilled is of no use to anyone.
    shutil.rmtree(home.database.with_name(home.database.name + ".tmp"), ignore_errors=True)
    path = home.database
    if path.is_file() and not path.stat().st_size and not Seal(path).path.exists():
        path.unlink()  # of a first start on a full disk: no database was ever in it
    finish_repairs(home.journals)
    _finish_renewal(path, folder, "was damaged, and a kill came while a new one took its place", report)
    verdict = inspect(home.database)
    database = _connect(home, verdict, folder, report)
    try:
        before, after = migrate(database.con)
        if 0 < before < after:
            report.lines.append(f"the database was brought from schema version {before} to {after}")
        if verdict != Verdict("whole", "none") or log_of(home.database).exists():
            _fold(database, report)
        check_journals(home, database, folder, report)
        with contextlib.suppress(OSError):
            database.seal.seal_log()
    except duckdb.Error as error:
        database.con.close()
        raise judge(home.database, error) from error
    except BaseException:
        database.con.close()
        raise
    return database


def _fold(database: Database, report: OpenReport) -> None:
    """Begin with an empty log and a fresh seal. A full disk leaves the log for later: reading still works."""
    try:
        database.checkpoint()
    except OSError as error:
        report.lines.append(f"{database.path.name} could not be folded: {error.strerror}; make room")
    except duckdb.Error as error:
        known = judge(database.path, error)
        if isinstance(known, DamagedDatabaseError):
            raise
        report.lines.append(str(known))
        database.reconnect()


def _connect(home: Home, verdict: Verdict, folder: Path, report: OpenReport) -> Database:
    """Open what the seal vouches for; where DuckDB refuses, without its log; then a fresh database."""
    path, log = home.database, log_of(home.database)
    why = "its checksum is not what it was when Pitwall last wrote it"
    if verdict.main == "damaged":
        _renew(home, folder, why, report)
    elif verdict.main == "none" and log.exists():
        _aside(log, folder, _LOG_ALONE, report)
    elif verdict.log == "damaged":
        _aside(log, folder, why, report)
    elif verdict.log == "short":
        report.lines.append(f"{log.name} is shorter than it was; missing rows come back from the journals")
    try:
        return _whole(path, verdict)
    except DamagedDatabaseError as error:
        if not log.exists():
            raise
        _aside(log, folder, str(error), report)
        return _whole(path, verdict)


def _renew(home: Home, folder: Path, why: str, report: OpenReport) -> None:
    """Put a fresh database in the place of a damaged one, with all that no journal holds. The damaged one
    stays at its place until the fresh one is whole; see `_finish_renewal`."""
    path, made = home.database, home.database.with_name(home.database.name + ".new")
    for left in (made, log_of(made), Seal(made).path):
        left.unlink(missing_ok=True)  # of a start that was killed before it was whole
    database = Database(made)
    try:
        migrate(database.con)
        lines = salvage(path, database, [each.stem for each in home.journals.glob(f"*{SUFFIX}")])
        database.checkpoint()
        database.seal.close()
    except duckdb.Error as error:
        raise judge(made, error) from error
    finally:
        database.con.close()
    Seal(made).path.replace(Seal(_mended(path)).path)
    made.replace(_mended(path))
    _finish_renewal(path, folder, why, report)
    report.lines += lines


def _finish_renewal(path: Path, folder: Path, why: str, report: OpenReport) -> None:
    """Where a whole fresh database waits, set the old one aside with its log, and let it take the place."""
    fresh, log = _mended(path), log_of(path)
    if not fresh.exists():
        return
    if path.exists():
        _aside(path, folder, why, report)
    if log.exists():
        _aside(log, folder, _LOG_ALONE, report)
    with contextlib.suppress(FileNotFoundError):  # it is there already
        Seal(fresh).path.replace(Seal(path).path)
    fresh.replace(path)
    sync_path(path.parent)


def _mended(path: Path) -> Path:
    return path.with_name(path.name + MENDED)


def _aside(path: Path, folder: Path, why: str, report: OpenReport) -> None:
    report.aside(SetAside(path.name, str(set_aside(path, folder)), why))


def _whole(path: Path, verdict: Verdict) -> Database:
    """Open, and read everything where nothing else vouches for the file."""
    database = Database(path)
    if verdict.main == "unknown":
        try:
            database.read_everything()
        except DamagedDatabaseError:
            database.con.close()
            raise
    return database


def check_journals(home: Home, database: ReadDatabase, folder: Path | None, report: OpenReport) -> None:
    """Verify every journal and fill `report.pending`. Mend them too, where there is a `folder` for what is
    set aside; else nothing is written."""
    report.pending = []
    known, checked = _known_sessions(database), checked_before(home)
    budget = VERIFY_JOURNALS_UP_TO
    try:
        found = journals_of(home)
    except OSError as error:
        # Nothing can be said of any session: what looks as if it had no journal may have one.
        report.lines.append(f"{home.journals} can't be read: {error.strerror}; no journal was checked")
        return
    paths = [path for path, _ in found]
    newer: set[str] = set()  # the batches of the journals that were checked, the one written to last first
    for path, size in found:
        session = known.get(path.stem)
        try:
            # The one that was closed; where there is time for it, byte for byte.
            if (
                session is not None
                and session.stamp == stamp_list(path)
                and (size > budget or checksum(path)[0] == session.crc)
            ):
                budget -= size
                if (reason := _reason(session, session.journal_last_seq or -1)) is not None:
                    batches = batches_of(check_journal(path))
                    report.pending.append(Pending(path.stem, path, reason, session.complete, batches))
                continue
            batches = _check_one(path, session, checked.get(path.stem), database, folder, report, newer)
            newer.update(batches)
        except (OSError, RecordingError) as error:
            report.lines.append(f"{path.name} could not be checked and is left alone: {error}")
    if folder is not None:
        _close_without_journal(known, {path.stem for path in paths}, database, report)
    report.pending.sort(key=lambda pending: pending.session)


def batches_of(found: JournalCheck) -> tuple[str, ...]:
    """The ids of the batches that a journal holds."""
    return tuple(batch.id for _, batch in found.batches)


def journals_of(home: Home) -> list[tuple[Path, int]]:
    """(journal, bytes), the one written to last first. OSError where the folder or a file is out of reach."""
    found = []
    with os.scandir(home.journals) as entries:
        for entry in entries:
            if entry.name.endswith(SUFFIX) and not entry.name.startswith("."):
                seen = entry.stat()
                found.append((seen.st_mtime_ns, home.journals / entry.name, seen.st_size))
    return [(path, size) for _, path, size in sorted(found, reverse=True)]


def _check_one(
    path: Path,
    session: _Known | None,
    checked: CheckedJournal | None,
    database: ReadDatabase,
    folder: Path | None,
    report: OpenReport,
    newer: Container[str],
) -> tuple[str, ...]:
    """Mend a journal, and say what is to be made again of it; the ids of its batches."""
    found = check_journal(path, checked)
    aside = None if folder is None else repair_journal(path, found, folder)
    if aside is not None:
        report.aside(aside)
    if folder is not None and (session is None or session.alone or not session.closed):
        again = _sent_again(path.stem, batches_of(found), database, newer)
        # A session that has all of them is a copy: one that was joined, or one from the trash.
        if again and (len(again) < len(found.batches) or (session is not None and session.alone)):
            report.aside(take_out_batches(path, again, folder))
            found = check_journal(path)
            # Its rows may hold them as well: all of them are made anew.
            database.con.execute(f"{MAKE_ANEW} WHERE id = ?", [path.stem])
    if found.last_seq < 0:
        return ()
    reason = "missing in the database" if session is None else _reason(session, found.last_sample_seq)
    if reason is None and session is not None and session.stamp is None and not found.ended:
        # It was closed on a disk that took no more: the database may know what its journal does not.
        reason = "its journal could not be finished"
    if reason is not None:
        report.pending.append(Pending(path.stem, path, reason, found.ended, batches_of(found)))
    if reason is None and folder is not None:
        end_journal(path, found)
        seal, crc = journal_seal(path)
        database.con.execute(
            "UPDATE sessions SET journal_stamp = ?, journal_crc = ?, journal_last_seq = ? WHERE id = ?",
            [seal, crc, found.last_sample_seq, path.stem],
        )
    return batches_of(found)


def _sent_again(
    session: str, batches: Sequence[str], database: ReadDatabase, newer: Container[str]
) -> set[str]:
    """The batches of a journal that was away which its sender, told nothing of them, handed in again
    meanwhile: a journal written to later has it, or the database has it of another session. One that the
    database has of this very session was known to it, unless it had no room to be opened meanwhile."""
    rows = database.con.execute(
        "SELECT id, session FROM batches WHERE list_contains(?, id)", [list(batches)]
    ).fetchall()
    here = {batch for batch, owner in rows if owner == session}
    elsewhere = {batch for batch, owner in rows if owner != session}
    return {batch for batch in batches if batch in newer or (batch in elsewhere and batch not in here)}


def _reason(session: _Known, last_sample_seq: int) -> str | None:
    """Why a session must be rebuilt, None where it need not."""
    if not session.closed:
        return "was not closed"
    if session.alone:
        return "its journal was missing and is there again"
    if session.shed_rows:
        return f"rows of {session.shed_rows} samples were shed while driving"
    if session.last_seq < last_sample_seq:
        return "rows are missing in the database"
    return None


def _known_sessions(database: ReadDatabase) -> dict[str, _Known]:
    rows = database.con.execute(
        "SELECT id, closed_utc_s IS NOT NULL, complete, last_seq, shed_rows, journal_stamp, journal_crc, "
        "journal_last_seq, contains(notes, ?) FROM sessions",
        [NO_JOURNAL],
    ).fetchall()
    return {row[0]: _Known(*row[1:]) for row in rows}


def _close_without_journal(
    known: dict[str, _Known], journals: set[str], database: ReadDatabase, report: OpenReport
) -> None:
    """A session that was not closed and has no journal can't be rebuilt: close it as it is, until the journal
    is found again (a card that was not mounted). One without a sample is gone: a kill came after its row and
    before its journal."""
    for session, state in known.items():
        if session in journals or state.alone or (state.closed and not state.shed_rows):
            continue
        if state.last_seq < 0:
            for table in FROM_JOURNAL:
                column = "id" if table == "sessions" else "session"
                database.con.execute(f"DELETE FROM {table} WHERE {column} = ?", [session])  # noqa: S608
            report.lines.append(f"session {session} was broken off before its first sample")
            continue
        report.lines.append(f"session {session} has no journal; it stays as it is in the database")
        database.con.execute(
            "UPDATE sessions SET closed_utc_s = coalesce(closed_utc_s, ?), notes = trim(notes || ' ' || ?) "
            "WHERE id = ?",
            [time.time(), NO_JOURNAL, session],
        )


def meta_from(path: Path, found: JournalCheck) -> SessionMeta:
    """The session header of a journal, made up from its name where it was lost. Where the clock was set in
    the course of the session, what it said afterwards holds for its beginning too."""
    meta = found.meta or SessionMeta(id=path.stem, kind="live", created_utc_s=path.stat().st_mtime)
    if not found.clock_set_s or meta.start_utc_s is None:
        return meta
    # To the digits that notes of the clock have: so it was reckoned while it was driven.
    return msgspec.structs.replace(meta, start_utc_s=round(meta.start_utc_s + found.clock_set_s, 3))

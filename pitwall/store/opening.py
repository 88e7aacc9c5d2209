"""Open the store: check each file, set aside what is damaged, list what to rebuild."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import _duckdb as duckdb
import msgspec

from pitwall.config import Home
from pitwall.store.checkpoint import checked_before
from pitwall.store.database import (
    DamagedDatabaseError,
    Database,
    MainState,
    ReadDatabase,
    Seal,
    StandIn,
    connect_to_read,
    inspect,
    judge,
    log_of,
)
from pitwall.store.errors import NO_ROOM, StoreError, StoreFullError, StoreLockedError, first_line
from pitwall.store.files import checksum, free_name, set_aside, stamp_list
from pitwall.store.home_journal import HomeJournal, derive, derived_from, take_over
from pitwall.store.journal_check import (
    JournalCheck,
    SetAside,
    check_journal,
    end_journal,
    finish_repairs,
    journal_seal,
    repair_journal,
)
from pitwall.store.lock import locked
from pitwall.store.schema import FROM_JOURNAL, VERSION, WITH_HOME_JOURNAL, create, refuse_newer, version
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.journal import SUFFIX, SessionMeta

# Sealed journals that look unchanged are read again up to this sum; the newest first.
VERIFY_JOURNALS_UP_TO = 64 << 20
_CHANGED = "its checksum is not what it was when Pitwall last wrote it"
_OLDER = "was made by an older pitwall: all of it is made again from the journals"
_LOG_ALONE = "belongs to a database that is damaged or gone"
# The note of an open session without a journal.
NO_JOURNAL = "its journal is missing"
# A database that must be copied to be read may be this large.
MOST_COPIED_BYTES = 2 << 30
# Room that a copy leaves.
FREE_AFTER_COPY_BYTES = 64 << 20
# The writing process folds its log within a second; then its files hold still.
COPY_WITHIN_S, AGAIN_S = 5.0, 0.05
_PREFIX = "pitwall-read-"
_MEND = "run pitwall where the home can be written: the database is made again from the journals"


class Pending(msgspec.Struct, frozen=True):
    """A session to be made again; `complete`: closed cleanly, `batches`: in its journal."""

    session: str
    path: Path
    reason: str
    complete: bool
    batches: tuple[str, ...] = ()


class OpenReport(msgspec.Struct):
    """What a start found and did; `lines` say it to people."""

    set_aside: list[SetAside] = []
    pending: list[Pending] = []
    lines: list[str] = []

    def aside(self, found: SetAside) -> None:
        """Note a damaged file."""
        self.set_aside.append(found)
        self.lines.append(found.line())


class _Known(msgspec.Struct, frozen=True):
    closed: bool
    complete: bool
    last_seq: int
    shed_rows: int
    stamp: list[int] | None
    crc: int | None
    journal_last_seq: int | None
    samples: int
    # It was closed because it had no journal.
    alone: bool

    def lacks(self, found: JournalCheck) -> bool:
        """Return whether the journal holds less than when the session was closed."""
        sealed = self.closed and not self.alone and self.journal_last_seq is not None
        return sealed and holds_less(found, self.journal_last_seq or -1, self.samples)


def open_checked(home: Home, report: OpenReport) -> Database:
    """Open and check everything; damage found late begins again with a new database."""
    path = home.database
    folder = free_name(home.damaged, time.strftime("%Y%m%d-%H%M%S", time.gmtime()))
    try:
        for each in (path, log_of(path), Seal(path).path, home.home_journal):
            if each.is_dir():
                # A phone that starts by itself has nobody to move it away.
                what = "a database" if each == path else "a file"
                _aside(each, folder, f"is a folder, not {what}", report)
        try:
            return _open(home, folder, report)
        except DamagedDatabaseError as error:
            _set_database_aside(home, folder, str(error), report)
            return _open(home, folder, report)
    except DamagedDatabaseError as error:
        raise StoreError(f"{path} can't be made: {error}") from error
    except OSError as error:
        kind = StoreFullError if error.errno in NO_ROOM else StoreError
        raise kind(f"{error.filename or path} can't be used: {error.strerror or error}") from error


def open_stand_in(home: Home, why: StoreError, report: OpenReport) -> Database:
    """Return a database in memory, where none can be opened."""
    report.lines.append(
        f"{why}; until then nothing is kept but the journals, and nothing is known of earlier days"
    )
    report.pending = []
    database = StandIn(home.database, str(why))
    create(database.con)
    return database


def _open(home: Home, folder: Path, report: OpenReport) -> Database:
    path, log = home.database, log_of(home.database)
    # What a killed process spilled.
    shutil.rmtree(path.with_name(path.name + ".tmp"), ignore_errors=True)
    if path.is_file() and not path.stat().st_size and not Seal(path).path.exists():
        path.unlink()  # of a first start on a full disk: no database was ever in it
    finish_repairs(home.journals)
    state = inspect(path)
    if state == "damaged":
        _set_database_aside(home, folder, _CHANGED, report)
    elif state == "none" and log.exists():
        _aside(log, folder, _LOG_ALONE, report)
    made_new = state in ("none", "damaged")
    try:
        return _checked(home, made_new, state, folder, report)
    except BaseException:
        if made_new:  # half of a database is none
            for each in (path, log, Seal(path).path):
                with suppress(OSError):
                    each.unlink()
        raise


def _checked(home: Home, made_new: bool, state: MainState, folder: Path, report: OpenReport) -> Database:
    path = home.database
    database = Database(path)
    try:
        if state == "unknown":
            database.read_everything()
        if not (known := version(database.con)):
            create(database.con)
        elif known != VERSION:
            refuse_newer(known)
            if known < WITH_HOME_JOURNAL or not home.home_journal.exists():
                take_over(database.home_journal, database.con)
            raise DamagedDatabaseError(_OLDER)
        # Before the log is folded, which takes what room there is.
        if (wrong := derive(database.home_journal, database.con, folder)) is not None:
            report.aside(SetAside(home.home_journal.name, wrong[1], wrong[0]))
        if state != "whole" or log_of(path).exists():
            _fold(database, report)
        check_journals(home, database, folder, report, made_new=made_new)
    except duckdb.Error as error:
        database.con.close()
        raise judge(path, error) from error
    except BaseException:
        database.con.close()
        raise
    return database


def _fold(database: Database, report: OpenReport) -> None:
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


def _set_database_aside(home: Home, folder: Path, why: str, report: OpenReport) -> None:
    log = log_of(home.database)
    if home.database.exists():
        _aside(home.database, folder, why, report)
    if log.exists():
        _aside(log, folder, _LOG_ALONE, report)
    Seal(home.database).path.unlink(missing_ok=True)
    if not home.home_journal.exists():
        report.lines.append("names, tags, marks, lessons, conversations and jobs were in that database alone")


def _aside(path: Path, folder: Path, why: str, report: OpenReport) -> None:
    report.aside(SetAside(path.name, str(set_aside(path, folder)), why))


def check_journals(
    home: Home, database: ReadDatabase, folder: Path | None, report: OpenReport, *, made_new: bool = False
) -> None:
    """Verify every journal and fill `report.pending`; repair too with a `folder`."""
    report.pending = []
    known, checked = _known_sessions(database), checked_before(home)
    budget = VERIFY_JOURNALS_UP_TO
    try:
        found = journals_of(home)
    except OSError as error:
        # What looks as if it had no journal may have one.
        report.lines.append(f"{home.journals} can't be read: {error.strerror}; no journal was checked")
        return
    paths = [path for path, _ in found]
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
            content = check_journal(path, checked.get(path.stem))
            unfinished = content.meta is not None and content.meta.kind == "import" and not content.ended
            if unfinished and folder is not None and not made_new and not (session and session.closed):
                _drop_import(path, database, folder, report)
                known.pop(path.stem, None)
            elif session is not None and session.lacks(content):
                _keep_rows(path, session, content, database, folder, report)
            else:
                _check_one(path, session, content, database, folder, report)
        except (OSError, RecordingError) as error:
            report.lines.append(f"{path.name} could not be checked and is left alone: {error}")
    if folder is not None:
        _close_without_journal(known, {path.stem for path in paths}, database, report)
    report.pending.sort(key=lambda pending: pending.session)


def batches_of(found: JournalCheck) -> tuple[str, ...]:
    """Return the ids of a journal's batches."""
    return tuple(batch.id for _, batch in found.batches)


def journals_of(home: Home) -> list[tuple[Path, int]]:
    """Return (journal, bytes), the last written first. OSError."""
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
    found: JournalCheck,
    database: ReadDatabase,
    folder: Path | None,
    report: OpenReport,
) -> None:
    aside = None if folder is None else repair_journal(path, found, folder)
    if aside is not None:
        report.aside(aside)
    if found.last_seq < 0:
        return
    reason = "missing in the database" if session is None else _reason(session, found.last_sample_seq)
    if reason is None and session is not None and session.stamp is None and not found.ended:
        # Closed on a full disk: the database may know what its journal does not.
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


def holds_less(found: JournalCheck, last_seq: int, samples: int) -> bool:
    """Return whether a journal holds less than the rows made of it."""
    return found.last_sample_seq < last_seq or found.samples < samples


def _keep_rows(
    path: Path,
    session: _Known,
    found: JournalCheck,
    database: ReadDatabase,
    folder: Path | None,
    report: OpenReport,
) -> None:
    report.lines.append(
        f"{path.name} holds {found.samples} of {session.samples} readings: it was cut or damaged after "
        f"session {path.stem} was closed; what was measured of it stays as it is"
    )
    if folder is None:
        return
    if (aside := repair_journal(path, found, folder)) is not None:
        report.aside(aside)
    if path.exists():
        end_journal(path, check_journal(path))
        seal, crc = journal_seal(path)
        sql = "UPDATE sessions SET journal_stamp = ?, journal_crc = ?, shed_rows = 0 WHERE id = ?"
        database.con.execute(sql, [seal, crc, path.stem])


def _drop_import(path: Path, database: ReadDatabase, folder: Path, report: OpenReport) -> None:
    delete_rows(database.con, path.stem)
    why = "is of an import that was broken off: import that file again"
    _aside(path, folder, why, report)


def delete_rows(con: duckdb.DuckDBPyConnection, session: str) -> None:
    """Remove all rows of a session's journal. duckdb.Error."""
    for table in FROM_JOURNAL:
        key = "id" if table == "sessions" else "session"
        con.execute(f"DELETE FROM {table} WHERE {key} = ?", [session])  # noqa: S608


def _reason(session: _Known, last_sample_seq: int) -> str | None:
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
        "journal_last_seq, samples, contains(notes, ?) FROM sessions",
        [NO_JOURNAL],
    ).fetchall()
    return {row[0]: _Known(*row[1:]) for row in rows}


def _close_without_journal(
    known: dict[str, _Known], journals: set[str], database: ReadDatabase, report: OpenReport
) -> None:
    """Close a session without end and journal, until the journal is found (a card not mounted);
    drop one without samples."""
    for session, state in known.items():
        if session in journals or state.alone or (state.closed and not state.shed_rows):
            continue
        if state.last_seq < 0:
            delete_rows(database.con, session)
            report.lines.append(f"session {session} was broken off before its first sample")
            continue
        report.lines.append(f"session {session} has no journal; it stays as it is in the database")
        database.con.execute(
            "UPDATE sessions SET closed_utc_s = coalesce(closed_utc_s, ?), notes = trim(notes || ' ' || ?) "
            "WHERE id = ?",
            [time.time(), NO_JOURNAL, session],
        )


def meta_from(path: Path, found: JournalCheck) -> SessionMeta:
    """Return a journal's session header, made from its name if lost."""
    meta = found.meta or SessionMeta(id=path.stem, kind="live", created_utc_s=path.stat().st_mtime)
    if not found.clock_set_s or meta.start_utc_s is None:
        return meta
    # To the digits that notes of the clock have.
    return msgspec.structs.replace(meta, start_utc_s=round(meta.start_utc_s + found.clock_set_s, 3))


def scratch_folder() -> TemporaryDirectory[str]:
    """Return a private temporary folder; remove those of killed readers. StoreError."""
    try:
        for name in os.listdir(gettempdir()):
            number = name.removeprefix(_PREFIX).partition("-")[0] if name.startswith(_PREFIX) else ""
            if number.isdigit() and not os.path.exists(f"/proc/{number}"):
                shutil.rmtree(os.path.join(gettempdir(), name), ignore_errors=True)
        return TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-", ignore_cleanup_errors=True)
    except OSError as error:
        raise StoreError(f"there is no temporary folder to read with: {error}; set TMPDIR") from error


def open_to_read(home: Home, scratch: Path, report: OpenReport) -> tuple[ReadDatabase, bool]:
    """Return the database, and whether the home is whole and up to date. StoreError."""
    path, state = home.database, inspect(home.database)
    if state == "damaged":
        raise StoreError(f"{path} is damaged; {_MEND}")
    if state == "none":
        path = scratch / path.name
        with duckdb.connect(str(path)) as con:
            create(con)
    database = _read(path, scratch)
    try:
        check_journals(home, database, None, report)
        journal = HomeJournal(home.home_journal)
        journal.read()
        derived = derived_from(database.con) == (journal.size, journal.crc)
    except duckdb.Error as error:
        database.close()
        raise StoreError(f"{path} can't be read: {first_line(error)}") from error
    up_to_date = derived and not (report.lines or report.pending or log_of(path).exists())
    return database, up_to_date and state == "whole"


def open_copy(home: Home, scratch: Path) -> ReadDatabase:
    """Return a copy of what another process has committed. StoreLockedError without one."""
    end_s = time.monotonic() + COPY_WITHIN_S
    while not _copied_whole(home.database, scratch):
        if time.monotonic() > end_s:
            raise StoreLockedError(locked(home.root))
        time.sleep(AGAIN_S)
    return _read(scratch / home.database.name, scratch)


def _read(path: Path, scratch: Path) -> ReadDatabase:
    try:
        database = connect_to_read(path, scratch)
    except DamagedDatabaseError as error:
        raise StoreError(f"{path} is damaged ({error}); {_MEND}") from error
    known = version(database.con)
    if known != VERSION:
        database.close()
        refuse_newer(known)
        raise StoreError(f"{path} {_OLDER.partition(':')[0]}; {_MEND}")
    return database


def _copied_whole(path: Path, scratch: Path) -> bool:
    """Copy a database that another process writes: under one seal its main file does not change."""
    before = Seal(path).line()
    if not before:
        return False
    copy = scratch / path.name
    _copy(path, scratch)
    Seal(copy).path.write_bytes(before)
    return inspect(copy) == "whole" and Seal(path).line() == before


def _copy(path: Path, scratch: Path) -> None:
    log = log_of(path)
    wanted = sum(file.stat().st_size for file in (path, log) if file.exists())
    free = shutil.disk_usage(scratch).free
    if wanted > min(MOST_COPIED_BYTES, free - FREE_AFTER_COPY_BYTES):
        raise StoreError(
            f"{path} must be copied to be read, and {scratch.parent} has no room for its {wanted >> 20} MiB; "
            "set TMPDIR to a folder with more room"
        )
    log_of(scratch / path.name).unlink(missing_ok=True)
    for file in (path, log):
        with suppress(FileNotFoundError):  # the log may be folded at any moment
            shutil.copyfile(file, scratch / file.name)

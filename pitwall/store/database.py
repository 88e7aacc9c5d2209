"""The DuckDB file: how it is opened, sealed, and read from end to end.

DuckDB reads blocks lazily, so a flipped byte may go unnoticed for months. The main file changes
only in our checkpoints and large commits; after each one `<database>.seal` holds its CRC. The seal
is invalidated before, so that a kill in the middle doesn't look like damage. DuckDB itself refuses
a damaged log."""

from __future__ import annotations

import contextlib
import errno
import math
import os
import shutil
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Self, cast

import _duckdb as duckdb

from pitwall.config import HOME_JOURNAL
from pitwall.store.errors import FULL, StoreError, StoreFullError, StoreLockedError, first_line
from pitwall.store.files import Stamp, checksum, replace_file, stamp, sync_path
from pitwall.store.home_journal import HomeJournal
from pitwall.store.process_memory import drop_code_pages

SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    # One thread: the other core belongs to the in-drive path.
    "threads": 1,
    # Of the daemon's 120 MB, DuckDB's code takes 30 besides.
    "memory_limit": "32MB",
    # Spill next to the database: a checkpoint without memory is fatal to DuckDB. Bounded, so that a
    # runaway query fails.
    "max_temp_directory_size": "256MB",
    # A table name must never reach into Python's variables.
    "python_enable_replacements": False,
    # Checkpoints are ours, with the seal.
    "checkpoint_threshold": "1TB",
}
# A command that reads alone may have more, for the log is replayed in memory.
READ_MEMORY = "128MB"
# After opening. A close must not fold the log: without a new seal that looks like damage. Files,
# ATTACH, COPY and INSTALL stay closed to all SQL, except in the handover folder.
LOCKDOWN = (
    "PRAGMA disable_checkpoint_on_shutdown",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
# Unfolded rows stay in memory; folding 4 MB takes a tenth of a second.
CHECKPOINT_LOG_BYTES = 4 << 20

# A rewritten file's name in the handover folder, where an open database may write; the least gain.
FRESH, LEAST_FREED_BYTES = "rewritten.duckdb", 4 << 20

# A connection that is being closed is busy for milliseconds.
CLOSE_WITHIN_S, CLOSE_AGAIN_S = 2.0, 0.002

# So DuckDB says that a checksum is wrong.
CORRUPT = "Corrupt database file"
# What DuckDB says of a good file that can't be used now; all else is damage.
_NOT_DAMAGE: tuple[tuple[str, str], ...] = (
    ("could not allocate", "needs more memory than there is; end other programs and start again"),
    ("failed to pin", "needs more memory than there is; end other programs and start again"),
    ("Out of Memory", "needs more memory than there is; end other programs and start again"),
    ("Permission denied", "can't be opened: permission denied; make it yours or choose another PITWALL_HOME"),
    ("Read-only file system", "lies on a read-only file system; choose another PITWALL_HOME"),
    (FULL, "can't be opened: no space left on the device; make room and start again"),
    ("Is a directory", "is a folder, not a database; move it away and start again"),
    ("newer version of DuckDB", "was written by a newer DuckDB; use the newer pitwall it was made with"),
    ("with version number", "was written by another DuckDB; use the pitwall it was made with"),
)

_DAMAGE = (
    duckdb.IOException,
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.SerializationException,
)


class DamagedDatabaseError(Exception):
    """DuckDB can't read what it wrote."""


# Up to this size the file is read at every start (half a second on a phone); above it, unchanged
# size and times are trusted.
TRUST_STAMP_ABOVE = 256 << 20
# The size in the seal of a damaged file.
_DAMAGED_SIZE = -1

MainState = Literal["none", "whole", "unknown", "damaged"]


class Seal:
    """Keeps `<database>.seal`. Methods raise OSError."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self.path = database.with_name(database.name + ".seal")
        self._marked_damaged = False

    def mark_damaged(self) -> None:
        """Let the next start set the main file aside."""
        self._write(f"main {_DAMAGED_SIZE} 0 0 0")
        self._marked_damaged = True

    def invalidate(self) -> bytes:
        """Say that the main file is about to change; return the seal as it was."""
        before = self.path.read_bytes() if self.path.exists() else b""
        self._write("broken")
        return before

    def restore(self, before: bytes) -> None:
        """Put the seal back: the file did not change after all."""
        if before and not self._marked_damaged:
            replace_file(self.path, before)

    def seal_main(self) -> None:
        """Seal the main file as it is now."""
        before = stamp(self._database)
        crc, _ = checksum(self._database)
        self._write(f"main {before.size} {before.mtime_ns} {before.ctime_ns} {crc}")

    def _write(self, text: str) -> None:
        if not self._marked_damaged:
            replace_file(self.path, f"{text} #{zlib.crc32(text.encode()):08x}\n".encode())

    def line(self) -> bytes:
        """Return the line that seals the main file, b"" if none."""
        with contextlib.suppress(FileNotFoundError):
            # An older Pitwall wrote lines on the log behind it.
            line = self.path.read_bytes().split(b"\n", 1)[0]
            text, _, mark = line.rpartition(b" #")
            if text.startswith(b"main ") and mark == f"{zlib.crc32(text):08x}".encode():
                return line
        return b""


def log_of(database: Path) -> Path:
    """Return the write-ahead log."""
    return database.with_name(database.name + ".wal")


def inspect(database: Path) -> MainState:
    """Compare the main file with its seal; `unknown`: DuckDB must read everything. OSError."""
    if not database.exists():
        return "none"
    if not (line := Seal(database).line()):
        return "unknown"
    size, mtime_ns, ctime_ns, crc = (int(word) for word in line.split()[1:5])
    now = stamp(database)
    if now == Stamp(size, mtime_ns, ctime_ns) and size > TRUST_STAMP_ABOVE:
        return "whole"
    found, _ = checksum(database)
    return "whole" if now.size == size and found == crc else "damaged"


class _Closed:
    """Replaces a closed connection: DuckDB's object must not outlive the interpreter."""

    def close(self) -> None:
        """It is."""

    def __getattr__(self, name: str) -> Any:
        raise duckdb.ConnectionException("the connection is closed")


CLOSED = cast(duckdb.DuckDBPyConnection, _Closed())


class _Reading:
    def __init__(self, con: duckdb.DuckDBPyConnection, over: Callable[[], None]) -> None:
        self._con, self._over = con, over

    def __getattr__(self, name: str) -> Any:
        return getattr(self._con, name)

    def execute(self, *args: Any, **named: Any) -> Self:
        """Execute; who fetches from the result still reads."""
        self._con.execute(*args, **named)
        return self

    def close(self) -> None:
        con, self._con = self._con, CLOSED
        con.close()
        self.__del__()

    def __del__(self) -> None:
        over, self._over = self._over, lambda: None
        over()


class ReadDatabase:
    """A connection that only reads, and cursors of it."""

    def __init__(self, path: Path, con: duckdb.DuckDBPyConnection) -> None:
        self.path, self.con = path, con
        # How often the file was rewritten.
        self.rewrite_count = 0

    @contextmanager
    def no_rewrite(self, within_s: float) -> Iterator[int]:
        """Keep the file as it is while another process reads. BlockingIOError after `within_s`."""
        yield self.rewrite_count

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a connection for one reader, who closes it."""
        try:
            return self.con.cursor()
        except duckdb.Error as error:
            raise StoreError(f"{self.path} is not open: {error}") from error

    def close(self) -> None:
        """Close the connection; wait for another thread's question."""
        con, self.con = self.con, CLOSED
        until_s = time.monotonic() + CLOSE_WITHIN_S
        while True:
            try:
                con.close()
            except duckdb.ResourceInUseException:
                if time.monotonic() > until_s:
                    raise
                time.sleep(CLOSE_AGAIN_S)
            else:
                return


class Database(ReadDatabase):
    """The one connection that writes, and cursors for those that read."""

    def __init__(self, path: Path) -> None:
        self.seal = Seal(path)
        # Reconciled at the start, see `home_journal.derive`.
        self.home_journal = HomeJournal(path.with_name(HOME_JOURNAL))
        super().__init__(path, _connect(path))
        self._file = path.stat()
        # Reentrant: a forgotten cursor may be collected while another is made.
        self._lock, self._readers = threading.RLock(), 0
        self._folding = threading.Lock()
        self._copying: duckdb.DuckDBPyConnection | None = None
        # When a cursor was asked for last, in monotonic seconds.
        self.read_s = -math.inf

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Seal the main file again after this block: DuckDB puts what is a row group or more there
        before it is committed. OSError where the disk refuses before."""
        with self._folding:
            self.rewrite_count += 1
            self.seal.invalidate()
            yield
            with contextlib.suppress(OSError):  # committed it is; the next checkpoint seals
                sync_path(self.path)
                self.seal.seal_main()

    @contextmanager
    def no_rewrite(self, within_s: float) -> Iterator[int]:
        """Keep the file from being rewritten; rows may be committed."""
        if not self._folding.acquire(timeout=max(within_s, 0.0)):
            raise BlockingIOError
        try:
            # Closing any handle of the file releases DuckDB's lock; the home's own keeps out
            # writers.
            os.close(os.open(self.path, os.O_RDONLY | os.O_CLOEXEC))
            yield self.rewrite_count
        finally:
            self._folding.release()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a connection for one reader, who closes it."""

        def over() -> None:
            with self._lock:
                self._readers -= 1

        self.read_s = time.monotonic()
        with self._lock:
            con = super().cursor()
            self._readers += 1
        return cast(duckdb.DuckDBPyConnection, _Reading(con, over))

    def _open_again(self) -> None:
        self.con = _connect(self.path)
        self._file = self.path.stat()

    def log_bytes(self) -> int:
        """Return the length of the log; make it private. OSError."""
        try:
            seen = log_of(self.path).stat()
        except FileNotFoundError:
            return 0
        if seen.st_mode & 0o077:
            with contextlib.suppress(OSError):  # a file system without owners
                log_of(self.path).chmod(0o600)
        return seen.st_size

    def renew(self) -> bool:
        """Close and open again; False while somebody reads. Until then DuckDB 2.0 keeps a kilobyte
        of every commit: 100 MB of an hour of a full bus. duckdb.Error, StoreError."""
        with self._folding, self._lock:
            if self._readers:
                return False
            self.con.close()
            self._open_again()
        # What only opening runs is let go of.
        drop_code_pages("_duckdb")
        return True

    def room(self) -> tuple[int, int]:
        """Return bytes of used and free blocks: from DuckDB 2.0.1 on a file never shrinks.
        duckdb.Error."""
        sql = (
            "SELECT block_size * used_blocks, block_size * free_blocks FROM pragma_database_size() "
            "WHERE database_name = current_database()"
        )
        with contextlib.closing(self.cursor()) as con:
            [(used, free)] = con.execute(sql).fetchall()
        return int(used), int(free)

    def rewrite(self, *, always: bool) -> int | None:
        """Copy all into a new file if most blocks are free, or `always`; return the bytes freed."""
        used, free = self.room()
        if not always and (free <= used or free < LEAST_FREED_BYTES):
            return None
        fresh = handover_of(self.path) / FRESH
        self._forget_fresh(fresh)
        if shutil.disk_usage(fresh.parent).free < used + LEAST_FREED_BYTES:
            return None
        before = self.path.stat().st_size
        try:
            self._copy_to(fresh)
            with self._folding, self._lock:
                # What was written since would lie in the log.
                if self._readers or self.log_bytes():
                    return None
                sync_path(fresh)
                self.rewrite_count += 1
                self.seal.invalidate()
                self.con.close()
                fresh.replace(self.path)
                sync_path(self.path.parent)
                self.seal.seal_main()
                self._open_again()
        except duckdb.InterruptException:
            return None
        finally:
            self._forget_fresh(fresh)
        return before - self._file.st_size

    def _copy_to(self, fresh: Path) -> None:
        """Copy. duckdb.InterruptException after `hurry`."""
        con = self.con.cursor()
        try:
            [(name,)] = con.execute("SELECT current_database()").fetchall()
            con.execute(f"ATTACH {_quoted(fresh)} AS fresh")
            try:
                self._copying = con
                con.execute(f'COPY FROM DATABASE "{name}" TO fresh')
                con.execute("CHECKPOINT fresh")
            finally:
                self._copying = None
                con.execute("DETACH fresh")
        finally:
            con.close()

    def _forget_fresh(self, fresh: Path) -> None:
        for path in (fresh, log_of(fresh)):
            path.unlink(missing_ok=True)

    def hurry(self) -> None:
        """Interrupt copying: something is to be written."""
        if (con := self._copying) is not None:
            con.interrupt()

    def reconnect(self) -> None:
        """Open again after a fatal error."""
        with self._folding:
            self.rewrite_count += 1
            self.check_there()
            with contextlib.suppress(duckdb.Error):
                self.con.close()
            self._open_again()

    def check_there(self) -> None:
        """OSError if somebody removed the file."""
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(self.path.stat(), self._file):
                return
        raise FileNotFoundError(errno.ENOENT, f"{self.path} was removed; the next start makes it again")

    def checkpoint(self) -> None:
        """Fold the log into the main file and seal it. duckdb.Error, OSError."""
        with self._folding:
            self.rewrite_count += 1
            seal = self.seal.invalidate()
            try:
                self.con.execute("CHECKPOINT")
            except duckdb.TransactionException:
                self.seal.restore(seal)
                raise
            self.seal.seal_main()

    def close(self) -> None:
        """Fold, close, seal. After a failure the next start finds the log."""
        broken: tuple[type[Exception], ...] = ()
        try:
            self.checkpoint()
        except (duckdb.Error, OSError) as error:
            self.noticed(error)
            broken = (duckdb.Error,)
        # A reader that is being given a cursor has the connection busy.
        with self._lock, contextlib.suppress(*broken):
            super().close()

    def noticed(self, error: Exception) -> None:
        """Note that DuckDB failed: after a wrong checksum the next start does not trust the
        file."""
        if CORRUPT in str(error):
            with contextlib.suppress(OSError):
                self.seal.mark_damaged()

    def read_everything(self) -> None:
        """Read every column. DamagedDatabaseError for a wrong checksum; writing finds damaged
        indexes."""
        try:
            read = self.con.execute(
                "SELECT table_name, string_agg(format('bit_xor(hash(\"{}\"))', column_name), ', ') "
                "FROM duckdb_columns() WHERE NOT internal GROUP BY table_name ORDER BY table_name"
            ).fetchall()
            for table, hashes in read:
                self.con.execute(f'SELECT {hashes} FROM "{table}"').fetchall()  # noqa: S608
        except duckdb.Error as error:
            raise DamagedDatabaseError(first_line(error)) from error


class StandIn(Database):
    """An empty database in memory for a drive when none can be opened; writing raises."""

    def __init__(self, path: Path, why: str) -> None:
        self.seal, self._why = Seal(path), why
        self.home_journal = HomeJournal(path.with_name(HOME_JOURNAL))
        ReadDatabase.__init__(self, path, duckdb.connect(":memory:", config=SETTINGS))
        for statement in LOCKDOWN:
            self.con.execute(statement)
        self._lock, self._readers = threading.RLock(), 0
        self._folding = threading.Lock()
        self._copying, self.read_s = None, -math.inf

    def check_there(self) -> None:
        raise OSError(errno.ENOSPC, self._why)

    def renew(self) -> bool:
        return False

    def rewrite(self, *, always: bool) -> int | None:
        return None

    def reconnect(self) -> None:
        """Do nothing."""

    def checkpoint(self) -> None:
        self.check_there()

    def close(self) -> None:
        """Close it."""
        ReadDatabase.close(self)


def judge(path: Path, error: duckdb.Error) -> StoreError | DamagedDatabaseError:
    """Return what an error says: the file is damaged, or the place at fault."""
    text = str(error)
    if "lock" in text.lower() and "Conflicting" in text:
        return StoreLockedError(f"{path} is open in another program; close it and start again")
    for mark, what in _NOT_DAMAGE:
        if mark in text:
            return (StoreFullError if mark == FULL else StoreError)(f"{path} {what}")
    if isinstance(error, _DAMAGE) or "Corrupt" in text:
        return DamagedDatabaseError(first_line(error))
    return StoreError(f"{path} can't be used: {first_line(error)}")


def connect_to_read(path: Path, scratch: Path) -> ReadDatabase:
    """Open a database to read; DuckDB's files go to `scratch`. StoreError."""
    changed = {"memory_limit": READ_MEMORY, "temp_directory": str(scratch)}
    return ReadDatabase(path, _connect(path, scratch, read_only=True, **changed))


def _connect(
    path: Path, writable: Path | None = None, *, read_only: bool = False, **changed: str
) -> duckdb.DuckDBPyConnection:
    if path.is_dir():
        raise StoreError(f"{path} is a folder, not a database; move it away and start again")
    try:
        con = duckdb.connect(str(path), read_only=read_only, config={**SETTINGS, **changed})
    except duckdb.Error as error:
        # While the log is replayed damage shows as any kind of error.
        known = judge(path, error)
        at_fault = isinstance(known, StoreLockedError) or any(mark in str(error) for mark, _ in _NOT_DAMAGE)
        raise (known if at_fault else DamagedDatabaseError(first_line(error))) from error
    if not read_only:
        with contextlib.suppress(OSError):  # a file system without owners
            path.chmod(0o600)
    con.execute("SET allowed_directories = ?", [[f"{writable or handover_of(path)}/"]])
    for statement in LOCKDOWN:
        con.execute(statement)
    return con


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def handover_of(database: Path) -> Path:
    """Return Home.handover, as the database finds it."""
    return database.parent / "handover"

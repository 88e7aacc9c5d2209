"""Opening a home to read: nothing in it is written, whatever a killed run or another process left there."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import _duckdb as duckdb

from pitwall.config import Home
from pitwall.store.database import DamagedDatabaseError, ReadDatabase, connect_to_read
from pitwall.store.errors import StoreError, StoreLockedError, first_line
from pitwall.store.lock import locked
from pitwall.store.opening import OpenReport, check_journals
from pitwall.store.schema import VERSION, migrate, version
from pitwall.store.seal import Seal, Verdict, inspect, log_of

# A database that must be copied to be read, with its log, may be this large.
MOST_COPIED_BYTES = 2 << 30
# Room that a copy leaves on the disk of the temporary folder.
FREE_AFTER_COPY_BYTES = 64 << 20
# The process that writes folds its log within a second; then its files hold still long enough to be copied.
COPY_WITHIN_S, AGAIN_S = 5.0, 0.05
_PREFIX = "pitwall-read-"
_MEND = "run pitwall where the home can be written: the database is made again from the journals"


def scratch_folder() -> TemporaryDirectory[str]:
    """A private temporary folder. Folders of readers that were killed are removed. StoreError."""
    try:
        for left in Path(gettempdir()).glob(f"{_PREFIX}*"):
            number = left.name.removeprefix(_PREFIX).partition("-")[0]
            if number.isdigit() and not Path(f"/proc/{number}").exists():
                shutil.rmtree(left, ignore_errors=True)
        return TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-", ignore_cleanup_errors=True)
    except OSError as error:
        raise StoreError(f"there is no temporary folder to read with: {error}; set TMPDIR") from error


def open_to_read(home: Home, scratch: Path, report: OpenReport) -> tuple[ReadDatabase, bool]:
    """The database as it stands, and whether all of the home is whole and up to date.

    What is not goes into the report. StoreError where the database can't be read without mending it.
    """
    verdict = inspect(home.database)
    if verdict.main == "damaged":
        raise StoreError(f"{home.database} is damaged; {_MEND}")
    database = _read(home.database, verdict, scratch, report)
    try:
        check_journals(home, database, None, report)
    except duckdb.Error as error:
        database.close()
        raise StoreError(f"{home.database} can't be read: {first_line(error)}") from error
    return database, verdict == Verdict("whole", "none") and not (report.lines or report.pending)


def open_copy(home: Home, scratch: Path) -> ReadDatabase:
    """A copy of what the process that holds this home has committed. StoreLockedError where there is none."""
    end_s = time.monotonic() + COPY_WITHIN_S
    while not _copied_whole(home.database, scratch):
        if time.monotonic() > end_s:
            raise StoreLockedError(locked(home.root))
        time.sleep(AGAIN_S)
    return _migrated(scratch / home.database.name, scratch)


def _read(path: Path, verdict: Verdict, scratch: Path, report: OpenReport) -> ReadDatabase:
    """Open the file itself; where its log or its version is not good, a copy."""
    if verdict.main == "none":
        return _migrated(scratch / path.name, scratch)
    if verdict.log != "damaged":
        try:
            database = connect_to_read(path, scratch)
        except DamagedDatabaseError as error:
            if verdict.log == "none":
                raise StoreError(f"{path} is damaged ({error}); {_MEND}") from error
        else:
            if version(database.con) == VERSION:
                return database
            database.close()
            report.lines.append(f"{path.name} is of an older pitwall: a copy is read")
            _copy(path, scratch)
            return _migrated(scratch / path.name, scratch)
    report.lines.append(f"{log_of(path).name} is damaged: rows may be missing; {_MEND}")
    _copy(path, scratch, with_log=False)
    return _migrated(scratch / path.name, scratch)


def _migrated(path: Path, scratch: Path) -> ReadDatabase:
    """Bring our own copy to this program's version and open it. StoreError."""
    try:
        with duckdb.connect(str(path)) as con:
            migrate(con)
        return connect_to_read(path, scratch)
    except (duckdb.Error, DamagedDatabaseError) as error:
        raise StoreError(f"{path.name} can't be read: {first_line(error)}; {_MEND}") from error


def _copied_whole(path: Path, scratch: Path) -> bool:
    """Copy a database that another process writes; False where it was folded meanwhile.

    The main file changes only between one seal and the next, so a copy under one seal is whole.
    """
    before = _seal_of(path)
    if not before:
        return False
    copy = scratch / path.name
    _copy(path, scratch)
    Seal(copy).path.write_bytes(before)
    main_line = before.split(b"\n", 1)[0]
    verdict = inspect(copy)
    return (
        verdict.main == "whole"
        and verdict.log in ("whole", "none", "unknown")
        and _seal_of(path).split(b"\n", 1)[0] == main_line
    )


def _seal_of(path: Path) -> bytes:
    """The seal's lines, b"" where the main file is being changed or there is no seal."""
    with suppress(FileNotFoundError):
        lines = Seal(path).path.read_bytes()
        return lines if lines.startswith(b"main ") else b""
    return b""


def _copy(path: Path, scratch: Path, *, with_log: bool = True) -> None:
    """Copy the database, then its log. StoreError where there is no room."""
    log = log_of(path)
    files = [path, log] if with_log else [path]
    wanted = sum(file.stat().st_size for file in files if file.exists())
    free = shutil.disk_usage(scratch).free
    if wanted > min(MOST_COPIED_BYTES, free - FREE_AFTER_COPY_BYTES):
        raise StoreError(
            f"{path} must be copied to be read, and {scratch.parent} has no room for its {wanted >> 20} MiB; "
            "set TMPDIR to a folder with more room"
        )
    log_of(scratch / path.name).unlink(missing_ok=True)
    for file in files:
        with suppress(FileNotFoundError):  # the log may be folded at any moment
            shutil.copyfile(file, scratch / file.name)

"""A session's copy outside the home: its journal, which is the recording itself, and its frames (Parquet)."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import closing, suppress
from pathlib import Path

import duckdb

from pitwall.config import Home
from pitwall.store.errors import StoreError
from pitwall.store.files import CHUNK, checksum, sync_folder
from pitwall.store.queries import TRACE_COLUMNS
from pitwall.store.reading import Readable
from pitwall.telemetry.recordings.journal import SUFFIX

_ROW_GROUP = 10_000


def copy_journal(home: Home, session: str, folder: Path) -> Path:
    """Copy the journal of a closed session, byte for byte and on the disk; the copy's path.

    A copy that is there already and is the same is taken as it is. StoreError where there is no journal, or
    the copy can't be made.
    """
    journal, copy = home.journals / (session + SUFFIX), folder / (session + SUFFIX)
    fresh = copy.with_name(f".{copy.name}.new")
    try:
        if not journal.is_file():
            raise StoreError(f"session {session} has no journal: there is no recording to copy")
        if copy.exists():
            if checksum(copy) == checksum(journal):
                return copy
            raise StoreError(f"{copy} is there already and is something else; name another folder")
        with journal.open("rb") as source, fresh.open("xb") as target:
            shutil.copyfileobj(source, target, CHUNK)
            target.flush()
            os.fsync(target.fileno())
        if checksum(fresh) != checksum(journal):
            raise StoreError(f"the copy of {journal.name} is not what was copied; try another disk")
        fresh.rename(copy)
        sync_folder(folder)
    except OSError as error:
        raise StoreError(f"{error.filename or copy} can't be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
    return copy


def copy_frames(store: Readable, session: str, folder: Path) -> Path:
    """Write a session's frames with their places (TRACE_COLUMNS) to SESSION.parquet; its path. StoreError."""
    copy = folder / f"{session}.parquet"
    if copy.exists():
        raise StoreError(f"{copy} is there already; move it away or name another folder")
    made = make_frames(store, session)
    try:
        shutil.move(made, copy)
    except OSError as error:
        raise StoreError(f"{copy} can't be written: {error.strerror or error}") from error
    finally:
        made.unlink(missing_ok=True)
    return copy


def make_frames(store: Readable, session: str) -> Path:
    """The same as a new file in the only folder that the open database may write to. StoreError."""
    made = store.handover / f"{secrets.token_hex(8)}.parquet"
    quoted = str(made).replace("'", "''")
    try:
        with closing(store.cursor()) as cursor:
            cursor.execute(
                f"COPY (SELECT {', '.join(TRACE_COLUMNS)} FROM frames WHERE session = ?) "  # noqa: S608
                f"TO '{quoted}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROW_GROUP})",
                [session],
            )
    except duckdb.Error as error:
        made.unlink(missing_ok=True)
        what = str(error).strip().split("\n", 1)[0]
        raise StoreError(f"the frames of session {session} can't be written: {what}") from error
    return made

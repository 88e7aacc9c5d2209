"""Remove a driver from a lake and from a phone, and prove that nothing is left."""

from __future__ import annotations

import mmap
import re
from collections.abc import Sequence
from contextlib import suppress

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pitwall.config import Home, OutsideError, beneath
from pitwall.fleet.build import DERIVED, build
from pitwall.fleet.lake import (
    SESSIONS,
    LakeError,
    Storage,
    all_objects,
    open_storage,
    put_forgotten_mark,
    refuse_old,
)
from pitwall.fleet.push import TrackShelf
from pitwall.store import home_journal, lessons, queries
from pitwall.store.home_journal import RowChange
from pitwall.store.queries import rows
from pitwall.store.store import Store
from pitwall.telemetry.recordings.journal import SUFFIX

# A shorter word occurs by chance in a large file of numbers; in texts, look for it as a word.
LEAST_BYTES = 6
TEXTS = (".toml", ".json", ".md", ".txt")
# Folders of the home in which we may delete files that hold a word.
OURS = ("damaged", "trash", "handover", "clips", "fleet")


class Forgotten(msgspec.Struct, frozen=True, kw_only=True):
    """The removed sessions, and the search after it: what was searched, found, unread."""

    where: str
    sessions: tuple[str, ...]
    looked_for: tuple[str, ...]
    files: int
    bytes: int
    found: tuple[str, ...]
    unread: tuple[str, ...]


def forget_in_lake(storage: Storage, driver: str, tracks: TrackShelf, also: Sequence[str] = ()) -> Forgotten:
    """Take a driver out; a repetition after a kill goes on. LakeError."""
    put_forgotten_mark(storage, driver)
    refuse_old(storage)
    sessions = sorted({each.session for each in all_objects(storage, driver)})
    others = {each.session for each in all_objects(storage) if each.driver != driver}
    storage.delete_folder(f"{SESSIONS}/driver={driver}")
    if storage.listed(DERIVED):
        build(storage, tracks)
    words = [driver, *(each for each in sessions if each not in others), *also]
    done = search(storage, words, sessions)
    if any(path.startswith(DERIVED) for path in (*done.found, *done.unread)):
        # What is derived can be made again: rather that than a file that nobody can read.
        storage.delete_folder(DERIVED)
        done = search(storage, words, sessions)
    return done


def forget_at_home(home: Home, store: Store, driver: str, names: Sequence[str]) -> Forgotten:
    """Take these names out of a home whose store is open, and close it. StoreError."""
    gone = _forget_rows(store, names)
    texts = "SELECT table_name, column_name FROM duckdb_columns() "
    columns = rows(store, f"{texts} WHERE data_type LIKE '%VARCHAR%' AND NOT internal", [])
    words = [driver, *gone, *names]
    pattern, held = _pattern(words), list[str]()
    for table, column in columns:
        sql = f'SELECT DISTINCT "{column}"::VARCHAR FROM "{table}" WHERE "{column}" IS NOT NULL'  # noqa: S608
        if any(pattern.search(value.encode()) for (value,) in rows(store, sql, [])):
            held.append(f"{home.database.name}: {table}.{column}")
    store.close()
    storage = open_storage(str(home.root))
    for path in search(storage, words).found:
        if path.partition("/")[0] in OURS:
            storage.delete(path)
    done = search(storage, words, gone)
    return msgspec.structs.replace(done, found=(*done.found, *held))


def _forget_rows(store: Store, names: Sequence[str]) -> list[str]:
    """Delete these drivers' rows and journals; return their sessions' ids. StoreError."""
    gone = [row.id for row in queries.sessions(store) if row.driver in names]
    for session in gone:
        lessons.forget_session(store, session)
        store.delete(session)
        about = "SELECT id FROM jobs WHERE contains(input, ?) OR contains(result, ?)"
        for (job,) in rows(store, about, [session, session]):
            store.change(RowChange("agent_events", {"job": job}, None), RowChange("jobs", {"id": job}, None))
        store.change(
            *(RowChange(table, {"session": session}, None) for table in ("session_edits", "conversations"))
        )
    for name in names:
        store.change(RowChange("lessons", {"driver": name}, None))
    if not any(row.id not in gone for row in queries.sessions(store)):
        store.change(*(RowChange(table, {}, None) for table in home_journal.TABLES))
        store.put("DELETE FROM signal_registry", [])
    store.commit("what is to be forgotten")
    for session in gone:
        for folder in (store.home.journals, store.home.trash):
            with suppress(OSError):
                beneath(folder, session + SUFFIX).unlink(missing_ok=True)
    if gone:
        # What was deleted is in no block of the new file.
        store.give_room_back(always=True)
        store.home.checkpoint.unlink(missing_ok=True)
    return gone


def search(storage: Storage, words: Sequence[str], sessions: Sequence[str] = ()) -> Forgotten:
    """Look for these words in every file and its name. LakeError where they can't be listed."""
    wanted = [word for word in dict.fromkeys(words) if len(word.strip()) > 1]
    pattern = _pattern(wanted)
    needles = [word.encode() for word in wanted if len(word.encode()) >= LEAST_BYTES]
    found, unread, listed = [], [], storage.listed()
    for file in listed:
        try:
            if pattern.search(file.path.encode()) or _is_held(storage, file.path, needles, pattern):
                found.append(file.path)
        except (LakeError, OutsideError, OSError, pa.ArrowException) as error:
            unread.append(f"{file.path}: {error}")
    return Forgotten(
        where=storage.url,
        sessions=tuple(sessions),
        looked_for=tuple(wanted),
        files=len(listed),
        bytes=sum(file.size for file in listed),
        found=tuple(found),
        unread=tuple(unread),
    )


def _pattern(words: Sequence[str]) -> re.Pattern[bytes]:
    either = b"|".join(re.escape(word.encode()) for word in words if len(word.strip()) > 1) or rb"(?!)"
    return re.compile(rb"(?<![^\W_])(?:" + either + rb")(?![^\W_])", re.IGNORECASE)


def _is_held(storage: Storage, path: str, needles: Sequence[bytes], pattern: re.Pattern[bytes]) -> bool:
    if storage.folder is None:
        return _holds(storage.read(path), path, needles, pattern)
    # A database may be larger than what a phone has of memory.
    with beneath(storage.folder, path).open("rb") as file:
        if not file.seek(0, 2):
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return _holds(content, path, needles, pattern)


def _holds(
    content: bytes | mmap.mmap, path: str, needles: Sequence[bytes], pattern: re.Pattern[bytes]
) -> bool:
    if any(content.find(needle) >= 0 for needle in needles):
        return True
    if not path.endswith(".parquet"):
        return path.endswith(TEXTS) and pattern.search(content) is not None
    with pq.ParquetFile(pa.BufferReader(content[:])) as file:
        if any(map(pattern.search, (file.metadata.metadata or {}).values())):
            return True
        names = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
        return any(
            pattern.search(value.encode())
            for batch in file.iter_batches(columns=names)
            for column in batch.columns
            for value in pc.unique(column).to_pylist()
            if value
        )

"""Removes a driver from a lake and from a phone, and proves that nothing is left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pitwall.config import Home, OutsideError, beneath
from pitwall.fleet.build import DERIVED, Engine, build
from pitwall.fleet.lake import SESSIONS, all_objects, put_forgotten_mark
from pitwall.fleet.material import pseudonym
from pitwall.fleet.old import is_old, turn_over
from pitwall.fleet.push import TrackShelf
from pitwall.fleet.storage import LakeError, Storage
from pitwall.store import home_journal, lessons, queries
from pitwall.store.files import CHUNK
from pitwall.store.home_journal import RowChange
from pitwall.store.reading import rows
from pitwall.store.store import Store
from pitwall.telemetry.recordings.journal import SUFFIX


class Searched(msgspec.Struct, frozen=True, kw_only=True):
    """A search for what must be gone: in how many files and bytes it was looked for, as bytes and, in a
    Parquet file, in every value of every column of words; where it was found; and what could not be read."""

    where: str
    looked_for: tuple[str, ...]
    files: int
    bytes: int
    found: tuple[str, ...]
    unread: tuple[str, ...] = ()


class ForgottenInLake(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what was taken out of a lake, and the search after it."""

    driver: str
    sessions: tuple[str, ...]
    proof: Searched


def forget_in_lake(
    storage: Storage, driver: str, tracks: TrackShelf, engine: Engine, also: Sequence[str] = ()
) -> ForgottenInLake:
    """Take a driver out. From the first step on nothing of theirs is taken by a push, and readers don't see
    them. Done again after a kill it goes on. `also`: words that are looked for too, such as the name.
    LakeError."""
    put_forgotten_mark(storage, driver)
    if is_old(storage) and (failed := turn_over(storage, tracks).failed):
        raise LakeError(f"{storage.url} is an old lake that can't be turned over: {failed[0]}")
    objects = all_objects(storage, driver)
    sessions = tuple(sorted({each.session for each in objects}))
    others = {each.session for each in all_objects(storage) if each.driver != driver}
    storage.delete_folder(f"{SESSIONS}/driver={driver}")
    if storage.listed(DERIVED):
        build(storage, tracks, engine)
    proof = search_lake(storage, [driver, *(each for each in sessions if each not in others), *also])
    if any(
        path.startswith(DERIVED)
        for path in (*proof.found, *(each.partition(":")[0] for each in proof.unread))
    ):
        # What is derived can be made again: rather that than a file that nobody can read.
        storage.delete_folder(DERIVED)
        proof = search_lake(storage, proof.looked_for)
    return ForgottenInLake(driver=driver, sessions=sessions, proof=proof)


# A shorter word stands by chance in a large file of numbers; in texts it is looked for as a word.
LEAST_BYTES = 6


def needles_of(words: Sequence[str]) -> tuple[list[str], list[bytes], re.Pattern[str]]:
    """Return what to look for: the words, those that are long enough to be looked for as bytes, and a
    pattern that finds any of them as a word of its own."""
    wanted = [word for word in dict.fromkeys(words) if len(word.strip()) > 1]
    either = "|".join(map(re.escape, wanted)) or r"(?!)"
    long_ones = [word.encode() for word in wanted if len(word.encode()) >= LEAST_BYTES]
    return wanted, long_ones, re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])", re.IGNORECASE)


def search_lake(storage: Storage, words: Sequence[str]) -> Searched:
    """Look for these words in every file of the lake. LakeError where it can't be listed."""
    wanted, needles, pattern = needles_of(words)
    found, unread = [], []
    listed = storage.listed("")
    size = 0
    for file in listed:
        size += file.size
        try:
            content = storage.read(file.path)
            held = any(needle in content for needle in needles)
            if file.path.endswith(".parquet"):
                held = held or _values_hold(content, pattern)
            else:
                held = held or pattern.search(content.decode(errors="replace")) is not None
            if held or pattern.search(file.path):
                found.append(file.path)
        except (LakeError, OutsideError, OSError, pa.ArrowException) as error:
            unread.append(f"{file.path}: {error}")
    return Searched(
        where=storage.url,
        looked_for=tuple(wanted),
        files=len(listed),
        bytes=size,
        found=tuple(found),
        unread=tuple(unread),
    )


def _values_hold(content: bytes, pattern: re.Pattern[str]) -> bool:
    """Return whether one of them stands in a column of words of a Parquet file, which is compressed."""
    with pq.ParquetFile(pa.BufferReader(content)) as file:
        if any(
            pattern.search(value.decode(errors="replace"))
            for value in (file.metadata.metadata or {}).values()
        ):
            return True
        names = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
        for batch in file.iter_batches(columns=names):
            for column in batch.columns:
                if any(pattern.search(value) for value in pc.unique(column).to_pylist() if value):
                    return True
    return False


# Folders of the home whose files are ours to delete where a word is found in them.
TEXTS = (".toml", ".json", ".md", ".txt")
OURS = ("damaged", "trash", "handover", "clips", "fleet")


class ForgottenAtHome(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what was taken out of the phone, and the search after it."""

    sessions: tuple[str, ...]
    proof: Searched


def names_of(store: Store, key: str, driver: str) -> list[str]:
    """The names in this home whose pseudonym this is."""
    return sorted({row.driver for row in queries.sessions(store) if pseudonym(key, row.driver) == driver})


def forget_rows(store: Store, names: Sequence[str]) -> list[str]:
    """Take these drivers' rows and journals out of an open store; the ids of their sessions. StoreError."""
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


def search_home(home: Home, words: Sequence[str]) -> Searched:
    """Look for these words in every file of the home, and in every value of the database; what lies in a
    folder of ours and holds one is deleted. StoreError where the database can't be read."""
    wanted, needles, pattern = needles_of(words)
    found, unread, count, size = [], [], 0, 0
    for path in sorted(each for each in home.root.rglob("*") if each.is_file()):
        name = str(path.relative_to(home.root))
        try:
            held = _holds(path, needles) or pattern.search(name) is not None or _says(path, pattern)
            count, size = count + 1, size + path.stat().st_size
            if held and name.partition("/")[0] in OURS:
                path.unlink()
            elif held:
                found.append(name)
        except OSError as error:
            unread.append(f"{name}: {error.strerror or error}")
    with Store(home) as store:
        store.open_to_read()
        for table, column in _text_columns(store):
            sql = f'SELECT DISTINCT "{column}"::VARCHAR FROM "{table}" WHERE "{column}" IS NOT NULL'  # noqa: S608
            if any(pattern.search(value) for (value,) in rows(store, sql, [])):
                found.append(f"{home.database.name}: {table}.{column}")
    return Searched(
        where=str(home.root),
        looked_for=tuple(wanted),
        files=count,
        bytes=size,
        found=tuple(dict.fromkeys(found)),
        unread=tuple(unread),
    )


def _text_columns(store: Store) -> list[tuple[str, str]]:
    sql = (
        "SELECT table_name, column_name FROM duckdb_columns() WHERE data_type LIKE '%VARCHAR%' "
        "AND NOT internal ORDER BY table_name, column_name"
    )
    return [(str(table), str(column)) for table, column in rows(store, sql, [])]


def _holds(path: Path, needles: Sequence[bytes]) -> bool:
    """Return whether a file holds one of these, wherever a chunk of it ends."""
    longest = max(map(len, needles), default=1)
    before = b""
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(CHUNK):
            if any(needle in before + chunk for needle in needles):
                return True
            before = (before + chunk)[-longest:]
    return False


def _says(path: Path, pattern: re.Pattern[str]) -> bool:
    """Return whether a text that a person may have written holds one of the words."""
    return path.suffix in TEXTS and pattern.search(path.read_text(errors="replace")) is not None

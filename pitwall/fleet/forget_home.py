"""A driver taken out of a phone: sessions, journals, lessons, and every block of the database that held
them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import duckdb
import msgspec

from pitwall.config import Home
from pitwall.fleet.forget import Searched, needles_of
from pitwall.fleet.names import pseudonym
from pitwall.fleet.push import OUTGOING
from pitwall.store import lessons, queries
from pitwall.store.errors import StoreError
from pitwall.store.files import CHUNK
from pitwall.store.lock import HomeLock
from pitwall.store.reading import rows
from pitwall.store.seal import Seal
from pitwall.store.store import Store
from pitwall.telemetry.recordings.journal import SUFFIX

# Folders of the home whose files are ours to delete where a word is found in them.
TEXTS = (".toml", ".json", ".md", ".txt")
OURS = ("damaged", "trash", "handover", "clips", OUTGOING)


class ForgottenAtHome(msgspec.Struct, frozen=True, kw_only=True):
    """What was taken out of the phone, and the search after it."""

    sessions: tuple[str, ...]
    proof: Searched


def names_of(store: Store, key: str, driver: str) -> list[str]:
    """The names in this home whose pseudonym this is."""
    return sorted({row.driver for row in queries.sessions(store) if pseudonym(key, row.driver) == driver})


def forget_rows(store: Store, names: Sequence[str]) -> list[str]:
    """Take everything of these drivers out of an open store, as far as rows and journals go; the ids of their
    sessions. StoreError."""
    gone = [row.id for row in queries.sessions(store) if row.driver in names]
    for session in gone:
        lessons.forget_session(store, session)
        store.delete(session)
        store.put("DELETE FROM session_edits WHERE session = ?", [session])
        store.put("DELETE FROM conversations WHERE session = ?", [session])
        store.put(
            "DELETE FROM agent_events WHERE job IN (SELECT id FROM jobs WHERE contains(input, ?))", [session]
        )
        store.put("DELETE FROM jobs WHERE contains(input, ?) OR contains(result, ?)", [session, session])
    for name in names:
        store.put("DELETE FROM lessons WHERE driver = ?", [name])
    if not any(row.id not in gone for row in queries.sessions(store)):
        for table in ("conversations", "lessons", "jobs", "agent_events", "signal_registry"):
            store.put(f"DELETE FROM {table}", [])  # noqa: S608
    if not store.flush():
        raise StoreError("this can't be forgotten now: the database keeps failing; try again later")
    for session in gone:
        for folder in (store.home.journals, store.home.trash):
            with suppress(OSError):
                (folder / (session + SUFFIX)).unlink(missing_ok=True)
    return gone


def write_anew(home: Home) -> None:
    """Copy the closed database into a new file, which takes its place: what was deleted is in none of its
    blocks. StoreError."""
    fresh = home.database.with_name(home.database.name + ".fresh")
    lock = HomeLock(home.root)
    try:
        fresh.unlink(missing_ok=True)
        with duckdb.connect(str(fresh)) as con:
            con.execute(f"ATTACH '{_quoted(home.database)}' AS old (READ_ONLY)")
            con.execute(f"COPY FROM DATABASE old TO {_name_in(con, fresh)}")
            con.execute("DETACH old")
            con.execute("CHECKPOINT")
        seal = Seal(home.database)
        seal.break_()
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        fresh.replace(home.database)
        seal.seal_main()
        seal.close()
        home.checkpoint.unlink(missing_ok=True)
    except (duckdb.Error, OSError) as error:
        raise StoreError(
            f"{home.database} can't be written anew: {error}; make room and try again"
        ) from error
    finally:
        fresh.unlink(missing_ok=True)
        lock.release()


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
    """Whether a file holds one of these, wherever a chunk of it ends."""
    longest = max(map(len, needles), default=1)
    before = b""
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(CHUNK):
            if any(needle in before + chunk for needle in needles):
                return True
            before = (before + chunk)[-longest:]
    return False


def _says(path: Path, pattern: re.Pattern[str]) -> bool:
    """Whether a text that a person may have written holds one of the words."""
    return path.suffix in TEXTS and pattern.search(path.read_text(errors="replace")) is not None


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def _name_in(con: duckdb.DuckDBPyConnection, path: Path) -> str:
    """How the connection calls the database that it was opened with."""
    [(name,)] = con.execute("SELECT current_database()").fetchall()
    return '"' + str(name).replace('"', '""') + '"'

"""Gather a closed session for the lake: rows, a file of frames, the driver's pseudonym.

A pseudonym is a digest of the name with a key that never leaves the home. Phones of one driver, or
of one club, share pseudonyms where they share the key."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.contract.messages import Due
from pitwall.store import queries
from pitwall.store.errors import NotExportableError, StoreError
from pitwall.store.export import write_parquet
from pitwall.store.files import sync_path
from pitwall.store.queries import TRACE_COLUMNS, Readable, SessionRow, rows
from pitwall.track.lap import CornerPass, Lap

KEY_FILE = "fleet.key"
_KEY = re.compile(r"[0-9a-f]{64}")
_PSEUDONYM = re.compile(r"d-[0-9a-f]{20}")


def key_of(home: Home) -> str:
    """Return the home's key, made at the first call. StoreError."""
    path = home.root / KEY_FILE
    try:
        if not path.exists():
            _place(path, secrets.token_hex(32))
        key = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeError) as error:
        raise StoreError(f"{path} can't be used: {error}") from error
    if not _KEY.fullmatch(key):
        raise StoreError(f"{path} is damaged: restore it, or put the key of another phone of the club there")
    return key


def set_key(home: Home, key: str) -> None:
    """Keep the key of another phone. StoreError where this one has a different key."""
    if not _KEY.fullmatch(key):
        raise StoreError("a key has 64 digits and letters a to f; `pitwall fleet key` shows that of a home")
    path = home.root / KEY_FILE
    try:
        _place(path, key)
    except OSError as error:
        raise StoreError(f"{path} can't be written: {error.strerror or error}") from error
    if key_of(home) != key:
        raise StoreError(f"this home has another key already: delete {path} to push by a new one")


def _place(path: Path, key: str) -> None:
    """Write it whole, unless there is one. OSError."""
    fresh = path.with_name(f".{secrets.token_hex(8)}.new")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "w", encoding="ascii") as file:
            file.write(key + "\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(fresh, path)
        sync_path(path.parent)
    finally:
        fresh.unlink(missing_ok=True)


def pseudonym(key: str, name: str) -> str:
    """Return a driver's pseudonym; spaces and case of the name don't matter."""
    plain = " ".join(name.split()).casefold().encode()
    return "d-" + hmac.new(bytes.fromhex(key), plain, hashlib.sha256).hexdigest()[:20]


def is_pseudonym(text: str) -> bool:
    """Return whether this has the form of a pseudonym."""
    return _PSEUDONYM.fullmatch(text) is not None


_FRAMES = f"SELECT lap, {', '.join(TRACE_COLUMNS)} FROM frames WHERE session = ? ORDER BY t, seq"  # noqa: S608
_SOURCE = (
    "SELECT s.place_stamp, s.journal_crc, s.journal_last_seq, s.last_seq, s.track, s.complete, "
    "s.driver, s.vehicle, s.start_utc_s, s.app_version, e.driven_utc_s, e.tags, e.track, e.marks, "
    "(SELECT count(*) FROM cues c WHERE c.session = s.id), "
    "(SELECT count(*) FROM corner_passes p WHERE p.session = s.id) "
    "FROM sessions s LEFT JOIN session_edits e ON e.session = s.id WHERE s.id = ?"
)
# A new way of making objects makes sessions new; DuckDB has 32 MB for everything.
MADE_BY, ROWS_AT_ONCE = 2, 32_768


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """A session as its phone has it. The reader removes `frames_file` (Parquet)."""

    row: SessionRow
    laps: tuple[Lap, ...]
    passes: tuple[CornerPass, ...]
    cues: tuple[LedgerLine, ...]
    frames_file: str


def pushable(sessions: Iterable[SessionRow]) -> list[SessionRow]:
    """List the closed drives that are pushed without being named: those on a known track."""
    closed = [row for row in sessions if row.counts and row.closed_utc_s is not None and row.track]
    return queries.real_ones(closed)


def due(store: Readable, sessions: Iterable[SessionRow]) -> list[Due]:
    """Return these sessions with pseudonyms, and digests of what they are made from. StoreError."""
    key = key_of(store.home)
    return [
        Due(row.id, pseudonym(key, row.driver), row.driver, _source_of(store, row.id)) for row in sessions
    ]


def _source_of(store: Readable, session: str) -> str:
    found = rows(store, _SOURCE, [session])
    return hashlib.sha256(repr((MADE_BY, found)).encode()).hexdigest()[:32]


def gather(store: Readable, session: str) -> Material:
    """Gather the material. NotExportableError where it is still being driven; StoreError."""
    row = queries.session(store, session)
    if row.closed_utc_s is None:
        raise NotExportableError(f"session {row.id} is still being driven; push it when it is over")
    return Material(
        row=row,
        laps=tuple(queries.laps(store, row.id)),
        passes=tuple(queries.corner_passes(store, row.id)),
        cues=tuple(queries.cues(store, row.id)),
        frames_file=str(write_parquet(store, _FRAMES, [row.id], ROWS_AT_ONCE, "uncompressed")),
    )

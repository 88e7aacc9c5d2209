"""The home's journal: names, tags, marks, lessons, conversations and jobs.

A change is written and synced here before DuckDB gets it, so all of DuckDB derives from journals.
Layout: a header, then records: sync mark, u32 length, u32 CRC-32 of length and payload, payload (a
`RowChange` in msgpack). DuckDB keeps how many bytes it is derived from, and their CRC-32.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import _duckdb as duckdb
import msgspec

from pitwall.store.files import replace_file, set_aside, sync_path

HEADER = b"PITWALLH\x00\x01"
_SYNC = b"\xc1PH\xc1"
_HEAD = struct.Struct(">4sII")
# A job's checkpoint is the longest value.
MAX_PAYLOAD = 8 << 20
# Longer than this, and than twice what is left of it, it is compacted.
COMPACT_ABOVE = 1 << 20

# The tables that are derived from it, with their columns.
TABLES: dict[str, tuple[str, ...]] = {
    "session_edits": ("session", "name", "tags", "driven_utc_s", "track", "marks", "conditions"),
    "aims": ("track", "time_s", "by_day"),
    "lessons": (
        "id", "kind", "driver", "track", "corner", "cause", "text", "words", "evidence", "verified",
        "created_utc_s", "updated_utc_s", "retired_why",
    ),
    "conversations": ("id", "session", "at_utc_s", "role", "text", "detail"),
    "jobs": ("id", "kind", "state", "created_utc_s", "updated_utc_s", "input", "checkpoint", "result"),
    "agent_events": ("job", "at_utc_s", "agent", "kind", "detail"),
}  # fmt: skip

# The row is wrong, not the disk: leaving it out helps.
BAD_ROW = (
    duckdb.DataError,
    duckdb.IntegrityError,
    duckdb.NotSupportedError,
    duckdb.ProgrammingError,
    TypeError,
    ValueError,
    OverflowError,
)

Values = dict[str, Any]
Rows = dict[str, list[Values]]


class RowChange(msgspec.Struct, frozen=True, array_like=True):
    """A change of one table: the rows with the values `gone` go (None: none), then `row` comes."""

    table: str
    gone: Values | None
    row: Values | None

    @classmethod
    def over(cls, table: str, key: str, row: Values) -> RowChange:
        """Return the change that replaces the row with the same key."""
        return cls(table, {key: row[key]}, row)

    @property
    def known(self) -> bool:
        """Return whether this program has the table and the columns by which rows go."""
        return self.table in TABLES and set(self.gone or ()) <= set(TABLES[self.table])

    def statements(self) -> Iterator[tuple[str, list[Any]]]:
        """Yield SQL and values; columns of a newer program are left out."""
        if self.gone is not None:
            where = " AND ".join(f"{name} = ?" for name in self.gone) or "true"
            yield f"DELETE FROM {self.table} WHERE {where}", list(self.gone.values())  # noqa: S608
        if self.row is not None:
            row = {name: value for name, value in self.row.items() if name in TABLES[self.table]}
            marks = ", ".join("?" * len(row))
            yield f"INSERT INTO {self.table} ({', '.join(row)}) VALUES ({marks})", list(row.values())  # noqa: S608

    def encoded(self) -> bytes:
        """Return the whole record. ValueError if it is too long."""
        payload = msgspec.msgpack.encode(self)
        if len(payload) > MAX_PAYLOAD:
            raise ValueError(f"{len(payload)} bytes in one row of {self.table}: at most {MAX_PAYLOAD}")
        return _HEAD.pack(_SYNC, len(payload), _crc(payload)) + payload


class HomeContent(msgspec.Struct):
    """`changes` with offsets, `end` of the last whole record, `damaged` bytes before it."""

    changes: list[tuple[int, RowChange]] = []
    end: int = 0
    damaged: int = 0


def _crc(payload: bytes) -> int:
    return zlib.crc32(payload, zlib.crc32(len(payload).to_bytes(4, "big")))


def read_content(data: bytes) -> HomeContent:
    """Read every whole record; after damage from the next whose CRC fits."""
    found, at = HomeContent(), 0
    if data.startswith(HEADER):
        found.end = at = len(HEADER)
    while at < len(data):
        payload = _payload_at(data, at)
        if payload is None:
            at = data.find(_SYNC, at + 1)
            if at < 0:
                break
            continue
        found.damaged += at - found.end
        try:
            found.changes.append((at, msgspec.msgpack.decode(payload, type=RowChange)))
        except msgspec.DecodeError:
            found.damaged += len(payload)
        found.end = at = at + _HEAD.size + len(payload)
    return found


def _payload_at(data: bytes, at: int) -> bytes | None:
    if len(data) - at < _HEAD.size:
        return None
    sync, length, crc = _HEAD.unpack_from(data, at)
    payload = data[at + _HEAD.size : at + _HEAD.size + length]
    whole = sync == _SYNC and length <= MAX_PAYLOAD and len(payload) == length
    return payload if whole and _crc(payload) == crc else None


def rows_after(rows: Rows, changes: Iterable[RowChange]) -> Rows:
    """Return the rows of each table after these changes."""
    now = {table: list(rows.get(table, ())) for table in TABLES}
    for change in changes:
        if not change.known:
            continue
        if (gone := change.gone) is not None:
            now[change.table] = [
                row for row in now[change.table] if any(row.get(name) != gone[name] for name in gone)
            ]
        if change.row is not None:
            now[change.table].append(change.row)
    return now


class HomeJournal:
    """The journal's file, for the one process that writes it. Methods raise OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = self.crc = 0

    def read(self) -> bytes:
        """Return the file's bytes; set `size` and `crc`."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            data = b""
        self.size, self.crc = len(data), zlib.crc32(data)
        return data

    def is_whole(self) -> bool:
        """Return whether the file is as long as it was left."""
        return self.path.exists() and self.path.stat().st_size == self.size

    def append(self, records: bytes) -> None:
        """Write whole records; they are on the disk when this returns."""
        fd = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            done = 0
            while done < len(records):
                done += os.pwrite(fd, records[done:], self.size + done)
            os.fdatasync(fd)
        except OSError:
            os.ftruncate(fd, self.size)
            raise
        finally:
            os.close(fd)
        self.size += len(records)
        self.crc = zlib.crc32(records, self.crc)

    def write(self, rows: Rows) -> None:
        """Replace it by a journal of just these rows."""
        records = (RowChange(table, None, row).encoded() for table in TABLES for row in rows.get(table, ()))
        data = HEADER + b"".join(records)
        replace_file(self.path, data)
        self.size, self.crc = len(data), zlib.crc32(data)

    def compact(self, *, always: bool = False) -> bool:
        """Drop superseded changes of a long journal; return whether done."""
        if self.size <= COMPACT_ABOVE and not always:
            return False
        content = read_content(self.read())
        rows = rows_after({}, (change for _, change in content.changes))
        left = sum(len(RowChange(table, None, row).encoded()) for table in TABLES for row in rows[table])
        if always or 2 * left < self.size:
            self.write(rows)
            return True
        return False


def derived_from(con: duckdb.DuckDBPyConnection) -> tuple[int, int]:
    """Return the journal's bytes (-1: none) and CRC-32 that the database derives from."""
    [(size, crc)] = con.execute("SELECT bytes, crc FROM home_journal").fetchall()
    return int(size), int(crc)


def note_derived(con: duckdb.DuckDBPyConnection, size: int, crc: int) -> None:
    """Keep in the database of how much of the journal it is made. duckdb.Error."""
    con.execute("UPDATE home_journal SET bytes = ?, crc = ?", [size, crc])


def stored_rows(con: duckdb.DuckDBPyConnection) -> Rows:
    """Return the database's rows of each table; an older one may lack some. duckdb.Error."""
    found: Rows = {}
    known = con.execute("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal").fetchall()
    for table, every in TABLES.items():
        columns = [name for name in every if (table, name) in known]
        if not columns:
            continue
        read = con.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()  # noqa: S608
        found[table] = [dict(zip(columns, row, strict=True)) for row in read]
    return found


def derive(journal: HomeJournal, con: duckdb.DuckDBPyConnection, folder: Path) -> tuple[str, str] | None:
    """Reconcile the journal and its rows at a start; return what was wrong, if anything, and where
    the old file is kept.

    The journal counts. The database is believed where the journal is missing, damaged, or shorter
    than what it derives from. duckdb.Error, OSError.
    """
    data = journal.read()
    size, crc = derived_from(con)
    if data and (size, crc) == (journal.size, journal.crc):
        return None
    content = read_content(data)
    goes_on = 0 <= size <= content.end and zlib.crc32(data[:size]) == crc
    lost = not data or content.damaged > 0 or content.end < size
    believed = goes_on or (lost and size >= 0)
    new = [change for at, change in content.changes if not believed or at >= size]
    rows = rows_after(stored_rows(con) if believed else {}, new)
    wrong = None
    if lost:
        damaged = content.damaged > 0 or content.end < size
        kept = str(set_aside(journal.path, folder)) if data and damaged else ""
        if damaged:
            wrong = ("is damaged, cut or missing; what it and the database have is written again", kept)
        journal.write(rows)
    elif content.end < len(data):
        os.truncate(journal.path, content.end)
        sync_path(journal.path)
        wrong = (f"torn end of {len(data) - content.end} bytes trimmed", "")
        journal.read()
    _replace_rows(con, rows, journal)
    return wrong


def take_over(journal: HomeJournal, con: duckdb.DuckDBPyConnection) -> None:
    """Add rows of an older program's database that the journal never had. duckdb.Error, OSError."""
    changes = [change for _, change in read_content(journal.read()).changes]
    had = [change.row for change in changes if change.row is not None]
    new = [
        RowChange(table, None if table == "agent_events" else {TABLES[table][0]: row[TABLES[table][0]]}, row)
        for table, rows in stored_rows(con).items()
        for row in rows
        if not any(row.items() <= each.items() for each in had)
    ]
    if new:
        journal.write(rows_after({}, [*changes, *new]))


def _replace_rows(con: duckdb.DuckDBPyConnection, rows: Rows, journal: HomeJournal) -> None:
    con.execute("BEGIN")
    for table in TABLES:
        con.execute(f"DELETE FROM {table}")  # noqa: S608
        for row in rows[table]:
            try:
                for statement in RowChange(table, None, row).statements():
                    con.execute(*statement)
            except BAD_ROW:
                con.execute("ROLLBACK")
                left = [other for other in rows[table] if other is not row]
                return _replace_rows(con, {**rows, table: left}, journal)
    note_derived(con, journal.size, journal.crc)
    con.execute("COMMIT")
    return None

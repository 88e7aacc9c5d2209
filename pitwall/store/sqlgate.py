"""Bounded SQL for agents and people: one SELECT, read only, 500 rows, two seconds. A refusal is a value."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import duckdb
import msgspec

from pitwall.store.process_memory import resident_bytes
from pitwall.store.reading import Readable
from pitwall.store.sqlbounds import objection

MOST_ROWS = 500
# An answer is for a model or a person to read; DuckDB needs milliseconds for what they sensibly ask. With the
# time it takes to stop, all is over within two seconds.
TIME_LIMIT_S = 1.8
MOST_SQL_CHARS = 20_000
# Beyond this no model reads it, and the daemon's memory is small.
MOST_ANSWER_CHARS = 400_000
MOST_COLUMNS = 400
_FETCH_ROWS = 20
# Looked at so often while a question runs. What grows more than this meanwhile is stopped: DuckDB's own limit
# holds for what it keeps, not for what it has in hand.
_LOOK_EVERY_S = 0.01
MOST_GROWTH_BYTES = 40 << 20
_TOO_SLOW = "it took longer than 2 s and was stopped: ask for less"
_TOO_MUCH = "it needs more memory than there is: filter or group earlier"
_TOO_LONG = f"the answer is longer than {MOST_ANSWER_CHARS} characters: ask for less"


class SqlAnswer(msgspec.Struct, frozen=True, tag="answer"):
    """`rows` in the order of `columns`. `more`: there were 500 rows, perhaps there are more."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    more: bool


class Refusal(msgspec.Struct, frozen=True, tag="refusal"):
    """Why there is no answer, in words a model or a person can act on."""

    reason: str


class _Refused(Exception):
    pass


def ask(store: Readable, sql: str) -> SqlAnswer | Refusal:
    """Run one SELECT. Never raises for what is wrong with the SQL; StoreError where the store is not open."""
    with closing(store.cursor()) as cursor:
        try:
            return _run(cursor, _checked(cursor, sql))
        except _Refused as refused:
            return Refusal(str(refused))
        except duckdb.OutOfMemoryException:
            return Refusal(_TOO_MUCH)
        except duckdb.Error as error:
            return Refusal(_TOO_LONG if _TOO_LONG in str(error) else str(error).strip())


def _checked(cursor: duckdb.DuckDBPyConnection, sql: str) -> str:
    """The statement without its end mark, when DuckDB's own parser says that it is one SELECT."""
    if len(sql) > MOST_SQL_CHARS:
        raise _Refused(f"a statement of {len(sql)} characters: at most {MOST_SQL_CHARS}")
    statements = cursor.extract_statements(sql)
    if len(statements) != 1:
        raise _Refused(f"{len(statements)} statements: ask exactly one SELECT")
    if statements[0].type != duckdb.StatementType.SELECT:
        kind = str(statements[0].type).rpartition(".")[2]
        raise _Refused(f"{kind} is not allowed: only SELECT, WITH, FROM, VALUES, DESCRIBE and SHOW")
    try:
        tree = json.loads(cursor.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()[0][0])
    except RecursionError:
        raise _Refused("it is nested too deeply: ask in simpler steps") from None
    if tree.get("error"):
        raise _Refused(f"this can't be asked: {tree.get('error_message', 'it is no plain SELECT')}")
    if reason := objection(tree):
        raise _Refused(reason)
    return _without_end(cursor, sql)


def _without_end(cursor: duckdb.DuckDBPyConnection, sql: str) -> str:
    """Wrap it. A `;` at its end, even before a comment, is found by trying: the parser judges the whole."""
    text = sql
    while True:
        wrapped = f"SELECT * FROM (\n{text}\n) LIMIT {MOST_ROWS}"  # noqa: S608
        with suppress(duckdb.Error):
            if len(cursor.extract_statements(wrapped)) == 1:
                return wrapped
        text, mark, _ = text.rpartition(";")
        if not mark:
            raise _Refused("this can't be asked as part of another SELECT")


def _run(cursor: duckdb.DuckDBPyConnection, wrapped: str) -> SqlAnswer:
    cursor.execute("BEGIN TRANSACTION READ ONLY")
    try:
        with _watched(cursor) as watch:
            try:
                return _read(cursor, wrapped)
            except duckdb.InterruptException:
                raise _Refused(watch.reason) from None
    finally:
        with suppress(duckdb.Error):
            cursor.execute("ROLLBACK")


def _read(cursor: duckdb.DuckDBPyConnection, wrapped: str) -> SqlAnswer:
    described = cursor.execute(f"DESCRIBE {wrapped}").fetchall()
    columns = tuple(str(row[0]) for row in described)
    if len(columns) > MOST_COLUMNS:
        raise _Refused(f"{len(columns)} columns: at most {MOST_COLUMNS}")
    # DuckDB makes Python's times of a zone with a package that is not here; as text they need none.
    zoned = [name.replace('"', '""') for name, kind, *_ in described if "WITH TIME ZONE" in kind]
    texts = ", ".join(f'"{name}"::VARCHAR AS "{name}"' for name in zoned)
    # Python gets no value, and no row, that is longer than the whole answer may be.
    longest = MOST_ANSWER_CHARS // len(columns)
    cursor.execute(
        f"SELECT * {f'REPLACE ({texts}) ' if texts else ''}FROM ({wrapped}) "
        f"WHERE CASE WHEN coalesce(strlen(COLUMNS(*)::VARCHAR), 0) > {longest} "
        f"THEN error('{_TOO_LONG}') ELSE true END"
    )
    rows: list[tuple[Any, ...]] = []
    chars = 0
    while found := cursor.fetchmany(_FETCH_ROWS):
        rows += found
        chars += sum(len(str(value)) for row in found for value in row)
        if chars > MOST_ANSWER_CHARS:
            raise _Refused(_TOO_LONG)
    return SqlAnswer(columns, rows, len(rows) == MOST_ROWS)


class _Watch:
    """`reason` why the question was stopped."""

    reason = "it was stopped: ask again"


@contextmanager
def _watched(cursor: duckdb.DuckDBPyConnection) -> Iterator[_Watch]:
    """Interrupt what takes too long or grows too much."""
    watch, over = _Watch(), threading.Event()
    end_s = time.monotonic() + TIME_LIMIT_S
    most_bytes = (resident_bytes() or 0) + MOST_GROWTH_BYTES

    def look() -> None:
        while not over.wait(_LOOK_EVERY_S):
            if time.monotonic() >= end_s:
                watch.reason = _TOO_SLOW
            elif (resident_bytes() or 0) > most_bytes:
                watch.reason = _TOO_MUCH
            else:
                continue
            cursor.interrupt()
            return

    thread = threading.Thread(target=look, name="sql watch", daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        over.set()
        thread.join()

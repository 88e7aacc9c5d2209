"""Bounded SQL for agents and people: one SELECT, read only, 500 rows, two seconds. A refusal is a value."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import duckdb
import msgspec

from pitwall.store.reading import Readable

MOST_ROWS = 500
# An answer is for a model or a person to read; DuckDB needs milliseconds for what they sensibly ask.
TIME_LIMIT_S = 2.0
MOST_SQL_CHARS = 20_000
# Beyond this no model reads it, and the daemon's memory is small.
MOST_ANSWER_CHARS = 400_000
_FETCH_ROWS = 50
# Table functions that only look. The others read files, run text as SQL, or change settings even in a
# read-only transaction (`checkpoint()` writes the file).
TABLE_FUNCTIONS = frozenset({
    "range", "generate_series", "unnest", "json_each", "json_tree", "histogram", "histogram_values",
    "duckdb_tables", "duckdb_columns", "duckdb_views", "duckdb_types", "duckdb_functions", "duckdb_keywords",
    "pragma_table_info", "pragma_show", "pragma_version", "summary",
})  # fmt: skip

# Scalars that make gigabytes of one row: neither the interrupt nor the memory limit reaches inside one.
SWELLING = frozenset({
    "repeat", "lpad", "rpad", "list_resize", "array_resize", "printf", "format", "bar",
})  # fmt: skip


class Answer(msgspec.Struct, frozen=True, tag="answer"):
    """`rows` in the order of `columns`. `more`: there were 500 rows, perhaps there are more."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    more: bool


class Refusal(msgspec.Struct, frozen=True, tag="refusal"):
    """Why there is no answer, in words a model or a person can act on."""

    reason: str


class _Refused(Exception):
    pass


def ask(store: Readable, sql: str) -> Answer | Refusal:
    """Run one SELECT. Never raises for what is wrong with the SQL; StoreError where the store is not open."""
    with closing(store.cursor()) as cursor:
        try:
            return _run(cursor, _checked(cursor, sql))
        except _Refused as refused:
            return Refusal(str(refused))
        except duckdb.InterruptException:
            return Refusal(f"it took longer than {TIME_LIMIT_S:g} s and was stopped: ask for less")
        except duckdb.OutOfMemoryException:
            return Refusal("it needs more memory than there is: filter or group earlier")
        except duckdb.Error as error:
            return Refusal(str(error).strip())


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
    tree = json.loads(cursor.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()[0][0])
    if tree.get("error"):
        raise _Refused(f"this can't be asked: {tree.get('error_message', 'it is no plain SELECT')}")
    for node in _nodes(tree):
        name = str(node.get("function_name", "")).lower()
        table = node.get("function", {}) if node.get("type") == "TABLE_FUNCTION" else {}
        table_name = str(table.get("function_name", "")).lower()
        if table and table_name not in TABLE_FUNCTIONS:
            raise _Refused(f"the table function {table_name}() is not allowed")
        if name in SWELLING:
            raise _Refused(f"the function {name}() is not allowed: one row of it can fill the memory")
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


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every node of the parser's tree."""
    if isinstance(tree, dict):
        yield tree
    for child in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _nodes(child)


def _run(cursor: duckdb.DuckDBPyConnection, wrapped: str) -> Answer:
    timer = threading.Timer(TIME_LIMIT_S, cursor.interrupt)
    timer.daemon = True
    cursor.execute("BEGIN TRANSACTION READ ONLY")
    timer.start()
    try:
        cursor.execute(wrapped)
        columns = tuple(str(column[0]) for column in cursor.description or [])
        rows: list[tuple[Any, ...]] = []
        chars = 0
        while found := cursor.fetchmany(_FETCH_ROWS):
            rows += found
            chars += sum(len(str(value)) for row in found for value in row)
            if chars > MOST_ANSWER_CHARS:
                raise _Refused(f"the answer is longer than {MOST_ANSWER_CHARS} characters: ask for less")
        return Answer(columns, rows, len(rows) == MOST_ROWS)
    finally:
        timer.cancel()
        with suppress(duckdb.Error):
            cursor.execute("ROLLBACK")

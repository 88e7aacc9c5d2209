"""A reader's access to the store: where it lies, and a connection of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import _duckdb as duckdb

from pitwall.config import Home
from pitwall.store.errors import StoreError
from pitwall.store.home_journal import RowChange
from pitwall.store.sqlanswer import Refusal, SqlAnswer


class Readable(Protocol):
    """The store, or what stands before it to stop its readers."""

    @property
    def home(self) -> Home: ...

    @property
    def handover(self) -> Path:
        """The only folder that the open database may write to."""
        ...

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a connection of its own; close it soon. StoreError if the store is not open."""
        ...

    def ask(self, sql: str, stopped: Callable[[], bool] = ...) -> SqlAnswer | Refusal:
        """Return a bounded SELECT, see `sqlgate`; `stopped`: nobody waits for it any more.
        StoreError: not open."""
        ...


class Writable(Readable, Protocol):
    """The store for somebody who also keeps something in it."""

    def put(self, sql: str, values: list[object]) -> None:
        """Hand one statement to the writer, for rows that are made of a session's journal."""
        ...

    def change(self, *changes: RowChange, then: Sequence[tuple[str, list[object]]] = ()) -> None:
        """Change rows that the home's journal has: it is written first. `then`: statements in the
        same transaction. ValueError: a row is too long, or is none."""
        ...

    def flush(self) -> bool:
        """Wait until it is committed; False if it is not."""
        ...

    def commit(self, what: str) -> None:
        """As `flush`; StoreError with why `what` can't be written."""
        ...


def rows(store: Readable, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
    """Return all rows of one statement. StoreError if the database can't be read."""
    with closing(store.cursor()) as cursor:
        try:
            return cursor.execute(sql, list(values)).fetchall()
        except duckdb.Error as error:
            raise StoreError(f"{store.home.database} can't be read: {error}") from error

"""What a reader needs of the store: its place, and a connection of his own."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import duckdb

from pitwall.config import Home


class Readable(Protocol):
    """The store, or whoever stands before it to stop its readers."""

    @property
    def home(self) -> Home: ...

    @property
    def handover(self) -> Path:
        """The only folder that the open database may write to."""
        ...

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own; close it soon. StoreError where the store is not open."""
        ...


class Writable(Readable, Protocol):
    """The store for somebody who also keeps something in it."""

    def put(self, sql: str, values: list[object]) -> None:
        """Hand one statement to the writer."""
        ...

    def flush(self) -> bool:
        """Wait until it is committed; False where it is not."""
        ...

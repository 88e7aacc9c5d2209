"""What a reader needs of the store: its place, and a connection of his own."""

from __future__ import annotations

from typing import Protocol

import duckdb

from pitwall.config import Home


class Readable(Protocol):
    """The store, or whoever stands before it to stop its readers."""

    @property
    def home(self) -> Home: ...

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own; close it soon. StoreError where the store is not open."""
        ...

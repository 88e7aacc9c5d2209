"""Frames on their way to another process: DuckDB writes them to a Parquet file, no Python object is made."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import _duckdb as duckdb

from pitwall.store.errors import StoreError, first_line
from pitwall.store.queries import TRACE_COLUMNS
from pitwall.store.reading import Readable

# Ten minutes at 100 Hz are 60,000 rows, 14 MB while they are sorted: DuckDB has 32 MB for everything.
PAGE_S = 120.0
_ROW_GROUP = 4_096
_SUFFIX = ".parquet"


def write_frames(store: Readable, session: str, from_t: float | None) -> tuple[str, float | None]:
    """Some minutes of a session's frames from this time on (None: from its beginning), in order.

    Returns the file, which the reader takes away, and where the next page begins; ("", None): no frame is
    left. The columns are TRACE_COLUMNS. StoreError.
    """
    with closing(store.cursor()) as cursor:
        try:
            start = cursor.execute(
                "SELECT min(t) FROM frames WHERE session = ? AND t >= ?",
                [session, float("-inf") if from_t is None else from_t],
            ).fetchall()[0][0]
            if start is None:
                return "", None
        except duckdb.Error as error:
            raise StoreError(f"session {session} can't be handed over: {first_line(error)}") from error
    path = write_parquet(
        store,
        f"SELECT {', '.join(TRACE_COLUMNS)} FROM frames "  # noqa: S608
        "WHERE session = ? AND t >= ? AND t < ? ORDER BY t, seq",
        [session, start, start + PAGE_S],
        _ROW_GROUP,
    )
    return str(path), start + PAGE_S


def write_parquet(
    store: Readable, select: str, values: Sequence[Any], rows_a_group: int, compression: str = "snappy"
) -> Path:
    """Write what a SELECT gives to a new file in the only folder that the open database may write to.

    `values[0]` is the session. The reader takes the file away. StoreError.
    """
    made = store.handover / f"{os.urandom(8).hex()}{_SUFFIX}"
    quoted = str(made).replace("'", "''")
    try:
        with closing(store.cursor()) as cursor:
            cursor.execute(
                f"COPY ({select}) TO '{quoted}' "
                f"(FORMAT parquet, COMPRESSION {compression}, ROW_GROUP_SIZE {rows_a_group})",
                list(values),
            )
    except duckdb.Error as error:
        made.unlink(missing_ok=True)
        raise StoreError(f"session {values[0]} can't be written as Parquet: {first_line(error)}") from error
    return made


def clear(folder: Path) -> None:
    """Take away what killed readers, and a database that was copied, left behind, as far as that goes."""
    with suppress(OSError):
        for path in folder.iterdir():
            path.unlink(missing_ok=True)

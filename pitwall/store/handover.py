"""Rows on their way to another process: DuckDB writes them to a Parquet file, no Python object
is made."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import _duckdb as duckdb

from pitwall.store.errors import StoreError, first_line
from pitwall.store.reading import Readable

_SUFFIX = ".parquet"


def write_parquet(
    store: Readable, select: str, values: Sequence[Any], rows_a_group: int, compression: str = "snappy"
) -> Path:
    """Write what a SELECT gives to a new file in the only folder that the open database may write
    to.

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
    """Take away what killed readers, and a database that was copied, left behind, as far as that
    goes."""
    with suppress(OSError):
        for path in folder.iterdir():
            path.unlink(missing_ok=True)

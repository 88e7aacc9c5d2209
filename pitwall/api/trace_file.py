"""A lap's trace, for a page as rows, for analysis as a Parquet file made by DuckDB."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from pitwall.api.answers import lap_row
from pitwall.api.types import LapTrace
from pitwall.contract.problems import Refused
from pitwall.store import queries
from pitwall.store.readers import Reader
from pitwall.store.schema import FRAME_FIELDS
from pitwall.track.lap import Lap

COLUMNS = (*FRAME_FIELDS, "distance_m", "offset_m", "status")
_TYPES = {"g_from_gps": "BOOLEAN", "status": "VARCHAR"}
# A quarter of an hour at 50 Hz; a drive on the road is one endless lap, and memory is small.
MOST_ROWS = 45_000
_CHECK_EVERY = 1_000
_APPEND_ROWS = 2_000
# What is encoded in some tenths of a millisecond.
_PIECE_ROWS = 100
# The second DuckDB lives for one file; it must not take what the first may have.
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1,
    "memory_limit": "48MB",
    "temp_directory": "",
}

Row = tuple[Any, ...]


def trace_json(reader: Reader, wanted: str, number: int) -> bytes:
    """A `LapTrace` as JSON. Refused (404) for no such lap, (409) for one that is
    too long. In pieces, beside the loop: encoded there at once, the longest held up the drive for 0.4 s."""
    session, lap = _find(reader, wanted, number)
    whole = msgspec.json.encode(LapTrace(session, lap_row(lap), COLUMNS, []))
    pieces: list[bytes] = []
    rows: list[Row] = []
    for row in _rows(reader, session, lap):
        rows.append(row)
        if len(rows) == _PIECE_ROWS:
            pieces.append(msgspec.json.encode(rows)[1:-1])
            rows.clear()
    if rows:
        pieces.append(msgspec.json.encode(rows)[1:-1])
    return whole.removesuffix(b"]}") + b",".join(pieces) + b"]}"


def trace_parquet(reader: Reader, wanted: str, number: int) -> bytes:
    """The same as a Parquet file. The open database may write no file, so a second one in memory does."""
    session, lap = _find(reader, wanted, number)
    columns = ", ".join(f"{name} {_TYPES.get(name, 'DOUBLE')}" for name in COLUMNS)
    with tempfile.TemporaryDirectory(prefix="pitwall-") as folder:
        path = Path(folder) / "trace.parquet"
        con = duckdb.connect(":memory:", config=_SETTINGS)
        try:
            con.execute(f"CREATE TABLE trace ({columns})")
            appender = con.appender("trace")
            rows: list[Row] = []
            for row in _rows(reader, session, lap):
                rows.append(row)
                if len(rows) == _APPEND_ROWS:
                    appender.append_rows(rows)
                    rows.clear()
            appender.append_rows(rows)
            appender.flush()
            quoted = str(path).replace("'", "''")
            con.execute(f"COPY trace TO '{quoted}' (FORMAT parquet, COMPRESSION zstd)")
        finally:
            con.close()
        return path.read_bytes()


def _find(reader: Reader, wanted: str, number: int) -> tuple[str, Lap]:
    session = queries.resolve_session(reader, wanted)
    found = queries.laps(reader, session)
    for lap in found:
        if lap.number == number:
            return session, lap
    have = f"{found[0].number} to {found[-1].number}" if found else "none"
    raise Refused(404, f"session {session} has no lap {number}; its laps: {have}", "ask for one of them")


def _rows(reader: Reader, session: str, lap: Lap) -> Iterator[Row]:
    for number, (frame, position) in enumerate(queries.lap_trace(reader, session, lap)):
        if number % _CHECK_EVERY == 0:
            reader.check()
        if number == MOST_ROWS:
            raise Refused(
                409,
                f"lap {lap.number} has more than {MOST_ROWS} frames",
                "ask for a part of it with POST /sql",
            )
        place = (
            (None, None, None)
            if position is None
            else (position.distance_m, position.offset_m, position.status)
        )
        yield (*msgspec.structs.astuple(frame), *place)

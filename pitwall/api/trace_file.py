"""A lap's trace, for a page as rows, for analysis as a Parquet file made by DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from pitwall.api.answers import lap_row
from pitwall.api.types import LapTrace
from pitwall.contract.problems import Refused
from pitwall.store import queries
from pitwall.store.export import make_trace
from pitwall.store.queries import TRACE_COLUMNS
from pitwall.store.readers import Reader
from pitwall.store.reading import rows
from pitwall.track.lap import Lap

# A quarter of an hour at 50 Hz; a drive on the road is one endless lap, and memory is small.
MOST_ROWS = 45_000
_CHECK_EVERY = 1_000
# What is encoded in some tenths of a millisecond.
_PIECE_ROWS = 100

Row = tuple[Any, ...]


def trace_json(reader: Reader, wanted: str, number: int) -> bytes:
    """A `LapTrace` as JSON. Refused (404) for no such lap, (409) for one that is
    too long. In pieces, beside the loop: encoded there at once, the longest held up the drive for 0.4 s."""
    session, lap = _find(reader, wanted, number)
    whole = msgspec.json.encode(LapTrace(session, lap_row(lap), TRACE_COLUMNS, []))
    pieces: list[bytes] = []
    waiting: list[Row] = []
    for row in _rows(reader, session, lap):
        waiting.append(row)
        if len(waiting) == _PIECE_ROWS:
            pieces.append(msgspec.json.encode(waiting)[1:-1])
            waiting.clear()
    if waiting:
        pieces.append(msgspec.json.encode(waiting)[1:-1])
    return whole.removesuffix(b"]}") + b",".join(pieces) + b"]}"


def trace_parquet(reader: Reader, wanted: str, number: int) -> bytes:
    """The same as a Parquet file."""
    session, lap = _find(reader, wanted, number)
    sql, values = queries.lap_query(session, lap)
    [(count,)] = rows(reader, f"SELECT count(*) FROM ({sql})", values)  # noqa: S608
    if count > MOST_ROWS:
        raise _too_long(lap)
    made = make_trace(reader, session, lap)
    try:
        return made.read_bytes()
    finally:
        made.unlink(missing_ok=True)


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
            raise _too_long(lap)
        place = (
            (None, None, None)
            if position is None
            else (position.distance_m, position.offset_m, position.status)
        )
        yield (*msgspec.structs.astuple(frame), *place)


def _too_long(lap: Lap) -> Refused:
    what = f"lap {lap.number} has more than {MOST_ROWS} frames"
    return Refused(409, what, "ask for a part of it with POST /sql")

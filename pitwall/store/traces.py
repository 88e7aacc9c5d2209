"""What the paddock's agents left behind, as it is kept: for an export. Nothing is taken out of it here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any, Literal

import duckdb
import msgspec

from pitwall.store.errors import StoreError
from pitwall.store.reading import Readable

TraceKind = Literal["agent_event", "job", "turn"]

_FETCH_ROWS = 200
# Newest first, so that a bound leaves out the oldest; given back in the order of time.
_QUERIES: dict[TraceKind, str] = {
    "agent_event": (
        "SELECT job, at_utc_s, agent, kind, detail FROM (SELECT * FROM agent_events "
        "WHERE $job IN ('', job) ORDER BY at_utc_s DESC LIMIT $most) ORDER BY at_utc_s"
    ),
    "job": (
        "SELECT id, kind, state, created_utc_s, updated_utc_s, input, checkpoint, result FROM (SELECT * "
        "FROM jobs WHERE $job IN ('', id) ORDER BY created_utc_s DESC LIMIT $most) ORDER BY created_utc_s"
    ),
    "turn": (
        "SELECT at_utc_s, role, session, text, detail FROM (SELECT * FROM conversations "
        "WHERE $job = '' ORDER BY at_utc_s DESC LIMIT $most) ORDER BY at_utc_s"
    ),
}


class Known(msgspec.Struct, frozen=True):
    """What sessions and lessons are called: by drivers, and by cars and files."""

    drivers: tuple[str, ...]
    things: tuple[str, ...]


def trace_rows(store: Readable, kind: TraceKind, job: str = "", most: int = 1000) -> Iterator[dict[str, Any]]:
    """The newest `most` rows of one kind in order of time, of one job where it is named. StoreError."""
    with closing(store.cursor()) as cursor:
        try:
            cursor.execute(_QUERIES[kind], {"job": job, "most": most})
            columns = [str(column[0]) for column in cursor.description or []]
            while rows := cursor.fetchmany(_FETCH_ROWS):
                for row in rows:
                    yield dict(zip(columns, row, strict=True))
        except duckdb.Error as error:
            raise StoreError(f"the agents' traces can't be read: {error}") from error


def known_names(store: Readable) -> Known:
    """Every driver, car and file that is named anywhere. StoreError."""
    with closing(store.cursor()) as cursor:
        try:
            rows = cursor.execute("SELECT DISTINCT driver, vehicle, source_name FROM sessions").fetchall()
            learned = cursor.execute("SELECT DISTINCT driver FROM lessons").fetchall()
        except duckdb.Error as error:
            raise StoreError(f"the sessions' names can't be read: {error}") from error
    drivers = {str(row[0]) for row in (*rows, *learned) if row[0]}
    stems = {str(row[2]).rpartition("/")[2].partition(".")[0] for row in rows if row[2]}
    cars = {str(row[1]) for row in rows if row[1]}
    return Known(tuple(sorted(drivers)), tuple(sorted(stems | cars)))

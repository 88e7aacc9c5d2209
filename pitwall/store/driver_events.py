"""The table `driver_events`: what each session showed about its driver."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pitwall.store.errors import StoreError
from pitwall.store.reading import Readable, Writable, rows


class DriverEvent(msgspec.Struct, frozen=True):
    """One row of `driver_events`. `detail` is JSON for the kinds that begin with "profile."."""

    session: str
    t: float
    kind: str
    detail: str


def driver_events(store: Readable, session: str) -> list[DriverEvent]:
    """The events of one session in order of time; where `session` is empty, of all sessions but replays and
    second files of the same drive. StoreError."""
    sql = (
        "SELECT session, t, kind, detail FROM driver_events WHERE session = $1 OR ($1 = '' AND session "
        "NOT IN (SELECT id FROM sessions WHERE kind = 'replay' OR same_as <> '')) "
        "ORDER BY session, t, kind, detail"
    )
    return [DriverEvent(*row) for row in rows(store, sql, [session])]


def unjudged(store: Readable) -> list[str]:
    """The ids of live sessions that are over, with a timed lap on a known track, of which no profile was ever
    made: a kill came first. StoreError."""
    sql = (
        "SELECT id FROM sessions s WHERE kind = 'live' AND closed_utc_s IS NOT NULL AND track <> '' "
        "AND same_as = '' AND id IN (SELECT session FROM laps WHERE kind = 'flying' AND time_s IS NOT NULL) "
        "AND id NOT IN (SELECT session FROM driver_events WHERE kind LIKE 'profile.%') ORDER BY id"
    )
    return [str(row[0]) for row in rows(store, sql, [])]


def put_profile_events(store: Writable, session: str, events: Sequence[DriverEvent]) -> None:
    """Replace the session's events of the kinds "profile.*" by these. StoreError."""
    store.put("DELETE FROM driver_events WHERE session = ? AND kind LIKE 'profile.%'", [session])
    for event in events:
        store.put("INSERT INTO driver_events VALUES (?, ?, ?, ?)", list(msgspec.structs.astuple(event)))
    if not store.flush():
        raise StoreError("the driver events can't be written now: the database keeps failing")

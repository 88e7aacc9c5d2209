"""A stored lap as the lap to drive against."""

from __future__ import annotations

from pitwall.store import queries
from pitwall.store.errors import StoreError
from pitwall.store.queries import lap_trace, laps
from pitwall.store.store import Store
from pitwall.track.lap import Lap
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceBuilder, ReferenceLap


def stored_reference(store: Store, wanted: str, track: Track | None) -> ReferenceLap:
    """The lap named SESSION:LAP, or the fastest flying one of SESSION. StoreError that says what there is."""
    name, _, number = wanted.partition(":")
    row = queries.session(store, name)
    session = row.id
    if track is None:
        raise StoreError(f"this recording is of no known track: no lap of session {session} fits it")
    if row.track != track.id:
        place = row.track or "no known track"
        raise StoreError(f"session {session} was driven on {place}, this recording on {track.name}")
    lap = _chosen(laps(store, session), number, session)
    builder = ReferenceBuilder(track)
    for frame, position in lap_trace(store, session, lap):
        if position is not None:
            builder.feed(frame, position)
    reference = builder.finish(lap, f"{session}:{lap.number}")
    if reference is None:
        raise StoreError(f"lap {lap.number} of session {session} has holes: choose another one as reference")
    return reference


def _chosen(found: list[Lap], number: str, session: str) -> Lap:
    timed = [lap for lap in found if lap.time_s is not None]
    if number:
        chosen = [lap for lap in timed if str(lap.number) == number]
    else:
        chosen = sorted((lap for lap in timed if lap.kind == "flying"), key=lambda lap: lap.time_s or 0.0)
    if not chosen:
        have = ", ".join(str(lap.number) for lap in timed) or "none"
        raise StoreError(
            f"session {session} has no {'lap ' + number if number else 'flying lap'}; timed laps: {have}"
        )
    return chosen[0]

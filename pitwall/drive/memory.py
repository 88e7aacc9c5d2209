"""What the path is told of earlier days on a track."""

from __future__ import annotations

import msgspec

from pitwall.track.reference import ReferenceLap


class Memory(msgspec.Struct, frozen=True):
    """What is known of a driver from earlier days on a track: his best lap, and the faults that were still
    told at the end of the last one, as (corner, concept). `given`: somebody chose the lap, no better one of
    this day takes its place."""

    track: str
    reference: ReferenceLap | None = None
    lessons: tuple[tuple[str, str], ...] = ()
    given: bool = False

"""When the car stood between two drives, and the flying laps between those stops."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from pitwall.paddock.questions.session_figures import SessionFigures
from pitwall.track.lap import Lap

# A car that is slower stands; one that stands so long has stopped, and is not only turned round.
STANDS_MPS, LEAST_STOP_S = 1.0, 5.0


class Stop(msgspec.Struct, frozen=True):
    """A time in which the car stood between two drives, and the lap that it was in."""

    lap: int
    from_t: float
    to_t: float


def stops_of(figures: SessionFigures) -> list[Stop]:
    """The stops between the first and the last time that the car moved."""
    spots = [spot for spot in figures.spots() if spot.frame.speed_mps is not None]
    moving = [spot.t for spot in spots if (spot.frame.speed_mps or 0.0) >= STANDS_MPS]
    found = []
    for before_t, after_t in pairwise(moving):
        if after_t - before_t >= LEAST_STOP_S:
            lap = next((lap for lap in figures.laps.values() if lap.start_t <= before_t < lap.end_t), None)
            found.append(Stop(lap.number if lap else 0, before_t, after_t))
    return found


def stints_of(figures: SessionFigures) -> list[list[Lap]]:
    """The flying laps of each stint."""
    return [each for each in _between(figures.flying, stops_of(figures)) if each]


def _between(flying: Sequence[Lap], stops: Sequence[Stop]) -> list[list[Lap]]:
    ends = [*(each.from_t for each in stops), float("inf")]
    starts = [float("-inf"), *(each.from_t for each in stops)]
    return [
        [lap for lap in flying if first <= lap.start_t < last]
        for first, last in zip(starts, ends, strict=True)
    ]

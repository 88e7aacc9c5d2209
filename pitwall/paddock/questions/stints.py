"""Answers about stops and the stints between them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

import msgspec

from pitwall.paddock.questions.reading import QuestionReading
from pitwall.paddock.questions.subject import Subject
from pitwall.track.lap import Lap

# A car that is slower stands; one that stands so long has stopped, and is not only turned round.
STANDS_MPS, LEAST_STOP_S = 1.0, 5.0


class Stop(msgspec.Struct, frozen=True):
    """A time in which the car stood between two drives, and the lap that it was in."""

    lap: int
    from_t: float
    to_t: float


def stops_of(asked: Subject) -> list[Stop]:
    """The stops between the first and the last time that the car moved."""
    spots = [spot for spot in asked.figures.spots() if spot.frame.speed_mps is not None]
    moving = [spot.t for spot in spots if (spot.frame.speed_mps or 0.0) >= STANDS_MPS]
    found = []
    for before_t, after_t in pairwise(moving):
        if after_t - before_t >= LEAST_STOP_S:
            lap = next(
                (lap for lap in asked.figures.laps.values() if lap.start_t <= before_t < lap.end_t), None
            )
            found.append(Stop(lap.number if lap else 0, before_t, after_t))
    return found


def stops_told(asked: Subject, reading: QuestionReading) -> str:
    say, stops = asked.words.say, stops_of(asked)
    if not asked.figures.recorded("speed_mps"):
        return say("asked not recorded", signal=asked.words.term("asked", "speed"))
    if not stops:
        return say("asked no stop")
    values = [say("asked stop", lap=each.lap, time=each.to_t - each.from_t) for each in stops]
    return say("asked stops", count=len(stops), values=values)


def stints_of(asked: Subject) -> list[list[Lap]]:
    """The flying laps of each stint."""
    return [each for each in _between(asked.figures.flying, stops_of(asked)) if each]


def stints_told(asked: Subject, reading: QuestionReading) -> str:
    """The flying laps between the stops: their best and their average, stint by stint."""
    say = asked.words.say
    stints = stints_of(asked)
    if len(stints) < 2:
        return say("asked no stop")
    said = []
    for number, laps in enumerate(stints, 1):
        best = min(laps, key=lambda lap: lap.time_s or 0.0)
        said.append(
            say(
                "asked stint",
                stint=number,
                laps=[lap.number for lap in laps],
                best=best.time_s,
                lap=best.number,
                mean=fmean(lap.time_s or 0.0 for lap in laps),
            )
        )
    return " ".join(said)


def _between(flying: Sequence[Lap], stops: Sequence[Stop]) -> list[list[Lap]]:
    ends = [*(each.from_t for each in stops), float("inf")]
    starts = [float("-inf"), *(each.from_t for each in stops)]
    return [
        [lap for lap in flying if first <= lap.start_t < last]
        for first, last in zip(starts, ends, strict=True)
    ]

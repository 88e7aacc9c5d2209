"""Start lines that no file stores: from the logger's own lap marks, or from a loop that was driven twice."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from statistics import median

from pitwall.track.driven import DRIVING_MPS, SAME_WAY_DEG, DrivenPath
from pitwall.track.gate import gate_across
from pitwall.track.geometry import heading_deg, turn_deg
from pitwall.track.line import Centreline
from pitwall.track.model import Gate

# A lap counter changes within a few tenths of the line: 0.3 s at 70 m/s. Marks further off are pit stops.
MARK_SPREAD_M = 60.0
# The line is put where the course changes by less than this over a stretch of road.
STRAIGHT_DEG, STRAIGHT_POINTS = 8.0, 6
# Candidates for the line: the fastest places, not all on one straight.
CANDIDATES, CANDIDATE_GAP = 24, 12
# No circuit is shorter (an indoor kart track has 200 m); a turn in the paddock is.
SHORTEST_LOOP_M = 150.0
# Another lap keeps to the road of the first: its width and GPS wander; on a straight to less of it.
ROAD_M, LANE_M = 20.0, 12.0
# Twice around, allowing for a start and an end somewhere on the loop.
TIMES_AROUND = 1.8


def gate_from_marks(driven: DrivenPath, marks_t: Sequence[float]) -> Gate | None:
    """The line across the course in the middle of where laps were counted; None where marks disagree."""
    places = [place for place in (mark_place(driven, t) for t in marks_t) if place is not None]
    for _ in range(2):
        if not places:
            return None
        x_m, y_m = median(place[0] for place in places), median(place[1] for place in places)
        agreeing = [place for place in places if math.dist(place[:2], (x_m, y_m)) <= MARK_SPREAD_M]
        if 2 * len(agreeing) < len(places):
            return None
        places = agreeing
    east = sum(math.sin(math.radians(place[2])) for place in places)
    north = sum(math.cos(math.radians(place[2])) for place in places)
    return gate_across(driven, (x_m, y_m), heading_deg(east, north))


def mark_place(driven: DrivenPath, t: float) -> tuple[float, float, float] | None:
    """Place and course at a session time; None where the car was not driving then."""
    index = driven.index_at(t)
    if index is None or not driven.driven(index):
        return None
    share = (t - driven.t[index]) / (driven.t[index + 1] - driven.t[index])
    x_m = driven.x_m[index] + share * (driven.x_m[index + 1] - driven.x_m[index])
    y_m = driven.y_m[index] + share * (driven.y_m[index + 1] - driven.y_m[index])
    return x_m, y_m, driven.course(index)


def gate_from_loop(driven: DrivenPath) -> Gate | None:
    """A line on the fastest straight of a closed loop that was driven at least twice; None without one."""
    for index in fastest_straights(driven):
        at = (driven.x_m[index], driven.y_m[index])
        course = driven.course(index)
        crossed = [i for i, _ in driven.crossings(at, course, LANE_M)]
        loops = [
            (first, after)
            for first, after in itertools.pairwise(crossed)
            if driven.length_m(first, after) >= SHORTEST_LOOP_M
        ]
        if any(times_around(driven, first, after) >= TIMES_AROUND for first, after in loops[:3]):
            return gate_across(driven, at, course)
    return None


def fastest_straights(driven: DrivenPath) -> list[int]:
    """Indices of the fastest places with a straight around them, fastest first."""
    around = STRAIGHT_POINTS // 2
    speeds = [
        (driven.speed_mps(i), i)
        for i in range(around, len(driven) - around - 1)
        if driven.speed_mps(i) >= DRIVING_MPS and is_straight(driven, i - around, i + around)
    ]
    chosen: list[int] = []
    for _, index in sorted(speeds, key=lambda item: (-item[0], item[1])):
        if all(abs(index - other) >= CANDIDATE_GAP for other in chosen):
            chosen.append(index)
            if len(chosen) == CANDIDATES:
                break
    return chosen


def is_straight(driven: DrivenPath, first: int, last: int) -> bool:
    """Whether these steps were driven without a hole and go one way."""
    course = driven.course(first)
    return all(
        driven.driven(i) and abs(turn_deg(course, driven.course(i))) <= STRAIGHT_DEG
        for i in range(first, last + 1)
    )


def times_around(driven: DrivenPath, first: int, after: int) -> float:
    """How often the loop between two crossings was driven in all, from the way driven along it."""
    points = [(driven.x_m[i], driven.y_m[i]) for i in range(first, after)]
    loop_m = driven.length_m(first, after)
    line = Centreline(points, loop_m, driven.projection)
    along_m = loop_m
    for i in range(len(driven) - 1):
        if first <= i < after or not driven.driven(i):
            continue
        spots = line.within(driven.x_m[i], driven.y_m[i], ROAD_M)
        course = driven.course(i)
        if any(abs(turn_deg(course, line.heading_deg[spot.segment])) <= SAME_WAY_DEG for spot in spots):
            along_m += driven.step_m(i)
    return along_m / loop_m

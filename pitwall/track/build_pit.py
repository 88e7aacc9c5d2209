"""The pit lane, where the recordings show the car in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from pitwall.track.build_laps import FixTrace
from pitwall.track.line import Centreline

Point = tuple[float, float]

# Nearer to the line than this is the track itself (or its edge), not a lane beside it.
BESIDE_M = 8.0
# Shorter is a run over the grass; longer is a paddock, a public road or another layout.
SHORTEST_M, LONGEST_M = 100.0, 1500.0
# Faster than this on average nobody drives in a pit lane (60 km/h is a usual limit).
PIT_MPS = 20.0
# Recordings begin and end at a garage: a way in and a way out this near to each other are one lane.
MEET_M = 250.0
# What a curve may lose when points are left out.
KEEP_M = 1.0


def find_pit_lane(traces: Sequence[FixTrace], line: Centreline) -> list[Point]:
    """The lane as (x, y) points in driving order in the line's metres, [] where none was driven.

    A visit in the middle of a session shows all of it; else the way in at the end and out at the start.
    """
    whole: list[list[Point]] = []
    ways_in: list[list[Point]] = []
    ways_out: list[list[Point]] = []
    for trace in traces:
        for first, last, points in _beside(trace, line):
            at_start, at_end = first == 0, last == len(trace.t)
            kind = ways_out if at_start and not at_end else ways_in if at_end and not at_start else whole
            if not (at_start and at_end):
                kind.append(points)
    if whole:
        return simplify(sorted(whole, key=_length)[len(whole) // 2], KEEP_M)
    for way_in in ways_in:
        for way_out in ways_out:
            if math.dist(way_in[-1], way_out[0]) <= MEET_M:
                return simplify([*way_in, *way_out], KEEP_M)
    return simplify(max([*ways_in, *ways_out], key=_length, default=[]), KEEP_M)


def _beside(trace: FixTrace, line: Centreline) -> list[tuple[int, int, list[Point]]]:
    """The pieces of a trace that run slowly beside the line: index range and points."""
    xy = [line.projection.xy(lat, lon) for lat, lon in zip(trace.lat_deg, trace.lon_deg, strict=True)]
    away: list[bool] = []
    segment = 0
    for x, y in xy:
        # Most fixes lie on the line just after the last one: the search over all of it is for the others.
        spot = line.near(x, y, segment)
        on = [spot] if spot.away_m <= BESIDE_M else line.within(x, y, BESIDE_M)
        segment = on[0].segment if on else segment
        away.append(not on)
    pieces = []
    first = 0
    for i in range(1, len(away) + 1):
        if i < len(away) and away[i] == away[first]:
            continue
        points = xy[first:i]
        length_m = _length(points)
        lasted_s = trace.t[i - 1] - trace.t[first]
        if away[first] and SHORTEST_M <= length_m <= LONGEST_M and length_m < PIT_MPS * lasted_s:
            pieces.append((first, i, points))
        first = i
    return pieces


def _length(points: Sequence[Point]) -> float:
    return sum(math.dist(a, b) for a, b in pairwise(points))


def simplify(points: Sequence[Point], keep_m: float) -> list[Point]:
    """Fewer points, none further than `keep_m` from the line that is left (Douglas and Peucker 1973)."""
    if len(points) < 3:
        return list(points)
    keep = {0, len(points) - 1}
    parts = [(0, len(points) - 1)]
    while parts:
        first, last = parts.pop()
        (ax, ay), (bx, by) = points[first], points[last]
        size = math.dist(points[first], points[last])
        furthest, furthest_m = first, keep_m
        for i in range(first + 1, last):
            x, y = points[i]
            across = abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / size if size > 0.0 else 0.0
            away_m = across if size > 0.0 else math.dist(points[i], points[first])
            if away_m > furthest_m:
                furthest, furthest_m = i, away_m
        if furthest != first:
            keep |= {furthest}
            parts += [(first, furthest), (furthest, last)]
    return [points[i] for i in sorted(keep)]

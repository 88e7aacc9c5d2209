"""What the laps say at each point of the line: pace, height, and whether each lap shows the same corners."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median, pstdev

import msgspec

from pitwall.track.build_laps import DrivenLap
from pitwall.track.build_line import Point, interpolate, middle, offsets, smooth_ring
from pitwall.track.corners import Bend, curvature, find_bends

# Half the stretch over which pace and height are smoothed.
PACE_SMOOTH_M, HEIGHT_SMOOTH_M = 6.0, 25.0
# A lap's own corner is the same one when its apex lies this near, or half a corner's length in long ones.
SAME_APEX_M = 25.0
# An apex that moves by this much between laps, or by a third of a long corner, halves the sureness.
APEX_SPREAD_M, APEX_SPREAD_SHARE = 30.0, 0.33
# A load this many times the least that makes a corner leaves no doubt that it is one.
CLEAR = 1.5


class Along(msgspec.Struct, frozen=True):
    """One lap seen from the line's points: when it passed each, how far left (m), and its pace (m/s)."""

    lap: DrivenLap
    t: tuple[float, ...]
    left_m: tuple[float, ...]
    speed_mps: tuple[float, ...]


class Agreement(msgspec.Struct, frozen=True):
    """How the laps agree on one corner: how many show it, and the spread of their apexes in metres."""

    laps: int
    of: int
    apex_spread_m: float
    sureness: float


def along_line(lap: DrivenLap, line: Sequence[Point]) -> Along:
    """A lap at each point of an even closed line. Times never run backwards."""
    left = [offset if offset is not None else 0.0 for offset in offsets(lap.path, line)]
    step_m = lap.path.length_m / len(line)
    times: list[float] = []
    last_t = lap.lap.start_t
    for i, (x, y) in enumerate(line):
        seen = lap.path.nearest(x, y, i * step_m)
        last_t = min(max(last_t, seen[2] if seen else last_t), lap.lap.end_t)
        times.append(last_t)
    pace = smooth_ring(_paces(lap, times), round(PACE_SMOOTH_M / step_m))
    return Along(lap, tuple(times), tuple(left), tuple(max(0.0, v) for v in pace))


def _paces(lap: DrivenLap, times: Sequence[float]) -> list[float]:
    """Speed at these times, from the fixes that have one."""
    column = lap.trace.column("speed_mps")
    known = [(lap.trace.t[i], column[i]) for i in range(lap.first, lap.last) if not math.isnan(column[i])]
    ts, speeds = [t for t, _ in known], [speed for _, speed in known]
    return [interpolate(ts, speeds, t) for t in times]


def heights(laps: Sequence[Along], step_m: float) -> list[float]:
    """Height in metres at each point of the line, averaged after each lap's own level is taken out."""
    count = len(laps[0].t)
    shapes: list[list[float]] = []
    levels: list[float] = []
    for along in laps:
        trace = along.lap.trace
        column = trace.column("altitude_m")
        known = [i for i in range(along.lap.first, along.lap.last) if not math.isnan(column[i])]
        if 2 * len(known) <= along.lap.last - along.lap.first:
            continue
        ts, metres = [trace.t[i] for i in known], [column[i] for i in known]
        shape = [interpolate(ts, metres, t) for t in along.t]
        levels.append(median(shape))
        shapes.append([height - levels[-1] for height in shape])
    if not shapes:
        return [0.0] * count
    level = median(levels)
    return smooth_ring(
        [level + middle([shape[i] for shape in shapes]) for i in range(count)],
        round(HEIGHT_SMOOTH_M / step_m),
    )


def stray(laps: Sequence[Along], i: int) -> tuple[float, float]:
    """How far lap i is from the middle of all laps: the mean over the line, and the most, in metres."""
    mine = laps[i].left_m
    middles = [median(along.left_m[k] for along in laps) for k in range(len(mine))]
    away = [abs(offset - m) for offset, m in zip(mine, middles, strict=True)]
    return sum(away) / len(away), max(away)


def own_bends(along: Along, line: Sequence[Point], step_m: float, smooth_m: float) -> list[Bend]:
    """The corners that this one lap shows, placed along the common line."""
    points: list[Point] = []
    for i, (x, y) in enumerate(line):
        (ax, ay), (bx, by) = line[i - 1], line[(i + 1) % len(line)]
        size = math.hypot(bx - ax, by - ay) or 1.0
        left_m = along.left_m[i]
        points.append((x + left_m * (ay - by) / size, y + left_m * (bx - ax) / size))
    half = round(smooth_m / step_m)
    xs = smooth_ring([point[0] for point in points], half)
    ys = smooth_ring([point[1] for point in points], half)
    bent = curvature(list(zip(xs, ys, strict=True)), along.speed_mps, step_m)
    return find_bends(bent, along.speed_mps, step_m)


def agreement(bend: Bend, laps: Sequence[Sequence[Bend]], length_m: float) -> Agreement:
    """How sure a corner is: the share of laps that show it (one lap alone is worth a half), how clearly it
    loads the car, and how much its apex wanders."""
    corner_m = (bend.exit_m - bend.entry_m) % length_m
    reach_m = max(SAME_APEX_M, 0.5 * corner_m)
    doubt_m = max(APEX_SPREAD_M, APEX_SPREAD_SHARE * corner_m)
    apexes: list[float] = []
    for own in laps:
        near = [
            (other.apex_m - bend.apex_m + 0.5 * length_m) % length_m - 0.5 * length_m
            for other in own
            if other.direction == bend.direction
        ]
        nearest = min(near, key=abs, default=math.inf)
        if abs(nearest) <= reach_m:
            apexes.append(nearest)
    spread_m = pstdev(apexes) if len(apexes) > 1 else 0.0
    share = len(apexes) / (len(laps) + 1)
    sureness = share * min(1.0, bend.clearness / CLEAR) / (1.0 + (spread_m / doubt_m) ** 2)
    return Agreement(len(apexes), len(laps), spread_m, sureness)

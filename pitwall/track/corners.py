"""Finds corners: where the line, at its pace, bends enough to load the car sideways."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

import msgspec

from pitwall.track.geometry import heading_deg, turn_deg

Direction = Literal["left", "right"]

STANDARD_G = 9.80665
# Curvature over the way of 0.4 s to each side: the time a car needs to take a set.
BASE_S, SHORTEST_BASE_M, LONGEST_BASE_M = 0.4, 5.0, 20.0
# A corner loads the car with a third of what this driver and car use; below a tenth it is straight.
CORNER_SHARE, STRAIGHT_SHARE = 0.33, 0.1
# The load in use is the level exceeded on a twentieth of the lap; at least 0.15 g, for a stroll.
LOAD_SHARE, LEAST_LOAD_G = 0.95, 0.15
# Gentler bends than this are not called corners by anybody.
LEAST_TURN_DEG = 15.0
# No corner turns further: this is an oval without a straight, whose two ends are its corners.
MOST_TURN_DEG = 300.0
# Two loads to the same side with less than 0.8 s of ease between them are one compound corner.
EASE_SHARE, EASE_S = 0.5, 0.8
# Turn-in and track-out: where a third of the corner's own load is reached and left.
EDGE_SHARE = 0.33
# The apex is the mean place weighted by curvature to this power, for the tightest part.
TIGHT_POWER = 4


class Bend(msgspec.Struct, frozen=True):
    """A corner as found, m along the line; `turn_deg`: + right; `load_g`: its highest."""

    entry_m: float
    apex_m: float
    exit_m: float
    direction: Direction
    turn_deg: float
    load_g: float
    clearness: float


def curvature(
    points: Sequence[tuple[float, float]], speed_mps: Sequence[float], step_m: float
) -> list[float]:
    """Return curvature in 1/m of an even closed line at each point, positive to the right."""
    count = len(points)
    bent = []
    for i in range(count):
        base_m = min(max(BASE_S * speed_mps[i], SHORTEST_BASE_M), LONGEST_BASE_M)
        k = min(max(2, round(base_m / step_m)), count // 4)
        (ax, ay), (x, y), (bx, by) = points[i - k], points[i], points[(i + k) % count]
        turn = turn_deg(heading_deg(x - ax, y - ay), heading_deg(bx - x, by - y))
        bent.append(2.0 * math.radians(turn) / (math.dist((ax, ay), (x, y)) + math.dist((x, y), (bx, by))))
    return bent


def find_bends(bent: Sequence[float], speed_mps: Sequence[float], step_m: float) -> list[Bend]:
    """Return the corners of a closed line, from curvature (1/m, + right) and pace."""
    count = len(bent)
    load = [k * v * v / STANDARD_G for k, v in zip(bent, speed_mps, strict=True)]
    sizes = sorted(abs(g) for g in load)
    used_g = max(sizes[int(LOAD_SHARE * (count - 1))], LEAST_LOAD_G)
    # Scanned from the straightest point on, no corner lies across the seam.
    start = min(range(count), key=lambda i: abs(load[i]))
    order = [(start + i) % count for i in range(count)]
    load = [load[i] for i in order]
    bent = [bent[i] for i in order]
    pace = [speed_mps[i] for i in order]
    bends = []
    for run in _pieces(load, pace, step_m, STRAIGHT_SHARE * used_g):
        for first, last in _ends_of_oval(run, load, bent, step_m):
            bend = _bend(first, last, load, bent, start, step_m, CORNER_SHARE * used_g)
            if bend is not None:
                bends.append(bend)
    return sorted(bends, key=lambda bend: bend.apex_m)


def _pieces(
    load: Sequence[float], pace: Sequence[float], step_m: float, straight_g: float
) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    first = 0
    for i in range(1, len(load) + 1):
        if i == len(load) or _side(load[i], straight_g) != _side(load[first], straight_g):
            if _side(load[first], straight_g) != 0:
                runs.append((first, i))
            first = i
    joined: list[tuple[int, int]] = []
    for run in runs:
        if joined and load[run[0]] * load[joined[-1][0]] > 0:
            gap = range(joined[-1][1], run[0])
            if sum(step_m / max(pace[i], 1.0) for i in gap) < EASE_S:
                joined[-1] = (joined[-1][0], run[1])
                continue
        joined.append(run)
    return [piece for run in joined for piece in _split(run, load, pace, step_m)]


def _ends_of_oval(
    run: tuple[int, int], load: Sequence[float], bent: Sequence[float], step_m: float
) -> list[tuple[int, int]]:
    first, last = run
    turned = [math.degrees(abs(each) * step_m) for each in accumulate(bent[first:last])]
    if turned[-1] <= MOST_TURN_DEG:
        return [run]
    middle = (first + i for i, each in enumerate(turned) if 0.25 <= each / turned[-1] <= 0.75)
    cut = min(middle, key=lambda i: abs(load[i]))
    return [(first, cut), (cut, last)]


def _side(load_g: float, straight_g: float) -> int:
    return 0 if abs(load_g) < straight_g else (1 if load_g > 0 else -1)


def _split(
    run: tuple[int, int], load: Sequence[float], pace: Sequence[float], step_m: float
) -> list[tuple[int, int]]:
    """Cut a run at the bottom of its deepest ease, and each part again."""
    first, last = run
    before, after = [0.0] * (last - first), [0.0] * (last - first)
    for k in range(1, last - first):
        before[k] = max(before[k - 1], abs(load[first + k - 1]))
        after[-k - 1] = max(after[-k], abs(load[last - k]))
    ease = [
        min(b, a) * EASE_SHARE - abs(load[first + k])
        for k, (b, a) in enumerate(zip(before, after, strict=True))
    ]
    deepest = max(range(len(ease)), key=ease.__getitem__)
    low = high = deepest
    while low > 0 and ease[low - 1] > 0:
        low -= 1
    while high < len(ease) - 1 and ease[high + 1] > 0:
        high += 1
    eased_s = sum(step_m / max(pace[first + k], 1.0) for k in range(low, high + 1))
    if ease[deepest] <= 0 or eased_s < EASE_S:
        return [run]
    cut = first + deepest
    return [*_split((first, cut), load, pace, step_m), *_split((cut, last), load, pace, step_m)]


def _bend(
    first: int,
    last: int,
    load: Sequence[float],
    bent: Sequence[float],
    start: int,
    step_m: float,
    corner_g: float,
) -> Bend | None:
    """Return a piece as a corner, None if too gentle. `start`: the scan's seam."""
    top = max(range(first, last), key=lambda i: abs(load[i]))
    top_g = abs(load[top])
    edges = [i for i in range(first, last) if abs(load[i]) >= EDGE_SHARE * top_g]
    entry, end = edges[0], edges[-1]
    turn = math.degrees(sum(bent[first:last]) * step_m)
    if top_g < corner_g or abs(turn) < LEAST_TURN_DEG:
        return None
    tightest = max(abs(bent[i]) for i in range(entry, end + 1))
    weights = [(abs(bent[i]) / tightest) ** TIGHT_POWER for i in range(entry, end + 1)]
    apex = entry + sum(n * weight for n, weight in enumerate(weights)) / sum(weights)
    length_m = len(load) * step_m
    return Bend(
        entry_m=((start + entry) * step_m) % length_m,
        apex_m=((start + apex) * step_m) % length_m,
        exit_m=((start + end) * step_m) % length_m,
        direction="right" if turn > 0 else "left",
        turn_deg=turn,
        load_g=top_g,
        clearness=top_g / corner_g,
    )

"""The averaged line of several laps: smooth, closed, evenly spaced, robust against one bad lap."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from operator import mul

from pitwall.track.geometry import foot, interpolated

Point = tuple[float, float]

# Between fixes further apart the path is curved, so that a 1 Hz phone cuts no corner.
DENSE_M = 2.0
# Noise is averaged over 0.4 s to each side: at 1.5 g a parabola follows a car within centimetres.
STEADY_S, FEWEST_STEADY = 0.4, 5
# How far the nearest point of a lap may lie before or after its share of the distance driven.
SEARCH_M = 30.0
# More than sums of floats are off by.
ROUNDING_M = 1e-6
# Around the gate a lap's start and end are faded into each other, to leave no step.
FADE_M = 60.0
# Half the stretch of the local parabolas: moves a 10 m hairpin by 0.1 m.
SMOOTH_M = 10.0
ROUNDS = 3
# A run's ends are extended straight on, so that nothing bends them.
HEADING_M, ONWARD_M, WAY_STEP_S = 5.0, 30.0, 0.1


class Path:
    """A driven lap with run-in and run-out: places, times, metres since its gate crossing."""

    def __init__(self, points: Sequence[tuple[float, float, float]], start_t: float, end_t: float) -> None:
        dense = densify(steady(points))
        self.t = [point[0] for point in dense]
        self.x = [point[1] for point in dense]
        self.y = [point[2] for point in dense]
        driven_m = [0.0]
        for i in range(1, len(dense)):
            driven_m.append(driven_m[-1] + math.hypot(self.x[i] - self.x[i - 1], self.y[i] - self.y[i - 1]))
        zero_m = interpolated(self.t, driven_m, start_t)
        self.length_m = interpolated(self.t, driven_m, end_t) - zero_m
        self.s = [distance_m - zero_m for distance_m in driven_m]

    def nearest(self, x: float, y: float, around_m: float) -> tuple[float, float, float] | None:
        """Return the point (x, y, t) of the path nearest to a place, at about `around_m` driven."""
        first = bisect_left(self.s, around_m - SEARCH_M)
        last = bisect_left(self.s, around_m + SEARCH_M)
        if last - first < 2:
            return None
        xs, ys, s = self.x, self.y, self.s
        # No point is nearer than another's distance less the way between them, so most are skipped.
        near = min(max(bisect_left(s, around_m, first, last), first), last - 1)
        bound_m = math.hypot(xs[near] - x, ys[near] - y)
        found_d2, best, i = math.inf, first, first
        while i < last:
            dx, dy = xs[i] - x, ys[i] - y
            d2 = dx * dx + dy * dy
            if d2 < found_d2:
                found_d2, best = d2, i
            away_m = math.sqrt(d2)
            if away_m < bound_m:
                bound_m = away_m
            skip_m = away_m - bound_m - ROUNDING_M
            i = bisect_right(s, s[i] + skip_m, i + 1, last) if skip_m > 0.0 else i + 1
        found = (xs[best], ys[best], self.t[best])
        for i in (best - 1, best):
            if first <= i and i + 1 < last:
                share = foot(xs[i], ys[i], xs[i + 1], ys[i + 1], x, y)
                px, py = xs[i] + share * (xs[i + 1] - xs[i]), ys[i] + share * (ys[i + 1] - ys[i])
                d2 = (px - x) ** 2 + (py - y) ** 2
                if d2 < found_d2:
                    found, found_d2 = (px, py, self.t[i] + share * (self.t[i + 1] - self.t[i])), d2
        return found


def closed_run(
    points: Sequence[tuple[float, float, float]], start_t: float, end_t: float
) -> tuple[list[tuple[float, float, float]], float]:
    """Return (t, x, y) of a run closed to a ring by straight pieces, and its closing time."""
    columns = [[point[k] for point in points] for k in range(3)]
    t = columns[0]

    def at(when_t: float) -> tuple[float, float, float]:
        return when_t, interpolated(t, columns[1], when_t), interpolated(t, columns[2], when_t)

    run = [at(start_t), *(point for point in points if start_t < point[0] < end_t), at(end_t)]
    start, end = run[0][1:], run[-1][1:]
    ahead = next(((x, y) for _, x, y in run if math.dist((x, y), start) >= HEADING_M), end)
    behind = next(((x, y) for _, x, y in reversed(run) if math.dist((x, y), end) >= HEADING_M), start)
    onward, before = _further(behind, end), _further(ahead, start)
    closed, now_t = list(run), end_t
    for (ax, ay), (bx, by) in pairwise((end, onward, before, start)):
        pieces = max(1, round(math.hypot(bx - ax, by - ay) / DENSE_M))
        for piece in range(1, pieces + 1):
            now_t += WAY_STEP_S
            share = piece / pieces
            closed.append((now_t, ax + share * (bx - ax), ay + share * (by - ay)))
    return closed, now_t


def _further(before: Point, at: Point) -> Point:
    share = ONWARD_M / (math.dist(before, at) or 1.0)
    return at[0] + share * (at[0] - before[0]), at[1] + share * (at[1] - before[1])


def steady(points: Sequence[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Return (t, x, y) on the least-squares parabolas in time through the fixes around.

    White noise of a metre at 25 Hz would double the length of a path.
    """
    calm: list[tuple[float, float, float]] = []
    first = last = 0
    for t, x, y in points:
        while points[first][0] < t - STEADY_S:
            first += 1
        while last < len(points) and points[last][0] <= t + STEADY_S:
            last += 1
        if last - first < FEWEST_STEADY:
            calm.append((t, x, y))
            continue
        s1 = s2 = s3 = s4 = dx0 = dx1 = dx2 = dy0 = dy1 = dy2 = 0.0
        for at, ax, ay in points[first:last]:
            u, dx, dy = at - t, ax - x, ay - y
            u2 = u * u
            s1, s2, s3, s4 = s1 + u, s2 + u2, s3 + u * u2, s4 + u2 * u2
            dx0, dx1, dx2 = dx0 + dx, dx1 + dx * u, dx2 + dx * u2
            dy0, dy1, dy2 = dy0 + dy, dy1 + dy * u, dy2 + dy * u2
        # The constant of the parabola by Cramer's rule: the fitted place at u = 0.
        c0, c1, c2 = s2 * s4 - s3 * s3, s2 * s3 - s1 * s4, s1 * s3 - s2 * s2
        size = (last - first) * c0 + s1 * c1 + s2 * c2
        if size < 1e-12:
            calm.append((t, x, y))
        else:
            x_fit, y_fit = dx0 * c0 + dx1 * c1 + dx2 * c2, dy0 * c0 + dy1 * c1 + dy2 * c2
            calm.append((t, x + x_fit / size, y + y_fit / size))
    return calm


def densify(points: Sequence[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Return (t, x, y) with points added on Hermite cubics, at most DENSE_M apart; slopes by
    Bessel's tangents, so that uneven rates bend nothing."""
    slopes = [slope_at(points, i) for i in range(len(points))]
    dense = [points[0]]
    for i in range(1, len(points)):
        (t0, x0, y0), (t1, x1, y1) = points[i - 1], points[i]
        step_s = t1 - t0
        pieces = math.ceil(math.hypot(x1 - x0, y1 - y0) / DENSE_M)
        for piece in range(1, pieces):
            u = piece / pieces
            h1 = u * u * (3.0 - 2.0 * u)
            g0, g1 = u * (1.0 - u) ** 2 * step_s, u * u * (u - 1.0) * step_s
            x = x0 + h1 * (x1 - x0) + g0 * slopes[i - 1][0] + g1 * slopes[i][0]
            y = y0 + h1 * (y1 - y0) + g0 * slopes[i - 1][1] + g1 * slopes[i][1]
            dense.append((t0 + u * step_s, x, y))
        dense.append(points[i])
    return dense


def slope_at(points: Sequence[tuple[float, float, float]], i: int) -> Point:
    """Return velocity (x, y) in m/s at point i."""
    before, here, after = points[max(i - 1, 0)], points[i], points[min(i + 1, len(points) - 1)]
    past_s, coming_s = here[0] - before[0], after[0] - here[0]
    if past_s <= 0.0 or coming_s <= 0.0:
        whole_s = (after[0] - before[0]) or 1.0
        return (after[1] - before[1]) / whole_s, (after[2] - before[2]) / whole_s
    share = coming_s / (past_s + coming_s)
    x = share * (here[1] - before[1]) / past_s + (1.0 - share) * (after[1] - here[1]) / coming_s
    y = share * (here[2] - before[2]) / past_s + (1.0 - share) * (after[2] - here[2]) / coming_s
    return x, y


def smooth_ring(values: Sequence[float], half: int) -> list[float]:
    """Smooth a closed line by parabolas over 2 half + 1 values (Savitzky and Golay 1964)."""
    if half < 2:
        return list(values)
    weights = [3.0 * half * half + 3.0 * half - 1.0 - 5.0 * j * j for j in range(-half, half + 1)]
    total = sum(weights)
    weights = [weight / total for weight in weights]
    around = [*values[-half:], *values, *values[:half]]
    width = 2 * half + 1
    return [sum(map(mul, weights, around[i : i + width])) for i in range(len(values))]


def smooth_line(points: Sequence[Point], half: int) -> list[Point]:
    """Smooth the points of an even closed line."""
    xs, ys = (smooth_ring(column, half) for column in zip(*points, strict=True))
    return list(zip(xs, ys, strict=True))


def shifted(line: Sequence[Point], left_m: Sequence[float]) -> list[Point]:
    """Return the points of a closed line, each moved by some metres to its left."""
    moved: list[Point] = []
    for i, ((x, y), left) in enumerate(zip(line, left_m, strict=True)):
        (ax, ay), (bx, by) = line[i - 1], line[(i + 1) % len(line)]
        size = math.hypot(bx - ax, by - ay) or 1.0
        moved.append((x + left * (ay - by) / size, y + left * (bx - ax) / size))
    return moved


def even_ring(points: Sequence[Point], count: int) -> list[Point]:
    """Return `count` points evenly along a closed line, from its first point on."""
    ring = [*points, points[0]]
    along = [0.0]
    for (ax, ay), (bx, by) in pairwise(ring):
        along.append(along[-1] + math.hypot(bx - ax, by - ay))
    even: list[Point] = []
    i = 1
    for n in range(count):
        wanted = along[-1] * n / count
        while along[i] < wanted:
            i += 1
        step = along[i] - along[i - 1]
        share = (wanted - along[i - 1]) / step if step > 0.0 else 0.0
        (ax, ay), (bx, by) = ring[i - 1], ring[i]
        even.append((ax + share * (bx - ax), ay + share * (by - ay)))
    return even


def ring_length(points: Sequence[Point]) -> float:
    """Return the length of a closed line."""
    return sum(math.dist(points[i - 1], points[i]) for i in range(len(points)))


def offsets(path: Path, line: Sequence[Point]) -> list[float | None]:
    """Return how far left of each point of the line the path passed, in metres."""
    count = len(line)
    step_m = path.length_m / count
    fade = min(round(FADE_M / step_m), count // 4)
    found: list[float | None] = []
    for i, (x, y) in enumerate(line):
        ax, ay = line[i - 1]
        bx, by = line[(i + 1) % count]
        size = math.hypot(bx - ax, by - ay) or 1.0
        left_x, left_y = (ay - by) / size, (bx - ax) / size
        from_gate = i if i < count - fade else i - count
        passes = [(1.0, i * step_m)]
        if abs(from_gate) < fade:
            share = 0.5 + 0.5 * abs(from_gate) / fade
            other_m = i * step_m + (path.length_m if from_gate >= 0 else -path.length_m)
            passes = [(share, i * step_m), (1.0 - share, other_m)]
        seen = [(weight, path.nearest(x, y, around_m)) for weight, around_m in passes]
        known = [(w, (p[0] - x) * left_x + (p[1] - y) * left_y) for w, p in seen if p is not None]
        weight = sum(w for w, _ in known)
        found.append(sum(w * offset for w, offset in known) / weight if weight > 0.0 else None)
    return found


def middle(values: Sequence[float]) -> float:
    """Return the mean of the middle half, deaf to one bad lap of three."""
    ordered = sorted(values)
    drop = (len(ordered) + 1) // 4
    kept = ordered[drop : len(ordered) - drop]
    return sum(kept) / len(kept)


def average_line(paths: Sequence[Path], seed: Path, step_m: float) -> list[Point]:
    """Return the closed middle of the paths, one point about every `step_m`, from the gate on."""
    first, last = bisect_left(seed.s, 0.0), bisect_left(seed.s, seed.length_m)
    points = list(zip(seed.x[first:last], seed.y[first:last], strict=True))
    line = even_ring(points, max(3, round(seed.length_m / step_m)))
    half = round(SMOOTH_M / step_m)
    for _ in range(ROUNDS):
        across = zip(*(offsets(path, line) for path in paths), strict=True)
        seen = ([offset for offset in laps if offset is not None] for laps in across)
        smooth = smooth_line(shifted(line, [middle(known) if known else 0.0 for known in seen]), half)
        line = even_ring(smooth, max(3, round(ring_length(smooth) / step_m)))
    return line

"""The centreline as a closed ring of evenly spaced stations, smooth enough to have a curvature."""

from __future__ import annotations

import math

import msgspec

from pitwall.simulator.plan import SimulationError
from pitwall.track.geometry import Projection
from pitwall.track.model import Track

STEP_M = 2.0
# A driven line carries GPS noise of a few decimetres; over 5 m a car on wheels can't follow it.
SMOOTH_M = 5.0
# Elevation from GPS is worse than position: a car feels the hill, not the noise.
SMOOTH_ELEVATION_M = 30.0
SHORTEST_M = 100.0


class Ring(msgspec.Struct, frozen=True):
    """Stations of the centreline from the gate on. `x_m`, `y_m` east and north of `projection`'s origin,
    `left_x`, `left_y` the unit normal to the left; `step_m` is in the track's own distances."""

    projection: Projection
    step_m: float
    x_m: list[float]
    y_m: list[float]
    z_m: list[float]
    left_x: list[float]
    left_y: list[float]

    def __len__(self) -> int:
        return len(self.x_m)


def build_ring(track: Track) -> Ring:
    """The ring of `track`. SimulationError where the centreline is no circuit."""
    if len(track.centreline) < 8 or track.length_m < SHORTEST_M:
        raise SimulationError(
            f"track {track.id!r} has {len(track.centreline)} centreline points over {track.length_m:g} m: "
            f"at least 8 points and {SHORTEST_M:g} m are needed"
        )
    projection = Projection(track.centreline[0][0], track.centreline[0][1])
    points = [(*projection.xy(lat, lon), z) for lat, lon, z in track.centreline]
    count = max(16, round(track.length_m / STEP_M))
    x, y, z = _resample(points, count)
    step_m = track.length_m / count
    x, y = (_smooth_keeping_size(values, SMOOTH_M / step_m) for values in (x, y))
    # A sparse centreline leaves uneven steps where it bends: once more, now that it is smooth.
    x, y, z = _resample(list(zip(x, y, z, strict=True)), count)
    z = _smooth(z, SMOOTH_ELEVATION_M / step_m)
    left_x, left_y = [], []
    for i in range(count):
        dx, dy = x[(i + 1) % count] - x[i - 1], y[(i + 1) % count] - y[i - 1]
        norm = math.hypot(dx, dy) or 1.0
        left_x.append(-dy / norm)
        left_y.append(dx / norm)
    return Ring(projection, step_m, x, y, z, left_x, left_y)


def _resample(
    points: list[tuple[float, float, float]], count: int
) -> tuple[list[float], list[float], list[float]]:
    """`count` points at equal distances along the closed Catmull-Rom curve through `points`."""
    n = len(points)
    ends = [0.0]
    for i in range(n):
        here, there = points[i], points[(i + 1) % n]
        ends.append(ends[-1] + math.hypot(there[0] - here[0], there[1] - here[1]))
    out: tuple[list[float], list[float], list[float]] = ([], [], [])
    leg = 0
    for k in range(count):
        along = ends[-1] * k / count
        while leg < n - 1 and ends[leg + 1] <= along:
            leg += 1
        span = ends[leg + 1] - ends[leg]
        u = (along - ends[leg]) / span if span else 0.0
        p0, p1, p2, p3 = (points[(leg + i) % n] for i in (-1, 0, 1, 2))
        for axis in range(3):
            a, b, c, d = p0[axis], p1[axis], p2[axis], p3[axis]
            out[axis].append(
                b + 0.5 * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)))
            )
    return out


def _smooth(values: list[float], sigma: float) -> list[float]:
    """A closed list through a Gaussian of `sigma` entries."""
    reach = max(1, round(3 * sigma))
    weights = [math.exp(-0.5 * (i / sigma) ** 2) for i in range(-reach, reach + 1)]
    total = sum(weights)
    n = len(values)
    return [
        sum(weight * values[(i + j - reach) % n] for j, weight in enumerate(weights)) / total
        for i in range(n)
    ]


def _smooth_keeping_size(values: list[float], sigma: float) -> list[float]:
    """Tukey's twicing, 2S - SS: a plain Gaussian would pull every corner towards its inside."""
    once = _smooth(values, sigma)
    again = _smooth(once, sigma)
    return [2.0 * a - b for a, b in zip(once, again, strict=True)]

"""The line that is driven: each station, off the centreline by what the driver does."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from functools import lru_cache
from operator import mul
from random import Random

import msgspec

from pitwall.simulator.mistakes import ROWS, Place, Swerve
from pitwall.simulator.plan import MistakeKind, SimulationError, SimulationPlan
from pitwall.track.geometry import Projection
from pitwall.track.model import Corner, Track

STEP_M = 2.0
# A driven line carries GPS noise of a few decimetres; over 5 m a car on wheels can't follow it.
SMOOTH_M = 5.0
# Elevation from GPS is worse than position: a car feels the hill, not the noise.
SMOOTH_ELEVATION_M = 30.0
SHORTEST_M = 100.0


class Ring(msgspec.Struct, frozen=True):
    """Stations of the centreline from the gate on. `x_m`, `y_m`: east and north of `projection`'s
    origin; `left_x`, `left_y`: unit normal to the left; `step_m`: in the track's own distances."""

    projection: Projection
    step_m: float
    x_m: list[float]
    y_m: list[float]
    z_m: list[float]
    left_x: list[float]
    left_y: list[float]

    def __len__(self) -> int:
        return len(self.x_m)


@lru_cache(maxsize=16)
def build_ring(track: Track) -> Ring:
    """Return the ring of `track`, to be read only. SimulationError: no circuit."""
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
    reach = max(1, round(3 * sigma))
    weights = [math.exp(-0.5 * (i / sigma) ** 2) for i in range(-reach, reach + 1)]
    total = sum(weights)
    n = len(values)
    around = [values[i % n] for i in range(-reach, n + reach)]
    width = len(weights)
    return [sum(map(mul, weights, around[i : i + width])) / total for i in range(n)]


def _smooth_keeping_size(values: list[float], sigma: float) -> list[float]:
    """Tukey's twicing, 2S - SS: a plain Gaussian would pull every corner towards its inside."""
    once = _smooth(values, sigma)
    again = _smooth(once, sigma)
    return [2.0 * a - b for a, b in zip(once, again, strict=True)]


# The out lap starts at rest this far after the gate, the in lap ends at rest this far before it.
START_M = 60.0
STOP_M = 120.0
# A driver's line wanders slowly: one new aim about so often.
WANDER_EVERY_M = 220.0
# Wherever the braking ends: so far into a corner the wheel is turned.
TURNED_M = 15.0
# In a hairpin nobody runs wider than where a corner turns this much: the road ends.
MOST_TURN_RAD = math.radians(90.0)
# Curvature from three points of a polyline is noisy: mean over this many stations on each side.
CURVATURE_REACH = 3


class CleanBraking(msgspec.Struct, frozen=True):
    """Where a clean driver brakes, metres after the corner's entry (negative: before it): from
    `start_m` on; most speed is off at `braked_m`."""

    start_m: float
    braked_m: float


class Adjustment(msgspec.Struct, frozen=True):
    """One corner on one lap: habits, variation and mistakes together. `wrong`: amounts of all
    mistakes; `brake_early_m` and `coast_m` include theirs. `braking`: of a clean lap, where
    known."""

    lap: int
    corner: int
    grip: float = 1.0
    brake_early_m: float = 0.0
    coast_m: float = 0.0
    wrong: dict[MistakeKind, float] = {}
    braking: CleanBraking | None = None


class Line(msgspec.Struct):
    """Stations in driving order. `along_m`: centreline distance from the gate of lap 0, unwrapped;
    `step_m[i]`: from i to i+1; `curvature`: per metre, positive left; `grade`: sine of the slope,
    positive uphill."""

    track_m: float
    along_m: list[float]
    step_m: list[float]
    x_m: list[float]
    y_m: list[float]
    z_m: list[float]
    curvature: list[float]
    grade: list[float]

    def index(self, along_m: float) -> int:
        """Return the station nearest to a centreline distance of the session."""
        each = (self.along_m[-1] - self.along_m[0]) / (len(self.along_m) - 1)
        return min(max(round((along_m - self.along_m[0]) / each), 0), len(self.along_m) - 1)


def build_adjustments(
    track: Track, plan: SimulationPlan, braking: Mapping[str, CleanBraking]
) -> list[Adjustment]:
    """Build an adjustment for each corner of each lap, each with its own generator."""
    driver = plan.driver
    out = []
    for lap in range(plan.laps + 2):
        for number, corner in enumerate(track.corners):
            rng = Random(f"{plan.seed}:{lap}:{number}")
            wrong: dict[MistakeKind, float] = {}
            for mistake in plan.mistakes:
                amount = mistake.amount_on(lap, plan.laps) if mistake.corner == corner.id else 0.0
                if amount:
                    wrong[mistake.kind] = wrong.get(mistake.kind, 0.0) + amount
            grip = 1.0 + min(max(rng.gauss(0.0, driver.variation), -3 * driver.variation), 0.0)
            early_m = abs(rng.gauss(0.0, driver.variation)) * 200.0
            out.append(
                Adjustment(
                    lap=lap,
                    corner=number,
                    grip=grip,
                    brake_early_m=driver.brake_early_m + early_m + wrong.get("brake_early", 0.0),
                    coast_m=driver.coast_m + wrong.get("coast", 0.0),
                    wrong=wrong,
                    braking=braking.get(corner.id),
                )
            )
    return out


def corner_span(corner: Corner, lap: int, track: Track) -> tuple[float, float, float]:
    """Entry, apex and exit of a corner on a lap, in session distance."""
    base = lap * track.length_m
    apex_m = corner.apex_m + (track.length_m if corner.apex_m < corner.entry_m else 0.0)
    exit_m = corner.exit_m + (track.length_m if corner.exit_m < corner.entry_m else 0.0)
    return base + corner.entry_m, base + apex_m, base + exit_m


def build_line(track: Track, ring: Ring, plan: SimulationPlan, adjustments: list[Adjustment]) -> Line:
    """Return the way of the whole session: out lap, flying laps, in lap."""
    count = len(ring)
    first = round(START_M / ring.step_m)
    last = (plan.laps + 2) * count - round(STOP_M / ring.step_m)
    along = [i * ring.step_m for i in range(first, last)]
    offset = _offsets(track, ring, plan, adjustments, along)
    on = [i % count for i in range(first, last)]
    x = [ring.x_m[i] + ring.left_x[i] * o for i, o in zip(on, offset, strict=True)]
    y = [ring.y_m[i] + ring.left_y[i] * o for i, o in zip(on, offset, strict=True)]
    z = [ring.z_m[i] for i in on]
    steps = [math.hypot(x[i + 1] - x[i], y[i + 1] - y[i]) for i in range(len(x) - 1)]
    grade = [(z[i + 1] - z[i]) / math.hypot(steps[i], z[i + 1] - z[i]) for i in range(len(steps))]
    return Line(track.length_m, along, steps, x, y, z, _curvature(x, y), [*grade, grade[-1]])


def _offsets(
    track: Track, ring: Ring, plan: SimulationPlan, adjustments: list[Adjustment], along: list[float]
) -> list[float]:
    """Metres left of the centreline at each station."""
    driver = plan.driver
    rng = Random(f"{plan.seed}:line")
    knots = [rng.gauss(0.0, driver.line_wander_m) for _ in range(int(along[-1] / WANDER_EVERY_M) + 2)]
    knots = [min(max(knot, -2 * driver.line_wander_m), 2 * driver.line_wander_m) for knot in knots]
    out = []
    for distance in along:
        knot, u = divmod(distance / WANDER_EVERY_M, 1.0)
        a, b = knots[int(knot)], knots[int(knot) + 1]
        out.append(a + (b - a) * u * u * u * (u * (6 * u - 15) + 10))
    for adjustment in adjustments:
        for kind, amount in adjustment.wrong.items():
            for swerve in ROWS[kind].line:
                _swerve(track, ring, adjustment, swerve, amount, along, out)
    return out


def _swerve(
    track: Track,
    ring: Ring,
    adjustment: Adjustment,
    swerve: Swerve,
    amount: float,
    along: list[float],
    out: list[float],
) -> None:
    corner = track.corners[adjustment.corner]
    entry_m, apex_m, exit_m = corner_span(corner, adjustment.lap, track)
    braked_m = entry_m + max(TURNED_M, adjustment.braking.braked_m if adjustment.braking is not None else 0.0)
    places: dict[Place, float] = {"braked": braked_m, "entry": entry_m, "apex": apex_m, "exit": exit_m}
    start_m, end_m = places[swerve.start] + swerve.start_m, places[swerve.end] + swerve.end_m
    outside = -1.0 if corner.direction == "left" else 1.0
    if swerve.by_turn:
        amount *= _overrun(ring, start_m, end_m)
    for i in range(bisect_right(along, start_m), bisect_left(along, end_m)):
        phase = math.pi * (along[i] - start_m) / (end_m - start_m)
        out[i] += outside * swerve.outward * amount * math.sin(phase) ** 2


def _overrun(ring: Ring, start_m: float, end_m: float) -> float:
    """Return the metres off the line per metre of late turn-in: an arc between the same straights
    through an angle a lies 1/cos(a/2) - 1 further out."""
    count = len(ring)
    turned = 0.0
    for i in range(round(start_m / ring.step_m), round(end_m / ring.step_m)):
        ax, ay = ring.left_x[i % count], ring.left_y[i % count]
        bx, by = ring.left_x[(i + 1) % count], ring.left_y[(i + 1) % count]
        turned += math.atan2(ax * by - ay * bx, ax * bx + ay * by)
    return 1.0 / math.cos(min(abs(turned), MOST_TURN_RAD) / 2.0) - 1.0


def _curvature(x: list[float], y: list[float]) -> list[float]:
    n = len(x)
    raw = [0.0] * n
    for i in range(1, n - 1):
        ax, ay = x[i] - x[i - 1], y[i] - y[i - 1]
        bx, by = x[i + 1] - x[i], y[i + 1] - y[i]
        turn = math.atan2(ax * by - ay * bx, ax * bx + ay * by)
        raw[i] = turn / (0.5 * (math.hypot(ax, ay) + math.hypot(bx, by)))
    raw[0], raw[-1] = raw[1], raw[-2]
    return running_mean(raw, CURVATURE_REACH)


def running_mean(values: list[float], reach: int) -> list[float]:
    """Return the mean over `reach` entries on each side, fewer at the ends."""
    sums = [0.0]
    for value in values:
        sums.append(sums[-1] + value)
    n = len(values)
    out = []
    for i in range(n):
        r = min(reach, i, n - 1 - i)
        out.append((sums[i + r + 1] - sums[i - r]) / (2 * r + 1))
    return out

"""How fast: limits from grip, then backwards for braking and forwards for power, then the driver's habits.

The quasi-steady method of lap time simulation (Brayshaw and Harrison 2005): at each station the squared
speed w is bounded by lateral grip; a backward pass bounds it by what the brakes can shed, a forward pass by
what engine and tyres can add; both use what the friction ellipse leaves beside the lateral acceleration.
"""

from __future__ import annotations

import math

import msgspec

from pitwall.simulator.car import G_MPS2, CarModel, ellipse_share
from pitwall.simulator.line import Adjustment, Line, corner_span, running_mean
from pitwall.simulator.plan import SimulationPlan
from pitwall.track.model import Track

# Share of grip and of drive used on the out lap (cold tyres) and on the in lap (cooling down).
OUT_LAP, IN_LAP = (0.86, 0.85), (0.72, 0.55)
# The last stretch of the in lap at pit lane speed (60 km/h), then a gentle stop.
PIT_M, PIT_MPS, STOP_MPS2 = 250.0, 16.7, 2.0
# A foot takes time to change pedals: squared speed is rounded over this many metres on each side.
ROUNDING_M = 6.0
# Slowing by less than this is lifting, not braking.
BRAKING_G = 0.15
# Pauses shorter than this within one braking belong to it.
BRAKE_PAUSE_M = 12.0
# A slow exit lasts until so far after the corner's exit, then full drive is back over the same length.
EXIT_REACH_M = 60.0
# Squared speed so much higher further back: that was the braking for the corner before, not the hill.
FASTER_BEFORE = 1.05
# Braking a corner from further away than this is the corner before.
BRAKE_REACH_M = 350.0


class BrakeZone(msgspec.Struct, frozen=True):
    """One braking: stations where it starts, where most of the speed is off, and of the least speed."""

    start: int
    most_off: int
    slowest: int


class Limits(msgspec.Struct):
    """Per station: the bound on squared speed, share of grip, and share of drive the driver takes."""

    cap: list[float]
    grip: list[float]
    drive: list[float]


def speed_profile(
    track: Track, line: Line, plan: SimulationPlan, adjustments: list[Adjustment]
) -> list[float]:
    """Speed in m/s at each station of the session: at rest at both ends."""
    limits = _limits(track, line, plan, adjustments)
    ideal = _solve(line, plan.car, limits)
    for adjustment in adjustments:
        _apply(track, line, adjustment, ideal, limits)
    rounded = _round(_solve(line, plan.car, limits), line)
    return [math.sqrt(w) for w in rounded]


def find_zone(track: Track, line: Line, w: list[float], corner: int, lap: int) -> BrakeZone | None:
    """The braking for a corner on a lap, from squared speeds. None where it is taken without braking."""
    entry_m, _, exit_m = corner_span(track.corners[corner], lap, track)
    first, last = line.index(entry_m), line.index(exit_m)
    if last <= first:
        return None
    slowest = min(range(first, last + 1), key=w.__getitem__)
    start = slowest
    pause_m = BRAKE_PAUSE_M + exit_m - entry_m
    for i in range(slowest - 1, line.index(line.along_m[slowest] - BRAKE_REACH_M), -1):
        if w[i + 1] - w[i] < -BRAKING_G * G_MPS2 * 2 * line.step_m[i]:
            start, pause_m = i, BRAKE_PAUSE_M
        elif w[i] < w[slowest] or line.along_m[start] - line.along_m[i] > pause_m:
            break
    if start == slowest:
        return None
    enough = w[slowest] + 0.2 * (w[start] - w[slowest])
    most_off = next(j for j in range(start, slowest + 1) if w[j] <= enough)
    return BrakeZone(start, most_off, slowest)


def _limits(track: Track, line: Line, plan: SimulationPlan, adjustments: list[Adjustment]) -> Limits:
    n = len(line.along_m)
    driver = plan.driver
    grip, drive = [driver.grip_use] * n, [driver.throttle_use] * n
    for lap, (grip_share, drive_share) in ((0, OUT_LAP), (plan.laps + 1, IN_LAP)):
        for i in range(line.index(lap * line.track_m), line.index((lap + 1) * line.track_m) + 1):
            grip[i] *= grip_share
            drive[i] *= drive_share
    slower = [0.0] * n
    for adjustment in adjustments:
        if adjustment.grip == 1.0 and not adjustment.overslow_mps:
            continue
        entry_m, _, exit_m = corner_span(track.corners[adjustment.corner], adjustment.lap, track)
        first, last = line.index(entry_m), line.index(exit_m)
        for i in range(first, last + 1):
            bump = math.sqrt(max(0.0, math.sin(math.pi * (i - first) / max(last - first, 1))))
            grip[i] *= 1.0 + (adjustment.grip - 1.0) * bump
            slower[i] = adjustment.overslow_mps
    car = plan.car
    cap = [_corner_cap(car, use, k) for use, k in zip(grip, line.curvature, strict=True)]
    cap = [max(math.sqrt(w) - less, 2.0) ** 2 if less else w for w, less in zip(cap, slower, strict=True)]
    for i in range(line.index(line.along_m[-1] - PIT_M), n):
        cap[i] = min(cap[i], PIT_MPS**2, 2 * STOP_MPS2 * (line.along_m[-1] - line.along_m[i]))
    cap[0] = cap[-1] = 0.0
    return Limits(cap, grip, drive)


def _corner_cap(car: CarModel, use: float, curvature: float) -> float:
    """Squared speed at which lateral grip is used up: w |k| = use mu (g + c w)."""
    most = car.top_speed_mps**2
    left = abs(curvature) - use * car.grip_lat * car.downforce_kgpm / car.mass_kg
    return min(most, use * car.grip_lat * G_MPS2 / left) if left > 1e-9 else most


def _solve(line: Line, car: CarModel, limits: Limits) -> list[float]:
    """Squared speeds within the limits that brakes and engine can follow."""
    w = list(limits.cap)
    for i in range(len(w) - 2, -1, -1):
        slow = w[i + 1]
        shed = car.grip_brake * _left(car, limits.grip[i], slow, line.curvature[i])
        shed += car.drag_mps2(slow) + G_MPS2 * line.grade[i]
        w[i] = min(w[i], slow + 2 * line.step_m[i] * max(shed, 0.0))
    for i in range(len(w) - 1):
        w[i + 1] = min(w[i + 1], max(w[i] + 2 * line.step_m[i] * _gain(line, car, limits, i, w[i]), 1.0))
    w[-1] = 0.0
    return w


def _gain(line: Line, car: CarModel, limits: Limits, i: int, w: float) -> float:
    """The acceleration that the driver's right foot gives at station i."""
    tyres = car.grip_drive * _left(car, limits.grip[i], w, line.curvature[i])
    push = limits.drive[i] * min(tyres, car.drive_force(math.sqrt(w)) / car.mass_kg)
    if not limits.drive[i]:
        push = -car.engine_brake_g * G_MPS2
    return push - car.drag_mps2(w) - G_MPS2 * line.grade[i]


def _left(car: CarModel, use: float, w: float, curvature: float) -> float:
    """Longitudinal force per mass and per unit of friction that the ellipse leaves at squared speed w."""
    most = use * car.load_mps2(w)
    return most * ellipse_share(w * abs(curvature), car.grip_lat * most)


def _apply(track: Track, line: Line, adjustment: Adjustment, ideal: list[float], limits: Limits) -> None:
    """Lay one corner's habits and mistakes over the limits of the ideal lap."""
    corner = track.corners[adjustment.corner]
    entry_m, apex_m, exit_m = corner_span(corner, adjustment.lap, track)
    if entry_m < line.along_m[0] or exit_m > line.along_m[-1]:
        return
    zone = find_zone(track, line, ideal, adjustment.corner, adjustment.lap)
    slowest = line.index(apex_m)
    if zone is not None:
        slowest = zone.slowest
        begin = _earlier(line, ideal, zone.start, adjustment.brake_early_m)
        _straight_braking(line, ideal, limits.cap, begin, zone.most_off)
        for i in range(line.index(line.along_m[begin] - adjustment.coast_m), begin):
            limits.drive[i] = 0.0
    for i in range(slowest, line.index(line.along_m[slowest] + adjustment.late_throttle_m)):
        limits.cap[i] = min(limits.cap[i], ideal[slowest])
    if adjustment.slow_exit:
        _hold_back(line, limits.drive, adjustment.slow_exit, slowest, exit_m)


def _earlier(line: Line, ideal: list[float], start: int, early_m: float) -> int:
    """The station `early_m` before `start`, but not before the end of the corner that comes before."""
    slowest = begin = start
    while begin > 1 and line.along_m[start] - line.along_m[begin] < early_m:
        begin -= 1
        if ideal[begin] < ideal[slowest]:
            slowest = begin
        elif ideal[begin] > FASTER_BEFORE * ideal[slowest]:
            return slowest
    return begin


def _straight_braking(line: Line, ideal: list[float], cap: list[float], begin: int, end: int) -> None:
    """Brake earlier and so more gently: one constant deceleration from `begin` to where it ends anyway."""
    way_m = line.along_m[end] - line.along_m[begin]
    for i in range(begin, end):
        u = (line.along_m[i] - line.along_m[begin]) / way_m
        cap[i] = min(cap[i], ideal[begin] + u * (ideal[end] - ideal[begin]))


def _hold_back(line: Line, drive: list[float], unused: float, first: int, exit_m: float) -> None:
    """Take less drive from station `first` until a while after the exit, then bring it back gradually."""
    full_from_m = exit_m + EXIT_REACH_M
    for i in range(first, line.index(full_from_m + EXIT_REACH_M)):
        late = max(0.0, line.along_m[i] - full_from_m) / EXIT_REACH_M
        drive[i] *= 1.0 - unused * (1.0 - late)


def _round(w: list[float], line: Line) -> list[float]:
    """Round off the changes between pedals without ever being faster: least value, then mean, over the same
    reach. The stations at rest, first and last, stay out of it."""
    step_m = (line.along_m[-1] - line.along_m[0]) / (len(w) - 1)
    reach = max(1, round(ROUNDING_M / step_m))
    moving = w[1:-1]
    n = len(moving)
    least = []
    for i in range(n):
        r = min(reach, i, n - 1 - i)
        least.append(min(moving[i - r : i + r + 1]))
    return [w[0], *running_mean(least, reach), w[-1]]

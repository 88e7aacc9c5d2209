"""The speed along a lap: limits from grip, backwards for braking, forwards for power.

Quasi-steady lap time simulation, Brayshaw and Harrison 2005."""

from __future__ import annotations

import math

import msgspec

from pitwall.simulator.car import G_MPS2, CarModel, ellipse_share
from pitwall.simulator.line import Line, corner_span, running_mean
from pitwall.track.model import Track

# A foot takes time to change pedals: squared speed is rounded over this many metres on each side.
ROUNDING_M = 6.0
# Slowing by less than this is lifting, not braking.
BRAKING_G = 0.15
# Pauses shorter than this within one braking belong to it.
BRAKE_PAUSE_M = 12.0
# Braking a corner from further away than this is the corner before.
BRAKE_REACH_M = 350.0


class BrakeZone(msgspec.Struct, frozen=True):
    """A braking: stations of its start, of most of the speed off, and of the least speed."""

    start: int
    most_off: int
    slowest: int


class Limits(msgspec.Struct):
    """Per station: the bound on squared speed; shares of grip, drive, braking and engine force.
    `pressure`: brake pressure over what the braking needs. `gear`: no lower than this, negative: no
    higher, 0: free."""

    cap: list[float]
    grip: list[float]
    drive: list[float]
    brake: list[float]
    force: list[float]
    pressure: list[float]
    gear: list[int]


def main_zone(track: Track, line: Line, w: list[float], corner: int, lap: int) -> BrakeZone | None:
    """Return the braking for a corner, in any number of bites; None if there is none."""
    entry_m, apex_m, exit_m = corner_span(track.corners[corner], lap, track)
    first, last = line.index(entry_m), line.index(exit_m)
    before_m = min(
        ((apex_m - other.apex_m) % track.length_m for i, other in enumerate(track.corners) if i != corner),
        default=BRAKE_REACH_M,
    )
    slowest = min(range(first, max(last, first) + 1), key=w.__getitem__)
    reach = line.index(max(line.along_m[slowest] - BRAKE_REACH_M, apex_m - before_m))
    fastest = max(range(min(reach, slowest), slowest + 1), key=w.__getitem__)
    for start in range(fastest, slowest):
        if w[start + 1] - w[start] < -BRAKING_G * G_MPS2 * 2 * line.step_m[start]:
            enough = w[slowest] + 0.2 * (w[start] - w[slowest])
            return BrakeZone(start, next(j for j in range(start, slowest + 1) if w[j] <= enough), slowest)
    return None


def in_one(line: Line, w: list[float], zone: BrakeZone) -> bool:
    """Return whether a braking takes most of the speed off without a pause."""
    braked_m = line.along_m[zone.start]
    for i in range(zone.start, zone.most_off):
        if w[i + 1] - w[i] < -BRAKING_G * G_MPS2 * 2 * line.step_m[i]:
            braked_m = line.along_m[i]
        elif line.along_m[i] - braked_m > BRAKE_PAUSE_M:
            return False
    return True


def find_zone(track: Track, line: Line, w: list[float], corner: int, lap: int) -> BrakeZone | None:
    """Return the last braking before the slowest place, which habits change, or None."""
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


def corner_cap(car: CarModel, use: float, curvature: float) -> float:
    """Return squared speed at which lateral grip is used up: w |k| = use mu (g + c w)."""
    most = car.top_speed_mps**2
    left = abs(curvature) - use * car.grip_lat * car.downforce_kgpm / car.mass_kg
    return min(most, use * car.grip_lat * G_MPS2 / left) if left > 1e-9 else most


def solve(line: Line, car: CarModel, limits: Limits) -> list[float]:
    """Return squared speeds within the limits that brakes and engine can follow."""
    w = list(limits.cap)
    for i in range(len(w) - 2, -1, -1):
        slow = w[i + 1]
        shed = limits.brake[i] * car.grip_brake * _left(car, limits.grip[i], slow, line.curvature[i])
        shed += car.drag_mps2(slow) + G_MPS2 * line.grade[i]
        w[i] = min(w[i], slow + 2 * line.step_m[i] * max(shed, 0.0))
    for i in range(len(w) - 1):
        w[i + 1] = min(w[i + 1], max(w[i] + 2 * line.step_m[i] * _gain(line, car, limits, i, w[i]), 1.0))
    w[-1] = 0.0
    return w


def _gain(line: Line, car: CarModel, limits: Limits, i: int, w: float) -> float:
    tyres = car.grip_drive * _left(car, limits.grip[i], w, line.curvature[i])
    push = limits.drive[i] * min(tyres, limits.force[i] * car.drive_force(math.sqrt(w)) / car.mass_kg)
    if not limits.drive[i]:
        push = -car.engine_brake_g * G_MPS2
    return push - car.drag_mps2(w) - G_MPS2 * line.grade[i]


def _left(car: CarModel, use: float, w: float, curvature: float) -> float:
    most = use * car.load_mps2(w)
    return most * ellipse_share(w * abs(curvature), car.grip_lat * most)


def rounded(w: list[float], line: Line) -> list[float]:
    """Round off the changes between pedals without ever being faster, except at rest."""
    step_m = (line.along_m[-1] - line.along_m[0]) / (len(w) - 1)
    reach = max(1, round(ROUNDING_M / step_m))
    moving = w[1:-1]
    n = len(moving)
    least = []
    for i in range(n):
        r = min(reach, i, n - 1 - i)
        least.append(min(moving[i - r : i + r + 1]))
    return [w[0], *running_mean(least, reach), w[-1]]


def natural_gears(car: CarModel, w: list[float]) -> list[int]:
    """Return the gear at each station as this car is shifted, from squared speeds."""
    gears, gear = [], 1
    for each in w:
        gear = car.next_gear(math.sqrt(each), gear)
        gears.append(gear)
    return gears

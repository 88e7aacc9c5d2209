"""The driver over the physics: his speed, with habits, mistakes and traffic."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec

from pitwall.simulator.car import G_MPS2, CarModel
from pitwall.simulator.line import Adjustment, Line, corner_span
from pitwall.simulator.plan import MistakeKind, SimulationPlan
from pitwall.simulator.speed import (
    BRAKE_REACH_M,
    BRAKING_G,
    ROUNDING_M,
    BrakeZone,
    Limits,
    corner_cap,
    find_zone,
    main_zone,
    natural_gears,
    rounded,
    solve,
)
from pitwall.track.model import Track

# Share of grip and of drive used on the out lap (cold tyres) and on the in lap (cooling down).
OUT_LAP, IN_LAP = (0.86, 0.85), (0.72, 0.55)
# The last stretch of the in lap at pit lane speed (60 km/h), then a gentle stop.
PIT_M, PIT_MPS, STOP_MPS2 = 250.0, 16.7, 2.0
# A slow exit lasts this far after the corner's exit; full drive is back over the same length.
EXIT_REACH_M = 60.0
# Squared speed this much higher further back was the braking for the corner before, not the hill.
FASTER_BEFORE = 1.05
# Braking too late uses all the grip until this far after the place where the car should be slow.
OVERRUN_M = 30.0
# Braking too hard takes up to a quarter more grip, where there is some, and that much more pedal.
HARDEST = LOCKING = 1.25
# The second bite takes the last half of the speed.
SECOND_BITE = 0.5
# Between the bites the foot rests on the pedal.
RESTING = 0.2
# A brake that is held on too long drags: a third of the pressure of braking hard.
DRAGGING_G = 0.3
# The first stretch of a lift lies before the corner.
LIFT_BEFORE = 0.3
# The throttle is open, and the car pulls, for so long before it closes again.
PULLING_G, THROTTLE_OPEN_M = 0.15, 20.0
# The gear of a corner is kept until so far after it.
GEAR_REACH_M = 40.0
# This far does a driver go on the limiter before changing up.
ON_LIMITER_M = 40.0
# This share of drive stays unused for each metre off the line: until the car points down the road,
# and, where the road is free on the way out, until the wheel is straight.
HELD_IN, INSIDE = 0.09, 0.05


class Profile(msgspec.Struct):
    """A driven session: speed in m/s at each station, and the limits under which it was driven."""

    speed_mps: list[float]
    limits: Limits


class Attempt(msgspec.Struct):
    """A corner of one lap with a mistake; `ideal`: squared speeds before; `zone` None: no
    braking."""

    line: Line
    car: CarModel
    limits: Limits
    ideal: list[float]
    gears: list[int]
    zone: BrakeZone | None
    entry: int
    slowest: int
    exit_m: float

    def after(self, station: int, metres: float) -> int:
        """Return the station so far after another."""
        return self.line.index(self.line.along_m[station] + metres)

    def bound(self, station: int, w: float) -> None:
        """No faster than this there, squared."""
        self.limits.cap[station] = min(self.limits.cap[station], w)


def speed_profile(track: Track, line: Line, plan: SimulationPlan, adjustments: list[Adjustment]) -> Profile:
    """Return the speed at each station of the session: at rest at both ends."""
    limits = _limits(track, line, plan, adjustments)
    ideal = solve(line, plan.car, limits)
    geared = any("gear_too_high" in each.wrong or "gear_too_low" in each.wrong for each in adjustments)
    gears = natural_gears(plan.car, ideal) if geared else []
    for adjustment in adjustments:
        _apply(track, line, plan, adjustment, ideal, gears, limits)
    for slower in plan.traffic:
        start_m = slower.lap * track.length_m + (slower.start_m or 0.0)
        end_m = slower.lap * track.length_m + (track.length_m if slower.end_m is None else slower.end_m)
        for i in range(line.index(start_m), line.index(end_m)):
            limits.cap[i] = min(limits.cap[i], slower.pace**2 * ideal[i])
    return Profile([math.sqrt(w) for w in rounded(solve(line, plan.car, limits), line)], limits)


def is_flat(track: Track, line: Line, plan: SimulationPlan, w: list[float], corner: int, lap: int) -> bool:
    """Return whether the throttle is open all through a corner of a lap, from squared speeds."""
    entry_m, _, exit_m = corner_span(track.corners[corner], lap, track)
    use = plan.driver.grip_use
    return main_zone(track, line, w, corner, lap) is None and all(
        w[i] < 0.97 * corner_cap(plan.car, use, line.curvature[i])
        for i in range(line.index(entry_m), line.index(exit_m) + 1)
    )


def _limits(track: Track, line: Line, plan: SimulationPlan, adjustments: list[Adjustment]) -> Limits:
    n = len(line.along_m)
    driver = plan.driver
    grip, drive = [driver.grip_use] * n, [driver.throttle_use] * n
    for lap, (grip_share, drive_share) in ((0, OUT_LAP), (plan.laps + 1, IN_LAP)):
        for i in range(line.index(lap * line.track_m), line.index((lap + 1) * line.track_m) + 1):
            grip[i] *= grip_share
            drive[i] *= drive_share
    slower, brake = [0.0] * n, [driver.brake_use] * n
    for adjustment in adjustments:
        overslow_mps = adjustment.wrong.get("overslow", 0.0)
        entry_m, _, exit_m = corner_span(track.corners[adjustment.corner], adjustment.lap, track)
        if "brake_late" in adjustment.wrong and adjustment.braking is not None:
            start_m, braked_m = entry_m + adjustment.braking.start_m, entry_m + adjustment.braking.braked_m
            for i in range(line.index(start_m), line.index(braked_m + OVERRUN_M)):
                brake[i] = 1.0 / driver.grip_use
        if adjustment.grip == 1.0 and not overslow_mps:
            continue
        first, last = line.index(entry_m), line.index(exit_m)
        for i in range(first, last + 1):
            bump = math.sqrt(max(0.0, math.sin(math.pi * (i - first) / max(last - first, 1))))
            grip[i] *= 1.0 + (adjustment.grip - 1.0) * bump
            slower[i] = overslow_mps
    car = plan.car
    cap = [corner_cap(car, use, k) for use, k in zip(grip, line.curvature, strict=True)]
    cap = [max(math.sqrt(w) - less, 2.0) ** 2 if less else w for w, less in zip(cap, slower, strict=True)]
    for i in range(line.index(line.along_m[-1] - PIT_M), n):
        cap[i] = min(cap[i], PIT_MPS**2, 2 * STOP_MPS2 * (line.along_m[-1] - line.along_m[i]))
    cap[0] = cap[-1] = 0.0
    return Limits(cap, grip, drive, brake, force=[1.0] * n, pressure=[1.0] * n, gear=[0] * n)


def _apply(
    track: Track,
    line: Line,
    plan: SimulationPlan,
    adjustment: Adjustment,
    ideal: list[float],
    gears: list[int],
    limits: Limits,
) -> None:
    entry_m, apex_m, exit_m = corner_span(track.corners[adjustment.corner], adjustment.lap, track)
    if entry_m < line.along_m[0] or exit_m > line.along_m[-1]:
        return
    habitual = {"brake_early", "coast"}.isdisjoint(adjustment.wrong)
    zone = (find_zone if habitual else main_zone)(track, line, ideal, adjustment.corner, adjustment.lap)
    slowest = line.index(apex_m) if zone is None else zone.slowest
    if zone is not None:
        begin = _earlier(line, ideal, zone.start, adjustment.brake_early_m)
        _straight_braking(line, ideal, limits.cap, begin, zone.most_off)
        for i in range(line.index(line.along_m[begin] - adjustment.coast_m), begin):
            limits.drive[i] = 0.0
    if not adjustment.wrong:
        return
    late_m = adjustment.wrong.get("brake_late", 0.0)
    if late_m and adjustment.braking is not None and zone is not None:
        begin = line.index(entry_m + adjustment.braking.start_m + ROUNDING_M + late_m)
        _straight_braking(line, ideal, limits.cap, begin, zone.most_off)
    zone = main_zone(track, line, ideal, adjustment.corner, adjustment.lap)
    attempt = Attempt(line, plan.car, limits, ideal, gears, zone, line.index(entry_m), slowest, exit_m)
    for kind, amount in adjustment.wrong.items():
        if kind in SPEED:
            SPEED[kind](attempt, amount)


def _earlier(line: Line, ideal: list[float], start: int, early_m: float) -> int:
    """The station `early_m` before `start`, but not before the end of the corner before."""
    slowest = begin = start
    while begin > 1 and line.along_m[start] - line.along_m[begin] < early_m:
        begin -= 1
        if ideal[begin] < ideal[slowest]:
            slowest = begin
        elif ideal[begin] > FASTER_BEFORE * ideal[slowest]:
            return slowest
    return begin


def _straight_braking(line: Line, ideal: list[float], cap: list[float], begin: int, end: int) -> None:
    way_m = line.along_m[end] - line.along_m[begin]
    for i in range(begin, end):
        u = (line.along_m[i] - line.along_m[begin]) / way_m
        cap[i] = min(cap[i], ideal[begin] + u * (ideal[end] - ideal[begin]))


def _late_throttle(attempt: Attempt, late_m: float) -> None:
    slowest = attempt.slowest
    for i in range(slowest, attempt.after(slowest, late_m)):
        attempt.bound(i, attempt.ideal[slowest])


def _slow_exit(attempt: Attempt, unused: float) -> None:
    unused = min(unused, 1.0)
    along_m = attempt.line.along_m
    full_from_m = attempt.exit_m + EXIT_REACH_M
    for i in range(attempt.slowest, attempt.line.index(full_from_m + EXIT_REACH_M)):
        late = max(0.0, along_m[i] - full_from_m) / EXIT_REACH_M
        attempt.limits.drive[i] *= 1.0 - unused * (1.0 - late)


def _wait(a_metre: float) -> Callable[[Attempt, float], None]:
    return lambda attempt, off_m: _slow_exit(attempt, a_metre * off_m)


def _brake_soft(attempt: Attempt, less: float) -> None:
    if attempt.zone is not None:
        begin = _earlier(attempt.line, attempt.ideal, attempt.zone.start, BRAKE_REACH_M)
        for i in range(begin, attempt.slowest):
            attempt.limits.brake[i] *= 1.0 - less


def _two_bites(attempt: Attempt, pause_m: float) -> None:
    zone, ideal = attempt.zone, attempt.ideal
    if zone is None:
        return
    second = ideal[zone.slowest] + SECOND_BITE * (ideal[zone.start] - ideal[zone.slowest])
    end = next(i for i in range(zone.start, zone.slowest + 1) if ideal[i] <= second)
    for i in range(attempt.after(end, -pause_m), end):
        attempt.limits.brake[i] *= RESTING


def _brake_hard(attempt: Attempt, slow_mps: float) -> None:
    zone, ideal, along_m = attempt.zone, attempt.ideal, attempt.line.along_m
    if zone is None:
        return
    used = attempt.limits.grip[zone.start] * attempt.limits.brake[zone.start]
    harder = min(1.0 / max(used, 0.1), HARDEST)
    start_w, end_w = ideal[zone.start], ideal[zone.slowest]
    low_w = max(math.sqrt(end_w) - slow_mps, 2.0) ** 2
    shed = harder * (start_w - ideal[zone.most_off]) / (along_m[zone.most_off] - along_m[zone.start])
    low_m = along_m[zone.start] + (start_w - low_w) / shed
    mend_m = low_m + 0.5 * max(along_m[zone.slowest] - low_m, 0.0)
    for i in range(zone.start, attempt.line.index(max(along_m[zone.slowest], low_m))):
        braked_w = start_w - shed * (along_m[i] - along_m[zone.start])
        mended = max(0.0, along_m[i] - mend_m) / max(along_m[zone.slowest] - mend_m, 1.0)
        attempt.bound(i, max(braked_w, low_w + min(mended, 1.0) * (end_w - low_w)))
        attempt.limits.brake[i] *= harder
        attempt.limits.pressure[i] = max(LOCKING / harder, 1.0)


def _long_brake(attempt: Attempt, long_m: float) -> None:
    ideal, along_m = attempt.ideal, attempt.line.along_m
    release = attempt.slowest
    while release > attempt.entry and ideal[release - 1] - ideal[release] < (
        BRAKING_G * G_MPS2 * 2 * (along_m[release] - along_m[release - 1])
    ):
        release -= 1
    for i in range(release, attempt.after(release, long_m)):
        dragged_w = 2 * DRAGGING_G * G_MPS2 * (along_m[i] - along_m[release])
        attempt.bound(i, max(ideal[release] - dragged_w, 4.0))


def _lift(attempt: Attempt, metres: float) -> None:
    first = attempt.after(attempt.entry, -LIFT_BEFORE * metres)
    for i in range(first, attempt.after(first, metres)):
        attempt.limits.drive[i] = 0.0


def _lifted_again(attempt: Attempt, metres: float) -> None:
    ideal, step_m = attempt.ideal, attempt.line.step_m
    ahead = range(attempt.slowest, attempt.line.index(attempt.exit_m + EXIT_REACH_M))
    pulls = (i for i in ahead if ideal[i + 1] - ideal[i] > PULLING_G * G_MPS2 * 2 * step_m[i])
    first = attempt.after(next(pulls, attempt.slowest), THROTTLE_OPEN_M)
    for i in range(first, attempt.after(first, metres)):
        attempt.limits.drive[i] = 0.0


def _gear_too_high(attempt: Attempt, gears: float) -> None:
    held = min(attempt.gears[attempt.slowest] + round(gears), len(attempt.car.gears))
    for i in _geared(attempt):
        attempt.limits.gear[i] = held
        if attempt.gears[i] < held:
            attempt.limits.force[i] = attempt.car.gears[held - 1] / attempt.car.gears[attempt.gears[i] - 1]


def _gear_too_low(attempt: Attempt, gears: float) -> None:
    """Stay at the limiter for a while. A gear that would over-rev at the slowest place is not
    used."""
    ideal, held = attempt.ideal, attempt.gears[attempt.slowest] - round(gears)
    most_w = attempt.car.fastest_in(held) ** 2 if held >= 1 else 0.0
    if most_w < ideal[attempt.slowest]:
        return
    window = _geared(attempt)
    limited = next((i for i in window[attempt.slowest - window.start :] if ideal[i] > most_w), None)
    up = window.stop if limited is None else attempt.after(limited, ON_LIMITER_M)
    for i in range(window.start, up):
        if ideal[i] <= most_w or i > attempt.slowest:
            attempt.limits.gear[i] = -held
            attempt.bound(i, most_w)


def _geared(attempt: Attempt) -> range:
    first = attempt.entry if attempt.zone is None else attempt.zone.most_off
    return range(first, attempt.line.index(attempt.exit_m + GEAR_REACH_M))


SPEED: dict[MistakeKind, Callable[[Attempt, float], None]] = {
    "late_throttle": _late_throttle, "slow_exit": _slow_exit, "brake_hard": _brake_hard,
    "brake_soft": _brake_soft, "two_bites": _two_bites, "long_brake": _long_brake,
    "brake_late": _late_throttle, "lift": _lift, "lifted_again": _lifted_again,
    "gear_too_high": _gear_too_high, "gear_too_low": _gear_too_low, "early_turn_in": _wait(HELD_IN),
    "pinched_exit": _wait(HELD_IN), "exit_unused": _wait(INSIDE),
}  # fmt: skip

"""Costs of mistakes, on a lap without any spread; one that changes nothing is no mistake."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from pitwall.simulator.car import CarModel
from pitwall.simulator.habits import is_flat, speed_profile
from pitwall.simulator.line import CleanBraking, Line, build_adjustments, build_line, build_ring
from pitwall.simulator.mistakes import ROWS, WHY_NOT, Needs
from pitwall.simulator.plan import Driver, Mistake, MistakeKind, SimulationError, SimulationPlan
from pitwall.simulator.speed import in_one, main_zone
from pitwall.track.model import Track

# Braking that takes off more speed than this leaves room for two bites.
HARD_MPS = 10.0
# A mistake that costs less than this changes nothing.
LEAST_LOSS_S = 0.005
# Who wants to brake later and can do so by less than this share of it, can't.
LATE_SHARE = 0.6


class Effect(msgspec.Struct, frozen=True):
    """Seconds that a mistake costs around its corner, and metres that the brakes come on later
    (negative: earlier; None: no braking)."""

    loss_s: float
    later_m: float | None

    def lacks(self, kind: MistakeKind, amount: float) -> str:
        """Return why this is no effect of so much of a mistake; "" if it is one."""
        if kind == "brake_late" and (self.later_m is None or self.later_m < LATE_SHARE * amount):
            return f"the grip lets the brakes come on {self.later_m or 0.0:.0f} m later"
        return f"it costs {self.loss_s:.3f} s there" if self.loss_s < LEAST_LOSS_S else ""


def check_effects(track: Track, plan: SimulationPlan) -> None:
    """SimulationError names a mistake that changes nothing, and why."""
    if not plan.mistakes:
        return
    car, driver = plan.car, even(plan.driver)
    wrong = tuple(dict.fromkeys((each.corner, each.kind, each.amount) for each in plan.mistakes))
    for (corner, kind, amount), effect in zip(wrong, effects_of(track, car, driver, wrong), strict=True):
        needs = ROWS[kind].needs
        fits = corner in fitting_corners(track, car, driver, needs)
        why = effect.lacks(kind, amount) if fits else WHY_NOT[needs]
        if why:
            raise SimulationError(f"{corner}:{kind}={amount:g} changes nothing: {why}")


@lru_cache(maxsize=256)
def effects_of(
    track: Track, car: CarModel, driver: Driver, wrong: tuple[tuple[str, MistakeKind, float], ...]
) -> tuple[Effect, ...]:
    """Return what each of these (corner, kind, amount) does alone."""
    numbers = {corner.id: number for number, corner in enumerate(track.corners)}
    order = sorted(range(len(wrong)), key=lambda k: track.corners[numbers[wrong[k][0]]].entry_m)
    # One a lap in the order of the corners: a lap and more lies between each two of them.
    mistakes = [Mistake(*wrong[k], lap, lap) for lap, k in enumerate(order, 2)]
    plan = SimulationPlan(car=car, driver=driver, laps=len(wrong) + 3, mistakes=tuple(mistakes))
    line, speed = _driven(track, plan)
    t = [0.0]
    for i, step_m in enumerate(line.step_m):
        t.append(t[-1] + 2 * step_m / (speed[i] + speed[i + 1]))
    lap_stations = round(track.length_m / (line.along_m[1] - line.along_m[0]))

    def around_s(place_m: float) -> float:
        first = line.index(place_m) - lap_stations // 2
        return t[first + lap_stations] - t[first]

    w = [v * v for v in speed]

    def brake_m(corner: int, lap: int) -> float | None:
        zone = main_zone(track, line, w, corner, lap)
        return None if zone is None else line.along_m[zone.start] - lap * track.length_m

    clean_s = around_s((len(wrong) + 3) * track.length_m)
    found: dict[int, Effect] = {}
    for lap, k in enumerate(order, 2):
        corner = numbers[wrong[k][0]]
        loss_s = around_s(lap * track.length_m + track.corners[corner].entry_m) - clean_s
        clean_m, wrong_m = brake_m(corner, plan.laps), brake_m(corner, lap)
        found[k] = Effect(loss_s, None if clean_m is None or wrong_m is None else wrong_m - clean_m)
    return tuple(found[k] for k in range(len(wrong)))


@lru_cache(maxsize=64)
def fitting_corners(track: Track, car: CarModel, driver: Driver, needs: Needs) -> tuple[str, ...]:
    """Return the corners that are driven as a mistake needs them to be."""
    plan = SimulationPlan(car=car, driver=driver, laps=1)
    line, speed = _driven(track, plan)
    w = [v * v for v in speed]
    fits = []
    for number, corner in enumerate(track.corners):
        zone = main_zone(track, line, w, number, 1)
        braked = zone is not None and in_one(line, w, zone)
        hard = zone is not None and braked and speed[zone.start] - speed[zone.slowest] > HARD_MPS
        flat = is_flat(track, line, plan, w, number, 1)
        if {"braking": braked, "hard": hard, "flat": flat, "grip": not flat, "": True}[needs]:
            fits.append(corner.id)
    return tuple(fits)


def clean_braking(track: Track, plan: SimulationPlan) -> Mapping[str, CleanBraking]:
    """Return the clean braking of each corner, where a mistake needs it."""
    if all(mistake.kind != "brake_late" for mistake in plan.mistakes):
        return {}
    return _clean_braking(track, plan.car, even(plan.driver))


@lru_cache(maxsize=64)
def _clean_braking(track: Track, car: CarModel, driver: Driver) -> Mapping[str, CleanBraking]:
    line, speed = _driven(track, SimulationPlan(car=car, driver=driver, laps=1))
    w = [v * v for v in speed]
    found = {}
    for number, corner in enumerate(track.corners):
        zone = main_zone(track, line, w, number, 1)
        if zone is not None:
            entry_m = track.length_m + corner.entry_m
            found[corner.id] = CleanBraking(
                line.along_m[zone.start] - entry_m, line.along_m[zone.most_off] - entry_m
            )
    return found


def even(driver: Driver) -> Driver:
    """Return the same driver without any spread, and without a name."""
    return msgspec.structs.replace(driver, name="", variation=0.0, line_wander_m=0.0)


def _driven(track: Track, plan: SimulationPlan) -> tuple[Line, list[float]]:
    adjustments = build_adjustments(track, plan, clean_braking(track, plan))
    line = build_line(track, build_ring(track), plan, adjustments)
    return line, speed_profile(track, line, plan, adjustments).speed_mps

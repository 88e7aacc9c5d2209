"""The true drive, before sensors: speed, pedals and gear at each station, the state at any time."""

from __future__ import annotations

import math
from bisect import bisect_right
from itertools import pairwise

import msgspec

from pitwall.simulator.car import G_MPS2, CarModel
from pitwall.simulator.effects import check_effects, clean_braking
from pitwall.simulator.habits import speed_profile
from pitwall.simulator.line import (
    Adjustment,
    Line,
    Ring,
    build_adjustments,
    build_line,
    build_ring,
    corner_span,
)
from pitwall.simulator.plan import SimulationError, SimulationPlan, TrueCorner, TrueLap, Truth
from pitwall.simulator.speed import Limits, main_zone
from pitwall.track.geometry import Projection
from pitwall.track.model import Track

# At rest before the start and after the stop, as a logger that is switched on in the pits sees it.
REST_S = 4.0
# A gate is looked for this far around where the centreline meets it.
GATE_REACH_M = 60.0
MOST_LAPS = 200
# On the limiter the engine cuts out by itself, whatever the foot does.
LIMITER = 0.99


class State(msgspec.Struct):
    """The true state at one instant; units and signs of `pitwall.telemetry.signals`."""

    t: float
    along_m: float
    x_m: float
    y_m: float
    z_m: float
    heading_rad: float
    speed_mps: float
    g_lat: float
    g_long: float
    yaw_rate_dps: float
    steering_deg: float
    brake_bar: float
    throttle_pct: float
    rpm: float
    gear: int


class TrueDrive(msgspec.Struct):
    """A driven session. Lists run over the stations of `line`; `accel_mps2`, pedals hold from i to
    i+1."""

    car: CarModel
    projection: Projection
    line: Line
    t: list[float]
    speed_mps: list[float]
    accel_mps2: list[float]
    heading_rad: list[float]
    brake_bar: list[float]
    throttle_pct: list[float]
    gear: list[int]
    truth: Truth

    def at(self, t: float) -> State:
        """Return the state at a session time; at rest before the start and after the end."""
        line, car = self.line, self.car
        i = min(max(bisect_right(self.t, t) - 1, 0), len(self.t) - 2)
        span = self.t[i + 1] - self.t[i]
        tau = min(max(t - self.t[i], 0.0), span)
        moving = self.t[0] < t < self.t[-1]
        accel = self.accel_mps2[i]
        way = (self.speed_mps[i] + 0.5 * accel * tau) * tau
        u = min(way / line.step_m[i], 1.0)
        speed = max(self.speed_mps[i] + accel * tau, 0.0)
        curvature = line.curvature[i] + u * (line.curvature[i + 1] - line.curvature[i])
        turn = math.remainder(self.heading_rad[i + 1] - self.heading_rad[i], 2 * math.pi)
        g_lat = speed * speed * curvature / G_MPS2
        lock_deg = math.degrees(car.wheelbase_m * curvature) + car.understeer_deg_per_g * g_lat
        return State(
            t=t,
            along_m=line.along_m[i] + u * (line.along_m[i + 1] - line.along_m[i]),
            x_m=_hermite(line.x_m, [math.sin(h) for h in self.heading_rad[i : i + 2]], line.step_m[i], i, u),
            y_m=_hermite(line.y_m, [math.cos(h) for h in self.heading_rad[i : i + 2]], line.step_m[i], i, u),
            z_m=line.z_m[i] + u * (line.z_m[i + 1] - line.z_m[i]),
            heading_rad=self.heading_rad[i] + u * turn,
            speed_mps=speed,
            g_lat=g_lat,
            g_long=(_between(self.accel_mps2, i, u) if moving else 0.0) / G_MPS2,
            yaw_rate_dps=math.degrees(speed * curvature),
            steering_deg=lock_deg * car.steering_ratio,
            brake_bar=_between(self.brake_bar, i, u),
            throttle_pct=_between(self.throttle_pct, i, u) if moving else 0.0,
            rpm=car.rpm(speed, self.gear[i]) if moving else car.idle_rpm,
            gear=self.gear[i] if moving else 0,
        )


def true_drive(track: Track, plan: SimulationPlan) -> TrueDrive:
    """Drive the plan. SimulationError if it names what is not there or can't be driven."""
    check(track, plan)
    check_effects(track, plan)
    ring = build_ring(track)
    adjustments = build_adjustments(track, plan, clean_braking(track, plan))
    line = build_line(track, ring, plan, adjustments)
    profile = speed_profile(track, line, plan, adjustments)
    speed = profile.speed_mps
    t, accel = [REST_S], []
    for i, step_m in enumerate(line.step_m):
        t.append(t[-1] + 2 * step_m / (speed[i] + speed[i + 1]))
        accel.append((speed[i + 1] ** 2 - speed[i] ** 2) / (2 * step_m))
    accel.append(0.0)
    brake, throttle, gear = _pedals(plan.car, line, speed, accel, profile.limits)
    heading = _headings(line)
    truth = _truth(track, ring, line, plan, t, speed, adjustments)
    return TrueDrive(plan.car, ring.projection, line, t, speed, accel, heading, brake, throttle, gear, truth)


def check(track: Track, plan: SimulationPlan) -> None:
    """Raise SimulationError for the first thing in the plan that can't be."""
    if not 1 <= plan.laps <= MOST_LAPS:
        raise SimulationError(f"{plan.laps} flying laps: give 1 to {MOST_LAPS}")
    if not 0.5 <= plan.rate_hz <= 1000.0:
        raise SimulationError(f"a rate of {plan.rate_hz:g} Hz: give 0.5 to 1000")
    driver = plan.driver
    if not 0.3 <= min(driver.grip_use, driver.brake_use) <= max(driver.grip_use, driver.brake_use) <= 1.0:
        raise SimulationError("grip_use and brake_use must be within 0.3..1")
    if not 0.1 <= driver.throttle_use <= 1.0:
        raise SimulationError("throttle_use must be within 0.1..1")
    if not 0.0 <= plan.driver.variation <= 0.2:
        raise SimulationError(f"a variation of {plan.driver.variation:g}: give 0 to 0.2")
    known = {corner.id for corner in track.corners}
    for mistake in plan.mistakes:
        if mistake.corner not in known:
            names = ", ".join(corner.id for corner in track.corners) or "none"
            raise SimulationError(
                f"track {track.id!r} has no corner {mistake.corner!r}; its corners: {names}"
            )
    for slower in plan.traffic:
        if not 1 <= slower.lap <= plan.laps or not 0.1 <= slower.pace < 1.0:
            raise SimulationError(
                f"traffic in lap {slower.lap} at {slower.pace:g} of the pace: give a lap of 1 to {plan.laps} "
                "and a pace within 0.1..1"
            )


def _between(values: list[float], i: int, u: float) -> float:
    j, v = (i, u - 0.5) if u >= 0.5 else (i - 1, u + 0.5)
    if j < 0 or j + 1 >= len(values):
        return values[i]
    return values[j] + v * (values[j + 1] - values[j])


def _hermite(values: list[float], slopes: list[float], step_m: float, i: int, u: float) -> float:
    """A cubic between two stations with the given slopes per metre at its ends."""
    a, b = values[i], values[i + 1]
    rest = 1.0 - u
    return (
        a * (1 + 2 * u) * rest * rest
        + b * u * u * (3 - 2 * u)
        + step_m * u * rest * (slopes[0] * rest - slopes[1] * u)
    )


def _pedals(
    car: CarModel, line: Line, speed: list[float], accel: list[float], limits: Limits
) -> tuple[list[float], list[float], list[int]]:
    brake, throttle, gears = [], [], []
    gear = 1
    for i, v in enumerate(speed):
        gear = car.next_gear(v, gear)
        needed = accel[i] + car.drag_mps2(v * v) + G_MPS2 * line.grade[i]
        engine_brake = car.engine_brake_g * G_MPS2
        bar = max(0.0, -needed - engine_brake) / G_MPS2 * car.brake_bar_per_g
        brake.append(limits.pressure[i] * bar)
        most = limits.force[i] * car.drive_force(v) / car.mass_kg
        throttle.append(min(100.0, 100.0 * max(0.0, needed + engine_brake) / (most + engine_brake)))
        held = limits.gear[i]
        if held < 0 and v > LIMITER * car.fastest_in(-held):
            throttle[-1] = 100.0
        gears.append(min(gear, -held) if held < 0 else max(gear, held))
    brake[-1] = throttle[-1] = 0.0
    return brake, throttle, gears


def _headings(line: Line) -> list[float]:
    x, y = line.x_m, line.y_m
    n = len(x)
    ends = [(max(i - 1, 0), min(i + 1, n - 1)) for i in range(n)]
    return [math.atan2(x[b] - x[a], y[b] - y[a]) for a, b in ends]


def _truth(
    track: Track,
    ring: Ring,
    line: Line,
    plan: SimulationPlan,
    t: list[float],
    speed: list[float],
    adjustments: list[Adjustment],
) -> Truth:
    gate = track.gate
    a, b = (
        ring.projection.xy(gate.a_lat_deg, gate.a_lon_deg),
        ring.projection.xy(gate.b_lat_deg, gate.b_lon_deg),
    )
    crossings = [_crossing(line, t, (lap + 1) * track.length_m, a, b) for lap in range(plan.laps + 1)]
    edges = [0.0, *crossings, t[-1] + REST_S]
    laps = [TrueLap(0, "out", edges[0], edges[1], None)]
    for number, (start, end) in enumerate(pairwise(crossings), 1):
        laps.append(TrueLap(number, "flying", start, end, end - start))
    laps.append(TrueLap(plan.laps + 1, "in", edges[-2], edges[-1], None))
    return Truth(edges[-1], tuple(laps), tuple(_true_corners(track, line, t, speed, adjustments)))


def _crossing(
    line: Line, t: list[float], along_m: float, a: tuple[float, float], b: tuple[float, float]
) -> float:
    nx, ny = a[1] - b[1], b[0] - a[0]
    middle = line.index(along_m)
    stations = range(line.index(along_m - GATE_REACH_M), line.index(along_m + GATE_REACH_M))
    for i in sorted(stations, key=lambda i: abs(i - middle)):
        d0 = (line.x_m[i] - a[0]) * nx + (line.y_m[i] - a[1]) * ny
        d1 = (line.x_m[i + 1] - a[0]) * nx + (line.y_m[i + 1] - a[1]) * ny
        if d0 * d1 <= 0 and d0 != d1:
            return t[i] + d0 / (d0 - d1) * (t[i + 1] - t[i])
    raise SimulationError(
        f"the gate is not within {GATE_REACH_M:g} m of the start of the centreline: the track file is wrong"
    )


def _true_corners(
    track: Track, line: Line, t: list[float], speed: list[float], adjustments: list[Adjustment]
) -> list[TrueCorner]:
    w = [v * v for v in speed]
    out = []
    for adjustment in adjustments:
        number, lap = adjustment.corner, adjustment.lap
        entry_m, _, exit_m = corner_span(track.corners[number], lap, track)
        if entry_m < line.along_m[0] or exit_m > line.along_m[-1]:
            continue
        first, last = line.index(entry_m), line.index(exit_m)
        zone = main_zone(track, line, w, number, lap)
        out.append(
            TrueCorner(
                lap=lap,
                corner=track.corners[number].id,
                brake_m=line.along_m[zone.start] % track.length_m if zone else None,
                brake_t=t[zone.start] if zone else None,
                min_speed_mps=min(speed[first : last + 1]),
                time_s=t[last] - t[first],
            )
        )
    return out

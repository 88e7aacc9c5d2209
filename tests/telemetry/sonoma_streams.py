"""A simulated session at Sonoma as a car would send it: a receiver, a bus and an IMU, each its own stream."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from random import Random

import msgspec

from pitwall.config import shipped
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.trace import State, TrueDrive, true_drive
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.telemetry.signals import SIGNALS
from pitwall.track.library import load_track
from pitwall.track.model import Track

GPS, CAR, IMU, GPS2 = 0, 1, 2, 3
NAMES: dict[int, tuple[str, ...]] = {
    GPS: ("lat_deg", "lon_deg", "speed_mps", "heading_deg", "satellites"),
    CAR: ("wheel_speed_mps", "brake_bar", "throttle_pct", "rpm", "gear", "steering_deg"),
    IMU: ("g_lat", "g_long", "yaw_rate_dps"),
    GPS2: ("lat_deg", "lon_deg", "speed_mps", "heading_deg", "satellites"),
}


def stream(id: int, names: tuple[str, ...] | None = None) -> Stream:
    chosen = NAMES[id] if names is None else names
    return Stream(id, f"source {id}", tuple(Channel(n, SIGNALS[n].unit, n) for n in chosen))


class Rates(msgspec.Struct, frozen=True):
    """Hz of each stream (0: absent), how late a fix comes after its stamp, and holes in the fixes (from, to).

    Noise is that of a good receiver and of a cheap IMU; wheels read 3 % too much.
    """

    gps_hz: float = 10.0
    car_hz: float = 50.0
    imu_hz: float = 50.0
    gps_late_s: float = 0.0
    holes: tuple[tuple[float, float], ...] = ()
    wheel_scale: float = 1.03
    yaw_bias_dps: float = 1.0


@cache
def sonoma() -> Track:
    return load_track(shipped("track_data") / "sonoma.json")


@cache
def session(laps: int = 1) -> TrueDrive:
    return true_drive(sonoma(), SimulationPlan(laps=laps))


def samples(trace: TrueDrive, rates: Rates, seed: int = 1) -> Iterator[Sample]:
    """All streams in order of arrival."""
    rng = Random(f"{seed}:streams")
    arrivals: list[tuple[float, int, float]] = []
    for id, hz, late_s in (
        (GPS, rates.gps_hz, rates.gps_late_s),
        (CAR, rates.car_hz, 0.0),
        (IMU, rates.imu_hz, 0.0),
    ):
        for k in range(int(trace.truth.duration_s * hz) if hz else 0):
            t = round(k / hz + 0.001 * id, 6)
            if id == GPS and any(a <= t < b for a, b in rates.holes):
                continue
            arrivals.append((t + late_s, id, t))
    for _, id, t in sorted(arrivals):
        yield Sample(id, t, values(id, trace, trace.at(t), rates, rng))


def values(id: int, trace: TrueDrive, now: State, rates: Rates, rng: Random) -> tuple[float | None, ...]:
    if id == CAR:
        return (
            now.speed_mps * rates.wheel_scale + rng.gauss(0.0, 0.05),
            now.brake_bar,
            now.throttle_pct,
            now.rpm,
            float(now.gear),
            now.steering_deg,
        )
    if id == IMU:
        return (
            now.g_lat + 0.03 + rng.gauss(0.0, 0.03),
            now.g_long - 0.04 + rng.gauss(0.0, 0.03),
            now.yaw_rate_dps + rates.yaw_bias_dps + rng.gauss(0.0, 0.5),
        )
    lat, lon = trace.projection.lat_lon(now.x_m + rng.gauss(0.0, 0.03), now.y_m + rng.gauss(0.0, 0.03))
    course = math.degrees(now.heading_rad + rng.gauss(0.0, 0.05) / max(now.speed_mps, 0.5)) % 360.0
    return lat, lon, max(now.speed_mps + rng.gauss(0.0, 0.05), 0.0), course, 14.0

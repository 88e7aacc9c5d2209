"""A drive as a logger would have seen it: noise, latency, rates, uneven steps and holes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

from pitwall.simulator.plan import Sensors, SimulationError, SimulationPlan
from pitwall.simulator.trace import State, TrueDrive
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.telemetry.signals import SIGNALS

GPS_CHANNELS = ("lat_deg", "lon_deg", "altitude_m", "speed_mps", "heading_deg", "satellites")
CAR_CHANNELS = (
    "g_lat", "g_long", "yaw_rate_dps", "wheel_speed_mps", "steering_deg", "brake_bar", "throttle_pct", "rpm",
    "gear", "coolant_c", "oil_temp_c", "oil_bar", "lap_number",
)  # fmt: skip
CHANNELS = GPS_CHANNELS + CAR_CHANNELS

# A fix wanders with the satellites.
GPS_WANDER_S = 30.0
# Height from GNSS is about twice as uncertain as position.
HEIGHT_FACTOR = 2.0
# Course comes from the velocity vector: its error is the speed's error seen from this pace, at
# least this.
LEAST_COURSE_MPS = 0.5
COLD_C, WARM_COOLANT_C, WARM_OIL_C, WARMING_S = 40.0, 86.0, 98.0, 180.0
# The driven wheels turn faster than the road by this share, for each g forward.
DRIVEN_SLIP = 0.01
# No engine turns evenly: without a ripple, steady braking looks like a line drawn over a hole.
RPM_RIPPLE, RIPPLE_RAD_S = 6.0, 41.0


def recorded(sensors: Sensors) -> tuple[str, ...]:
    """Return the stream's channels, in order. SimulationError if one isn't simulated."""
    unknown = [name for name in sensors.channels if name not in CHANNELS]
    if unknown:
        raise SimulationError(f"no channel {unknown[0]!r} is simulated; there are {', '.join(CHANNELS)}")
    return tuple(name for name in CHANNELS if name in (sensors.channels or CHANNELS))


def stream(sensors: Sensors) -> Stream:
    """Return the one stream of a simulation."""
    channels = tuple(Channel(name, SIGNALS[name].unit, name) for name in recorded(sensors))
    return Stream(0, "simulator", channels)


def sense(trace: TrueDrive, plan: SimulationPlan) -> Iterator[Sample]:
    """Return samples of the session, from t = 0 at rest to the stop. SimulationError at once."""
    picked = [CHANNELS.index(name) for name in recorded(plan.sensors)]
    return _samples(trace, plan, picked)


def _samples(trace: TrueDrive, plan: SimulationPlan, picked: list[int]) -> Iterator[Sample]:
    sensors = plan.sensors
    gps = _Gps(trace, plan)
    noise = Random(f"{plan.seed}:g")
    held_until = -1.0
    car: list[float] = []
    for t in _times(trace.truth.duration_s, plan):
        if t >= held_until:
            car = _car(trace.at(t - sensors.can_latency_s), trace, sensors, noise)
            held_until = t + 1.0 / sensors.can_rate_hz - 1e-9 if sensors.can_rate_hz else t
        values = [*gps.read(t), *car]
        yield Sample(0, t, tuple([values[i] for i in picked]))


def _times(duration_s: float, plan: SimulationPlan) -> Iterator[float]:
    sensors = plan.sensors
    rng = Random(f"{plan.seed}:times")
    step_s = 1.0 / plan.rate_hz
    hole_chance = sensors.dropouts_per_min / 60.0 * step_s
    hole_until = last = -1.0
    for k in range(int(duration_s * plan.rate_hz) + 1):
        t = k * step_s
        if sensors.uneven_s:
            t += rng.uniform(0.0, sensors.uneven_s)
        if hole_chance and t >= hole_until and rng.random() < hole_chance:
            hole_until = t + sensors.dropout_s
        t = round(t, 3)
        if t > last and t >= hole_until:
            last = t
            yield t


class _Gps:
    """A receiver whose error wanders as a Gauss-Markov process, with a little white noise on
    top."""

    def __init__(self, trace: TrueDrive, plan: SimulationPlan) -> None:
        self.trace, self.sensors = trace, plan.sensors
        self.rng = Random(f"{plan.seed}:gps")
        self.t = 0.0
        noise_m = plan.sensors.gps_noise_m
        self.error_m = [self.rng.gauss(0.0, noise_m) for _ in range(3)]

    def read(self, t: float) -> list[float]:
        """GPS_CHANNELS as received at `t`."""
        sensors, rng = self.sensors, self.rng
        fade = math.exp(-(t - self.t) / GPS_WANDER_S)
        self.t = t
        spread = sensors.gps_noise_m * math.sqrt(1.0 - fade * fade)
        self.error_m = [error * fade + rng.gauss(0.0, spread) for error in self.error_m]
        white_m = 0.02 * sensors.gps_noise_m
        state = self.trace.at(t - sensors.gps_latency_s)
        lat, lon = self.trace.projection.lat_lon(
            state.x_m + self.error_m[0] + rng.gauss(0.0, white_m),
            state.y_m + self.error_m[1] + rng.gauss(0.0, white_m),
        )
        speed = max(0.0, state.speed_mps + rng.gauss(0.0, sensors.speed_noise_mps))
        course = state.heading_rad + rng.gauss(0.0, sensors.speed_noise_mps) / max(
            state.speed_mps, LEAST_COURSE_MPS
        )
        height = state.z_m + HEIGHT_FACTOR * self.error_m[2]
        return [lat, lon, height, speed, math.degrees(course) % 360.0, float(sensors.satellites)]


def _car(state: State, trace: TrueDrive, sensors: Sensors, rng: Random) -> list[float]:
    """CAR_CHANNELS at a state."""
    warm = 1.0 - math.exp(-max(state.t, 0.0) / WARMING_S)
    slip = 1.0 + DRIVEN_SLIP * max(state.g_long, 0.0)
    return [
        state.g_lat + rng.gauss(0.0, sensors.g_noise),
        state.g_long + rng.gauss(0.0, sensors.g_noise),
        state.yaw_rate_dps + rng.gauss(0.0, 20.0 * sensors.g_noise),
        state.speed_mps * slip,
        state.steering_deg,
        max(0.0, state.brake_bar),
        state.throttle_pct,
        state.rpm + RPM_RIPPLE * math.sin(RIPPLE_RAD_S * state.t),
        float(state.gear),
        COLD_C + (WARM_COOLANT_C - COLD_C) * warm,
        COLD_C + (WARM_OIL_C - COLD_C) * warm,
        1.2 + 3.2 * state.rpm / trace.car.shift_rpm,
        float(int(state.along_m / trace.line.track_m)),
    ]

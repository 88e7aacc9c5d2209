"""The plan of a simulation: car, driver, laps, mistakes and sensors."""

from __future__ import annotations

from typing import Literal

import msgspec

from pitwall.simulator.car import M3, CarModel

MistakeKind = Literal[
    "brake_early", "coast", "overslow", "late_throttle", "slow_exit", "missed_apex", "brake_late",
    "brake_hard", "brake_soft", "two_bites", "long_brake", "lift", "lifted_again", "gear_too_high",
    "gear_too_low", "early_turn_in", "late_turn_in", "pinched_exit", "exit_unused",
]  # fmt: skip

# 17 May 2025, 17:00 UTC: chosen once, so that the same plan gives the same bytes.
START_UTC_S = 1_747_501_200.0


# Seconds that flying laps of Sonoma spread by (1 sigma), and the `variation` of a driver who does.
SPREADS: dict[float, float] = {0.08: 0.009, 0.19: 0.0255, 0.37: 0.05}


class SimulationError(Exception):
    """A plan that can't be driven: says what is wrong and what would be right."""


class Driver(msgspec.Struct, frozen=True, kw_only=True):
    """A style. `grip_use`: 0..1 of the friction ellipse; `throttle_use`, `brake_use`: 0..1 of the
    drive and braking that this grip allows. `brake_early_m`, `coast_m`: in every corner.
    `variation`: spread from lap to lap (1 sigma, share of grip): see SPREADS."""

    name: str = "simulated driver"
    grip_use: float = 0.95
    throttle_use: float = 0.95
    brake_use: float = 1.0
    brake_early_m: float = 0.0
    coast_m: float = 4.0
    line_wander_m: float = 0.3
    variation: float = 0.008


class Mistake(msgspec.Struct, frozen=True):
    """A mistake in one corner on laps `first_lap`..`last_lap` (None: every flying lap). `amount`:
    in the unit of its row in `mistakes.ROWS`; over `fades` laps after the first it falls evenly to
    nothing (0: it stays)."""

    corner: str
    kind: MistakeKind
    amount: float
    first_lap: int | None = None
    last_lap: int | None = None
    fades: int = 0

    def on(self, lap: int, flying_laps: int) -> bool:
        """Return whether it happens on this lap (0 is the out lap)."""
        if self.first_lap is None:
            return 1 <= lap <= flying_laps
        last = self.first_lap if self.last_lap is None else self.last_lap
        return self.first_lap <= lap <= last

    def amount_on(self, lap: int, flying_laps: int) -> float:
        """Return how much of it there is on this lap, 0 if it does not happen."""
        if not self.on(lap, flying_laps):
            return 0.0
        made = lap - (1 if self.first_lap is None else self.first_lap)
        return self.amount * max(0.0, 1.0 - made / self.fades) if self.fades else self.amount


class Traffic(msgspec.Struct, frozen=True):
    """A slower car on one lap, from `start_m` to `end_m` of the track (None: all lap), at `pace`
    (0..1) of this driver's speed."""

    lap: int
    pace: float
    start_m: float | None = None
    end_m: float | None = None


class Sensors(msgspec.Struct, frozen=True, kw_only=True):
    """How well the logger sees. Noise is 1 sigma; `gps_noise_m` wanders slowly. `*_latency_s`: a
    value's age at its time stamp. `can_rate_hz` below the row rate repeats values. `uneven_s`:
    largest difference of time steps. `dropouts_per_min`: holes of `dropout_s`. `channels`: those
    recorded (none named: all)."""

    gps_noise_m: float = 0.25
    speed_noise_mps: float = 0.03
    gps_latency_s: float = 0.0
    can_latency_s: float = 0.0
    can_rate_hz: float = 0.0
    g_noise: float = 0.015
    uneven_s: float = 0.0
    dropouts_per_min: float = 0.0
    dropout_s: float = 0.5
    satellites: int = 14
    channels: tuple[str, ...] = ()


class SimulationPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A whole session: `laps` flying ones between an out lap (0) and an in lap."""

    car: CarModel = M3
    driver: Driver = Driver()
    laps: int = 3
    rate_hz: float = 10.0
    seed: int = 1
    mistakes: tuple[Mistake, ...] = ()
    traffic: tuple[Traffic, ...] = ()
    sensors: Sensors = Sensors()
    start_utc_s: float = START_UTC_S


class TrueLap(msgspec.Struct, frozen=True):
    """A lap as it was driven. `time_s` is None for the out lap (standing start) and the in lap."""

    number: int
    kind: Literal["out", "flying", "in"]
    start_t: float
    end_t: float
    time_s: float | None


class TrueCorner(msgspec.Struct, frozen=True):
    """A pass of a corner as driven. `brake_m`: track distance where the brakes came on (None: not
    braked); `time_s`: from entry to exit."""

    lap: int
    corner: str
    brake_m: float | None
    brake_t: float | None
    min_speed_mps: float
    time_s: float


class Truth(msgspec.Struct, frozen=True):
    """Holds what really happened, without any sensor between."""

    duration_s: float
    laps: tuple[TrueLap, ...]
    corners: tuple[TrueCorner, ...]

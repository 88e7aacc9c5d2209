"""The car: a point mass with a friction ellipse, a power curve through a gear box, drag and brakes."""

from __future__ import annotations

import math

import msgspec

G_MPS2 = 9.80665
# Below this the power limit P/v has no meaning: the clutch slips and grip alone decides.
CLUTCH_MPS = 3.0
# Power is down by 0.15 at half and at one and a half times the peak's rpm.
POWER_FALL = 0.6
# A driver with an engine like this changes down before it drops under this share of the shift
# point.
DOWNSHIFT_SHARE = 0.52


class CarModel(msgspec.Struct, frozen=True, kw_only=True):
    """What limits the car. `drag_kgpm`, `downforce_kgpm`: 1/2 rho C A, newton per (m/s)^2.
    `grip_*`: friction across, braking and driving (two driven wheels carry a part of the weight).
    `brake_bar_per_g`: line pressure for 1 g."""

    name: str
    mass_kg: float
    power_w: float
    drag_kgpm: float
    grip_lat: float
    grip_brake: float
    grip_drive: float
    downforce_kgpm: float = 0.0
    rolling: float = 0.012
    engine_brake_g: float = 0.06
    top_speed_mps: float = 75.0
    gears: tuple[float, ...]
    final_drive: float
    wheel_radius_m: float
    shift_rpm: float
    peak_rpm: float
    idle_rpm: float = 900.0
    brake_bar_per_g: float = 60.0
    wheelbase_m: float = 2.7
    steering_ratio: float = 15.0
    understeer_deg_per_g: float = 1.5

    def rpm(self, speed_mps: float, gear: int) -> float:
        """Engine speed in `gear` (1 is the lowest), never below idle."""
        turns = speed_mps / (2.0 * math.pi * self.wheel_radius_m) * 60.0
        return max(self.idle_rpm, turns * self.gears[gear - 1] * self.final_drive)

    def fastest_in(self, gear: int) -> float:
        """Return the speed in m/s at which this gear reaches the shift point."""
        turns = self.shift_rpm / (self.gears[gear - 1] * self.final_drive)
        return turns / 60.0 * 2.0 * math.pi * self.wheel_radius_m

    def next_gear(self, speed_mps: float, gear: int) -> int:
        """Return the next gear: up at the shift point, down out of the engine's range."""
        while gear < len(self.gears) and self.rpm(speed_mps, gear) > self.shift_rpm:
            gear += 1
        while (
            gear > 1
            and self.rpm(speed_mps, gear) < DOWNSHIFT_SHARE * self.shift_rpm
            and self.rpm(speed_mps, gear - 1) < 0.95 * self.shift_rpm
        ):
            gear -= 1
        return gear

    def power_at(self, rpm: float) -> float:
        """Watts at the wheels with the throttle wide open: a parabola around the peak."""
        away = (rpm - self.peak_rpm) / self.peak_rpm
        return self.power_w * max(0.25, 1.0 - POWER_FALL * away * away)

    def drive_force(self, speed_mps: float) -> float:
        """Return the engine's force (N) in the lowest gear below the shift point, ignoring grip."""
        turns, rpm = speed_mps / (2.0 * math.pi * self.wheel_radius_m) * 60.0, 0.0
        for ratio in self.gears:
            rpm = max(self.idle_rpm, turns * ratio * self.final_drive)
            if rpm <= self.shift_rpm:
                break
        return self.power_at(rpm) / max(speed_mps, CLUTCH_MPS)

    def drag_mps2(self, speed2: float) -> float:
        """Deceleration from air and tyres at speed squared `speed2`."""
        return self.drag_kgpm * speed2 / self.mass_kg + self.rolling * G_MPS2

    def load_mps2(self, speed2: float) -> float:
        """Vertical force per mass: gravity and downforce."""
        return G_MPS2 + self.downforce_kgpm * speed2 / self.mass_kg


def ellipse_share(across: float, most_across: float) -> float:
    """Return the longitudinal grip left at a lateral acceleration, 0..1: sqrt(1 -
    (ay/ay_max)^2)."""
    share = across / most_across
    return math.sqrt(1.0 - share * share) if share < 1.0 else 0.0


# Like an E46 M3 on track-day tyres; power is at the wheels.
M3 = CarModel(
    name="M3-like coupe (simulated)", mass_kg=1580.0, power_w=212_000.0, drag_kgpm=0.46, grip_lat=1.16,
    grip_brake=1.12, grip_drive=0.62, gears=(4.23, 2.53, 1.67, 1.23, 1.0, 0.83), final_drive=3.62,
    wheel_radius_m=0.316, shift_rpm=7900.0, peak_rpm=7700.0, wheelbase_m=2.73, steering_ratio=15.4,
)  # fmt: skip

"""How a phone sits in the car: from its own axes to forward, left and up, levelled by gravity.

Android's axes with the screen upright: x to the right, y up, z out of the screen. A phone facing
the driver has z to the rear. Remaining pitch and roll, and the gyroscope's zero, are measured while
the car stands; the turn about the vertical comes from the mount, and fusion compares the signs with
GPS.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from pitwall.telemetry.recordings.columns import G_MPS2

Vector = tuple[float, float, float]

# Rows: the car's forward, left and up in the phone's axes (ISO 8855: x forward, y left, z up).
MOUNTS: dict[str, tuple[Vector, Vector, Vector]] = {
    "portrait": ((0, 0, -1), (-1, 0, 0), (0, 1, 0)),
    # Turned to the left, its top to the driver's left; the way most cradles hold it.
    "landscape-left": ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
    "landscape-right": ((0, 0, -1), (0, -1, 0), (-1, 0, 0)),
    "portrait-down": ((0, 0, -1), (1, 0, 0), (0, -1, 0)),
    # On its back, its top to the front.
    "flat": ((0, 1, 0), (-1, 0, 0), (0, 0, 1)),
}
AUTO = "auto"
# The car stands when nothing moved this long: a stop at lights is longer, a smooth straight is not
# so still. An idling engine shakes a phone by 0.03 g.
STILL_S = 2.0
STILL_G = 0.06
STILL_DPS = 1.5
# Gravity on a phone's sensor; more off is no rest.
GRAVITY_TOLERANCE_G = 0.08
# With a position source: faster than this is no standing, and an older speed is unknown.
STAND_MPS = 0.5
SPEED_AGE_S = 3.0
# A mount whose up is further off than this is not the one that the phone is in.
MAX_TILT_DEG = 50.0
# A sensor's rate differs; fewer readings than this in STILL_S is no stand to judge.
MIN_READINGS = 10


class Level(NamedTuple):
    """Forward, left and up of the car in the phone's axes, and the gyroscope's rest in deg/s."""

    forward: Vector
    left: Vector
    up: Vector
    gyro_rest: Vector


def level(mount: str, gravity: Vector, gyro_rest: Vector) -> Level | None:
    """Return the mount turned the shortest way so that `gravity` (g, phone's axes) is up.

    None if no mount, or not the named one, is within MAX_TILT_DEG of it.
    """
    up = _unit(gravity)
    names = list(MOUNTS) if mount == AUTO else [mount]
    name = max(names, key=lambda name: _dot(MOUNTS[name][2], up))
    forward, _, nominal_up = MOUNTS[name]
    if _dot(nominal_up, up) < math.cos(math.radians(MAX_TILT_DEG)):
        return None
    forward = _unit(_turned(forward, nominal_up, up))
    return Level(forward, _cross(up, forward), up, gyro_rest)


class Leveller:
    """Detects when the phone rests, and how it sits then, in time of the sensors' stamps."""

    def __init__(self, mount: str) -> None:
        self.mount = mount
        self.level: Level | None = None
        self.mismatches = 0
        self._gravity, self._gyro = _Rest(STILL_G), _Rest(STILL_DPS)
        self._moving_at_s: float | None = None
        self._now_s = 0.0

    @property
    def axes(self) -> Level | None:
        """How it sits as far as that is known: levelled, or as the named mount has it."""
        if self.level is not None or self.mount == AUTO or self.mismatches:
            return self.level
        return Level(*MOUNTS[self.mount], (0.0, 0.0, 0.0))

    def speed(self, speed_mps: float) -> None:
        """Take up what GPS says now."""
        moving = speed_mps > STAND_MPS
        self._moving_at_s = self._now_s if moving else None
        if moving:
            self._gravity.clear()

    def gyroscope(self, rate_dps: Vector, at_s: float) -> None:
        """A reading of the gyroscope; a turn ends a rest."""
        if not self._gyro.add(rate_dps, at_s):
            self._gravity.clear()

    def accelerometer(self, force_g: Vector, at_s: float) -> None:
        """A reading of the accelerometer, gravity included."""
        self._now_s = at_s
        if self._moving_at_s is not None and at_s - self._moving_at_s < SPEED_AGE_S:
            return
        self._gravity.add(force_g, at_s)
        mean = self._gravity.settled(at_s)
        if mean is None:
            return
        self._gravity.clear()
        if abs(math.sqrt(_dot(mean, mean)) - 1.0) > GRAVITY_TOLERANCE_G:
            return
        found = level(self.mount, mean, self._gyro.settled(at_s) or (0.0, 0.0, 0.0))
        if found is None:
            self.mismatches += 1
        else:
            self.level = found


class _Rest:
    """The mean of readings that stay within `spread` of one another."""

    def __init__(self, spread: float) -> None:
        self._spread = spread
        self.clear()

    def clear(self) -> None:
        self._count, self._since_s = 0, 0.0
        self._sum = [0.0, 0.0, 0.0]
        self._low, self._high = [math.inf] * 3, [-math.inf] * 3

    def add(self, reading: Sequence[float], at_s: float) -> bool:
        """Take a reading; False if it ended the rest, and a new one begins with it."""
        calm = True
        for axis, value in enumerate(reading):
            self._low[axis] = min(self._low[axis], value)
            self._high[axis] = max(self._high[axis], value)
            calm = calm and self._high[axis] - self._low[axis] <= self._spread
        if not calm:
            self.clear()
            self.add(reading, at_s)
            return False
        if self._count == 0:
            self._since_s = at_s
        self._count += 1
        for axis, value in enumerate(reading):
            self._sum[axis] += value
        return True

    def settled(self, at_s: float) -> Vector | None:
        """Return the mean, once it has lasted STILL_S."""
        if self._count < MIN_READINGS or at_s - self._since_s < STILL_S:
            return None
        x, y, z = (total / self._count for total in self._sum)
        return x, y, z


def in_car(level: Level, reading: Vector) -> Vector:
    """Return a reading in the phone's axes as forward, left and up."""
    return _dot(level.forward, reading), _dot(level.left, reading), _dot(level.up, reading)


def to_g(reading: Sequence[float]) -> Vector:
    """m/s2 to g."""
    return reading[0] / G_MPS2, reading[1] / G_MPS2, reading[2] / G_MPS2


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _unit(a: Vector) -> Vector:
    length = math.sqrt(_dot(a, a)) or 1.0
    return a[0] / length, a[1] / length, a[2] / length


def _turned(vector: Vector, start: Vector, end: Vector) -> Vector:
    """`vector` turned as `start` must be to become `end` (unit vectors, Rodrigues' formula)."""
    axis, cosine = _cross(start, end), _dot(start, end)
    across, along = _cross(axis, vector), _dot(axis, vector) / (1.0 + cosine)
    x, y, z = (vector[i] * cosine + across[i] + axis[i] * along for i in range(3))
    return x, y, z

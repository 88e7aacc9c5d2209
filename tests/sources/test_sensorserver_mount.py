"""The phone's axes become the car's, for every way of mounting it and any tilt of the cradle."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwall.telemetry.sources.sensorserver import (
    MAX_TILT_DEG,
    MOUNTS,
    SPEED_AGE_S,
    STILL_S,
    Leveller,
    Vector,
    in_car,
    level,
)

HZ = 100.0


def tilted(mount: str, car: Vector, pitch_deg: float, roll_deg: float) -> Vector:
    """A vector of the car (forward, left, up) as a phone reads it that is tilted in its cradle."""
    p, r = math.radians(pitch_deg), math.radians(roll_deg)
    x, y, z = car
    x, z = x * math.cos(p) - z * math.sin(p), x * math.sin(p) + z * math.cos(p)
    y, z = y * math.cos(r) - z * math.sin(r), y * math.sin(r) + z * math.cos(r)
    rows = MOUNTS[mount]
    return tuple(x * rows[0][i] + y * rows[1][i] + z * rows[2][i] for i in range(3))  # type: ignore[return-value]


@pytest.mark.parametrize("mount", MOUNTS)
def test_every_mount_is_a_right_handed_frame(mount: str) -> None:
    (fx, fy, fz), (lx, ly, lz), up = MOUNTS[mount]
    assert (fy * lz - fz * ly, fz * lx - fx * lz, fx * ly - fy * lx) == up


@pytest.mark.parametrize("mount", MOUNTS)
@pytest.mark.parametrize("named", [True, False])
@given(pitch=st.floats(-25.0, 25.0), roll=st.floats(-25.0, 25.0))
def test_level_whatever_the_tilt(mount: str, named: bool, pitch: float, roll: float) -> None:
    gravity = tilted(mount, (0.0, 0.0, 1.0), pitch, roll)
    found = level(mount if named else "auto", gravity, (0.0, 0.0, 0.0))
    assert found is not None
    assert in_car(found, gravity) == pytest.approx((0.0, 0.0, 1.0), abs=1e-9)
    # A tilt about both axes turns the phone a little about the vertical too, which gravity can't tell.
    braking = in_car(found, tilted(mount, (-1.0, 0.0, 1.0), pitch, roll))
    assert braking == pytest.approx((-1.0, 0.0, 1.0), abs=0.22)
    turning_left = in_car(found, tilted(mount, (0.0, 1.0, 1.0), pitch, roll))
    assert turning_left == pytest.approx((0.0, 1.0, 1.0), abs=0.22)


def test_a_mount_that_gravity_contradicts_is_not_used() -> None:
    assert level("portrait", (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)) is None
    # On its face no screen is seen: nobody mounts it so.
    assert level("auto", (0.0, 0.0, -1.0), (0.0, 0.0, 0.0)) is None
    assert MAX_TILT_DEG > 45.0  # between two mounts one of them fits


def rest(leveller: Leveller, seconds: float, *, begin_s: float = 0.0, shake_g: float = 0.0) -> float:
    """Stand still in portrait, tilted by 10 degrees, the gyroscope resting at 0.5 deg/s."""
    for i in range(int(seconds * HZ)):
        at_s = begin_s + i / HZ
        leveller.gyroscope((0.5, 0.0, 0.0), at_s)
        shake = shake_g * (-1) ** i
        leveller.accelerometer(tilted("portrait", (shake, 0.0, 1.0), 10.0, 0.0), at_s)
    return begin_s + seconds


def test_it_is_levelled_after_two_seconds_of_rest() -> None:
    leveller = Leveller("portrait")
    now_s = rest(leveller, STILL_S - 0.1)
    assert leveller.level is None
    rest(leveller, 0.3, begin_s=now_s, shake_g=0.02)
    assert leveller.level.gyro_rest == pytest.approx((0.5, 0.0, 0.0))
    assert in_car(leveller.level, tilted("portrait", (0.0, 0.0, 1.0), 10.0, 0.0)) == pytest.approx(
        (0, 0, 1), abs=1e-3
    )


def test_a_car_that_moves_is_not_at_rest() -> None:
    leveller = Leveller("auto")
    for second in range(10):
        rest(leveller, 1.0, begin_s=float(second))
        leveller.speed(30.0)
    assert leveller.level is None
    # Without a word from GPS the stillness itself must do.
    rest(leveller, SPEED_AGE_S + STILL_S + 0.5, begin_s=10.0)
    assert leveller.level is not None


def test_shaking_or_turning_is_no_rest() -> None:
    shaken, turned = Leveller("auto"), Leveller("auto")
    rest(shaken, 10.0, shake_g=0.1)
    for i in range(1000):
        turned.gyroscope((0.0, 3.0 * (i // 50 % 2), 0.0), i / HZ)
        turned.accelerometer((0.0, 1.0, 0.0), i / HZ)
    assert shaken.level is None
    assert turned.level is None


def test_a_wrong_mount_is_counted_and_never_guessed() -> None:
    leveller = Leveller("flat")
    assert leveller.axes is not None  # as it was told
    rest(leveller, 5.0)
    assert leveller.mismatches == 2
    assert leveller.level is None
    assert leveller.axes is None

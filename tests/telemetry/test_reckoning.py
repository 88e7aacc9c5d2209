"""Speed and place between fixes and over holes, against a simulated drive at Sonoma whose truth is known."""

from __future__ import annotations

import math
from itertools import pairwise

import msgspec
import pytest
from sonoma_streams import CAR, GPS, IMU, Rates, samples, session, stream

from pitwall.simulator.trace import TrueDrive
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.reckoning import RECKON_S, Reckoner, metres_per_deg
from pitwall.track.geometry import Projection

ALL = (GPS, CAR, IMU)
# The first scale of the wheels and the zero of the gyro are known by then.
LEARNED_S = 30.0


def drive(rates: Rates, ids: tuple[int, ...] = ALL, until_s: float = 150.0) -> list[Frame]:
    fusion = Fusion([stream(id) for id in ids])
    frames = []
    for sample in samples(session(), rates):
        if sample.t > until_s:
            break
        if sample.stream in ids and (frame := fusion.feed(sample)) is not None:
            frames.append(frame)
    return frames


def off_m(trace: TrueDrive, frame: Frame) -> tuple[float, float]:
    """How far a frame's place is off the true one at `t`: in all, and along the way."""
    assert frame.lat_deg is not None
    assert frame.lon_deg is not None
    true = trace.at(frame.t)
    x_m, y_m = trace.projection.xy(frame.lat_deg, frame.lon_deg)
    dx, dy = x_m - true.x_m, y_m - true.y_m
    return math.hypot(dx, dy), dx * math.sin(true.heading_rad) + dy * math.cos(true.heading_rad)


@pytest.mark.parametrize(
    ("rates", "ids", "metres", "mps"),
    [
        pytest.param(Rates(), ALL, 0.25, 0.5, id="10 Hz fixes, 50 Hz wheels and yaw"),
        pytest.param(Rates(gps_late_s=0.06), ALL, 0.25, 0.6, id="fixes 60 ms late", marks=pytest.mark.long),
        pytest.param(
            Rates(gps_hz=25.0, gps_late_s=0.06),
            ALL,
            0.25,
            0.5,
            id="25 Hz, 60 ms late",
            marks=pytest.mark.long,
        ),
        pytest.param(
            Rates(imu_hz=0.0), (GPS, CAR), 0.25, 1.0, id="no IMU: heading rate", marks=pytest.mark.long
        ),
        pytest.param(Rates(car_hz=0.0, imu_hz=100.0), (GPS, IMU), 0.25, 0.5, id="no bus, 100 Hz IMU"),
        pytest.param(Rates(gps_hz=1.0), ALL, 1.0, 0.6, id="a phone's 1 Hz"),
    ],
)
def test_speed_and_place_at_fifty_hertz(
    rates: Rates, ids: tuple[int, ...], metres: float, mps: float
) -> None:
    trace = session()
    frames = [f for f in drive(rates, ids) if f.t > LEARNED_S]
    assert all(b.t >= a.t for a, b in pairwise(frames))
    assert max(b.t - a.t for a, b in pairwise(frames)) <= 0.0301
    reckoned = [f for f in frames if f.reckoned]
    assert len(reckoned) > 0.5 * len(frames)
    assert max(off_m(trace, f)[0] for f in reckoned) < metres
    for frame in reckoned:
        assert abs(frame.speed_mps - trace.at(frame.t).speed_mps) < mps


@pytest.mark.parametrize(
    ("ids", "hole_s", "metres", "along_m"),
    [
        pytest.param(ALL, 1.0, 0.6, 0.4, id="1 s"),
        pytest.param(ALL, 5.0, 6.0, 2.5, id="5 s"),
        pytest.param((GPS, IMU), 5.0, 10.0, 8.0, id="5 s without wheels"),
    ],
)
def test_place_at_the_end_of_a_hole(
    ids: tuple[int, ...], hole_s: float, metres: float, along_m: float
) -> None:
    trace = session()
    holes = tuple((float(at), at + hole_s) for at in range(40, 140, 12))
    frames = [f for f in drive(Rates(holes=holes), ids) if f.reckoned]
    for begin, end in holes:
        last = [f for f in frames if begin <= f.t < end][-1]
        assert last.t > end - 0.15
        off, along = off_m(trace, last)
        assert off < metres, f"hole at {begin:.0f} s"
        assert abs(along) < along_m, f"hole at {begin:.0f} s"
        assert last.fix_age_s == pytest.approx(last.t - (begin - 0.1), abs=0.11)


def test_after_five_seconds_nothing_is_reckoned_but_the_wheels_still_tell_the_speed() -> None:
    trace = session()
    frames = drive(Rates(holes=((60.0, 90.0),)))
    hole = [f for f in frames if 60.0 <= f.t < 89.9]
    assert max(f.fix_age_s for f in hole if f.lat_deg is not None) <= RECKON_S
    blind = [f for f in hole if f.lat_deg is None]
    assert blind[-1].t > 89.7
    assert len(blind) == pytest.approx(250, abs=10)
    for frame in blind:
        assert abs(frame.speed_mps - trace.at(frame.t).speed_mps) < 1.5


def test_a_course_that_nothing_tells_is_not_carried_on_for_long() -> None:
    trace = session()
    holes = tuple((float(at), at + 5.0) for at in range(40, 140, 12))
    frames = [f for f in drive(Rates(holes=holes), (GPS, CAR)) if f.reckoned]
    for begin, end in holes:
        hole = [f for f in frames if begin <= f.t < end]
        assert hole[-1].t < begin + 3.0
        assert max(off_m(trace, f)[0] for f in hole) < 30.0


def test_a_locked_wheel_does_not_stop_the_car() -> None:
    fusion = Fusion([stream(id) for id in ALL])
    frames = []
    for sample in samples(session(), Rates()):
        if sample.t > 80.0:
            break
        if sample.stream == CAR and 60.0 <= sample.t < 60.8:
            sample = msgspec.structs.replace(sample, values=(0.0, *sample.values[1:]))
        frame = fusion.feed(sample)
        if frame is not None and frame.reckoned and frame.t > LEARNED_S:
            frames.append(frame)
    trace = session()
    assert max(abs((f.speed_mps or 0.0) - trace.at(f.t).speed_mps) for f in frames) < 1.0


def test_the_speed_adds_up_to_the_distance_driven_over_a_hole_too() -> None:
    trace = session()
    fusion = Fusion([stream(id) for id in ALL])
    at: dict[float, float] = {}
    driven_m, t, speed_mps = 0.0, 0.0, 0.0
    for sample in samples(trace, Rates(holes=((70.0, 75.0),))):
        frame = fusion.feed(sample)
        if frame is not None and frame.speed_mps is not None:
            driven_m += 0.5 * (speed_mps + frame.speed_mps) * (frame.t - t)
            t, speed_mps = frame.t, frame.speed_mps
            if abs(frame.t - round(frame.t)) < 0.011:
                at[round(frame.t)] = driven_m
        if sample.t > 140.0:
            break
    for begin, end in ((30, 60), (68, 76), (80, 138)):
        true_m = trace.at(end).along_m - trace.at(begin).along_m
        assert at[end] - at[begin] == pytest.approx(true_m, rel=0.02, abs=1.5)


def test_metres_of_a_degree_are_those_of_the_ellipsoid() -> None:
    for lat in (-38.0, 0.0, 38.16, 60.5):
        projection = Projection(lat, 10.0)
        north, east = metres_per_deg(lat)
        assert north == pytest.approx(projection.metres_per_deg_lat, abs=0.05)
        assert east == pytest.approx(projection.metres_per_deg_lon, abs=0.05)


def test_no_place_without_a_fix() -> None:
    reckoner = Reckoner()
    reckoner.advance(1.0, 20.0, 1.0, 0.0, 0.0, 0.0)
    assert not reckoner.trusted
    assert reckoner.speed_mps is None
    with pytest.raises(ValueError, match="no fix"):
        reckoner.place()

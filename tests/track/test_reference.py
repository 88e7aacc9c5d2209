"""Reference laps and corner passes on drives whose times follow from their speed."""

from __future__ import annotations

import msgspec
import pytest
from synthetic_drives import BRIDGE, Drive, circuit, drive, perimeter, without_fixes

from pitwall.track.braking import PRESSED_BAR, braking_start
from pitwall.track.lap import CornerPass
from pitwall.track.matcher import MapMatcher
from pitwall.track.model import Track
from pitwall.track.passes import CornerPasses
from pitwall.track.reference import ReferenceBuilder, ReferenceLap
from pitwall.track.timing import LapTimer

TRACK = circuit(BRIDGE)
LENGTH_M = perimeter(BRIDGE)
CORNER = TRACK.corners[0]


def references(driven: Drive, track: Track = TRACK) -> list[ReferenceLap | None]:
    matcher, timer = MapMatcher(track), LapTimer(track.gate, track.length_m)
    builder, made = ReferenceBuilder(track), []
    for frame in driven.frames:
        position = matcher.feed(frame)
        lap = timer.feed(frame, position)
        if lap is not None:
            made.append(builder.finish(lap))
        builder.feed(frame, position)
    return made


def passes(driven: Drive, reference: ReferenceLap | None = None, track: Track = TRACK) -> list[CornerPass]:
    matcher, timer = MapMatcher(track), LapTimer(track.gate, track.length_m)
    follower = CornerPasses(track, reference)
    made = []
    for frame in driven.frames:
        position = matcher.feed(frame)
        timer.feed(frame, position)
        found = follower.feed(frame, position, timer.lap_number)
        if found is not None:
            made.append(found)
    return made


def steady(speed_mps: float = 30.0) -> ReferenceLap:
    out, lap, *_ = references(drive(BRIDGE, laps=2.2, speed_mps=lambda _: speed_mps))
    assert out is None
    assert lap is not None
    return lap


def test_time_at_a_place_of_a_steady_lap() -> None:
    reference = steady()
    assert reference.label == "lap 1"
    assert reference.length_m == LENGTH_M
    assert reference.lap_time_s == pytest.approx(LENGTH_M / 30.0, abs=0.002)
    for place_m in (0.0, 1.0, 437.0, 1200.5, LENGTH_M - 1.0):
        assert reference.time_at(place_m) == pytest.approx(place_m / 30.0, abs=0.01)
        assert reference.speed_at(place_m) == pytest.approx(30.0)
    assert reference.time_between(LENGTH_M - 300.0, 150.0) == pytest.approx(15.0, abs=0.01)
    assert reference.time_between(150.0, 150.0) == 0.0
    assert reference.delta(41.0, 1200.0) == pytest.approx(1.0, abs=0.01)


def test_points_rise_and_are_not_denser_than_needed() -> None:
    lap = references(drive(BRIDGE, laps=2.2, rate_hz=100.0, noise_m=0.5))[1]
    steps = [b - a for a, b in zip(lap.distance_m, lap.distance_m[1:], strict=False)]
    assert min(steps[:-1]) >= 2.0
    assert max(steps) < 3.5
    assert all(b >= a for a, b in zip(lap.t_s, lap.t_s[1:], strict=False))


def test_a_lap_with_a_long_stretch_unseen_is_no_reference() -> None:
    driven = drive(BRIDGE, laps=2.2)
    assert references(without_fixes(driven, 20.0, 30.0))[1] is None
    assert references(without_fixes(driven, 20.0, 23.0))[1] is not None


def braking(driven: Drive, from_m: float, to_m: float, **sensor: tuple[float, float]) -> Drive:
    """The same drive with a sensor that reads its second value between two places of every lap."""
    frames = []
    for frame, true_m in zip(driven.frames, driven.true_m, strict=True):
        pressed = from_m <= true_m % LENGTH_M < to_m
        readings = {name: values[1] if pressed else values[0] for name, values in sensor.items()}
        frames.append(msgspec.structs.replace(frame, **readings))
    return Drive(frames, driven.true_m)


@pytest.mark.parametrize(
    "sensor",
    [
        {"brake_bar": (0.17, 30.0)},
        {"brake_bar": (-1.4, 12.0)},
        {"brake_pct": (0.0, 1.0)},
        {"brake_pct": (3.0, 60.0)},
        {"g_long": (0.05, -0.8)},
        {"brake_bar": (0.2, 30.0), "g_long": (-0.4, -0.4)},
    ],
    ids=["bar", "bar with a wrong zero", "switch", "pedal", "g only", "bar before g"],
)
def test_the_brake_point_of_a_corner(sensor) -> None:
    lap = references(braking(drive(BRIDGE, laps=2.2, rate_hz=25.0), 540.0, 630.0, **sensor))[1]
    assert lap.brake_m == {"turn_1": pytest.approx(540.0, abs=2.0)}


def test_a_dab_is_no_braking_and_the_last_braking_counts() -> None:
    driven = drive(BRIDGE, laps=2.2, rate_hz=25.0)
    frames = []
    for frame, true_m in zip(driven.frames, driven.true_m, strict=True):
        place_m = true_m % LENGTH_M
        pressed = 300.0 <= place_m < 345.0 or 560.0 <= place_m < 600.0 or 620.0 <= place_m < 624.0
        frames.append(msgspec.structs.replace(frame, brake_bar=25.0 if pressed else 0.2))
    lap = references(Drive(frames, driven.true_m))[1]
    assert lap.brake_m == {"turn_1": pytest.approx(560.0, abs=2.0)}


def test_no_braking_no_brake_point() -> None:
    lap = references(braking(drive(BRIDGE, laps=2.2), 0.0, 0.0, brake_bar=(0.2, 0.2)))[1]
    assert lap.brake_m == {}


def test_a_pass_through_a_corner() -> None:
    def speed_mps(true_m: float) -> float:
        return 20.0 if 690.0 <= true_m % LENGTH_M <= 710.0 else 30.0

    found = passes(
        braking(drive(BRIDGE, laps=2.3, rate_hz=25.0, speed_mps=speed_mps), 550.0, 640.0, g_long=(0.0, -0.5))
    )
    assert [(p.lap, p.corner) for p in found] == [(1, "turn_1"), (2, "turn_1")]
    first = found[0]
    assert first.time_s == pytest.approx((CORNER.exit_m - CORNER.entry_m - 20.0) / 30.0 + 1.0, abs=0.05)
    assert first.exit_t - first.entry_t == first.time_s
    assert first.min_speed_mps == 20.0
    assert 689.0 <= first.min_speed_m <= 711.0
    assert first.entry_speed_mps == pytest.approx(30.0)
    assert first.brake_m == pytest.approx(550.0, abs=2.0)


def test_a_corner_across_the_gate_belongs_to_the_lap_of_its_apex() -> None:
    across = msgspec.structs.replace(
        CORNER, entry_m=LENGTH_M - 60.0, apex_m=20.0, exit_m=60.0, brake_m=LENGTH_M - 150.0
    )
    track = msgspec.structs.replace(TRACK, corners=(across,))
    found = passes(drive(BRIDGE, from_m=-400.0, laps=2.5), steady(), track)
    assert [p.lap for p in found] == [1, 2, 3]
    assert found[1].time_s == pytest.approx(4.0, abs=0.02)
    lap = references(
        braking(
            drive(BRIDGE, from_m=-400.0, laps=2.5), LENGTH_M - 140.0, LENGTH_M - 20.0, brake_bar=(0.1, 40.0)
        ),
        track,
    )[1]
    assert lap.brake_m == {"turn_1": pytest.approx(LENGTH_M - 140.0, abs=3.5)}


def test_a_corner_driven_in_a_hole_gives_no_pass() -> None:
    driven = drive(BRIDGE, laps=2.3)
    in_corner = (100.0 + CORNER.entry_m) / 30.0
    found = passes(without_fixes(driven, in_corner - 1.0, in_corner + 8.0))
    assert [p.lap for p in found] == [2]


def test_the_corner_at_a_place() -> None:
    follower = CornerPasses(TRACK)
    assert follower.corner_at(CORNER.apex_m) == "turn_1"
    assert follower.corner_at((CORNER.brake_m or 0.0) + 5.0) == "turn_1"
    assert follower.corner_at(CORNER.exit_m + 30.0) == ""


def test_a_position_that_leaps_in_a_corner_makes_no_pass() -> None:
    steady_drive = drive(BRIDGE, laps=3.2, speed_mps=lambda _: 30.0)
    leapt = leaping(steady_drive, lap=1)
    whole = passes(steady_drive)
    assert [each.lap for each in passes(leapt)] == [each.lap for each in whole if each.lap != 1]


def leaping(driven: Drive, lap: int) -> Drive:
    """Two thirds of a second of this lap, in the corner, are missing, and what follows comes earlier."""
    from_m, cut_m = (lap - 1) * LENGTH_M + CORNER.entry_m, 20.0
    after = [true_m >= from_m + cut_m for true_m in driven.true_m]
    frames = [
        msgspec.structs.replace(frame, t=frame.t - late * cut_m / 30.0)
        for frame, true_m, late in zip(driven.frames, driven.true_m, after, strict=True)
        if true_m < from_m or late
    ]
    return Drive(frames, [])


@pytest.mark.parametrize("let_go_steps", [3, 15])
def test_where_braking_began_is_no_matter_of_how_stamps_were_rounded(let_go_steps: int) -> None:
    """Two presses of three steps of 0.1 s, and between them as long as joins or links them."""
    values = [0.0, *[5.0] * 3, *[0.0] * let_go_steps, *[9.0] * 3, *[0.0] * 16]
    found = {
        braking_start(
            [(round(t0_s + 0.1 * i, 6), float(i), value) for i, value in enumerate(values)], PRESSED_BAR
        )
        for t0_s in (0.0, 0.019971, 7.31, 99.9, 744.119971, 900.3)
    }
    assert len(found) == 1

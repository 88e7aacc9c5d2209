"""The map matcher against drives whose true place is known."""

from __future__ import annotations

import math

import pytest
from long_runs import a_few
from synthetic_drives import (
    BRIDGE,
    HAIRPIN,
    ORIGIN,
    SPIRAL,
    Drive,
    apart_m,
    circuit,
    drive,
    frame_at,
    perimeter,
    without_fixes,
    without_frames,
)

from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Position
from pitwall.track.matcher import MapMatcher

CIRCUITS = {"hairpin": HAIRPIN, "bridge": BRIDGE, "spiral": SPIRAL}


def matched(corners, driven: Drive, **track_options) -> list[Position]:
    matcher = MapMatcher(circuit(corners, **track_options))
    return [matcher.feed(frame) for frame in driven.frames]


def errors_m(corners, driven: Drive, positions: list[Position]) -> list[float]:
    length_m = perimeter(corners)
    return [apart_m(p.distance_m, true, length_m) for p, true in zip(positions, driven.true_m, strict=True)]


@pytest.mark.parametrize("name", CIRCUITS)
@pytest.mark.parametrize("rate_hz", [1.0, 5.0, 25.0])
def test_follows_the_true_place_at_any_rate(name: str, rate_hz: float) -> None:
    driven = drive(CIRCUITS[name], rate_hz=rate_hz, offset_m=2.0, noise_m=1.5)
    positions = matched(CIRCUITS[name], driven)
    assert {p.status for p in positions} == {"on"}
    # Beside a sharp corner the nearest place is up to the offset plus the noise away from the true one.
    assert max(errors_m(CIRCUITS[name], driven, positions)) < 6.0


@pytest.mark.parametrize("name", CIRCUITS)
def test_a_piece_close_by_is_never_taken_for_this_one(name: str) -> None:
    """4 m of noise on pieces 12 m apart: continuity and heading decide, not the nearest line."""
    driven = drive(CIRCUITS[name], offset_m=-3.0, noise_m=4.0, laps=3.0)
    assert max(errors_m(CIRCUITS[name], driven, matched(CIRCUITS[name], driven))) < 14.0


def test_offset_is_positive_to_the_left() -> None:
    positions = matched(BRIDGE, drive(BRIDGE, offset_m=3.0, from_m=20.0, to_m=300.0))
    assert all(p.offset_m == pytest.approx(3.0, abs=0.05) for p in positions)


def pace(distance_m: float) -> float:
    return 28.0 + 8.0 * math.sin(distance_m / 90.0)


@pytest.mark.parametrize("name", CIRCUITS)
@pytest.mark.parametrize("hole_s", [1.0, 5.0, 30.0, 60.0])
@pytest.mark.parametrize("begins_t", a_few([31.0, 23.0, 44.0], 1))
@pytest.mark.parametrize("cut", [without_fixes, without_frames])
def test_a_hole_is_bridged_then_admitted_and_the_place_found_again(name, hole_s, begins_t, cut) -> None:
    corners = CIRCUITS[name]
    driven = cut(drive(corners, laps=3.5, speed_mps=pace, noise_m=1.0), begins_t, begins_t + hole_s)
    positions = matched(corners, driven)
    error = errors_m(corners, driven, positions)
    for frame, position, off in zip(driven.frames, positions, error, strict=True):
        into_s = frame.t - begins_t
        if 0.0 <= into_s < hole_s:
            allowed = (
                {"on", "reckoned"} if into_s <= 4.9 else {"lost"} if into_s > 5.1 else {"reckoned", "lost"}
            )
            assert position.status in allowed, into_s
            assert position.status == "lost" or off < 8.0 + 0.35 * 36.0 * into_s
        elif into_s >= hole_s:
            assert position.status == "on"
            # A second after the fix is back there is no doubt any more.
            assert off < 6.0 or into_s < hole_s + 1.2


def test_wheel_speed_reckons_better_than_the_last_speed() -> None:
    driven = drive(BRIDGE, laps=1.0, speed_mps=pace)
    for i, frame in enumerate(driven.frames):
        if 20.0 <= frame.t < 24.5:
            driven.frames[i] = Frame(frame.t, wheel_speed_mps=pace(driven.true_m[i]))
    positions = matched(BRIDGE, driven)
    hole = [i for i, frame in enumerate(driven.frames) if 20.6 <= frame.t < 24.5]
    assert {positions[i].status for i in hole} == {"reckoned"}
    error = errors_m(BRIDGE, driven, positions)
    assert max(error[i] for i in hole) < 2.0


def test_a_spin_and_driving_backwards_go_down_the_line() -> None:
    forth = drive(HAIRPIN, from_m=100.0, to_m=400.0)
    t = forth.frames[-1].t
    back = []
    for i in range(1, 200):
        true_m = 400.0 - 10.0 * i * 0.1
        back.append((frame_at(t + 0.1 * i, true_m, 0.0, 10.0, 270.0), true_m))
    driven = Drive(forth.frames + [f for f, _ in back], forth.true_m + [m for _, m in back])
    positions = matched(HAIRPIN, driven)
    # 12 m away the opposite straight goes just this way: being followed so far tells that it is not that one.
    assert max(errors_m(HAIRPIN, driven, positions)) < 2.0
    assert positions[-1].distance_m < 210.0


def test_the_wrong_piece_is_left_when_the_heading_says_so() -> None:
    """Found first while standing between two straights, nearer to the wrong one."""
    frames = [frame_at(0.1 * i, 300.0, 5.0, 0.0, 0.0) for i in range(10)]
    true_m = [907.0] * 10
    for i in range(60):
        x_m = 300.0 - 2.0 * i
        frames.append(frame_at(1.0 + 0.1 * i, x_m, 11.0, 20.0, 270.0))
        true_m.append(612.0 + 600.0 - x_m)
    positions = matched(HAIRPIN, Drive(frames, true_m))
    assert positions[0].distance_m == pytest.approx(300.0, abs=1.0)
    error = errors_m(HAIRPIN, Drive(frames, true_m), positions)
    assert max(error[30:]) < 2.0


def test_far_from_the_line_is_off_and_never_on_before_it_is_back() -> None:
    out = [frame_at(0.1 * i, 100.0 + 2.0 * i, -3.0 * max(i - 20, 0) * 0.5, 30.0, 110.0) for i in range(80)]
    positions = matched(HAIRPIN, Drive(out, [0.0] * 80))
    assert positions[10].status == "on"
    assert {p.status for p in positions[45:]} == {"off"}


PIT_LANE = ((-60.0, -2.0), (-30.0, -18.0), (200.0, -18.0), (240.0, -2.0))


def pit_visit() -> Drive:
    frames, true_m = [], []
    for i in range(150):
        x_m = -60.0 + 2.0 * i
        y_m = -18.0 if -30 <= x_m <= 200 else 0.0
        frames.append(frame_at(0.15 * i, x_m, y_m, 13.3, 90.0))
        true_m.append(x_m)
    return Drive(frames, true_m)


@pytest.mark.parametrize("lane", [PIT_LANE, ()], ids=["drawn", "inferred"])
def test_the_pit_lane_is_told_from_the_track(lane) -> None:
    driven = pit_visit()
    positions = matched(HAIRPIN, driven, pit_lane=lane)
    statuses = [p.status for p in positions]
    inside = [s for s, m in zip(statuses, driven.true_m, strict=True) if 30.0 <= m <= 195.0]
    assert set(inside) == {"pit"}
    assert statuses[-1] == "on"
    assert statuses[0] == "on"
    assert max(errors_m(HAIRPIN, driven, positions)) < 3.0


def test_standing_in_the_pit_lane_stays_in_it() -> None:
    driven = pit_visit()
    stop = [i for i, m in enumerate(driven.true_m) if m <= 100.0]
    last = driven.frames[stop[-1]].t
    frames = [driven.frames[i] for i in stop]
    frames += [frame_at(last + 0.1 * i, 100.0, -18.0, 0.0, 0.0, 0.5) for i in range(1, 600)]
    assert matched(HAIRPIN, Drive(frames, [0.0] * len(frames)))[-1].status == "pit"


def test_racing_past_the_pit_lane_is_not_in_it() -> None:
    driven = drive(HAIRPIN, from_m=-60.0, to_m=240.0, speed_mps=lambda m: 50.0, offset_m=-9.5)
    assert {p.status for p in matched(HAIRPIN, driven, pit_lane=PIT_LANE)} == {"on"}


def test_no_fix_yet_is_lost_not_a_place() -> None:
    matcher = MapMatcher(circuit(HAIRPIN))
    assert matcher.feed(Frame(0.0)).status == "lost"
    assert matcher.feed(Frame(1.0, speed_mps=20.0)).status == "lost"


def test_frames_between_fixes_move_on_with_the_speed() -> None:
    """100 Hz frames over 10 Hz fixes: the place is that of the frame, not of the fix."""
    matcher = MapMatcher(circuit(BRIDGE))
    for i in range(400):
        t = i * 0.01
        fix_t = (i // 10) * 0.1
        lat_deg, lon_deg = ORIGIN.lat_lon(20.0 + 30.0 * fix_t, 0.0)
        frame = Frame(t, lat_deg, lon_deg, speed_mps=30.0, heading_deg=90.0, fix_age_s=t - fix_t)
        position = matcher.feed(frame)
        assert position.status == "on"
        assert position.distance_m == pytest.approx(20.0 + 30.0 * t, abs=0.1)

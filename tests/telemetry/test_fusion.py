"""Frames: when one is made, what is in it, how long values are held, and where the position comes from."""

from __future__ import annotations

import math

import pytest
from driven import GPS, Drive, Row, rows, stream

from pitwall.telemetry.frame import Frame
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.sample import Sample

FIX = ("lat_deg", "lon_deg", "speed_mps", "heading_deg")


def north(t: float, v: float = 30.0) -> tuple[float, float, float, float]:
    return (43.0 + v * t / 111_195.0, -88.0, v, 0.0)


def test_every_fix_makes_a_frame_even_at_the_same_time() -> None:
    fusion = Fusion([stream(FIX)])
    frames = [fusion.feed(Sample(0, t, north(t))) for t in (0.0, 0.1, 0.1, 0.12, 0.2)]
    assert [f.t for f in frames if f is not None] == [0.0, 0.1, 0.1, 0.12, 0.2]
    assert [f.fix_age_s for f in frames if f is not None] == pytest.approx(
        [0.0, 0.0, 0.0, 0.0, 0.0], abs=0.011
    )


def test_between_fixes_and_in_a_hole_the_place_is_reckoned_at_fifty_hertz_for_what_it_is_worth() -> None:
    fusion = Fusion([stream(FIX), stream(("wheel_speed_mps", "yaw_rate_dps"), 1)])
    reckoned: list[Frame] = []
    blind: list[Frame] = []
    for i in range(2000):
        t = i / 100.0
        if i % 10 == 0 and not 505 <= i < 1500:
            frame = fusion.feed(Sample(0, t, north(t)))
            assert (frame.t, frame.lat_deg, frame.fix_age_s) == (t, north(t)[0], 0.0)
            assert not frame.reckoned
        frame = fusion.feed(Sample(1, t, (30.0, 0.0)))
        if frame is not None:
            (reckoned if frame.reckoned else blind).append(frame)
    between = [f.t for f in reckoned if 1.0 < f.t < 1.19]
    assert between == pytest.approx([1.02, 1.04, 1.06, 1.08, 1.12, 1.14, 1.16, 1.18])
    hole = [f for f in reckoned if 5.0 < f.t < 15.0]
    assert hole[-1].t == pytest.approx(10.0)
    for frame in hole:
        assert frame.fix_age_s == pytest.approx(frame.t - 5.0)
        assert frame.lat_deg == pytest.approx(north(frame.t)[0], abs=2.0 / 111_195.0)
        assert frame.speed_mps == pytest.approx(30.0, abs=0.05)
    later = [f for f in blind if f.t > 10.0]
    assert [f.t for f in later] == pytest.approx([10.1 + 0.1 * i for i in range(49)])
    assert all(f.lat_deg is None and f.speed_mps == pytest.approx(30.0, abs=0.05) for f in later)


def test_rows_that_all_hold_a_fix_get_nothing_between() -> None:
    drive = Drive(rows(20.0, 10.0))
    assert len(drive.frames) == 200
    assert not any(f.reckoned for f in drive.frames)


def test_before_a_speed_is_known_nothing_is_reckoned_and_a_hole_has_ten_frames_a_second() -> None:
    fusion = Fusion([stream(("lat_deg", "lon_deg")), stream(("brake_bar",), 1)])
    times = []
    for i in range(150):
        t = i / 100.0
        if i in (0, 10):
            fusion.feed(Sample(0, t, north(t)[:2]))
        frame = fusion.feed(Sample(1, t, (30.0,)))
        if frame is not None:
            assert frame.lat_deg is None
            assert frame.fix_age_s == pytest.approx(t - 0.1)
            times.append(round(t, 2))
    assert times == [0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.05, 1.15, 1.25, 1.35, 1.45]


@pytest.mark.parametrize("rate_hz", [1.0, 5.0, 10.0, 25.0])
def test_speed_is_reckoned_from_positions_where_no_channel_has_it(rate_hz: float) -> None:
    """A car that brakes at 4 m/s2 for five seconds: its speed is right at each fix, not late."""
    fusion = Fusion([stream(("lat_deg", "lon_deg"))])
    found = []
    for i in range(int(12 * rate_hz)):
        t = i / rate_hz
        braked_s = min(max(t - 4.0, 0.0), 5.0)
        way_m = 40.0 * t - 2.0 * braked_s**2 - 20.0 * max(t - 9.0, 0.0)
        frame = fusion.feed(Sample(0, t, north(way_m / 30.0)[:2]))
        found.append((t, frame.speed_mps, 40.0 - 4.0 * braked_s))
    assert [speed for _, speed, _ in found[:2]] == [None, None]
    # At 1 Hz a parabola over two seconds can't follow the two bends of the speed.
    least_t = [t for t, speed, true in found if speed is not None and abs(speed - true) > 0.8]
    assert len(least_t) <= (2 if rate_hz == 1.0 else 0)
    assert fusion.provenance("speed_mps").source == "GPS positions"
    assert ("reckoned", "speed_mps") in {(f.kind, f.signal) for f in fusion.findings()}


def test_a_speed_from_positions_ends_with_them_and_a_position_that_rests_is_a_standing_car() -> None:
    fusion = Fusion([stream(("lat_deg", "lon_deg")), stream(("brake_bar",), 1)])
    for i in range(20):
        fusion.feed(Sample(0, i / 10.0, north(i / 100.0)[:2]))  # 3 m/s
    speeds = [
        frame.speed_mps for i in range(20, 60) if (frame := fusion.feed(Sample(0, i / 10.0, north(0.19)[:2])))
    ]
    assert speeds[0] == pytest.approx(3.0)
    assert speeds[-1] == 0.0
    frame = fusion.feed(Sample(1, 30.0, (0.0,)))
    assert frame.speed_mps is None


def test_values_of_another_stream_are_held_until_stale() -> None:
    fusion = Fusion([stream(FIX), stream(("rpm", "coolant_c"), 1)])
    fusion.feed(Sample(1, 0.0, (5000.0, 90.0)))
    frames = [fusion.feed(Sample(0, i / 10.0, north(i / 10.0))) for i in range(120)]
    held = [(f.t, f.rpm, f.coolant_c) for f in frames if f is not None]
    assert [t for t, rpm, _ in held if rpm is not None][-1] == 0.5
    assert [t for t, _, coolant in held if coolant is not None][-1] == 10.0
    assert {(f.kind, f.signal, f.count) for f in fusion.findings()} == {
        ("stale", "rpm", 1),
        ("stale", "coolant_c", 1),
    }


def test_time_never_runs_backwards_but_a_late_sample_counts() -> None:
    fusion = Fusion([stream(FIX), stream(("rpm",), 1)])
    fusion.feed(Sample(0, 1.0, north(1.0)))
    assert fusion.feed(Sample(1, 0.95, (4000.0,))) is None
    frame = fusion.feed(Sample(0, 1.1, north(1.1)))
    assert frame.rpm == 4000.0
    assert fusion.feed(Sample(0, 1.0, north(1.0))) is None
    assert ("time_backwards", 1) in {(f.kind, f.count) for f in fusion.findings()}


def test_an_unknown_stream_and_a_taken_id_are_refused_by_name() -> None:
    fusion = Fusion([stream(FIX)])
    fusion.add_stream(stream(FIX))
    with pytest.raises(ValueError, match="stream 7"):
        fusion.feed(Sample(7, 0.0, (1.0,)))
    with pytest.raises(ValueError, match="id of another"):
        fusion.add_stream(stream(("rpm",)))


def test_a_jump_of_the_fix_costs_its_own_rows_alone() -> None:
    def fault(t: float, row: Row) -> None:
        if 30.0 <= t < 30.1:
            row["lat_deg"] = (row["lat_deg"] or 0.0) + 0.003

    drive = Drive(rows(60.0), fault=fault)
    assert drive.found[("jump", "lat_deg")].count == 3
    assert [f.t for f in drive.frames if f.lat_deg is None] == [30.0, 30.04, 30.08]
    assert set(drive.distrusted) == {"lat_deg", "lon_deg"}


def test_a_new_place_is_believed_after_two_seconds() -> None:
    def fault(t: float, row: Row) -> None:
        if t >= 30.0:
            row["lat_deg"] = (row["lat_deg"] or 0.0) + 0.05

    frames = Drive(rows(60.0), fault=fault).frames
    lost = [f.t for f in frames if f.lat_deg is None]
    assert lost[0] == 30.0
    assert 31.9 <= lost[-1] <= 32.0
    assert [f.t for f in frames if f.jumped] == [pytest.approx(lost[-1] + 0.04)]


def test_a_wrong_fix_at_the_end_of_a_hole_is_not_believed() -> None:
    """Over two seconds the car can have come 190 m; the fix lies further away."""

    def fault(t: float, row: Row) -> None:
        if 30.0 <= t < 32.0:
            row["lat_deg"] = row["lon_deg"] = None
        elif t == 32.0:
            row["lat_deg"] = (row["lat_deg"] or 0.0) + 0.0026

    drive = Drive(rows(40.0), fault=fault)
    assert not [f for f in drive.frames if f.t == 32.0 and f.lat_deg is not None]
    assert drive.found[("jump", "lat_deg")].count == 1
    assert all(f.lat_deg is not None and not f.jumped for f in drive.frames if f.t > 32.0)


def test_a_repeated_fix_is_stale_after_half_a_second() -> None:
    kept: Row = {}

    def fault(t: float, row: Row) -> None:
        if 30.0 <= t < 35.0:
            kept.update({n: kept.get(n, row[n]) for n in FIX})
            row.update(kept)

    drive = Drive(rows(60.0), fault=fault)
    lost = [f.t for f in drive.frames if f.lat_deg is None]
    assert lost[0] == 30.52
    assert lost[-1] == 34.96
    assert all(f.speed_mps is None and f.heading_deg is None for f in drive.frames if f.lat_deg is None)
    assert [f.fix_age_s for f in drive.frames if f.t == 30.4] == [pytest.approx(0.4)]
    assert {kind for kind, _ in drive.found} == {"stale"}


def test_a_logger_that_writes_zero_speed_without_gps_does_not_park_the_car() -> None:
    kept: Row = {}

    def fault(t: float, row: Row) -> None:
        if 30.0 <= t < 35.0:
            kept.update({n: kept.get(n, row[n]) for n in ("lat_deg", "lon_deg")})
            row.update(kept, speed_mps=0.0)

    frames = Drive(rows(60.0), fault=fault).frames
    assert all(f.lat_deg is None and f.speed_mps is None for f in frames if 30.6 < f.t < 34.9)
    assert all(f.lat_deg is not None for f in frames if f.t > 35.5)


def test_three_satellites_make_no_position() -> None:
    def fault(t: float, row: Row) -> None:
        if 30.0 <= t < 31.0:
            row["satellites"] = 3.0

    drive = Drive(rows(60.0), fault=fault)
    assert [f.t for f in drive.frames if f.lat_deg is None] == [
        f.t for f in drive.frames if 30.0 <= f.t < 31.0
    ]
    assert set(drive.found) == {("void_fix", "lat_deg")}


@pytest.mark.parametrize("hz", [5.0, 10.0, 25.0])
def test_g_from_gps_where_there_is_no_sensor(hz: float) -> None:
    drive = Drive(rows(60.0, hz), GPS)
    reference = {row["t"]: row for row in rows(60.0, hz)}
    errors_lat, errors_long = [], []
    for frame in drive.frames[int(2 * hz) :]:
        assert frame.g_from_gps
        row = reference[frame.t]
        errors_lat.append(frame.g_lat - (row["g_lat"] or 0.0) + 0.05)
        errors_long.append(frame.g_long - (row["g_long"] or 0.0) + 0.03)
    # The reference carries 0.075 g rms of wiggle; the rest is the 0.15 s that smoothing costs.
    assert math.sqrt(sum(e * e for e in errors_lat) / len(errors_lat)) < 0.15
    assert math.sqrt(sum(e * e for e in errors_long) / len(errors_long)) < 0.10


def test_the_course_comes_from_positions_where_the_source_has_none() -> None:
    names = ("lat_deg", "lon_deg", "speed_mps")
    drive = Drive(rows(60.0, 10.0, stop=(30.0, 40.0)), names)
    truth = {row["t"]: row for row in rows(60.0, 10.0, stop=(30.0, 40.0))}
    moving = [f for f in drive.frames if (f.speed_mps or 0.0) > 12.0 and f.t > 1.0]
    assert moving
    for frame in moving:
        error = (frame.heading_deg - (truth[frame.t]["heading_deg"] or 0.0) + 180.0) % 360.0 - 180.0
        assert abs(error) < 6.0
    assert all(f.heading_deg is None for f in drive.frames if 31.0 < f.t < 39.0)
    assert drive.found == {}


def test_without_speed_the_positions_stand_in_for_it_and_not_the_wheels() -> None:
    """Wheels slip and their size is a setting; so the speed over ground is that of the positions."""
    drive = Drive(rows(20.0), ("lat_deg", "lon_deg", "heading_deg", "wheel_speed_mps"))
    told = Drive(rows(20.0))
    for frame, true in list(zip(drive.frames, told.frames, strict=True))[2:]:
        assert frame.speed_mps == pytest.approx(true.speed_mps, abs=0.5)
        assert frame.wheel_speed_mps is not None

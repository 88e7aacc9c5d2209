"""Several streams at once: fixes that come late, two receivers, and laps timed by fixes alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from driven import stream as of_names
from sonoma_streams import CAR, GPS, GPS2, IMU, Rates, samples, session, sonoma, stream

from pitwall.drive.controls import control
from pitwall.drive.prepare import DriveSettings
from pitwall.drive.session import DriveListener, DriveSession, Supplies
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.sample import Sample
from pitwall.track.lap import CornerPass, Lap, Position

ALL = (GPS, CAR, IMU)
FIX = ("lat_deg", "lon_deg", "speed_mps", "heading_deg", "satellites")


class Seen(DriveListener):
    """Keeps laps, passes and places."""

    def __init__(self) -> None:
        self.laps: list[Lap] = []
        self.passes: list[CornerPass] = []
        self.places: list[tuple[Frame, Position]] = []

    def frame(self, frame: Frame, position: Position | None) -> None:
        if position is not None:
            self.places.append((frame, position))

    def lap(self, lap: Lap) -> None:
        self.laps.append(lap)

    def corner_pass(self, corner_pass: CornerPass) -> None:
        self.passes.append(corner_pass)


@cache
def lapped(rates: Rates, ids: tuple[int, ...] = ALL) -> Seen:
    seen = Seen()
    track = sonoma()
    path = DriveSession(Supplies({track.id: track}), DriveSettings(), (seen,), coached=False)
    for id in ids:
        path.stream(stream(id))
    path.control(control(0.0, "track", track.id))
    for sample in samples(session(laps=2), rates):
        if sample.stream in ids:
            path.feed(sample)
    path.finish()
    return seen


@pytest.mark.long
@pytest.mark.parametrize(
    "rates",
    [Rates(gps_late_s=0.05), Rates(gps_hz=5.0, gps_late_s=0.08)],
    ids=["10 Hz, 50 ms late", "5 Hz, 80 ms late"],
)
def test_laps_are_timed_by_the_fixes_whatever_comes_between(rates: Rates) -> None:
    truth = session(laps=2).truth
    seen = lapped(rates)
    true = {lap.number: lap.time_s for lap in truth.laps if lap.time_s is not None}
    timed = {lap.number: lap.time_s for lap in seen.laps if lap.kind == "flying" and lap.time_s is not None}
    assert timed == pytest.approx(true, abs=0.02)
    alone = lapped(rates, (GPS,))
    bare = {lap.number: lap.time_s for lap in alone.laps if lap.kind == "flying" and lap.time_s is not None}
    assert timed == pytest.approx(bare, abs=0.002)


@pytest.mark.long
def test_between_fixes_the_place_on_the_track_goes_on_and_brake_points_are_true() -> None:
    trace = session(laps=2)
    seen = lapped(Rates(gps_late_s=0.05))
    steps = [
        b.distance_m - a.distance_m for (_, a), (_, b) in zip(seen.places, seen.places[1:], strict=False)
    ]
    forward = [step for step in steps if abs(step) < 1000.0]
    assert min(forward) > -1.0
    true = {(c.lap, c.corner): c for c in trace.truth.corners}
    off = [
        abs(found.brake_m - brake_m)
        for found in seen.passes
        if found.brake_m is not None and (brake_m := true[found.lap, found.corner].brake_m) is not None
    ]
    assert len(off) >= 8
    assert sorted(off)[len(off) // 2] < 3.0


def test_a_fix_that_comes_late_keeps_its_own_time_and_place() -> None:
    fusion = Fusion([stream(id) for id in ALL])
    trace, before = session(), 0.0
    late = []
    for sample in samples(trace, Rates(gps_late_s=0.06)):
        frame = fusion.feed(sample)
        if frame is None:
            continue
        assert frame.t >= before
        before = frame.t
        if sample.stream == GPS:
            assert not frame.reckoned
            assert frame.t - frame.fix_age_s == pytest.approx(sample.t, abs=1e-9)
            assert (frame.lat_deg, frame.lon_deg) == sample.values[:2]
            late.append(frame.fix_age_s)
        if sample.t > 60.0:
            break
    assert len(late) > 500
    assert max(late) < 0.081


@pytest.mark.long
@pytest.mark.parametrize("shift_s", [-0.004, 0.009])
def test_a_few_milliseconds_in_the_order_of_arrival_change_nothing_that_counts(shift_s: float) -> None:
    def laps(shift_s: float) -> dict[int, float | None]:
        return {lap.number: lap.time_s for lap in lapped(Rates(gps_late_s=0.05 + shift_s)).laps}

    assert laps(shift_s) == pytest.approx(laps(0.0), abs=0.002)


def north(t: float, east_deg: float = 0.0) -> tuple[float, ...]:
    return (43.0 + 30.0 * t / 111_195.0, -88.0 + east_deg, 30.0, 0.0, 12.0)


# Where the second receiver sits in the car, so that it shows whose fix a frame has.
SECOND_DEG = 1e-5


def two_receivers(
    first_hz: float, second_hz: float, silent: dict[int, tuple[float, float]], until_s: float = 60.0
) -> list[tuple[float, int]]:
    """(t, receiver) at each change of the receiver whose fixes are used."""
    fusion = Fusion([of_names(FIX, GPS), of_names(FIX, GPS2)])
    used: list[tuple[float, int]] = []
    for id, t in arrivals(first_hz, second_hz, until_s):
        begin, end = silent.get(id, (0.0, 0.0))
        if begin <= t < end:
            continue
        frame = fusion.feed(Sample(id, t, north(t, SECOND_DEG if id == GPS2 else 0.0)))
        if frame is None or frame.lon_deg is None or frame.reckoned:
            continue
        whose = GPS2 if frame.lon_deg > -88.0 + SECOND_DEG / 2.0 else GPS
        if not used or used[-1][1] != whose:
            used.append((t, whose))
    return used


def arrivals(first_hz: float, second_hz: float, until_s: float) -> Iterator[tuple[int, float]]:
    both = [(k / first_hz, GPS) for k in range(int(until_s * first_hz))]
    both += [(k / second_hz + 0.013, GPS2) for k in range(int(until_s * second_hz))]
    for t, id in sorted(both):
        yield id, t


def test_of_two_equal_receivers_the_first_serves_until_it_is_silent() -> None:
    assert two_receivers(10.0, 10.0, {}) == [(0.0, GPS)]
    changes = two_receivers(10.0, 10.0, {GPS: (20.0, 30.0)})
    assert [id for _, id in changes] == [GPS, GPS2]
    assert 20.2 < changes[1][0] < 20.4


@pytest.mark.parametrize(("away_deg", "jumps"), [(1e-5, 0), (0.01, 1)])
def test_another_receiver_that_is_somewhere_else_is_a_jump(away_deg: float, jumps: int) -> None:
    fusion = Fusion([of_names(FIX, GPS), of_names(FIX, GPS2)])
    found: list[Frame] = []
    for id, t in arrivals(10.0, 10.0, 40.0):
        if id == GPS2 or t < 20.0:
            frame = fusion.feed(Sample(id, t, north(t, away_deg if id == GPS2 else 0.0)))
            if frame is not None and frame.jumped:
                found.append(frame)
    assert len(found) == jumps
    assert all(frame.lon_deg == -88.0 + away_deg and 20.2 < frame.t < 20.4 for frame in found)


def test_a_clearly_better_receiver_takes_over_once_it_is_proven() -> None:
    changes = two_receivers(1.0, 25.0, {})
    assert [id for _, id in changes] == [GPS, GPS2]
    assert changes[1][0] < 6.5
    assert two_receivers(25.0, 1.0, {}) == [(0.0, GPS)]


def test_a_lost_better_receiver_comes_back_when_it_is_proven_again() -> None:
    changes = two_receivers(1.0, 25.0, {GPS2: (20.0, 30.0)})
    assert [id for _, id in changes] == [GPS, GPS2, GPS, GPS2]
    assert 20.2 < changes[2][0] < 21.1
    assert 35.0 <= changes[3][0] < 36.5

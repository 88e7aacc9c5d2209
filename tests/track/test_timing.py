"""Lap timing on drives whose crossing times are known."""

from __future__ import annotations

import random

import msgspec
import pytest
from synthetic_drives import (
    BRIDGE,
    HAIRPIN,
    SPIRAL,
    Drive,
    circuit,
    drive,
    frame_at,
    judged,
    perimeter,
    walk,
    without_fixes,
    without_frames,
)

from pitwall.telemetry.frame import Frame
from pitwall.track.cuts import as_judged
from pitwall.track.lap import Lap
from pitwall.track.matcher import MapMatcher
from pitwall.track.timing import LapTimer

SPEED_MPS = 30.0


def timed(corners, driven: Drive, *, matched: bool = True, **options) -> list[Lap]:
    track = circuit(corners, **options)
    matcher = MapMatcher(track) if matched else None
    timer = LapTimer(track.gate, track.length_m if matched else None, track.sectors_m if matched else ())
    laps = []
    for frame in driven.frames:
        so_far = timer.sectors_s
        lap = timer.feed(frame, matcher.feed(frame) if matcher else None)
        if lap is not None:
            laps.append(lap)
            assert lap.kind != "flying" or so_far == lap.sectors_s[:-1], "each is known as it ends"
    last = timer.finish(driven.frames[-1].t)
    assert last is not None
    return [*laps, last]


def summary(laps: list[Lap]) -> list[tuple[int, str, bool]]:
    return [(lap.number, lap.kind, lap.time_s is not None) for lap in laps]


@pytest.mark.parametrize("matched", [True, False], ids=["known track", "gate only"])
@pytest.mark.parametrize("corners", [HAIRPIN, BRIDGE], ids=["hairpin", "bridge"])
@pytest.mark.parametrize("rate_hz", [1.0, 10.0, 25.0])
def test_laps_of_a_steady_drive(corners, rate_hz: float, matched: bool) -> None:
    laps = timed(corners, drive(corners, laps=3.5, rate_hz=rate_hz), matched=matched)
    assert summary(laps) == [
        (0, "out", False), (1, "flying", True), (2, "flying", True), (3, "flying", True), (4, "in", False),
    ]  # fmt: skip
    for lap in laps[1:4]:
        assert lap.time_s == pytest.approx(perimeter(corners) / SPEED_MPS, abs=0.002)
        assert lap.end_t - lap.start_t == lap.time_s
    assert [a.end_t for a in laps[:-1]] == [b.start_t for b in laps[1:]]


def test_sectors_add_up_to_the_lap() -> None:
    laps = timed(BRIDGE, drive(BRIDGE, laps=2.5, noise_m=0.5))
    length_m = perimeter(BRIDGE)
    assert laps[0].sectors_s == ()
    assert laps[1].sectors_s == pytest.approx(
        [0.33 * length_m / SPEED_MPS, 0.33 * length_m / SPEED_MPS, 0.34 * length_m / SPEED_MPS], abs=0.06
    )
    assert sum(s for s in laps[1].sectors_s if s is not None) == pytest.approx(laps[1].time_s)
    assert laps[3].sectors_s[-1] is None


def test_another_piece_on_the_gates_line_is_no_crossing() -> None:
    """The gate reaches 25 m to the left; 20 m to the left another piece runs the same way."""
    laps = timed(SPIRAL, drive(SPIRAL, laps=2.5), gate_half_m=25.0)
    assert summary(laps) == [(0, "out", False), (1, "flying", True), (2, "flying", True), (3, "in", False)]


@pytest.mark.parametrize("cut", [without_fixes, without_frames])
@pytest.mark.parametrize("hole_s", [1.0, 5.0, 30.0, 60.0])
def test_a_hole_over_the_gate_keeps_the_numbering(hole_s: float, cut) -> None:
    """The second crossing falls into the hole; longer than 2 s breaks both laps that it ends and begins."""
    lap_s = perimeter(BRIDGE) / SPEED_MPS
    second_t = 100.0 / SPEED_MPS + lap_s
    driven = cut(drive(BRIDGE, laps=4.2), second_t - hole_s / 3.0, second_t + hole_s * 2.0 / 3.0)
    laps = timed(BRIDGE, driven)
    broken = "broken" if hole_s > 2.0 else "flying"
    assert summary(laps) == [
        (0, "out", False), (1, broken, True), (2, broken, True), (3, "flying", True), (4, "flying", True),
        (5, "in", False),
    ]  # fmt: skip
    assert laps[1].end_t == pytest.approx(second_t, abs=0.02)
    assert laps[3].time_s == pytest.approx(lap_s, abs=0.002)
    if hole_s > 2.0:
        assert "no fix for" in laps[1].reason


@pytest.mark.parametrize("hole_s", [5.0, 30.0])
def test_a_hole_elsewhere_in_the_lap_leaves_it_good(hole_s: float) -> None:
    lap_s = perimeter(BRIDGE) / SPEED_MPS
    laps = timed(BRIDGE, without_fixes(drive(BRIDGE, laps=2.2), 10.0, 10.0 + hole_s))
    assert laps[1].kind == "flying"
    assert laps[1].time_s == pytest.approx(lap_s, abs=0.002)


def test_a_hole_longer_than_a_lap_counts_every_crossing_in_it() -> None:
    length_m = perimeter(HAIRPIN)
    lap_s = length_m / SPEED_MPS
    driven = without_frames(drive(HAIRPIN, laps=5.5), 1.5 * lap_s, 3.2 * lap_s)
    laps = timed(HAIRPIN, driven)
    assert [lap.number for lap in laps] == [0, 1, 2, 3, 4, 5, 6]
    assert [lap.kind for lap in laps] == ["out", "flying", "broken", "broken", "broken", "flying", "in"]
    assert laps[5].time_s == pytest.approx(lap_s, abs=0.002)


def test_rolling_back_and_forth_over_the_line_is_one_crossing() -> None:
    first = drive(BRIDGE, from_m=-60.0, to_m=20.0)
    t, frames = first.frames[-1].t, list(first.frames)
    for i in range(1, 600):
        x_m = 20.0 - 0.5 * i if i < 100 else -30.0 if i < 400 else -30.0 + 0.5 * (i - 400)
        frames.append(
            frame_at(t + 0.1 * i, x_m, 0.0, 0.0 if 100 <= i < 400 else 5.0, 270.0 if i < 100 else 90.0)
        )
    laps = timed(BRIDGE, Drive(frames, []), matched=False)
    assert len([lap for lap in laps if lap.number == 1]) == 1
    matched = timed(BRIDGE, Drive(frames, []))
    assert [lap.number for lap in matched] == [0, 1]


def stop_and_go(stop_m: float, stop_s: float) -> Drive:
    """Two and a half laps with one standstill at a place of the first."""
    made, delay_s = drive(BRIDGE, laps=2.6), 0.0
    frames: list[Frame] = []
    for frame, true_m in zip(made.frames, made.true_m, strict=True):
        if delay_s == 0.0 and true_m >= stop_m:
            for i in range(round(stop_s * 10)):
                held = Frame(frame.t + 0.1 * i, frame.lat_deg, frame.lon_deg, speed_mps=0.0)
                frames.append(held)
            delay_s = stop_s
        frames.append(
            Frame(
                frame.t + delay_s, frame.lat_deg, frame.lon_deg, speed_mps=30.0, heading_deg=frame.heading_deg
            )
        )
    return Drive(frames, made.true_m)


@pytest.mark.parametrize("matched", [True, False])
def test_a_lap_with_a_standstill_is_in(matched: bool) -> None:
    laps = timed(BRIDGE, stop_and_go(900.0, 20.0), matched=matched)
    assert [lap.kind for lap in laps] == ["out", "in", "flying", "in"]
    assert laps[1].time_s == pytest.approx(perimeter(BRIDGE) / SPEED_MPS + 20.0, abs=0.05)
    assert "stood still" in laps[1].reason


PIT_LANE = ((-100.0, -2.0), (-60.0, -18.0), (150.0, -18.0), (200.0, -2.0))


def through_the_pits(stop_s: float = 10.0) -> Drive:
    """A flying lap, then through the pit lane over the line with a stop behind it, then two laps more."""
    length_m = perimeter(HAIRPIN)
    frames, true_m, t = [], [], 0.0
    for frame, m in zip(*_columns(drive(HAIRPIN, to_m=2 * length_m - 80.0)), strict=True):
        frames.append(frame)
        true_m.append(m)
        t = frame.t
    stops = round(stop_s * 10)
    x_m = -78.0
    while x_m < 180.0:
        for i in range(stops if abs(x_m - 60.0) < 0.6 else 1):
            t += 0.1
            frames.append(frame_at(t, x_m, -18.0 if -60 <= x_m <= 150 else -9.0, 0.0 if i else 12.0, 90.0))
            true_m.append(2 * length_m + x_m)
        x_m += 1.2
    rest = drive(HAIRPIN, from_m=x_m, to_m=2 * length_m + 100.0, start_t=t + 0.1)
    return Drive(frames + rest.frames, true_m + [m + 2 * length_m for m in rest.true_m])


def _columns(driven: Drive) -> tuple[list[Frame], list[float]]:
    return driven.frames, driven.true_m


@pytest.mark.parametrize(
    ("lane", "matched"),
    [(PIT_LANE, True), ((), True), ((), False)],
    ids=["drawn lane", "inferred", "no known track"],
)
def test_in_lap_and_out_lap_through_the_pit_lane(lane, matched: bool) -> None:
    laps = timed(HAIRPIN, through_the_pits(), matched=matched, pit_lane=lane, gate_half_m=25.0)
    assert [lap.kind for lap in laps] == ["out", "flying", "in", "out", "flying", "in"]
    assert all(lap.time_s is not None for lap in laps[1:-1])


def test_a_cut_course_is_broken() -> None:
    length_m = perimeter(HAIRPIN)
    whole = drive(HAIRPIN, laps=1.9)
    # Cross from one straight to the other 250 m before the hairpin.
    kept = [i for i, m in enumerate(whole.true_m) if not length_m + 350.0 <= m <= length_m + 862.0]
    cut = [whole.frames[i] for i in kept if whole.true_m[i] <= length_m + 350.0]
    t = cut[-1].t
    rest = drive(HAIRPIN, from_m=862.0, to_m=length_m + 100.0, start_t=t + 0.5)
    laps = timed(HAIRPIN, Drive(cut + rest.frames, []))
    assert [lap.kind for lap in laps] == ["out", "flying", "broken", "in"]
    assert "course cut" in laps[2].reason


def test_a_reversal_breaks_the_lap() -> None:
    first = drive(BRIDGE, from_m=-100.0, to_m=300.0)
    t = first.frames[-1].t
    back = [frame_at(t + 0.1 * i, 300.0 - 1.0 * i, 0.0, 10.0, 270.0) for i in range(1, 60)]
    rest = drive(BRIDGE, from_m=241.0, laps=1.5, start_t=back[-1].t + 0.1)
    laps = timed(BRIDGE, Drive(first.frames + back + rest.frames, []))
    assert laps[1].kind == "broken"
    assert "backwards" in laps[1].reason


def test_a_teleport_breaks_the_lap() -> None:
    first = drive(BRIDGE, from_m=-100.0, to_m=200.0)
    rest = drive(BRIDGE, from_m=700.0, laps=1.5, start_t=first.frames[-1].t + 0.1)
    laps = timed(BRIDGE, judged(Drive(first.frames + rest.frames, [])))
    assert laps[1].kind == "broken"
    assert "jumped" in laps[1].reason


def test_one_wrong_fix_over_the_line_is_no_crossing() -> None:
    driven = drive(BRIDGE, laps=2.2)
    lap_s = perimeter(BRIDGE) / SPEED_MPS
    for i, frame in enumerate(driven.frames):
        if abs(frame.t - 0.7 * lap_s) < 0.05:
            driven.frames[i] = frame_at(frame.t, 30.0, 0.0, 30.0, 90.0)
    laps = timed(BRIDGE, judged(driven), matched=False)
    assert [lap.time_s for lap in laps[1:-1]] == pytest.approx([lap_s] * 2, abs=0.002)


def test_repeated_rows_between_true_fixes_do_not_shift_the_crossing() -> None:
    """25 Hz rows over 5 Hz fixes, as loggers write them: each position stands five times."""
    driven = drive(BRIDGE, laps=2.2, rate_hz=25.0)
    frames = [
        Frame(
            f.t,
            driven.frames[i - i % 5].lat_deg,
            driven.frames[i - i % 5].lon_deg,
            speed_mps=30.0,
            heading_deg=90.0,
        )
        for i, f in enumerate(driven.frames)
    ]
    laps = timed(BRIDGE, judged(Drive(frames, [])), matched=False)
    assert laps[1].time_s == pytest.approx(perimeter(BRIDGE) / SPEED_MPS, abs=0.002)


def test_no_gate_is_one_piece_without_a_time() -> None:
    timer = LapTimer(None)
    assert timer.finish(5.0) is None
    for frame in drive(BRIDGE, laps=2.2).frames:
        assert timer.feed(frame) is None
    assert timer.finish(100.0) == Lap(0, "out", 0.0, 100.0, None, (), "the line was never crossed")
    assert timer.lap_start_t is None


def test_the_running_lap_is_known() -> None:
    track = circuit(BRIDGE)
    timer = LapTimer(track.gate, track.length_m)
    numbers = []
    for frame in drive(BRIDGE, laps=2.2).frames:
        timer.feed(frame)
        numbers.append(timer.lap_number)
        assert (timer.lap_start_t is None) == (timer.lap_number == 0)
    assert sorted(set(numbers)) == [0, 1, 2, 3]


def test_a_car_that_stands_on_the_line_drives_no_laps_there() -> None:
    """Its fixes wander over the line for three minutes, three kilometres of steps of 1.5 m in all."""
    driven = drive(HAIRPIN, laps=3.5, rate_hz=10.0)
    [_, first, *_] = timed(HAIRPIN, driven)
    at = next(i for i, frame in enumerate(driven.frames) if frame.t > first.end_t)
    still, wander = driven.frames[at], random.Random(3)
    stood = [
        msgspec.structs.replace(
            still,
            t=still.t + n / 10.0,
            lat_deg=(still.lat_deg or 0.0) + wander.gauss(0.0, 1.5) / 111_195.0,
            lon_deg=(still.lon_deg or 0.0) + wander.gauss(0.0, 1.5) / 111_195.0,
            speed_mps=abs(wander.gauss(0.0, 0.1)),
        )
        for n in range(1, 1_800)
    ]
    later = [msgspec.structs.replace(frame, t=frame.t + 180.0) for frame in driven.frames[at + 1 :]]
    driven.frames[at + 1 :] = stood + later
    laps = timed(HAIRPIN, driven, matched=False)
    assert [lap.kind for lap in laps] == ["out", "flying", "in", "flying", "in"]


def test_a_short_hole_over_the_line_at_steady_speed_costs_no_lap() -> None:
    lap_s = perimeter(BRIDGE) / SPEED_MPS
    second_t = 100.0 / SPEED_MPS + lap_s
    laps = timed(BRIDGE, without_fixes(drive(BRIDGE, laps=3.2), second_t - 1.5, second_t + 1.5))
    assert [lap.kind for lap in laps] == ["out", "flying", "flying", "flying", "in"]
    assert laps[1].reason.startswith("good to 0.0")
    assert [lap.time_s for lap in laps[1:4]] == pytest.approx([lap_s] * 3, abs=0.05)


def test_laps_of_a_short_oval_are_timed_and_a_roll_over_the_line_is_not() -> None:
    oval = ((0, 0), (80, 0), (80, 40), (-20, 40), (-20, 0))
    lap_s = perimeter(oval) / SPEED_MPS
    assert lap_s < 10.0
    laps = timed(oval, drive(oval, laps=4.2, from_m=-15.0), matched=False)
    assert [lap.time_s for lap in laps[1:5]] == pytest.approx([lap_s] * 4, abs=0.01)


@pytest.mark.parametrize(
    ("cutters", "broken"),
    [((2,), [2]), ((1,), [1]), ((1, 2), [1, 2]), ((1, 2, 4), [])],
    ids=["one", "the first", "two of four", "most"],
)
def test_a_piece_of_road_that_the_others_drove_is_cut(cutters: tuple[int, ...], broken: list[int]) -> None:
    """Straight across the grass at the second corner: 60 m in place of 84 m."""
    length_m = perimeter(BRIDGE)
    track = circuit(BRIDGE)
    matcher, timer = MapMatcher(track), LapTimer(track.gate, track.length_m, ())
    laps, t, speed_mps, m = [], 0.0, SPEED_MPS, -100.0
    while m < 4.2 * length_m:
        at_m, lap = m % length_m, int(m // length_m) + 1
        x_m, y_m, course = walk(BRIDGE, m)
        if lap in cutters and 358.0 < at_m < 442.0:
            share = (at_m - 358.0) / 84.0
            x_m, y_m, course = 358.0 + 42.0 * share, 42.0 * share, 45.0
        frame = frame_at(t, x_m, y_m, speed_mps, course)
        if (ended := timer.feed(frame, matcher.feed(frame))) is not None:
            laps.append(ended)
        on_grass = lap in cutters and 358.0 < at_m < 442.0
        t, m = t + 0.1, m + 0.1 * speed_mps * (84.0 / 59.4 if on_grass else 1.0)
    by_lap = {lap.number: as_judged(lap, laps, timer.cuts, driven=False).kind for lap in laps if lap.time_s}
    assert sorted(timer.cuts) == list(cutters)
    assert [number for number, kind in by_lap.items() if kind == "broken"] == broken


def test_a_lap_in_which_the_receivers_clock_was_set_is_broken() -> None:
    track = circuit(BRIDGE)
    timer, driven, laps = LapTimer(track.gate), drive(BRIDGE, laps=3.2), []
    for frame in driven.frames:
        if timer.lap_number == 2:
            timer.clock_was_set()
        if (lap := timer.feed(frame)) is not None:
            laps.append(lap)
    assert [lap.kind for lap in laps] == ["out", "flying", "broken", "flying"]
    assert laps[2].reason == "the receiver's clock was set"


def test_the_last_lap_of_a_logger_that_ended_with_it_counts() -> None:
    timer = LapTimer(None)
    timer.take_marks([10.0, 70.03])
    laps = [lap for n in range(701) if (lap := timer.feed(Frame(n / 10.0, speed_mps=30.0))) is not None]
    last = timer.finish(70.0)
    assert [lap.kind for lap in laps] == ["out"]
    assert last is not None
    assert (last.kind, last.time_s) == ("flying", pytest.approx(60.03))

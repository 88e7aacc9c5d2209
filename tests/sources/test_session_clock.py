"""The session clock: spans of mapped time are those of the stamps, whatever the link and the clock do."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pitwall.telemetry.session_clock import CONFIRM_READINGS, JUMP_S, WRAPS_S, ClockMap, SessionClock

START_S = 1000.0
# What the issue asks of a lap, seconds.
LAP_ERROR_S = 0.03
# A lap of the shorter circuits.
LAP_S = 70.0
# Drives below begin at second 5. Nobody starts a lap in the first five seconds of a source.
LEARNT_S = 10.0

Row = tuple[float, float, float]  # true second, stamp, arrival


def rows(
    true: Iterable[float],
    stamp: Callable[[float], float] = lambda at: at,
    *,
    seed: int = 0,
    delay: tuple[float, float] = (0.02, 0.05),
    stalls: tuple[tuple[float, float], ...] = (),
) -> list[Row]:
    """Readings over a link that keeps their order, delays each, and stalls for a while now and then."""
    dice, arrived, made = random.Random(seed), 0.0, []
    for at in true:
        due = at + dice.uniform(*delay)
        for begin, length in stalls:
            if begin <= due < begin + length:
                due = begin + length
        arrived = max(arrived + 1e-5, due)
        made.append((at, stamp(at), START_S + arrived))
    return made


def mapped(made: list[Row], clock: ClockMap | None = None) -> list[float]:
    clock = clock or SessionClock(START_S).source("gps", 0.0)
    times = [clock.map(stamp, arrival) for _, stamp, arrival in made]
    assert all(b >= a for a, b in pairwise(times))
    return times


def worst_span_s(made: list[Row], times: list[float], span_s: float, begin_s: float = 0.0) -> float:
    """The largest difference between the mapped and the true length of any stretch of `span_s` or longer."""
    worst, j = 0.0, 0
    for i in range(len(made)):
        while j < len(made) and made[j][0] - made[i][0] < span_s:
            j += 1
        if j < len(made) and made[i][0] >= begin_s:
            true_s = made[j][0] - made[i][0]
            worst = max(worst, abs(times[j] - times[i] - true_s))
    return worst


def steady(hz: float, seconds: float) -> list[float]:
    return [5.0 + i / hz for i in range(int(hz * seconds))]


@given(
    hz=st.sampled_from([1.0, 5.0, 10.0, 25.0]),
    drift_ppm=st.floats(-150.0, 150.0),
    epoch=st.sampled_from([0.0, 63270.0, 1.7e9]),
    seed=st.integers(0, 1000),
)
def test_a_lap_keeps_its_time_over_jitter_and_drift(
    hz: float, drift_ppm: float, epoch: float, seed: int
) -> None:
    made = rows(steady(hz, 200.0), lambda at: epoch + at * (1 + drift_ppm * 1e-6), seed=seed)
    times = mapped(made)
    assert worst_span_s(made, times, LAP_S, LEARNT_S) < LAP_ERROR_S
    # And it is the same clock as everyone else's: the least delayed readings are 20 ms under way.
    assert times[-1] == pytest.approx(made[-1][0] + 0.02, abs=0.01)


@pytest.mark.parametrize("drift_ppm", [-50.0, 50.0])
def test_the_drift_is_told(drift_ppm: float) -> None:
    clock = SessionClock(START_S).source("gps", 0.0)
    mapped(rows(steady(10.0, 300.0), lambda at: 1.7e9 + at * (1 + drift_ppm * 1e-6)), clock)
    found = clock.estimate()
    # A clock that runs fast needs its seconds made shorter.
    assert found.drift_ppm == pytest.approx(-drift_ppm, abs=5.0)
    assert found.jitter_s == pytest.approx(0.015, abs=0.005)
    assert (found.jumps, found.wraps) == (0, 0)


def test_without_jitter_stamps_keep_their_spacing_to_the_microsecond() -> None:
    uneven = [at + 0.05 * (i % 3) / 3 for i, at in enumerate(steady(18.0, 60.0))]
    made = rows(uneven, lambda at: 40.0 + at, delay=(0.02, 0.02))
    times = mapped(made)
    assert worst_span_s(made, times, 0.0) < 1e-6


@given(
    jump_s=st.one_of(
        st.sampled_from([-2.0, 2.0, -86400.0, 86400.0, 1.7e9]),
        # 0.3 s is the edge of what is told from a late link.
        st.floats(0.4, 1e6),
        st.floats(-1e6, -0.4),
    ),
    hz=st.sampled_from([5.0, 10.0, 25.0]),
    at=st.floats(20.0, 60.0),
    seed=st.integers(0, 100),
)
@example(jump_s=-0.5, hz=5.0, at=20.0, seed=0)  # the third stamp is ahead of the old ones again
@example(jump_s=-0.4, hz=5.0, at=20.5, seed=0)  # the second stamp is the last old one
def test_a_clock_that_is_set_costs_no_time(jump_s: float, hz: float, at: float, seed: int) -> None:
    clock = SessionClock(START_S).source("gps", 0.0)
    made = rows(steady(hz, 100.0), lambda s: 3.0e6 + s + (jump_s if s >= at else 0.0), seed=seed)
    times = mapped(made, clock)
    assert clock.estimate().jumps == 1
    assert max(abs(t - row[0] - 0.02) for t, row in zip(times, made, strict=True)) < 0.06
    assert worst_span_s(made, times, LAP_S, LEARNT_S) < LAP_ERROR_S
    set_at = next(i for i, row in enumerate(made) if row[0] >= at)
    shown = clock.estimate().offset_s
    assert shown == pytest.approx(0.02 - 3.0e6 - jump_s, abs=0.02)
    # Three readings settle it: from then on the stamps count again.
    after = made[set_at + CONFIRM_READINGS - 1 :]
    assert worst_span_s(after, times[set_at + CONFIRM_READINGS - 1 :], 0.0) < 0.031


# Readings, the jumps and wraps that are seen in them, and from which second on no span may be off, with the
# spans that are judged.
TROUBLES: dict[str, tuple[list[Row], int, int, float, float]] = {
    "one damaged stamp is no jump": (
        [(true, -7.0 if i == 200 else stamp, arrival)
         for i, (true, stamp, arrival) in enumerate(rows(steady(10.0, 60.0)))], 0, 0, 0.0, 30.0),
    "a link that stalls changes nothing": (
        rows(steady(25.0, 120.0), stalls=((30.0, 4.0), (60.0, 0.7), (61.0, 3.0))), 0, 0, 0.0, 0.0),
    **{
        f"a counter that begins again after {wrap_s:.0f} s": (
            rows(steady(10.0, 150.0), lambda at, wrap_s=wrap_s: (at + wrap_s - 40.0) % wrap_s),  # type: ignore[misc]
            0, 1 + int((155.0 - 40.0) / wrap_s), 0.0, 0.0)
        for wrap_s in WRAPS_S
    },
    # The stamps go on as if the hole had been shorter: only that they stay late tells, in five seconds.
    "a clock set back during a hole": (
        rows([at for at in steady(10.0, 80.0) if not 30.0 < at < 40.0], lambda at: at - 3.0 * (at >= 40.0)),
        1, 0, 46.0, 0.0),
    "a clock that stands still is none": (
        rows(steady(10.0, 60.0), lambda at: min(at, 20.0) if at < 40.0 else at), 0, 0, 23.0, 40.0),
}  # fmt: skip


@pytest.mark.parametrize("name", TROUBLES)
def test_what_a_link_or_a_clock_does_costs_no_time(name: str) -> None:
    made, jumps, wraps, from_s, span_s = TROUBLES[name]
    clock = SessionClock(START_S).source("gps", 0.0)
    times, found = mapped(made, clock), clock.estimate()
    assert (found.jumps, found.wraps) == (jumps, wraps)
    assert worst_span_s(made, times, span_s, from_s) < LAP_ERROR_S
    assert max(abs(t - row[0] - 0.02) for t, row in zip(times, made, strict=True) if row[0] > from_s) < 0.06


@pytest.mark.parametrize(
    "arrives_at",
    [
        lambda at: at + (1.1 if 100.0 < at < 170.0 else 0.02),
        lambda at: at + (10.0 if 100.0 < at < 290.0 else 0.02),
        lambda at: at + 0.02 if at < 100.0 else max(at + 0.02, 160.0 + (at - 100.0) / 1.3),
        lambda at: max(at + 0.02, 20.0 + at / 1.3),
    ],
    ids=["late by 1.1 s", "late for minutes", "away for a minute, drains slowly", "late from the start"],
)
def test_evenly_stamped_readings_keep_their_spacing_however_late_they_come(
    arrives_at: Callable[[float], float],
) -> None:
    made = [(at, at, START_S + arrives_at(at)) for at in steady(10.0, 500.0)]
    clock = SessionClock(START_S).source("gps", 0.0, receiver=True)
    times = mapped(made, clock)
    assert clock.estimate().jumps == 0
    assert worst_span_s(made, times, LAP_S, LEARNT_S + 5.0) < 0.001


def test_what_waited_for_us_at_the_start_is_not_taken_for_now() -> None:
    """A peer sends the last three seconds at once when we connect: they lie before what comes then."""
    made = rows(steady(10.0, 60.0), stalls=((0.0, 8.0),))
    times = mapped(made)
    late = [i for i, row in enumerate(made) if row[0] > 9.0]
    assert max(abs(times[i] - made[i][0] - 0.02) for i in late) < 0.05
    assert all(t <= row[2] - START_S + JUMP_S for t, row in zip(times, made, strict=True))


@given(blank=st.lists(st.integers(0, 599), max_size=400), seed=st.integers(0, 50))
def test_readings_without_a_stamp_count_when_they_come(blank: list[int], seed: int) -> None:
    clock = SessionClock(START_S).source("gps", 0.042)
    without = set(blank)
    made = rows(steady(10.0, 60.0), seed=seed)
    times = [
        clock.map(None if i in without else stamp, arrival) for i, (_, stamp, arrival) in enumerate(made)
    ]
    assert all(b >= a for a, b in pairwise(times))
    assert max(abs(t + 0.042 - row[0] - 0.02) for t, row in zip(times, made, strict=True)) < 0.05


def test_a_source_without_a_clock() -> None:
    clock = SessionClock(START_S).source("button", 0.0)
    assert [clock.map(None, START_S + at) for at in (1.0, 2.5, 2.25, 3.0)] == [1.0, 2.5, 2.5, 3.0]
    assert clock.estimate().offset_s is None


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.floats(), st.sampled_from([0.0, 1.0, 59.9, 60.0, 1.7e9, -5.0])),
            st.floats(0.0, 10.0),
        ),
        max_size=200,
    )
)
def test_no_stamps_whatever_run_time_backwards_or_ahead(stamps: list[tuple[float | None, float]]) -> None:
    clock = SessionClock(START_S).source("liar", 0.0)
    arrival, last = START_S, 0.0
    for stamp, after_s in stamps:
        arrival += after_s
        t = clock.map(stamp, arrival)
        assert math.isfinite(t)
        assert last <= t <= arrival - START_S + JUMP_S + 1e-4
        last = t


def test_the_latency_is_taken_off_and_time_begins_at_zero() -> None:
    session = SessionClock(START_S)
    slow = session.source("phone", 0.160)
    assert [slow.map(50.0 + at, START_S + at) for at in (0.0, 0.1, 1.0, 2.0)] == pytest.approx(
        [0.0, 0.0, 0.84, 1.84]
    )
    assert slow.estimate().latency_s == 0.160


def test_streams_of_one_source_share_its_clock_and_keep_their_own_order() -> None:
    session = SessionClock(START_S)
    often, seldom = session.source("can", 0.0), session.source("can", 0.0)
    for at, stamp, arrival in rows(steady(50.0, 20.0)):
        often.map(stamp, arrival)
        last = (at, stamp, arrival)
    # Its first reading comes 50 ms late, and is known to.
    assert seldom.map(last[1] + 0.01, last[2] + 0.05) == pytest.approx(last[0] + 0.01 + 0.02, abs=0.005)
    assert seldom.estimate().offset_s == often.estimate().offset_s


def test_a_stream_with_other_stamps_has_a_clock_of_its_own() -> None:
    """A phone stamps fixes in unix time and its sensors since it was switched on."""
    session = SessionClock(START_S)
    gps, imu = session.source("phone", 0.0), session.source("phone", 0.0)
    for i, (at, _, arrival) in enumerate(rows(steady(20.0, 20.0))):
        assert imu.map(7_000.0 + at, arrival) == pytest.approx(at + 0.035, abs=0.016)
        if i % 20 == 0:
            assert gps.map(1.7e9 + at, arrival) == pytest.approx(at + 0.035, abs=0.016)
    assert (gps.estimate().jumps, imu.estimate().jumps) == (0, 0)


def test_after_a_kill_stamps_are_mapped_as_before_those_too_that_come_late() -> None:
    """What a sender kept while nobody ran comes in a burst: each has the time at which it was made."""
    before = SessionClock(START_S)
    gps = before.source("phone", 0.0, receiver=True, stream="gps")
    car = before.source("phone", 0.0, stream="car")
    for step in range(100):
        t = step / 10
        assert gps.map(70_000.0 + t, START_S + t + 0.02 * (step % 3)) == pytest.approx(t, abs=1e-9)
        car.map(5.0 + t, START_S + t)
    known = before.known()
    assert [each.streams for each in known] == [("gps",), ("car",)]
    # Ten seconds later, by another monotonic clock; killed once more before the first reading.
    for restarted_s in (500.0, 900.0):
        after = SessionClock(restarted_s - 1.0)
        after.go_on(known, restarted_s, 20.0)
        known = after.known()
    gps = after.source("phone", 0.0, receiver=True, stream="gps")
    car = after.source("phone", 0.0, stream="car")
    for step in range(100, 200):
        t = step / 10
        assert gps.map(70_000.0 + t, restarted_s + 0.001 * step) == pytest.approx(t, abs=1e-9)
        assert car.map(5.0 + t, restarted_s + 0.001 * step) == pytest.approx(t, abs=1e-9)


@given(drain=st.sampled_from([1.1, 1.5, 5.0, 20.0]), behind_s=st.sampled_from([2.0, 60.0]))
@example(drain=5.0, behind_s=2.0)
def test_a_receiver_that_is_met_while_its_link_catches_up_goes_by_its_stamps(
    drain: float, behind_s: float
) -> None:
    made = [(at, at, START_S + max(at, behind_s + 5.0 + (at - 5.0) / drain)) for at in steady(10.0, 200.0)]
    times = mapped(made, SessionClock(START_S).source("gps", 0.0, receiver=True))
    assert worst_span_s(made, times, 0.05) < 0.001

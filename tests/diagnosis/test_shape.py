"""What a changed drive through one corner is found to be, from its speed alone."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import pytest

from pitwall.diagnosis.advice import PassEvidence, advice, best_of, evidence_of, explain
from pitwall.diagnosis.counts import counted, is_other_day, why_lap_is_left_out
from pitwall.diagnosis.passes import PassCutter, RoadPass, passes_of, theoretical_best_s
from pitwall.diagnosis.road import STEP_M, Road, Segment, road_of
from pitwall.diagnosis.shape import compare
from pitwall.track.lap import Lap
from pitwall.track.model import Corner, Gate, Track
from pitwall.track.reference import ReferenceLap

LENGTH_M = 400.0
SEGMENT = Segment(0, "turn_1", 0.0, 200.0, LENGTH_M)
ROAD = Road((SEGMENT,), LENGTH_M, 32.0)


def corner_speed(
    brake_m: float = 100.0, slowest_mps: float = 20.0, throttle_m: float = 215.0, lifted_m: float = 0.0
) -> Callable[[float], float]:
    """50 m/s, the brakes at 10.5 m/s2 from a place on, and from another one on the throttle at 5 m/s2; 5 m
    later it is closed again for so long."""

    def speed(place_m: float) -> float:
        braked = max(50.0**2 - 21.0 * max(place_m - brake_m, 0.0), slowest_mps**2)
        pulled_m = max(place_m - throttle_m, 0.0)
        closed_m = min(max(pulled_m - 5.0, 0.0), lifted_m)
        pulled = slowest_mps**2 + 10.0 * (pulled_m - closed_m) - 2.0 * closed_m
        return math.sqrt(min(braked if place_m < throttle_m else pulled, 50.0**2))

    return speed


def driven(lap: int = 1, **how: float) -> RoadPass:
    speed = corner_speed(**how)
    places = [speed(i * STEP_M) for i in range(int(LENGTH_M / STEP_M))]
    return RoadPass(0, "turn_1", lap, 0.0, sum(STEP_M / mps for mps in places), array("f", places))


BEST = driven(lap=9)


def shown(*passes: RoadPass) -> list[PassEvidence]:
    return [evidence_of(ROAD, each, BEST) for each in passes]


@pytest.mark.parametrize(
    ("how", "action", "amount"),
    [
        ({"brake_m": 80.0}, "brake_later", 20.0),
        ({"slowest_mps": 18.0}, "more_apex_speed", 7.2),
        ({"throttle_m": 240.0}, "throttle_sooner", 25.0),
        ({"lifted_m": 20.0}, "throttle_once", 24.0),
    ],
)
def test_what_two_passes_did_worse_is_named_with_its_amount(
    how: dict[str, float], action: str, amount: float
) -> None:
    found = advice(ROAD, shown(driven(1, **how), driven(2, **how)), SEGMENT, BEST)
    assert found is not None
    assert (found.action, found.laps, found.of) == (action, (1, 2), 2)
    assert found.amount == pytest.approx(amount, rel=0.15)
    assert found.seconds <= found.loss_s + 1e-9
    assert found.best_lap == 9


def test_nothing_is_said_of_a_pass_near_the_best_nor_of_one_pass_alone() -> None:
    early = [driven(lap, brake_m=80.0) for lap in (1, 2)]
    assert advice(ROAD, shown(*early, driven(3, brake_m=99.0)), SEGMENT, BEST) is None
    assert advice(ROAD, shown(early[0]), SEGMENT, BEST) is None


def test_the_last_pass_has_a_say_and_the_paddock_asks_all() -> None:
    passes = [driven(1, brake_m=80.0), driven(2, brake_m=80.0), driven(3, throttle_m=240.0)]
    found = advice(ROAD, shown(*passes), SEGMENT, BEST)
    assert found is not None
    assert (found.action, found.is_try) == ("throttle_sooner", True)
    found = explain(ROAD, shown(*passes), SEGMENT, BEST)
    assert found is not None
    assert (found.action, found.laps, found.sure) == ("brake_later", (1, 2), pytest.approx(2 / 3))


def test_what_fewer_than_half_of_the_losing_passes_show_is_at_most_one_thing_to_try() -> None:
    early = [driven(lap, brake_m=80.0) for lap in (1, 2)]
    others = [driven(3, throttle_m=240.0), driven(4, lifted_m=20.0), driven(5, throttle_m=240.0)]
    found = explain(ROAD, shown(*early, *others[:2]), SEGMENT, BEST)
    assert found is not None
    assert (found.action, found.laps, found.is_try) == ("brake_later", (1, 2), False)
    found = explain(ROAD, shown(*early, *others), SEGMENT, BEST)
    assert found is None or found.is_try


def test_a_habit_is_what_nearly_all_of_the_last_six_show() -> None:
    often = [driven(lap, brake_m=80.0) for lap in range(1, 7)]
    found = advice(ROAD, shown(*often), SEGMENT, BEST)
    assert found is not None
    assert found.is_habit
    twice = [*(driven(lap, throttle_m=240.0) for lap in range(1, 5)), *often[4:]]
    found = advice(ROAD, shown(*twice), SEGMENT, BEST)
    assert found is not None
    assert found.action == "brake_later"
    assert not found.is_habit


def test_the_middle_carries_on_to_the_way_out_and_no_phase_wins_more_than_was_lost() -> None:
    slow = compare(driven(slowest_mps=18.0), BEST, 100)
    assert max(slow.gains_s) == slow.gains_s[2]
    own, best = driven(slowest_mps=18.0), BEST
    of_the_middle_alone_s = sum(
        STEP_M / mine - STEP_M / theirs
        for mine, theirs in zip(own.speed_mps[80:108], best.speed_mps[80:108], strict=True)
    )
    assert slow.gains_s[2] > of_the_middle_alone_s
    assert max(slow.gains_s) <= slow.loss_s + 1e-6


# --- the road and its passes ---

RING_M = 1600.0


def ring_speed(place_m: float) -> float:
    """Four corners a lap, each 400 m."""
    return corner_speed()(place_m % LENGTH_M)


def ring() -> Track:
    corners = tuple(
        Corner(
            id=f"turn_{i + 1}", name=f"Turn {i + 1}", direction="right", entry_m=400.0 * i + 180.0,
            apex_m=400.0 * i + 205.0, exit_m=400.0 * i + 260.0, brake_m=400.0 * i + 100.0,
        )
        for i in range(4)
    )  # fmt: skip
    radius_deg = RING_M / (2.0 * math.pi) / 111_000.0
    turns = [2.0 * math.pi * i / 200 for i in range(200)]
    line = tuple((38.0 + radius_deg * math.cos(a), -122.0 + radius_deg * math.sin(a), 0.0) for a in turns)
    return Track(
        id="ring", name="Ring", direction="clockwise", length_m=RING_M,
        gate=Gate(38.0, -122.0, 38.001, -122.0, 90.0), centreline=line, corners=corners,
    )  # fmt: skip


def ring_lap(speed: Callable[[float], float] = ring_speed) -> ReferenceLap:
    places = [i * STEP_M for i in range(int(RING_M / STEP_M) + 1)]
    speeds = [speed(place_m) for place_m in places]
    t = [0.0]
    for one, two in pairwise(speeds):
        t.append(t[-1] + 2.0 * STEP_M / (one + two))
    return ReferenceLap("lap 1", t[-1], tuple(places), tuple(t), tuple(speeds))


def test_segments_tile_the_lap_and_carry_the_names_of_its_corners() -> None:
    road = road_of(ring(), ring_lap())
    assert {each.corner for each in road.segments} == {"turn_1", "turn_2", "turn_3", "turn_4"}
    ends = [each.end_m % RING_M for each in road.segments]
    begins = [each.begin_m for each in road.segments]
    assert ends == begins[1:] + begins[:1]


def test_a_way_out_too_long_for_one_corner_ends_where_the_next_one_slows_a_little() -> None:
    def kart(dip_mps: float, place_m: float) -> float:
        """Slow in Turn 1, hardly in Turn 3, flat in the others, and fastest before Turn 1."""
        bends = ((1500.0, -0.3), (205.0, 8.0), (1005.0, dip_mps))
        return 18.0 - sum(mps * math.exp(-(((place_m - at_m) / 40.0) ** 2)) for at_m, mps in bends)

    for dip_mps, corners in ((0.0, ["turn_1"]), (0.5, ["turn_1", "turn_3"])):
        road = road_of(ring(), ring_lap(partial(kart, dip_mps)))
        assert [each.corner for each in road.segments] == corners


@pytest.mark.parametrize(("hz", "speed_is_off"), [(5.0, 1.0), (25.0, 1.04)])
def test_passes_add_up_to_the_lap_whatever_the_rate_and_the_scale_of_the_speed(
    hz: float, speed_is_off: float
) -> None:
    road, lap = road_of(ring(), ring_lap()), ring_lap()
    cutter, found = PassCutter(road, RING_M), list[RoadPass]()
    t, far_m = 0.0, 0.0
    while far_m < 3.2 * RING_M:
        speed = ring_speed(far_m)
        found += cutter.feed(t, far_m % RING_M, speed_is_off * speed, int(far_m // RING_M))
        for _ in range(10):
            far_m += ring_speed(far_m) / hz / 10.0
        t += 1.0 / hz
    whole = [each for each in found if each.lap == 1]
    assert len(whole) == 4
    assert sum(each.time_s for each in whole) == pytest.approx(lap.lap_time_s, abs=0.05)
    stored = passes_of(road, lap)
    for each, same in zip(sorted(whole, key=lambda each: each.segment), stored, strict=True):
        assert each.time_s == pytest.approx(same.time_s, abs=0.03)
        assert min(each.speed_mps) == pytest.approx(min(same.speed_mps), abs=0.5)
    assert theoretical_best_s(found, 1, lap.lap_time_s) <= lap.lap_time_s


def test_a_hole_or_a_jump_leaves_out_the_pass_and_no_other() -> None:
    road = road_of(ring(), ring_lap())
    cutter, found = PassCutter(road, RING_M), list[RoadPass]()
    t, far_m = 0.0, 0.0
    while far_m < 2.5 * RING_M:
        if not 1800.0 < far_m < 1850.0:  # in turn 1 of the second lap
            found += cutter.feed(t, far_m % RING_M, ring_speed(far_m), int(far_m // RING_M))
        far_m += ring_speed(far_m) / 10.0
        t += 0.1
    assert [(each.lap, each.corner) for each in found if each.lap == 1] == [
        (1, "turn_2"), (1, "turn_3"), (1, "turn_4"),
    ]  # fmt: skip


# --- what counts ---


def lap_of(number: int, time_s: float, kind: str = "flying") -> Lap:
    return Lap(number, kind, 100.0 * number, 100.0 * number + time_s, time_s)  # type: ignore[arg-type]


def test_a_slow_lap_counts_only_where_another_one_since_the_best_was_like_it() -> None:
    assert why_lap_is_left_out(lap_of(3, 96.0), [90.0, 91.0]) == "6.0 s off the best"
    assert why_lap_is_left_out(lap_of(3, 96.0), [90.0, 96.2]) == ""
    assert why_lap_is_left_out(lap_of(3, 96.0), [96.1, 90.0]) != ""
    assert why_lap_is_left_out(lap_of(3, 90.0, "traffic"), []) == "no flying lap: traffic"
    assert is_other_day([90.0, 91.0, 97.0, 98.0, 97.5])
    assert not is_other_day([90.0, 91.0, 97.0, 98.0, 91.0])
    # Cold tyres behind the pits: two laps.
    assert not is_other_day([67.4, 65.7, 71.0, 71.4])


def test_passes_of_laps_that_do_not_count_and_passes_in_traffic_are_left_out() -> None:
    laps = [lap_of(1, 90.0), lap_of(2, 90.5), lap_of(3, 99.0), lap_of(4, 130.0, "in")]
    passes = [driven(1), driven(2, slowest_mps=5.0), driven(3), driven(4)]
    assert [each.lap for each in counted(passes, laps)] == [1]
    assert best_of(counted(passes, laps)) is passes[0]

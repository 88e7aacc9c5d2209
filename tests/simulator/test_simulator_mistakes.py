"""Mistakes happen where they were asked for, on the laps they were asked for, and cost time only there."""

import statistics
from typing import get_args

import msgspec
import pytest
from club import club_circuit
from long_runs import a_few, some

from pitwall.config import shipped
from pitwall.simulator.line import corner_span
from pitwall.simulator.mistakes import ROWS
from pitwall.simulator.plan import (
    SPREADS,
    Driver,
    Mistake,
    MistakeKind,
    SimulationError,
    SimulationPlan,
    Traffic,
)
from pitwall.simulator.trace import TrueDrive, true_drive
from pitwall.track.library import load_track

CASES: list[tuple[MistakeKind, float]] = [
    ("brake_early", 20.0), ("coast", 60.0), ("overslow", 2.0), ("late_throttle", 70.0), ("slow_exit", 0.4),
    ("missed_apex", 3.0), ("brake_late", 16.0), ("brake_hard", 2.0), ("brake_soft", 0.3),
    ("two_bites", 30.0), ("long_brake", 20.0), ("lifted_again", 40.0), ("gear_too_high", 1.0),
    ("early_turn_in", 2.0), ("late_turn_in", 3.0), ("pinched_exit", 2.0), ("exit_unused", 3.0),
]  # fmt: skip
# A line may leave the usual one 70 m before the corner; rounding adds a few metres to every change.
BEFORE_M = 100.0


def with_mistake(plan: SimulationPlan, kind: MistakeKind, amount: float) -> SimulationPlan:
    return msgspec.structs.replace(plan, mistakes=(Mistake("turn_4", kind, amount, 2, 2),))


@pytest.fixture(scope="module")
def plan() -> SimulationPlan:
    """A driver who can still brake harder than he does."""
    return SimulationPlan(laps=2, driver=Driver(grip_use=0.92, brake_use=0.8))


@pytest.fixture(scope="module")
def driven(club, plan) -> TrueDrive:
    return true_drive(club, plan)


@pytest.fixture(scope="module")
def wrong_of(club, plan):
    """The drive with one of CASES on lap 2, by its kind, each driven once."""
    driven: dict[str, TrueDrive] = {}

    def wrong(kind: MistakeKind) -> TrueDrive:
        if kind not in driven:
            driven[kind] = true_drive(club, with_mistake(plan, kind, dict(CASES)[kind]))
        return driven[kind]

    return wrong


def corner_of(trace: TrueDrive, lap: int, corner: str):
    return next(each for each in trace.truth.corners if (each.lap, each.corner) == (lap, corner))


def lap_time(trace: TrueDrive, lap: int) -> float:
    time_s = trace.truth.laps[lap].time_s
    assert time_s is not None
    return time_s


@pytest.mark.parametrize(("kind", "amount"), some(CASES, 6), ids=[kind for kind, _ in CASES])
def test_a_mistake_costs_time_in_its_corner_and_nowhere_else(club, driven, wrong_of, kind, amount):
    wrong = wrong_of(kind)
    assert 0.02 < lap_time(wrong, 2) - lap_time(driven, 2) < 3.0
    assert lap_time(wrong, 1) == pytest.approx(lap_time(driven, 1), abs=1e-9)

    brake = corner_of(driven, 2, "turn_4").brake_m
    starts_m = 2 * club.length_m + min(brake - max(amount, 20.0), club.corners[3].entry_m) - BEFORE_M
    # A slower run down the straight ends in the braking for the next corner, which comes later then.
    ends_m = 2 * club.length_m + club.corners[4].apex_m
    for i, along_m in enumerate(driven.line.along_m):
        if along_m < starts_m or along_m > ends_m:
            assert abs(wrong.speed_mps[i] - driven.speed_mps[i]) <= 0.05, along_m
        else:
            # Who brakes too late is faster until then.
            most_mps = 8.0 if kind == "brake_late" else 2.0 if ROWS[kind].line else 1.0
            assert wrong.speed_mps[i] <= driven.speed_mps[i] + most_mps, along_m


def test_every_kind_is_driven_here():
    assert {kind for kind, _ in CASES} | {"lift", "gear_too_low"} == set(get_args(MistakeKind)) == set(ROWS)


def test_a_gear_too_low_ends_at_the_limiter(club, plan, driven):
    mistake = Mistake("turn_3", "gear_too_low", 1.0, 2, 2)
    wrong = true_drive(club, msgspec.structs.replace(plan, mistakes=(mistake,)))
    assert 0.1 < lap_time(wrong, 2) - lap_time(driven, 2) < 2.0
    _, apex_m, exit_m = corner_span(club.corners[2], 2, club)
    out = range(driven.line.index(apex_m), driven.line.index(exit_m + 40.0))
    apex = out[0]
    assert wrong.gear[apex] == driven.gear[apex] - 1
    assert max(wrong.car.rpm(wrong.speed_mps[i], wrong.gear[i]) for i in out) == pytest.approx(
        wrong.car.shift_rpm, rel=0.01
    )


FAST_BEND = ((420.0, 60.0, 90.0), (300.0, 400.0, 40.0), (300.0, 50.0, 140.0), (400.0, 70.0, 90.0))


def test_a_lift_is_for_a_bend_that_is_taken_flat():
    track = club_circuit(legs=FAST_BEND)
    plan = SimulationPlan(laps=2)
    clean, wrong = (
        true_drive(track, plan),
        true_drive(track, msgspec.structs.replace(plan, mistakes=(Mistake("turn_2", "lift", 60.0, 2, 2),))),
    )
    first, last = (
        wrong.line.index(2 * track.length_m + m) for m in (track.corners[1].entry_m, track.corners[1].exit_m)
    )
    assert min(clean.throttle_pct[first:last]) > 80.0
    assert min(wrong.throttle_pct[first:last]) < 0.1
    assert 0.1 < lap_time(wrong, 2) - lap_time(clean, 2) < 1.0


@pytest.mark.parametrize(
    ("corner", "kind", "amount", "says"),
    [
        ("turn_2", "brake_early", 20.0, "turn_2:brake_early=20 changes nothing: nobody brakes for it"),
        ("turn_1", "lift", 50.0, "it can't be driven flat"),
        ("turn_2", "missed_apex", 3.0, "it is driven flat"),
        ("turn_1", "brake_late", 40.0, r"the grip lets the brakes come on \d+ m later"),
        ("turn_1", "gear_too_low", 2.0, r"it costs -?0\.\d+ s there"),
    ],
)
def test_a_mistake_that_changes_nothing_is_refused(corner, kind, amount, says):
    plan = SimulationPlan(mistakes=(Mistake(corner, kind, amount),))
    with pytest.raises(SimulationError, match=says):
        true_drive(club_circuit(legs=FAST_BEND), plan)


def test_a_driver_who_learns_loses_less_every_lap(club):
    mistake = Mistake("turn_4", "overslow", 4.0, 2, 5, fades=3)
    plan = SimulationPlan(laps=6, driver=Driver(variation=0.0, line_wander_m=0.0), mistakes=(mistake,))
    trace = true_drive(club, plan)
    times = [lap_time(trace, lap) for lap in range(2, 7)]
    assert times[0] > times[1] + 0.1 > times[2] + 0.2
    assert times[2] > times[3] + 0.1
    assert times[3] == pytest.approx(times[4], abs=0.01)


def test_traffic_holds_the_driver_up_where_it_is(club, plan, driven):
    held = true_drive(club, msgspec.structs.replace(plan, traffic=(Traffic(2, 0.7, 300.0, 700.0),)))
    assert lap_time(held, 1) == pytest.approx(lap_time(driven, 1), abs=0.05)
    assert lap_time(held, 2) > lap_time(driven, 2) + 3.0
    for i, along_m in enumerate(driven.line.along_m):
        if 320.0 < along_m - 2 * club.length_m < 680.0:
            assert held.speed_mps[i] < 0.75 * driven.speed_mps[i]
    with pytest.raises(SimulationError, match=r"traffic in lap 3 at 0.7 of the pace: give a lap of 1 to 2"):
        true_drive(club, msgspec.structs.replace(plan, traffic=(Traffic(3, 0.7),)))


@pytest.mark.parametrize("spread_s", a_few(SPREADS, 1))
def test_a_variation_spreads_the_laps_as_it_says(spread_s):
    track = load_track(shipped("track_data") / "sonoma.json")
    trace = true_drive(track, SimulationPlan(laps=12, driver=Driver(variation=SPREADS[spread_s])))
    times = [lap.time_s for lap in trace.truth.laps if lap.time_s is not None]
    assert statistics.stdev(times) == pytest.approx(spread_s, rel=0.3)


def test_the_true_brake_point_is_where_the_pressure_rises(driven, club):
    for corner in driven.truth.corners:
        if corner.brake_t is None or corner.lap not in (1, 2):
            continue
        assert driven.at(corner.brake_t - 0.5).brake_bar < 2.0
        assert driven.at(corner.brake_t + 0.3).brake_bar > 10.0


def test_laps_differ_a_little_and_seeds_too(club, plan):
    a = true_drive(club, msgspec.structs.replace(plan, laps=4))
    times = [lap.time_s for lap in a.truth.laps if lap.time_s is not None]
    assert len(set(times)) == 4
    assert max(times) - min(times) < 1.5
    b = true_drive(club, msgspec.structs.replace(plan, laps=4, seed=2))
    assert lap_time(a, 1) != lap_time(b, 1)


def test_a_mistake_in_an_unknown_corner_is_refused(club):
    with pytest.raises(SimulationError, match=r"no corner 'turn_99'; its corners: turn_1, turn_2"):
        true_drive(club, SimulationPlan(mistakes=(Mistake("turn_99", "coast", 10.0),)))

"""Mistakes happen where they were asked for, on the laps they were asked for, and cost time only there."""

import math
import statistics
from itertools import pairwise
from typing import get_args

import msgspec
import pytest
from club import club_circuit
from long_runs import some

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
from pitwall.simulator.simulate import simulate
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
    assert brake is not None
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


@pytest.mark.parametrize(
    ("kind", "least_m", "most_m"),
    [
        ("brake_early", -25.0, -15.0),
        ("brake_soft", -60.0, -20.0),
        ("two_bites", -30.0, -10.0),
        ("brake_late", 10.0, 20.0),
        ("long_brake", -2.0, 2.0),
        ("brake_hard", -4.0, 4.0),
    ],
)
def test_the_true_brake_point_moves_as_it_should(driven, wrong_of, kind, least_m, most_m):
    wrong = wrong_of(kind)
    moved_m = corner_of(wrong, 2, "turn_4").brake_m - corner_of(driven, 2, "turn_4").brake_m
    assert least_m <= moved_m <= most_m
    assert corner_of(wrong, 1, "turn_4").brake_m == corner_of(driven, 1, "turn_4").brake_m


class Shown:
    """What the car's own sensors show of turn_4 on lap 2, with the way to it and from it."""

    def __init__(self, trace: TrueDrive, club) -> None:
        entry_m, apex_m, exit_m = corner_span(club.corners[3], 2, club)
        index = trace.line.index
        self.trace, self.apex, self.exit = trace, index(apex_m), index(exit_m)
        self.first, self.last = index(entry_m - 210.0), index(exit_m + 80.0)
        self.bar = trace.brake_bar[self.first : self.exit]
        self.out_pct = trace.throttle_pct[self.apex : self.last]
        self.gear = trace.gear[self.apex]

    def bites(self) -> int:
        """How many times the brake was pressed in earnest."""
        pressed = [bar > 0.5 * max(self.bar) for bar in self.bar]
        return sum(now and not before for before, now in pairwise(pressed))

    def lifts(self) -> int:
        """How many times the throttle was closed after the apex."""
        closed = [pct < 1.0 for pct in self.out_pct]
        return sum(now and not before for before, now in pairwise(closed))

    def braked_m(self) -> float:
        return sum(bar > 10.0 for bar in self.bar) * 2.0


SIGNS = {
    "brake_hard": lambda was, now: max(now.bar) > 1.15 * max(was.bar),
    "brake_soft": lambda was, now: max(now.bar) < 0.8 * max(was.bar) and now.braked_m() > was.braked_m() + 8,
    "two_bites": lambda was, now: (was.bites(), now.bites()) == (1, 2),
    "long_brake": lambda was, now: now.braked_m() > was.braked_m() + 8.0,
    "lifted_again": lambda was, now: now.lifts() == was.lifts() + 1,
    "gear_too_high": lambda was, now: now.gear == was.gear + 1,
    "slow_exit": lambda was, now: sum(now.out_pct) < 0.9 * sum(was.out_pct),
    "pinched_exit": lambda was, now: sum(now.out_pct) < 0.98 * sum(was.out_pct),
}


@pytest.mark.parametrize("kind", SIGNS)
def test_pedals_and_gear_show_the_mistake(club, driven, wrong_of, kind):
    assert SIGNS[kind](Shown(driven, club), Shown(wrong_of(kind), club))


def off_line_m(wrong: TrueDrive, driven: TrueDrive, along_m: float) -> float:
    """How far one drive is to the left of another at a place."""
    i = driven.line.index(along_m)
    x, y = wrong.line.x_m[i] - driven.line.x_m[i], wrong.line.y_m[i] - driven.line.y_m[i]
    ahead = driven.heading_rad[i]
    return y * math.sin(ahead) - x * math.cos(ahead)


@pytest.mark.parametrize(
    ("kind", "entry", "apex", "exit"),
    [
        ("missed_apex", -1, -1, -1),
        ("early_turn_in", 1, 0, -1),
        ("late_turn_in", -1, -1, 0),
        ("brake_late", 0, -1, -1),
        ("pinched_exit", 1, 0, 1),
        ("exit_unused", 0, 0, 1),
    ],
)
def test_the_line_shows_the_mistake(club, driven, wrong_of, kind, entry, apex, exit):
    """Inside (1), outside (-1), or neither by more than a metre (0); turn_4 goes left."""
    for place_m, side in zip(corner_span(club.corners[3], 2, club), (entry, apex, exit), strict=True):
        off_m = off_line_m(wrong_of(kind), driven, place_m)
        assert abs(off_m) < 1.0 if side == 0 else side * off_m > 0.3, (kind, place_m, off_m)


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
        (
            "turn_2",
            "brake_early",
            20.0,
            "turn_2:brake_early=20 changes nothing: nobody brakes for it, or not in one go. "
            "brake_early works in turn_1, turn_3, turn_4",
        ),
        ("turn_1", "lift", 50.0, "it can't be taken flat. lift works in turn_2"),
        ("turn_2", "missed_apex", 3.0, "it is taken flat"),
        ("turn_1", "brake_late", 40.0, r"the grip lets the brakes come on \d+ m later"),
        ("turn_1", "gear_too_low", 2.0, r"it costs -?0\.\d+ s there. So much of it works in no corner"),
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


@pytest.mark.parametrize("spread_s", some(SPREADS, 1))
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


def test_the_same_plan_gives_the_same_samples(club, plan):
    assert list(simulate(club, plan)) == list(simulate(club, plan))


def test_a_mistake_in_an_unknown_corner_is_refused(club):
    with pytest.raises(SimulationError, match=r"no corner 'turn_99'; its corners: turn_1, turn_2"):
        true_drive(club, SimulationPlan(mistakes=(Mistake("turn_99", "coast", 10.0),)))

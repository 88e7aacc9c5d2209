"""Mistakes happen where they were asked for, on the laps they were asked for, and cost time only there."""

import msgspec
import pytest

from pitwall.simulator.line import corner_span
from pitwall.simulator.plan import Mistake, MistakeKind, SimulationError, SimulationPlan
from pitwall.simulator.simulate import simulate
from pitwall.simulator.trace import TrueDrive, drive

CASES: list[tuple[MistakeKind, float]] = [
    ("brake_early", 20.0),
    ("coast", 60.0),
    ("overslow", 2.0),
    ("late_throttle", 70.0),
    ("slow_exit", 0.4),
    ("missed_apex", 3.0),
]
# A missed apex begins 40 m before the corner; rounding adds a few metres to every change.
BEFORE_M = 70.0


def with_mistake(plan: SimulationPlan, kind: MistakeKind, amount: float) -> SimulationPlan:
    return msgspec.structs.replace(plan, mistakes=(Mistake("turn_4", kind, amount, 2, 2),))


def corner_of(trace: TrueDrive, lap: int, corner: str):
    return next(each for each in trace.truth.corners if (each.lap, each.corner) == (lap, corner))


def lap_time(trace: TrueDrive, lap: int) -> float:
    time_s = trace.truth.laps[lap].time_s
    assert time_s is not None
    return time_s


@pytest.mark.parametrize(("kind", "amount"), CASES, ids=[kind for kind, _ in CASES])
def test_a_mistake_costs_time_in_its_corner_and_nowhere_else(club, plan, driven, kind, amount):
    wrong = drive(club, with_mistake(plan, kind, amount))
    assert 0.02 < lap_time(wrong, 2) - lap_time(driven, 2) < 3.0
    assert lap_time(wrong, 1) == pytest.approx(lap_time(driven, 1), abs=1e-9)

    brake = corner_of(driven, 2, "turn_4").brake_m
    assert brake is not None
    starts_m = 2 * club.length_m + min(brake - amount, club.corners[3].entry_m) - BEFORE_M
    # A slower run down the straight ends in the braking for the next corner, which comes later then.
    ends_m = 2 * club.length_m + club.corners[4].apex_m
    for i, along_m in enumerate(driven.line.along_m):
        if along_m < starts_m or along_m > ends_m:
            assert wrong.speed_mps[i] == pytest.approx(driven.speed_mps[i], abs=0.05), along_m
        else:
            assert wrong.speed_mps[i] <= driven.speed_mps[i] + 1.0, along_m


def test_braking_early_moves_the_true_brake_point(club, plan, driven):
    wrong = drive(club, with_mistake(plan, "brake_early", 20.0))
    before = corner_of(driven, 2, "turn_4").brake_m
    after = corner_of(wrong, 2, "turn_4").brake_m
    assert after == pytest.approx(before - 20.0, abs=5.0)
    assert corner_of(wrong, 1, "turn_4").brake_m == corner_of(driven, 1, "turn_4").brake_m


def test_the_true_brake_point_is_where_the_pressure_rises(driven, club):
    for corner in driven.truth.corners:
        if corner.brake_t is None or corner.lap not in (1, 2):
            continue
        assert driven.at(corner.brake_t - 0.5).brake_bar < 2.0
        assert driven.at(corner.brake_t + 0.3).brake_bar > 10.0


def test_a_missed_apex_is_off_the_line_to_the_outside(club, plan, driven):
    wrong = drive(club, with_mistake(plan, "missed_apex", 3.0))
    _, apex_m, _ = corner_span(club.corners[3], 2, club)
    i = driven.line.index(apex_m)
    x, y = wrong.line.x_m[i] - driven.line.x_m[i], wrong.line.y_m[i] - driven.line.y_m[i]
    assert (x * x + y * y) ** 0.5 == pytest.approx(3.0, abs=0.3)
    nearer = driven.line.index(apex_m - 20.0)
    forward_x, forward_y = (values[i] - values[nearer] for values in (driven.line.x_m, driven.line.y_m))
    assert forward_x * y - forward_y * x < 0, "turn_4 goes left, so outside is to the right"


def test_laps_differ_a_little_and_seeds_too(club, plan):
    a = drive(club, msgspec.structs.replace(plan, laps=4))
    times = [lap.time_s for lap in a.truth.laps if lap.time_s is not None]
    assert len(set(times)) == 4
    assert max(times) - min(times) < 1.5
    b = drive(club, msgspec.structs.replace(plan, laps=4, seed=2))
    assert lap_time(a, 1) != lap_time(b, 1)


def test_the_same_plan_gives_the_same_samples(club, plan):
    assert list(simulate(club, plan)) == list(simulate(club, plan))


def test_a_mistake_in_an_unknown_corner_is_refused(club):
    with pytest.raises(SimulationError, match=r"no corner 'turn_99'; its corners: turn_1, turn_2"):
        drive(club, SimulationPlan(mistakes=(Mistake("turn_99", "coast", 10.0),)))

"""The coin of a trial: which corners are called in a stint, and that the others stand in the ledger."""

from __future__ import annotations

from taken import Taken, take
from test_coach_drives import LAPS, MISTAKES, TRACK

from pitwall.coach.cue import SPOKEN
from pitwall.coach.trial import CONTROL, is_called
from pitwall.simulator.plan import SPREADS, Driver, SimulationPlan
from pitwall.simulator.simulate import simulate

# The lap out of the pits begins it.
STINT = 1
WRONG = {mistake.corner for mistake in MISTAKES}


def drive(trial: str) -> Taken:
    plan = SimulationPlan(laps=LAPS, driver=Driver(variation=SPREADS[0.08]), mistakes=MISTAKES)
    return take(simulate(TRACK, plan), plan, Taken(), TRACK, trial=trial)


def test_the_coin_falls_both_ways_and_always_the_same() -> None:
    tossed = [is_called("a seed", stint, f"turn_{n}") for stint in range(20) for n in range(20)]
    assert 160 < sum(tossed) < 240
    assert tossed == [is_called("a seed", stint, f"turn_{n}") for stint in range(20) for n in range(20)]


def test_a_corner_that_the_coin_keeps_back_is_never_called_and_stands_in_the_ledger() -> None:
    seed = next(
        f"{n}" for n in range(100) if 0 < sum(is_called(f"{n}", STINT, each) for each in WRONG) < len(WRONG)
    )
    taken = drive(seed)
    spoken = {line.corner for line in taken.lines if line.outcome in SPOKEN and line.concept}
    kept = {line.corner for line in taken.lines if CONTROL in line.reason}
    assert all(is_called(seed, STINT, corner) for corner in spoken)
    assert not any(is_called(seed, STINT, corner) for corner in kept)
    assert spoken & WRONG
    assert kept & WRONG


def test_without_a_trial_nothing_is_kept_back() -> None:
    assert not [line for line in drive("").lines if CONTROL in line.reason]

"""The trial of the coach: the coin, what it keeps back, and that the effect of calls is right where a driver
hears them."""

from __future__ import annotations

from statistics import fmean

import pytest
from hearing import Heard, HearingDriver
from taken import Taken, take
from test_coach_drives import HAIRPINS, LAPS, MISTAKES, TRACK

from pitwall.analysis.effect import estimate_effect
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


@pytest.mark.long
@pytest.mark.parametrize(("heeds", "seeds"), [(0.0, 8), (0.5, 4), (1.0, 4)])
def test_what_calls_win_is_right_where_a_simulated_driver_hears_them(heeds: float, seeds: int) -> None:
    """On two circuits, by the car's own path: the truth is the simulator's, of the same passes unheeded."""
    heard: list[Heard] = []
    for track in (TRACK, HAIRPINS):
        for seed in range(seeds):
            heard += HearingDriver(track, f"{track.length_m:.0f} m, {seed}", heeds).drive()
    found = estimate_effect(each.unit for each in heard)
    assert found is not None
    won_s = fmean(each.won_s for each in heard if each.unit.called)
    assert found.low_s <= won_s <= found.high_s, (won_s, found)
    assert (won_s > 0.05) == (heeds > 0.0)

"""The effect of calls: right within its interval for drivers who heed them never, half and always."""

from __future__ import annotations

import random
from collections.abc import Iterator
from statistics import fmean
from typing import NamedTuple

import pytest

from pitwall.analysis.effect import AFTER, TrialUnit, estimate_effect
from pitwall.coach.trial import is_called
from pitwall.diagnosis.advice import VOTERS

SPREAD_S, HABIT_S, LAPS, CORNERS, DUE_S, HEEDED = 0.16, 0.5, 14, 12, 0.25, 0.5


class Unit(NamedTuple):
    """A corner of a drive for which a call was due, and what heeding it is worth there."""

    trial: TrialUnit
    worth_s: float


def drive(seed: str, heeds: float) -> Iterator[Unit]:
    """A driver whose passes spread by 0.16 s, as those of real ones do. A call is due as the coach makes
    it: where the last three passes lose most. Who heeds it drives half of his habit's loss better in a
    pass."""
    chance = random.Random(seed)
    for corner in range(CORNERS):
        habit_s = chance.uniform(0.0, HABIT_S)
        own: list[float] = []
        due: int | None = None
        called = is_called(seed, 0, str(corner))
        for lap in range(LAPS):
            cost_s = fmean(own[-VOTERS:]) - min(own) if len(own) >= VOTERS else 0.0
            due = lap if due is None and cost_s >= DUE_S else due
            told = due is not None and called and due <= lap < due + AFTER
            gained_s = HEEDED * habit_s if told and chance.random() < heeds else 0.0
            own.append(5.0 + habit_s - gained_s + chance.gauss(0.0, SPREAD_S))
        if due is not None and due + AFTER <= LAPS:
            before, after = own[:due], own[due : due + AFTER]
            best_s = min(before)
            unit = TrialUnit(str(corner), called, fmean(before[-VOTERS:]) - best_s, fmean(after) - best_s)
            yield Unit(unit, heeds * HEEDED * habit_s)


@pytest.mark.parametrize("heeds", [0.0, 0.5, 1.0])
def test_the_estimate_is_right_within_its_interval(heeds: float) -> None:
    right, proven, days = 0, 0, 60
    for day in range(days):
        units = [each for session in range(8) for each in drive(f"{day}-{session}", heeds)]
        found = estimate_effect(each.trial for each in units)
        assert found is not None
        right += found.low_s <= fmean(each.worth_s for each in units) <= found.high_s
        proven += found.is_proven
    # 95 % of 60 is 57; fewer than 52 would come of a right interval once in 80 times.
    assert right >= 52
    if heeds == 0.0:
        assert proven <= 8
    if heeds == 1.0:
        assert proven >= 50


def test_without_a_control_the_same_passes_look_cured() -> None:
    """What the trial is for: nobody heeds anything, and the passes after a call are better all the same."""
    units = [each.trial for day in range(8) for each in drive(str(day), 0.0)]
    assert fmean(each.before_s - each.after_s for each in units if each.called) > 0.03
    found = estimate_effect(units)
    assert found is not None
    assert found.low_s < 0.0 < found.high_s


def test_too_few_corners_tell_nothing() -> None:
    units = [TrialUnit(str(at), bool(at % 2), 0.3, 0.2) for at in range(7)]
    assert estimate_effect(units) is None
    assert estimate_effect([]) is None

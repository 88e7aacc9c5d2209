"""Measure what calls change in the next passes, by trials in which a coin chose the called corners.

Corners are called after slow passes, which faster ones follow whatever is said (regression to the
mean). The corners that the coin kept back were chosen for the same reason, so the difference is the
effect of the words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import fmean

import msgspec

from pitwall.analysis.study import Study
from pitwall.coach.cue import LedgerLine
from pitwall.coach.trial import CONTROL
from pitwall.diagnosis.advice import UNIT_OF, VOTERS

# Fewer corners called, or kept back, show nothing.
FEWEST_UNITS = 4
# The passes that a call may change.
AFTER = 3
# The 97.5 % quantile of the normal distribution.
Z = 1.959964


class TrialUnit(msgspec.Struct, frozen=True):
    """A corner in a stint: passes before and after the coin, less the best until then."""

    corner: str
    called: bool
    before_s: float
    after_s: float


class CallEffect(msgspec.Struct, frozen=True):
    """Seconds that a call gains a pass, the 95 % interval, and the corners counted."""

    gained_s: float
    low_s: float
    high_s: float
    called: int
    controls: int

    @property
    def is_proven(self) -> bool:
        """Return whether the interval lies on one side of 0."""
        return self.low_s > 0.0 or self.high_s < 0.0


def estimate_effect(units: Iterable[TrialUnit]) -> CallEffect | None:
    """Compare called corners with those kept back, by analysis of covariance (Cochran 1957):
    after = a + b * before - gained * called; None with too few. Interval: Student's t, units -
    3."""
    arms: tuple[list[tuple[float, float]], ...] = ([], [])
    for each in units:
        arms[each.called].append((each.before_s, each.after_s))
    control, called = arms
    if min(len(control), len(called)) < FEWEST_UNITS:
        return None
    sxx = sum(_products(arm, 0, 0) for arm in arms)
    sxy = sum(_products(arm, 0, 1) for arm in arms)
    syy = sum(_products(arm, 1, 1) for arm in arms)
    slope = sxy / sxx if sxx > 0.0 else 0.0
    apart = [fmean(each[at] for each in control) - fmean(each[at] for each in called) for at in (0, 1)]
    gained_s = apart[1] - slope * apart[0]
    free = len(control) + len(called) - 3
    left = max(syy - slope * sxy, 0.0) / free
    spread = 1.0 / len(control) + 1.0 / len(called) + (apart[0] ** 2 / sxx if sxx > 0.0 else 0.0)
    half_s = _student(free) * sqrt(left * spread)
    return CallEffect(gained_s, gained_s - half_s, gained_s + half_s, len(called), len(control))


def _products(arm: Sequence[tuple[float, float]], one: int, other: int) -> float:
    means = [fmean(each[at] for each in arm) for at in (one, other)]
    return sum((each[one] - means[0]) * (each[other] - means[1]) for each in arm)


def _student(free: int) -> float:
    """Return Student's 97.5 % quantile, to 1 % from 3 degrees of freedom (Abramowitz, Stegun
    26.7.5)."""
    terms = (
        (Z**3 + Z) / 4,
        (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
        (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
        (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92160,
    )
    return Z + sum(term / float(free) ** power for power, term in enumerate(terms, 1))


def trial_units(study: Study, ledger: Iterable[LedgerLine], stint_of: Mapping[int, int]) -> list[TrialUnit]:
    """Return the corners for which a call was due in a trial, spoken or kept back."""
    first: dict[tuple[int, str], tuple[float, bool]] = {}
    for line in ledger:
        is_control = CONTROL in line.reason
        if is_control or (line.concept in UNIT_OF and line.action_distance_m is not None):
            first.setdefault((stint_of.get(line.lap, 0), line.corner), (line.t, not is_control))
    if all(called for _, called in first.values()):
        return []
    found = []
    for (stint, corner), (due_t, called) in first.items():
        segment = study.segment_of(corner)
        own = [] if segment is None else study.passes[segment.index]
        # By time: a call is noted before its place, one that is kept back right after the last
        # pass.
        before = [each.time_s for each in own if each.begin_t + each.time_s <= due_t]
        coming = [each for each in own[len(before) :] if stint_of.get(each.lap, 0) == stint]
        after = [each.time_s for each in coming[:AFTER]]
        if after and len(before) > 1:
            best_s = min(before)
            found.append(TrialUnit(corner, called, fmean(before[-VOTERS:]) - best_s, fmean(after) - best_s))
    return found

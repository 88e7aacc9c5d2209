"""What passes say about a segment: an action, its amount and its seconds.

The rules were chosen on twenty real recordings, from speed and place alone. What they know, and
what they don't: choosing the corner is what helps; which action within it is about as good as
chance for amateurs. So a call says what the driver's own best pass did, and asks for half of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Literal

import msgspec

from pitwall.diagnosis.passes import RoadPass
from pitwall.diagnosis.road import STEP_M, Road, Segment, pace_share
from pitwall.diagnosis.shape import PHASES, Comparison, Phase, Shape, compare

Action = Literal[
    "brake_later", "brake_earlier", "no_coasting", "stay_flat", "more_apex_speed", "throttle_sooner",
    "throttle_once", "throttle_fully",
]  # fmt: skip
Unit = Literal["m", "km/h", "s"]

PHASE_OF: Mapping[Action, Phase] = {
    "stay_flat": "straight",
    "brake_later": "brake",
    "no_coasting": "brake",
    "brake_earlier": "middle",
    "more_apex_speed": "middle",
    "throttle_sooner": "middle",
    "throttle_once": "exit",
    "throttle_fully": "exit",
}
UNIT_OF: Mapping[Action, Unit] = {
    "stay_flat": "km/h", "brake_later": "m", "no_coasting": "s", "brake_earlier": "m",
    "more_apex_speed": "km/h", "throttle_sooner": "m", "throttle_once": "m", "throttle_fully": "m",
}  # fmt: skip
# Where only the loss is sure, what to try in its phase.
TO_TRY: Mapping[Phase, Action] = {
    "straight": "stay_flat", "brake": "brake_later", "middle": "more_apex_speed", "exit": "throttle_sooner",
}  # fmt: skip

# Noise floors of a car on a circuit (see `road.pace_share`): passes of equal time differ by these.
BRAKE_M, SLOWEST_KMH, THROTTLE_M, LATE_M, TOP_KMH, COAST_S = 5.0, 1.5, 6.0, 8.0, 2.0, 0.3
# An action shows from this number of floors on, a habit from more.
SHOWS, SHOWS_AS_HABIT = 1.5, 2.0
# Speed that is lost again on the way out, km/h: the throttle was opened twice.
TWICE_KMH = 0.35
# A pass this near the best one needs no advice; what an action wins back counts from here
# on, and from this share of the loss on.
NEAR_BEST_S, SHARE = 0.08, 0.25
# The last passes that vote, how many have to agree, and those that make a habit.
VOTERS, AGREE, HABIT_PASSES, HABIT_LEAST, HABIT_SHARE = 3, 2, 6, 6, 0.7
# What was said stands until something else explains this multiple of it.
STANDS = 2.0
# Where passes lose this and no action explains it, the loss is named and its phase, if that has
# this share of it.
TRY_S, TRY_SHARE = 0.2, 0.5


class Candidate(msgspec.Struct, frozen=True):
    """An action that a pass shows: the amount (see UNIT_OF), the seconds that it wins back, and how
    many noise floors it shows by."""

    action: Action
    amount: float
    seconds: float
    strength: float


class PassEvidence(msgspec.Struct, frozen=True):
    """A pass against the best one: its lap, what it lost and by which actions."""

    lap: int
    comparison: Comparison
    candidates: tuple[Candidate, ...]

    @property
    def loss_s(self) -> float:
        """What the pass lost in all."""
        return self.comparison.loss_s

    def shows(self, action: Action, least: float = SHOWS) -> Candidate | None:
        """Return what it shows of an action, None where that is not enough."""
        return next(
            (each for each in self.candidates if each.action == action and each.strength >= least), None
        )

    @property
    def counted(self) -> tuple[Candidate, ...]:
        """The actions that win back enough to be said."""
        least_s = max(NEAR_BEST_S, SHARE * self.loss_s)
        return tuple(each for each in self.candidates if each.seconds >= least_s)


class Diagnosis(msgspec.Struct, frozen=True):
    """What a corner loses, and what would win it back.

    `amount` is in the unit of UNIT_OF, whole: ask a driver for half. `seconds` are what the action
    wins back a lap, `loss_s` what the passes lost in all. `laps` show it, of `of` passes; `sure` is
    their share. `best_lap` is the lap of the pass that it is compared with (negative: of another
    drive). `slows_at_m`: the first place, metres from the gate, at which one of the passes slows
    down. `is_habit`: nearly all of the last passes show it. `is_try`: only the loss and its phase
    are sure, and the action is one thing to try.
    """

    segment: int
    corner: str
    phase: Phase
    action: Action
    amount: float
    seconds: float
    loss_s: float
    laps: tuple[int, ...]
    of: int
    best_lap: int
    slows_at_m: float
    is_habit: bool = False
    is_try: bool = False

    @property
    def sure(self) -> float:
        """The share of the passes that show it."""
        return len(self.laps) / self.of if self.of else 0.0


def best_of(passes: Iterable[RoadPass]) -> RoadPass | None:
    """Return the best of the passes of one segment."""
    return min(passes, key=lambda each: each.time_s, default=None)


def evidence_of(road: Road, own: RoadPass, best: RoadPass) -> PassEvidence:
    """Return a pass against the best one of its segment."""
    segment = road.segments[own.segment]
    comparison = compare(own, best, int((segment.slow_m - segment.begin_m) / STEP_M))
    return PassEvidence(own.lap, comparison, _candidates(comparison, pace_share(road)))


def _candidates(found: Comparison, scale: float) -> tuple[Candidate, ...]:
    shape, loss_s = found.shape, found.loss_s
    straight, brake, middle, leaving = found.gains_s
    on_brakes, turn = shape.brake_m / (BRAKE_M * scale), shape.turn_m / (BRAKE_M * scale)
    slowest, mid = shape.slowest_kmh / (SLOWEST_KMH * scale), shape.middle_kmh / (SLOWEST_KMH * scale)
    throttle, late = shape.throttle_m / (THROTTLE_M * scale), shape.late_m / (LATE_M * scale)
    top = shape.top_kmh / (TOP_KMH * scale)
    pedal = None if shape.brake_pedal_m is None else shape.brake_pedal_m / (BRAKE_M * scale)
    shown: list[tuple[Action, float, float, float]] = []
    if on_brakes >= SHOWS and middle + leaving > 0.5 * loss_s and brake <= 0.0 and not (pedal or 0.0) < -1.0:
        shown.append(("brake_earlier", shape.brake_m, middle + leaving + brake, on_brakes))
    if top <= -SHOWS:
        shown.append(("stay_flat", -shape.top_kmh, straight, -top))
    if on_brakes <= -SHOWS and not (pedal or 0.0) > 1.0:
        won_s = brake + (straight if top > -SHOWS else 0.0)
        won_s += middle if turn <= -SHOWS and slowest > -SHOWS else 0.0
        shown.append(("brake_later", -shape.brake_m, won_s, -on_brakes))
    if shape.coast_s is not None and (coast := shape.coast_s / COAST_S) >= SHOWS:
        won_s = brake if on_brakes > -SHOWS else 0.5 * brake
        # What he began the segment slower by was lost by the coast too.
        won_s = loss_s - middle - leaving if shape.coasts_in else won_s
        shown.append(("no_coasting", shape.coast_s, won_s, coast))
    if slowest <= -SHOWS or (mid <= -SHOWS and throttle < SHOWS):
        amount_kmh = -min(shape.slowest_kmh, shape.middle_kmh)
        shown.append(("more_apex_speed", amount_kmh, middle, max(-slowest, -mid)))
    opening = middle if slowest > -SHOWS else 0.5 * middle
    lifts = shape.dip_kmh >= TOP_KMH * scale
    if throttle >= SHOWS and lifts:
        # The speed rises late because it was lost again.
        amount = max(shape.throttle_m, shape.late_m)
        shown.append(("throttle_once", amount, opening + leaving, max(throttle, late)))
    elif throttle >= SHOWS:
        won_s = opening + (leaving if late < SHOWS else 0.0)
        shown.append(("throttle_sooner", shape.throttle_m, won_s, throttle))
    if late >= SHOWS and not (throttle >= SHOWS and lifts):
        action: Action = "throttle_once" if shape.dip_kmh >= TWICE_KMH else "throttle_fully"
        won_s = leaving + (middle if max(throttle, -slowest) < SHOWS else 0.0)
        shown.append((action, shape.late_m, won_s, late))
    return tuple(Candidate(action, amount, min(won_s, loss_s), z) for action, amount, won_s, z in shown)


def advice(
    road: Road,
    evidence: Sequence[PassEvidence],
    segment: Segment,
    best: RoadPass,
    said: str = "",
) -> Diagnosis | None:
    """Return what the last passes of a segment (oldest first, the best one and what does not count
    left out) say with one voice; None where they don't, or where the last one was near the best.

    Each of the last three votes with all that it shows; two have to agree, and the last one is one
    of them. What was `said` there before stands while it explains half as much as what explains
    most."""
    voters = evidence[-VOTERS:]
    if not voters or (last := voters[-1]).loss_s < NEAR_BEST_S:
        return None
    habitual = _habit(evidence[-HABIT_PASSES:])
    votes = _votes((each, each.counted) for each in voters if each.loss_s >= NEAR_BEST_S)
    named = {each.action for each in last.counted}
    agreed = {action: found for action, found in votes.items() if len(found) >= AGREE and action in named}
    if not agreed:
        return _to_try(road, voters, segment, best)
    sums = {action: sum(each.seconds for _, each in votes) for action, votes in agreed.items()}
    action = max(sums, key=lambda each: sums[each] * (STANDS if each == said else 1.0))
    found = _diagnosis(road, segment, best, action, agreed[action], voters)
    return msgspec.structs.replace(found, is_habit=action in habitual)


def explain(
    road: Road, evidence: Sequence[PassEvidence], segment: Segment, best: RoadPass
) -> Diagnosis | None:
    """Return what explains most of the loss of any number of passes, shown by two of them and by
    half of those that lose time."""
    losing = [each for each in evidence if each.loss_s >= NEAR_BEST_S]
    least = max(AGREE, len(losing) / 2)
    votes = _votes((each, each.counted) for each in losing)
    agreed = {action: found for action, found in votes.items() if len(found) >= least}
    if not agreed:
        return _to_try(road, evidence, segment, best)
    action = max(agreed, key=lambda each: sum(found.seconds for _, found in agreed[each]))
    found = _diagnosis(road, segment, best, action, agreed[action], evidence)
    return msgspec.structs.replace(found, is_habit=action in _habit(evidence))


Votes = dict[Action, list[tuple[PassEvidence, Candidate]]]


def _votes(passes: Iterable[tuple[PassEvidence, Iterable[Candidate]]]) -> Votes:
    votes: Votes = defaultdict(list)
    for each, candidates in passes:
        for candidate in candidates:
            votes[candidate.action].append((each, candidate))
    return votes


def _habit(evidence: Sequence[PassEvidence]) -> set[Action]:
    """The actions that nearly all of these passes show, the last one too."""
    if len(evidence) < HABIT_LEAST:
        return set()
    votes = _votes((each, [c for c in each.candidates if c.strength >= SHOWS_AS_HABIT]) for each in evidence)
    return {
        action
        for action, found in votes.items()
        if len(found) >= HABIT_SHARE * len(evidence) and found[-1][0] is evidence[-1]
    }


def _to_try(
    road: Road, evidence: Sequence[PassEvidence], segment: Segment, best: RoadPass
) -> Diagnosis | None:
    """Return one thing to try where passes lose time, the last one too, and no action explains it.

    It is what the last one or most of them are short of, in the dearest phase of those; where there
    is no such thing, what is tried in the dearest phase, if that is most of the loss. Two of them
    lose there, and none does more of it than the best.
    """
    share = pace_share(road)
    losing = [each for each in evidence if each.loss_s >= TRY_S * share]
    if len(losing) < AGREE or losing[-1] is not evidence[-1]:
        return None
    gains = {phase: [each.comparison.gains_s[at] for each in losing] for at, phase in enumerate(PHASES)}
    gains_s = {phase: sum(each) for phase, each in gains.items()}
    short = [_short_of(each.comparison.shape, share) for each in losing]
    named = {candidate.action: PHASE_OF[candidate.action] for candidate in losing[-1].counted}
    usual = {
        action: phase
        for phase, action in TO_TRY.items()
        if 2 * sum(each[action] >= 1.0 for each in short) >= len(short)
    }
    dearest = max(PHASES, key=gains_s.__getitem__)
    actions: dict[Action, Phase] = named | usual
    if not actions and gains_s[dearest] >= TRY_SHARE * sum(each.loss_s for each in losing):
        actions = {TO_TRY[dearest]: dearest}
    fitting = [
        action
        for action, phase in actions.items()
        if sum(won_s >= SHARE * each.loss_s for won_s, each in zip(gains[phase], losing, strict=True))
        >= AGREE
        and not any(one.get(action, 0.0) <= -1.0 for one in short)
    ]
    if not fitting:
        return None
    action = max(fitting, key=lambda each: (each in named, gains_s[actions[each]]))
    phase = actions[action]
    each_s = [
        (each, Candidate(action, 0.0, won_s, 0.0)) for each, won_s in zip(losing, gains[phase], strict=True)
    ]
    found = _diagnosis(road, segment, best, action, each_s, evidence)
    return msgspec.structs.replace(found, is_try=True, phase=phase)


def _short_of(shape: Shape, scale: float) -> dict[Action, float]:
    """By how many noise floors a pass does less of what can be tried than the best one."""
    again = shape.dip_kmh / TOP_KMH
    less: dict[Action, float] = {
        "stay_flat": -shape.top_kmh / TOP_KMH,
        "brake_later": -shape.brake_m / BRAKE_M,
        "more_apex_speed": -shape.slowest_kmh / SLOWEST_KMH,
        # Speed that was lost again was no late throttle.
        "throttle_sooner": (shape.throttle_m / THROTTLE_M if again < scale else -again),
    }
    return {action: floors / scale for action, floors in less.items()}


def _diagnosis(
    road: Road,
    segment: Segment,
    best: RoadPass,
    action: Action,
    shown: Sequence[tuple[PassEvidence, Candidate]],
    looked_at: Sequence[PassEvidence],
) -> Diagnosis:
    slows_m = segment.begin_m + min(each.comparison.slows_at_m for each in looked_at)
    return Diagnosis(
        segment=segment.index,
        corner=segment.corner,
        phase=PHASE_OF[action],
        action=action,
        amount=median(candidate.amount for _, candidate in shown),
        seconds=sum(candidate.seconds for _, candidate in shown) / len(looked_at),
        loss_s=sum(each.loss_s for each in looked_at) / len(looked_at),
        laps=tuple(each.lap for each, _ in shown),
        of=len(looked_at),
        best_lap=best.lap,
        slows_at_m=slows_m % road.length_m,
    )

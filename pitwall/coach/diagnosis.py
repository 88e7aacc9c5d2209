"""Finds what a driver does wrong in a corner lap after lap: cause, direction and amount.

SeenPass is a pass at pace. The target of a corner is composed of the driver's own best: the reference lap's
pass, or a better one that he has driven twice and that joins the reference at both ends.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median, median_high
from typing import Literal

import msgspec

from pitwall.coach.concepts import (
    AFTER_THE_LINE,
    CLEARED,
    CONCEPTS,
    CONSISTENCY,
    OPPOSITE,
    OWN_BEST,
    PINCHED,
    TIME_LOST,
    Concept,
)
from pitwall.coach.faults import BRAKE_NOISE_M, NOISE_S, PassLoss
from pitwall.coach.pair import Pair
from pitwall.coach.strengths import COAST_S, FACTS, HABITS, Fact
from pitwall.track.technique import Technique

# Nobody is 2 s slower in one corner than he drives it himself: that is traffic, an off, a yellow flag. A
# faster driver's lap tells nothing of that: a beginner may lose more to it in every pass.
TRAFFIC_S = 2.0
# A car that arrives at a corner's brake zone this much slower is no evidence there, unless both feet were
# off so much longer: traffic is braked for, or kept up with. One that is so much slower than ever lately from
# the entry to the end, and was not so the time before, is behind somebody, cooling down or on its way in.
HELD_UP, ROLLED_S = 0.9, 0.6
# Who brakes so much earlier twice, and arrives as fast both times, drives like that.
MUCH_EARLIER_M, AS_FAST = 30.0, 0.03
# A better pass joins the reference lap where it arrives no faster and leaves no slower than this.
JOINS_MPS = 1.0
# A loss within so many standard deviations is chance: a driver has a dozen corners a lap, and is measured
# against his best passes. A driver who gets faster spreads too: no more than this is chance in three of four
# passes, and no more than that is what a clear loss is measured by; in a long corner, which differs by more
# from lap to lap, so much of its time.
CHANCE_SIGMAS, MOST_CHANCE_S, MOST_CHANCE_SHARE = 3.3, 0.35, 0.035
MOST_NOISE_S, MOST_NOISE_SHARE = 0.22, 0.0165
# A loss that shows twice in a row is clear from so many times what is chance; one that shows now and once
# more lately needs more.
CLEARLY, STRIKINGLY = 1.8, 2.4
# Two laps of a short track tell how much a driver spreads; five laps of a long one are remembered.
LEAST_STEPS, STEPS_KEPT = 16, 64
# A corner's own spread, from this many passes on.
LEAST_CORNER_STEPS = 4
# The largest fifth of the steps may be a fault that began or ended. Two passes of a normal spread differ by
# 2/sqrt(pi) of its standard deviation on average; the smaller four fifths of such steps by 0.7 of that.
KEPT_SHARE = 0.8
STEP_TO_SIGMA = math.sqrt(math.pi) / 2.0 / 0.7
# One pass that lost far more than the others makes no loss clear: it counts for so many times the next.
ONE_PASS = 2.0
# What shows in so many passes is sure, however much this driver's laps differ.
SURE_LAPS = 4
# Passes that are looked back on. A fault counts when it shows in 3 of the last 4; a clear one when it shows
# twice in a row, a striking one when it shows now and once more among these.
MEMORY, LATELY = 6, 4
# A line that is so many noise floors off explains the way out, whatever the grip; in the mean of several
# passes it is known better.
FAR_OFF, FAR_OFF_MEAN = 2.0, 1.0
# Who goes off the throttle far too early brakes for some of that way in one pass and rolls in the next.
SLOWED_EARLY = frozenset(("brake_later", "no_coasting"))
# What the mean of passes shows has to be true of so many of them.
MOSTLY = 2.0 / 3.0
# Brake points wander by a few metres; who differs by more than the noise floor of one from lap to lap has no
# mark, as far as so many passes tell.
WANDERS_M, LEAST_PLACES = 12.0, 4
# Time that goes in a corner without a lasting cause is told from here on. The next pass may show again what
# the last one shows: where two in a row lost time, so many are waited for.
TELL_LOST_S, LOST_PASSES = 0.25, 3
# A corner that lost so much twice is accounted for, said or not. Where three of the last four laps lost this
# share of its time there, that is told after it, however much this driver's laps differ.
WORTH_A_LINE_S, LASTS_SHARE, LASTS_LAPS = 0.2, 0.03, 3


# A driver's own best pass is worth a word where his last ones, so many, usually lie so far behind it; no
# statistics are needed to repeat what was driven.
BEST_PASSES, BEST_S, BEHIND_S = 3, 0.15, 0.1
# What the best pass did otherwise is told where this share of the loss lies where doing so would win it back.
EXPLAINED = 0.6
Part = Literal["brake", "apex", "exit"]


class SeenPass(msgspec.Struct, frozen=True):
    """A pass at pace: its losses against the reference lap, and what was done (None: not known)."""

    parts: PassLoss
    technique: Technique | None


class Advice(msgspec.Struct, frozen=True):
    """Holds what is wrong in a corner: the concept, by how much (None: no amount), what it costs a lap,
    and where it was seen. `detail` is for the ledger. `in_mean`: it shows in the mean of these passes
    only, which is enough to tell what was done, and not to ask for something else. `unsure`: it is not
    well above what this driver's laps differ by, so that it is said once. `part`: where most of it goes.
    `fact`: what his best pass did otherwise, or a habit, where that is told and nothing is corrected;
    `from_m`: where it begins, metres ahead of the entry. `cost_s`: what a pass that shows it usually loses by
    it; 0 where that is too little, or may be lost by something else."""

    corner: str
    concept: str
    metres: float | None
    loss_s: float
    laps: tuple[int, ...]
    detail: str
    in_mean: bool = False
    unsure: bool = False
    part: Part = "exit"
    fact: str = ""
    from_m: float | None = None
    cost_s: float = 0.0


def why_not(
    parts: PassLoss,
    own: Technique | None,
    target: Technique | None,
    lately: Sequence[Technique] = (),
    least_s: float = 0.0,
) -> str:
    """Why a pass is no evidence of technique, "" where it is. `lately`: this driver's last passes there, the
    oldest first; one who never was as fast as the target was not held up. `least_s`: the least that a pass
    of his lost there."""
    if parts.loss_s < -TRAFFIC_S or is_traffic(parts.loss_s, least_s):
        over_s = parts.loss_s - (max(least_s, 0.0) if parts.loss_s > 0.0 else 0.0)
        return f"{over_s:+.1f} s: traffic, an off or a yellow flag"
    if own is None:
        return "not seen in full"
    usual_mps = median_high([each.start_mps for each in lately]) if lately else 0.0
    held_up = target is not None and own.start_mps < HELD_UP * usual_mps
    if target is not None and held_up and not (_coasted(own, target) or _braked(own, target, lately[-1])):
        return f"far slower on the way to it: {own.start_mps:.0f} m/s where {usual_mps:.0f} m/s are usual"
    if lately and not _alike(own.slowest_mps, lately[-1].slowest_mps) and _is_slow_throughout(own, lately):
        usual_mps = max(each.slowest_mps for each in lately)
        return f"slow all through it: {own.slowest_mps:.0f} m/s where {usual_mps:.0f} m/s are usual"
    again = bool(lately) and _alike(own.end_mps, lately[-1].end_mps)
    again = again or sum(map(_slows_again, lately[1 - LATELY :])) >= 2
    if target is not None and not again and _slows_again(own) and not _slows_again(target):
        return f"slowed again on the way out: {own.end_mps:.0f} m/s where {target.end_mps:.0f} m/s are usual"
    return ""


def _slows_again(own: Technique) -> bool:
    """Return whether the car is slower at the end of the corner's run than at its exit: on its way into
    the pits, or for somebody ahead. Where the run ends with the corner, nobody can tell."""
    return own.end_mps < (1.0 - AS_FAST) * own.exit_mps


def _alike(one_mps: float, other_mps: float) -> bool:
    return abs(one_mps - other_mps) < AS_FAST * one_mps


def _is_slow_throughout(own: Technique, lately: Sequence[Technique]) -> bool:
    names = ("entry_mps", "slowest_mps", "exit_mps", "end_mps")
    return all(getattr(own, name) < HELD_UP * max(getattr(each, name) for each in lately) for name in names)


def is_traffic(loss_s: float, least_s: float) -> bool:
    """Return whether a pass lost so much more than this driver's best one there that no technique explains
    it."""
    return loss_s - max(least_s, 0.0) > TRAFFIC_S


def _braked(own: Technique, target: Technique, before: Technique) -> bool:
    """Return whether the car was slower before the corner because its driver brakes much earlier, and does
    so again: that is no traffic."""
    if own.brake_m is None or target.brake_m is None or own.brake_m > target.brake_m - MUCH_EARLIER_M:
        return False
    return _alike(own.start_mps, before.start_mps)


def _coasted(own: Technique, target: Technique) -> bool:
    """Return whether the car was slower before the corner because its driver rolled: that is no traffic."""
    if own.coast_s is None or target.coast_s is None:
        return False
    return own.coast_s - target.coast_s >= ROLLED_S


def target_of(seen: Iterable[SeenPass], own: SeenPass) -> SeenPass:
    """The pass to be measured against: the reference lap's `own`, or of those that are better and join it the
    second best, so that one lucky pass or one bad fix is no target."""
    better = [
        each
        for each in seen
        if each.parts.loss_s < own.parts.loss_s and _joins(each.technique, own.technique)
    ]
    return sorted([*better, own], key=lambda each: each.parts.loss_s)[1 if better else 0]


def _joins(technique: Technique | None, own: Technique | None) -> bool:
    if technique is None or own is None:
        return False
    return technique.start_mps <= own.start_mps + JOINS_MPS and technique.end_mps >= own.end_mps - JOINS_MPS


def pair_of(evidence: SeenPass, target: SeenPass) -> Pair | None:
    """A pass beside its target; None where either is not known in detail."""
    own, best, by = evidence.technique, target.technique, target.parts
    if own is None or best is None:
        return None
    parts = evidence.parts
    return Pair(own, best, parts.brake_s - by.brake_s, parts.mid_s - by.mid_s, parts.exit_s - by.exit_s)


def shown(pair: Pair, far_off: float = FAR_OFF) -> dict[str, float]:
    """The concepts that a pass shows, and their strengths; of two that push opposite ways, the stronger.
    `far_off`: a line that is so far off explains the way out, where that shows no more than the line does. A
    line that took no speed cost nothing."""
    if pair.loss_s < NOISE_S:
        return {}
    found = {
        name: strength
        for name, row in CONCEPTS.items()
        if (strength := row.strength(pair) or 0.0) >= 1.0 and (pair.is_slower or not row.is_line)
    }
    effects = {
        each
        for name, strength in found.items()
        for each in CONCEPTS[name].causes
        if pair.used_up
        or not CONCEPTS[name].is_line
        or (each in AFTER_THE_LINE and strength >= min(max(far_off, found.get(each, 0.0)), FAR_OFF))
    }
    return {
        name: strength
        for name, strength in found.items()
        if name not in effects and all(strength > found.get(other, 0.0) for other in OPPOSITE[name])
    }


def mean_of(pairs: Sequence[Pair]) -> Pair:
    """Several passes against one target as one: what is chance in each of them is less in all of them. One
    that ran far wide makes no line of the others: what was done is their median, what was lost their mean.
    What is not known of one of them is not known."""
    count = len(pairs)
    values: dict[str, float | int | None] = {}
    for name in Technique.__struct_fields__:
        known = [value for pair in pairs if (value := getattr(pair.own, name)) is not None]
        if len(known) < count:
            values[name] = None
        else:
            values[name] = round(median(known)) if isinstance(known[0], int) else median(known)
    brake_s, mid_s, exit_s = (
        sum(values_s) / count
        for values_s in zip(*((pair.brake_s, pair.mid_s, pair.exit_s) for pair in pairs), strict=True)
    )
    return Pair(Technique(**values), pairs[0].target, brake_s, mid_s, exit_s)  # type: ignore[arg-type]


class PassStep(msgspec.Struct, frozen=True):
    """By how much a pass of `time_s` differs from the one before it in the same corner."""

    corner: str
    lap: int
    time_s: float
    step_s: float


class Spread:
    """How much a driver's passes differ from one lap to the next: what he repeats, and what is chance."""

    def __init__(self) -> None:
        self._steps: deque[PassStep] = deque(maxlen=STEPS_KEPT)

    def add(self, step: PassStep) -> None:
        """Take two passes of one corner in a row."""
        self._steps.append(step)

    def forget(self, lap: int) -> None:
        """Leave out the steps to this lap: it is no evidence."""
        self._steps = deque((step for step in self._steps if step.lap != lap), maxlen=STEPS_KEPT)

    def chance_s(self, corner: str, time_s: float) -> float:
        """The loss that may be chance in this corner, by its own spread and by that of all corners."""
        if len(self._steps) < LEAST_STEPS:
            return 0.0
        step_s = _lower_mean([step.step_s / step.time_s for step in self._steps]) * time_s
        own = [step.step_s for step in self._steps if step.corner == corner]
        if len(own) >= LEAST_CORNER_STEPS:
            step_s = max(step_s, _lower_mean(own))
        return CHANCE_SIGMAS * STEP_TO_SIGMA * step_s


def _lower_mean(values: Collection[float]) -> float:
    kept = sorted(values)[: max(round(KEPT_SHARE * len(values)), 1)]
    return sum(kept) / len(kept)


def find_advice(
    corner: str,
    seen: Sequence[SeenPass],
    target: SeenPass | None,
    chance_s: float = 0.0,
    *,
    lasts: bool = False,
) -> Advice | None:
    """Return what the last passes (oldest first) show in one corner, None where they show nothing.

    `chance_s` is what this driver's passes differ by anyway: a loss below it is none, and one that is not
    well above it has to show in three laps; but what each of the last passes shows is told however much they
    differ. A loss that is well above what passes may differ by, and not above what this driver's do, is
    unsure. Of one that `lasts` it is told after the corner what was done, or the time, if nothing else is.
    """
    if target is None:
        return None
    recent = seen[-MEMORY:]
    pairs = [(each.parts.lap, pair) for each in recent if (pair := pair_of(each, target)) is not None]
    losing = [(lap, pair) for lap, pair in pairs if pair.loss_s >= NOISE_S]
    if not losing:
        return None
    loss_s = sum(pair.loss_s for _, pair in losing) / len(losing)
    time_s = target.technique.time_s if target.technique is not None else 0.0
    most_noise_s = min(chance_s, max(MOST_NOISE_S, MOST_NOISE_SHARE * time_s))
    most_chance_s = min(chance_s, max(MOST_CHANCE_S, MOST_CHANCE_SHARE * time_s))
    loses = [pair.loss_s >= max(NOISE_S, most_noise_s) for _, pair in pairs]
    usual_s = _usual_s([pair.loss_s for _, pair in losing])
    clear, striking = usual_s >= CLEARLY * most_noise_s, usual_s >= STRIKINGLY * most_noise_s
    shows = {lap: shown(pair) for lap, pair in pairs}
    sure = _shown_every_time(pairs, shows)
    lasts = lasts and loss_s >= TELL_LOST_S
    is_chance = loss_s < most_chance_s or not _persists(loses, clear, striking)
    if is_chance and not sure and not lasts:
        return _differs(corner, pairs, losing)
    beyond = _persists(loses, usual_s >= CLEARLY * chance_s, usual_s >= STRIKINGLY * chance_s)
    unsure = loss_s < chance_s or not beyond
    lasting = [
        row
        for name, row in CONCEPTS.items()
        if name in sure
        or (not is_chance and _persists([name in shows[lap] for lap, _ in pairs], clear, striking))
    ]
    line_shows = [_shows_line(shows[lap]) for lap, _ in pairs]
    if not lasting and not is_chance and _persists(line_shows, clear, striking):
        # Off the line every time, one time more before the apex and one time more after it.
        lasting = [CONCEPTS[name] for lap, _ in losing for name in shows[lap] if CONCEPTS[name].is_line]
    in_mean = not lasting
    mean = mean_of([pair for _, pair in losing])
    usual = {
        name: strength
        for name, strength in shown(mean, FAR_OFF_MEAN).items()
        if sum(is_true_of(name, pair) for _, pair in losing) >= MOSTLY * len(losing)
    }
    if not lasting:
        little = not lasts and usual_s < CLEARLY * most_noise_s
        if little or _lost_before(mean, [pair for _, pair in losing]):
            return None  # too little to name, or caused by the corner before
        if not usual and mean.pays_on_the_way_out and PINCHED in CONCEPTS:
            usual = {PINCHED: 1.0}
        if not usual:
            laps = tuple(lap for lap, _ in losing)
            detail = f"{_parts(mean)}, no one cause"
            lost = Advice(corner, TIME_LOST, None, loss_s, laps, detail, part=part_of(mean))
            goes_on = len(losing) < LOST_PASSES and all(loses[-2:]) and bool(shows[losing[-1][0]])
            return None if goes_on or loss_s < TELL_LOST_S else lost
        shows = {lap: usual for lap, _ in losing}
    lasting = [row for row in lasting if row.id in usual] or lasting or [CONCEPTS[name] for name in usual]
    chosen = max(lasting, key=lambda row: _weight(row, losing, shows))
    showing = [(lap, pair) for lap, pair in losing if chosen.id in shows[lap]]
    metres = [
        m for _, pair in showing if chosen.metres is not None and (m := chosen.metres(pair)) is not None
    ]
    amount_m = sum(metres) / len(metres) if metres else None
    told = f", {amount_m:.0f} m" if amount_m is not None else ""
    unsure = unsure and len(showing) < SURE_LAPS
    sole = len(lasting) == 1 and not in_mean and not unsure
    return Advice(
        corner,
        chosen.id,
        amount_m,
        sum(pair.loss_s for _, pair in showing) / len(showing),
        tuple(lap for lap, _ in showing),
        f"{_parts(mean_of([pair for _, pair in showing]))}, {chosen.id}{told}",
        in_mean,
        unsure,
        cost_s=_cost_s(chosen, [pair for _, pair in showing]) if sole else 0.0,
    )


def own_best(corner: str, seen: Sequence[SeenPass], known: Iterable[SeenPass]) -> Advice | None:
    """The best pass of this drive, of those `known`, and what it did otherwise than the last ones: a fact,
    where that is worth a word and the best pass joins what is driven at both ends."""
    recent = [each for each in seen[-BEST_PASSES:] if each.technique is not None]
    if len(recent) < BEST_PASSES:
        return None
    start_mps = median(each.technique.start_mps for each in recent if each.technique)
    end_mps = median(each.technique.end_mps for each in recent if each.technique)
    joining = [
        each
        for each in known
        if each.parts.lap >= 0
        and each.technique is not None
        and each.technique.start_mps <= start_mps + 2.0 * JOINS_MPS
        and each.technique.end_mps >= end_mps - JOINS_MPS
    ]
    if not joining:
        return None
    best = min(joining, key=lambda each: each.parts.loss_s)
    gap_s = median(each.parts.loss_s for each in recent) - best.parts.loss_s
    if gap_s < BEST_S:
        return None
    pairs = [
        (each.parts.lap, pair)
        for each in recent
        if each.parts.loss_s - best.parts.loss_s >= BEHIND_S and (pair := pair_of(each, best)) is not None
    ]
    if len(pairs) < 2:
        return None
    mean = mean_of([pair for _, pair in pairs])
    parts = {"b": mean.brake_s, "m": mean.mid_s, "e": mean.exit_s}
    found = [
        fact
        for fact in FACTS.values()
        if sum(parts[part] for part in fact.explains) >= EXPLAINED * mean.loss_s
        and _is_fact(fact, mean, [pair for _, pair in pairs])
    ]
    fact = max(found, key=lambda each: sum(parts[part] for part in each.explains), default=None)
    amount_m = fact.metres(mean) if fact is not None and fact.metres is not None else None
    name = _where(mean) if fact is None else fact.id
    if not name or (fact is None and gap_s < WORTH_A_LINE_S):
        return None  # too little to be told without what to do
    laps = tuple(lap for lap, _ in pairs)
    detail = f"{_parts(mean)}, best pass in lap {best.parts.lap}: {name}"
    if amount_m is not None:
        detail += f", {amount_m:.0f} m"
    return Advice(corner, OWN_BEST, amount_m, gap_s, laps, detail, part=part_of(mean), fact=name)


def habit_of(corner: str, seen: Sequence[SeenPass]) -> Advice | None:
    """Return what these passes (oldest first) show that no lap needs, the dearest: in the last two of
    them, or in the last one and two more lately."""
    recent = [(each.parts.lap, each.technique) for each in seen[-LATELY:] if each.technique is not None]
    found: list[Advice] = []
    for habit in HABITS.values():
        laps = tuple(lap for lap, own in recent if (habit.strength(own) or 0.0) >= 1.0)
        twice = len(recent) >= 2 and {lap for lap, _ in recent[-2:]} <= set(laps)
        if not twice and not (len(laps) >= 3 and recent[-1][0] in laps):
            continue
        shown_by = [own for lap, own in recent if lap in laps]
        loss_s = median(habit.loss_s(own) for own in shown_by)
        places = [place_m for own in shown_by if (place_m := habit.place_m(own)) is not None]
        at_m = min(places, default=None)
        found.append(
            Advice(corner, habit.id, None, loss_s, laps, "", part=habit.part, fact=habit.id, from_m=at_m)
        )
    return max(found, key=lambda each: each.loss_s, default=None)


def _where(pair: Pair) -> str:
    """The part of a corner in which a loss lies, or the two; "" where it lies in all of it."""
    parts = {
        "brake": pair.brake_s,
        "apex": pair.mid_s,
        "exit": pair.exit_s,
        "to_apex": pair.before_s,
        "from_apex": pair.mid_s + pair.exit_s,
    }
    return next((part for part, lost_s in parts.items() if lost_s >= EXPLAINED * pair.loss_s), "")


def _is_fact(fact: Fact, mean: Pair, pairs: Sequence[Pair]) -> bool:
    """Return whether the best pass differs by this from the last ones together, and from most of them
    alone."""
    alone = sum((fact.strength(pair) or 0.0) >= CLEARED for pair in pairs)
    return (fact.strength(mean) or 0.0) >= 1.0 and alone >= MOSTLY * len(pairs)


def part_of(pair: Pair) -> Part:
    """The part of a corner in which most of a loss lies."""
    parts: dict[Part, float] = {"brake": pair.brake_s, "apex": pair.mid_s, "exit": pair.exit_s}
    return max(parts, key=parts.__getitem__)


def _shown_every_time(
    pairs: Sequence[tuple[int, Pair]], shows: Mapping[int, Mapping[str, float]]
) -> frozenset[str]:
    """The concepts that each of the last passes shows, or one that can't be told from it, where they cost
    enough to be told."""
    last = pairs[-SURE_LAPS:]
    if len(last) < SURE_LAPS or sum(pair.loss_s for _, pair in last) < TELL_LOST_S * SURE_LAPS:
        return frozenset()
    each_time = [frozenset(shows[lap]) for lap, _ in last]
    return frozenset.intersection(
        *(names | SLOWED_EARLY if names & SLOWED_EARLY else names for names in each_time)
    )


def _lost_before(mean: Pair, losing: Sequence[Pair]) -> bool:
    """Return whether a loss was caused by the corner before. Who brakes has shed what speed he lacked:
    then only the way to the brakes was lost by it."""
    brakes = sum(pair.own.brake_m is not None for pair in losing) >= MOSTLY * len(losing)
    return mean.start_slow_mps > JOINS_MPS and not (brakes and mean.mid_s + mean.exit_s >= TELL_LOST_S)


def _usual_s(lost_s: Sequence[float]) -> float:
    """Return what passes usually lose: their mean, but no more than the second of them makes likely."""
    mean_s = sum(lost_s) / len(lost_s)
    return min(mean_s, ONE_PASS * sorted(lost_s)[-2]) if len(lost_s) > 1 else mean_s


def _differs(
    corner: str, pairs: Sequence[tuple[int, Pair]], losing: Sequence[tuple[int, Pair]]
) -> Advice | None:
    """A corner that loses now and then because its brake point wanders: that is no chance."""
    places = [pair.own.brake_m for _, pair in pairs if pair.own.brake_m is not None]
    loss_s = sum(pair.loss_s for _, pair in losing) / len(losing)
    if len(places) < LEAST_PLACES or len(losing) < 2 or loss_s < TELL_LOST_S:
        return None
    wander_m = median(abs(one - other) for one, other in pairwise(places))
    if wander_m < WANDERS_M or pairs[-1][1].loss_s < NOISE_S:
        return None
    detail = f"the brakes came on {wander_m:.0f} m from where they did the lap before"
    return Advice(corner, CONSISTENCY, None, loss_s, tuple(lap for lap, _ in losing), detail)


def is_lasting(lost: Mapping[int, float], lap: int, time_s: float, left_out: Collection[int] = ()) -> bool:
    """Return whether a corner that is driven in `time_s` lost much in this lap and in most of those before
    it. `lost` are the losses worth a line, by lap; none counts of a lap that is `left_out`."""
    least_s = max(WORTH_A_LINE_S, LASTS_SHARE * time_s)
    laps = {each for each, s in lost.items() if s >= least_s and each > lap - LATELY} - set(left_out)
    return lap in laps and len(laps) >= LASTS_LAPS


def unexplained(
    corner: str, lost: Mapping[int, float], lap: int, left_out: Collection[int] = ()
) -> Advice | None:
    """Return what a corner lost in this lap and in others, without a reason to speak of it: for the
    ledger. `lost` are the losses worth a line, by lap; what traffic cost, and what was lost in a lap that
    is `left_out`, counts only where this one has no others like it. None where this one is none of
    several."""
    least_s = min(lost.values(), default=0.0)
    usual = {each: s for each, s in lost.items() if not is_traffic(s, least_s) and each not in left_out}
    alike = usual if lap in usual and len(usual) > 1 else lost
    if len(alike) < 2 or lap not in alike:
        return None
    return Advice(corner, TIME_LOST, None, sum(alike.values()) / len(alike), tuple(alike), "no lasting cause")


def _shows_line(shown_there: Mapping[str, float]) -> bool:
    return any(CONCEPTS[name].is_line for name in shown_there)


def why_untold(pair: Pair | None, before: Pair | None, start_m: float, chance_s: float) -> str:
    """Why nothing is said of a loss that has no lasting cause in its corner.

    `before` is the pass of the corner before it, just driven (None: not known); `start_m` is where the brake
    zone begins, metres ahead of the entry; `chance_s` is the loss that may be chance.
    """
    if pair is not None and before is not None and pair.start_slow_mps > JOINS_MPS:
        own, usual = pair.own.start_mps, pair.target.start_mps
        more_mps = pair.start_slow_mps - before.exit_slow_mps
        if more_mps > JOINS_MPS or _slowed_before(pair, start_m):
            return f"arrived at {own:.0f} m/s where {usual:.0f} m/s are usual: slowed on the way to it"
        if before.exit_slow_mps > JOINS_MPS:
            return f"arrived at {own:.0f} m/s where {usual:.0f} m/s are usual: the corner before"
    if pair is None or pair.loss_s < max(chance_s, NOISE_S):
        return "within what this driver's laps differ by"
    return "no cause shows often enough"


def _slowed_before(pair: Pair, start_m: float) -> bool:
    """Return whether the driver was on the brakes, or off both pedals, sooner than usual before the brake
    zone."""
    own_m, late_m = pair.own.brake_m, pair.brake_late_m
    braked = own_m is not None and own_m < start_m and (late_m is None or late_m <= -BRAKE_NOISE_M)
    return braked or (pair.coast_more_s or 0.0) >= COAST_S


def is_true_of(concept: str, pair: Pair) -> bool:
    """Return whether a pass shows what is to be said of it, if less than it takes to find it. Where only
    the time is told, there has to be as much of it as is worth telling."""
    least_s = TELL_LOST_S if concept == TIME_LOST else NOISE_S
    return pair.loss_s >= least_s and not is_cleared(concept, pair)


def is_cleared(concept: str, pair: Pair) -> bool:
    """Return whether a pass no longer shows what was said."""
    if concept in HABITS:
        return (HABITS[concept].strength(pair.own) or 0.0) < 1.0
    row = CONCEPTS.get(concept)
    if row is None:
        return pair.loss_s < NOISE_S
    strength = row.strength(pair)
    return (strength is not None and strength < CLEARED) or pair.loss_s < NOISE_S


def _persists(flags: Sequence[bool], clear: bool, striking: bool) -> bool:
    """Return whether something shows often enough to be no chance."""
    now, count = bool(flags) and flags[-1], sum(flags)
    twice = len(flags) >= 2 and all(flags[-2:])
    return sum(flags[-LATELY:]) >= 3 or (clear and twice) or (striking and now and count >= 2)


def _weight(row: Concept, losing: Sequence[tuple[int, Pair]], shows: dict[int, dict[str, float]]) -> float:
    """How much of the loss a concept explains. What comes first in the corner causes what comes after it."""
    explained = strength = 0.0
    for lap, pair in losing:
        parts = {"b": pair.brake_s, "m": pair.mid_s, "e": pair.exit_s}
        explained += max(sum(parts[part] for part in row.explains), 0.0)
        strength += min(shows[lap].get(row.id, 0.0), 3.0)
    return row.trust * explained / len(losing) * (1.0 + strength / len(losing))


def _cost_s(row: Concept, showing: Sequence[Pair]) -> float:
    """Return the seconds that a pass usually loses by this fault: where it explains the most of the loss,
    what it explains; 0 where it does not."""
    costs = []
    for pair in showing:
        parts = {"b": pair.brake_s, "m": pair.mid_s, "e": pair.exit_s}
        costs.append(min(sum(parts[part] for part in row.explains), pair.loss_s))
    cost_s = median(costs)
    return cost_s if cost_s >= max(NOISE_S, EXPLAINED * median(pair.loss_s for pair in showing)) else 0.0


def _parts(pair: Pair) -> str:
    return f"{pair.brake_s:+.2f} s before it, {pair.mid_s:+.2f} to the apex, {pair.exit_s:+.2f} after"

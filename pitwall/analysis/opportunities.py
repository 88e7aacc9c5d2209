"""Opportunities: repeated losses against the driver's own best pass of a corner, the largest first.

That is the pass of the reference lap, his fastest, but for a corner that he has driven clearly better in
another lap: the fastest lap may hold a fault of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from pitwall.analysis.corners import PassFacts, by_corner
from pitwall.analysis.drive import Drive
from pitwall.coach.cue import Phase
from pitwall.coach.faults import (
    BRAKE_NOISE_M,
    MEMORY,
    NOISE_S,
    CornerLoss,
    PassLoss,
    find_fault,
    is_driven_again,
    is_off_pace,
    linked,
    net_of,
    parts_of,
)
from pitwall.track.geometry import way_m
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.model import Corner
from pitwall.track.passes import zones_of
from pitwall.track.reference import ReferenceLap, brake_place, lap_of

if TYPE_CHECKING:
    from pitwall.coach.diagnosis import Spread

# Noise floor of a speed (the map, figures): 2 km/h.
SPEED_NOISE_MPS = 2.0 / 3.6
# A tenth of a second less or more off the pedals is the logger's step.
COAST_NOISE_S = 0.2
RELEASE_NOISE_S = 0.15

# Over 107 % of the best is a lap to cool down or in traffic, as qualifying has it: no attempt.
ATTEMPT_SHARE = 1.07
# What the middle loses in speed the exit loses in time again: only a far larger loss there is the exit's own.
CARRIED_SHARE = 2.0

Cause = Literal[
    "brakes early", "brakes late", "coasts", "rolls through", "releases abruptly", "drags the brake",
    "enters slowly", "over-slows", "late on the throttle", "slow exit", "line", "differs",
]  # fmt: skip


class Opportunity(msgspec.Struct, frozen=True, kw_only=True):
    """Time that a driver's own best pass of a corner says is there; `reference` is its session:lap.

    `loss_s` is the median over `laps`, those of `judged_laps` that lost it: one lap in traffic must not speak
    for the others. Differences are medians over `laps` minus that pass; None where a figure is
    missing, or under its noise floor or of the other sign in one of them: what is told of the laps holds in
    each. `brake_shift_m` and `throttle_shift_m`: negative is earlier. `phases`: where each of `laps` lost it.
    The cause is "differs" where that is another part of the corner each time and no figure shows it.
    """

    session: str
    reference: str
    corner: str
    phase: Phase
    cause: Cause
    loss_s: float
    laps: tuple[int, ...]
    judged_laps: tuple[int, ...]
    phases: tuple[Phase, ...]
    brake_loss_s: float
    mid_loss_s: float
    exit_loss_s: float
    brake_shift_m: float | None
    throttle_shift_m: float | None
    entry_speed_diff_mps: float | None
    min_speed_diff_mps: float | None
    exit_speed_diff_mps: float | None
    run_speed_diff_mps: float | None
    coast_diff_s: float | None
    release_s: float | None
    reference_release_s: float | None
    release_diff_s: float | None

    @property
    def against_lap(self) -> int:
        """The lap of that pass."""
        return lap_of(self.reference)


def slow_laps(laps: Sequence[Lap]) -> list[Lap]:
    """The flying laps that tell nothing of their driver, by the coach's own rule, but for those that he drove
    again later; and those that are no attempt at all."""
    flying = [(lap, lap.time_s) for lap in laps if lap.kind == "flying" and lap.time_s is not None]
    times_s = [time_s for _, time_s in flying]
    return [
        lap
        for at, (lap, time_s) in enumerate(flying)
        if time_s > ATTEMPT_SHARE * min(times_s)
        or (is_off_pace(time_s, times_s[:at]) and not is_driven_again(time_s, times_s[at + 1 :]))
    ]


def parts_by_corner(
    drive: Drive, passes: Sequence[PassFacts], reference: ReferenceLap
) -> dict[str, list[PassLoss]]:
    """Each corner's losses lap by lap, judged as in the car; what was no attempt is left out."""
    if drive.track is None:
        return {}
    parts: dict[str, list[PassLoss]] = {}
    slow = {lap.number for lap in slow_laps(drive.flying)}
    places = {
        corner.id: (brake_place(corner, reference), _slowest_m(corner, reference))
        for corner in drive.track.corners
    }
    before_it = linked(zones_of(drive.track, reference), drive.track.length_m)
    last: tuple[str, PassLoss] | None = None
    for each in passes:
        if each.corner not in places or each.loss_s is None or each.lap in slow:
            continue
        driven = CornerPass(
            each.lap, each.corner, 0.0, each.time_s, each.time_s, each.entry_speed_mps, each.min_speed_mps,
            each.min_speed_m, each.exit_speed_mps, each.brake_m, each.loss_s, each.brake_loss_s,
            each.mid_loss_s, each.exit_loss_s,
        )  # fmt: skip
        found = parts_of(driven, *places[each.corner], drive.track.length_m)
        measured, before = found, last if last and before_it.get(each.corner) == last[0] else None
        if found is not None and before is not None and found.lap - before[1].lap in (0, 1):
            found = net_of(found, before[1])
        last = None if measured is None else (each.corner, measured)
        if found is not None and found.is_attempt:
            parts.setdefault(each.corner, []).append(found)
    return parts


def find_opportunities(
    drive: Drive, passes: Sequence[PassFacts], reference: ReferenceLap | None
) -> list[Opportunity]:
    """The faults that count in the session's last laps, the dearest first. A loss under 0.15 s is none; it
    counts when it shows in both of the last two passes or in three of the last four."""
    if reference is None or drive.track is None:
        return []
    grouped = by_corner(list(passes))
    by_lap = parts_by_corner(drive, passes, reference)
    spread = _spread(by_lap, grouped)
    found = []
    for corner_id, parts in by_lap.items():
        passes_here, target_lap = grouped[corner_id], reference.lap
        better = _better(parts, spread.chance_s(corner_id, passes_here[0].time_s))
        if better is not None:
            parts, target_lap = [_against(each, better) for each in parts], better.lap
        fault = find_fault(corner_id, parts)
        if fault is not None:
            best = next((each for each in passes_here if each.lap == target_lap), None)
            judged = tuple(part.lap for part in parts[-MEMORY:])
            found.append(_opportunity(drive, fault, judged, parts, passes_here, best, reference))
    return sorted(found, key=lambda each: (-each.loss_s, each.corner))


def _spread(by_lap: dict[str, list[PassLoss]], grouped: dict[str, list[PassFacts]]) -> Spread:
    """By how much this driver's passes differ from lap to lap."""
    from pitwall.coach.diagnosis import PassStep, Spread  # with all concepts: few questions need them

    spread = Spread()
    for corner_id, parts in by_lap.items():
        time_s = grouped[corner_id][0].time_s
        for one, other in pairwise(parts):
            if other.lap == one.lap + 1:
                spread.add(PassStep(corner_id, other.lap, time_s, abs(other.loss_s - one.loss_s)))
    return spread


def _better(parts: Sequence[PassLoss], chance_s: float) -> PassLoss | None:
    """The pass of another lap that was better than the reference lap's by more than chance, None where none
    was: the second best, so that one lucky pass or one bad fix is no target; the best alone where all others
    lie together, far from it."""
    if len(parts) <= MEMORY:
        return None
    least_s = max(NOISE_S, chance_s)
    best, second, *_, last = sorted(parts, key=lambda each: each.loss_s)
    if second.loss_s <= -least_s:
        return second
    together = last.loss_s - second.loss_s <= least_s
    return best if together and second.loss_s - best.loss_s >= NOISE_S + chance_s else None


def _against(each: PassLoss, best: PassLoss) -> PassLoss:
    """Return what a pass lost against another pass than the reference lap's."""
    _, *own = msgspec.structs.astuple(each)
    _, *other = msgspec.structs.astuple(best)
    pairs = zip(own, other, strict=True)
    less: list[Any] = [None if one is None or two is None else one - two for one, two in pairs]
    return PassLoss(each.lap, *less)


def _opportunity(
    drive: Drive,
    fault: CornerLoss,
    judged: tuple[int, ...],
    parts: Sequence[PassLoss],
    passes: Sequence[PassFacts],
    best: PassFacts | None,
    reference: ReferenceLap,
) -> Opportunity:
    losing = [part for part in parts if part.lap in fault.laps]
    own = [each for each in passes if each.lap in fault.laps]
    length_m = drive.track.length_m if drive.track else 1.0
    differences: dict[str, tuple[Sequence[float | None], float]] = {
        "brake_shift_m": ([p.brake_late_m for p in losing], BRAKE_NOISE_M),
        "throttle_shift_m": (_shifts(own, best, length_m, lambda p: p.throttle_m), BRAKE_NOISE_M),
        "entry_speed_diff_mps": (_diffs(own, best, lambda p: p.entry_speed_mps), SPEED_NOISE_MPS),
        "min_speed_diff_mps": (_diffs(own, best, lambda p: p.min_speed_mps), SPEED_NOISE_MPS),
        "exit_speed_diff_mps": (_diffs(own, best, lambda p: p.exit_speed_mps), SPEED_NOISE_MPS),
        "run_speed_diff_mps": (_diffs(own, best, lambda p: p.run_speed_diff_mps), SPEED_NOISE_MPS),
        "coast_diff_s": (_diffs(own, best, lambda p: p.coast_s), COAST_NOISE_S),
    }
    figures = {name: _floor(_middle(values), floor) for name, (values, floor) in differences.items()}
    told = {name: _in_each(values, floor) for name, (values, floor) in differences.items()}
    release_s = _middle([each.release_s for each in own])
    reference_release_s = None if best is None else best.release_s
    losses = [
        median(values) for values in zip(*((p.brake_s, p.mid_s, p.exit_s) for p in losing), strict=True)
    ]
    phase = _phase(losses, figures["brake_shift_m"], losing)
    phases = tuple(
        _phase((p.brake_s, p.mid_s, p.exit_s), _floor(p.brake_late_m, BRAKE_NOISE_M), [p]) for p in losing
    )
    releases_s = _releases(own, best, length_m)
    told["release_diff_s"] = _in_each(releases_s, RELEASE_NOISE_S)
    cause = _cause(phase, told, figures, _usually(releases_s, RELEASE_NOISE_S))
    alike = sum(_CAUSES[each] is _CAUSES[phase] for each in phases)
    if 3 * alike < 2 * len(phases) and told.get(_SHOWN_BY.get(cause, "")) is None:
        cause = "differs"
    return Opportunity(
        session=drive.id,
        reference=reference.label if best is None else f"{best.session}:{best.lap}",
        corner=fault.corner,
        phase=phase,
        cause=cause,
        loss_s=median(p.loss_s for p in losing),
        laps=fault.laps,
        judged_laps=judged,
        phases=phases,
        brake_loss_s=losses[0],
        mid_loss_s=losses[1],
        exit_loss_s=losses[2],
        release_s=release_s,
        reference_release_s=reference_release_s,
        **told,
    )


Figures = dict[str, float | None]
# phase -> what to look at first: the first cause whose figure is over its floor explains the loss.
_BRAKE: tuple[tuple[str, int, Cause], ...] = (
    ("brake_shift_m", -1, "brakes early"),
    ("coast_diff_s", 1, "coasts"),
    ("brake_shift_m", 1, "brakes late"),
    ("entry_speed_diff_mps", -1, "enters slowly"),
)
_MID: tuple[tuple[str, int, Cause], ...] = (
    ("brake_shift_m", 1, "brakes late"),
    ("min_speed_diff_mps", -1, "over-slows"),
    ("coast_diff_s", 1, "rolls through"),
)
_EXIT: tuple[tuple[str, int, Cause], ...] = (
    ("throttle_shift_m", 1, "late on the throttle"),
    ("min_speed_diff_mps", -1, "over-slows"),
)
_CAUSES: dict[Phase, tuple[tuple[str, int, Cause], ...]] = {
    "approach": _BRAKE, "brake": _BRAKE, "turn_in": _MID, "apex": _MID, "exit": _EXIT,
}  # fmt: skip

# cause -> the figure that shows it, where there is one.
_SHOWN_BY: dict[Cause, str] = {
    "brakes early": "brake_shift_m", "brakes late": "brake_shift_m", "coasts": "coast_diff_s",
    "rolls through": "coast_diff_s",
    "releases abruptly": "release_diff_s", "drags the brake": "release_diff_s",
    "enters slowly": "entry_speed_diff_mps", "over-slows": "min_speed_diff_mps",
    "late on the throttle": "throttle_shift_m",
}  # fmt: skip


def _phase(losses: Sequence[float], brake_shift_m: float | None, losing: Sequence[PassLoss]) -> Phase:
    """Where in the corner the loss arises: the part that costs most, or a brake point that explains it."""
    brake_s, mid_s, exit_s = losses
    if exit_s >= brake_s and exit_s > CARRIED_SHARE * mid_s:
        return "exit"
    # Braking too late wins the brake zone and loses the corner.
    if brake_s >= mid_s or (brake_shift_m or 0.0) > 0.0:
        return "brake"
    slow_late_m = _middle([part.slow_late_m for part in losing]) or 0.0
    return "turn_in" if slow_late_m < -BRAKE_NOISE_M else "apex"


def _cause(phase: Phase, told: Figures, figures: Figures, release_diff_s: float | None) -> Cause:
    """Return the cause: what shows in each of the laps explains a loss before what shows in most of them."""
    entry_mps, min_mps = figures["entry_speed_diff_mps"], figures["min_speed_diff_mps"]
    if phase in ("turn_in", "apex") and entry_mps is not None and entry_mps < min(min_mps or 0.0, 0.0):
        # Slower at the entry than at the apex: the speed was gone before the corner.
        return "enters slowly"
    for shown in (told, figures):
        for name, sign, cause in _CAUSES[phase]:
            value = shown[name]
            if value is not None and value * sign > 0.0:
                return cause
    if phase == "exit":
        return "slow exit"
    if release_diff_s is None:
        return "line"
    return "releases abruptly" if release_diff_s < 0.0 else "drags the brake"


def _usually(values: Sequence[float | None], floor: float) -> float | None:
    """The median, where two thirds of the passes differ to its side by more than the noise; else None."""
    middle = _middle(values)
    agree = [value for value in values if value is not None and value * (middle or 0.0) > 0.0]
    sure = [value for value in agree if abs(value) >= floor]
    return middle if middle is not None and 3 * len(sure) >= 2 * len(values) else None


def _in_each(values: Sequence[float | None], floor: float) -> float | None:
    """The median, where every pass differs to the same side by more than the noise."""
    known = [value for value in values if value is not None]
    same = all(value >= floor for value in known) or all(value <= -floor for value in known)
    return median(known) if known and same else None


def _slowest_m(corner: Corner, reference: ReferenceLap) -> float:
    span_m = (corner.exit_m - corner.entry_m) % reference.length_m
    places = [corner.entry_m + span_m * step / 40.0 for step in range(41)]
    return min(places, key=reference.speed_at) % reference.length_m


def _middle(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _diffs(
    own: Sequence[PassFacts], best: PassFacts | None, figure: Callable[[PassFacts], float | None]
) -> list[float | None]:
    usual = None if best is None else figure(best)
    values = [figure(each) for each in own]
    return [None if value is None or usual is None else value - usual for value in values]


def _shifts(
    own: Sequence[PassFacts],
    best: PassFacts | None,
    length_m: float,
    place: Callable[[PassFacts], float | None],
) -> list[float | None]:
    shifts = _diffs(own, best, place)
    return [None if shift is None else way_m(0.0, shift, length_m) for shift in shifts]


def _releases(own: Sequence[PassFacts], best: PassFacts | None, length_m: float) -> list[float | None]:
    """How much longer each release took; nothing where it took longer but was over sooner: it was begun
    sooner then, and to begin it sooner still would be the wrong advice."""
    longer_s = _diffs(own, best, lambda each: each.release_s)
    later_m = _shifts(own, best, length_m, lambda each: each.off_brake_m)
    return [
        0.0 if more is not None and more > 0.0 and (late or 0.0) < -BRAKE_NOISE_M else more
        for more, late in zip(longer_s, later_m, strict=True)
    ]


def _floor(value: float | None, floor: float) -> float | None:
    """Nothing where the figure is under its noise floor."""
    return None if value is None or abs(value) < floor else value

"""The calls of a lap: what is wanted before which corner, from where it may be heard, and which calls leave
each other the room. Functions of what the coach knows (`LapKnowledge`), without a state of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence

import msgspec

from pitwall.coach.concepts import CONCEPTS, OWN_BEST
from pitwall.coach.cue import Mode, Phase
from pitwall.coach.diagnosis import Advice, habit_of, is_cleared, pair_of
from pitwall.coach.lead import Delays
from pitwall.coach.pace import PaceProfile
from pitwall.coach.places import call_place, open_road_m
from pitwall.coach.policy import GAP_S
from pitwall.coach.record import UNHEEDED, Record, numbers
from pitwall.coach.scripts import Phrase
from pitwall.coach.straights import Straights
from pitwall.coach.strengths import FACTS, HABITS
from pitwall.coach.wording import Wording
from pitwall.track.model import Corner, Track
from pitwall.track.reference import ReferenceLap, brake_place
from pitwall.track.same_road import line_of

# So much before its lead a call may start where the road bends later: rally co-drivers look 4 s ahead, and a
# call that names its corner can't be taken for another one.
EARLY_S = 5.0
# Where there is no such place, as on a kart track, what names its corner and what to do there is kept in mind
# for so long: the last straight before it.
FAR_S = 10.0
# A place that serves one lap may serve the next a little later: the same straight, not its last metre.
EARLY_SLACK_S = 0.3
# What is taught lap by lap where the track is new: the place, then the line, then the way out.
TAUGHT: tuple[Phase, ...] = ("approach", "turn_in", "apex", "exit")
# A corner that slows a car by less than 18 km/h is taken by feel.
LEAST_DROP_MPS = 5.0
# A corner of a smaller radius is tight, and one of a larger one is open.
TIGHT_M, OPEN_M = 35.0, 90.0
# How much likelier an advice is heeded that names what to do than one that names the part of the corner.
PART_ONLY = 0.6
# What nobody asks of tyres that are going.
NEEDS_GRIP = frozenset(
    ("over_slowed", "more_apex_speed", "less_lift", "flat_possible", "more_speed", "brake_lighter", "apex")
)


class PlannedCall(msgspec.Struct, frozen=True):
    """A call that this lap shall have.

    `open_m`: offered only so far before the action point; `early_s`: may start so much before its lead,
    because the road is not straight at the lead itself; `persisted`: the loss showed again since it was said;
    `loss_s`: what the advice says that the corner loses a lap (None: it is no advice of today). `sooner_s`:
    so much sooner starts the form that tells what the fault cost, where there is one.
    """

    corner: Corner
    phase: Phase
    concept: str
    phrase: Phrase
    action_m: float
    open_m: float
    early_s: float
    lead_s: float
    reason: str
    persisted: bool
    loss_s: float | None = None
    sooner_s: float = 0.0


class LapKnowledge(msgspec.Struct, frozen=True):
    """Holds what calls are planned by. `corners` are in the order of the lap; `reference_lap` is the number
    of the reference in this drive; `void_laps` are no evidence; `tyres_go`: all corners have less grip."""

    track: Track
    corners: Mapping[str, Corner]
    records: Mapping[str, Record]
    wording: Wording
    clip_s: Callable[[str], float | None]
    delays: Delays
    straights: Straights
    pace: PaceProfile | None
    reference: ReferenceLap | None
    reference_lap: int
    lessons: Mapping[str, str]
    weights: Mapping[str, float]
    void_laps: Container[int]
    tyres_go: bool


def plan_lap(
    known: LapKnowledge, lap: int, mode: Mode, most: int, *, is_new: bool
) -> tuple[list[PlannedCall], dict[str, str]]:
    """The calls of a lap, at most so many, the dearest first, and why others are not made, by corner.
    `is_new`: nothing is known of a lap before this one."""
    crowded: dict[str, str] = {}
    if mode == "learn":
        wanted = _teaching(known, lap)
    elif is_new:
        wanted = [*_lesson_calls(known), *_first_calls(known, lap)]
    else:
        wanted = [*_fault_calls(known, lap, crowded), *_lesson_calls(known)]
    calls, left_out = spaced(wanted, most, known.pace)
    return calls, crowded | left_out


def _lesson_calls(known: LapKnowledge) -> Iterable[PlannedCall]:
    """Faults of the last day, once each, until this day has shown how it is driven."""
    for id_, concept in known.lessons.items():
        record = known.records.get(id_)
        if record is None or concept not in CONCEPTS or record.call_laps or len(record.seen) > 1:
            continue
        phrase = known.wording.lesson(id_, concept)
        call = _call(known, id_, CONCEPTS[concept].phase, concept, phrase, "told on an earlier day")
        if call is not None:
            yield call


def _teaching(known: LapKnowledge, lap: int) -> Iterable[PlannedCall]:
    """A new track, corner by corner: where it is, and lap by lap what to do there."""
    key = TAUGHT[lap % len(TAUGHT)]
    for id_ in sorted(known.corners, key=lambda each: known.records[each].in_a_row(lap)):
        phrase = known.wording.taught(id_, key, _shape(known.track, known.corners[id_]))
        if phrase is None:
            continue
        call = _call(known, id_, key, "", phrase, f"learning the track: {key}")
        if call is not None:
            yield call


def _shape(track: Track, corner: Corner) -> tuple[str, str, bool]:
    """Which way a corner turns, how tight it is, and whether it is known that one brakes for it."""
    line = line_of(track)
    from_deg, to_deg = (
        line.heading_deg[line.segment_at(place_m)] for place_m in (corner.entry_m, corner.exit_m)
    )
    turn_deg = (to_deg - from_deg if corner.direction == "right" else from_deg - to_deg) % 360.0
    radius_m = ((corner.exit_m - corner.entry_m) % track.length_m) / max(math.radians(turn_deg), 0.1)
    tight = "tight" if radius_m < TIGHT_M else "medium" if radius_m < OPEN_M else "open"
    return corner.direction, tight, corner.brake_m is not None


def _first_calls(known: LapKnowledge, lap: int) -> Iterable[PlannedCall]:
    """The names of the corners that take the most speed."""
    drops = [(drop_mps(known, corner), id_) for id_, corner in known.corners.items() if corner.brake_m]
    for mps, id_ in sorted(drops, key=lambda pair: -pair[0]):
        if known.records[id_].in_a_row(lap) or mps < LEAST_DROP_MPS:
            continue
        phrase = known.wording.name_of(known.corners[id_])
        call = _call(known, id_, "approach", "", phrase, f"first laps: {mps:.0f} m/s to lose")
        if call is not None:
            yield call


def _fault_calls(known: LapKnowledge, lap: int, crowded: dict[str, str]) -> Iterable[PlannedCall]:
    """The calls wanted before corners, one a corner, the least lately told first among those that cost about
    as much; `crowded` takes those before which there is no place."""
    wanted = [*advices(known.records), *_facts(known.records)]
    corrected: set[str] = set()
    for advice in sorted(wanted, key=lambda each: (-_worth(known, each, lap), bool(each.fact))):
        id_, is_fact, record = advice.corner, bool(advice.fact), known.records[advice.corner]
        told_after = not is_fact and (
            advice.in_mean or advice.concept not in CONCEPTS or record.was_told(advice)
        )
        if (
            id_ in corrected or told_after or is_of_tyres(known, advice)
            or record.resting(record.pass_of(lap), advice) or _has_done(known, record, advice)
        ):  # fmt: skip
            continue
        again = record.said.concept == advice.concept and record.said.unheeded >= UNHEEDED
        cost_s = 0.0 if advice.concept in record.why_told else advice.cost_s
        phrase = known.wording.before(advice, again=again, cost_s=cost_s)
        phase: Phase = advice.part if is_fact else CONCEPTS[advice.concept].phase
        persisted = record.may_be_repeated(known.void_laps)
        call = _call(
            known, id_, phase, advice.concept, phrase, _reason(known, advice), persisted=persisted,
            from_m=advice.from_m, loss_s=advice.loss_s,
        )  # fmt: skip
        if call is not None:
            corrected.add(id_)
            yield call
        else:
            crowded[id_] = "no straight place before it"


def advices(records: Mapping[str, Record]) -> list[Advice]:
    """All that is wrong now, the dearest first."""
    found = [record.advice for record in records.values() if record.advice is not None]
    return sorted(found, key=lambda advice: -advice.loss_s)


def _facts(records: Mapping[str, Record]) -> list[Advice]:
    """Return what the driver's own best passes did otherwise, and what no lap needs, of the corners in which
    nothing is to be corrected."""
    found = [
        advice
        for id_, record in records.items()
        if not record.is_corrected
        for advice in (record.own_best, habit_of(id_, list(record.seen)))
    ]
    return [advice for advice in found if advice is not None]


def is_of_tyres(known: LapKnowledge, advice: Advice) -> bool:
    """Return whether an advice asks for grip that the tyres no longer have."""
    return known.tyres_go and bool({advice.concept, advice.fact} & NEEDS_GRIP)


def _has_done(known: LapKnowledge, record: Record, advice: Advice) -> bool:
    """Return whether the driver's last pass did what is asked for."""
    target = record.target(known.reference_lap)
    if advice.fact or target is None or not record.seen:
        return False
    pair = pair_of(record.seen[-1], target)
    return pair is not None and is_cleared(advice.concept, pair)


def _worth(known: LapKnowledge, advice: Advice, lap: int) -> float:
    """Seconds to gain, by how likely the advice is heeded: less so with each call that was not, and where
    no more is known than the part of the corner. A corner called a lap ago counts half, so that the
    others get their turn."""
    record = known.records[advice.corner]
    turn = 0.5 if record.in_a_row(lap) else 1.0
    likely = known.weights.get(advice.concept, 1.0) / (1.0 + record.said.unheeded)
    if advice.concept == OWN_BEST and advice.fact not in FACTS:  # only where it was
        likely *= PART_ONLY
    return advice.loss_s * likely * turn


def told_after(known: LapKnowledge, advice: Advice, lost_s: float | None = None) -> PlannedCall:
    """The advice as it is said after the corner. `lost_s`: what the pass lost that was just driven."""
    relapsed = known.records[advice.corner].has_relapsed(advice)
    phrase = known.wording.after(advice, relapsed=relapsed, lost_s=lost_s)
    phase: Phase = CONCEPTS[advice.concept].phase if advice.concept in CONCEPTS else advice.part
    return PlannedCall(
        known.corners[advice.corner], phase, advice.concept, phrase, 0.0, 0.0, 0.0, 0.0,
        _reason(known, advice), True, advice.loss_s,
    )  # fmt: skip


def _reason(known: LapKnowledge, advice: Advice) -> str:
    laps = numbers(advice.laps)
    if advice.concept in HABITS:
        return f"seen in laps {laps}, about {advice.loss_s:.2f} s"
    if advice.concept == OWN_BEST:
        return f"{advice.loss_s:.2f} s behind the own best in laps {laps}: {advice.detail}"
    label = known.reference.label if known.reference is not None else ""
    return f"loses {advice.loss_s:.2f} s in laps {laps} against {label} and better passes: {advice.detail}"


def _call(
    known: LapKnowledge, corner_id: str, phase: Phase, concept: str, phrase: Phrase, reason: str, *,
    persisted: bool = False, from_m: float | None = None, loss_s: float | None = None,
) -> PlannedCall | None:  # fmt: skip
    """The call with the place to say it; None where there is none. `from_m`: what it is about begins so many
    metres ahead of the entry."""
    corner, record, pace = known.corners[corner_id], known.records[corner_id], known.pace
    target = record.target(known.reference_lap) if concept else None
    passes = [each.technique for each in (target, record.seen[-1] if record.seen else None) if each]
    action_m = call_place(corner, known.track.length_m, known.reference, *passes, from_m=from_m)
    open_m = open_road_m(known.track, corner, action_m, known.reference)
    clips = [known.clip_s(text) for text in (phrase.text, phrase.short) if text]
    leads = [known.delays.lead_s(0.0, clip_s) for clip_s in clips if clip_s is not None]
    lead_s = leads[0] if leads else 0.0
    why_s = known.clip_s(phrase.why) if phrase.why else None
    sooner_s = 0.0 if why_s is None else max(known.delays.lead_s(0.0, why_s) - lead_s, 0.0)
    early_s: float | None = 0.0
    if pace is not None and leads:
        # The corner is named, so that the call may come before the corner that lies between.
        for most_s in (EARLY_S, FAR_S) if concept else (EARLY_S,):
            open_m = max(open_m, pace.place_before(action_m, lead_s + most_s + 1.0))
            early_s = early_start_s(known.straights, pace, action_m, open_m, leads, most_s)
            if early_s is not None:
                break
    if early_s is None:
        return None
    return PlannedCall(
        corner, phase, concept, phrase, action_m, open_m, early_s, lead_s, reason, persisted, loss_s, sooner_s
    )


def hardest(known: LapKnowledge, count: int) -> set[str]:
    """The corners that take the most speed."""
    by_drop = sorted(known.corners.values(), key=lambda corner: -drop_mps(known, corner))
    return {corner.id for corner in by_drop[:count]}


def drop_mps(known: LapKnowledge, corner: Corner) -> float:
    """How much speed a corner takes at the known pace; a corner of unknown pace comes last but counts."""
    brake_m = brake_place(corner, known.reference)
    if known.pace is None or brake_m is None:
        return LEAST_DROP_MPS
    return known.pace.speed_at(brake_m) - known.pace.speed_at(corner.apex_m)


def early_start_s(
    straights: Straights,
    pace: PaceProfile,
    action_m: float,
    open_m: float,
    leads_s: Sequence[float],
    most_s: float = EARLY_S,
) -> float | None:
    """Seconds before its lead that a call must start to be heard on a straight; None where it can't be.
    `open_m`: no sooner than so far before the action point; `leads_s`: of its forms, the long one first;
    `most_s`: no more seconds than this."""
    road_s = float("inf")
    if open_m < pace.length_m / 2.0:
        road_s = pace.time_between((action_m - open_m) % pace.length_m, open_m)
    for lead_s in leads_s:
        early_s = straights.early_s(action_m, lead_s, pace, min(most_s, road_s - lead_s))
        if early_s is not None:
            return early_s + (EARLY_SLACK_S if early_s else 0.0)
    return None


def spaced(
    wanted: Iterable[PlannedCall], most: int, pace: PaceProfile | None
) -> tuple[list[PlannedCall], dict[str, str]]:
    """The dearest calls that leave each other the room to be heard, and why each of the others does not, by
    corner. `wanted`: the dearest first."""
    chosen: list[PlannedCall] = []
    crowded: dict[str, str] = {}
    for call in wanted:
        near = [other.corner.name for other in chosen if pace is not None and not _apart(call, other, pace)]
        if len(chosen) == most:
            crowded[call.corner.id] = f"crowded out: {most} dearer corners in this lap"
        elif near:
            crowded[call.corner.id] = f"crowded out by {near[0]}"
        else:
            chosen.append(call)
    return chosen, crowded


def _apart(one: PlannedCall, other: PlannedCall, pace: PaceProfile) -> bool:
    length_m = pace.length_m
    ahead_m = (other.action_m - one.action_m) % length_m
    after_s = pace.time_between(one.action_m % length_m, ahead_m)
    before_s = pace.time_between(other.action_m % length_m, length_m - ahead_m)
    return after_s >= other.lead_s + GAP_S and before_s >= one.lead_s + GAP_S

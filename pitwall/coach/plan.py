"""Plan the calls of a lap: which corner, heard from where, with room between them.

Functions of what the coach knows (`LapKnowledge`), without a state of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from pitwall.coach.cue import Mode, Phase
from pitwall.coach.lead import Delays
from pitwall.coach.pace import PaceProfile
from pitwall.coach.places import call_place, open_road_m
from pitwall.coach.policy import GAP_S
from pitwall.coach.scripts import Phrase
from pitwall.coach.stint import Stint
from pitwall.coach.straights import Straights
from pitwall.coach.trial import CONTROL
from pitwall.coach.wording import Wording
from pitwall.diagnosis.advice import PHASE_OF, UNIT_OF, Diagnosis
from pitwall.track.model import Corner, Track
from pitwall.track.reference import ReferenceLap, brake_place
from pitwall.track.same_road import line_of

# So much before its lead a call may start where the road bends later: rally co-drivers look 4 s
# ahead, and a call that names its corner can't be mistaken for another one.
EARLY_S = 5.0
# Where there is no such place, as on a kart track or behind two bends, what names its corner and
# what to do there is kept in mind for so long: the straight before the last one.
FAR_S = 20.0
# What found no room on a straight is said so much sooner, on the straight before it.
SOONER_S = 2.5
# Behind the dearest corner the focus of the stint counts for this multiple of its loss.
FOCUS_STAYS = 1.6
# The pass of the dearest corner after its last call is not over: a place is kept for it.
PENDING = "its last pass is not counted yet"
# Corners are called in the same lap where less than this share of its length lies between them.
ONE_LAP = 0.98
# What is taught lap by lap where the track is new: the place, then the line, then the way out.
TAUGHT: tuple[Phase, ...] = ("approach", "turn_in", "apex", "exit")
# A corner that slows a car by less than 18 km/h is driven by feel.
LEAST_DROP_MPS = 5.0
# A corner of a smaller radius is tight, and one of a larger one is open.
TIGHT_M, OPEN_M = 35.0, 90.0
# More corners than two in a lap are not heard; a beginner is busy with the car.
FIRST_LAP_CORNERS = 5
# The phase of a corner in which an action is done.
DONE_IN: Mapping[str, Phase] = {"straight": "brake", "brake": "brake", "middle": "apex", "exit": "exit"}


class PlannedCall(msgspec.Struct, frozen=True):
    """A call that this lap shall have.

    `open_m`: offered only so far before the action point; `early_s`: may start so much before its
    lead, because the road is not straight at the lead itself; `persisted`: the loss showed again
    since it was said; `loss_s`: the seconds that the advice would win back a lap (None: it is no
    advice of today). `why_not`: why it can't be made in this lap, "" where it can.
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
    why_not: str = ""


class LapKnowledge(msgspec.Struct, frozen=True):
    """Holds what calls are planned by. `corners` are in the order of the lap; `said`: corner ->
    action and words of the last call there; `called`: corner -> laps in which it was called;
    `unheard`: corner -> seconds before its lead at which its last call found no room;
    `heard_m`: the places of the last calls on the odometer; `at_s_m`: where on it a corner's action
    point is next called; `is_kept_back`: whether a corner is a control of the trial."""

    track: Track
    corners: Mapping[str, Corner]
    stint: Stint
    wording: Wording
    clip_s: Callable[[str], float | None]
    delays: Delays
    straights: Straights
    pace: PaceProfile | None
    reference: ReferenceLap | None
    lessons: Mapping[str, str]
    weights: Mapping[str, float]
    said: dict[str, tuple[str, Phrase]]
    called: Mapping[str, list[int]]
    unheard: Mapping[str, float]
    heard_m: Sequence[float]
    at_s_m: Callable[[str, float], float]
    is_kept_back: Callable[[str], bool]

    def in_a_row(self, corner_id: str, lap: int) -> int:
        """How many laps in a row before this one the corner was called."""
        laps, count = self.called.get(corner_id, ()), 0
        while lap - 1 - count in laps:
            count += 1
        return count


def plan_lap(
    known: LapKnowledge, lap: int, mode: Mode, most: int, *, is_new: bool
) -> tuple[list[PlannedCall], list[PlannedCall]]:
    """The calls of a lap, `most` of them, the dearest and then the focus first; and those of them
    that can't be made. `is_new`: nothing is known of a lap before this one."""
    if mode == "learn":
        wanted = _teaching(known, lap)
    elif is_new:
        wanted = [*_lesson_calls(known), *_first_calls(known, lap)]
    else:
        wanted = [*_advice_calls(known, lap), *_lesson_calls(known)]
    return spaced(wanted, most, known)


def _advice_calls(known: LapKnowledge, lap: int) -> Iterable[PlannedCall]:
    """The calls for what the last passes lost: of the dearest corner, of the focus, of the
    others."""
    found = sorted(known.stint.diagnoses(lap), key=lambda one: -_worth(known, one))
    focus = known.stint.focus
    found[1:] = sorted(
        found[1:], key=lambda one: -_worth(known, one) * (FOCUS_STAYS if one.segment == focus else 1.0)
    )
    for one in found:
        corner = known.corners[one.corner]
        call = _call(
            known, one.corner, DONE_IN[one.phase], one.action, _words(known, one, corner),
            _reason(known, one), persisted=_is_seen_since(known, one), slows_at_m=one.slows_at_m,
            loss_s=known.stint.loss_s(one.corner),
        )  # fmt: skip
        called = known.called.get(one.corner)
        if called and not call.persisted:
            if one is found[0] and called[-1] >= lap - 1:
                yield msgspec.structs.replace(call, why_not=PENDING)
            continue  # no pass since then counts
        is_control = not call.why_not and known.is_kept_back(one.corner)
        yield msgspec.structs.replace(call, why_not=CONTROL) if is_control else call


def _worth(known: LapKnowledge, one: Diagnosis) -> float:
    """Return what a corner costs a lap, by how likely the advice is heeded."""
    return known.stint.loss_s(one.corner) * known.weights.get(one.action, 1.0)


def _words(known: LapKnowledge, one: Diagnosis, corner: Corner) -> Phrase:
    """The words of a call: those of the last one as long as they are about the same."""
    of_reference = known.stint.source == "given" and one.best_lap < 0
    kind = f"{one.action} {one.is_habit} {one.is_try} {of_reference}"
    said = known.said.get(one.corner)
    if said is not None and said[0] == kind:
        return said[1]
    brakes = brake_place(corner, known.reference) is not None
    phrase = known.wording.before(one, brakes=brakes, of_reference=of_reference)
    known.said[one.corner] = (kind, phrase)
    return phrase


def _is_seen_since(known: LapKnowledge, one: Diagnosis) -> bool:
    """Return whether a pass that counts was seen since the corner was last called."""
    called, of = known.called.get(one.corner), known.stint.of_corner(one.corner)
    if not called or of is None or not of.seen:
        return False
    return of.seen[-1].lap >= called[-1]


def _reason(known: LapKnowledge, one: Diagnosis) -> str:
    laps = ", ".join(map(str, one.laps))
    label = known.reference.label if known.reference is not None else ""
    by = f"the best pass, lap {one.best_lap}" if one.best_lap >= 0 else label
    how = "a habit" if one.is_habit else "one thing to try" if one.is_try else f"{one.of} passes looked at"
    amount = f", {one.amount:.1f} {UNIT_OF[one.action]}" if one.amount else ""
    return (
        f"loses {one.loss_s:.2f} s, {one.seconds:.2f} by this, in laps {laps} against {by}: "
        f"{one.action}{amount}, {how}"
    )


def _lesson_calls(known: LapKnowledge) -> Iterable[PlannedCall]:
    """Advice of the last day, once each, until this day has shown how it is driven."""
    for id_, action in known.lessons.items():
        of = known.stint.of_corner(id_)
        name = next((each for each in PHASE_OF if each == action), None)
        if name is None or id_ not in known.corners or known.called.get(id_) or (of and len(of.seen) > 1):
            continue
        phrase = known.wording.lesson(id_, name)
        yield _call(known, id_, DONE_IN[PHASE_OF[name]], name, phrase, "said on an earlier day")


def _teaching(known: LapKnowledge, lap: int) -> Iterable[PlannedCall]:
    """A new track, corner by corner: where it is, and lap by lap what to do there."""
    key = TAUGHT[lap % len(TAUGHT)]
    for id_ in sorted(known.corners, key=lambda each: known.in_a_row(each, lap)):
        phrase = known.wording.taught(id_, key, _shape(known.track, known.corners[id_]))
        if phrase is None:
            continue
        yield _call(known, id_, key, "", phrase, f"learning the track: {key}")


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
        if known.in_a_row(id_, lap) or mps < LEAST_DROP_MPS:
            continue
        phrase = known.wording.name_of(known.corners[id_])
        yield _call(known, id_, "approach", "", phrase, f"first laps: {mps:.0f} m/s to lose")


def _call(
    known: LapKnowledge, corner_id: str, phase: Phase, concept: str, phrase: Phrase, reason: str, *,
    persisted: bool = False, slows_at_m: float | None = None, loss_s: float | None = None,
) -> PlannedCall:  # fmt: skip
    """The call with the place to say it, or without one. `slows_at_m`: where one of the passes that
    it is about slows down first."""
    corner, pace = known.corners[corner_id], known.pace
    action_m = call_place(corner, known.track.length_m, known.reference, slows_at_m)
    open_m = open_road_m(known.track, corner, action_m, known.reference)
    clips = [known.clip_s(text) for text in (phrase.text, phrase.short) if text]
    clips_s = [clip_s for clip_s in clips if clip_s is not None]
    leads = [(known.delays.lead_s(0.0, clip_s), clip_s) for clip_s in clips_s]
    early_s: float | None = None
    least_s = known.unheard.get(corner_id, 0.0)
    # The corner is named, so that the call may come before the corner that lies between.
    tries = ((least_s, FAR_S), (0.0, FAR_S)) if least_s else ((0.0, EARLY_S), (0.0, FAR_S))
    for sooner_s, most_s in tries if concept else ((0.0, EARLY_S),):
        if pace is not None and leads:
            open_m = max(open_m, pace.place_before(action_m, leads[0][0] + most_s + 1.0))
        early_s = early_start_s(known, action_m, open_m, leads, sooner_s, most_s)
        if early_s is not None:
            break
    return PlannedCall(
        corner, phase, concept, phrase, action_m, open_m, early_s or 0.0, leads[0][0] if leads else 0.0,
        reason, persisted, loss_s, "no straight place before it" if early_s is None else "",
    )  # fmt: skip


def hardest(known: LapKnowledge, count: int) -> set[str]:
    """The corners that take the most speed."""
    by_drop = sorted(known.corners.values(), key=lambda corner: -drop_mps(known, corner))
    return {corner.id for corner in by_drop[:count]}


def drop_mps(known: LapKnowledge, corner: Corner) -> float:
    """How much speed a corner takes at the known pace; a corner of unknown pace comes last but
    counts."""
    brake_m = brake_place(corner, known.reference)
    if known.pace is None or brake_m is None:
        return LEAST_DROP_MPS
    return known.pace.speed_at(brake_m) - known.pace.speed_at(corner.apex_m)


def early_start_s(
    known: LapKnowledge, action_m: float, open_m: float, forms: Sequence[tuple[float, float]], least_s: float,
    most_s: float,
) -> float | None:  # fmt: skip
    """Seconds before its lead that a call may start to be heard while the driver is free; None
    where it can't be. `open_m`: no sooner than so far before the action point; `forms`: lead and
    length of each, the long one first; `least_s`, `most_s`: no less and no more seconds than
    this."""
    pace, road_s = known.pace, math.inf
    if pace is None or not forms:
        return 0.0
    if open_m < pace.length_m / 2.0:
        road_s = pace.time_between((action_m - open_m) % pace.length_m, open_m)
    for lead_s, clip_s in forms:
        sooner_s = min(most_s, road_s - lead_s)
        early_s = known.straights.early_s(action_m, lead_s, clip_s, pace, sooner_s, least_s)
        if early_s is not None:
            return early_s
    return None


def spaced(
    wanted: Iterable[PlannedCall], most: int, known: LapKnowledge
) -> tuple[list[PlannedCall], list[PlannedCall]]:
    """The first of the calls that leave each other the room to be heard, at most `most` within a
    lap's length; and those before the last of them that can't be made. `wanted`: the dearest first.
    A place that a dearer corner needs is kept for it."""
    chosen: list[PlannedCall] = []
    left_out: list[PlannedCall] = []
    pace, lap_m = known.pace, ONE_LAP * known.track.length_m
    heard_m = list(known.heard_m)
    for call in wanted:
        near = [other.corner.name for other in chosen if pace is not None and not _apart(call, other, pace)]
        at_s_m = known.at_s_m(call.corner.id, call.action_m)
        if call.why_not == PENDING:
            heard_m.append(at_s_m)
        elif call.why_not or near:
            why = f"crowded out by {near[0]}" if near else call.why_not
            if len(chosen) < most:
                left_out.append(msgspec.structs.replace(call, why_not=why))
        elif has_room(at_s_m, heard_m, most, lap_m):
            chosen.append(call)
            heard_m.append(at_s_m)
    return chosen, left_out


def has_room(at_s_m: float, heard_m: Iterable[float], most: int, lap_m: float) -> bool:
    """Return whether no lap's length that holds this place holds more than `most`, with those that
    were heard or shall be."""
    places = sorted((*(place for place in heard_m if abs(place - at_s_m) < lap_m), at_s_m))
    return all(last - first >= lap_m for first, last in zip(places, places[most:], strict=False))


def _apart(one: PlannedCall, other: PlannedCall, pace: PaceProfile) -> bool:
    length_m = pace.length_m
    ahead_m = (other.action_m - one.action_m) % length_m
    after_s = pace.time_between(one.action_m % length_m, ahead_m)
    before_s = pace.time_between(other.action_m % length_m, length_m - ahead_m)
    return after_s >= other.lead_s + GAP_S and before_s >= one.lead_s + GAP_S

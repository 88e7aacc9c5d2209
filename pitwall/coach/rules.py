"""The rule coach: which corners are called in this lap, with what advice, and what became of the advice.

Before there is a reference lap it names the corners with the biggest speed drop. From then on it calls only
where the driver's own laps lose time against the best that he has driven himself: before the corner where
there is room to listen, else after it.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from statistics import median

import msgspec

from pitwall.coach.concepts import CONCEPTS, CONSISTENCY, OWN_BEST, TIME_LOST
from pitwall.coach.cue import Mode, Phase
from pitwall.coach.diagnosis import (
    BEHIND_S,
    BEST_PASSES,
    MEMORY,
    WORTH_A_LINE_S,
    Advice,
    PassStep,
    SeenPass,
    Spread,
    find_advice,
    habit_of,
    is_cleared,
    is_lasting,
    is_traffic,
    is_true_of,
    own_best,
    pair_of,
    part_of,
    target_of,
    unexplained,
    why_not,
    why_untold,
)
from pitwall.coach.faults import OFF_PACE, PassLoss, is_off_pace, linked, net_of, parts_of, rebase
from pitwall.coach.grip import Fading, GripUsed
from pitwall.coach.lead import Delays
from pitwall.coach.pace import PaceProfile, reference_pace, typical_pace
from pitwall.coach.pair import Pair
from pitwall.coach.places import call_place, open_road_m
from pitwall.coach.plan import EARLY_S, FAR_S, PlannedCall, early_start_s, spaced
from pitwall.coach.scripts import Phrase, Scripts
from pitwall.coach.straights import Straights
from pitwall.coach.strengths import FACTS, HABITS
from pitwall.coach.wording import Wording
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.model import Corner, Track
from pitwall.track.passes import zones_of
from pitwall.track.reference import ReferenceLap, brake_place
from pitwall.track.same_road import line_of, lost_on, shift_between
from pitwall.track.technique import Technique
from pitwall.words.forms import Level

# Three hints, ranked, are liked; more are not heard (facts/callouts.md). So many before and so many after; a
# beginner is busy with the car.
MOST_CALLS: dict[Level, int] = {"beginner": 2, "intermediate": 3, "expert": 3}
# What is taught lap by lap where the track is new: the place, then the line, then the way out.
TAUGHT: tuple[Phase, ...] = ("approach", "turn_in", "apex", "exit")
# A first lap has more to say, and still leaves the arbiter's eight a lap room for messages.
FIRST_LAP_CORNERS = 5
# A corner that slows a car by less than 18 km/h is taken by feel.
LEAST_DROP_MPS = 5.0
# A corner of a smaller radius is tight, and one of a larger one is open.
TIGHT_M, OPEN_M = 35.0, 90.0
# After this many calls in a row, a corner is not called for one lap.
CALLS_IN_A_ROW = 2
# Calls that were not heeded: so many, then another wording once, then it is left to the debrief. Where there
# is no place before the corner for the other wording, it is left after more of them.
UNHEEDED, MOST_UNHEEDED = 3, 6
# How much likelier an advice is heeded that names what to do than one that names the part of the corner.
PART_ONLY = 0.6
# What a called pass has to win for a grade: a tenth.
WORTH_A_GRADE_S = 0.1
# A loss that two of the last passes had too, within this share, is how he drives, however large it is.
ALIKE_SHARE, ALIKE_PASSES = 0.25, 2
# What nobody asks of tyres that are going.
NEEDS_GRIP = frozenset(
    ("over_slowed", "more_apex_speed", "less_lift", "flat_possible", "more_speed", "brake_lighter", "apex")
)
# Why an advice that was wanted is not told after a pass.
NOT_TRUE = "not in this pass"
# The number that a lap of another drive has among the laps of this one.
GIVEN = -1
# The usual lap of a driver is looked for among his last laps.
LAPS_KEPT = 6


class AdviceGiven(msgspec.Struct):
    """Holds what the driver was told in one corner, and whether he did it. `from_lap` is the lap of the
    first pass that can show it, `due_lap` the same for the last call (None: judged); `unheeded` counts
    calls whose next pass still showed the fault, `again` is set once it was said another way, `cured` when
    he was praised."""

    concept: str = ""
    from_lap: int = 0
    laps: list[int] = []
    unheeded: int = 0
    due_lap: int | None = None
    again: bool = False
    cured: bool = False


class Record(msgspec.Struct):
    """Holds what is known of the driver in one corner. `lately`: the last passes that were seen, evidence
    or not; `all_s`: what they lost to the reference of their time. `times`: how often it was passed in the
    last of its laps, twice in one through the pits. `called_before_gate`: it lies so near behind the gate
    that it is called in the lap before. `why_told`: the faults whose cost the driver heard in this drive."""

    seen: deque[SeenPass]
    best: list[SeenPass] = []
    said: AdviceGiven = msgspec.field(default_factory=AdviceGiven)
    advice: Advice | None = None
    lately: deque[Technique] = msgspec.field(default_factory=lambda: deque(maxlen=MEMORY))
    lost: dict[int, float] = {}
    all_s: deque[float] = msgspec.field(default_factory=lambda: deque(maxlen=MEMORY))
    call_laps: list[int] = []
    last_pass_lap: int = -1
    times: int = 0
    called_before_gate: bool = False
    why_told: list[str] = []

    def pass_of(self, lap: int) -> int:
        """The lap of the pass that a call before the corner is to, when it is made in this lap."""
        return lap + 1 if self.called_before_gate else lap

    def was_told(self, advice: Advice) -> bool:
        """Return whether an advice that is unsure was said for the first time of these passes: then it has
        to show again."""
        said = self.said
        once = said.concept == advice.concept and len(said.laps) == 1
        return advice.unsure and once and said.laps[0] >= advice.laps[-1]

    @property
    def is_corrected(self) -> bool:
        """Return whether something is to be corrected here, or was: that is not said another way."""
        advice = self.advice
        is_named = advice is not None and advice.concept in CONCEPTS and not advice.in_mean
        return is_named or self.said.concept in CONCEPTS

    def own_best(self, corner: str) -> Advice | None:
        """Return what the best pass of this drive did otherwise than the last ones, None where that is not
        worth a word."""
        return own_best(corner, list(self.seen), (*self.best, *self.seen))

    @property
    def least_s(self) -> float:
        """The least that a pass of this drive lost here, inf where there was none: what the driver can."""
        own = (each.parts for each in (*self.seen, *self.best) if each.parts.lap >= 0)
        return min((parts.loss_s for parts in own), default=math.inf)

    @property
    def seen_since_call(self) -> bool:
        """Return whether a pass at pace was seen since the corner was last called."""
        return bool(self.call_laps and self.seen) and self.seen[-1].parts.lap >= self.call_laps[-1]

    def in_a_row(self, lap: int) -> int:
        """How many laps in a row before this one the corner was called."""
        count = 0
        while lap - 1 - count in self.call_laps:
            count += 1
        return count


class PassOutcome(msgspec.Struct, frozen=True):
    """Holds what a finished pass brings: a cure to be praised, what it won where it was called before
    (`won_s`, and whether he `did` what he was told), an advice that can now be told after the corner, or
    the reason why a wanted one is kept back. At most one of them."""

    cured: bool = False
    won_s: float = 0.0
    did: bool = False
    after: PlannedCall | None = None
    kept: PlannedCall | None = None
    why: str = ""


NOTHING = PassOutcome()


class RuleCoach:
    """Feed it passes, laps and the reference; ask it for the `calls` of a lap."""

    def __init__(
        self, track: Track, scripts: Scripts, clip_s: Callable[[str], float | None], delays: Delays
    ) -> None:
        self.track, self._clip_s, self._delays = track, clip_s, delays
        self.mode: Mode = "coach"
        # Faults of the last day, by corner: spoken of before this day has shown any.
        self.lessons: Mapping[str, str] = {}
        # How much likelier than other advice a concept is heeded, where a fleet has shown it.
        self.weights: Mapping[str, float] = {}
        self.use_words(scripts)
        self.reference: ReferenceLap | None = None
        # The lap of this drive that it is, GIVEN for one of another.
        self._reference_lap = GIVEN
        self.pace: PaceProfile | None = typical_pace(track)
        self.straights = Straights(track.length_m, track.corners)
        self._corners = {corner.id: corner for corner in sorted(track.corners, key=lambda c: c.apex_m)}
        self._records = {id_: Record(deque(maxlen=MEMORY)) for id_ in self._corners}
        self._starts_m: dict[str, float] = {}
        self._linked: dict[str, str] = {}
        # What the last pass lost as it was measured, and its corner.
        self._last_parts: tuple[str, PassLoss] | None = None
        # The last pass beside its target, whatever it is evidence of: its corner and lap.
        self._last_pass: tuple[str, int, Pair] | None = None
        self._void_laps: dict[int, str] = {}
        self._spread = Spread()
        self._grip, self._less_grip = GripUsed(len(track.corners)), False
        self.fading = Fading(len(track.corners))
        self._lap_times: deque[float] = deque(maxlen=LAPS_KEPT)
        self._lost_s = (0, 0.0)
        self._unscored: deque[tuple[CornerPass, Technique | None]] = deque(maxlen=2 * len(track.corners))
        self._last_lap: Lap | None = None
        self._calls: list[PlannedCall] = []
        self._crowded: dict[str, str] = {}
        self._planned_for: int | None = None
        self._lap = 0
        self._told_after: Counter[tuple[int, int]] = Counter()

    def use_words(self, scripts: Scripts) -> None:
        """Speak in these words from now on, and as much as their level bears."""
        self.wording, self._most = Wording(scripts), MOST_CALLS[scripts.level]
        self.plan_anew()

    def set_reference(self, reference: ReferenceLap | None) -> None:
        """Compare with this lap from now on, and what was driven before too."""
        before, self.reference = self.reference, reference
        zones = zones_of(self.track, reference)
        self._starts_m = {zone.corner.id: zone.start_m for zone in zones}
        self._linked = linked(zones, self.track.length_m)
        self._planned_for = None
        if reference is None:
            self.pace = typical_pace(self.track)
            return
        last = self._last_lap
        is_last = last is not None and last.time_s == reference.lap_time_s
        self._reference_lap = last.number if last is not None and is_last else GIVEN
        if before is not None:
            self._rebase(before, reference)
        elif last is not None and is_last:
            self._score_first(last.number)
        if before is not None and before.lap_time_s < reference.lap_time_s:
            for record in self._records.values():  # the faster lap is of another day's grip
                record.best = [each for each in record.best if each.parts.lap >= 0]
        for id_, record in self._records.items():
            if id_ in reference.techniques:
                zero = PassLoss(GIVEN, 0.0, 0.0, 0.0)
                self._remember(record, SeenPass(zero, reference.techniques[id_]))
            for each in record.seen:
                if self._is_reference(each) and each not in record.best:
                    self._remember(record, each)
        self._unscored.clear()
        self.pace = reference_pace(reference, self.track.length_m, self.track.lap_m)
        self._find()

    def corner_pass(self, corner_pass: CornerPass, technique: Technique | None) -> PassOutcome:
        """Take one pass, and say what it brings."""
        record = self._records.get(corner_pass.corner)
        if record is None or corner_pass.lap in self._void_laps:
            return NOTHING
        record.times = record.times + 1 if record.last_pass_lap == corner_pass.lap else 1
        record.last_pass_lap = corner_pass.lap
        lately = list(record.lately)
        if technique is not None:
            record.lately.append(technique)
            if self._grip.feed(corner_pass.corner, technique.corner_g):
                self._measure_anew()
        if self._grip.eased:
            self._planned_for = None  # what was planned was for a driver at pace
        parts = parts_of(corner_pass, None, None, self.track.length_m)
        if parts is None or self.reference is None:
            if self.reference is None:
                self._unscored.append((corner_pass, technique))
            return NOTHING
        parts = self._net_of_the_corner_before(corner_pass.corner, parts)
        was_off_pace = self._off_pace_so_far(corner_pass.lap, 0.0)
        off_pace = self._off_pace_so_far(corner_pass.lap, parts.loss_s)
        wanted, least_s = record.advice, record.least_s
        target = self._target(record)
        loss_s = parts.loss_s - target.parts.loss_s if target is not None else 0.0
        # A lap that was slow already loses everywhere: that is told of the lap.
        if loss_s > WORTH_A_LINE_S and not (was_off_pace and is_traffic(parts.loss_s, least_s)):
            record.lost[corner_pass.lap] = loss_s
        best = target.technique if target else None
        before_it, pair = self._before(corner_pass), None
        if target is not None:
            pair = pair_of(SeenPass(parts, technique), target)
        self._last_pass = None if pair is None else (corner_pass.corner, corner_pass.lap, pair)
        why = off_pace or self._grip.eased
        alike = sum(abs(each_s - parts.loss_s) <= ALIKE_SHARE * abs(parts.loss_s) for each_s in record.all_s)
        record.all_s.append(parts.loss_s)
        if alike >= ALIKE_PASSES:
            least_s = parts.loss_s  # three times alike is no traffic
        why = why or why_not(parts, technique, best, lately, least_s)
        if why:
            lost = wanted or self._unexplained(record, corner_pass, pair)
            return self._keep_back(record, corner_pass, lost, why)
        if pair is not None and self._reference_lap != GIVEN:
            self.fading.feed(pair.less_grip_share)
        evidence = SeenPass(parts, technique)
        won_s, did = self._won(record, evidence, pair)
        cured = self._follow_up(record, evidence, target)
        if record.seen and record.seen[-1].parts.lap == corner_pass.lap:
            record.seen.pop()  # the lap passed here twice, as one through the pits does: the last pass counts
        while record.seen and is_traffic(record.seen[-1].parts.loss_s, parts.loss_s):
            record.seen.pop()  # the first ones were held up: nothing showed it until now
        before = record.seen[-1] if record.seen else None
        if before is not None and technique is not None:
            step_s = abs(parts.loss_s - before.parts.loss_s)
            self._spread.add(PassStep(corner_pass.corner, corner_pass.lap, technique.time_s, step_s))
        record.seen.append(evidence)
        self._remember(record, evidence)
        record.advice = self._advice(record, corner_pass.corner)
        self._planned_for = None
        if cured:
            record.said.cured = True
            return PassOutcome(cured=True)
        if won_s:
            return PassOutcome(won_s=won_s, did=did)
        fact = self._fact_after(record, corner_pass)
        if fact is not None:
            return PassOutcome(after=self._told(record, fact, corner_pass.corner))
        if record.advice is None:
            chance = self._unexplained(record, corner_pass, pair, evidence=True)
            if chance is None:
                return self._keep_back(record, corner_pass, wanted, NOT_TRUE)
            chance_s = self._spread.chance_s(corner_pass.corner, technique.time_s) if technique else 0.0
            start_m = self._starts_m[corner_pass.corner]
            return self._keep_back(
                record, corner_pass, chance, why_untold(pair, before_it, start_m, chance_s)
            )
        return self._after(record, evidence, target, corner_pass)

    def _fact_after(self, record: Record, corner_pass: CornerPass) -> Advice | None:
        """Return what the own best pass did otherwise than this one, of a corner before which there was no
        place to tell it in this lap."""
        id_, lap = corner_pass.corner, corner_pass.lap
        if id_ not in self._crowded or lap in record.call_laps or record.is_corrected or self.mode != "coach":
            return None
        fact = record.own_best(id_)
        if fact is None or lap not in fact.laps or self._resting(record, lap, fact):
            return None
        full = self._told_after[lap, record.times] >= self._most
        return None if full or (self.fading and fact.fact in NEEDS_GRIP) else fact

    def _net_of_the_corner_before(self, corner_id: str, parts: PassLoss) -> PassLoss:
        last, self._last_parts = self._last_parts, (corner_id, parts)
        is_linked = last is not None and self._linked.get(corner_id) == last[0]
        return net_of(parts, last[1] if last and is_linked and parts.lap - last[1].lap in (0, 1) else None)

    def _before(self, corner_pass: CornerPass) -> Pair | None:
        """The pass of the corner before this one, where it was just driven."""
        order = list(self._corners)
        before = order[order.index(corner_pass.corner) - 1]
        if self._last_pass is None or self._last_pass[0] != before:
            return None
        _, lap, pair = self._last_pass
        return pair if corner_pass.lap - lap in (0, 1) else None

    def _unexplained(
        self, record: Record, corner_pass: CornerPass, pair: Pair | None, *, evidence: bool = False
    ) -> Advice | None:
        """The loss of this pass among its like; for `evidence` no lap counts that was left out."""
        lost = {lap: s for lap, s in record.lost.items() if not (evidence and lap in self._void_laps)}
        advice = unexplained(corner_pass.corner, lost, corner_pass.lap, self._void_laps)
        if advice is None or pair is None:
            return advice
        return msgspec.structs.replace(advice, part=part_of(pair))

    def _measure_anew(self) -> None:
        """There is less grip than there was: what was driven with more is no measure, and no evidence."""
        self._less_grip = True
        for record in self._records.values():
            record.seen.clear()
            record.best, record.advice, record.lost, record.said = [], None, {}, AdviceGiven()
        self._planned_for = None

    def _off_pace_so_far(self, lap: int, loss_s: float) -> str:
        """Take what a corner lost; why the lap is no evidence any more, "" where it still is, as it is where
        one of the last laps was as slow: he drives like that today."""
        self._lost_s = (lap, loss_s + (self._lost_s[1] if self._lost_s[0] == lap else 0.0))
        times = self._lap_times
        if not times or self.reference is None:
            return ""
        best_s = min(times)
        # A reference that is faster than he ever was is lost to in every lap.
        late_s = self._lost_s[1] - max(best_s - self.reference.lap_time_s, 0.0)
        slow = [time_s for time_s in list(times)[times.index(best_s) :] if time_s > OFF_PACE * best_s]
        if slow or late_s <= (OFF_PACE - 1.0) * best_s:
            return ""
        return f"{late_s:.1f} s off the best in this lap so far"

    def lap(self, lap: Lap) -> str:
        """Take a finished lap. Returns why it is no evidence, "" where it is."""
        self._last_lap = lap
        why = lap.reason or f"no flying lap: {lap.kind}" if lap.kind != "flying" else ""
        if not why and lap.time_s is not None:
            if is_off_pace(lap.time_s, tuple(self._lap_times)):
                why = f"{lap.time_s - min(self._lap_times):.1f} s off the best"
            self._lap_times.append(lap.time_s)
        if why:
            self.leave_out(lap.number, why)
        self._planned_for = None
        return why

    def leave_out(self, lap: int, why: str, *, as_target: bool = False) -> None:
        """Leave out what was driven in this lap, and what is still to come of it, is no evidence; nor a
        target."""
        self._void_laps[lap] = why
        self._spread.forget(lap)
        self.fading.forget()
        for id_, record in self._records.items():
            kept = [each for each in record.seen if each.parts.lap != lap]
            if as_target:
                record.best = [each for each in record.best if each.parts.lap != lap]
            if len(kept) < len(record.seen):
                record.seen = deque(kept, maxlen=MEMORY)
                record.advice = self._advice(record, id_)
        self._planned_for = None

    def take_in(self, lap: int) -> None:
        """The lap counts after all, as far as it is still to be driven."""
        self._void_laps.pop(lap, None)

    def called(self, corner_id: str, lap: int, concept: str, *, after: bool, with_why: bool = False) -> None:
        """The corner was called in this lap, `after` it or before; `with_why`: with what the fault cost."""
        record = self._records[corner_id]
        if with_why:
            record.why_told.append(concept)
        if after:
            self._told_after[lap, record.times] += 1
        else:
            record.called_before_gate = record.last_pass_lap >= lap
            lap = record.pass_of(lap)
        record.call_laps.append(lap)
        if concept:
            due_lap = lap + 1 if after else lap
            if record.said.concept != concept:
                record.said = AdviceGiven(concept, due_lap)
            record.said.laps.append(lap)
            record.said.due_lap = due_lap
            record.said.again |= not after and record.said.unheeded >= UNHEEDED
            record.said.cured = False
        self._planned_for = None

    def calls(self, lap: int) -> list[PlannedCall]:
        """The calls of a lap, the dearest first. Changes only with what was fed since."""
        if self._planned_for != lap:
            self._planned_for = self._lap = lap
            self._crowded = {}
            wanted, most = self._wanted(lap)
            self._calls, crowded = spaced(wanted, most, self.pace)
            self._crowded |= crowded
        return self._calls

    def plan_anew(self) -> None:
        """Something outside the driving has changed: plan this lap's calls again."""
        self._planned_for = None

    @property
    def most_calls(self) -> int:
        """How many corners are called before them in a lap now."""
        return FIRST_LAP_CORNERS if self.mode == "learn" or self._is_new else self._most

    @property
    def _is_new(self) -> bool:
        """Return whether nothing is known of a lap before this one: how this driver drives here today."""
        if self._less_grip:
            return False
        return all(each.parts.lap >= self._lap for record in self._records.values() for each in record.seen)

    def _wanted(self, lap: int) -> tuple[Iterable[PlannedCall], int]:
        """The calls that this lap could have, the dearest first, and how many of them are heard."""
        if self.mode in ("quiet", "numbers"):
            return (), 0
        if self.mode == "learn":
            return self._teaching(lap), FIRST_LAP_CORNERS
        if self._grip.eased:
            return (), 0
        if self._is_new:
            return chain(self._lesson_calls(lap), self._first_calls(lap)), FIRST_LAP_CORNERS
        return chain(self._fault_calls(lap), self._lesson_calls(lap)), self._most

    def advices(self) -> list[Advice]:
        """All that is wrong now, the dearest first."""
        found = [record.advice for record in self._records.values() if record.advice is not None]
        return sorted(found, key=lambda advice: -advice.loss_s)

    def _find(self) -> None:
        for id_, record in self._records.items():
            record.advice = self._advice(record, id_)

    def _advice(self, record: Record, corner_id: str) -> Advice | None:
        target = self._target(record)
        time_s = target.technique.time_s if target is not None and target.technique is not None else 1.0
        seen, chance_s = list(record.seen), self._spread.chance_s(corner_id, time_s)
        lasts = bool(seen) and is_lasting(record.lost, seen[-1].parts.lap, time_s, self._void_laps)
        return find_advice(corner_id, seen, target, chance_s, lasts=lasts)

    def _target(self, record: Record) -> SeenPass | None:
        if not record.best:
            return None
        # Where the reference lap's own pass is not known, the one that differs least from it.
        own = min(record.best, key=lambda each: (not self._is_reference(each), abs(each.parts.loss_s)))
        return target_of(record.best, own)

    def _is_reference(self, each: SeenPass) -> bool:
        """Return whether the pass is the reference lap's own. It is measured, so that it is a few
        milliseconds off the lap itself."""
        return each.parts.lap == self._reference_lap

    def _remember(self, record: Record, evidence: SeenPass) -> None:
        """Keep the best passes, and that of the reference lap."""
        ranked = sorted([*record.best, evidence], key=lambda each: each.parts.loss_s)
        record.best = [each for i, each in enumerate(ranked) if i < MEMORY or self._is_reference(each)]

    def _won(self, record: Record, evidence: SeenPass, pair: Pair | None) -> tuple[float, bool]:
        """Seconds that this pass won of what the last ones lost, where it was called before it, and whether
        he did what he was told; 0 where that is not worth a word."""
        said, lap = record.said, evidence.parts.lap
        if said.due_lap != lap or lap not in record.call_laps or not record.seen:
            return 0.0, False
        recent = [each.parts.loss_s for each in list(record.seen)[-BEST_PASSES:]]
        won_s = median(recent) - evidence.parts.loss_s
        did = pair is not None and said.concept in CONCEPTS and is_cleared(said.concept, pair)
        return (won_s, did) if won_s >= WORTH_A_GRADE_S else (0.0, False)

    def _follow_up(self, record: Record, evidence: SeenPass, target: SeenPass | None) -> bool:
        """Judge what was said before this pass. True where two passes in a row now do without it."""
        said, lap = record.said, evidence.parts.lap
        pair = pair_of(evidence, target) if target is not None else None
        if not said.concept or target is None or pair is None or lap < said.from_lap:
            return False
        heeded = _is_heeded(said.concept, evidence, target, record.least_s)
        if said.due_lap is not None and lap >= said.due_lap:
            said.unheeded += not heeded
            said.due_lap = None
        # Without that fault and no better is no cure.
        if not heeded or said.cured or not record.seen or pair.loss_s > WORTH_A_LINE_S:
            return False
        before = record.seen[-1]
        return said.from_lap <= before.parts.lap and _is_heeded(said.concept, before, target, record.least_s)

    def _after(
        self, record: Record, evidence: SeenPass, target: SeenPass | None, corner_pass: CornerPass
    ) -> PassOutcome:
        """An advice that was not heard in this lap may be told after the corner, where it is true of it."""
        advice, lap = record.advice, corner_pass.lap
        if advice is None or lap in record.call_laps:
            return NOTHING
        pair = pair_of(evidence, target) if target is not None else None
        if pair is not None and _lost_otherwise(record, advice, pair):
            advice = msgspec.structs.replace(advice, concept=TIME_LOST, metres=None)
        if advice.concept == TIME_LOST and pair is not None:
            advice = msgspec.structs.replace(advice, part=part_of(pair))
        if self.fading and advice.concept in NEEDS_GRIP:
            return self._keep_back(record, corner_pass, advice, "all corners have less grip: tyres")
        if pair is None or not is_true_of(advice.concept, pair):
            return self._keep_back(record, corner_pass, advice, NOT_TRUE)
        if self.mode in ("quiet", "numbers"):
            return self._keep_back(record, corner_pass, advice, f"the mode is {self.mode}")
        if self._told_after[lap, record.times] >= self._most:
            why = f"crowded out: {self._most} corners told after them in this lap"
            return self._keep_back(record, corner_pass, advice, why)
        why = self._resting(record, lap, advice)
        if advice.concept == CONSISTENCY and record.said.concept == CONSISTENCY:
            why = "told once in this drive"
        if why:
            return self._keep_back(record, corner_pass, advice, why)
        return PassOutcome(after=self._told(record, advice, corner_pass.corner, pair.loss_s))

    def _keep_back(
        self, record: Record, corner_pass: CornerPass, advice: Advice | None, why: str
    ) -> PassOutcome:
        if advice is None or corner_pass.lap in record.call_laps:
            return NOTHING
        crowded = self._crowded.get(corner_pass.corner, "")
        reasons = "; ".join(part for part in (crowded, why) if part)
        return PassOutcome(kept=self._told(record, advice, corner_pass.corner), why=reasons)

    def _told(
        self, record: Record, advice: Advice, corner_id: str, lost_s: float | None = None
    ) -> PlannedCall:
        """The advice as it is said after the corner. `lost_s`: what the pass lost that was just driven."""
        corner = self._corners[corner_id]
        phrase = self.wording.after(advice, relapsed=self._relapsed(record, advice), lost_s=lost_s)
        phase: Phase = CONCEPTS[advice.concept].phase if advice.concept in CONCEPTS else advice.part
        reason = self._reason(advice)
        return PlannedCall(
            corner, phase, advice.concept, phrase, 0.0, 0.0, 0.0, 0.0, reason, True, advice.loss_s
        )

    def _relapsed(self, record: Record, advice: Advice) -> bool:
        return record.said.cured and record.said.concept == advice.concept

    def _resting(self, record: Record, lap: int, advice: Advice | None) -> str:
        """Why this corner is not called in this lap although it loses time, "" where it may be."""
        said = record.said
        given_up = said.unheeded > UNHEEDED and (said.again or said.unheeded >= MOST_UNHEEDED)
        if advice is not None and said.concept == advice.concept and given_up:
            return f"left to the debrief: told in laps {_numbers(said.laps)}"
        if record.in_a_row(lap) >= CALLS_IN_A_ROW:
            return f"a lap's rest after laps {_numbers(record.call_laps[-CALLS_IN_A_ROW:])}"
        return ""

    def _lesson_calls(self, lap: int) -> Iterable[PlannedCall]:
        """Faults of the last day, once each, until this day has shown how it is driven."""
        for id_, concept in self.lessons.items():
            record = self._records.get(id_)
            if record is None or concept not in CONCEPTS or record.call_laps or len(record.seen) > 1:
                continue
            corner, row = self._corners[id_], CONCEPTS[concept]
            phrase = self.wording.lesson(id_, concept)
            call = self._call(corner, row.phase, concept, phrase, "told on an earlier day", False)
            if call is not None:
                yield call

    def _teaching(self, lap: int) -> Iterable[PlannedCall]:
        """A new track, corner by corner: where it is, and lap by lap what to do there."""
        key = TAUGHT[lap % len(TAUGHT)]
        by_turn = sorted(self._corners.values(), key=lambda corner: self._records[corner.id].in_a_row(lap))
        for corner in by_turn:
            phrase = self.wording.taught(corner.id, key, self._shape(corner))
            if phrase is None:
                continue
            call = self._call(corner, key, "", phrase, f"learning the track: {key}", False)
            if call is not None:
                yield call

    def _shape(self, corner: Corner) -> tuple[str, str, bool]:
        """Which way a corner turns, how tight it is, and whether it is known that one brakes for it."""
        line, length_m = line_of(self.track), self.track.length_m
        from_deg, to_deg = (
            line.heading_deg[line.segment_at(place_m)] for place_m in (corner.entry_m, corner.exit_m)
        )
        turn_deg = (to_deg - from_deg if corner.direction == "right" else from_deg - to_deg) % 360.0
        radius_m = ((corner.exit_m - corner.entry_m) % length_m) / max(math.radians(turn_deg), 0.1)
        tight = "tight" if radius_m < TIGHT_M else "medium" if radius_m < OPEN_M else "open"
        return corner.direction, tight, corner.brake_m is not None

    def _first_calls(self, lap: int) -> Iterable[PlannedCall]:
        drops = [(self._drop_mps(corner), corner) for corner in self._corners.values() if corner.brake_m]
        for drop_mps, corner in sorted(drops, key=lambda pair: -pair[0]):
            if self._records[corner.id].in_a_row(lap) or drop_mps < LEAST_DROP_MPS:
                continue
            phrase = self.wording.name_of(corner)
            reason = f"first laps: {drop_mps:.0f} m/s to lose"
            call = self._call(corner, "approach", "", phrase, reason, False)
            if call is not None:
                yield call

    def _fault_calls(self, lap: int) -> Iterable[PlannedCall]:
        """Return what is wanted before corners, the least lately told first among those that cost about as
        much."""
        wanted = [*self.advices(), *self._facts()]
        corrected: set[str] = set()
        for advice in sorted(wanted, key=lambda each: (-self._worth(each, lap), bool(each.fact))):
            record, is_fact = self._records[advice.corner], bool(advice.fact)
            if self.fading and (advice.concept in NEEDS_GRIP or advice.fact in NEEDS_GRIP):
                continue
            told_after = not is_fact and (
                advice.in_mean or advice.concept not in CONCEPTS or record.was_told(advice)
            )
            if advice.corner in corrected or self._resting(record, record.pass_of(lap), advice) or told_after:
                continue
            last = record.seen[-1] if record.seen else None
            target = self._target(record)
            pair = pair_of(last, target) if last is not None and target is not None else None
            if not is_fact and pair is not None and is_cleared(advice.concept, pair):
                continue  # he has just done it
            # What was said in a lap that is no evidence had no fair try: at pace again, it is said again.
            persisted = record.seen_since_call or (
                bool(record.call_laps) and record.call_laps[-1] in self._void_laps
            )
            again = record.said.concept == advice.concept and record.said.unheeded >= UNHEEDED
            cost_s = 0.0 if advice.concept in record.why_told else advice.cost_s
            phrase = self.wording.before(advice, again=again, cost_s=cost_s)
            corner = self._corners[advice.corner]
            phase: Phase = advice.part if is_fact else CONCEPTS[advice.concept].phase
            reason = self._reason(advice)
            call = self._call(corner, phase, advice.concept, phrase, reason, persisted, from_m=advice.from_m)
            if call is not None:
                corrected.add(advice.corner)
                yield msgspec.structs.replace(call, loss_s=advice.loss_s)
            else:
                self._crowded[advice.corner] = "no straight place before it"

    def _facts(self) -> list[Advice]:
        """Return what the driver's own best passes did otherwise, and what no lap needs, of the corners in
        which nothing is to be corrected."""
        found = [
            advice
            for id_, record in self._records.items()
            if not record.is_corrected
            for advice in (record.own_best(id_), habit_of(id_, list(record.seen)))
        ]
        return [advice for advice in found if advice is not None]

    def _worth(self, advice: Advice, lap: int) -> float:
        """Seconds to gain, by how likely the advice is heeded: less so with each call that was not, and where
        no more is known than the part of the corner. A corner called a lap ago counts half, so that the
        others get their turn."""
        record = self._records[advice.corner]
        turn = 0.5 if record.in_a_row(lap) else 1.0
        likely = self.weights.get(advice.concept, 1.0) / (1.0 + record.said.unheeded)
        if advice.concept == OWN_BEST and advice.fact not in FACTS:  # only where it was
            likely *= PART_ONLY
        return advice.loss_s * likely * turn

    def _reason(self, advice: Advice) -> str:
        label = self.reference.label if self.reference is not None else ""
        laps = _numbers(advice.laps)
        if advice.concept in HABITS:
            return f"seen in laps {laps}, about {advice.loss_s:.2f} s"
        if advice.concept == OWN_BEST:
            return f"{advice.loss_s:.2f} s behind the own best in laps {laps}: {advice.detail}"
        return (
            f"loses {advice.loss_s:.2f} s in laps {laps} against {label} and better passes: {advice.detail}"
        )

    def _call(
        self,
        corner: Corner,
        phase: Phase,
        concept: str,
        phrase: Phrase,
        reason: str,
        persisted: bool,
        from_m: float | None = None,
    ) -> PlannedCall | None:
        """The call with the place to say it; None where there is none. `from_m`: what it is about begins so
        many metres ahead of the entry."""
        record = self._records[corner.id]
        target = self._target(record) if concept else None
        passes = [each.technique for each in (target, record.seen[-1] if record.seen else None) if each]
        action_m = call_place(corner, self.track.length_m, self.reference, *passes, from_m=from_m)
        open_m = open_road_m(self.track, corner, action_m, self.reference)
        clips = [self._clip_s(text) for text in (phrase.text, phrase.short) if text]
        leads = [self._delays.lead_s(0.0, clip_s) for clip_s in clips if clip_s is not None]
        lead_s = leads[0] if leads else 0.0
        why_s = self._clip_s(phrase.why) if phrase.why else None
        sooner_s = 0.0 if why_s is None else max(self._delays.lead_s(0.0, why_s) - lead_s, 0.0)
        early_s: float | None = 0.0
        if self.pace is not None and leads:
            # The corner is named, so that the call may come before the corner that lies between.
            for most_s in (EARLY_S, FAR_S) if concept else (EARLY_S,):
                open_m = max(open_m, self.pace.place_before(action_m, lead_s + most_s + 1.0))
                early_s = early_start_s(self.straights, self.pace, action_m, open_m, leads, most_s)
                if early_s is not None:
                    break
        if early_s is None:
            return None
        return PlannedCall(
            corner, phase, concept, phrase, action_m, open_m, early_s, lead_s, reason, persisted,
            sooner_s=sooner_s,
        )  # fmt: skip

    def _score_first(self, lap: int) -> None:
        """The lap that became the first reference loses nothing against itself."""
        for corner_pass, technique in self._unscored:
            known = technique is not None and corner_pass.corner in self._records
            if known and corner_pass.lap == lap:
                evidence = SeenPass(PassLoss(lap, 0.0, 0.0, 0.0), technique)
                record = self._records[corner_pass.corner]
                record.seen.append(evidence)
                self._remember(record, evidence)

    def _rebase(self, old: ReferenceLap, new: ReferenceLap) -> None:
        """Measure the passes that were compared with the old reference against the new one."""
        shift, driven = shift_between(self.track, old, new), old.around()
        for zone in zones_of(self.track, old):
            lost = lost_on(driven, new, zone.edges_m, 0.0, shift) or (0.0, 0.0, 0.0)
            record = self._records[zone.corner.id]
            record.seen = deque((_anew(each, lost) for each in record.seen), maxlen=MEMORY)
            record.best = [_anew(each, lost) for each in record.best]

    def hardest(self, count: int) -> set[str]:
        """The corners that take the most speed."""
        by_drop = sorted(self._corners.values(), key=lambda corner: -self._drop_mps(corner))
        return {corner.id for corner in by_drop[:count]}

    def _drop_mps(self, corner: Corner) -> float:
        """How much speed a corner takes at the known pace; a corner of unknown pace comes last but counts."""
        brake_m = brake_place(corner, self.reference)
        if self.pace is None or brake_m is None:
            return LEAST_DROP_MPS
        return self.pace.speed_at(brake_m) - self.pace.speed_at(corner.apex_m)


def _is_heeded(concept: str, each: SeenPass, target: SeenPass, least_s: float) -> bool:
    """Return whether a pass does without what was said; of a fact, whether it came near the own best one,
    which lost `least_s`: the target may be slower."""
    if concept == OWN_BEST:
        return each.parts.loss_s - least_s < BEHIND_S
    pair = pair_of(each, target)
    return pair is not None and is_cleared(concept, pair)


def _lost_otherwise(record: Record, advice: Advice, pair: Pair) -> bool:
    """Return whether a pass lost the time that this corner costs again and again, and not by what is
    advised, of which nothing was said yet: then the time is told, which is true of it."""
    untold = record.said.concept in ("", TIME_LOST)
    return untold and not is_true_of(advice.concept, pair) and is_true_of(TIME_LOST, pair)


def _anew(each: SeenPass, lost: Sequence[float]) -> SeenPass:
    return SeenPass(rebase(each.parts, lost), each.technique)


def _numbers(laps: Iterable[int]) -> str:
    return ", ".join(str(lap) for lap in laps)

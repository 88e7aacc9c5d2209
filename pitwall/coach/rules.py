"""The rule coach: what a pass shows, with what advice, and what becomes of the advice.

Before there is a reference lap the corners with the biggest speed drop are named. From then on a corner is
called only where the driver's own laps lose time against the best that he has driven himself: before the
corner where there is room to listen (see `plan`), else after it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence

import msgspec

from pitwall.coach import plan
from pitwall.coach.concepts import CONSISTENCY, TIME_LOST
from pitwall.coach.cue import Mode
from pitwall.coach.diagnosis import (
    WORTH_A_LINE_S,
    Advice,
    PassStep,
    SeenPass,
    Spread,
    find_advice,
    is_lasting,
    is_traffic,
    is_true_of,
    pair_of,
    part_of,
    unexplained,
    why_not,
    why_untold,
)
from pitwall.coach.faults import OFF_PACE, PassLoss, is_off_pace, linked, net_of, parts_of, rebase
from pitwall.coach.grip import Fading, GripUsed
from pitwall.coach.lead import Delays
from pitwall.coach.pace import PaceProfile, reference_pace, typical_pace
from pitwall.coach.pair import Pair
from pitwall.coach.plan import LapKnowledge, PlannedCall
from pitwall.coach.record import Record
from pitwall.coach.scripts import Scripts
from pitwall.coach.straights import Straights
from pitwall.coach.wording import Wording
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.model import Track
from pitwall.track.passes import zones_of
from pitwall.track.reference import ReferenceLap
from pitwall.track.same_road import lost_on, shift_between
from pitwall.track.technique import Technique
from pitwall.words.forms import Level

# Three hints, ranked, are liked; more are not heard (the map, figures). So many before and so many after; a
# beginner is busy with the car.
MOST_CALLS: dict[Level, int] = {"beginner": 2, "intermediate": 3, "expert": 3}
# A first lap has more to say, and still leaves the arbiter's eight a lap room for messages.
FIRST_LAP_CORNERS = 5
# Why an advice that was wanted is not told after a pass.
NOT_TRUE = "not in this pass"
# The number that a lap of another drive has among the laps of this one.
GIVEN = -1
# The usual lap of a driver is looked for among his last laps.
LAPS_KEPT = 6


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
        self._records = {id_: Record(id_) for id_ in self._corners}
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
        # The flying laps of this drive by their times.
        self._flying: dict[float, int] = {}
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
        of_other_day = self._reference_lap == GIVEN
        zones = zones_of(self.track, reference)
        self._starts_m = {zone.corner.id: zone.start_m for zone in zones}
        self._linked = linked(zones, self.track.length_m)
        self._planned_for = None
        if reference is None:
            self.pace, self._reference_lap = typical_pace(self.track), GIVEN
            for record in self._records.values():
                record.forget()  # nothing says any more what was lost
            return
        self._reference_lap = self._flying.get(reference.lap_time_s, GIVEN)
        if before is not None:
            self._rebase(before, reference)
        elif self._reference_lap != GIVEN:
            self._score_first(self._reference_lap)
        if before is not None and of_other_day and before.lap_time_s < reference.lap_time_s:
            for record in self._records.values():  # the faster lap is of another day's grip
                record.best = [each for each in record.best if each.parts.lap >= 0]
        for id_, record in self._records.items():
            if id_ in reference.techniques:
                zero = PassLoss(GIVEN, 0.0, 0.0, 0.0)
                record.remember(SeenPass(zero, reference.techniques[id_]), self._reference_lap)
            for each in record.seen:
                if each.parts.lap == self._reference_lap and each not in record.best:
                    record.remember(each, self._reference_lap)
        self._unscored.clear()
        self.pace = reference_pace(reference, self.track.length_m, self.track.lap_m)
        for record in self._records.values():
            record.advice = self._advice(record)

    def corner_pass(self, corner_pass: CornerPass, technique: Technique | None) -> PassOutcome:
        """Take one pass, and say what it brings."""
        corner, lap = corner_pass.corner, corner_pass.lap
        record = self._records.get(corner)
        if record is None or lap in self._void_laps:
            return NOTHING
        record.times = record.times + 1 if record.last_pass_lap == lap else 1
        record.last_pass_lap = lap
        lately = list(record.lately)
        if technique is not None:
            record.lately.append(technique)
            if self._grip.feed(corner, technique.corner_g):
                self._measure_anew()
        if self._grip.eased:
            self._planned_for = None  # what was planned was for a driver at pace
        parts = parts_of(corner_pass, None, None, self.track.length_m)
        if parts is None or self.reference is None:
            if self.reference is None:
                self._unscored.append((corner_pass, technique))
            return NOTHING
        parts = self._net_of_the_corner_before(corner, parts)
        was_off_pace = self._off_pace_so_far(lap, 0.0)
        off_pace = self._off_pace_so_far(lap, parts.loss_s)
        wanted, least_s = record.advice, record.least_s
        evidence, target = SeenPass(parts, technique), record.target(self._reference_lap)
        loss_s = parts.loss_s - target.parts.loss_s if target is not None else 0.0
        # A lap that was slow already loses everywhere: that is told of the lap.
        if loss_s > WORTH_A_LINE_S and not (was_off_pace and is_traffic(parts.loss_s, least_s)):
            record.lost[lap] = loss_s
        before_it = self._before(corner_pass)
        pair = pair_of(evidence, target) if target is not None else None
        self._last_pass = None if pair is None else (corner, lap, pair)
        if record.is_usual(parts.loss_s):
            least_s = parts.loss_s  # three times alike is no traffic
        best = target.technique if target else None
        why = off_pace or self._grip.eased or why_not(parts, technique, best, lately, least_s)
        if why:
            return self._keep_back(record, lap, wanted or self._unexplained(record, lap, pair), why)
        if pair is not None and self._reference_lap != GIVEN:
            self.fading.feed(pair.less_grip_share)
        won_s, did = record.won(evidence, pair)
        cured = record.is_cured(evidence, target)
        self._take_evidence(record, evidence)
        if cured:
            return PassOutcome(cured=True)
        if won_s:
            return PassOutcome(won_s=won_s, did=did)
        fact = self._fact_after(record, lap)
        if fact is not None:
            return PassOutcome(after=plan.told_after(self._known(), fact))
        if record.advice is not None:
            return self._after(record, record.advice, lap, pair)
        chance = self._unexplained(record, lap, pair, evidence=True)
        if chance is None:
            return self._keep_back(record, lap, wanted, NOT_TRUE)
        chance_s = self._spread.chance_s(corner, technique.time_s) if technique else 0.0
        why = why_untold(pair, before_it, self._starts_m[corner], chance_s)
        return self._keep_back(record, lap, chance, why)

    def _take_evidence(self, record: Record, evidence: SeenPass) -> None:
        parts, technique = evidence.parts, evidence.technique
        if record.seen and record.seen[-1].parts.lap == parts.lap:
            record.seen.pop()  # the lap passed here twice, as one through the pits does: the last pass counts
        while record.seen and is_traffic(record.seen[-1].parts.loss_s, parts.loss_s):
            record.seen.pop()  # the first ones were held up: nothing showed it until now
        if record.seen and technique is not None:
            step_s = abs(parts.loss_s - record.seen[-1].parts.loss_s)
            self._spread.add(PassStep(record.corner, parts.lap, technique.time_s, step_s))
        record.seen.append(evidence)
        record.remember(evidence, self._reference_lap)
        record.advice = self._advice(record)
        self._planned_for = None

    def _fact_after(self, record: Record, lap: int) -> Advice | None:
        """Return what the own best pass did otherwise than this one, of a corner before which there was no
        place to tell it in this lap."""
        unheard = record.corner in self._crowded and lap not in record.call_laps
        if not unheard or record.is_corrected or self.mode != "coach" or self._is_full(record, lap):
            return None
        fact = record.own_best
        if fact is None or lap not in fact.laps or record.resting(lap, fact):
            return None
        return None if plan.is_of_tyres(self._known(), fact) else fact

    def _is_full(self, record: Record, lap: int) -> bool:
        """Return whether as many corners were told after them in this lap as are heard."""
        return self._told_after[lap, record.times] >= self._most

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
        self, record: Record, lap: int, pair: Pair | None, *, evidence: bool = False
    ) -> Advice | None:
        """The loss of this pass among its like; for `evidence` no lap counts that was left out."""
        lost = {each: s for each, s in record.lost.items() if not (evidence and each in self._void_laps)}
        advice = unexplained(record.corner, lost, lap, self._void_laps)
        if advice is None or pair is None:
            return advice
        return msgspec.structs.replace(advice, part=part_of(pair))

    def _measure_anew(self) -> None:
        """There is less grip than there was: what was driven with more is no measure, and no evidence."""
        self._less_grip = True
        for record in self._records.values():
            record.forget()
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
        if lap.kind == "flying" and lap.time_s is not None:
            self._flying[lap.time_s] = lap.number
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
        for record in self._records.values():
            if record.leave_out(lap, as_target=as_target):
                record.advice = self._advice(record)
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
        record.called(lap, concept, after=after)
        self._planned_for = None

    def calls(self, lap: int) -> list[PlannedCall]:
        """The calls of a lap, the dearest first. Changes only with what was fed since."""
        if self._planned_for != lap:
            self._planned_for = self._lap = lap
            self._calls, self._crowded = [], {}
            if self.mode == "learn" or (self.mode == "coach" and not self._grip.eased):
                self._calls, self._crowded = plan.plan_lap(
                    self._known(), lap, self.mode, self.most_calls, is_new=self._is_new
                )
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

    def advices(self) -> list[Advice]:
        """All that is wrong now, the dearest first."""
        return plan.advices(self._records)

    def hardest(self, count: int) -> set[str]:
        """The corners that take the most speed."""
        return plan.hardest(self._known(), count)

    def _known(self) -> LapKnowledge:
        return LapKnowledge(
            self.track, self._corners, self._records, self.wording, self._clip_s, self._delays,
            self.straights, self.pace, self.reference, self._reference_lap, self.lessons, self.weights,
            self._void_laps, bool(self.fading),
        )  # fmt: skip

    def _advice(self, record: Record) -> Advice | None:
        target = record.target(self._reference_lap)
        time_s = target.technique.time_s if target is not None and target.technique is not None else 1.0
        seen, chance_s = list(record.seen), self._spread.chance_s(record.corner, time_s)
        lasts = bool(seen) and is_lasting(record.lost, seen[-1].parts.lap, time_s, self._void_laps)
        return find_advice(record.corner, seen, target, chance_s, lasts=lasts)

    def _after(self, record: Record, advice: Advice, lap: int, pair: Pair | None) -> PassOutcome:
        """An advice that was not heard in this lap may be told after the corner, where it is true of it."""
        if lap in record.call_laps:
            return NOTHING
        if pair is not None and record.lost_otherwise(advice, pair):
            advice = msgspec.structs.replace(advice, concept=TIME_LOST, metres=None)
        if advice.concept == TIME_LOST and pair is not None:
            advice = msgspec.structs.replace(advice, part=part_of(pair))
        why = record.resting(lap, advice)
        if plan.is_of_tyres(self._known(), advice):
            why = "all corners have less grip: tyres"
        elif pair is None or not is_true_of(advice.concept, pair):
            why = NOT_TRUE
        elif self.mode in ("quiet", "numbers"):
            why = f"the mode is {self.mode}"
        elif self._is_full(record, lap):
            why = f"crowded out: {self._most} corners told after them in this lap"
        elif advice.concept == CONSISTENCY and record.said.concept == CONSISTENCY:
            why = "told once in this drive"
        if why or pair is None:
            return self._keep_back(record, lap, advice, why)
        return PassOutcome(after=plan.told_after(self._known(), advice, pair.loss_s))

    def _keep_back(self, record: Record, lap: int, advice: Advice | None, why: str) -> PassOutcome:
        if advice is None or lap in record.call_laps:
            return NOTHING
        crowded = self._crowded.get(record.corner, "")
        reasons = "; ".join(part for part in (crowded, why) if part)
        return PassOutcome(kept=plan.told_after(self._known(), advice), why=reasons)

    def _score_first(self, lap: int) -> None:
        """The lap that became the first reference loses nothing against itself."""
        for corner_pass, technique in self._unscored:
            record = self._records.get(corner_pass.corner)
            if record is not None and technique is not None and corner_pass.lap == lap:
                evidence = SeenPass(PassLoss(lap, 0.0, 0.0, 0.0), technique)
                record.seen.append(evidence)
                record.remember(evidence, self._reference_lap)

    def _rebase(self, old: ReferenceLap, new: ReferenceLap) -> None:
        """Measure the passes that were compared with the old reference against the new one."""
        shift, driven = shift_between(self.track, old, new), old.around()
        for zone in zones_of(self.track, old):
            lost = lost_on(driven, new, zone.edges_m, 0.0, shift) or (0.0, 0.0, 0.0)
            record = self._records[zone.corner.id]
            record.seen = deque((_anew(each, lost) for each in record.seen), maxlen=record.seen.maxlen)
            record.best = [_anew(each, lost) for each in record.best]


def _anew(each: SeenPass, lost: Sequence[float]) -> SeenPass:
    return SeenPass(rebase(each.parts, lost), each.technique)

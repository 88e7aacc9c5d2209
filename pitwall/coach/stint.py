"""What the coach knows of a drive: passes that count, their best, what the last ones say."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from statistics import median
from typing import Literal

import msgspec

from pitwall.diagnosis.advice import (
    HABIT_PASSES,
    NEAR_BEST_S,
    VOTERS,
    Diagnosis,
    PassEvidence,
    advice,
    evidence_of,
)
from pitwall.diagnosis.counts import (
    OFF_PACE,
    OTHER_DAY_LAPS,
    is_other_day,
    why_lap_is_left_out,
    why_pass_is_left_out,
)
from pitwall.diagnosis.passes import PassCutter, RoadPass, passes_of
from pitwall.diagnosis.road import CUT_BY_LAPS, Road, Segment, fastest_of_first, pace_share, road_of
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Lap, Position
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap

Source = Literal["own", "remembered", "given"]
# The best passes that are kept of a corner: a mark may take a lap out.
BEST_KEPT = 3
# What the last passes of a corner show is worth saying while it foretells the next pass, in at
# least this share of this number of cases lately, and of two more of which one is true. A pass near
# the best after a call is half a case against it: whether the call helped or chance, nobody knows.
FORETELLS, LATELY, NOBODY_KNOWS = 0.5, 24, 0.5
# An action that wins back less is not worth a call, on a circuit for cars.
WORTH_S = 0.1
# Where it does not, the dearest corner is still called where its last passes lose this, all but one
# of them, on a circuit for cars, this number of laps after the last call: a driver without a fault loses it
# too.
DEAR_S, SELDOM_LAPS = 0.35, 2
# A corner is the focus until this number of passes in a row lie near the best.
CURED_PASSES = 2


class CornerKnowledge(msgspec.Struct):
    """Holds one segment: its last passes and its best ones, those near the best, and what was
    said there. `called`: the lap of the last call since a pass came near the best."""

    segment: Segment
    seen: deque[RoadPass] = msgspec.field(default_factory=lambda: deque(maxlen=HABIT_PASSES))
    best: list[RoadPass] = []
    target: RoadPass | None = None
    evidence: dict[int, PassEvidence] = {}
    said: str = ""
    called: int | None = None
    near: int = 0

    def leave_out(self, laps: Iterable[int]) -> None:
        """Leave out what was driven in these laps."""
        out = frozenset(laps)
        self.seen = deque((each for each in self.seen if each.lap not in out), maxlen=HABIT_PASSES)
        self.best = [each for each in self.best if each.lap not in out]


class Stint:
    """Feed it frames, laps and references; `diagnoses` says what is wrong now, the dearest
    first."""

    def __init__(self, track: Track) -> None:
        self.track = track
        self.road: Road | None = None
        self._cutter = PassCutter(None, track.length_m, keep=True)
        self.corners: dict[int, CornerKnowledge] = {}
        self._left_out: dict[int, str] = {}
        self._own_laps: list[ReferenceLap] = []
        self.reference: ReferenceLap | None = None
        self.source: Source = "own"
        self._others: dict[int, RoadPass] = {}
        self._times: list[tuple[int, float]] = []
        self._lost_s = (-1, 0.0)
        self.focus: int | None = None
        # Whether what was wrong before a pass showed in it again, lately, and how much that counts.
        self._foretold: deque[tuple[bool, float]] = deque(maxlen=LATELY)
        # How many passes came: what is wrong changes only with them.
        self.passes = 0
        # The lap of the last call.
        self._called_in = -SELDOM_LAPS

    # --- what is driven ---

    def feed(self, frame: Frame, position: Position, lap: int) -> list[CornerKnowledge]:
        """Take a place of the car. Returns the corners whose last pass is the best of the drive,
        and that were called."""
        if position.status == "reckoned":
            return []
        if position.status != "on" or frame.speed_mps is None:
            self._cutter.interrupt()
            return []
        brake = frame.brake_bar if frame.brake_bar is not None else frame.brake_pct
        passes = self._cutter.feed(
            position.t, position.distance_m, frame.speed_mps, lap, frame.throttle_pct, brake
        )
        return [known for each in passes if (known := self._take(each)) is not None]

    def _take(self, each: RoadPass) -> CornerKnowledge | None:
        """Take a pass. Returns its corner where it is the best of the drive, and was called."""
        known = self.corners[each.segment]
        self.passes += 1
        if each.lap in self._left_out:
            return None
        best_s = min((one.time_s for one in known.best), default=math.inf)
        loss_s = each.time_s - best_s if best_s < math.inf else 0.0
        if self._is_off_pace(each.lap, loss_s):
            return None
        if loss_s > 0.0 and why_pass_is_left_out(each, best_s):
            return None
        if known.seen and known.seen[-1].lap == each.lap:
            known.seen.pop()  # the lap passed here twice, as one through the pits does
        expected = self.diagnosis(known)
        known.seen.append(each)
        known.best = sorted([*known.best, each], key=lambda one: one.time_s)[:BEST_KEPT]
        self._measure(known)
        last = known.evidence.get(each.lap)
        if expected is not None:
            self._note(known, expected, last, each.lap)
        known.near = known.near + 1 if last is None or last.loss_s < NEAR_BEST_S else 0
        if known.near:
            was_called, known.called = known.called is not None, None
            if known.near >= CURED_PASSES and self.focus == each.segment:
                self.focus = None
            if was_called and best_s - each.time_s >= NEAR_BEST_S:
                return known
        return None

    def _note(self, known: CornerKnowledge, expected: Diagnosis, last: PassEvidence | None, lap: int) -> None:
        """Take whether a pass shows what was expected of it. One near the best does not."""
        if last is not None and last.loss_s >= NEAR_BEST_S:
            self._foretold.append((last.shows(expected.action, 1.0) is not None, 1.0))
        else:
            was_called = known.called is not None and known.called >= lap - 1
            self._foretold.append((False, NOBODY_KNOWS if was_called else 1.0))

    @property
    def _is_chance(self) -> bool:
        """Return whether what the passes of this driver show is mostly chance."""
        cases = sum(weight for _, weight in self._foretold) + 2.0
        return sum(shown for shown, _ in self._foretold) + 1 < FORETELLS * cases

    def _is_off_pace(self, lap: int, loss_s: float) -> bool:
        """Take what a corner lost; return whether the lap is too slow to be evidence, so far."""
        before_s = self._lost_s[1] if self._lost_s[0] == lap else 0.0
        self._lost_s = (lap, before_s + loss_s)
        if not self._times:
            return False
        best_s = min(time_s for _, time_s in self._times)
        slow = [time_s for _, time_s in self._times[-2:] if time_s > OFF_PACE * best_s]
        return not slow and self._lost_s[1] > (OFF_PACE - 1.0) * best_s

    def _measure(self, known: CornerKnowledge) -> None:
        """Compare the last passes of a corner with what they are measured by."""
        road, other = self.road, self._others.get(known.segment.index)
        own = known.best[0] if known.best else None
        target = own if other is None or (own is not None and self._own_is_better(own, other)) else other
        if target is not known.target:
            known.target, known.evidence = target, {}
        if road is None or target is None:
            return
        known.evidence = {
            each.lap: known.evidence.get(each.lap) or evidence_of(road, each, target)
            for each in known.seen
            if each is not target
        }

    def _own_is_better(self, own: RoadPass, other: RoadPass) -> bool:
        return self.source != "given" and own.time_s <= other.time_s

    # --- laps and references ---

    def lap(self, lap: Lap) -> str:
        """Take a finished lap. Returns why it is no evidence, "" where it is."""
        times_s = [time_s for _, time_s in self._times]
        why = why_lap_is_left_out(lap, times_s)
        if lap.kind == "flying" and lap.time_s is not None:
            self._times.append((lap.number, lap.time_s))
        if why:
            self.leave_out(lap.number, why)
        if is_other_day([time_s for _, time_s in self._times]):
            self._forget_before()
        return why

    def _forget_before(self) -> None:
        """There is less grip than there was: only the last laps are a measure."""
        kept = self._times[-OTHER_DAY_LAPS:]
        first = kept[0][0]
        self._times, self._others = kept, {}
        for number in [number for number in self._left_out if number >= first]:
            del self._left_out[number]
        for known in self.corners.values():
            known.leave_out(each.lap for each in (*known.seen, *known.best) if each.lap < first)
            self._measure(known)

    def leave_out(self, lap: int, why: str) -> None:
        """Leave out what was driven in this lap, and what is still to come of it."""
        self._left_out[lap] = why
        for known in self.corners.values():
            known.leave_out((lap,))
            self._measure(known)

    def take_in(self, lap: int) -> None:
        """The lap counts after all, as far as it is still to be driven."""
        self._left_out.pop(lap, None)

    def set_reference(
        self, reference: ReferenceLap | None, last: ReferenceLap | None, source: Source
    ) -> None:
        """Compare with this lap from now on. `last` is the last flying lap of this drive; the first
        ones cut the road."""
        is_new = last is not None and last not in self._own_laps and len(self._own_laps) < CUT_BY_LAPS
        if is_new and last is not None:
            self._own_laps.append(last)
        lap = fastest_of_first(self._own_laps) or reference
        changed = reference is not self.reference or source != self.source
        self.reference, self.source = reference, source
        if lap is not None and (is_new or self.road is None):
            self._cut_anew(lap)
            changed = True
        if changed:
            is_other = reference is not None and source != "own" and self.road is not None
            found = passes_of(self.road, reference) if is_other else []  # type: ignore[arg-type]
            self._others = {each.segment: each for each in found}
            for known in self.corners.values():
                self._measure(known)

    def _cut_anew(self, lap: ReferenceLap) -> None:
        self.road = road_of(self.track, lap)
        said = {known.segment.corner: known for known in self.corners.values()}
        self.corners = {segment.index: CornerKnowledge(segment) for segment in self.road.segments}
        for known in self.corners.values():
            if (before := said.get(known.segment.corner)) is not None:
                known.said, known.called = before.said, before.called
        self.focus = None
        passes = self._cutter.cut_anew(self.road, last=len(self._own_laps) == CUT_BY_LAPS)
        for known in self.corners.values():
            own = [
                each
                for each in passes
                if each.segment == known.segment.index and each.lap not in self._left_out
            ]
            best_s = min((each.time_s for each in own), default=0.0)
            own = [each for each in own if not why_pass_is_left_out(each, best_s)]
            known.seen.extend(own)
            known.best = sorted(own, key=lambda each: each.time_s)[:BEST_KEPT]
            self._measure(known)

    # --- what is wrong ---

    @property
    def has_evidence(self) -> bool:
        """Return whether a pass is known that a call can be made of."""
        return any(known.evidence for known in self.corners.values())

    def diagnoses(self, lap: int) -> list[Diagnosis]:
        """Return what is wrong now in corners that have a name; one thing to try in the dearest of
        them only. Of a driver whose passes mostly differ by chance only habits, and now and then the
        dearest corner where it is dear."""
        named = [known for known in self.corners.values() if known.segment.corner]
        dearest = max((known for known in named if self._is_open(known)), key=self._loss_s, default=None)
        is_sure = not self._is_chance
        if not is_sure and dearest is not None:
            is_due = lap - self._called_in >= SELDOM_LAPS or self._called_in == lap
            if not is_due or self._loss_s(dearest) < DEAR_S * self._share:
                dearest = None
        found = []
        for known in named:
            one = self.diagnosis(known)
            if one is None or one.seconds < WORTH_S * self._share:
                continue
            if known is dearest or one.is_habit or (is_sure and not one.is_try):
                found.append(one)
        return found

    @property
    def _share(self) -> float:
        """What a second is worth on this road."""
        return pace_share(self.road) if self.road is not None else 1.0

    @staticmethod
    def _is_open(known: CornerKnowledge) -> bool:
        """Return whether the last pass of a corner was not near the best."""
        last = known.evidence.get(known.seen[-1].lap) if known.seen else None
        return last is not None and last.loss_s >= NEAR_BEST_S

    def diagnosis(self, known: CornerKnowledge) -> Diagnosis | None:
        """Return what the last passes of a corner say, None where they say nothing."""
        if self.road is None or known.target is None or not known.seen:
            return None
        if known.seen[-1] is known.target:
            return None
        evidence = list(known.evidence.values())
        found = advice(self.road, evidence, known.segment, known.target, known.said)
        return found if found is not None and found.seconds >= NEAR_BEST_S else None

    def loss_s(self, corner_id: str) -> float:
        """Return what the middle one of a corner's last passes lost to the best one, seconds."""
        known = self.of_corner(corner_id)
        return 0.0 if known is None else self._loss_s(known)

    @staticmethod
    def _loss_s(known: CornerKnowledge) -> float:
        if known.target is None or not known.seen:
            return 0.0
        return median(each.time_s for each in list(known.seen)[-VOTERS:]) - known.target.time_s

    def spoken(self, corner_id: str, lap: int, action: str) -> None:
        """A corner was called: it is the focus where there is none."""
        known = self.of_corner(corner_id)
        if known is None or not action:
            return
        known.said, known.called = action, lap
        self._called_in = lap
        if self.focus is None:
            self.focus = known.segment.index

    def of_corner(self, corner_id: str) -> CornerKnowledge | None:
        """Return what is known of a corner by its name, None where it has no segment."""
        return next((k for k in self.corners.values() if k.segment.corner == corner_id), None)

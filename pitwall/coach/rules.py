"""The rule coach: which corners are called in this lap, in which phase, and which cure is praised.

Before there is a reference lap it calls the brake points of the corners with the biggest speed drop. From
then on it calls only where the driver's own laps lose time against the reference: the three dearest corners.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

import msgspec

from pitwall.coach.cue import Phase
from pitwall.coach.faults import MEMORY, NOISE_S, CornerLoss, PassLoss, find_fault, is_cured, parts_of, rebase
from pitwall.coach.lead import Delays
from pitwall.coach.pace import PaceProfile, reference_pace, typical_pace
from pitwall.coach.places import action_place, open_road_m
from pitwall.coach.policy import GAP_S
from pitwall.coach.scripts import Phrase, Scripts
from pitwall.coach.straights import Straights
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.model import Corner, Track
from pitwall.track.passes import zones_of
from pitwall.track.reference import ReferenceLap, brake_place

# Three hints, ranked, are liked; more are not heard (facts/callouts.md).
TOP_CORNERS = 3
# A first lap has more to say, and still leaves the arbiter's eight a lap room for messages.
FIRST_LAP_CORNERS = 5
# A corner that slows a car by less than 18 km/h is taken by feel.
LEAST_DROP_MPS = 5.0
# After this many calls in a row, a corner is not called for one lap.
CALLS_IN_A_ROW = 2
# So much before its lead a call may start where the road bends later: rally co-drivers look 4 s ahead.
EARLY_S = 2.0
# An approach names its corner, so that it can be said on the straight before a bend that leads to it.
APPROACH_EARLY_S = 5.0
# A place that serves one lap may serve the next a little later: the same straight, not its last metre.
EARLY_SLACK_S = 0.3


class PlannedCall(msgspec.Struct, frozen=True):
    """A call that this lap shall have.

    `open_m`: offered only so far before the action point; `early_s`: may start so much before its lead,
    because the road is not straight at the lead itself; `persisted`: the loss showed again since it was said.
    """

    corner: Corner
    phase: Phase
    phrase: Phrase
    action_m: float
    open_m: float
    early_s: float
    lead_s: float
    reason: str
    persisted: bool


class Record(msgspec.Struct):
    """What is known of the driver in one corner, and what he was told there."""

    passes: deque[PassLoss]
    call_laps: list[int] = []
    fault_laps: list[int] = []
    praised: bool = False

    def in_a_row(self, lap: int) -> int:
        """How many laps in a row before this one the corner was called."""
        count = 0
        while lap - 1 - count in self.call_laps:
            count += 1
        return count


class RuleCoach:
    """Feed it passes, laps and the reference; ask it for the `calls` of a lap."""

    def __init__(
        self, track: Track, scripts: Scripts, clip_s: Callable[[str], float | None], delays: Delays
    ) -> None:
        self.track, self._scripts, self._clip_s, self._delays = track, scripts, clip_s, delays
        self.reference: ReferenceLap | None = None
        self.pace: PaceProfile | None = typical_pace(track)
        self.straights = Straights(track.length_m, track.corners)
        self._corners = {corner.id: corner for corner in sorted(track.corners, key=lambda c: c.apex_m)}
        self._records = {corner_id: Record(deque(maxlen=MEMORY)) for corner_id in self._corners}
        self._slow_m: dict[str, float] = {}
        self._void_laps: deque[int] = deque(maxlen=MEMORY)
        self._unscored: deque[CornerPass] = deque(maxlen=2 * len(track.corners))
        self._last_lap: Lap | None = None
        self._calls: list[PlannedCall] = []
        self._planned_for: int | None = None

    def set_reference(self, reference: ReferenceLap | None) -> None:
        """Compare with this lap from now on, and what was driven before too."""
        before, self.reference = self.reference, reference
        self._planned_for = None
        if reference is None:
            self.pace, self._slow_m = typical_pace(self.track), {}
            return
        if before is not None:
            self._rebase(before, reference)
        elif self._last_lap is not None and self._last_lap.time_s == reference.lap_time_s:
            self._score_first(self._last_lap.number)
        self._unscored.clear()
        self.pace = reference_pace(reference, self.track.length_m)
        self._slow_m = {id_: self._slowest_m(corner, reference) for id_, corner in self._corners.items()}

    def corner_pass(self, corner_pass: CornerPass) -> str:
        """Take one pass. Returns the corner's id where this pass makes its cure complete, else ""."""
        record = self._records.get(corner_pass.corner)
        if record is None or corner_pass.lap in self._void_laps:
            return ""
        corner = self._corners[corner_pass.corner]
        parts = parts_of(
            corner_pass, brake_place(corner, self.reference), self._slow_m.get(corner.id), self.track.length_m
        )
        if parts is None:
            if self.reference is None:
                self._unscored.append(corner_pass)
            return ""
        record.passes.append(parts)
        self._planned_for = None
        recent = list(record.passes)[-2:]
        coached = [lap for lap in record.fault_laps if lap <= recent[0].lap]
        return corner.id if coached and not record.praised and is_cured(recent) else ""

    def lap(self, lap: Lap) -> None:
        """Take a finished lap. Only flying laps are used."""
        self._last_lap = lap
        if lap.kind == "flying":
            return
        self._void_laps.append(lap.number)
        for record in self._records.values():
            kept = [parts for parts in record.passes if parts.lap != lap.number]
            record.passes = deque(kept, maxlen=MEMORY)
        self._planned_for = None

    def called(self, corner_id: str, lap: int) -> None:
        """The corner was called in this lap; with a reference, because of a fault."""
        record = self._records[corner_id]
        record.call_laps.append(lap)
        if self.reference is not None:
            record.fault_laps.append(lap)
        self._planned_for = None

    def praised(self, corner_id: str) -> None:
        """Remember that the driver was praised for this corner."""
        self._records[corner_id].praised = True

    def calls(self, lap: int) -> list[PlannedCall]:
        """The calls of a lap, the dearest first. Changes only with what was fed since."""
        if self._planned_for != lap:
            self._planned_for = lap
            wanted = self._first_calls(lap) if self.reference is None else self._fault_calls(lap)
            most = FIRST_LAP_CORNERS if self.reference is None else TOP_CORNERS
            self._calls = self._spaced(wanted, most)
        return self._calls

    def faults(self) -> list[CornerLoss]:
        """All faults that count now, the dearest first."""
        found = [find_fault(id_, list(record.passes)) for id_, record in self._records.items()]
        return sorted((fault for fault in found if fault is not None), key=lambda fault: -fault.loss_s)

    def _first_calls(self, lap: int) -> Iterable[PlannedCall]:
        drops = [(self._drop_mps(corner), corner) for corner in self._corners.values() if corner.brake_m]
        for drop_mps, corner in sorted(drops, key=lambda pair: -pair[0]):
            if self._records[corner.id].in_a_row(lap) or drop_mps < LEAST_DROP_MPS:
                continue
            call = self._call(corner, ("brake", "approach"), f"first laps: {drop_mps:.0f} m/s to lose", False)
            if call is not None:
                yield call

    def _fault_calls(self, lap: int) -> Iterable[PlannedCall]:
        for fault in self.faults():
            record = self._records[fault.corner]
            last = record.passes[-1]
            told = record.call_laps[-1] if record.call_laps else None
            if record.in_a_row(lap) >= CALLS_IN_A_ROW:
                continue
            if told is not None and last.lap >= told and last.loss_s < NOISE_S:
                continue
            phases: tuple[Phase, ...] = (fault.phase,)
            if fault.phase == "brake":
                # Two ways to say it, in turn: the same sentence lap after lap is no longer heard.
                phases = ("approach", "brake") if len(record.call_laps) % 2 == 0 else ("brake", "approach")
            laps = ", ".join(str(number) for number in fault.laps)
            reason = f"loses {fault.loss_s:.2f} s in laps {laps}: {fault.detail}"
            persisted = told is not None and last.lap >= told
            call = self._call(self._corners[fault.corner], phases, reason, persisted)
            if call is not None:
                yield call

    def _call(
        self, corner: Corner, phases: tuple[Phase, ...], reason: str, persisted: bool
    ) -> PlannedCall | None:
        """The first of these phases that has a phrase and a place to say it."""
        for phase in phases:
            phrase = self._scripts.phrase(corner.id, phase)
            if phrase is None:
                continue
            action_m = action_place(corner, phase, self.reference)
            open_m = open_road_m(self.track, corner, action_m, self.reference)
            clips = [self._clip_s(text) for text in (phrase.text, phrase.short) if text]
            leads = [self._delays.lead_s(0.0, clip_s) for clip_s in clips if clip_s is not None]
            lead_s = leads[0] if leads else 0.0
            early_s: float | None = 0.0
            if self.pace is not None and leads:
                early_s = self._early_s(phase, action_m, open_m, leads)
            if early_s is not None:
                return PlannedCall(
                    corner, phase, phrase, action_m, open_m, early_s, lead_s, reason, persisted
                )
        return None

    def _early_s(self, phase: Phase, action_m: float, open_m: float, leads: list[float]) -> float | None:
        """How much before its lead a call must start to be heard on a straight; None where it can't be."""
        if self.pace is None:
            return 0.0
        road_s = self._road_s(action_m, open_m)
        most_s = APPROACH_EARLY_S if phase == "approach" else EARLY_S
        for lead_s in leads:
            early_s = self.straights.early_s(action_m, lead_s, self.pace, min(most_s, road_s - lead_s))
            if early_s is not None:
                return early_s + (EARLY_SLACK_S if early_s else 0.0)
        return None

    def _spaced(self, wanted: Iterable[PlannedCall], most: int) -> list[PlannedCall]:
        """The dearest calls that leave each other the room to be heard."""
        chosen: list[PlannedCall] = []
        for call in wanted:
            if all(self._apart(call, other) for other in chosen):
                chosen.append(call)
            if len(chosen) == most:
                break
        return chosen

    def _apart(self, one: PlannedCall, other: PlannedCall) -> bool:
        if self.pace is None:
            return True
        ahead_m = (other.action_m - one.action_m) % self.track.length_m
        after_s = self.pace.time_between(one.action_m % self.track.length_m, ahead_m)
        before_s = self.pace.time_between(other.action_m % self.track.length_m, self.track.length_m - ahead_m)
        return after_s >= other.lead_s + GAP_S and before_s >= one.lead_s + GAP_S

    def _road_s(self, action_m: float, open_m: float) -> float:
        """Seconds of open road before an action point, at the known pace."""
        if self.pace is None or open_m >= self.track.length_m / 2.0:
            return float("inf")
        return self.pace.time_between((action_m - open_m) % self.track.length_m, open_m)

    def _score_first(self, lap: int) -> None:
        """The lap that became the first reference loses nothing against itself."""
        for corner_pass in self._unscored:
            if corner_pass.lap == lap:
                self._records[corner_pass.corner].passes.append(PassLoss(lap, 0.0, 0.0, 0.0, 0.0, 0.0))

    def _rebase(self, old: ReferenceLap, new: ReferenceLap) -> None:
        """Measure the passes that were compared with the old reference against the new one."""
        for zone in zones_of(self.track, old):
            record = self._records[zone.corner.id]
            rebased = [rebase(parts, zone, old, new, self.track.length_m) for parts in record.passes]
            record.passes = deque(rebased, maxlen=MEMORY)

    def _drop_mps(self, corner: Corner) -> float:
        """How much speed a corner takes at the known pace; a corner of unknown pace comes last but counts."""
        if self.pace is None or corner.brake_m is None:
            return LEAST_DROP_MPS
        return self.pace.speed_at(corner.brake_m) - self.pace.speed_at(corner.apex_m)

    def _slowest_m(self, corner: Corner, reference: ReferenceLap) -> float:
        span_m = (corner.exit_m - corner.entry_m) % self.track.length_m
        steps = max(int(span_m / 5.0), 1)
        places = [corner.entry_m + span_m * step / steps for step in range(steps + 1)]
        return min(places, key=reference.speed_at) % self.track.length_m

"""Plan the calls of each lap, and offer them to the arbiter as the car comes near."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial

from pitwall.coach import plan
from pitwall.coach.arbiter import Arbiter, TimeLeft
from pitwall.coach.cue import Cue, CueIds, Mode
from pitwall.coach.lead import Delays
from pitwall.coach.model.forecaster import Forecaster, Run
from pitwall.coach.odometer import Odometer
from pitwall.coach.pace import PaceProfile, Predictor, reference_pace, typical_pace
from pitwall.coach.plan import FIRST_LAP_CORNERS, SOONER_S, LapKnowledge, PlannedCall
from pitwall.coach.scripts import Phrase, Scripts
from pitwall.coach.stint import Source, Stint
from pitwall.coach.straights import Straights
from pitwall.coach.trial import is_called
from pitwall.coach.wording import Wording
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Lap, Position
from pitwall.track.model import Corner, Track
from pitwall.track.reference import ReferenceLap
from pitwall.words.forms import Level

# A call is offered this long before its window, so that the ledger shows what it waited for.
OFFER_AHEAD_S = 0.5
# No car is faster, so that places further away need no computation.
FASTEST_MPS = 110.0
# A car below this share of the known pace is in traffic or cooling down, and is not coached.
AT_PACE = 0.6
# A slower car makes no attempt at a corner.
SLOWEST_MPS = 8.0
# Corners a lap at most; a beginner is busy with the car.
MOST_CALLS: dict[Level, int] = {"beginner": 1, "intermediate": 2, "expert": 2}


class Caller:
    """The part of the coach that needs a track. Feed every position; it offers cues to the
    arbiter."""

    def __init__(
        self,
        track: Track,
        scripts: Scripts,
        clip_s: Callable[[str], float | None],
        delays: Delays,
        arbiter: Arbiter,
        ids: CueIds,
        run: Run,
    ) -> None:
        self.track = track
        self.mode: Mode = "coach"
        # Advice of the last day, by corner; how much likelier than other advice one is heeded.
        self.lessons: Mapping[str, str] = {}
        self.weights: Mapping[str, float] = {}
        self.status = "no position"
        self.forecaster = Forecaster(track, run)
        self.stint = Stint(track)
        self.odometer = Odometer(track.length_m)
        self.straights = Straights(track)
        self.pace: PaceProfile | None = typical_pace(track)
        self._clip_s, self._delays, self._arbiter, self._ids = clip_s, delays, arbiter, ids
        self._predictor = Predictor(track)
        self._corners: dict[str, Corner] = {c.id: c for c in sorted(track.corners, key=lambda c: c.apex_m)}
        self._said: dict[str, tuple[str, Phrase]] = {}
        self._called: dict[str, list[int]] = {}
        self._offered: dict[str, float] = {}
        self._recent: deque[float] = deque(maxlen=FIRST_LAP_CORNERS)
        self._calls: list[PlannedCall] = []
        self._left_out: list[PlannedCall] = []
        # The seed of a trial, "" where there is none, and how often the car was in the pits.
        self.trial, self._outing = "", 0
        self._noted: dict[str, int] = {}
        # Corners whose last call was offered and not spoken, and from when before its lead it is
        # next.
        self._pending: set[str] = set()
        self._unheard: dict[str, float] = {}
        self._planned_for: int | None = None
        self._scripts: Scripts | None = None
        self.use_words(scripts)

    def use_words(self, scripts: Scripts) -> None:
        """Speak in these words from now on, and as much as their level bears. The same words again,
        as after a restart, change no plan."""
        if scripts == self._scripts:
            return
        self._scripts, self.wording, self._most = scripts, Wording(scripts), MOST_CALLS[scripts.level]
        self._said.clear()
        self.plan_anew()

    def plan_anew(self) -> None:
        """Something that the plan is made of has changed: plan this lap's calls again."""
        self._planned_for = None

    def set_reference(
        self, reference: ReferenceLap | None, last: ReferenceLap | None, source: Source
    ) -> None:
        """Compare with this lap, and take times from it; `last` is the last that was driven."""
        self.forecaster.compare_with(reference, last)
        if reference is not self.stint.reference or reference is None:
            self.pace = (
                typical_pace(self.track)
                if reference is None
                else reference_pace(reference, self.track.length_m, self.track.lap_m)
            )
            self._predictor.pace = self.pace
            if self.pace is not None:
                self.straights.learn_limit(self.pace)
        self.stint.set_reference(reference, last, source)
        self.plan_anew()

    def feed(self, frame: Frame, position: Position, lap: int, *, offering: bool = True) -> list[str]:
        """A frame: follow the car, and where `offering` offer what comes near. Returns the corners
        that were called and whose last pass is the best of the drive."""
        self.status = position.status
        self.forecaster.feed(frame, position)
        # The way back to the start of an open course passes by any part of it.
        if position.status == "lost" or (position.status == "off" and self.track.has_finish):
            self.stint.feed(frame, position, lap)
            return []
        came_from_m = self.odometer.place_m
        broken = self.odometer.feed(frame, position)
        if broken:
            self._arbiter.displaced(frame.t, broken)
        else:
            self._arbiter.passed(*self.odometer.before, self.odometer.t, self.odometer.s_m)
        passes = self.stint.passes
        best = self.stint.feed(frame, position, lap)
        if self.stint.passes != passes:
            self.plan_anew()
        if position.status != "on":
            return []
        if frame.speed_mps is None:
            self.status = "on, but its speed unknown"
            return []
        if came_from_m is not None and not broken:
            moved_m = self.odometer.s_m - self.odometer.before[1]
            self.straights.mark(came_from_m, max(moved_m, 0.0), frame)
        self._predictor.feed(frame, position.distance_m, frame.speed_mps)
        if offering:
            self._offer(frame.t, position.distance_m, lap)
        return [known.segment.corner for known in best]

    def seconds_to(self, cue: Cue, ahead_m: float) -> TimeLeft:
        """Return what the arbiter asks: seconds to count on for the way to a cue's action point, by
        the network where it knows more than the rules."""
        rules = partial(self._predictor.seconds_to, self._corners[cue.corner], cue.phase)
        rules_s, forecast_s = rules(ahead_m), self.forecaster.seconds_to(ahead_m, rules)
        if forecast_s is None:
            return TimeLeft(rules_s, "rule", "")
        by = f"timed by the forecast: {forecast_s:.2f} s, by the rules {rules_s:.2f}"
        return TimeLeft(forecast_s, "litert", by)

    def reserve_s(self, lap: int) -> float:
        """Seconds until the next call has to start; inf: none before the next full lap."""
        place_m = self.odometer.place_m
        least_s = math.inf
        for call in self.calls(lap) if place_m is not None else ():
            ahead_m = (call.action_m - (place_m or 0.0)) % self.track.length_m
            if not self._is_offered(call.corner.id, self.odometer.s_m + ahead_m):
                start_s = self._predictor.started_s(call.lead_s) + call.early_s
                least_s = min(least_s, self._predictor.expected_s(ahead_m) - start_s)
        return least_s

    def free_s(self) -> float:
        """Seconds until the driver is next busy, at the known pace."""
        place_m = self.odometer.place_m
        return math.inf if self.pace is None or place_m is None else self.straights.free_s(place_m, self.pace)

    def is_free(self, frame: Frame, position: Position) -> bool:
        """Return whether the driver can listen here; where he is not on the track nobody knows."""
        return frame.speed_mps is not None and self.straights.is_free(
            position.distance_m, frame.speed_mps, frame
        )

    def lap(self, lap: Lap) -> str:
        """Take a finished lap. Returns why it is no evidence, "" where it is."""
        self.plan_anew()
        self._outing += lap.kind in ("in", "out")
        return self.stint.lap(lap)

    def leave_out(self, lap: int, why: str) -> None:
        """Leave out a lap as a person says."""
        self.stint.leave_out(lap, why)
        self.plan_anew()

    def spoken(self, cue: Cue) -> None:
        """A call was spoken: it counts among the corners of this lap."""
        self._called.setdefault(cue.corner, []).append(cue.lap)
        self._pending.discard(cue.corner)
        self.stint.spoken(cue.corner, cue.lap, cue.concept)
        self._recent.append(self._offered[cue.corner])
        self.plan_anew()

    def hardest(self, count: int) -> set[str]:
        """The corners that take the most speed."""
        return plan.hardest(self._known(), count)

    def calls(self, lap: int) -> list[PlannedCall]:
        """The calls of a lap, the focus and then the dearest first. Changes only with what was fed
        since."""
        if self._planned_for != lap:
            self._planned_for, self._calls, self._left_out = lap, [], []
            if self.mode in ("learn", "coach"):
                self._calls, self._left_out = plan.plan_lap(
                    self._known(), lap, self.mode, self.most_calls, is_new=self._is_new
                )
        return self._calls

    @property
    def most_calls(self) -> int:
        """How many corners are called before them in a lap now."""
        return FIRST_LAP_CORNERS if self.mode == "learn" or self._is_new else self._most

    @property
    def _is_new(self) -> bool:
        """Return whether nothing is known yet of how this driver drives here today."""
        return not self.stint.has_evidence

    def _known(self) -> LapKnowledge:
        return LapKnowledge(
            self.track, self._corners, self.stint, self.wording, self._clip_s, self._delays, self.straights,
            self.pace, self.stint.reference, self.lessons, self.weights, self._said, self._called,
            self._unheard, self._heard_m, self._next_s_m, self._is_kept_back,
        )  # fmt: skip

    @property
    def _heard_m(self) -> list[float]:
        """The places of the last calls, and of those that wait for theirs."""
        waiting = (self._offered[corner_id] for corner_id in self._pending)
        return [*self._recent, *(place_m for place_m in waiting if place_m > self.odometer.s_m)]

    def _next_s_m(self, corner_id: str, action_m: float) -> float:
        """Where on the odometer a call about a corner has to be over, the next time that it can be
        offered."""
        at_s_m = self.odometer.s_m + (action_m - (self.odometer.place_m or 0.0)) % self.track.length_m
        return at_s_m + (self.track.length_m if self._is_offered(corner_id, at_s_m) else 0.0)

    def _is_kept_back(self, corner_id: str) -> bool:
        """Return whether a corner is a control of the trial in this stint."""
        return bool(self.trial) and not is_called(self.trial, self._outing, corner_id)

    def _cue(self, call: PlannedCall, t: float, lap: int) -> Cue:
        return Cue(
            id=next(self._ids),
            t=t,
            lap=lap,
            corner=call.corner.id,
            phase=call.phase,
            concept=call.concept,
            text=call.phrase.text,
            text_short=call.phrase.short,
            action_m=call.action_m,
            reason=call.reason,
            loss_s=call.loss_s,
        )

    def _offer(self, t: float, place_m: float, lap: int) -> None:
        for call in self.calls(lap):
            ahead_m = (call.action_m - place_m) % self.track.length_m
            ahead_s = call.lead_s + call.early_s + OFFER_AHEAD_S
            if ahead_m > call.open_m or ahead_m > ahead_s * FASTEST_MPS:
                continue
            at_s_m = self.odometer.s_m + ahead_m
            if self._is_offered(call.corner.id, at_s_m) or not self._predictor.at_pace(AT_PACE, SLOWEST_MPS):
                continue
            if self._predictor.seconds_to(call.corner, call.phase, ahead_m) > ahead_s:
                continue
            if call.corner.id in self._pending:
                # It was offered last time and not heard: sooner, then, on the straight before.
                self._unheard[call.corner.id] = call.early_s + SOONER_S
                self._pending.discard(call.corner.id)
                self.plan_anew()
            self._offered[call.corner.id] = at_s_m
            self._pending.add(call.corner.id)
            cue = self._cue(call, t, lap)
            self._arbiter.offer(cue, at_s_m=at_s_m, early_s=call.early_s, persisted=call.persisted)
        for call in self._left_out:
            # Once a lap, and only of what was driven today.
            if call.loss_s is not None and self._noted.get(call.corner.id) != lap:
                self._noted[call.corner.id] = lap
                self._arbiter.refuse(self._cue(call, t, lap), call.why_not)

    def _is_offered(self, corner_id: str, at_s_m: float) -> bool:
        """Return whether this corner was offered already on this approach."""
        last_s_m = self._offered.get(corner_id)
        return last_s_m is not None and at_s_m - last_s_m < self.track.length_m / 2.0

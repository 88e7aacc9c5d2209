"""Offers the rule coach's calls to the arbiter when the car comes near their places."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial

from pitwall.coach.arbiter import Arbiter, TimeLeft
from pitwall.coach.cue import Cue, CueIds
from pitwall.coach.lead import Delays
from pitwall.coach.model.forecaster import Forecaster, Run
from pitwall.coach.odometer import Odometer
from pitwall.coach.pace import Predictor
from pitwall.coach.plan import PlannedCall
from pitwall.coach.rules import FIRST_LAP_CORNERS, PassOutcome, RuleCoach
from pitwall.coach.scripts import Scripts
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.model import Corner, Track
from pitwall.track.reference import ReferenceLap
from pitwall.track.technique import Technique

# A call is offered this long before its window, so that the ledger shows what it waited for.
OFFER_AHEAD_S = 0.5
# No car is faster, so that places further away need no computation.
FASTEST_MPS = 110.0
# A car below this share of the known pace is in traffic or cooling down, and is not coached.
AT_PACE = 0.6
# A slower car makes no attempt at a corner.
SLOWEST_MPS = 8.0


class Caller:
    """The part of the coach that needs a track. Feed every position; it offers cues to the arbiter."""

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
        self.forecaster = Forecaster(track, run)
        self.rules = RuleCoach(track, scripts, clip_s, delays)
        self.odometer = Odometer(track.length_m)
        self.status = "no position"
        self._length_m = track.length_m
        self._arbiter, self._ids = arbiter, ids
        self._predictor = Predictor(track)
        self._corners: dict[str, Corner] = {corner.id: corner for corner in track.corners}
        self._reference: ReferenceLap | None = None
        self._offered: dict[str, float] = {}
        self._recent: deque[float] = deque(maxlen=FIRST_LAP_CORNERS)
        # Phases that can't be called at present, and why.
        self.off: Mapping[str, str] = {}

    def set_reference(self, reference: ReferenceLap | None, last: ReferenceLap | None) -> None:
        """Compare with this lap, and take times from it; `last` is the last that was driven."""
        self.forecaster.compare_with(reference, last)
        if reference is self._reference:
            return
        self._reference = reference
        self.rules.set_reference(reference)
        self._predictor.pace = self.rules.pace

    def feed(self, frame: Frame, position: Position, lap: int, free: bool, *, offering: bool = True) -> None:
        """A frame: follow the car, close what it has passed, and where `offering` offer what comes near."""
        self.status = position.status
        self.forecaster.feed(frame, position)
        # The way back to the start of an open course passes by any part of it.
        if position.status == "lost" or (position.status == "off" and self.rules.track.has_finish):
            return
        came_from_m = self.odometer.place_m
        broken = self.odometer.feed(frame, position)
        if broken:
            self._arbiter.displaced(frame.t, broken)
        else:
            self._arbiter.passed(*self.odometer.before, self.odometer.t, self.odometer.s_m)
        speed_mps = frame.speed_mps
        if position.status != "on":
            return
        if speed_mps is None:
            self.status = "on, but its speed unknown"
            return
        if came_from_m is not None and not broken:
            moved_m = self.odometer.s_m - self.odometer.before[1]
            self.rules.straights.mark(came_from_m, max(moved_m, 0.0), free)
        self._predictor.feed(frame, position.distance_m, speed_mps)
        if offering:
            self._offer(frame.t, position.distance_m, lap)

    def seconds_to(self, cue: Cue, ahead_m: float) -> TimeLeft:
        """Return what the arbiter asks: seconds to count on for the way to a cue's action point, by the
        network where it knows more than the rules."""
        rules = partial(self._predictor.seconds_to, self._corners[cue.corner], cue.phase)
        rules_s, forecast_s = rules(ahead_m), self.forecaster.seconds_to(ahead_m, rules)
        if forecast_s is None:
            return TimeLeft(rules_s, "rule", "")
        told = f"timed by the forecast: {forecast_s:.2f} s, by the rules {rules_s:.2f}"
        return TimeLeft(forecast_s, "litert", told)

    def reserve(self, lap: int) -> tuple[float, float]:
        """Seconds until the next call has to start (inf: none before the next full lap), and what its corner
        costs."""
        place_m = self.odometer.place_m
        least = (math.inf, 0.0)
        for call in self.rules.calls(lap) if place_m is not None else ():
            ahead_m = (call.action_m - (place_m or 0.0)) % self._length_m
            if not self._is_offered(call, self.odometer.s_m + ahead_m):
                start_s = self._predictor.started_s(call.lead_s) + call.early_s
                least = min(least, (self._predictor.expected_s(ahead_m) - start_s, call.loss_s or 0.0))
        return least

    def free_s(self) -> float:
        """Seconds until the driver is next busy, at the known pace."""
        pace, place_m = self.rules.pace, self.odometer.place_m
        return math.inf if pace is None or place_m is None else self.rules.straights.free_s(place_m, pace)

    def corner_pass(self, t: float, corner_pass: CornerPass, technique: Technique | None) -> PassOutcome:
        """A finished pass: tell after the corner what could not be told before it, or say why not."""
        self._arbiter.driven_again(t, corner_pass.corner)
        verdict = self.rules.corner_pass(corner_pass, technique)
        call = verdict.after or verdict.kept
        if call is not None:
            cue = self._cue(call, t, corner_pass.lap, placed=False)
            if verdict.after is None:
                self._arbiter.refuse(cue, verdict.why)
            elif call.phase in self.off:
                self._arbiter.refuse(cue, self.off[call.phase])
            else:
                self._arbiter.offer(cue, persisted=True, since_t=corner_pass.exit_t)
        return verdict

    def lap(self, lap: Lap) -> str:
        """A finished lap. Returns why it is no evidence, "" where it is."""
        return self.rules.lap(lap)

    def spoken(self, cue: Cue, text: str) -> None:
        """A call was spoken in this form: it counts among the corners of this lap."""
        with_why = text == cue.text_why
        self.rules.called(cue.corner, cue.lap, cue.concept, after=cue.action_m is None, with_why=with_why)
        if cue.action_m is not None:
            self._recent.append(self._offered[cue.corner])

    def _cue(self, call: PlannedCall, t: float, lap: int, *, placed: bool) -> Cue:
        return Cue(
            id=next(self._ids),
            t=t,
            lap=lap,
            corner=call.corner.id,
            phase=call.phase,
            concept=call.concept,
            text=call.phrase.text,
            text_short=call.phrase.short,
            text_why=call.phrase.why,
            action_m=call.action_m if placed else None,
            reason=call.reason,
            loss_s=call.loss_s,
        )

    def _offer(self, t: float, place_m: float, lap: int) -> None:
        for call in self.rules.calls(lap):
            ahead_m = (call.action_m - place_m) % self._length_m
            ahead_s = call.lead_s + call.early_s + call.sooner_s + OFFER_AHEAD_S
            if ahead_m > call.open_m or ahead_m > ahead_s * FASTEST_MPS:
                continue
            at_s_m = self.odometer.s_m + ahead_m
            if self._is_offered(call, at_s_m) or not self._predictor.at_pace(AT_PACE, SLOWEST_MPS):
                continue
            if self._predictor.seconds_to(call.corner, call.phase, ahead_m) > ahead_s:
                continue
            self._offered[call.corner.id] = at_s_m
            if self._lap_is_full(at_s_m):
                continue
            cue = self._cue(call, t, lap, placed=True)
            if call.phase in self.off:
                self._arbiter.refuse(cue, self.off[call.phase])
                continue
            self._arbiter.offer(cue, at_s_m=at_s_m, early_s=call.early_s, persisted=call.persisted)

    def _is_offered(self, call: PlannedCall, at_s_m: float) -> bool:
        """Return whether this corner was offered already on this approach."""
        last_s_m = self._offered.get(call.corner.id)
        return last_s_m is not None and at_s_m - last_s_m < self._length_m / 2.0

    def _lap_is_full(self, at_s_m: float) -> bool:
        """Return whether the last lap's length already holds as many called corners as are heard."""
        heard = sum(at_s_m - s_m < 0.98 * self._length_m for s_m in self._recent)
        return heard >= self.rules.most_calls

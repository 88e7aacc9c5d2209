"""The coach for the drive path: frames and positions in, callouts and ledger lines out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping

import msgspec

from pitwall.coach.arbiter import Arbiter, Moment
from pitwall.coach.caller import Caller
from pitwall.coach.cue import PHASES, SAFETY, STRATEGY, Callout, Cue, LedgerLine
from pitwall.coach.lead import Delays
from pitwall.coach.limits import LIMITS, LimitWatch
from pitwall.coach.phrases import FIXED, praise
from pitwall.coach.policy import STRAIGHT_FOR_S, STRAIGHT_G
from pitwall.coach.scripts import Scripts
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap

# The time to the next frame is not longer than a phone's GPS step.
LONGEST_STEP_S = 1.0
# Ten seconds of driving on no known track, and the driver may know why it is quiet.
NO_TRACK_S, NO_TRACK_MPS = 10.0, 8.0


class Coach:
    """One session's coach. Call `frame` for every frame; `drain` the ledger lines that are finished.

    `clip_s` gives the length of a text's clip in seconds, None where it was not rendered: such a text is
    never spoken.
    """

    def __init__(
        self,
        track: Track | None,
        scripts: Scripts,
        clip_s: Callable[[str], float | None],
        *,
        audio_delay_s: float,
        software_s: float,
        reference: ReferenceLap | None = None,
    ) -> None:
        self._clip_s, self._delays = clip_s, Delays(software_s, audio_delay_s)
        self._ids = itertools.count(1)
        self._arbiter = Arbiter(clip_s, self._delays)
        self._caller: Caller | None = None
        # While it is not yet known whether this is a known track, nobody is told that it is none.
        self.searching = False
        self._off: Mapping[str, str] = {}
        self._limits = tuple(LimitWatch(limit) for limit in LIMITS)
        self._t: float | None = None
        self._step_s = 0.0
        self._lap = 0
        self._straight_since: float | None = None
        self._driving_since: float | None = None
        self._told_no_track = False
        self._praising: dict[int, str] = {}
        if track is not None:
            self.use_track(track, scripts)
        if reference is not None:
            self.set_reference(reference)

    def use_track(self, track: Track, scripts: Scripts) -> None:
        """Coach on this track from now on. The reference lap is set anew afterwards."""
        self._caller = Caller(track, scripts, self._clip_s, self._delays, self._arbiter, self._ids)
        self._caller.off = self._off

    def hear_after(self, audio_delay_s: float) -> None:
        """From now on sound takes so long from being handed over to the ear."""
        self._delays.audio_s = audio_delay_s

    def switch_off(self, phases: Mapping[str, str]) -> None:
        """Phases that can't be called from now on, each with its reason; all others can."""
        self._off = phases
        if self._caller is not None:
            self._caller.off = phases

    def tell(self, phrase: str, reason: str) -> None:
        """Say one of the fixed phrases when it is free: a status message."""
        self._say("status", FIXED[phrase], STRATEGY, reason)

    def follow(self, frame: Frame, position: Position, lap_number: int) -> None:
        """One instant of the past: take it in, say nothing."""
        self._begin(frame, lap_number)
        if self._caller is not None:
            self._caller.feed(frame, position, lap_number, self._straight(frame.t), offering=False)

    def tick(self, t: float) -> Callout | None:
        """Time went on without a frame: messages that belong to no place may still be said."""
        self._t = t
        self._straight_since = None
        self._arbiter.tick(t)
        if not self._arbiter.busy:
            return None
        blank = Frame(t, fix_age_s=LONGEST_STEP_S)
        moment = msgspec.structs.replace(self._moment(blank), blocked="no data")
        return self._arbiter.step(moment, self._seconds_to)

    def set_reference(self, reference: ReferenceLap | None) -> None:
        """The lap to compare with from now on."""
        if self._caller is not None:
            self._caller.set_reference(reference)

    def corner_pass(self, corner_pass: CornerPass) -> None:
        """One finished drive through a corner."""
        if self._caller is None or self._t is None:
            return
        cured = self._caller.rules.corner_pass(corner_pass)
        if cured:
            reason = f"{cured} was called, and two laps since lost less than 0.15 s there"
            self._praising[self._say("praise", praise(cured), STRATEGY, reason)] = cured

    def lap(self, lap: Lap) -> None:
        """One finished lap."""
        if self._caller is not None:
            self._caller.rules.lap(lap)

    def frame(self, frame: Frame, position: Position | None, lap_number: int) -> Callout | None:
        """One instant. Returns what has to sound now, if anything has."""
        self._begin(frame, lap_number)
        for watch in self._limits:
            excess = watch.feed(frame)
            if excess:
                self._say("safety", FIXED[watch.limit.phrase], SAFETY, excess)
        if self._caller is not None and position is not None:
            self._caller.feed(frame, position, lap_number, self._straight(frame.t))
        elif not self._told_no_track and not self.searching:
            self._without_track(frame)
        self._arbiter.tick(frame.t)
        if not self._arbiter.busy:
            return None
        callout = self._arbiter.step(self._moment(frame), self._seconds_to)
        if callout is not None:
            self._spoken()
        return callout

    def finish(self, t: float) -> None:
        """The drive is over: every open cue gets its end."""
        self._arbiter.flush(t)

    def drain(self) -> list[LedgerLine]:
        """The ledger lines finished since the last call, in the order in which they were finished."""
        return self._arbiter.drain()

    def _begin(self, frame: Frame, lap: int) -> None:
        if self._t is not None:
            self._step_s = min(max(frame.t - self._t, 0.0), LONGEST_STEP_S)
        self._t, self._lap = frame.t, lap
        # An unknown lateral g is not a straight: never guess.
        if frame.g_lat is None or abs(frame.g_lat) >= STRAIGHT_G:
            self._straight_since = None
        elif self._straight_since is None:
            self._straight_since = frame.t

    def _straight(self, t: float) -> bool:
        return self._straight_since is not None and t - self._straight_since >= STRAIGHT_FOR_S

    def _without_track(self, frame: Frame) -> None:
        """Say once why there are no calls, when the car has been driven for a while."""
        if frame.lat_deg is None or frame.speed_mps is None or frame.speed_mps < NO_TRACK_MPS:
            self._driving_since = None
        elif self._driving_since is None:
            self._driving_since = frame.t
        elif frame.t - self._driving_since >= NO_TRACK_S:
            self._told_no_track = True
            self._say("status", FIXED["no_track"], STRATEGY, f"driving for {NO_TRACK_S:.0f} s on none")

    def _say(self, category: str, text: str, priority: int, reason: str) -> int:
        """Offer a message that belongs to no place; returns its number."""
        cue = Cue(
            id=next(self._ids),
            t=self._t or 0.0,
            lap=self._lap,
            corner="",
            phase=category,
            text=text,
            priority=priority,
            reason=reason,
        )
        self._arbiter.offer(cue)
        return cue.id

    def _moment(self, frame: Frame) -> Moment:
        caller = self._caller
        status = caller.status if caller is not None else "no track"
        return Moment(
            t=frame.t,
            s_m=caller.odometer.s_m if caller is not None else 0.0,
            blocked="" if status == "on" else f"position {status}",
            straight=self._straight(frame.t),
            fix_age_s=frame.fix_age_s,
            step_s=self._step_s,
            reserve_s=caller.reserve_s(self._lap) if caller is not None and status == "on" else math.inf,
        )

    def _seconds_to(self, cue: Cue, ahead_m: float) -> float:
        return self._caller.seconds_to(cue, ahead_m) if self._caller is not None else math.inf

    def _spoken(self) -> None:
        cue = self._arbiter.playing_cue
        if self._caller is None or cue is None:
            return
        if cue.phase in PHASES:
            self._caller.spoken(cue)
        elif cue.id in self._praising:
            self._caller.rules.praised(self._praising.pop(cue.id))

"""The coach for the drive path: frames and positions in, callouts and ledger lines out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

import msgspec

from pitwall.coach.arbiter import Arbiter, Moment, TimeLeft
from pitwall.coach.caller import Caller
from pitwall.coach.cue import PHASES, SAFETY, STRATEGY, Callout, Cue, CueIds, LedgerLine, Mode
from pitwall.coach.lead import Delays
from pitwall.coach.limits import LIMITS, LimitWatch
from pitwall.coach.model.forecaster import Forecaster, Run
from pitwall.coach.policy import FREE_G, STANDING_MPS, STRAIGHT_FOR_S, STRAIGHT_G
from pitwall.coach.scripts import Scripts
from pitwall.telemetry.frame import Frame
from pitwall.track.braking import BRAKING_G
from pitwall.track.lap import MARKED, CornerPass, Lap, Mark, Position
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap
from pitwall.track.technique import FLAT_PCT, Technique

# The time to the next frame is not longer than a phone's GPS step.
LONGEST_STEP_S = 1.0
# A car that gains this much is driven with the throttle open, where its pedal is not known.
OPEN_THROTTLE_G = 0.12
# A best lap that is faster by less is no news.
WORTH_TELLING_S = 0.2
# The apex speeds of so many corners are told, beside the deltas and the lap time.
SPEEDS_TOLD = 4
# Ten seconds of driving on no known track, and the driver may know why it is quiet.
NO_TRACK_S, NO_TRACK_MPS = 10.0, 8.0


class Coach:
    """A session's coach. Call `frame` for every frame; `drain` the ledger lines that are finished.

    `clip_s` gives the length of a text's clip in seconds, None where it was not rendered: such a text is
    never spoken. `run` runs the network that forecasts.
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
        mode: Mode = "coach",
        run: Run = lambda _: None,
    ) -> None:
        self._mode: Mode = mode
        self._lessons: Mapping[str, str] = {}
        self._weights: Mapping[str, float] = {}
        self._clip_s, self._delays = clip_s, Delays(software_s, audio_delay_s)
        # Of everything that is said outside the scripts.
        self.language = scripts.language
        self._ids = CueIds()
        self._arbiter = Arbiter(clip_s, self._delays)
        self._caller: Caller | None = None
        # While it is not yet known whether this is a known track, nobody is told that it is none.
        self.searching = False
        self._off: Mapping[str, str] = {}
        self._limits = tuple(LimitWatch(limit) for limit in LIMITS)
        self._t: float | None = None
        self._step_s = self._behind_s = 0.0
        self._lap = 0
        self._straight_since: float | None = None
        self._braking = False
        self._driving_since: float | None = None
        self._told_no_track = self._told_fading = False
        # The best lap time that counts.
        self.best_s: float | None = None
        self._run = run
        if track is not None:
            self.use_track(track, scripts)
        if reference is not None:
            self.set_reference(reference)

    def use_track(self, track: Track, scripts: Scripts) -> None:
        """Coach on this track from now on. The reference lap is set anew afterwards."""
        self.language = scripts.language
        self._caller = Caller(track, scripts, self._clip_s, self._delays, self._arbiter, self._ids, self._run)
        self._caller.off = self._off
        self._caller.rules.mode, self._caller.rules.lessons = self._mode, self._lessons
        self._caller.rules.weights = self._weights

    @property
    def heads_for_a_place(self) -> bool:
        """Return whether a call waits for its place."""
        return self._arbiter.heads_for_a_place

    @property
    def forecaster(self) -> Forecaster | None:
        """Return who times calls by the network, None where no track is known."""
        return self._caller.forecaster if self._caller is not None else None

    def use_words(self, scripts: Scripts) -> None:
        """The words of this track were made anew: speak in these from now on, and forget nothing."""
        self.language = scripts.language
        if self._caller is not None and self._t is not None:
            self._caller.rules.use_words(scripts)
            self._arbiter.words_changed(self._t)

    @property
    def track(self) -> Track | None:
        """The track whose corners are called, None where there is none."""
        return self._caller.rules.track if self._caller is not None else None

    @property
    def mode(self) -> Mode:
        """How the coach speaks: it teaches a new track, coaches, tells figures, or is quiet."""
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._mode = mode
        if self._caller is not None:
            self._caller.rules.mode = mode
            self._caller.rules.plan_anew()

    def recall(self, lessons: Iterable[tuple[str, str]], weights: Iterable[tuple[str, float]] = ()) -> None:
        """The faults of the last day, as (corner, concept): spoken of before this day has shown any; and how
        much likelier than other advice a concept is heeded."""
        self._lessons, self._weights = dict(lessons), dict(weights)
        if self._caller is not None:
            self._caller.rules.lessons, self._caller.rules.weights = self._lessons, self._weights
            self._caller.rules.plan_anew()

    def hear_after(self, audio_delay_s: float) -> None:
        """From now on sound takes so long from being handed over to the ear."""
        self._delays.audio_s = audio_delay_s

    def fall_behind(self, behind_s: float) -> None:
        """From now on what comes is so old when it comes; 0: it comes in time."""
        self._behind_s = behind_s

    def switch_off(self, phases: Mapping[str, str]) -> None:
        """Phases that can't be called from now on, each with its reason; all others can."""
        self._off = phases
        if self._caller is not None:
            self._caller.off = phases

    def tell(self, phrase: str, reason: str) -> None:
        """Say one of the fixed phrases when it is free: a status message."""
        self._say("status", self.language.fixed[phrase], STRATEGY, reason)

    def follow(self, frame: Frame, position: Position, lap_number: int) -> None:
        """Take in an instant of the past, and say nothing."""
        self._begin(frame, lap_number)
        if self._caller is not None:
            self._caller.feed(frame, position, lap_number, self._free(frame.t), offering=False)

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

    def set_reference(self, reference: ReferenceLap | None, last: ReferenceLap | None = None) -> None:
        """The lap to compare with from now on, and the last that was driven."""
        if self._caller is not None:
            self._caller.set_reference(reference, last)

    def corner_pass(self, corner_pass: CornerPass, technique: Technique | None) -> None:
        """A finished drive through a corner, and what was done in it."""
        if self._caller is None or self._t is None:
            return
        corner = corner_pass.corner
        outcome = self._caller.corner_pass(self._t, corner_pass, technique)
        if not self._told_fading and self._caller.rules.fading.going:
            self._told_fading = True
            self.tell("tyres", "nearly every corner of a lap with less grip than in the own best")
        if outcome.won_s:
            grade = self._caller.rules.wording.graded(corner, outcome.won_s, did=outcome.did)
            reason = f"{outcome.won_s:.2f} s better than usual, as called"
            self._say("grade", grade.text, STRATEGY, reason, short=grade.short)
        if outcome.cured:
            reason = "two laps since the call did without the fault"
            text = self._caller.rules.wording.praise(corner)
            self._say("praise", text, STRATEGY, reason)
        if self._mode == "numbers" and corner in self._caller.rules.hardest(SPEEDS_TOLD):
            speed_mps = corner_pass.min_speed_mps
            text = self._caller.rules.wording.speed(corner, speed_mps)
            self._say("numbers", text, STRATEGY, f"{speed_mps:.1f} m/s at the slowest point")

    def lap(self, lap: Lap) -> None:
        """A finished lap."""
        why = self._caller.lap(lap) if self._caller is not None else ""
        if why and lap.kind == "flying":
            cue = self._cue("off_pace", self.language.say("lap no evidence", lap=lap.number), STRATEGY, "")
            self._arbiter.refuse(cue, why)
        if not why and lap.kind == "flying" and lap.time_s is not None:
            self._tell_gain(lap.time_s)
        if self._mode == "numbers" and lap.time_s is not None:
            parts = self.language.spoken_lap_time(lap.time_s)
            self._say_number(parts, f"lap {lap.number}: {lap.time_s:.3f} s", "lap_time")

    def _tell_gain(self, time_s: float) -> None:
        """A driver who gets faster hears by how much."""
        before_s, self.best_s = self.best_s, min(time_s, self.best_s or time_s)
        if self._mode != "coach" or before_s is None or before_s - time_s < WORTH_TELLING_S:
            return
        text = f"{self.language.best_lap}: {' '.join(self.language.spoken_delta(time_s - before_s))}"
        self._say("gain", text, STRATEGY, f"{before_s - time_s:.2f} s faster than the best lap so far")

    def mark(self, t: float, lap: int, mark: Mark) -> None:
        """Take up what a person says of a lap. `traffic` and `yellow`: what is driven in it is no
        evidence."""
        self._arbiter.note(
            Cue(id=next(self._ids), t=t, lap=lap, corner="", phase="mark", text=mark, priority=STRATEGY)
        )
        if self._caller is not None and mark in ("traffic", "yellow"):
            self._caller.rules.leave_out(lap, f"{MARKED}: {mark}", as_target=True)
        elif self._caller is not None and mark == "clear":
            self._caller.rules.take_in(lap)

    def sector(self, delta_s: float) -> None:
        """A sector has ended, so many seconds behind the reference lap."""
        if self._mode == "numbers":
            self._say_number(self.language.spoken_delta(delta_s), f"{delta_s:+.2f} s at the sector's end")

    def _say_number(self, parts: Iterable[str], reason: str, category: str = "numbers") -> None:
        self._say(category, " ".join(parts), STRATEGY, reason)

    def frame(self, frame: Frame, position: Position | None, lap_number: int) -> Callout | None:
        """Take in an instant. Returns what has to sound now, if anything has."""
        self._begin(frame, lap_number)
        for watch in self._limits:
            excess = watch.feed(frame)
            if excess:
                self._say("safety", self.language.fixed[watch.limit.phrase], SAFETY, excess)
        if self._caller is not None and position is not None:
            self._caller.feed(frame, position, lap_number, self._free(frame.t))
        elif not self._told_no_track and not self.searching:
            self._without_track(frame)
        self._arbiter.tick(frame.t)
        if not self._arbiter.busy:
            return None
        callout = self._arbiter.step(self._moment(frame), self._seconds_to)
        if callout is not None:
            self._spoken(callout)
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
        self._braking = is_braking(frame)
        if not is_straight(frame):
            self._straight_since = None
        elif self._straight_since is None:
            self._straight_since = frame.t

    def _straight(self, t: float) -> bool:
        # Stamps are rounded differently in each session, which is not to decide.
        return self._straight_since is not None and t - self._straight_since >= STRAIGHT_FOR_S - 1e-6

    def _free(self, t: float) -> bool:
        return not self._braking and self._straight(t)

    def _without_track(self, frame: Frame) -> None:
        """Say once why there are no calls, when the car has been driven for a while."""
        if frame.lat_deg is None or frame.speed_mps is None or frame.speed_mps < NO_TRACK_MPS:
            self._driving_since = None
        elif self._driving_since is None:
            self._driving_since = frame.t
        elif frame.t - self._driving_since >= NO_TRACK_S:
            self._told_no_track = True
            self._say(
                "status", self.language.fixed["no_track"], STRATEGY, f"driving for {NO_TRACK_S:.0f} s on none"
            )

    def _say(self, category: str, text: str, priority: int, reason: str, *, short: str = "") -> None:
        """Offer a message that belongs to no place."""
        cue = self._cue(category, text, priority, reason)
        self._arbiter.offer(msgspec.structs.replace(cue, text_short=short) if short else cue)

    def _cue(self, category: str, text: str, priority: int, reason: str) -> Cue:
        return Cue(
            id=next(self._ids),
            t=self._t or 0.0,
            lap=self._lap,
            corner="",
            phase=category,
            text=text,
            priority=priority,
            reason=reason,
        )

    def _moment(self, frame: Frame) -> Moment:
        caller = self._caller
        status = caller.status if caller is not None else "no track"
        reserve_s, reserve_loss_s = math.inf, 0.0
        if caller is not None and status == "on":
            reserve_s, reserve_loss_s = caller.reserve(self._lap)
        return Moment(
            t=frame.t,
            s_m=caller.odometer.s_m if caller is not None else 0.0,
            blocked="" if status == "on" else f"position {status}",
            straight=self._straight(frame.t),
            braking=self._braking,
            standing=frame.speed_mps is not None and frame.speed_mps < STANDING_MPS,
            fix_age_s=frame.fix_age_s,
            step_s=self._step_s,
            reserve_s=reserve_s,
            reserve_loss_s=reserve_loss_s,
            free_s=caller.free_s() if caller is not None and status == "on" else math.inf,
            behind_s=self._behind_s,
        )

    def _seconds_to(self, cue: Cue, ahead_m: float) -> TimeLeft:
        if self._caller is None:
            return TimeLeft(math.inf, "rule", "")
        return self._caller.seconds_to(cue, ahead_m)

    def _spoken(self, callout: Callout) -> None:
        cue = self._arbiter.playing_cue
        if self._caller is None or cue is None:
            return
        if cue.phase in PHASES:
            self._caller.spoken(cue, callout.text)


def is_straight(frame: Frame) -> bool:
    """Return whether the driver can listen: no bend to speak of, or one that is held with the throttle
    open. Where lateral g or speed are not known it is not a straight: never guess."""
    g_lat = frame.g_lat
    if g_lat is None or frame.speed_mps is None:
        return False
    if abs(g_lat) < STRAIGHT_G:
        return True
    if frame.throttle_pct is not None:
        return abs(g_lat) < FREE_G and frame.throttle_pct >= FLAT_PCT
    return abs(g_lat) < FREE_G and frame.g_long is not None and frame.g_long >= OPEN_THROTTLE_G


def is_braking(frame: Frame) -> bool:
    """Return whether the car slows down by more than lifting does."""
    return frame.g_long is not None and frame.g_long <= -BRAKING_G

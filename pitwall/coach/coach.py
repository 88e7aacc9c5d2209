"""The coach for the drive path: frames and positions in, callouts and ledger lines out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

import msgspec

from pitwall.coach.arbiter import Arbiter, Moment, TimeLeft
from pitwall.coach.caller import Caller
from pitwall.coach.cue import (
    AT_ONCE,
    PHASES,
    SAFETY,
    STRATEGY,
    Callout,
    CrewWord,
    Cue,
    CueIds,
    Hush,
    LapTimes,
    LedgerLine,
    Mode,
    crew_reason,
)
from pitwall.coach.lead import Delays
from pitwall.coach.limits import LIMITS, LimitWatch
from pitwall.coach.model.forecaster import Forecaster, Run
from pitwall.coach.policy import FREE_G, STANDING_MPS, STRAIGHT_FOR_S, STRAIGHT_G
from pitwall.coach.scripts import Scripts
from pitwall.coach.stint import Source
from pitwall.coach.straights import is_braking, is_open
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import MARKED, CornerPass, Lap, Mark, Position
from pitwall.track.model import Track
from pitwall.track.proof import PlaceProof
from pitwall.track.reference import ReferenceLap

# The time to the next frame is not longer than a phone's GPS step.
LONGEST_STEP_S = 1.0
# The most corners whose apex speed is spoken, with the deltas and the lap time.
SPEEDS_SPOKEN = 4
# A receiver that gives fewer than two fixes a second shows no pass: the driver hears it after this
# many laps.
LAPS_WITHOUT_A_PASS = 3
# The rest of the lap in which a driver asks for silence may be over at once: one more is silent.
QUIET_LAPS = 2
# Ten seconds of driving on no known track, and the driver may know why it is quiet.
NO_TRACK_S, NO_TRACK_MPS = 10.0, 8.0


class Coach:
    """A session's coach. Call `frame` for every frame; `drain` the ledger lines that are finished.

    `clip_s` gives the length of a text's clip in seconds, None where it was not rendered: such a
    text is never spoken. `run` runs the network that forecasts.
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
        lap_times: LapTimes = "best",
        trial: str = "",
        run: Run = lambda _: None,
    ) -> None:
        self._mode: Mode = mode
        self._hush: Hush | None = None
        # How many laps have to end before the coach speaks again; what proves the place.
        self._quiet_laps = 0
        self._proof: PlaceProof | None = None
        self._crew_heard: list[str] = []
        self._lap_times: LapTimes = lap_times
        self._trial = trial
        self._lessons: Mapping[str, str] = {}
        self._weights: Mapping[str, float] = {}
        self._clip_s, self._delays = clip_s, Delays(software_s, audio_delay_s)
        # Of everything that is said outside the scripts.
        self.language = scripts.language
        self._ids = CueIds()
        self._arbiter = Arbiter(clip_s, self._delays)
        self._caller: Caller | None = None
        # What is fed was driven before the track was known: nothing is said of it.
        self.is_past = False
        # While it is not yet known whether this is a known track, nobody hears that it is none.
        self.searching = False
        self._worded = False
        self._limits = tuple(LimitWatch(limit) for limit in LIMITS)
        self._t: float | None = None
        self._step_s = self._behind_s = 0.0
        self._lap = 0
        self._straight_since: float | None = None
        self._braking = False
        self._driving_since: float | None = None
        self._told_no_track = False
        self._flying, self._slow_due = 0, False
        self._last_s: float | None = None
        # The best lap time that counts.
        self.best_s: float | None = None
        self._run = run
        if track is not None:
            self.use_track(track, scripts)
        if reference is not None:
            self.set_reference(reference)

    def use_track(self, track: Track, scripts: Scripts | None) -> None:
        """Follow the car on this track from now on, and call its corners in these words; None: once
        `use_words` has brought some. Set the reference lap again afterwards."""
        if scripts is not None:
            self.language = scripts.language
        self._worded, self._proof = scripts is not None, None
        scripts = scripts or Scripts("", {}, language=self.language)
        self._caller = Caller(track, scripts, self._clip_s, self._delays, self._arbiter, self._ids, self._run)
        self._caller.trial = self._trial
        self._caller.mode, self._caller.lessons, self._caller.weights = (
            self._speaks, self._lessons, self._weights,
        )  # fmt: skip

    @property
    def heads_for_a_place(self) -> bool:
        """Return whether a call waits for its place."""
        return self._arbiter.heads_for_a_place

    @property
    def forecaster(self) -> Forecaster | None:
        """Return who times calls by the network, None where no track is known."""
        return self._caller.forecaster if self._caller is not None else None

    def use_words(self, scripts: Scripts) -> None:
        """Speak in these new words of the track from now on, and forget nothing."""
        self.language, self._worded = scripts.language, True
        if self._caller is not None:
            self._caller.use_words(scripts)
            self._arbiter.words_changed(self._t or 0.0)

    @property
    def track(self) -> Track | None:
        """The track whose corners are called, None where there is none."""
        return self._caller.track if self._caller is not None else None

    @property
    def mode(self) -> Mode:
        """How the coach speaks: it teaches a new track, coaches, tells figures, or is quiet."""
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._mode = mode
        self._speak_so()

    def hush(self, until: Hush) -> None:
        """Say nothing but danger until then; what waits to be said is dropped."""
        if until == "over":
            self._speak_again()
            return
        self._hush, self._quiet_laps, self._proof = until, QUIET_LAPS, None
        self._arbiter.hush(self._t or 0.0, f"the driver wants silence until: {until}")
        self._speak_so()

    def crew(
        self, id_: str, says: CrewWord, by: str, target_s: float | None, line: str, clip_s: float | None
    ) -> None:
        """Say what the pit wall wants said: danger at once, all else on the next straight.
        `clip_s`: how long the crew's own line sounds; None where it could not be rendered, and is
        not said."""
        if id_ in self._crew_heard:  # sent again after a restart
            return
        self._crew_heard.append(id_)
        text = line or self.language.fixed[f"crew_{says}"]
        if target_s is not None:
            text = " ".join((f"{text}:", *self.language.spoken_lap_time(target_s)))
        at_once = says in AT_ONCE
        self._say(
            "safety" if at_once else "crew",
            text,
            SAFETY if at_once else STRATEGY,
            crew_reason(id_, by),
            clip_s,
        )

    def say_again(self) -> None:
        """Say the last callout again, where the driver is free to hear it."""
        if last := self._arbiter.playing_cue:
            self._say("again", last.text, STRATEGY, "the driver wants to hear it again", last.clip_s)

    def _speak_again(self) -> None:
        self._hush = self._proof = None
        self._speak_so()

    def _prove(self, frame: Frame, position: Position, track: Track) -> None:
        """Prove the place again: the driver says that he is elsewhere."""
        self._proof = self._proof or PlaceProof(track)
        if self._proof.feed(frame, position):
            self._speak_again()

    @property
    def hushed(self) -> Hush | None:
        """Return until when the driver wants silence, None where he wants none."""
        return self._hush

    @property
    def _speaks(self) -> Mode:
        return "quiet" if self._hush else self._mode

    def _speak_so(self) -> None:
        if self._caller is not None:
            self._caller.mode = self._speaks
            self._caller.plan_anew()

    def recall(self, lessons: Iterable[tuple[str, str]], weights: Iterable[tuple[str, float]] = ()) -> None:
        """The faults of the last day, as (corner, concept): spoken of before this day has shown
        any; and how much likelier than other advice a concept is heeded."""
        self._lessons, self._weights = dict(lessons), dict(weights)
        if self._caller is not None:
            self._caller.lessons, self._caller.weights = self._lessons, self._weights
            self._caller.plan_anew()

    def hear_after(self, audio_delay_s: float) -> None:
        """From now on sound takes so long from being handed over to the ear."""
        self._delays.audio_s = audio_delay_s

    def unheard(self, why: str) -> None:
        """From now on nobody hears what is played, and why; "": the driver hears it."""
        self._arbiter.unheard = why

    def forget_pedals(self) -> None:
        """Nothing that was driven so far, the running lap's road among it, is evidence any more."""
        if self._caller is not None:
            for lap in range(self._lap + 1):
                self._caller.leave_out(lap, "the fixes' lag was not known")

    def fall_behind(self, behind_s: float) -> None:
        """From now on what comes is so old when it comes; 0: it comes in time."""
        self._behind_s = behind_s

    def tell(self, phrase: str, reason: str) -> None:
        """Say one of the fixed phrases when it is free: a status message."""
        self._say("status", self.language.fixed[phrase], STRATEGY, reason)

    def follow(self, frame: Frame, position: Position, lap_number: int) -> None:
        """Take in an instant of the past, and say nothing."""
        self._begin(frame, lap_number, position)
        if self._caller is not None:
            self._caller.feed(frame, position, lap_number, offering=False)

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

    def set_reference(
        self, reference: ReferenceLap | None, last: ReferenceLap | None = None, source: Source = "own"
    ) -> None:
        """The lap to compare with from now on, whose it is, and the last that was driven."""
        if self._caller is not None:
            self._caller.set_reference(reference, last, source)

    def corner_pass(self, corner_pass: CornerPass) -> None:
        """A finished drive through a corner."""
        caller = self._caller
        if (
            caller is None
            or self._speaks != "numbers"
            or corner_pass.corner not in caller.hardest(SPEEDS_SPOKEN)
        ):
            return
        speed_mps = corner_pass.min_speed_mps
        text = caller.wording.speed(corner_pass.corner, speed_mps)
        self._say_number(text.split(), f"{speed_mps:.1f} m/s at the slowest point")

    def lap(self, lap: Lap) -> None:
        """A finished lap."""
        if self._hush == "lap ended":
            self._quiet_laps -= 1
            if not self._quiet_laps:
                self._speak_again()
        why = self._caller.lap(lap) if self._caller is not None else ""
        if why and lap.kind == "flying" and not self.is_past:
            cue = self._cue("off_pace", self.language.say("lap no evidence", lap=lap.number), STRATEGY, "")
            self._arbiter.refuse(cue, why)
        if lap.kind == "flying" and lap.time_s is not None and self._speaks in ("coach", "numbers"):
            self._say_lap_time(lap.number, lap.time_s)
        if lap.kind == "flying" and self._caller is not None and self._speaks == "coach":
            self._flying += 1
            if self._flying == LAPS_WITHOUT_A_PASS and not self._caller.stint.passes:
                self._slow_due = True

    def _say_lap_time(self, number: int, time_s: float) -> None:
        """Say the time of a lap that has just ended, where the driver wants to hear it."""
        best_s, last_s = self.best_s, self._last_s
        self.best_s, self._last_s = min(time_s, best_s or time_s), time_s
        is_best = best_s is not None and time_s < best_s
        improved = last_s is None or time_s < last_s
        wanted = self._speaks == "numbers" or self._lap_times == "all" or is_best or improved
        if self._lap_times == "never" or not wanted:
            return
        parts = self.language.spoken_lap_time(time_s)
        text = " ".join((f"{self.language.best_lap}:", *parts) if is_best else parts)
        self._say("lap_time", text, STRATEGY, f"lap {number}: {time_s:.3f} s")

    def mark(self, t: float, lap: int, mark: Mark) -> None:
        """Take up what a person says of a lap. `traffic` and `yellow`: what is driven in it is no
        evidence."""
        self._arbiter.note(
            Cue(id=next(self._ids), t=t, lap=lap, corner="", phase="mark", text=mark, priority=STRATEGY)
        )
        if self._caller is not None and mark in ("traffic", "yellow"):
            self._caller.leave_out(lap, f"{MARKED}: {mark}")
        elif self._caller is not None and mark == "clear":
            self._caller.stint.take_in(lap)

    def sector(self, delta_s: float) -> None:
        """Speak of an ended sector, `delta_s` seconds behind the reference lap."""
        if self._speaks == "numbers":
            self._say_number(self.language.spoken_delta(delta_s), f"{delta_s:+.2f} s at the sector's end")

    def _say_number(self, parts: Iterable[str], reason: str) -> None:
        self._say("numbers", " ".join(parts), STRATEGY, reason)

    def frame(self, frame: Frame, position: Position | None, lap_number: int) -> Callout | None:
        """Take in an instant. Returns what has to sound now, if anything has."""
        self._begin(frame, lap_number, position)
        for watch in self._limits:
            excess = watch.feed(frame)
            if excess:
                self._say("safety", self.language.fixed[watch.limit.phrase], SAFETY, excess)
        if self._caller is not None and position is not None:
            if self._hush == "place proved":
                self._prove(frame, position, self._caller.track)
            for corner in self._caller.feed(frame, position, lap_number, offering=self._worded):
                if self._speaks == "coach":
                    text = self._caller.wording.again(corner)
                    self._say("praise", text, STRATEGY, "the best pass of the drive, after a call")
            if self._slow_due and self._straight_since is not None and not self._arbiter.busy:
                # At the line it would wait behind the lap time.
                self._slow_due = False
                self.tell("gps_slow", f"no pass was seen in {self._flying} flying laps")
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
        """The ledger lines finished since the last call, in the order in which they were
        finished."""
        return self._arbiter.drain()

    def _begin(self, frame: Frame, lap: int, position: Position | None) -> None:
        if self._t is not None:
            self._step_s = min(max(frame.t - self._t, 0.0), LONGEST_STEP_S)
        self._t, self._lap = frame.t, lap
        self._braking = is_braking(frame)
        caller = self._caller
        if caller is not None and position is not None and position.status in ("on", "reckoned"):
            # The road's bends don't pass through zero between two corners of an S.
            self._straight_since = -math.inf if caller.is_free(frame, position) else None
        elif not is_straight(frame):
            self._straight_since = None
        elif self._straight_since is None:
            self._straight_since = frame.t

    def _straight(self, t: float) -> bool:
        # Stamps are rounded differently in each session, which is not to decide.
        return self._straight_since is not None and t - self._straight_since >= STRAIGHT_FOR_S - 1e-6

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

    def _say(self, category: str, text: str, priority: int, reason: str, clip_s: float | None = None) -> None:
        """Offer a message that belongs to no place."""
        if self.is_past:
            return
        cue = self._cue(category, text, priority, reason)
        self._arbiter.offer(cue if clip_s is None else msgspec.structs.replace(cue, clip_s=clip_s))

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
        reserve_s = caller.reserve_s(self._lap) if caller is not None and status == "on" else math.inf
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
            self._caller.spoken(cue)


def is_straight(frame: Frame) -> bool:
    """Return whether the driver can listen: no bend to speak of, or one that is held with the
    throttle open. Where lateral g or speed are not known it is not a straight: never guess."""
    g_lat = frame.g_lat
    if g_lat is None or frame.speed_mps is None:
        return False
    return abs(g_lat) < (FREE_G if is_open(frame) else STRAIGHT_G)

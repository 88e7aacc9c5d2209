"""Run the in-drive path of one session: samples in; frames, laps, passes, callouts out.

sample -> fusion -> frame -> map matcher -> lap timer -> corner passes -> coach -> arbiter ->
callout

A control comes from outside the data: which track was recognised, that its clips are ready, that
the store fails. The car, a replay, an import and a rebuild give the same samples and controls in
the same order, so they come to the same laps and ledger. The path takes time from the data, never
blocks and never waits.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from pitwall.coach.coach import Coach
from pitwall.coach.cue import Callout, Hush, LedgerLine, Mode
from pitwall.coach.model.forecaster import Forecaster, Run
from pitwall.coach.scripts import Scripts
from pitwall.coach.stint import Source
from pitwall.diagnosis.counts import OTHER_DAY, OTHER_DAY_LAPS
from pitwall.drive.controls import (
    Back,
    Behind,
    CompareWith,
    CrewSays,
    FixesLate,
    ForecastBy,
    HeardLater,
    HushUntil,
    LapsEnded,
    Lost,
    MarkLap,
    NoWords,
    OnTrack,
    Remember,
    SayAgain,
    SetMode,
    SourceClocks,
    Tick,
    TimeAt,
    TrackUnknown,
    Unheard,
    WordsReady,
    control_of,
)
from pitwall.drive.degradation import Degradations
from pitwall.drive.prepare import NO_WORDS, DriveSettings, Memory, Words
from pitwall.store.journal_check import read_sources
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.recordings.journal import ControlRecord
from pitwall.telemetry.sample import Sample, Stream
from pitwall.telemetry.watch import LossEvent, LossWatch
from pitwall.track.circuits import is_drawn
from pitwall.track.cuts import as_judged
from pitwall.track.lap import CornerPass, Lap, LapKind, LapMark, Position, as_marked
from pitwall.track.matcher import MapMatcher
from pitwall.track.model import Gate, Track
from pitwall.track.passes import CornerPasses
from pitwall.track.reference import ReferenceBuilder, ReferenceLap
from pitwall.track.timing import LapTimer
from pitwall.words.forms import Level

# A clock whose mapping jumps by more was set; between two notes it drifts by less.
SET_S = 0.05
# Header key: the journal holds controls, which must be fed again too.
PATH_OPTION, LIVE = "path", "live"
# One slow first lap says nothing of a day, unless it is slower by this share.
RAIN = 1.12
# Controls of place. A session that is matched again gets these from what is known today.
PLACE_KINDS = frozenset({"gate", "track", "unknown", "laps"})
# This many of the fastest laps are kept whole: a mark may exclude one, and restore it.
DRIVEN_KEPT = 3
# The last frames, for when the track is recognised: a minute at 25 Hz. Before any place is known
# one fix in a tenth of a second is kept too, for as long as three laps of a circuit take.
FRAMES_KEPT = 1_500
FIXES_KEPT, FIX_EVERY_S = 5_000, 0.08
# Status messages are looked for this often.
TELL_EVERY_S = 0.1
# A driver at walking pace need not hear about sensors.
MOVING_MPS = 5.0


class OtherLap(msgspec.Struct, frozen=True):
    """The best lap of a time: its label, SESSION:LAP, and its seconds."""

    of: Literal["session", "day", "all"]
    label: str
    time_s: float


class LiveState(msgspec.Struct):
    """Where the drive stands now, for the page and the status: overwritten with every frame."""

    t: float = 0.0
    lap: int = 0
    lap_elapsed_s: float | None = None
    distance_m: float | None = None
    speed_mps: float | None = None
    delta_s: float | None = None
    predicted_s: float | None = None
    best_s: float | None = None
    last_s: float | None = None
    # The lap that `delta_s` compares with: its time, and whose it is.
    reference_s: float | None = None
    reference: Source | None = None
    # Other laps that a driver may want to see the gap to, and the gaps; nothing is said of them.
    others: tuple[OtherLap, ...] = ()
    other_deltas_s: tuple[float, ...] = ()
    status: str = ""
    # The sectors of the running lap so far, of the last whole lap, and the best of each today.
    sectors_s: tuple[float | None, ...] = ()
    last_sectors_s: tuple[float | None, ...] = ()
    best_sectors_s: tuple[float | None, ...] = ()


class Supplies(msgspec.Struct, frozen=True):
    """What a path asks for by a control: tracks, words, a reference, the digest's network."""

    tracks: Mapping[str, Track]
    words_of: Callable[[str, Level | None], Words] = lambda track, level: NO_WORDS
    reference_of: Callable[[str, Track | None], ReferenceLap | None] = lambda name, track: None
    network_of: Callable[[str], Run | None] = lambda digest: None


class DriveListener:
    """Hears everything and does nothing: override what you need. No method may block in the car."""

    def frame(self, frame: Frame, position: Position | None) -> None:
        """Hear of a frame; its callout, if any, was handed over."""

    def lap(self, lap: Lap) -> None:
        """Hear of an ended lap."""

    def lap_marked(self, lap: Lap) -> None:
        """Hear a person's mark on an ended lap."""

    def corner_pass(self, corner_pass: CornerPass) -> None:
        """Hear of a pass through a corner."""

    def callout(self, callout: Callout) -> None:
        """Sound this now."""

    def ledger(self, line: LedgerLine) -> None:
        """Hear of a cue's end."""


class _Measuring:
    def __init__(self, track: Track | None, gate: Gate | None) -> None:
        self.track, self.gate = track, gate
        self.matcher = MapMatcher(track) if track else None
        of_track = (track.length_m, track.sectors_m, track.lap_m) if track else ()
        self.timer = LapTimer(gate, *of_track)
        self.passes = CornerPasses(track) if track else None
        self.builder = ReferenceBuilder(track) if track else None


class DriveSession:
    """The path of one session; without `coached` it only measures. `begun_t`: None for a file."""

    def __init__(
        self,
        supplies: Supplies,
        settings: DriveSettings,
        listeners: Sequence[DriveListener] = (),
        *,
        begun_t: float | None = None,
        coached: bool = True,
        edited: Sequence[LapMark] = (),
    ) -> None:
        """Make the path. `edited`: what a person said of its laps afterwards."""
        self.listen(listeners)
        self.state = LiveState()
        self.frame: Frame | None = None
        self.position: Position | None = None
        # The indexes in the last sample of readings that the frame does not carry on.
        self.distrusted: Sequence[int] = ()
        self.t = begun_t or 0.0
        self.fusion = Fusion(())
        self.degradations = Degradations()
        self.audio_delay_s = settings.audio_delay_s
        # How late the fixes are, as known so far, and each value it had.
        self._lag_s = 0.0
        self._lags_s = [0.0]
        self.behind_s = 0.0
        self.supplies, self._begun_t = supplies, begun_t
        self._words = NO_WORDS
        # The network's control (None: none came), how it failed, and what runs it.
        self.forecast_by: str | None = None
        self.forecast_trouble = ""
        self._network: Run | None = None
        # Whose words came, None before any.
        self._worded: str | None = None
        self.level: Level | None = None
        # Whose memory came.
        self._recalled = ""
        self._loss = LossWatch()
        self._before: deque[Frame] = deque(maxlen=FRAMES_KEPT)
        self._fixes: deque[Frame] = deque(maxlen=FIXES_KEPT)
        self._tell_t = self.t
        self._moving = False
        self._measuring = _Measuring(None, None)
        # The laps as timed, as judged now, the first one on this track, and what was said of them.
        self._laps: list[Lap] = []
        self._judged: list[Lap] = []
        self._first_here = 0
        self._marks: list[LapMark] = []
        self._edited = tuple(edited)
        # How each receiver's stamps map to session time, by its streams' names.
        self._receiver_offsets_s: dict[tuple[str, ...], float] = {}
        self._reference: ReferenceLap | None = None
        # The best laps of earlier sessions, of all and of the day; and those that the page shows.
        self._earlier: tuple[ReferenceLap | None, ReferenceLap | None] = (None, None)
        self._others: tuple[ReferenceLap, ...] = ()
        self._reference_given = False
        self._remembered: ReferenceLap | None = None
        self._last_driven: ReferenceLap | None = None
        # The fastest laps of this drive, whatever was said of them.
        self._driven: list[tuple[Lap, ReferenceLap]] = []
        self._coach: Coach | None = None
        if coached:
            self._coach = Coach(
                None,
                Scripts("", {}, language=settings.words),
                self._clip_s,
                audio_delay_s=settings.audio_delay_s,
                software_s=settings.software_s,
                mode=settings.mode,
                lap_times=settings.lap_times,
                trial=settings.trial,
                run=self._run_network,
            )
            self._coach.searching = True

    def listen(self, listeners: Sequence[DriveListener]) -> None:
        """Set who hears the drive from now on."""
        self._listeners = tuple(listeners)
        # Frames come a hundred times a second: a listener without its own `frame` is not called.
        self._frame_listeners = tuple(
            each for each in listeners if type(each).frame is not DriveListener.frame
        )

    def go_on(self, lap: int, best_s: float | None) -> None:
        """Count laps on from this one, and take this as the best time so far. Call it first."""
        self._measuring.timer.lap_number = lap
        if self._coach is not None:
            self._coach.best_s = best_s

    def only_calls(self) -> None:
        """Say nothing of lost sources from now on."""
        self._tell_t = math.inf

    def __getstate__(self) -> dict[str, object]:
        """Return the path's state without what it was given: see `drive.frozen`."""
        given = {
            "supplies": None, "_words": NO_WORDS, "_network": None, "_listeners": (), "_frame_listeners": ()
        }  # fmt: skip
        return self.__dict__ | given

    def fetch_given(self) -> None:
        """Fetch the words and the network of this path: it was thawed without any."""
        if self._worded is not None:
            self._words = self.supplies.words_of(self._worded, None)
        self._fetch_network()

    @property
    def track(self) -> Track | None:
        return self._measuring.track

    @property
    def reference(self) -> ReferenceLap | None:
        """Return the lap that is driven against, None without one."""
        return self._reference

    @property
    def heads_for_a_place(self) -> bool:
        """Return whether a call waits for its place on the track."""
        return self._coach is not None and self._coach.heads_for_a_place

    @property
    def forecaster(self) -> Forecaster | None:
        """Return who times calls by the network; None without a coach or a known track."""
        return None if self._coach is None else self._coach.forecaster

    @property
    def flying(self) -> int:
        """Return how many laps of this drive count."""
        return sum(lap.kind == "flying" for lap in self._judged)

    @property
    def lap_number(self) -> int:
        return self._measuring.timer.lap_number

    @property
    def running(self) -> LapKind:
        """Return what kind the running lap is as far as it goes."""
        return self._measuring.timer.running

    def recalls(self, track: str) -> bool:
        """Return whether this track's memory came."""
        return self._recalled == track

    @property
    def mode(self) -> Mode | None:
        """Return how the coach speaks, None without one."""
        return None if self._coach is None else self._coach.mode

    @property
    def hushed(self) -> Hush | None:
        """Return until when the driver wants silence, None where he wants none."""
        return None if self._coach is None else self._coach.hushed

    @property
    def last_frames(self) -> Sequence[Frame]:
        """Return the frames kept for when the track is recognised, the oldest first."""
        return self._before

    def stream(self, stream: Stream) -> None:
        """Add a stream. ValueError where its id is in use."""
        self.fusion.add_stream(stream)
        self._loss.stream(stream)

    def feed(self, sample: Sample) -> Frame | None:
        """Feed one sample through the whole path; return the frame that it made, if any."""
        if sample.t > self.t:
            self.t = sample.t
        frame = self.fusion.feed(sample)
        if self.fusion.lag_s != self._lag_s:
            self._note_lag()
        if frame is not None:
            self._drive(frame)
        self.distrusted = self.fusion.distrusted
        if self._coach is not None:
            events = self._loss.feed(sample, self.distrusted)
            if events:
                self._note_losses(events)
        if frame is not None:
            self.frame = frame
            if frame.speed_mps is not None:
                self._moving = frame.speed_mps > MOVING_MPS
            self._before.append(frame)
            if self._measuring.gate is None:
                self._keep_fix(frame)
        if self._coach is not None and self.t >= self._tell_t:
            self._tell()
        return frame

    def control(self, record: ControlRecord) -> None:
        """Apply a control at its place among the samples. Passes over unknown kinds."""
        self.t = max(self.t, record.t)
        match control_of(record):
            case WordsReady(track, level):
                self._take_words(track, level)
            case NoWords():
                self._words, self._worded = NO_WORDS, None
            case TimeAt(gate):
                self._measure_at(None, gate)
            case OnTrack(track) if track in self.supplies.tracks:
                self._take_track(self.supplies.tracks[track])
            case LapsEnded(times_t):
                self._measuring.timer.take_marks(times_t)
            case TrackUnknown() if self._coach is not None:
                self._coach.searching = False
            case CompareWith(lap):
                given = self.supplies.reference_of(lap, self.track)
                self._reference_given = given is not None
                if given is not None:
                    self._compare_with(given)
            case Remember(memory):
                self._remember(msgspec.json.decode(memory, type=Memory))
            case SetMode(mode) if self._coach is not None:
                self._coach.mode = mode
            case SayAgain() if self._coach is not None:
                self._coach.say_again()
            case HushUntil(until) if self._coach is not None:
                self._coach.hush(until)
            case CrewSays(id_, says, by, target_s, line, clip_s) if self._coach is not None:
                self._coach.crew(id_, says, by, target_s, line, clip_s)
            case ForecastBy(network) if self._coach is not None:
                self.forecast_by = network
                self._fetch_network()
            case MarkLap(mark, ago_s):
                self._mark(record.t, LapMark(record.t - ago_s, mark))
            case Lost(name, reason):
                self.degradations.lost(name, record.t, reason)
                self._note_sound()
            case Back(name):
                self.degradations.back(name, record.t)
                self._note_sound()
            case Unheard(since_t):
                self.degradations.unheard(since_t)
            case HeardLater(delay_s):
                self.audio_delay_s = delay_s
                if self._coach is not None:
                    self._coach.hear_after(delay_s + self._lag_s)
            case Behind(behind_s):
                self.behind_s = behind_s
                if self._coach is not None:
                    self._coach.fall_behind(behind_s)
            case FixesLate(lag_s):
                self.fusion.follow_receiver(lag_s)
                self._note_lag()
            case SourceClocks(note):
                self._compare_clocks(note)
            case Tick():
                self._note_losses(self._loss.tick(self.t))
                self._tell()
                self._tick(self.t)

    def _compare_clocks(self, detail: str) -> None:
        note = read_sources(detail)
        for clock in note.clocks if note is not None else ():
            if self.fusion.position_source not in clock.streams:
                continue
            offset_s = clock.offset_s + clock.unwrap_s
            before_s = self._receiver_offsets_s.get(clock.streams, offset_s)
            self._receiver_offsets_s[clock.streams] = offset_s
            if abs(offset_s - before_s) > SET_S:
                self._measuring.timer.clock_was_set()

    def _note_lag(self) -> None:
        """Start calls as much sooner as the fixes are late; what was driven before is no
        evidence."""
        lag_s = self._lag_s = self.fusion.lag_s
        if self._coach is not None:
            self._coach.hear_after(self.audio_delay_s + lag_s)
        if lag_s in self._lags_s:
            return
        self._lags_s.append(lag_s)
        self._driven, self._last_driven = [], None
        if self._measuring.builder is not None and self.track is not None:
            self._measuring.builder = ReferenceBuilder(self.track)
        if self._coach is not None:
            self._coach.forget_pedals()
        self._choose_reference()

    def finish(self) -> None:
        """End the session: close the open lap and give every waiting cue its end."""
        last = self._measuring.timer.finish(self.state.t)
        if last is not None:
            self._finish_lap(last)
        if self._coach is not None:
            self._coach.finish(self.state.t)
            self._hand_on(self._coach, None)

    def _drive(self, frame: Frame) -> None:
        position = self._locate(frame)
        if position is not None:
            self._follow(frame, position, self.fusion.fix_mps)
        if self._coach is None:
            self.state.t = frame.t
        else:
            self._hand_on(self._coach, self._coach.frame(frame, position, self.lap_number))
            self._show(self._coach, frame, position)
        for listener in self._frame_listeners:
            listener.frame(frame, position)

    def _locate(self, frame: Frame) -> Position | None:
        measuring = self._measuring
        position = self.position = measuring.matcher.feed(frame) if measuring.matcher is not None else None
        finished = measuring.timer.feed(frame, position)
        if finished is not None:
            self._finish_lap(finished)
        return position

    def _follow(self, frame: Frame, position: Position, fix_mps: float | None = None) -> None:
        measuring = self._measuring
        if measuring.builder is not None:
            measuring.builder.feed(frame, position)
        if measuring.passes is None:
            return
        corner_pass = measuring.passes.feed(frame, position, measuring.timer.lap_number, fix_mps)
        if corner_pass is not None:
            for listener in self._listeners:
                listener.corner_pass(corner_pass)
            if self._coach is not None:
                self._coach.corner_pass(corner_pass)

    def _tick(self, t: float) -> None:
        self.state.t = max(t, self.state.t)
        if self._coach is not None:
            self._hand_on(self._coach, self._coach.tick(t))

    def _hand_on(self, coach: Coach, callout: Callout | None) -> None:
        if callout is not None:
            for listener in self._listeners:
                listener.callout(callout)
        for line in coach.drain():
            for listener in self._listeners:
                listener.ledger(line)

    def _finish_lap(self, timed: Lap) -> None:
        self._laps.append(timed)
        lap = self._as_said(timed)
        self._judged.append(lap)
        for listener in self._listeners:
            listener.lap(lap)
        # What the others drive is known better with each lap.
        for number in range(self._first_here, len(self._laps) - 1):
            self._judge_again(number)
        if self._coach is not None:
            self._coach.lap(lap)
        if lap.time_s is not None:
            self.state.last_s, self.state.last_sectors_s = lap.time_s, lap.sectors_s
        builder = self._measuring.builder
        driven = builder.finish(timed, f"lap {lap.number}") if builder else None
        if driven is not None and timed.kind == "flying":
            self._driven.append((timed, driven))
            self._driven = sorted(self._driven, key=lambda each: each[1].lap_time_s)[:DRIVEN_KEPT]
        if lap.kind != "flying" or lap.time_s is None:
            return
        self._last_driven = driven or self._last_driven
        if self._reference is not None:
            self._hand_reference()
        self._choose_reference()

    def _as_said(self, lap: Lap) -> Lap:
        track = self.track
        if track is not None and lap.number in (cuts := self._measuring.timer.cuts):
            lap = as_judged(lap, self._laps[self._first_here :], cuts, driven=not is_drawn(track))
        return as_marked(lap, (*self._marks, *self._edited))

    def _judge_again(self, index: int) -> bool:
        lap = self._as_said(self._laps[index])
        changed = lap != self._judged[index]
        self._judged[index] = lap
        for listener in self._listeners if changed else ():
            listener.lap_marked(lap)
        return changed

    def _mark(self, t: float, mark: LapMark) -> None:
        ended = next((i for i, lap in enumerate(self._laps) if lap.start_t <= mark.t < lap.end_t), None)
        self._marks.append(mark)
        if self._coach is not None:
            number = self.lap_number if ended is None else self._laps[ended].number
            self._coach.mark(t, number, mark.mark)
        if ended is None or not self._judge_again(ended):
            return
        self._choose_reference()
        if self._coach is not None:
            self._coach.best_s = self.state.best_s

    def _remember(self, memory: Memory) -> None:
        if self.track is None or memory.track != self.track.id:
            return
        self._recalled = memory.track
        self._earlier = (memory.reference, memory.today)
        self._note_others(self._own_best())
        if self._reference_given:
            return
        if self._coach is not None:
            self._coach.recall(memory.lessons, memory.weights)
        lap = memory.reference
        if lap is not None and memory.given:
            self._reference_given = True
            self._compare_with(lap)
        elif lap is not None and (self.state.best_s is None or self.state.best_s > lap.lap_time_s):
            self._remembered = lap
            self._compare_with(lap)

    def _choose_reference(self) -> None:
        """Choose the earlier days' lap while this day has not beaten it, else the best of this
        one."""
        here = self._judged[self._first_here :]
        flying = [lap for lap in here if lap.kind == "flying" and lap.time_s is not None]
        times = [lap.time_s for lap in flying if lap.time_s is not None]
        best_s = self.state.best_s = min(times, default=None)
        self.state.best_sectors_s = tuple(
            min((each for each in one if each is not None), default=None)
            for one in zip(*(lap.sectors_s for lap in flying), strict=False)
        )
        best = self._own_best()
        self._note_others(best)
        if self._reference_given:
            return
        lap, slower = self._remembered, RAIN if len(times) < OTHER_DAY_LAPS else OTHER_DAY
        if lap is None or (best_s is not None and not lap.lap_time_s <= best_s <= slower * lap.lap_time_s):
            lap = best or lap
        if lap is not self._reference:
            self._compare_with(lap)

    def _own_best(self) -> ReferenceLap | None:
        counted = {lap.number for lap in self._judged[self._first_here :] if lap.kind == "flying"}
        return next((driven for lap, driven in self._driven if lap.number in counted), None)

    def _note_others(self, own: ReferenceLap | None) -> None:
        ever, today = self._earlier
        found: list[tuple[Literal["session", "day", "all"], tuple[ReferenceLap | None, ...]]]
        found = [("session", (own,)), ("day", (own, today)), ("all", (own, today, ever))]
        best = [
            (of, min(known, key=lambda each: each.lap_time_s))
            for of, laps in found
            if (known := [lap for lap in laps if lap is not None])
        ]
        self._others = tuple(lap for _, lap in best)
        self.state.others = tuple(OtherLap(of, lap.label, lap.lap_time_s) for of, lap in best)

    def _compare_with(self, reference: ReferenceLap | None) -> None:
        self._reference = reference
        self._hand_reference()
        if self._measuring.passes is not None:
            self._measuring.passes.set_reference(reference)

    def _hand_reference(self) -> None:
        if self._coach is None:
            return
        lap = self._reference
        is_own = any(each is lap for _, each in self._driven)
        source: Source = "given" if self._reference_given else "own" if is_own else "remembered"
        self.state.reference_s = None if lap is None else lap.lap_time_s
        self.state.reference = None if lap is None else source
        self._coach.set_reference(self._reference, self._last_driven, source)

    def _measure_at(self, track: Track | None, gate: Gate | None) -> None:
        number = self.lap_number
        self._measuring = _Measuring(track, gate)
        self._measuring.timer.lap_number = number  # no two laps of a session have one number
        if self._begun_t is not None:
            self._measuring.timer.begin(self._begun_t)

    def _keep_fix(self, frame: Frame) -> None:
        if frame.lat_deg is None or frame.reckoned:
            return
        last_t = self._fixes[-1].fix_t if self._fixes else -math.inf
        if frame.jumped or frame.fix_t >= last_t + FIX_EVERY_S:
            self._fixes.append(frame)

    def _take_track(self, track: Track) -> None:
        if self.track is not None and self.track.id != track.id:
            self._reference, self._reference_given, self.state.best_s = None, False, None
            self.state.last_sectors_s = self.state.best_sectors_s = ()
            self._remembered = self._last_driven = None
            self._earlier, self._others, self.state.others = (None, None), (), ()
            self._driven, self._first_here = [], len(self._laps)
        given = self._measuring.gate if self.track is None else None
        self._measure_at(track, given or track.gate)
        if self._reference is not None and self._measuring.passes is not None:
            self._measuring.passes.set_reference(self._reference)
        from_t = self._before[0].t if self._before else math.inf
        before = [*(fix for fix in self._fixes if fix.t < from_t), *self._before]
        self._fixes.clear()
        coach = self._coach
        if coach is not None:
            coach.use_track(track, self._words.scripts if self._worded == track.id else None)
            coach.is_past = True
            if self._reference is not None:
                self._hand_reference()
        for frame in before:
            position = self._locate(frame)
            if position is None:
                continue
            self._follow(frame, position)
            if coach is not None:
                coach.follow(frame, position, self.lap_number)
        if coach is not None:
            coach.is_past = False

    def _note_sound(self) -> None:
        if self._coach is not None:
            self._coach.unheard(self.degradations.why_unheard())

    def _take_words(self, name: str, level: Level | None) -> None:
        if self._worded is None:
            self.degradations.unheard(0.0)
        self._words, self._worded = self.supplies.words_of(name, level), name
        self.level = level or self.level
        track = self.track
        if self._coach is None:
            return
        self._coach.language = self._words.scripts.language
        if track is None or track.id != name:
            return
        self._coach.use_words(self._words.scripts)

    def _clip_s(self, text: str) -> float | None:
        return self._words.clip_s(text)

    def _fetch_network(self) -> None:
        self._network = self.supplies.network_of(self.forecast_by) if self.forecast_by else None

    def _run_network(self, features: Sequence[float]) -> Sequence[float] | None:
        if self._network is None:
            return None
        try:
            return self._network(features)
        except (RuntimeError, ValueError) as error:
            self._network, self.forecast_trouble = None, f"the network failed: {error}"
            return None

    def _note_losses(self, events: Iterable[LossEvent]) -> None:
        for event in events:
            if event.lost:
                self.degradations.lost(event.what, event.t, event.reason)
            else:
                self.degradations.back(event.what, event.t)

    def _tell(self) -> None:
        self._tell_t = self.t + TELL_EVERY_S
        report = self.degradations.due(self.t, self._moving, self._loss.returning)
        if report is not None and self._coach is not None:
            self._coach.tell(*report)

    def _show(self, coach: Coach, frame: Frame, position: Position | None) -> None:
        state, timer, before_m = self.state, self._measuring.timer, self.state.distance_m
        state.t, state.lap, state.speed_mps = frame.t, timer.lap_number, frame.speed_mps
        state.sectors_s = timer.sectors_s
        start_t = timer.lap_start_t
        state.lap_elapsed_s = None if start_t is None else frame.t - start_t
        state.delta_s = state.predicted_s = None
        state.other_deltas_s = ()
        if position is None:
            state.distance_m, state.status = None, "no known track"
            return
        state.distance_m, state.status = position.distance_m, position.status
        elapsed_s, at_m = state.lap_elapsed_s, position.distance_m
        if elapsed_s is None or position.status == "lost":
            return
        reference, delta_s = self._reference, 0.0
        if reference is not None:
            state.delta_s = delta_s = reference.delta(elapsed_s, at_m)
            state.predicted_s = reference.lap_time_s + delta_s
            for end_m in self.track.sectors_m if before_m is not None and self.track is not None else ():
                if before_m is not None and before_m < end_m <= position.distance_m:
                    coach.sector(delta_s)
        if self._others:  # on a first day each of them is the lap that is driven against
            state.other_deltas_s = tuple(
                [delta_s if lap is reference else lap.delta(elapsed_s, at_m) for lap in self._others]
            )

"""The in-drive path of a live session: samples and controls in, in the order in which the journal keeps them.

A control is what the path was told from outside the data: which track was recognised, that a track's clips
are ready, that no sample comes, that the store fails. Driving and replaying a live journal are the same calls
in the same order, so they come to the same laps and the same ledger.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, TypeGuard

import msgspec

from pitwall.coach.coach import Coach
from pitwall.coach.scripts import Scripts
from pitwall.drive.degradation import Degradations
from pitwall.drive.prepare import NO_WORDS, DriveSettings, Words
from pitwall.drive.session import DrivePath, DriveSink, LiveState
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings.journal import (
    ControlRecord,
    JournalRecording,
    NumberedSample,
    Record,
    SampleRecord,
    StreamRecord,
)
from pitwall.telemetry.sample import Sample, Stream
from pitwall.telemetry.watch import LossEvent, LossWatch
from pitwall.track.lap import LapKind, Position
from pitwall.track.model import Track
from pitwall.track.venue import Venue

Kind = Literal[
    "words", "silence", "track", "unknown", "delay", "tick", "lost", "back", "restart", "clock", "over"
]
"""`words` TRACK: its clips are ready ("": the plain messages). `silence`: no clips, as after a restart.
`track` ID: recognised. `unknown`: no known track is here. `delay` SECONDS: from now on sound takes so long to
the ear, for it comes out of another device. `tick`: time went on without a sample. `lost` and `back`
NAME[: REASON]: a row of the degradation table that the daemon watches. `restart`: the daemon was started
anew. `clock` UTC_S: what the phone's clock said. `over`: the session came to its own end."""

# In a session's header: its journal holds controls, and a rebuild or replay has to tell them.
PATH_OPTION, LIVE = "path", "live"
UNKNOWN_PLACE = Venue(None, None, "none")
# The last frames, for when the track is recognised: a minute at 25 Hz.
FRAMES_KEPT = 1_500
# Status messages are looked for this often.
TELL_EVERY_S = 0.1
# A driver at walking pace need not hear about sensors.
MOVING_MPS = 5.0


class LivePath:
    """One live session. `words_of` gives what can be said on a track ("": on none) once a control says so."""

    def __init__(
        self,
        begun_t: float,
        tracks: Mapping[str, Track],
        sink: DriveSink,
        words_of: Callable[[str], Words],
        settings: DriveSettings,
    ) -> None:
        self.track: Track | None = None
        self.degradations = Degradations()
        self.frame: Frame | None = None
        self.t = self.begun_t = begun_t
        self._tracks, self._words_of = tracks, words_of
        self._words, self._worded = NO_WORDS, ""
        self._loss = LossWatch()
        self._before: deque[Frame] = deque(maxlen=FRAMES_KEPT)
        self._tell_t = begun_t
        self._moving = False
        self.audio_delay_s = settings.audio_delay_s
        self._coach = Coach(
            None,
            Scripts("", {}),
            self._clip_s,
            audio_delay_s=settings.audio_delay_s,
            software_s=settings.software_s,
        )
        self._coach.searching = True
        self._path = DrivePath((), UNKNOWN_PLACE, sink, coach=self._coach)

    @property
    def state(self) -> LiveState:
        """Where the drive stands, for whoever looks."""
        return self._path.state

    @property
    def position(self) -> Position | None:
        """The place on the track at the last frame."""
        return self._path.position

    @property
    def running(self) -> LapKind:
        """What kind the running lap is as far as it goes."""
        return self._path.running

    @property
    def path(self) -> DrivePath:
        """The path inside, for its fusion and the corner the car is in."""
        return self._path

    def stream(self, stream: Stream) -> None:
        """Take in one more stream. ValueError where its id is taken by another."""
        self._path.fusion.add_stream(stream)
        self._loss.stream(stream)

    def feed(self, sample: Sample) -> Frame | None:
        """One sample through the whole path; the frame it made, if any."""
        if sample.t > self.t:
            self.t = sample.t
        frame = self._path.feed(sample)
        events = self._loss.feed(sample, self._path.fusion.distrusted)
        if events:
            self._note_losses(events)
        if frame is not None:
            self.frame = frame
            if frame.speed_mps is not None:
                self._moving = frame.speed_mps > MOVING_MPS
            self._before.append(frame)
        if self.t >= self._tell_t:
            self._tell()
        return frame

    def take(self, record: Record, seq: int = 0) -> Frame | None:
        """Whatever a journal holds, in its order; what is not for the path is passed over."""
        match record:
            case SampleRecord():
                return self.feed(NumberedSample(record.stream, record.t, record.values, seq))
            case ControlRecord():
                self.control(record)
            case StreamRecord():
                self.stream(record.stream)
        return None

    def control(self, record: ControlRecord) -> None:
        """Something from outside the data, at its place among the samples. Unknown kinds are passed over."""
        self.t = max(self.t, record.t)
        name, _, reason = record.detail.partition(": ")
        match record.kind:
            case "words":
                self._take_words(record.detail)
            case "silence":
                self._words, self._worded = NO_WORDS, ""
            case "track":
                self._take_track(record.detail)
            case "unknown":
                self._coach.searching = False
            case "lost":
                self._lose(name, record.t, reason)
            case "back":
                self._restore(name, record.t)
            case "delay":
                self.audio_delay_s = float(record.detail)
                self._coach.hear_after(self.audio_delay_s)
            case "tick":
                self._note_losses(self._loss.tick(self.t))
                self._tell()
                self._path.tick(self.t)

    def finish(self) -> None:
        """The session is over: close the open lap, give every waiting cue its end."""
        self._path.finish()

    def corner_here(self) -> str:
        """The corner the car is in or braking for, "" between corners."""
        return self._path.corner_here()

    def _clip_s(self, text: str) -> float | None:
        return self._words.clip_s(text)

    def _take_words(self, track: str) -> None:
        self._words = self._words_of(track)
        if self.track is not None and self.track.id == track and self._worded != track:
            self._path.coach_here(self.track, self._words.scripts)
        self._worded = track

    def _take_track(self, name: str) -> None:
        track = self._tracks.get(name)
        if track is None:
            return
        self.track = track
        placed = self._path.settle_in(Venue(track, track.gate, "track"), self.begun_t, self._before)
        if self._worded == name:
            self._path.coach_here(track, self._words.scripts, placed)

    def _note_losses(self, events: Iterable[LossEvent]) -> None:
        for event in events:
            if event.lost:
                self._lose(event.what, event.t, event.reason)
            else:
                self._restore(event.what, event.t)

    def _lose(self, name: str, t: float, reason: str) -> None:
        self.degradations.lost(name, t, reason)
        self._coach.switch_off(self.degradations.off)

    def _restore(self, name: str, t: float) -> None:
        self.degradations.back(name, t)
        self._coach.switch_off(self.degradations.off)

    def _tell(self) -> None:
        self._tell_t = self.t + TELL_EVERY_S
        told = self.degradations.due(self.t, self._moving)
        if told is not None:
            self._coach.tell(*told)


class Step(msgspec.Struct, frozen=True, gc=False):
    """One record of a live journal that its path has to take; `t` is session time."""

    t: float
    record: Record
    seq: int


def steps(journal: JournalRecording) -> Iterator[Step]:
    """What the path of a live session took, in its order."""
    t = 0.0
    for seq, record in journal.records():
        if isinstance(record, SampleRecord | ControlRecord):
            t = max(t, record.t)
            yield Step(t, record, seq)
        elif isinstance(record, StreamRecord):
            yield Step(t, record, seq)


def is_live(recording: object) -> TypeGuard[JournalRecording]:
    """Whether this is the journal of a session that was driven on a LivePath."""
    return isinstance(recording, JournalRecording) and recording.meta.options.get(PATH_OPTION) == LIVE


def control(t: float, kind: Kind, detail: str = "") -> ControlRecord:
    """A control of a known kind."""
    return ControlRecord(t, kind, detail)

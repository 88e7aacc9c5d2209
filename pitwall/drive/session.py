"""The in-drive path: one sample in; frame, position, lap, coach and callout out. The same for car and replay.

    sample -> fusion -> frame -> map matcher -> lap timer -> corner passes -> coach -> arbiter -> callout

It takes its time from the data, never blocks, never waits: what it has to say it hands to a `DriveSink`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from pitwall.coach.coach import Coach
from pitwall.coach.cue import Callout, LedgerLine
from pitwall.coach.scripts import Scripts
from pitwall.store.session import SessionWriter
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.sample import Sample, Stream
from pitwall.track.lap import CornerPass, Lap, LapKind, Position
from pitwall.track.matcher import MapMatcher
from pitwall.track.model import Track
from pitwall.track.passes import CornerPasses
from pitwall.track.reference import ReferenceBuilder, ReferenceLap
from pitwall.track.timing import LapTimer
from pitwall.track.venue import Venue


class LiveState(msgspec.Struct):
    """Where the drive stands now, for whoever looks: overwritten with every frame."""

    t: float = 0.0
    lap: int = 0
    lap_elapsed_s: float | None = None
    distance_m: float | None = None
    speed_mps: float | None = None
    delta_s: float | None = None
    predicted_s: float | None = None
    best_s: float | None = None
    last_s: float | None = None
    status: str = ""


class DriveSink(Protocol):
    """Who takes what the path makes. No method may block in the car."""

    def sample(
        self,
        sample: Sample,
        frame: Frame | None,
        position: Position | None,
        lap: int,
        distrusted: Sequence[int],
    ) -> None: ...

    def lap(self, lap: Lap) -> None: ...

    def corner_pass(self, corner_pass: CornerPass) -> None: ...

    def callout(self, callout: Callout) -> None: ...

    def ledger(self, line: LedgerLine) -> None: ...


class RowSink:
    """A `DriveSink` that only stores what was measured: for a path that is driven again, not to speak."""

    def __init__(self, writer: SessionWriter) -> None:
        self._writer = writer

    def sample(
        self,
        sample: Sample,
        frame: Frame | None,
        position: Position | None,
        lap: int,
        distrusted: Sequence[int],
    ) -> None:
        self._writer.sample(sample, frame, position, lap, distrusted)

    def lap(self, lap: Lap) -> None:
        self._writer.lap(lap)

    def corner_pass(self, corner_pass: CornerPass) -> None:
        self._writer.corner_pass(corner_pass)

    def callout(self, callout: Callout) -> None:
        """It was said, or it was not: the journal knows."""

    def ledger(self, line: LedgerLine) -> None:
        """The journal has those that count."""


class DrivePath:
    """The path over one session.

    `reference` stays when given; otherwise the best flying lap so far is it. Without a `coach` nothing is
    said: an import only measures.
    """

    def __init__(
        self,
        streams: Sequence[Stream],
        venue: Venue,
        sink: DriveSink,
        *,
        coach: Coach | None = None,
        reference: ReferenceLap | None = None,
    ) -> None:
        self.state = LiveState()
        self.position: Position | None = None
        self.fusion = Fusion(streams)
        self._sink = sink
        self._given = reference is not None
        self._reference = reference
        self._coach = coach
        self._take_place(venue)
        if reference is not None:
            self._use(reference)

    def _take_place(self, venue: Venue) -> None:
        track = venue.track
        self._matcher = MapMatcher(track) if track else None
        self._timer = LapTimer(
            venue.gate, track.length_m if track else None, track.sectors_m if track else ()
        )
        self._passes = CornerPasses(track) if track else None
        self._builder = ReferenceBuilder(track) if track else None

    def settle_in(
        self, venue: Venue, begun_t: float, before: Iterable[Frame]
    ) -> list[tuple[Frame, Position]]:
        """The place was recognised while driving: it is measured from now on, and `before`, the frames on the
        way here, too; returns them with their positions. The session began at `begun_t`. A lap that one of
        them ended is kept; nothing is said."""
        self._take_place(venue)
        self._timer.begin(begun_t)
        placed = []
        for frame in before:
            position = self.position = self._place(frame)
            if position is not None:
                self._follow(frame, position, self._timer.lap_number)
                placed.append((frame, position))
        return placed

    def coach_here(
        self, track: Track, scripts: Scripts, before: Iterable[tuple[Frame, Position]] = ()
    ) -> None:
        """Let the coach call this track's corners from now on; he has seen `before` and said nothing."""
        if self._coach is None:
            return
        self._coach.use_track(track, scripts)
        if self._reference is not None:
            self._coach.set_reference(self._reference)
        for frame, position in before:
            self._coach.follow(frame, position, self._timer.lap_number)

    def tick(self, t: float) -> None:
        """Time went on to `t` without a sample."""
        if self._coach is not None:
            self.state.t = max(t, self.state.t)
            callout = self._coach.tick(t)
            if callout is not None:
                self._sink.callout(callout)
            self._settle(self._coach)

    @property
    def running(self) -> LapKind:
        """What kind the running lap is as far as it goes."""
        return self._timer.running

    def feed(self, sample: Sample) -> Frame | None:
        """Take one sample through the whole path. Returns the frame that it made, if it made one."""
        frame = self.fusion.feed(sample)
        if frame is None:
            self._sink.sample(sample, None, None, self._timer.lap_number, self.fusion.distrusted)
            return None
        position = self.position = self._place(frame)
        lap_number = self._timer.lap_number
        self._sink.sample(sample, frame, position, lap_number, self.fusion.distrusted)
        if position is not None:
            self._follow(frame, position, lap_number)
        if self._coach is not None:
            callout = self._coach.frame(frame, position, lap_number)
            if callout is not None:
                self._sink.callout(callout)
            self._settle(self._coach)
        self._show(frame, position, lap_number)
        return frame

    def finish(self) -> None:
        """The session is over: close the open lap and give every waiting cue its end."""
        t = self.state.t
        last = self._timer.finish(t)
        if last is not None:
            self._finish_lap(last)
        if self._coach is not None:
            self._coach.finish(t)
            self._settle(self._coach)

    def corner_here(self) -> str:
        """The id of the corner the car is in or braking for, "" between corners."""
        place_m = self.state.distance_m
        return "" if self._passes is None or place_m is None else self._passes.corner_at(place_m)

    def _place(self, frame: Frame) -> Position | None:
        """Where the frame is on the track; a lap that ended there is handed on."""
        position = self._matcher.feed(frame) if self._matcher else None
        finished = self._timer.feed(frame, position)
        if finished is not None:
            self._finish_lap(finished)
        return position

    def _follow(self, frame: Frame, position: Position, lap_number: int) -> None:
        if self._builder is not None:
            self._builder.feed(frame, position)
        if self._passes is not None:
            corner_pass = self._passes.feed(frame, position, lap_number)
            if corner_pass is not None:
                self._sink.corner_pass(corner_pass)
                if self._coach is not None:
                    self._coach.corner_pass(corner_pass)

    def _settle(self, coach: Coach) -> None:
        for line in coach.drain():
            self._sink.ledger(line)

    def _finish_lap(self, lap: Lap) -> None:
        self._sink.lap(lap)
        if self._coach is not None:
            self._coach.lap(lap)
        if lap.time_s is not None:
            self.state.last_s = lap.time_s
        driven = self._builder.finish(lap, f"lap {lap.number}") if self._builder else None
        if lap.kind != "flying" or lap.time_s is None:
            return
        if self.state.best_s is None or lap.time_s < self.state.best_s:
            self.state.best_s = lap.time_s
            if driven is not None and not self._given:
                self._use(driven)

    def _use(self, reference: ReferenceLap) -> None:
        self._reference = reference
        if self._coach is not None:
            self._coach.set_reference(reference)
        if self._passes is not None:
            self._passes.set_reference(reference)

    def _show(self, frame: Frame, position: Position | None, lap_number: int) -> None:
        state = self.state
        state.t, state.lap, state.speed_mps = frame.t, lap_number, frame.speed_mps
        start_t = self._timer.lap_start_t
        state.lap_elapsed_s = None if start_t is None else frame.t - start_t
        state.delta_s = state.predicted_s = None
        if position is None:
            state.distance_m, state.status = None, "no known track"
            return
        state.distance_m, state.status = position.distance_m, position.status
        if self._reference is not None and state.lap_elapsed_s is not None and position.status != "lost":
            state.delta_s = self._reference.delta(state.lap_elapsed_s, position.distance_m)
            state.predicted_s = self._reference.lap_time_s + state.delta_s

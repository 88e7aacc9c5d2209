"""One open session: the path that drives it, the writer that keeps it, the streams both know by number."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from pitwall import __version__
from pitwall.coach.cue import Callout, LedgerLine
from pitwall.daemon.intake.queue import Lane
from pitwall.drive.live_path import LIVE, PATH_OPTION, Kind, LivePath, control
from pitwall.drive.prepare import SETTINGS_OPTION, DriveSettings, Words
from pitwall.store.session import SessionWriter
from pitwall.store.store import Store
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings.journal import ControlRecord, SessionMeta
from pitwall.telemetry.sample import Sample, Stream
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.model import Track

log = logging.getLogger("pitwall")


class Audience(Protocol):
    """Who hears of what the path makes: the voice, the live page."""

    def callout(self, callout: Callout) -> None: ...

    def lap(self, lap: Lap) -> None: ...

    def frame(self, frame: Frame, position: Position | None) -> None: ...


class RecordingSink:
    """The path's sink in the car: the store first, then whoever listens. Without a writer nothing is kept."""

    def __init__(self, writer: SessionWriter | None, audience: Audience | None) -> None:
        self.writer, self.audience = writer, audience
        # Cues that the journal has the end of already, while a session is fed again.
        self.ended: dict[int, LedgerLine] = {}
        self.silent = False

    def sample(
        self,
        sample: Sample,
        frame: Frame | None,
        position: Position | None,
        lap: int,
        distrusted: Sequence[int],
    ) -> None:
        if self.writer is not None:
            self.writer.sample(sample, frame, position, lap, distrusted)
        if frame is not None and self.audience is not None and not self.silent:
            self.audience.frame(frame, position)

    def lap(self, lap: Lap) -> None:
        if self.writer is not None:
            self.writer.lap(lap)
        if self.audience is not None and not self.silent:
            self.audience.lap(lap)

    def corner_pass(self, corner_pass: CornerPass) -> None:
        if self.writer is not None:
            self.writer.corner_pass(corner_pass)

    def callout(self, callout: Callout) -> None:
        if self.audience is not None and not self.silent:
            self.audience.callout(callout)

    def ledger(self, line: LedgerLine) -> None:
        if self.silent:
            self.ended[line.cue] = line
        elif self.writer is not None:
            self.writer.cue(line)


class OpenSession:
    """A session from its first sample to its end. `t0` is the daemon's clock at its second 0."""

    def __init__(self, session: str, t0: float, path: LivePath, sink: RecordingSink) -> None:
        self.id, self.t0, self.path, self.sink = session, t0, path, sink
        self.continued = self.faults = 0
        self.sample_t = 0.0
        self._ids: dict[Lane, int] = {}
        self._streams: list[Stream] = []

    @property
    def writer(self) -> SessionWriter:
        """What keeps it."""
        writer = self.sink.writer
        assert writer is not None
        return writer

    def know(self, streams: Sequence[Stream]) -> None:
        """Streams that the journal defines already: a source that comes back goes on with its own."""
        self._streams = list(streams)

    def sample(self, lane: Lane, clock_s: float, values: tuple[float | None, ...]) -> Frame | None:
        """One reading, mapped to the daemon's clock: through the path, into the store."""
        frame = self.feed(Sample(self.introduce(lane), self.t_of(clock_s), values))
        self.sample_t = self.path.t
        return frame

    def introduce(self, lane: Lane) -> int:
        """The number of this lane's stream; defined where it is new."""
        number, new = self.number(lane)
        if new is not None:
            if self.sink.writer is not None:
                self.sink.writer.stream(new)
            self.path.stream(new)
        return number

    def feed(self, sample: Sample) -> Frame | None:
        """A bug that one sample brings to light costs that frame, never the drive, never the sample."""
        writer = self.sink.writer
        before = writer.seq if writer is not None else 0
        try:
            return self.path.feed(sample)
        except Exception:
            self.faults += 1
            if self.faults == 1:
                log.exception("the in-drive path stumbled over %r", sample)
        if writer is not None and writer.seq == before:
            writer.sample(sample, None, None, 0)
        return None

    def control(self, kind: Kind, detail: str = "", t: float | None = None) -> None:
        """Tell the path something, at this place of the journal."""
        record = control(self.path.t if t is None else max(t, self.path.t), kind, detail)
        if self.sink.writer is not None:
            self.sink.writer.control(record)
        self.tell(record)

    def tell(self, record: ControlRecord) -> None:
        """Tell the path something that the journal has."""
        try:
            self.path.control(record)
        except Exception:
            self.faults += 1
            log.exception("the in-drive path stumbled over %r", record)

    def finish(self) -> None:
        """Close the open lap, give every cue its end. The writer is still to be closed."""
        try:
            self.path.finish()
        except Exception:
            self.faults += 1
            log.exception("the drive could not be finished")

    def number(self, lane: Lane) -> tuple[int, Stream | None]:
        """The number of this lane's stream, and the stream where it is new: who asks has to define it."""
        known = self._ids.get(lane)
        if known is not None:
            return known, None
        for stream in self._streams:
            if (stream.source, stream.channels) == (lane.name, lane.channels):
                self._ids[lane] = stream.id
                return stream.id, None
        number = 1 + max((stream.id for stream in self._streams), default=-1)
        stream = Stream(number, lane.name, lane.channels, lane.clock.latency_s)
        self._streams.append(stream)
        self._ids[lane] = number
        return number, stream

    def t_of(self, clock_s: float) -> float:
        """Session time of a second of the daemon's clock."""
        # Whole microseconds, as in every recording: no digits that mean nothing.
        return max(round(clock_s - self.t0, 6), 0.0)


def open_session(
    store: Store,
    tracks: Mapping[str, Track],
    words_of: Callable[[str], Words],
    settings: DriveSettings,
    audience: Audience,
    *,
    t0: float,
    now_clock_s: float,
    driver: str,
    vehicle: str,
) -> OpenSession:
    """Begin a session whose second 0 is at `t0` on the daemon's clock. StoreError where it can't be kept."""
    now_s = time.time()
    begun_utc_s = now_s - (now_clock_s - t0)
    meta = SessionMeta(
        id=store.new_id(begun_utc_s),
        kind="live",
        created_utc_s=now_s,
        format=LIVE,
        start_utc_s=begun_utc_s,
        app_version=__version__,
        driver=driver,
        vehicle=vehicle,
        options={SETTINGS_OPTION: msgspec.json.encode(settings).decode(), PATH_OPTION: LIVE},
    )
    sink = RecordingSink(store.begin(meta, lossless=False), audience)
    return OpenSession(meta.id, t0, LivePath(0.0, tracks, sink, words_of, settings), sink)

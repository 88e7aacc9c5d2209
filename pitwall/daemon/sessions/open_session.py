"""Record a live session: numbered streams, second 0 on the daemon's clock."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from pitwall import __version__
from pitwall.config import Home
from pitwall.daemon.forecasts import Forecasts
from pitwall.daemon.intake.pushes import Pushes
from pitwall.daemon.intake.queue import InputLane, Queue
from pitwall.daemon.sessions.life import CarState
from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.drive.controls import Control, Kind, WordsReady, control, record_of
from pitwall.drive.prepare import NO_TRACK_NEAR, NOT_PLACED, SETTINGS_OPTION, DriveSettings, Words
from pitwall.drive.recording import Recorder
from pitwall.drive.session import LIVE, PATH_OPTION, DriveListener, DriveSession, Supplies
from pitwall.settings import Settings
from pitwall.store.journal_check import clock_now
from pitwall.store.session import SessionWriter
from pitwall.store.store import Store
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings.journal import SessionMeta, StreamRecord
from pitwall.telemetry.sample import Sample, Stream, Values
from pitwall.telemetry.session_clock import SessionClock
from pitwall.track.model import Track


class SessionParts(msgspec.Struct, frozen=True):
    """What sessions work with. `troubles`: losses outside the data, by name; `replays`: the file
    played in place of a live source; `sources_ended`: all have; `closed` gets each real session
    that ended by itself."""

    car: CarState
    home: Home
    store: Store
    settings: Settings
    drive_settings: Callable[[], DriveSettings]
    tracks: Mapping[str, Track]
    queue: Queue
    clock: SessionClock
    pushes: Pushes
    vocabulary: Vocabulary
    listener: DriveListener
    news: Callable[[float | None, str, str], None]
    gone_on: Callable[[OpenSession], None]
    troubles: Callable[[], Mapping[str, str]]
    forecasts: Forecasts
    replays: Callable[[], str]
    sources_ended: Callable[[], bool]
    closed: Callable[[str], Awaitable[None]]


class OpenSession(Recorder):
    """A live session. `t0`: the daemon's clock at its second 0."""

    def __init__(
        self,
        session: str,
        t0: float,
        path: DriveSession,
        writer: SessionWriter | None,
        listeners: Sequence[DriveListener] = (),
        streams: Sequence[Stream] = (),
        *,
        is_replay: bool = False,
    ) -> None:
        """`streams`: those in the journal already. `is_replay`: a file is played."""
        super().__init__(path, writer, listeners)
        self.id, self.t0, self.is_replay = session, t0, is_replay
        self.continued = 0
        # With what settings a resumed session began.
        self.began_with: DriveSettings | None = None
        # The last controls of this process.
        self.behind_s: float | None = 0.0
        self.lag_s = 0.0
        self._words: Words | None = None
        # Of the last sample, and of the last record.
        self.sample_t = self.t = 0.0
        self._ids: dict[InputLane, int] = {}
        self._newest: dict[int, Values] = {}
        self._streams = list(streams)

    def sample(self, lane: InputLane, clock_s: float, values: Values) -> Frame | None:
        """Record a reading at the daemon's time; return its frame, if driven at once."""
        number, t = self.introduce(lane), self.t_of(clock_s)
        self.sample_t = self.t = max(t, self.t)
        self._newest[number] = values
        return self.take(Sample(number, t, values))

    def newest(self, name: re.Pattern[str]) -> tuple[float, str] | None:
        """Return the last value of the first channel of such a name, and its unit."""
        for stream in self._streams:
            for channel, value in zip(stream.channels, self._newest.get(stream.id, ()), strict=False):
                if value is not None and name.fullmatch(channel.name):
                    return value, channel.unit
        return None

    def introduce(self, lane: InputLane) -> int:
        """Return this lane's stream number; define a new stream."""
        known = self._ids.get(lane)
        if known is not None:
            return known
        for stream in self._streams:
            if (stream.source, stream.channels) == (lane.name, lane.channels):
                self._ids[lane] = stream.id
                return stream.id
        number = 1 + max((stream.id for stream in self._streams), default=-1)
        stream = Stream(number, lane.name, lane.channels, lane.clock.latency_s)
        self._streams.append(stream)
        self._ids[lane] = number
        self.take(StreamRecord(stream))
        return number

    def is_of(self, source: str) -> bool:
        """Return whether all of its streams come from this source."""
        return all(lane.source == source for lane in self._ids)

    def control(self, given: Control, t: float = 0.0) -> None:
        """Give the path a control, not before session time `t`."""
        self.t = max(t, self.t)
        self.take(record_of(self.t, given))

    def note(self, kind: Kind, detail: str, t: float = 0.0) -> None:
        """Note what changes nothing on the path."""
        self.t = max(t, self.t)
        self.take(control(self.t, kind, detail))

    def finish(self) -> None:
        """Close the open lap and give every cue its end. Note where the session is to be measured
        again: its fixes proved late, or no track was recognised though some are near."""
        super().finish()
        made, track = self.made, self.path.track
        unplaced = track is None and made.stamp not in ("", NOT_PLACED, NO_TRACK_NEAR)
        if made.first_fix is not None and (unplaced or self.path.fusion.lag_s):
            self.writer.place(track.id if track is not None else "", *made.first_fix, "")

    def tell_words(self, vocabulary: Vocabulary, track: str) -> None:
        """Tell the path once that the words of a track are ready."""
        words = vocabulary.words(track)
        if words is not self._words:
            self._words = words
            self.control(WordsReady(track, words.scripts.level if track else None))

    def t_of(self, clock_s: float) -> float:
        """Return the session time of the daemon's clock."""
        # Whole microseconds.
        return max(round(clock_s - self.t0, 6), 0.0)


def open_session(parts: SessionParts, supplies: Supplies, t0: float, now_clock_s: float) -> OpenSession:
    """Begin a session whose second 0 is at `t0` of the daemon's clock. StoreError."""
    now_s, settings, replayed = clock_now().utc_s, parts.drive_settings(), parts.replays()
    begun_utc_s = now_s - (now_clock_s - t0)
    meta = SessionMeta(
        id=parts.store.new_id(begun_utc_s),
        kind="replay" if replayed else "live",
        created_utc_s=now_s,
        source_name=replayed,
        format=LIVE,
        start_utc_s=begun_utc_s,
        app_version=__version__,
        driver=parts.settings.driver,
        vehicle=parts.settings.vehicle,
        options={SETTINGS_OPTION: msgspec.json.encode(settings).decode(), PATH_OPTION: LIVE},
    )
    path = DriveSession(supplies, settings, begun_t=0.0)
    writer = parts.store.begin(meta, lossless=False)
    return OpenSession(meta.id, t0, path, writer, (parts.listener,), is_replay=bool(replayed))

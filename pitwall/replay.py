"""Replay and import: a recording through exactly the daemon's path, with the store attached."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pitwall.coach.coach import Coach
from pitwall.config import Home
from pitwall.daemon import Listener, SessionSink, drive, recorded, run_until_signal
from pitwall.drive import DrivePath, LiveState
from pitwall.session import DriveSettings, Prepared, prepare, session_meta
from pitwall.store.store import Store, digest_of
from pitwall.telemetry.recordings.base import StoredGate
from pitwall.track.reference import ReferenceLap
from pitwall.voice.player import open_player
from pitwall.voice.waiting import Player

# How long a last callout may go on sounding after the recording has ended.
LAST_WORDS_S = 5.0


class ReplayOptions(msgspec.Struct, frozen=True):
    """`speed` times real time, None as fast as it goes. `reference`: a stored lap, SESSION or SESSION:LAP."""

    speed: float | None = None
    speak: bool = False
    audio_delay_s: float | None = None
    gate: StoredGate | None = None
    reference: str | None = None


class Replay:
    """One recording, made ready on construction; `run` drives it. RecordingError for an unusable file."""

    def __init__(self, path: Path, home: Home, store: Store, options: ReplayOptions) -> None:
        self._store, self._options, self._path = store, options, path
        self._prepared = prepare(path, home, gate=options.gate, sound=options.speak)
        delay_s = options.audio_delay_s
        self._settings = DriveSettings() if delay_s is None else DriveSettings(audio_delay_s=delay_s)
        self.reference: ReferenceLap | None = None
        self._meta = session_meta(self._prepared, "replay", path, digest_of(path), self._settings)
        self._drive_path: DrivePath | None = None
        self.listener: Listener | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know before the start."""
        return self._prepared.notes

    @property
    def session_id(self) -> str:
        return self._meta.id

    @property
    def track_name(self) -> str:
        """The track's name, "" where it is not known."""
        track = self._prepared.venue.track
        return track.name if track else ""

    @property
    def corner(self) -> str:
        """The corner the car is in or braking for, "" between corners."""
        return self._drive_path.corner_here() if self._drive_path else ""

    @property
    def state(self) -> LiveState:
        """Where the drive stands now."""
        return self._drive_path.state if self._drive_path else LiveState()

    def run(self) -> bool:
        """Drive to the end. False where a signal ended it; what was driven until then is kept."""
        player: Player | None = open_player("auto") if self._options.speak else None
        self._store.drop_replay(self._meta.id)
        writer = self._store.begin(self._meta, lossless=True)
        sink = SessionSink(writer, player, self._prepared.words.clips, self.listener)
        path = self._drive_path = make_path(
            self._prepared, sink, settings=self._settings, coached=True, reference=self.reference
        )
        for stream in self._prepared.recording.info.streams:
            writer.stream(stream)
        try:
            return run_until_signal(drive(path, recorded(self._prepared.recording, self._options.speed)))
        finally:
            path.finish()
            writer.close()
            if player is not None:
                player.wait_idle(LAST_WORDS_S)
                player.stop()


def make_path(
    prepared: Prepared,
    sink: SessionSink,
    *,
    settings: DriveSettings,
    coached: bool,
    reference: ReferenceLap | None = None,
) -> DrivePath:
    """The in-drive path for a prepared recording; without a coach it only measures."""
    venue, words = prepared.venue, prepared.words
    coach = None
    if coached:
        coach = Coach(
            venue.track,
            words.scripts,
            words.clip_s,
            audio_delay_s=settings.audio_delay_s,
            software_s=settings.software_s,
            reference=reference,
        )
    return DrivePath(prepared.recording.info.streams, venue, sink, coach=coach, reference=reference)

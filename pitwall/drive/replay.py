"""Replay and import: a recording through exactly the daemon's path, with the store attached."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import msgspec

from pitwall.coach.coach import Coach
from pitwall.config import Home
from pitwall.drive.live_path import LIVE, PATH_OPTION, LivePath, Step, is_live, steps
from pitwall.drive.prepare import (
    DriveSettings,
    Prepared,
    Words,
    known_tracks,
    locate,
    prepare_words,
    session_meta,
    settings_of,
)
from pitwall.drive.session import DrivePath, LiveState
from pitwall.drive.stored_lap import stored_reference
from pitwall.drive.wiring import Listener, SessionSink, drive, recorded, run_until_signal
from pitwall.store.session import SessionWriter
from pitwall.store.store import Store, digest_of
from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.recordings.base import StoredGate
from pitwall.telemetry.recordings.journal import ControlRecord, StreamRecord
from pitwall.track.reference import ReferenceLap
from pitwall.voice.delay import delay_in_force, output_device
from pitwall.voice.playback_queue import Player
from pitwall.voice.player import open_player

log = logging.getLogger("pitwall")

# How long a last callout may go on sounding after the recording has ended.
LAST_WORDS_S = 5.0
PROGRESS_SAMPLES = 2_000


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
        self._store, self._options, self._path, self._home = store, options, path, home
        self._tracks, _ = known_tracks(home)
        located = locate(path, home, gate=options.gate)
        words = prepare_words(home, located.venue.track, sound=options.speak)
        self._prepared = msgspec.structs.replace(located, words=words)
        delay_s = options.audio_delay_s
        if delay_s is None and options.speak:  # without sound a ledger may not depend on the machine
            delay_s = delay_in_force(home, output_device()).seconds
        self._settings = DriveSettings() if delay_s is None else DriveSettings(audio_delay_s=delay_s)
        recording = located.recording
        if is_live(recording) and options.audio_delay_s is None:
            self._settings = settings_of(recording.meta.options)
        track = self._prepared.venue.track
        wanted = options.reference
        self.reference = None if wanted is None else stored_reference(store, wanted, track)
        self._meta = session_meta(self._prepared, "replay", path, digest_of(path), self._settings)
        if is_live(recording):
            self._meta = msgspec.structs.replace(
                self._meta, options={**self._meta.options, PATH_OPTION: LIVE}
            )
        self._drive_path: DrivePath | LivePath | None = None
        self.listener: Listener | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know before the start."""
        return (*self._prepared.notes, *self._prepared.words.notes)

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
        log.info("ready: %s", self._meta.id)
        try:
            return run_until_signal(self._drive(sink, writer))
        finally:
            if self._drive_path is not None:
                self._drive_path.finish()
            writer.close()
            if player is not None:
                player.wait_idle(LAST_WORDS_S)
                player.stop()

    def _drive(self, sink: SessionSink, writer: SessionWriter) -> Coroutine[Any, Any, None]:
        recording, speed = self._prepared.recording, self._options.speed
        if is_live(recording):
            told = self._drive_path = LivePath(0.0, self._tracks, sink, self._words_of, self._settings)
            given = self._options.audio_delay_s is not None
            return drive(_Told(told, writer, keep_delay=given), recorded(steps(recording), speed))
        path = self._drive_path = make_path(
            self._prepared, sink, settings=self._settings, reference=self.reference
        )
        for stream in recording.info.streams:
            writer.stream(stream)
        return drive(path, recorded(recording.samples(), speed))

    def _words_of(self, track: str) -> Words:
        """What could be said there. A live journal of several tracks has words for each."""
        venue = self._prepared.venue.track
        if venue is not None and venue.id == track:
            return self._prepared.words
        return prepare_words(self._home, self._tracks.get(track), sound=self._options.speak)


class _Told:
    """A live path that takes a journal's steps; what it is told is kept in the replay's journal too.

    `keep_delay`: the delay was given for this replay, whatever was heard in the car.
    """

    def __init__(self, path: LivePath, writer: SessionWriter, *, keep_delay: bool) -> None:
        self._path, self._writer, self._keep_delay = path, writer, keep_delay

    def feed(self, step: Step, /) -> None:
        """The next step."""
        if self._keep_delay and isinstance(step.record, ControlRecord) and step.record.kind == "delay":
            return
        if isinstance(step.record, ControlRecord):
            self._writer.control(step.record)
        elif isinstance(step.record, StreamRecord):
            self._writer.stream(step.record.stream)
        self._path.take(step.record, step.seq)


def make_path(
    prepared: Prepared,
    sink: SessionSink,
    *,
    settings: DriveSettings,
    reference: ReferenceLap | None = None,
) -> DrivePath:
    """The in-drive path for a prepared recording, with its coach."""
    venue, words = prepared.venue, prepared.words
    coach = Coach(
        venue.track,
        words.scripts,
        words.clip_s,
        audio_delay_s=settings.audio_delay_s,
        software_s=settings.software_s,
        reference=reference,
    )
    return DrivePath(prepared.recording.info.streams, venue, sink, coach=coach, reference=reference)


class Imported(msgspec.Struct, frozen=True):
    """What became of one file: its session, and whether that was there before."""

    session: str
    file: str
    known: bool
    samples: int
    notes: tuple[str, ...] = ()


def import_file(
    path: Path,
    home: Home,
    store: Store,
    *,
    gate: StoredGate | None = None,
    progress: Callable[[int], None] | None = None,
) -> Imported:
    """Store a recording as a session: every sample, its frames, laps and corner passes; nothing is said.

    The same content gives the same session; with a `gate` it is measured anew. `progress` gets the number of
    samples so far. RecordingError where the file can't be used, StoreError where it can't be kept.
    """
    if not path.is_file():
        open_recording(path)  # says what is wrong with it
    content = digest_of(path)
    known = store.find_import(content)
    if known is not None and gate is None:
        return Imported(known, str(path), True, 0)
    prepared = locate(path, home, gate=gate)
    store.drop_imports(content, complete=gate is not None)
    writer = store.begin(session_meta(prepared, "import", path, content, DriveSettings()), lossless=True)
    for stream in prepared.recording.info.streams:
        writer.stream(stream)
    drive_path = DrivePath(prepared.recording.info.streams, prepared.venue, SessionSink(writer))
    count = 0
    for count, sample in enumerate(prepared.recording.samples(), 1):
        drive_path.feed(sample)
        if progress is not None and count % PROGRESS_SAMPLES == 0:
            progress(count)
    drive_path.finish()
    findings = (*prepared.recording.findings(), *drive_path.fusion.findings())
    told = tuple(f"{finding.signal or 'file'}: {finding.detail}" for finding in findings)
    writer.close(notes="\n".join(told))
    return Imported(writer.id, str(path), False, count, (*prepared.notes, *told))

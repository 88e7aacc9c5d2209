"""Replay or import a file through the path that drives the car, with the store attached."""

from __future__ import annotations

import logging
import math
import signal
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from pitwall.coach.cue import Callout, LedgerLine, Mode
from pitwall.coach.model.forecaster import Run
from pitwall.coach.model.network import NETWORK, ModelError, Network, installed
from pitwall.config import Home, beneath
from pitwall.drive.controls import NO_FORECAST, CompareWith, ForecastBy, OnTrack, WordsReady, record_of
from pitwall.drive.journal import Placement, is_live, locate_recording, records
from pitwall.drive.learning import at_own_start, laps_wanted, learn_place
from pitwall.drive.prepare import (
    DriveSettings,
    Words,
    keep_circuits,
    keep_track,
    known_tracks,
    opened,
    opened_pair,
    place_stamp,
    prepare_words,
    session_meta,
    settings_of,
    usable_gate,
    with_circuits,
)
from pitwall.drive.recording import Recorder
from pitwall.drive.reference import stored_reference
from pitwall.drive.session import LIVE, PATH_OPTION, DriveListener, DriveSession, Supplies
from pitwall.store.edits import edit_of
from pitwall.store.errors import StoreError
from pitwall.store.files import folder_stamp
from pitwall.store.kept import find_kept, keep, stamp_of
from pitwall.store.queries import Readable, rows
from pitwall.store.same_drive import mark_same_drive
from pitwall.store.session import SessionWriter
from pitwall.store.store import NOTES, Store, digest_of
from pitwall.telemetry.recordings.base import BUDGET, ImportBudget, Recording, RecordingError, StoredGate
from pitwall.telemetry.recordings.joined import joined
from pitwall.telemetry.recordings.journal import (
    SUFFIX,
    ControlRecord,
    JournalRecording,
    SessionMeta,
)
from pitwall.track.circuits import is_officially_named
from pitwall.track.lap import LapMark
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap
from pitwall.voice.clips import Clip, find_clip
from pitwall.voice.delay import delay_in_force, output_device
from pitwall.voice.playback_queue import Player
from pitwall.voice.player import open_player
from pitwall.voice.render import Voice
from pitwall.words.forms import Level

log = logging.getLogger("pitwall")

# How long a last callout may sound after the recording has ended.
LAST_WORDS_S = 5.0
PROGRESS_SAMPLES = 2_000
# At full speed the loop is entered once for this many records: a signal is still heard in 30 ms.
BATCH_RECORDS = 256

# Header key of the digest of a joined log.
JOINED_OPTION = "beside"

# The kind of what is kept of an import: what a coach would have said.
WOULD = "would"

T = TypeVar("T")


class Speaker(DriveListener):
    """Plays the callouts of a replay that have a clip."""

    def __init__(self, player: Player, clips: Mapping[str, Clip]) -> None:
        self._player, self._clips = player, clips

    def callout(self, callout: Callout) -> None:
        """Play the clip of this callout."""
        clip = find_clip(self._clips, callout.text)
        if clip is not None:
            self._player.play(clip, cut=callout.cut)


class ReplayOptions(msgspec.Struct, frozen=True):
    """`speed` times real time, None as fast as possible. `reference`: SESSION or SESSION:LAP.
    `voice`: an espeak voice, "" for the usual one."""

    speed: float | None = None
    speak: bool = False
    audio_delay_s: float | None = None
    gate: StoredGate | None = None
    reference: str | None = None
    voice: Voice | None = None
    mode: Mode = "coach"
    level: Level = "intermediate"
    forecast: bool = True


class Replay:
    """A recording prepared on construction; `run` drives it through `drive`. RecordingError."""

    def __init__(self, path: Path, home: Home, store: Store, options: ReplayOptions) -> None:
        self.listener = DriveListener()
        self._store, self._options, self._home = store, options, home
        self._recording = opened(path, home)
        self._place, self._tracks, problems = _located(self._recording, home, options.gate)
        venue = self._place.venue
        self.track_name = venue.track.name if venue.track else ""
        self._settings = self._drive_settings()
        self._words = self._prepared(venue.track)
        self.notes = (*problems, *venue.notes, *self._words.notes)
        if options.reference is not None:
            stored_reference(store, options.reference, venue.track)  # says what is wrong before the start
        meta = session_meta(self._recording, venue, "replay", path.name, digest_of(path), self._settings)
        if is_live(self._recording):
            meta = msgspec.structs.replace(meta, options={**meta.options, PATH_OPTION: LIVE})
        self._meta, self.session_id = meta, meta.id
        self._forecast_by, network_of = _network(wanted=options.forecast)
        self.drive = DriveSession(
            Supplies(self._tracks, self._words_of, self._reference_of, network_of),
            self._settings,
            begun_t=0.0 if is_live(self._recording) else None,
        )

    def run(self) -> bool:
        """Drive to the end. False if a signal ended it; what was driven until then is kept."""
        player = open_player("auto") if self._options.speak else None
        self._store.drop_replay(self._meta.id)
        writer = self._store.begin(self._meta, lossless=True)
        speakers: Sequence[DriveListener] = [Speaker(player, self._words.clips)] if player is not None else []
        recorder = Recorder(self.drive, writer, (*speakers, self.listener), strict=True)
        log.info("ready: %s", self._meta.id)
        try:
            return _run_until_signal(self._feed(recorder))
        finally:
            recorder.finish()
            writer.close()
            if player is not None:
                player.wait_idle(LAST_WORDS_S)
                player.stop()

    async def _feed(self, recorder: Recorder) -> None:
        without = self._place.without | ({"track", "unknown"} if self._options.reference else set())
        if self._options.audio_delay_s is not None:
            without |= {"delay"}  # it was given for this replay, whatever was heard in the car
        found = records(self._recording, self._controls(), without=without)
        async for batch in paced(found, self._options.speed):
            for record in batch:
                recorder.take(record)

    def _controls(self) -> list[ControlRecord]:
        controls = list(self._place.controls)
        if not is_live(self._recording):
            track = self._place.venue.track
            controls.insert(0, record_of(0.0, WordsReady(track.id if track else "")))
            controls.append(record_of(0.0, ForecastBy(self._forecast_by)))
        if self._options.reference is not None:
            track = self._place.venue.track
            if track is not None and is_live(self._recording):
                controls.append(record_of(0.0, OnTrack(track.id)))  # the reference is a lap of this track
            controls.append(record_of(0.0, CompareWith(self._options.reference)))
        return controls

    def _drive_settings(self) -> DriveSettings:
        delay_s = self._options.audio_delay_s
        words, options = self._home.words, self._options
        settings = DriveSettings(units=words.units, mode=options.mode, level=options.level, bike=words.bike)
        if is_live(self._recording):
            # Say again what was said in the car, in the same way.
            settings = settings_of(self._recording.meta.options)
            if delay_s is None:
                return settings
        if delay_s is None and self._options.speak:  # without sound a ledger may not depend on the machine
            delay_s = delay_in_force(self._home, output_device()).seconds
        return settings if delay_s is None else msgspec.structs.replace(settings, audio_delay_s=delay_s)

    def _words_of(self, track: str, level: Level | None) -> Words:
        found: Track | None = self._place.venue.track
        if (found.id if found is not None else "") == track and level in (None, self._settings.level):
            return self._words
        return self._prepared(self._tracks.get(track), level)

    def _reference_of(self, name: str, track: Track | None) -> ReferenceLap:
        return stored_reference(self._store, name, track, given=self._options.reference or "")

    def _prepared(self, track: Track | None, level: Level | None = None) -> Words:
        home = Home(self._home.root, self._settings.words)
        options, level = self._options, level or self._settings.level
        return prepare_words(home, track, sound=options.speak, voice=options.voice, level=level)


def _network(*, wanted: bool) -> tuple[str, Callable[[str], Run | None]]:
    try:
        if wanted and installed():
            network = Network()
            return network.card.sha256, lambda digest: network.run if digest == network.card.sha256 else None
    except ModelError as error:
        log.warning("no forecasts: %s", error)
    return NO_FORECAST, lambda digest: None


class Imported(msgspec.Struct, frozen=True):
    """What became of one file: its session, and whether that was there before."""

    session: str
    file: str
    known: bool
    samples: int
    notes: tuple[str, ...] = ()
    flying: int = 0
    best_s: float | None = None


def _located(
    recording: Recording, home: Home, gate: StoredGate | None
) -> tuple[Placement, dict[str, Track], tuple[str, ...]]:
    known, problems = known_tracks(home)
    around, damage = with_circuits(recording, known)
    given, notes = usable_gate(recording, gate), (*problems, *damage)
    place = locate_recording(recording, around, gate=given)
    gate_here = given if given is not None and given.finish is not None else place.venue.gate
    if gate_here is not None and place.venue.track is None:
        course, note = learn_place(home, recording, gate_here)
        notes += (note,)
        if course is not None:
            known = around = around | {course.id: course}
            place = locate_recording(recording, around, gate=gate_here)
    track = place.venue.track
    if track is None:
        return place, known, notes
    if track.id not in known:
        keep_circuits(home, around)
        numbers = "have their official numbers" if is_officially_named(track) else "are numbered by Pitwall"
        notes += (f"the track is {track.name}, from the circuits of the world: its corners {numbers}",)
    moved = at_own_start(track, recording.info.gate) if gate is None else None
    if moved is None:
        return place, around, notes
    keep_track(home, moved)
    venue = msgspec.structs.replace(place.venue, track=moved, gate=moved.gate)
    again = "" if track.id not in known else ", and sessions there are measured again"
    note = f"laps of {moved.name} begin at the recording's own start line from now on{again}"
    return msgspec.structs.replace(place, venue=venue), {**around, moved.id: moved}, (*notes, note)


def import_file(
    path: Path,
    home: Home,
    store: Store,
    *,
    name: str = "",
    gate: StoredGate | None = None,
    progress: Callable[[int], None] | None = None,
    budget: ImportBudget = BUDGET,
    second: Path | None = None,
    open_: Callable[[Path, Home], Recording] = opened,
    coached: bool = True,
) -> Imported:
    """Store a recording as a session; `second`: another log of the drive, `coached`: with what a
    coach would have said. RecordingError, StoreError."""
    if not path.is_file():
        opened(path, home)  # says what is wrong with it
    since_s = time.thread_time()
    content = digest_of(path)
    known = store.find_import(content)
    measure_again = gate is not None or home.can.dbc is not None or bool(home.can.given)
    if second is not None:
        measure_again = measure_again or known is None or _joined_with(home, known) != digest_of(second)
    if known is not None and not measure_again:
        return Imported(known, str(path), True, 0)
    with budget.limited(path, since_s):
        pair = (open_(path, home), None) if second is None else opened_pair(path, second, home, open_)
        recording, other = pair
        place, tracks, problems = _located(recording, home, gate)
        live, track = is_live(recording), place.venue.track
        if other is not None:
            recording, shift = joined(recording, other)
            problems = (*problems, f"{second} joined, {shift.sentence()}")
    store.drop_imports(content, complete=measure_again)
    meta = _header(recording, place, home, name or path.name, content, second)
    writer = store.begin(meta, lossless=True)
    # Where a circuit may be learned the drive is measured again, and coached then.
    if live or not coached or (track is not None and laps_wanted(track) < math.inf):
        recorder = _measuring_recorder(tracks, writer, meta, live)
    else:
        recorder = coached_recorder(store.home, tracks, track, writer)
    found = records(recording, place.controls, without=place.without, ledger=live)
    drive = recorder.path
    try:
        for count, record in enumerate(budget.bounded(found, recording.info, path, since_s), 1):
            recorder.take(record)
            if progress is not None and count % PROGRESS_SAMPLES == 0:
                progress(count)
        recorder.finish()
        if drive.mode is None:  # else it is what a coach would have said
            recorder.release_ledger()
    except Exception as error:
        with suppress(StoreError):  # the file is elsewhere: nothing of it is rebuilt by the next start
            store.drop_unfinished(content)
        if isinstance(error, ValueError) and isinstance(recording, JournalRecording):
            what = f"holds what no Pitwall wrote: {error}"
            raise RecordingError(path, what, hint="export the session again") from error
        if drive.mode is None or isinstance(error, RecordingError | StoreError):
            raise
        log.exception("the coach failed on %s, which is stored without it", path)
        return import_file(
            path, home, store, name=name, gate=gate, progress=progress, budget=budget, second=second,
            open_=open_, coached=False,
        )  # fmt: skip
    samples, findings = writer.samples, (*recording.findings(), *drive.fusion.findings())
    found_wrong = tuple(f"{finding.signal or 'file'}: {finding.detail}" for finding in findings)
    if found_wrong:
        writer.event(drive.state.t, NOTES, "\n".join(found_wrong))
    writer.close(notes="\n".join(found_wrong))
    if drive.mode is not None:
        keep_said(store, writer.id, recorder)
    notes = (*problems, *place.venue.notes, *found_wrong, *_same_drive(store, writer.id))
    return Imported(writer.id, str(path), False, samples, notes, drive.flying, drive.state.best_s)


def _same_drive(store: Store, session: str) -> tuple[str, ...]:
    same = mark_same_drive(store, session)
    return (f"this is the same drive as session {same}: it counts once",) if same else ()


def _measuring_recorder(
    tracks: Mapping[str, Track], writer: SessionWriter, meta: SessionMeta, live: bool
) -> Recorder:
    begun_t = 0.0 if live else None
    drive = DriveSession(Supplies(tracks), settings_of(meta.options), begun_t=begun_t, coached=False)
    recorder = Recorder(drive, writer, strict=True)
    recorder.hold_ledger()
    return recorder


def _header(
    recording: Recording, place: Placement, home: Home, name: str, content: str, second: Path | None
) -> SessionMeta:
    live = is_live(recording)
    settings = settings_of(recording.meta.options) if is_live(recording) else DriveSettings()
    meta = session_meta(recording, place.venue, "import", name, content, settings)
    options = dict(meta.options)
    if second is not None:
        options[JOINED_OPTION] = digest_of(second)
    if live:  # another phone's drive: its journal holds what its driver heard
        options[PATH_OPTION] = LIVE
    driver = meta.driver if live else meta.driver or home.driver
    return msgspec.structs.replace(meta, options=options, driver=driver)


def _joined_with(home: Home, session: str) -> str:
    try:
        journal = JournalRecording(beneath(home.journals, session + SUFFIX))
    except RecordingError:
        return ""
    return journal.meta.options.get(JOINED_OPTION, "")


def coached_recorder(
    home: Home,
    tracks: Mapping[str, Track],
    track: Track | None,
    writer: SessionWriter | None = None,
    edited: Sequence[LapMark] = (),
) -> Recorder:
    """Return what records a drive with a coach of the shipped settings; its ledger is held back."""
    forecast_by, network_of = _network(wanted=True)

    @cache
    def words_of(of: str, _: Level | None) -> Words:
        return prepare_words(home, tracks.get(of), sound=False, render=False)

    supplies = Supplies(tracks, words_of, network_of=network_of)
    settings = DriveSettings(units=home.words.units, bike=home.words.bike)
    drive = DriveSession(supplies, settings, begun_t=None, edited=edited)
    recorder = Recorder(drive, writer, strict=True)
    recorder.hold_ledger()
    for given in (WordsReady(track.id if track else ""), ForecastBy(forecast_by)):
        recorder.feed(record_of(0.0, given))
    return recorder


def would_say(store: Readable, session: str, stands: Callable[[], bool]) -> list[LedgerLine]:
    """Return the ledger that a coach would have made of an import. StoreError."""
    tracks, _ = known_tracks(store.home)
    found = find_kept(store.home, session, WOULD, _would_stamp(store, session, tracks))
    with suppress(msgspec.MsgspecError):
        if found is not None:
            return msgspec.json.decode(found, type=list[LedgerLine])
    try:
        recording = JournalRecording(beneath(store.home.journals, session + SUFFIX))
    except RecordingError:
        return []
    if is_live(recording):
        return []
    place = locate_recording(recording, tracks, edit_of(store, session).track)
    recorder = coached_recorder(store.home, tracks, place.venue.track)
    for number, record in enumerate(records(recording, place.controls, without=place.without)):
        if number % BATCH_RECORDS == 0 and not stands():
            return []
        recorder.take(record)
    recorder.finish()
    return keep_said(store, session, recorder)


def keep_said(store: Readable, session: str, recorder: Recorder) -> list[LedgerLine]:
    """Return the ledger that was held back, and keep it."""
    lines = recorder.drop_ledger()
    stamp = _would_stamp(store, session, recorder.path.supplies.tracks)
    keep(store.home, session, WOULD, stamp, msgspec.json.encode(lines))
    return lines


def _would_stamp(store: Readable, session: str, tracks: Mapping[str, Track]) -> str:
    home, network = store.home, folder_stamp((NETWORK.parent,), "*.*") if installed() else ()
    [place] = rows(store, "SELECT lat_deg, lon_deg FROM sessions WHERE id = ?", [session])
    files = folder_stamp(home.layers("audio_cache"), "**/*.json")
    files += folder_stamp((home.journals,), session + SUFFIX)
    named = edit_of(store, session).track
    return stamp_of((home.words.units, home.words.bike, named, network, files, place_stamp(tracks, *place)))


async def paced(found: Iterable[T], speed: float | None) -> AsyncIterator[list[T]]:
    """Yield records as they would arrive, `speed` times as fast; None: as fast as possible."""
    import asyncio  # an import needs none

    loop = asyncio.get_running_loop()
    batch: list[T] = []
    start_s, first_t = loop.time(), None
    for record in found:
        t = getattr(record, "t", None)
        if speed is not None and t is not None:
            first_t = t if first_t is None else first_t
            due_s = start_s + (t - first_t) / speed
            if due_s > loop.time():
                if batch:
                    yield batch
                    batch = []
                # Not early; a sleep of less than the timer's step would only spin.
                await asyncio.sleep(due_s - loop.time())
        batch.append(record)
        if speed is None and len(batch) == BATCH_RECORDS:
            yield batch
            batch = []
            await asyncio.sleep(0)
    if batch:
        yield batch


def _run_until_signal(work: Coroutine[Any, Any, None]) -> bool:
    """Run to the end, or cancel cleanly at SIGINT or SIGTERM. True if it came to its end."""
    import asyncio

    async def owned() -> bool:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
        try:
            await task
        except asyncio.CancelledError:
            return False
        return True

    return asyncio.run(owned())

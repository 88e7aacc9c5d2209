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

from pitwall.coach.cue import LedgerLine, Mode
from pitwall.coach.model.forecaster import Run
from pitwall.coach.model.network import NETWORK, ModelError, Network, installed
from pitwall.config import Home, beneath
from pitwall.drive.controls import NO_FORECAST, CompareWith, ForecastBy, OnTrack, WordsReady, record_of
from pitwall.drive.journal import Placement, is_live, locate_recording, records
from pitwall.drive.learning import (
    DrivenWhole,
    at_own_start,
    laps_wanted,
    learn_place,
    some_places,
    was_off_line,
)
from pitwall.drive.listeners import DriveListener, Speaker
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
from pitwall.drive.recording import Fed, Recorder
from pitwall.drive.reference import stored_reference
from pitwall.drive.session import LIVE, PATH_OPTION, DriveSession, Supplies
from pitwall.store.edits import edit_of
from pitwall.store.errors import StoreError
from pitwall.store.files import folder_stamp
from pitwall.store.kept import find_kept, keep, stamp_of
from pitwall.store.reading import Readable, rows
from pitwall.store.same_drive import mark_same_drive
from pitwall.store.session import SessionWriter
from pitwall.store.store import NOTES, Store, digest_of
from pitwall.store.writer import Item, SampleItem
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.fusion import FusedAgain, FusedRecording
from pitwall.telemetry.recordings.base import BUDGET, ImportBudget, Recording, RecordingError, StoredGate
from pitwall.telemetry.recordings.joined import joined
from pitwall.telemetry.recordings.journal import (
    FORMAT,
    SUFFIX,
    ControlRecord,
    JournalRecording,
    SessionMeta,
    StreamRecord,
)
from pitwall.telemetry.sample import Sample
from pitwall.track.circuits import is_officially_named
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap
from pitwall.voice.delay import delay_in_force, output_device
from pitwall.voice.player import open_player
from pitwall.voice.render import Voice
from pitwall.words.forms import Level

log = logging.getLogger("pitwall")

# How long a last callout may sound after the recording has ended.
LAST_WORDS_S = 5.0
PROGRESS_SAMPLES = 2_000
# At full speed the loop is entered once for this many records: a signal is still heard in 30 ms.
BATCH_RECORDS = 256
# An import holds this many values in memory, some 60 MB: an hour at 25 Hz, frames included.
MOST_HELD_VALUES, KEPT_VALUES = 4_000_000, 24

# Header key of the digest of a joined log.
JOINED_OPTION = "beside"

# The kind of what is kept of an import: what a coach would have said.
WOULD = "would"

T = TypeVar("T")
Learn = Callable[[DrivenWhole], tuple[str, ...]]


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
    """A recording prepared on construction; `run` drives it through the path `drive`.
    RecordingError for an unusable file."""

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
        settings = DriveSettings(units=words.units, mode=options.mode, level=options.level)
        if is_live(self._recording):
            # Say again what was said in the car, in the same way.
            settings = settings_of(self._recording.meta.options)
            if delay_s is None:
                return settings
        if delay_s is None and self._options.speak:  # without sound a ledger may not depend on the machine
            delay_s = delay_in_force(self._home, output_device()).seconds
        return settings if delay_s is None else msgspec.structs.replace(settings, audio_delay_s=delay_s)

    def _words_of(self, track: str, level: Level | None) -> Words:
        """Return what could be said there. A live journal has words for each of its tracks and
        levels."""
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
    """Return a path's control of the network and what runs it, as in the car; rules where it is
    missing."""
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
    """Find where a recording was driven, today's tracks, and what is wrong with some. Keeps a
    recognised circuit of the world in the home, with its neighbours."""
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
    learn: Learn | None = None,
    open_: Callable[[Path, Home], Recording] = opened,
) -> Imported:
    """Store a recording as a session: every sample, its frames, laps and corner passes; nothing is
    said.

    `learn` gets what was driven on a circuit that may be known as driven afterwards; it returns
    notes. `name`: what the session calls its source, where that is not the file's name. The same
    content gives the same session; a `gate`, a DBC or named channels measure it again. `second`:
    another log of the same drive, whose channels join. `progress` gets the number of records so
    far. RecordingError where the file can't be used or exceeds the `budget`, StoreError where it
    can't be kept; nothing is kept then."""
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
        recording, other = (
            (open_(path, home), None) if second is None else opened_pair(path, second, home, open_)
        )
        place, tracks, problems = _located(recording, home, gate)
        live, track = is_live(recording), place.venue.track
        if other is not None:
            recording, shift = joined(recording, other)
            problems = (*problems, f"{second} joined, {shift.sentence()}")
    store.drop_imports(content, complete=measure_again)
    meta = _header(recording, place, home, name or path.name, content, second)
    writer = store.begin(meta, lossless=True)
    journaled = isinstance(recording, JournalRecording)  # it has controls of its own
    learns = None if journaled or measure_again or track is None or laps_wanted(track) == math.inf else learn
    # Where a circuit may be learned the drive is measured twice, and coached the second time.
    if live or learns is not None:
        settings = settings_of(meta.options)
        drive = DriveSession(Supplies(tracks), settings, begun_t=0.0 if live else None, coached=False)
        recorder = Recorder(drive, writer, strict=True)
        recorder.hold_ledger()
    else:
        recorder = _coached(store.home, tracks, track, writer)
    found = records(recording, place.controls, without=place.without, ledger=live)
    buffered = None
    if learns is not None and track is not None:
        buffered = _Buffered(writer, recorder, track, learns)
    try:
        bounded = budget.bounded(found, recording.info, path, since_s)
        recorder, learned = _record_all(recorder, bounded, buffered, recording, home, progress)
    except Exception as error:
        with suppress(StoreError):  # the file is elsewhere: nothing of it is rebuilt by the next start
            store.drop_unfinished(content)
        if isinstance(error, ValueError) and isinstance(recording, JournalRecording):
            what = f"holds what no Pitwall wrote: {error}"
            raise RecordingError(path, what, hint="export the session again") from error
        raise
    drive = recorder.path
    findings = (*recording.findings(), *drive.fusion.findings())
    found_wrong = tuple(f"{finding.signal or 'file'}: {finding.detail}" for finding in findings)
    samples = writer.samples
    if found_wrong:
        writer.event(recorder.path.state.t, NOTES, "\n".join(found_wrong))
    writer.close(notes="\n".join(found_wrong))
    if drive.mode is not None:
        _keep_said(store, writer.id, recorder)
    same = mark_same_drive(store, writer.id)
    twice = (f"this is the same drive as session {same}: it counts once",) if same else ()
    notes = (*problems, *place.venue.notes, *found_wrong, *twice, *learned)
    return Imported(writer.id, str(path), False, samples, notes, drive.flying, drive.state.best_s)


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


def _record_all(
    recorder: Recorder,
    found: Iterable[Fed],
    buffered: _Buffered | None,
    recording: Recording,
    home: Home,
    progress: Callable[[int], None] | None,
) -> tuple[Recorder, tuple[str, ...]]:
    """Record a file's records; return the last recorder (another one where a circuit was learned)
    and what was learned."""
    learned: tuple[str, ...] = ()
    for count, record in enumerate(found, 1):
        frame = recorder.take(record)
        if buffered is not None and not buffered.take(record, frame):
            recorder, buffered = buffered.settled(recording, home), None
        if progress is not None and count % PROGRESS_SAMPLES == 0:
            progress(count)
    recorder.finish()
    if buffered is not None:
        learned = buffered.learned(recording)
        settled = buffered.settled(recording, home)
        if settled is not recorder:
            settled.finish()
        recorder = settled
    if recorder.path.mode is None:  # else it is what a coach would have said
        recorder.release_ledger()
    return recorder, learned


class _Buffered:
    """An import's rows and frames, held until its track is known: three laps make a circuit known
    as driven, and the drive need not be fused and stored twice for that."""

    def __init__(self, writer: SessionWriter, recorder: Recorder, track: Track, learn: Learn) -> None:
        self._writer, self._recorder, self._track, self._learn = writer, recorder, track, learn
        self._laps = laps_wanted(track)  # as many flying laps on the circuit's line as make it again
        self._frames: list[Frame | None] = []
        self._rows: list[Item] = []
        self._values = 0
        # Laps that have ended, and whether enough of them fly: then later records will be placed
        # again.
        self._ended, self._enough = 0, False
        writer.hold()

    def take(self, record: Fed, frame: Frame | None) -> bool:
        """Keep what one record made; False when there is too much: then call `settled`."""
        if not isinstance(record, Sample):
            return True
        self._frames.append(frame)
        self._values += len(record.values) + KEPT_VALUES
        if (ended := len(self._recorder.made.laps)) > self._ended:
            self._ended, self._enough = ended, self._flying() >= self._laps
            if self._enough:
                self._recorder.path.only_place()
        return self._values <= MOST_HELD_VALUES

    def learned(self, recording: Recording) -> tuple[str, ...]:
        """Learn from what the drive showed, as its journal would show it; return sentences."""
        info = msgspec.structs.replace(recording.info, path=str(self._writer.path), format=FORMAT)
        self._rows += self._writer.take_held()
        places = (
            (frame.speed_mps, *item.frame_row[-3:-1])
            for frame, item in zip(self._frames, self._samples(), strict=True)
            if frame is not None and item.frame_row is not None
        )
        frames = [frame for frame in self._frames if frame is not None]
        fixes = (
            (frame.fix_t, frame.lat_deg, frame.lon_deg)
            for frame in frames
            if not frame.reckoned and frame.lat_deg is not None and frame.lon_deg is not None
        )
        driven = DrivenWhole(
            track=self._track,
            recording=lambda: FusedRecording(recording, info, frames),
            places=lambda: some_places(fixes),
            flying=self._flying(),
            off_line=was_off_line(places),
            gate=info.gate,
            splits=info.splits,
        )
        return self._learn(driven)

    def settled(self, recording: Recording, home: Home) -> Recorder:
        """Write the rows and hold back nothing more. Measures all frames again where today's tracks
        changed or passes were left out; returns the recorder of what may still come."""
        self._rows += self._writer.take_held()
        recorder = self._recorder
        tracks, _ = known_tracks(home)
        stamp, (lat_deg, lon_deg) = recorder.made.stamp, recorder.made.first_fix or (None, None)
        if not self._enough and place_stamp(tracks, lat_deg, lon_deg) == stamp:
            for item in self._rows:
                self._writer.put(item)
            return recorder
        place = locate_recording(recording, tracks)
        given = [(frame, item.distrusted) for frame, item in zip(self._frames, self._samples(), strict=True)]
        second = _coached(home, tracks, place.venue.track, self._writer, FusedAgain(given))
        for stream in recording.info.streams:
            second.feed(StreamRecord(stream))
        for each in place.controls:
            second.feed(each)
        for item in self._samples():
            second.feed(item.sample)
        second.path.fusion = recorder.path.fusion
        return second

    def _flying(self) -> int:
        return sum(lap.kind == "flying" for lap in self._recorder.made.laps)

    def _samples(self) -> list[SampleItem]:
        return [item for item in self._rows if isinstance(item, SampleItem)]


def _joined_with(home: Home, session: str) -> str:
    try:
        journal = JournalRecording(beneath(home.journals, session + SUFFIX))
    except RecordingError:
        return ""
    return journal.meta.options.get(JOINED_OPTION, "")


def _coached(
    home: Home,
    tracks: Mapping[str, Track],
    track: Track | None,
    writer: SessionWriter | None = None,
    fusion: FusedAgain | None = None,
) -> Recorder:
    """Return what records a drive with a coach of the shipped settings, whose ledger is held back:
    neither the journal nor a row has it. Clip lengths are estimates."""
    forecast_by, network_of = _network(wanted=True)

    @cache
    def words_of(of: str, _: Level | None) -> Words:
        return prepare_words(home, tracks.get(of), sound=False, render=False)

    supplies = Supplies(tracks, words_of, network_of=network_of)
    settings = DriveSettings(units=home.words.units)
    drive = DriveSession(supplies, settings, begun_t=None, fusion=fusion)
    recorder = Recorder(drive, writer, strict=True)
    recorder.hold_ledger()
    for given in (WordsReady(track.id if track else ""), ForecastBy(forecast_by)):
        recorder.feed(record_of(0.0, given))
    return recorder


def would_say(store: Readable, session: str, stands: Callable[[], bool]) -> list[LedgerLine]:
    """Return the ledger that a coach with the shipped settings would have made of an imported
    session, as it was kept with the import; worked out again where its track or words changed since.
    Empty where the session has no journal, was coached, or the car no longer `stands`, which is asked
    now and then. StoreError."""
    try:
        recording = JournalRecording(beneath(store.home.journals, session + SUFFIX))
    except RecordingError:
        return []
    if is_live(recording):
        return []
    tracks, _ = known_tracks(store.home)
    found = find_kept(store.home, session, WOULD, _would_stamp(store, session, tracks))
    with suppress(msgspec.MsgspecError):
        if found is not None:
            return msgspec.json.decode(found, type=list[LedgerLine])
    place = locate_recording(recording, tracks, edit_of(store, session).track)
    recorder = _coached(store.home, tracks, place.venue.track)
    for number, record in enumerate(records(recording, place.controls, without=place.without)):
        if number % BATCH_RECORDS == 0 and not stands():
            return []
        recorder.take(record)
    recorder.finish()
    return _keep_said(store, session, recorder)


def _keep_said(store: Readable, session: str, recorder: Recorder) -> list[LedgerLine]:
    """Return the ledger that was held back, and keep it."""
    lines = recorder.drop_ledger()
    stamp = _would_stamp(store, session, recorder.path.supplies.tracks)
    keep(store.home, session, WOULD, stamp, msgspec.json.encode(lines))
    return lines


def _would_stamp(store: Readable, session: str, tracks: Mapping[str, Track]) -> str:
    """Digest what `would_say` depends on: the journal, the tracks there, words, units, network."""
    home, network = store.home, folder_stamp((NETWORK.parent,), "*.*") if installed() else ()
    [place] = rows(store, "SELECT lat_deg, lon_deg FROM sessions WHERE id = ?", [session])
    files = folder_stamp(home.layers("audio_cache"), "**/*.json")
    files += folder_stamp((home.journals,), session + SUFFIX)
    named = edit_of(store, session).track
    return stamp_of((home.words.units, named, network, files, place_stamp(tracks, *place)))


async def paced(found: Iterable[T], speed: float | None) -> AsyncIterator[list[T]]:
    """Yield a recording's records as they would arrive, `speed` times as fast; None: as fast as
    possible."""
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

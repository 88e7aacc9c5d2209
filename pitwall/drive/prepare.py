"""Prepare what a drive needs before the car moves: the place, the words, their sound, the store."""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from pitwall import __version__
from pitwall.coach.cue import LapTimes, Mode
from pitwall.coach.limits import warnings
from pitwall.coach.scripts import Scripts, load_scripts, phrases
from pitwall.config import CanNames, Home, beneath, shipped
from pitwall.store.errors import StoreError
from pitwall.store.files import replace_file
from pitwall.store.store import TIME_OF_DAY_OPTION
from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.recordings.base import Recording, RecordingError, StoredGate
from pitwall.telemetry.recordings.can_logs import CandumpRecording, FrameDecoders
from pitwall.telemetry.recordings.columns import Heading, map_columns
from pitwall.telemetry.recordings.corrected import (
    aligned,
    evened,
    renamed,
    with_day_doubted,
    with_named_day,
    with_speed_unit,
    with_times_believed,
)
from pitwall.telemetry.recordings.journal import JournalRecording, SessionMeta
from pitwall.track.build_report import rounded, write_track
from pitwall.track.circuits import FILE as CIRCUITS_FILE
from pitwall.track.circuits import CircuitError, Circuits
from pitwall.track.geometry import Projection
from pitwall.track.library import known_tracks as known_tracks
from pitwall.track.model import Gate, Track
from pitwall.track.reference import ReferenceLap
from pitwall.track.venue import NEAR_TRACK_M, Venue, first_place, given_gate, venue_of_recording
from pitwall.voice.clips import Clip, ClipCache, find_clip
from pitwall.voice.player import AUDIO_DELAY_S
from pitwall.voice.render import Voice, VoiceError
from pitwall.words.forms import Level
from pitwall.words.language import Language, language
from pitwall.words.units import Units

T = TypeVar("T")

# Recordings of a folder kept open between looks.
KEPT_BYTES = 32 << 20
# Stamps where there is nothing to make a digest of.
NOT_PLACED, NO_TRACK_NEAR = "no position", "no track"


class Surroundings:
    """The plane around each known track, to find tracks near a place."""

    def __init__(self, tracks: Mapping[str, Track]) -> None:
        self._circles = [(track, *_circle(track)) for track in tracks.values()]

    def near(self, lat_deg: float, lon_deg: float) -> list[Track]:
        """Return the tracks whose surroundings hold this place."""
        return [
            track
            for track, projection, reach_m in self._circles
            # A plane projection is wrong far from its middle, but never says near: latitude alone
            # says far.
            if abs(lat_deg - track.gate.a_lat_deg) < 1.0
            and math.hypot(*projection.xy(lat_deg, lon_deg)) <= reach_m
        ]


def _circle(track: Track) -> tuple[Projection, float]:
    projection = Projection(track.gate.a_lat_deg, track.gate.a_lon_deg)
    reach_m = max(math.hypot(*projection.xy(lat, lon)) for lat, lon, _ in track.centreline)
    return projection, reach_m + NEAR_TRACK_M


def rounded_place(lat_deg: float | None, lon_deg: float | None) -> tuple[float | None, float | None]:
    """Round a place to ten metres, so that all sessions of one paddock share it."""
    return (None, None) if lat_deg is None or lon_deg is None else (round(lat_deg, 4), round(lon_deg, 4))


def place_stamp(tracks: Mapping[str, Track], lat_deg: float | None, lon_deg: float | None) -> str:
    """Stamp the tracks near this place; never "", which marks a session measured by none."""
    lat_deg, lon_deg = rounded_place(lat_deg, lon_deg)
    if lat_deg is None or lon_deg is None:
        return NOT_PLACED
    near = sorted(Surroundings(tracks).near(lat_deg, lon_deg), key=lambda track: track.id)
    return " ".join(f"{track.id}={track_digest(track)}" for track in near) or NO_TRACK_NEAR


def track_digest(track: Track) -> str:
    """Digest a track, the same for a circuit of the world and for its file in the home."""
    return hashlib.blake2b(msgspec.json.encode(rounded(track)), digest_size=8).hexdigest()


# Header key of a person's start line, for a rebuild.
GATE_OPTION = "gate"
# Header key of the recording's sector ends.
SPLITS_OPTION = "splits"
# Header key of the delays that calls were timed with.
SETTINGS_OPTION = "settings"
# p99 of our own code from frame to PCM handed over, by scripts/bench, with room for a phone.
SOFTWARE_P99_S = 0.02


class DriveSettings(msgspec.Struct, frozen=True):
    """Delays to the ear (s), units, how the coach speaks; `trial`: seeds a trial's coin."""

    audio_delay_s: float = AUDIO_DELAY_S["wired"]
    software_s: float = SOFTWARE_P99_S
    units: Units = "metric"
    mode: Mode = "coach"
    level: Level = "intermediate"
    lap_times: LapTimes = "best"
    trial: str = ""
    bike: bool = False

    @property
    def words(self) -> Language:
        """Return all words, with these units."""
        return language(self.units, self.bike)


class Words(msgspec.Struct, frozen=True):
    """What can be said and how long each phrase lasts. `notes`: what is missing and why."""

    scripts: Scripts
    clips: Mapping[str, Clip]
    notes: tuple[str, ...]

    def clip_s(self, text: str) -> float | None:
        """Return how long the phrase sounds, s; None without a clip."""
        clip = find_clip(self.clips, text)
        return None if clip is None else clip.clip_s


NO_WORDS = Words(Scripts("", {}), {}, ())


class Located(msgspec.Struct, frozen=True):
    """An opened recording, and where it was driven. `notes` are for the user."""

    recording: Recording
    venue: Venue
    notes: tuple[str, ...]


def with_circuits(
    recording: Recording, tracks: Mapping[str, Track]
) -> tuple[dict[str, Track], tuple[str, ...]]:
    """Return the tracks, with the world's circuits where none is near; and what is wrong."""
    place = first_place(recording)
    if place is None or Surroundings(tracks).near(*place):
        return dict(tracks), ()
    try:
        return circuits_around(*place) | dict(tracks), ()
    except CircuitError as error:
        return dict(tracks), (str(error),)


def circuits_around(lat_deg: float, lon_deg: float) -> dict[str, Track]:
    """Find the circuits of the world around a place, as tracks by id. CircuitError."""
    circuits = world_circuits()
    return {each.id: circuits.track(each) for each in circuits.near(lat_deg, lon_deg)}


def world_circuits() -> Circuits:
    """Return the shipped circuits of the world."""
    return Circuits(shipped("track_data") / CIRCUITS_FILE)


def keep_circuits(home: Home, around: Mapping[str, Track]) -> None:
    """Write circuits into the home. A known track of that id outranks them. StoreError."""
    known, _ = known_tracks(home)
    for track in around.values():
        if track.id not in known:
            keep_track(home, track)


def keep_track(home: Home, track: Track) -> None:
    """Write a track into the home. StoreError."""
    path = beneath(home.track_data, f"{track.id}.json")
    try:
        write_track(track, path)
    except OSError as error:
        raise StoreError(f"{path} can't be written: {error.strerror or error}") from error


def voice_of(home: Home, name: str, program: str) -> Voice:
    """Return the voice of the settings: espeak's of this name, or a program's."""
    return Voice(name or home.words.voice, program=program)


def prepare_words(
    home: Home,
    track: Track | None,
    *,
    sound: bool,
    voice: Voice | None = None,
    level: Level | None = None,
    cancel: threading.Event | None = None,
    render: bool = True,
) -> Words:
    """Load the scripts and render every phrase; without `render` lengths are estimates."""
    scripts = load_scripts(home.layers("audio_cache"), track, home.words, level)
    wanted = phrases(scripts)
    notes = _problems(scripts)
    cache = ClipCache(home.clips, voice or Voice(home.words.voice), warnings(home.words.fixed))
    if not render:
        return Words(scripts, cache.outline(wanted), tuple(notes))
    try:
        clips: Mapping[str, Clip] = cache.render(wanted, cancel=cancel)
    except VoiceError as error:
        notes.append(str(error))
        clips = (
            {text: clip for text in wanted if (clip := cache.clip(text))} if sound else cache.outline(wanted)
        )
    return Words(scripts, clips, tuple(notes))


def script_trouble(home: Home, track: Track) -> list[str]:
    """Return what is wrong with the voice scripts of a track, a line for each."""
    return _problems(load_scripts(home.layers("audio_cache"), track, home.words))


def _problems(scripts: Scripts) -> list[str]:
    return [f"voice script {problem.file}: {problem.what}" for problem in scripts.problems]


def opened(path: Path, home: Home) -> Recording:
    """Open a recording of any format; a CAN log by its DBC. RecordingError."""

    def decoders() -> FrameDecoders | None:
        from pitwall.telemetry.sources.can import log_decoders  # with cantools, for such a log alone

        return log_decoders(path, home.can.dbc, home.can.mapping, home.can.sources)

    recording = open_recording(path, decoders)
    if isinstance(recording, JournalRecording):  # it was corrected before, or came live
        return recording
    names = home.can
    if names.channels or names.given:
        recording = renamed(recording, names.channels, names.given)
    recording = with_speed_unit(with_times_believed(recording))
    return aligned(evened(with_named_day(with_day_doubted(recording))))


class OpenedOnce:
    """Opens recordings; keeps those opened `ahead`, up to `KEPT_BYTES` of files."""

    def __init__(self) -> None:
        self._kept: dict[Path, tuple[CanNames, Recording]] = {}
        self._left = KEPT_BYTES

    def __call__(self, path: Path, home: Home) -> Recording:
        """Open a recording, or hand over the kept one. RecordingError."""
        names, recording = self._kept.pop(path, (None, None))
        if recording is not None:
            self._left += path.stat().st_size
        return recording if recording is not None and names == home.can else opened(path, home)

    def ahead(self, path: Path, home: Home) -> Recording:
        """Open a recording that will be asked for. RecordingError."""
        recording, size = self(path, home), path.stat().st_size
        if size <= self._left:
            self._kept[path] = (home.can, recording)
            self._left -= size
        return recording


def for_one_of_two(home: Home) -> Home:
    """Return the home for one of two files of a drive: a named channel may be in the other."""
    can = msgspec.structs.replace(home.can, channels={**home.can.channels, **home.can.given}, given={})
    return msgspec.structs.replace(home, can=can)


def opened_pair(
    path: Path, other: Path, home: Home, open_: Callable[[Path, Home], Recording]
) -> tuple[Recording, Recording]:
    """Open two recordings of one drive; a named channel is in one of them."""
    pair = open_(path, for_one_of_two(home)), open_(other, for_one_of_two(home))
    streams = [stream for each in pair for stream in each.info.streams]
    if home.can.given.keys() - {channel.name for stream in streams for channel in stream.channels}:
        opened(other, home)  # says what is wrong
    return pair


def locate(
    path: Path,
    home: Home,
    *,
    gate: StoredGate | None = None,
    open_: Callable[[Path, Home], Recording] = opened,
) -> Located:
    """Open a recording and find where it was driven. RecordingError."""
    recording = open_(path, home)
    known, problems = known_tracks(home)
    tracks, damage = with_circuits(recording, known)
    venue = venue_of_recording(recording, tracks, usable_gate(recording, gate))
    return Located(recording, venue, (*problems, *damage, *venue.notes, *_unmapped(recording)))


def _unmapped(recording: Recording) -> tuple[str, ...]:
    """Say what to do where a CAN log has no signal that we know, though names may help."""
    channels = [channel for stream in recording.info.streams for channel in stream.channels]
    if not isinstance(recording, CandumpRecording) or any(channel.canonical for channel in channels):
        return ()
    names = [channel.label.rpartition(".")[2] for channel in channels]
    headings = [Heading(i, names[i], channel.unit) for i, channel in enumerate(channels)]
    mapped = map_columns(headings, "bus")
    known = [f"{names[each.cell]} ({each.channel.name})" for each in mapped if each.channel.canonical]
    if known:
        return (f"no signal of the DBC is mapped; --mapping auto takes those whose names tell what they are: "
                f"{', '.join(known)}",)  # fmt: skip
    write = f'[signals.{names[0] if names else "NAME"}] and under it to = "speed_mps", or what it is'
    return (f"no signal of the DBC is mapped, and none tells by its name what it is: write {write}, "
            "into a file for --mapping",)  # fmt: skip


def usable_gate(recording: Recording, given: StoredGate | None) -> Gate | None:
    """Return a person's start line as a gate. RecordingError where it lies off the drive."""
    if given is None:
        return None
    verdict = given_gate(recording, given)
    if verdict.gate is None:
        hint = (
            "give places on the road that was driven"
            if given.is_run
            else "give LAT,LON,LAT,LON across the track"
        )
        raise RecordingError(Path(recording.info.path), verdict.reason, hint=hint)
    return verdict.gate


def session_meta(
    recording: Recording,
    venue: Venue,
    kind: Literal["import", "replay"],
    source_name: str,
    content: str,
    settings: DriveSettings,
) -> SessionMeta:
    """Make a session's header, without the track; its id says when and from what."""
    info = recording.info
    given = venue.gate if venue.gate_source == "given" else None
    if info.start_utc_s is not None:
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(info.start_utc_s))
    elif info.time_of_day_s is not None:
        stamp = time.strftime("undated-%H%M%S", time.gmtime(info.time_of_day_s))
    else:
        stamp = "undated"
    options = {SETTINGS_OPTION: _encoded(settings), GATE_OPTION: _encoded(given)}
    if info.time_of_day_s is not None:
        options[TIME_OF_DAY_OPTION] = str(info.time_of_day_s)
    if info.splits:
        options[SPLITS_OPTION] = msgspec.json.encode(info.splits).decode()
    suffix = "-replay" if kind == "replay" else ""
    return SessionMeta(
        id=f"{stamp}-{content[:6]}{suffix}",
        kind=kind,
        created_utc_s=time.time(),
        source_name=source_name,
        source_digest=content,
        track=venue.track.id if venue.track else "",
        format=info.format,
        start_utc_s=info.start_utc_s,
        app_version=__version__,
        venue=info.venue,
        driver=info.driver,
        vehicle=info.vehicle,
        gate=info.gate,
        lap_marks_t=info.lap_marks_t,
        options=options,
    )


def settings_of(options: Mapping[str, str]) -> DriveSettings:
    """Return the delays of a session's calls."""
    return _decoded(options, SETTINGS_OPTION, DriveSettings) or DriveSettings()


def gate_of(options: Mapping[str, str]) -> Gate | None:
    """Return the start line that a person gave a session."""
    return _decoded(options, GATE_OPTION, Gate)


def splits_of(options: Mapping[str, str]) -> tuple[StoredGate, ...]:
    """Return the sector ends of a session's recording."""
    return _decoded(options, SPLITS_OPTION, tuple[StoredGate, ...]) or ()


def _decoded(options: Mapping[str, str], name: str, kind: type[T]) -> T | None:
    """Decode an option; None where absent or unreadable: a journal may come from anywhere."""
    try:
        return msgspec.json.decode(options.get(name, ""), type=kind)
    except msgspec.DecodeError:
        return None


def _encoded(value: msgspec.Struct | None) -> str:
    return "" if value is None else msgspec.json.encode(value).decode()


# Bounds of the factor on what a corner costs.
LEAST_WEIGHT, MOST_WEIGHT = 0.5, 2.0


class Memory(msgspec.Struct, frozen=True):
    """What earlier days tell: best lap, faults as (corner, concept). `given`: somebody chose the
    lap; `weights`: a fleet's, by concept; `today`: the best of this day's other sessions."""

    track: str
    reference: ReferenceLap | None = None
    lessons: tuple[tuple[str, str], ...] = ()
    given: bool = False
    weights: tuple[tuple[str, float], ...] = ()
    today: ReferenceLap | None = None


class AdviceWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`advice.json` of a home."""

    pitwall_advice: int
    weights: dict[str, float]


def save_weights(path: Path, weights: Mapping[str, float]) -> None:
    """Keep what a fleet has shown of advice. OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, msgspec.json.format(msgspec.json.encode(AdviceWeights(1, dict(weights)))))


def read_weights(path: Path) -> tuple[tuple[str, float], ...]:
    """Load a fleet's weights; none without the file. StoreError where it can't be used."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=AdviceWeights)
    except FileNotFoundError:
        return ()
    except (OSError, msgspec.MsgspecError) as error:
        raise StoreError(
            f"{path} can't be used: {error}; pitwall fleet advice --save writes it again"
        ) from None
    return tuple(
        (name, min(max(weight, LEAST_WEIGHT), MOST_WEIGHT)) for name, weight in found.weights.items()
    )

"""Learn a track from a drive: a new layout, or a drawn circuit's line and brake points.

What people wrote outranks all of it."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from pitwall.config import Home, beneath, shipped
from pitwall.drive.journal import PAUSE_RECORDS
from pitwall.drive.prepare import (
    Surroundings,
    circuits_around,
    keep_circuits,
    keep_track,
    known_tracks,
    splits_of,
    world_circuits,
)
from pitwall.store.edits import edit_of
from pitwall.store.errors import StoreError
from pitwall.store.queries import Readable, rows
from pitwall.store.store import Store
from pitwall.telemetry.frame import PLACE_AGE_S
from pitwall.telemetry.recordings.base import ChangedRecording, Recording, RecordingError, StoredGate
from pitwall.telemetry.recordings.journal import SUFFIX, JournalRecording, read_header
from pitwall.telemetry.sample import Sample
from pitwall.track.build import build_track
from pitwall.track.build_laps import TrackBuildError
from pitwall.track.build_merge import merge_hand_written, numbered_as
from pitwall.track.build_report import rounded
from pitwall.track.circuits import DRAWN, CircuitError, is_drawn, is_of_the_world
from pitwall.track.driven import DrivenPath
from pitwall.track.edit import (
    OWN_START,
    EditError,
    same_sectors,
    sectors_in,
    start_elsewhere,
    start_in_corner,
    with_sectors,
    with_start,
)
from pitwall.track.gate import perpendicular_gate
from pitwall.track.geometry import Projection
from pitwall.track.library import TrackError, find_problem, load_track
from pitwall.track.model import Gate, Track
from pitwall.track.venue import TrackFinder

# A line from fewer laps is one driver's mistakes of one day.
LEAST_LAPS = 3
# Further than this from the line is off the road; more than this share of a drive is not pit stops
# and mistakes.
OFF_LINE_M, OFF_LINE_SHARE, OFF_LINE_MPS = 15.0, 0.03, 5.0
# The start line's ends keep this far from the middle of a pit lane, and at least the second figure
# from the track's.
PIT_ROOM_M, NARROWEST_M = 4.0, 6.0
# Nearer than this, metres along the road, two start lines are one.
SAME_LINE_M = 3.0
# A line that was checked, or is another logger's, gives way to one further off than this: matching
# bears it, and laps differ by less than 0.02 s.
CHECKED_LINE_M = 30.0
_FIXES = (
    "SELECT t, lat_deg, lon_deg FROM frames WHERE session = ? AND fix_age_s < ? AND lat_deg IS NOT NULL "
    "AND lon_deg IS NOT NULL ORDER BY seq"
)
# What a track says of the drive that its line was made of.
_MADE_OF = re.compile(r", (\d+) flying laps$")


def learn_track(
    home: Home, store: Store, session: str, pause: Callable[[], None] = lambda: None
) -> tuple[str, ...]:
    """Learn from a closed session; return sentences about it. StoreError."""
    found = rows(store, "SELECT track, kind FROM sessions WHERE id = ?", [session])
    if not found or not found[0][0] or found[0][1] == "replay":
        return ()
    known, _ = known_tracks(home)
    path, track = beneath(home.journals, session + SUFFIX), known.get(found[0][0])
    if track is None or not path.is_file():
        return ()
    try:
        header = read_header(path)
        # The way back to the start of a course lies where it lies.
        may_differ = not track.has_finish and edit_of(store, session).track is None
        if may_differ and _was_driven_off_line(store, session):
            layout = layout_of(_places(rows(store, _FIXES, [session, PLACE_AGE_S])), known)
            if layout is not None:
                keep_circuits(home, {layout.id: layout})
                return (f"another layout was driven: {layout.name} ({layout.id})",)
        notes: tuple[str, ...] = ()
        if _flying(store, session) >= laps_wanted(track):

            def pausing(journal: Recording) -> Iterator[Sample]:
                for number, sample in enumerate(journal.samples()):
                    if number % PAUSE_RECORDS == 0:
                        pause()
                    yield sample

            notes = _refine(home, track, ChangedRecording(JournalRecording(path), pausing))
        notes += _take_sectors(home, track.id, splits_of(header.options))
        return (*notes, *start_doubt(track, header.gate))
    except (RecordingError, CircuitError) as error:
        raise StoreError(f"nothing was learned of the track from session {session}: {error}") from error


def learn_place(home: Home, recording: Recording, gate: Gate) -> tuple[Track | None, str]:
    """Build an unknown circuit or course from a recording's laps and keep it; and a sentence."""
    known = known_tracks(home)[0]
    name = recording.info.venue or Path(recording.info.path).stem
    laps = "laps" if gate.finish is None else "runs"
    stem = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:56] or "course"
    free = (stem if n == 1 else f"{stem}_{n}" for n in itertools.count(1))
    track_id = next(each for each in free if each not in known)
    try:
        built = build_track([recording], track_id=track_id, name=name, gate=gate)
    except TrackBuildError as error:
        return None, f"{laps} are timed, without a map and corners: {error}"
    track, used = built.track, sum(lap.used for lap in built.report.laps)
    if gate.finish is None and used < LEAST_LAPS:
        return (
            None,
            f"{laps} are timed, without a map and corners: only {used} clean laps, {LEAST_LAPS} are needed",
        )
    if (problem := find_problem(track)) is not None:
        return None, f"{laps} are timed, without a map and corners: {problem[1]}"
    keep_track(home, track)
    place = "circuit" if gate.finish is None else "course"
    return rounded(track), (
        f"the {place} is known now: {track.name}, {track.lap_m:.0f} m, {len(track.corners)} corners; "
        f'its name and theirs: pitwall track edit {track.id} --name "NAME" --corner "turn_1=NAME"'
    )


def _places(fixes: Iterable[tuple[float, float, float]]) -> list[tuple[float, float]]:
    path = DrivenPath()
    return [(lat_deg, lon_deg) for t, lat_deg, lon_deg in fixes if path.add(t, lat_deg, lon_deg)]


def start_doubt(track: Track, start: StoredGate | None) -> tuple[str, ...]:
    """Word the doubt where a recording's `start` is not that of a circuit whose file we shipped."""
    if start is None or not (is_of_the_world(track) or _shipped_file(track).is_file()):
        return ()
    place_m = start_elsewhere(track, start)
    if place_m is None:
        return ()
    return (
        f"the recording's own start line lies {place_m:.0f} m after that of {track.name}; to count laps from "
        f"there: pitwall track edit {track.id} --start {start.a_lat_deg:.6f},{start.a_lon_deg:.6f}",
    )


def at_own_start(track: Track, start: StoredGate | None) -> Track | None:
    """Move a shipped circuit's lap start to a recording's own; None where nothing changes."""
    if start is None or track.has_finish:
        return None
    try:
        original = _original(track)
    except (CircuitError, TrackError):  # where its laps began then is not known
        return None
    if original is None:
        return None
    moved = start_elsewhere(original, stored_gate(track.gate), SAME_LINE_M) is not None
    if moved and OWN_START not in track.sources:
        return None
    drawn = is_of_the_world(track) and not moved
    place_m = start_elsewhere(track, start, SAME_LINE_M if drawn else CHECKED_LINE_M)
    if place_m is None:
        return None
    found = with_start(track, place_m)
    return msgspec.structs.replace(found, sources=(*found.sources, OWN_START))


def stored_gate(gate: Gate) -> StoredGate:
    """Return the ends of a gate, as a recording stores them."""
    return StoredGate(gate.a_lat_deg, gate.a_lon_deg, gate.b_lat_deg, gate.b_lon_deg)


def _shipped_file(track: Track) -> Path:
    return shipped("track_data") / f"{track.id}.json"


def _original(track: Track) -> Track | None:
    """Load a circuit as it was shipped; None of any other track. CircuitError, TrackError."""
    drawn = _drawn(track)
    return load_track(_shipped_file(track)) if drawn is None and _shipped_file(track).is_file() else drawn


def _drawn(track: Track) -> Track | None:
    """Load a circuit of the world from its file; None of any other track. CircuitError."""
    circuits = world_circuits()
    circuit = circuits.get(track.id) if is_of_the_world(track) else None
    return None if circuit is None else circuits.track(circuit)


def layout_of(places: Sequence[tuple[float, float]], known: Mapping[str, Track]) -> Track | None:
    """Find the circuit of the world that fits these places. CircuitError."""
    if not places:
        return None
    near = {track.id: track for track in Surroundings(known).near(*places[0])}
    finder = _found(places, near, ())
    if finder.fits:
        return None
    track = _found(places, circuits_around(*places[0]) | near, near).track
    return None if track is None or track.id in near else track


def refined(track: Track, recording: Recording) -> Track:
    """Refine a circuit's line, pace and brake points by a drive; corners keep their numbers."""
    result = build_track([recording], track_id=track.id, name=track.name, gate=track.gate)
    used = sum(lap.used for lap in result.report.laps)
    if used < LEAST_LAPS:
        raise TrackBuildError(f"only {used} clean laps")
    found = result.track
    circuits = world_circuits()
    if (circuit := circuits.get(track.id)) is not None:
        found = numbered_as(found, circuits.track(circuit))
    return msgspec.structs.replace(
        merge_hand_written(found, track),
        gate=_narrowed(found),
        sources=(*(each for each in track.sources if not _MADE_OF.search(each)), *found.sources),
        notes=track.notes.replace(DRAWN, "driven line"),
    )


def laps_wanted(track: Track) -> float:
    """Return how many flying laps of a drive renew a circuit's line; never a person's."""
    if not is_of_the_world(track):
        return math.inf
    made_of = [int(match[1]) for source in track.sources if (match := _MADE_OF.search(source))]
    return LEAST_LAPS if is_drawn(track) else 2 * max(made_of, default=math.inf)


def _take_sectors(home: Home, track_id: str, splits: Sequence[StoredGate]) -> tuple[str, ...]:
    if not splits:
        return ()
    track = known_tracks(home)[0][track_id]
    ends = sectors_in(track, splits)
    try:
        brought = with_sectors(track, ends)
    except EditError as error:
        return (f"the recording's own sectors are not used: {error}",)
    if not ends or same_sectors(track, brought):
        return ()
    drawn = _drawn(track)
    # As its file has it, with laps that begin where those of the track in the home do.
    begun_m = None if drawn is None else start_elsewhere(drawn, stored_gate(track.gate), SAME_LINE_M)
    if drawn is not None and begun_m is not None:
        drawn = with_start(drawn, begun_m)
    places = [f"{end:.0f}" for end in ends]
    ends_text = f"{' m and '.join(places)} m"
    if drawn is None or not same_sectors(track, drawn):
        return (
            f"the recording has sectors of its own, which end at {ends_text}; to use them: "
            f"pitwall track edit {track.id} --sectors {','.join(places)}",
        )
    keep_track(home, brought)
    return (f"the sectors of {track.name} are the recording's now: they end at {ends_text}",)


def _refine(home: Home, track: Track, recording: Recording) -> tuple[str, ...]:
    try:
        made = refined(track, recording)
    except TrackBuildError as error:
        return (f"{track.name} stays as it was drawn: {error}",)
    if find_problem(made) is not None:
        return ()
    keep_track(home, made)
    notes = [f"{track.name} is known as driven now: {made.length_m:.0f} m, {len(made.corners)} corners"]
    if (corner := start_in_corner(made)) is not None:
        notes.append(
            f"laps of {track.name} begin in {corner.name}, where start lines hardly are; to move it: "
            f"pitwall track edit {track.id} --start LAT,LON"
        )
    return tuple(notes)


def _narrowed(track: Track) -> Gate:
    gate = track.gate
    projection = Projection(*track.centreline[0][:2])
    a = projection.xy(gate.a_lat_deg, gate.a_lon_deg)
    b = projection.xy(gate.b_lat_deg, gate.b_lon_deg)
    half_m = math.dist(a, b) / 2.0
    lane = [math.hypot(*projection.xy(lat, lon)) for lat, lon in track.pit_lane]
    lane_m = min(lane, default=math.inf)
    half_m = min(half_m, max(lane_m - PIT_ROOM_M, NARROWEST_M))
    return perpendicular_gate((0.0, 0.0), gate.heading_deg, half_m, projection)


def _found(
    places: Sequence[tuple[float, float]],
    tracks: Mapping[str, Track],
    first: Mapping[str, Track] | tuple[()],
) -> TrackFinder:
    finder = TrackFinder(tracks.values(), first)
    for place in places:
        finder.feed(*place)
    return finder


def _was_driven_off_line(store: Readable, session: str) -> bool:
    sql = (
        "SELECT count(*), count(*) FILTER (distance_m IS NULL OR abs(offset_m) > ?) FROM frames "
        "WHERE session = ? AND speed_mps > ? AND t >= (SELECT min(t) FROM frames WHERE session = ? "
        "AND distance_m IS NOT NULL)"
    )
    [(driven, off_line)] = rows(store, sql, [OFF_LINE_M, session, OFF_LINE_MPS, session])
    return bool(off_line > OFF_LINE_SHARE * driven)


def _flying(store: Readable, session: str) -> int:
    [(count,)] = rows(store, "SELECT count(*) FROM laps WHERE session = ? AND kind = 'flying'", [session])
    return int(count)

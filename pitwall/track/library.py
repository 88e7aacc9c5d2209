"""Reads tracks from their folders: each file is decoded and checked once."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from pitwall.config import Home
from pitwall.contract.problems import UserError
from pitwall.track.geometry import Projection, heading_deg, turn_deg
from pitwall.track.model import WAY_BACK_SHARE, Corner, Track

# Chords between points 20 m apart are 0.5 % shorter than a road's curves; more is an error.
LENGTH_TOLERANCE = 0.02
# A start line is at most about 20 m wide, and its middle lies on the road.
GATE_TOLERANCE_M = 30.0
FEWEST_POINTS = 20


class TrackError(UserError):
    """A track file that can't be used: which file, which field, and what to do about it."""

    def __init__(self, path: Path, field: str, what: str, hint: str) -> None:
        super().__init__(f"{path}: {field}: {what} ({hint})")
        self.path, self.field, self.what, self.hint = path, field, what, hint


def load_track(path: Path) -> Track:
    """Return the track in one JSON file. TrackError if it can't be read or contradicts itself."""
    try:
        track = msgspec.json.decode(path.read_bytes(), type=Track)
    except OSError as error:
        raise TrackError(path, "file", f"cannot be read: {error.strerror}", "check its rights") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        what, _, field = str(error).partition(" - at `$")
        raise TrackError(
            path, field.strip(".`") or "file", what, "mend the file or build the track again"
        ) from error
    problem = find_problem(track)
    if problem is not None:
        raise TrackError(path, *problem)
    return track


def known_tracks(home: Home) -> tuple[dict[str, Track], tuple[str, ...]]:
    """Return all tracks, the user's over the shipped ones, and the faults of unusable files."""
    problems: list[TrackError] = []
    tracks = load_tracks(home.layers("track_data"), problems)
    return tracks, tuple(str(problem) for problem in problems)


def load_tracks(folders: Sequence[Path], problems: list[TrackError] | None = None) -> dict[str, Track]:
    """Return all tracks by id; the first folder wins. A bad file: TrackError, or in `problems`."""
    tracks: dict[str, Track] = {}
    for folder in folders:
        here: dict[str, Path] = {}
        for path in sorted(folder.glob("*.json")):
            try:
                track = load_track(path)
                if track.id in here:
                    raise TrackError(
                        path, "id", f"{track.id!r} is also in {here[track.id].name}", "rename one of the two"
                    )
            except TrackError as error:
                if problems is None:
                    raise
                problems.append(error)
                continue
            here[track.id] = path
            tracks.setdefault(track.id, track)
    return tracks


def find_track(folders: Sequence[Path], track_id: str) -> Track | None:
    """Return the track of that id from the first folder that has it."""
    for folder in folders:
        for path in sorted(folder.glob("*.json")):
            with contextlib.suppress(OSError, TrackError):
                stat = path.stat()
                track = _track_named(path, track_id, stat.st_mtime_ns, stat.st_size)
                if track is not None:
                    return track
    return None


@lru_cache(maxsize=64)
def _track_named(path: Path, track_id: str, changed_ns: int, size: int) -> Track | None:
    if f'"{track_id}"'.encode() not in path.read_bytes():
        return None
    track = load_track(path)
    return track if track.id == track_id else None


Problem = tuple[str, str, str]  # field, what is wrong, what to do


def find_problem(track: Track) -> Problem | None:
    """Return the first thing that is wrong with a decoded track, as (field, what, hint)."""
    for check in (_plain_problem, _line_problem, _gate_problem, _corner_problem, _sector_problem):
        problem = check(track)
        if problem is not None:
            return problem
    return None


def _plain_problem(track: Track) -> Problem | None:
    if not track.id or not all(c.isascii() and (c.isalnum() or c in "_-") for c in track.id):
        return "id", f"{track.id!r} is not a plain word", "use letters, digits, _ and -"
    if not (math.isfinite(track.length_m) and track.length_m > 0.0):
        return "length_m", f"{track.length_m} is not a length", "give the lap's length in metres"
    if len(track.centreline) < FEWEST_POINTS:
        return (
            "centreline",
            f"{len(track.centreline)} points",
            f"give at least {FEWEST_POINTS}, one every 2 to 20 m",
        )
    if len(track.speed_mps) not in (0, len(track.centreline)):
        what = f"{len(track.speed_mps)} speeds for {len(track.centreline)} points"
        return "speed_mps", what, "give one for each point of the centreline, or none"
    for i, speed_mps in enumerate(track.speed_mps):
        if not (math.isfinite(speed_mps) and speed_mps >= 0.0):
            return f"speed_mps[{i}]", f"{speed_mps} is not a speed", "m/s, zero or more"
    return None


def _line_problem(track: Track) -> Problem | None:
    for field, points in (("centreline", track.centreline), ("pit_lane", track.pit_lane)):
        for i, point in enumerate(points):
            if not all(math.isfinite(value) for value in point) or abs(point[0]) > 85 or abs(point[1]) > 180:
                return f"{field}[{i}]", f"{point} is not a place", "latitude and longitude in decimal degrees"
    to_xy = Projection(track.centreline[0][0], track.centreline[0][1]).xy
    points_m = [to_xy(lat, lon) for lat, lon, _ in track.centreline]
    total_m = 0.0
    ahead_m = points_m[1:] if track.has_finish else [*points_m[1:], points_m[0]]
    for i, (here, after) in enumerate(zip(points_m, ahead_m, strict=False)):
        step_m = math.dist(here, after)
        if step_m < 1e-3:
            return f"centreline[{i}]", "the next point is the same", "leave one of the two out"
        if step_m > max(0.1 * track.length_m, 100.0):
            return f"centreline[{i}]", f"{step_m:.0f} m to the next point", "the line has a hole: fill it"
        total_m += step_m
    if abs(total_m - track.lap_m) > LENGTH_TOLERANCE * track.lap_m:
        what = f"{track.length_m:.0f} m, but the centreline is {total_m:.0f} m long"
        right = (
            f"an open line's length and {WAY_BACK_SHARE:.0%} more"
            if track.has_finish
            else "the closed line's"
        )
        return "length_m", what, f"give {right} length"
    return None


def _gate_problem(track: Track) -> Problem | None:
    gate = track.gate
    values = (gate.a_lat_deg, gate.a_lon_deg, gate.b_lat_deg, gate.b_lon_deg, gate.heading_deg)
    if not all(math.isfinite(value) for value in values):
        return "gate", "a number is missing", "two points and a heading in degrees"
    to_xy = Projection(track.centreline[0][0], track.centreline[0][1]).xy
    a, b = to_xy(gate.a_lat_deg, gate.a_lon_deg), to_xy(gate.b_lat_deg, gate.b_lon_deg)
    away_m = math.hypot((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    if away_m > GATE_TOLERANCE_M:
        return (
            "gate",
            f"its middle is {away_m:.0f} m from the centreline's first point",
            "the centreline starts at the gate",
        )
    if math.dist(a, b) < 1.0:
        return "gate", "its two points are the same", "give one on each side of the track"
    ahead = to_xy(*track.centreline[1][:2])
    if abs(turn_deg(heading_deg(*ahead), gate.heading_deg)) > 60.0:
        return (
            "gate.heading_deg",
            f"{gate.heading_deg:.0f} is not the way the centreline goes",
            "turn one of them",
        )
    return None


def _corner_problem(track: Track) -> Problem | None:
    seen: set[str] = set()
    for i, corner in enumerate(track.corners):
        if corner.id in seen:
            return f"corners[{i}].id", f"{corner.id!r} is there twice", "give each corner its own id"
        seen.add(corner.id)
        problem = _places_problem(f"corners[{i}]", corner, track.lap_m)
        if problem is not None:
            return problem
    return None


def _places_problem(field: str, corner: Corner, length_m: float) -> Problem | None:
    places = {"entry_m": corner.entry_m, "apex_m": corner.apex_m, "exit_m": corner.exit_m}
    if corner.brake_m is not None:
        places["brake_m"] = corner.brake_m
    places |= {
        f"landmarks[{i}].distance_m": mark.distance_m
        for i, mark in enumerate(corner.landmarks)
        if mark.distance_m is not None
    }
    for name, place_m in places.items():
        if not (math.isfinite(place_m) and 0.0 <= place_m <= length_m):
            return (
                f"{field}.{name}",
                f"{place_m} is outside the lap of {length_m:.0f} m",
                "metres from the gate",
            )
    if (corner.apex_m - corner.entry_m) % length_m > (corner.exit_m - corner.entry_m) % length_m:
        what = f"apex {corner.apex_m:.0f} m is not between entry and exit"
        return f"{field}.apex_m", what, "order them as they are driven"
    return None


def _sector_problem(track: Track) -> Problem | None:
    ends = (0.0, *track.sectors_m, track.lap_m)
    if any(not a < b for a, b in itertools.pairwise(ends)):
        return "sectors_m", f"{track.sectors_m} do not rise inside the lap", "leave out 0 and the length"
    return None

"""A lap whose whole GPS track is shifted is measured as if it were not."""

from __future__ import annotations

import math

import pytest

from pitwall.config import shipped
from pitwall.telemetry.frame import Frame
from pitwall.track.geometry import Projection
from pitwall.track.library import load_tracks
from pitwall.track.matcher import MapMatcher
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap
from pitwall.track.same_road import GpsShift


@pytest.fixture(scope="module")
def track() -> Track:
    return load_tracks((shipped("track_data"),))["sonoma"]


def driven(track: Track, east_m: float, north_m: float) -> list[tuple[float, float]]:
    """Places and offsets of a lap along the centreline that a receiver sees shifted."""
    to_deg = Projection(*track.centreline[0][:2])
    x, y = to_deg.xy(*track.centreline[0][:2])
    origin = to_deg.lat_lon(x, y)
    moved = to_deg.lat_lon(x + east_m, y + north_m)
    d_lat, d_lon = moved[0] - origin[0], moved[1] - origin[1]
    matcher, seen = MapMatcher(track), []
    for lap in range(2):
        for index, (lat, lon, _) in enumerate(track.centreline):
            t = (lap * len(track.centreline) + index) * 0.2
            frame = Frame(t, lat_deg=lat + d_lat, lon_deg=lon + d_lon, speed_mps=25.0)
            position = matcher.feed(frame)
            if lap == 1 and position is not None and position.status == "on":
                seen.append((position.distance_m, position.offset_m))
    return seen


def reference(track: Track, seen: list[tuple[float, float]]) -> ReferenceLap:
    places = sorted(seen)
    distances = (0.0, *(place for place, _ in places if 0.0 < place < track.length_m), track.length_m)
    offsets = (
        places[0][1],
        *(offset for place, offset in places if 0.0 < place < track.length_m),
        places[-1][1],
    )
    times = tuple(distance / 25.0 for distance in distances)
    return ReferenceLap("lap 1", times[-1], distances, times, (25.0,) * len(times), offset_m=offsets)


@pytest.mark.parametrize("shift", [(0.0, 0.0), (3.0, 0.0), (-1.0, 2.5), (0.5, -3.5)])
def test_the_shift_of_a_whole_lap_is_found(track: Track, shift: tuple[float, float]) -> None:
    drift = GpsShift(track)
    drift.set_reference(reference(track, driven(track, 0.0, 0.0)))
    for place_m, offset_m in driven(track, *shift):
        drift.feed(place_m, offset_m)
    assert math.dist((drift.shift.east_m, drift.shift.north_m), shift) < 0.4


def test_another_line_in_one_corner_is_no_shift(track: Track) -> None:
    drift = GpsShift(track)
    seen = driven(track, 0.0, 0.0)
    drift.set_reference(reference(track, seen))
    for place_m, offset_m in seen:
        drift.feed(place_m, offset_m + (2.5 if 2090.0 < place_m < 2280.0 else 0.0))
    assert math.hypot(drift.shift.east_m, drift.shift.north_m) < 0.6


def test_before_enough_was_seen_nothing_is_changed(track: Track) -> None:
    drift = GpsShift(track)
    drift.set_reference(reference(track, driven(track, 0.0, 0.0)))
    for place_m, offset_m in driven(track, 3.0, 0.0)[:60]:
        drift.feed(place_m, offset_m)
    assert (drift.shift.east_m, drift.shift.north_m) == (0.0, 0.0)

"""Which known tracks are near a place, and which tracks a session was measured with."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping

import msgspec

from pitwall.track.geometry import Projection
from pitwall.track.model import Track
from pitwall.track.venue import NEAR_TRACK_M

# Stamps where there is nothing to make a digest of.
NOT_PLACED, NO_TRACK_NEAR = "no position", "no track"


class Surroundings:
    """The plane around each known track, to tell whether a place is near it."""

    def __init__(self, tracks: Mapping[str, Track]) -> None:
        self._circles = [(track, *_circle(track)) for track in tracks.values()]

    def near(self, lat_deg: float, lon_deg: float) -> list[Track]:
        """The tracks whose surroundings hold this place."""
        return [
            track
            for track, projection, reach_m in self._circles
            # Far from its middle a plane projection is wrong, but never near: latitude alone says far.
            if abs(lat_deg - track.gate.a_lat_deg) < 1.0
            and math.hypot(*projection.xy(lat_deg, lon_deg)) <= reach_m
        ]


def _circle(track: Track) -> tuple[Projection, float]:
    projection = Projection(track.gate.a_lat_deg, track.gate.a_lon_deg)
    reach_m = max(math.hypot(*projection.xy(lat, lon)) for lat, lon, _ in track.centreline)
    return projection, reach_m + NEAR_TRACK_M


def rounded_place(lat_deg: float | None, lon_deg: float | None) -> tuple[float | None, float | None]:
    """A place to ten metres, so that all sessions of one paddock have the same."""
    return (None, None) if lat_deg is None or lon_deg is None else (round(lat_deg, 4), round(lon_deg, 4))


def place_stamp(tracks: Mapping[str, Track], lat_deg: float | None, lon_deg: float | None) -> str:
    """A digest of the tracks near this place: another one once one of them arrives, goes or is edited.

    Never "": that stands for a session that was not measured by any.
    """
    lat_deg, lon_deg = rounded_place(lat_deg, lon_deg)
    if lat_deg is None or lon_deg is None:
        return NOT_PLACED
    near = sorted(Surroundings(tracks).near(lat_deg, lon_deg), key=lambda track: track.id)
    return hashlib.blake2b(msgspec.json.encode(near), digest_size=16).hexdigest() if near else NO_TRACK_NEAR

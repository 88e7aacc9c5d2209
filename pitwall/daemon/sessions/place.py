"""Where the car is while the track is not known yet: which tracks are near, and when one is recognised."""

from __future__ import annotations

import math
from collections.abc import Mapping

from pitwall.telemetry.frame import Frame
from pitwall.track.geometry import Projection
from pitwall.track.model import Track
from pitwall.track.venue import NEAR_TRACK_M, TrackFinder

# After a minute of driving near a track without having been on it, it is not the one that is driven.
NOT_HERE_S = 60.0
MOVING_MPS = 5.0
# A session is of one place: so long outside its surroundings, and it is over.
GONE_S = 10.0


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


class PlaceFinder:
    """Looks for the track of one session. `feed` frames; `track` is what was found, "" while nothing is."""

    def __init__(self, tracks: Mapping[str, Track], surroundings: Surroundings) -> None:
        self.track = ""
        self.near: list[Track] = []
        self.nowhere = False
        self._finder = TrackFinder(tracks.values())
        self._surroundings = surroundings
        self._driving_s = 0.0
        self._t: float | None = None

    @property
    def sure(self) -> bool:
        """Whether more driving would hardly change the answer."""
        return self._finder.sure

    def feed(self, frame: Frame) -> bool:
        """Take one frame; True where a track was recognised (again, as another one)."""
        if frame.lat_deg is None or frame.lon_deg is None or frame.fix_age_s > 0.0:
            return False
        step_s = 0.0 if self._t is None else min(frame.t - self._t, 1.0)
        self._t = frame.t
        if self._finder.sure:
            return False
        self.near = self._surroundings.near(frame.lat_deg, frame.lon_deg)
        if frame.speed_mps is not None and frame.speed_mps > MOVING_MPS:
            self._driving_s += step_s if self.near else NOT_HERE_S * step_s / GONE_S
        if self.near:
            self._finder.feed(frame.lat_deg, frame.lon_deg)
        found = self._finder.track
        if found is not None and found.id != self.track:
            self.track, self.nowhere = found.id, False
            return True
        self.nowhere = not self.track and self._driving_s >= NOT_HERE_S
        return False


class Leaving:
    """Whether the car has left the surroundings of its track."""

    def __init__(self, track: Track, surroundings: Surroundings) -> None:
        self._track, self._surroundings = track, surroundings
        self._since_t: float | None = None

    def feed(self, frame: Frame) -> bool:
        """True once it has been gone for a while."""
        if frame.lat_deg is None or frame.lon_deg is None or frame.fix_age_s > 0.0:
            return False
        if self._track in self._surroundings.near(frame.lat_deg, frame.lon_deg):
            self._since_t = None
        elif self._since_t is None:
            self._since_t = frame.t
        return self._since_t is not None and frame.t - self._since_t >= GONE_S

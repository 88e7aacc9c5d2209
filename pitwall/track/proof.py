"""Prove again where a car is, when its driver says that it is elsewhere."""

from __future__ import annotations

from pitwall.telemetry.frame import Frame
from pitwall.track.geometry import way_m
from pitwall.track.lap import Position
from pitwall.track.matcher import MapMatcher
from pitwall.track.model import Track

# A racing line is 2 to 3 % shorter than the middle of the track, and a speed is good to 1 or 2 %.
SAME_LENGTH_SHARE = 0.05
# Within this a place is the same; a place further on than the car drove is another piece.
JUMP_M = 40.0


class PlaceProof:
    """Follows the car with a matcher of its own: proved after a lap of the track's length."""

    def __init__(self, track: Track) -> None:
        self._track, self._matcher = track, MapMatcher(track)
        # A run of an open course is shorter than the way by which its places wrap.
        self._lap_m = track.lap_m * (1.0 - SAME_LENGTH_SHARE) if track.has_finish else track.length_m
        self._frame: Frame | None = None
        self._place_m: float | None = None
        self._ahead_m = self._driven_m = 0.0

    def feed(self, frame: Frame, doubted: Position) -> bool:
        """Take a frame, and where it is believed to be; return whether that is proved."""
        own, before = self._matcher.feed(frame), self._frame
        if own.status == "reckoned" or frame.reckoned:
            return False
        self._frame = frame
        if own.status != "on" or frame.speed_mps is None:
            self._place_m = None
            return False
        if self._place_m is None or before is None:
            return self._begin(own)
        step_m = (frame.t - before.t) * 0.5 * (frame.speed_mps + (before.speed_mps or 0.0))
        ahead_m = way_m(self._place_m, own.distance_m, self._track.length_m)
        if abs(ahead_m - step_m) > JUMP_M:
            return self._begin(own)
        self._place_m = own.distance_m
        self._ahead_m, self._driven_m = self._ahead_m + ahead_m, self._driven_m + step_m
        if self._ahead_m < self._lap_m:
            return False
        is_length = abs(self._driven_m - self._ahead_m) <= SAME_LENGTH_SHARE * self._ahead_m
        apart_m = way_m(own.distance_m, doubted.distance_m, self._track.length_m)
        if is_length and doubted.status == "on" and abs(apart_m) <= JUMP_M:
            return True
        return self._begin(own)

    def _begin(self, own: Position) -> bool:
        self._place_m, self._ahead_m, self._driven_m = own.distance_m, 0.0, 0.0
        return False

"""How fast the car is against its reference, and when it reaches a place."""

from __future__ import annotations

import math
from bisect import bisect_right
from itertools import accumulate

from pitwall.coach.lead import (
    G_MPS2,
    REFERENCE_SHARE,
    TYPICAL_SHARE,
    FlatOut,
    flat_out_s,
    scaled_s,
    seconds_to_action,
)
from pitwall.coach.places import is_open
from pitwall.telemetry.frame import Frame
from pitwall.track.geometry import Projection
from pitwall.track.model import Corner, Track
from pitwall.track.reference import ReferenceLap

# A car at 10 Hz passes about one cell a frame. A lap of 4 km has 800 cells.
CELL_M = 5.0
# The least speed of a pace, so that a parked car in it does not make a lap endless.
SLOWEST_MPS = 3.0


class PaceProfile:
    """Speeds and times on an even grid around the lap. `share` says how far its times are to be
    trusted."""

    __slots__ = ("_cell_m", "_cells", "_speed_mps", "_time_s", "length_m", "share")

    def __init__(self, length_m: float, speeds_mps: list[float], times_s: list[float], share: float) -> None:
        """`speeds_mps` at the start of each of n even cells, `times_s` there and at the end: n + 1
        values."""
        self.length_m, self.share = length_m, share
        self._cells = len(speeds_mps)
        self._cell_m = length_m / self._cells
        self._speed_mps, self._time_s = speeds_mps, times_s

    def speed_at(self, distance_m: float) -> float:
        """m/s at this place (the grid's own, not interpolated)."""
        return self._speed_mps[int(distance_m / self._cell_m) % self._cells]

    def time_between(self, from_m: float, ahead_m: float) -> float:
        """Seconds for `ahead_m` (0 .. one lap) from a place in [0, length)."""
        return self._at(from_m + ahead_m) - self._at(from_m)

    def place_before(self, place_m: float, seconds: float) -> float:
        """How many metres before `place_m` this pace is `seconds` away from it."""
        lap_s = self._time_s[-1]
        laps, at_s = divmod(self._at(place_m % self.length_m) - seconds, lap_s)
        index = min(max(bisect_right(self._time_s, at_s) - 1, 0), self._cells - 1)
        step_s = self._time_s[index + 1] - self._time_s[index]
        inside = (at_s - self._time_s[index]) / step_s if step_s > 0.0 else 0.0
        there_m = laps * self.length_m + (index + inside) * self._cell_m
        return place_m % self.length_m - there_m

    def _at(self, distance_m: float) -> float:
        cell = distance_m / self._cell_m
        index = int(cell)
        laps, index = divmod(index, self._cells)
        low = self._time_s[index]
        inside = low + (cell - int(cell)) * (self._time_s[index + 1] - low)
        return laps * self._time_s[-1] + inside


def reference_pace(reference: ReferenceLap, length_m: float, lap_m: float | None = None) -> PaceProfile:
    """The pace of a reference lap, laid on a track of `length_m`; after `lap_m`, an open course's
    finish, it goes on as it ended."""
    cells = max(int(length_m / CELL_M), 1)
    places = [index / cells * reference.length_m for index in range(cells)]
    times = [reference.time_at(place) for place in places] + [reference.lap_time_s]
    if lap_m is not None and lap_m < length_m:
        end_mps = max(reference.speed_mps[-1], SLOWEST_MPS)
        for index, place in enumerate((*places, length_m)):
            times[index] += max(place - lap_m, 0.0) / end_mps
    rising = list(accumulate(times, max))
    return PaceProfile(length_m, [reference.speed_at(place) for place in places], rising, REFERENCE_SHARE)


def typical_pace(track: Track) -> PaceProfile | None:
    """The pace a track file holds, None where it holds none. Its speeds may be another car's."""
    if not track.speed_mps:
        return None
    starts = _starts_m(track)
    cells = max(int(track.length_m / CELL_M), 1)
    cell_m = track.length_m / cells
    speeds, segment = [], 0
    for index in range(cells):
        while segment + 1 < len(starts) and starts[segment + 1] <= index * cell_m:
            segment += 1
        speeds.append(max(track.speed_mps[segment], SLOWEST_MPS))
    times = list(accumulate((cell_m / speed for speed in speeds), initial=0.0))
    return PaceProfile(track.length_m, speeds, times, TYPICAL_SHARE)


def _starts_m(track: Track) -> list[float]:
    """Distance of each centreline point, scaled so that all of it is as long as a lap."""
    to_xy = Projection(track.centreline[0][0], track.centreline[0][1]).xy
    points = [to_xy(lat, lon) for lat, lon, _ in track.centreline]
    after = [*points[1:], points[-1] if track.has_finish else points[0]]
    steps = [math.dist(a, b) for a, b in zip(points, after, strict=True)]
    scale = track.lap_m / sum(steps)
    return [scale * start for start in accumulate(steps[:-1], initial=0.0)]


BRAKING_AFTER = ("turn_in", "apex", "exit")


class Predictor:
    """Holds the car's present state; `seconds_to` errs to the early side (see `lead`)."""

    __slots__ = ("_accel_mps2", "_flat", "_place_m", "_speed_mps", "_track", "_typical", "pace")

    def __init__(self, track: Track) -> None:
        self._track = track
        self._flat = FlatOut()
        self._typical = typical_pace(track)
        self.pace: PaceProfile | None = self._typical
        self._place_m = 0.0
        self._speed_mps = 0.0
        self._accel_mps2 = 0.0

    def feed(self, frame: Frame, place_m: float, speed_mps: float) -> None:
        """The car now: place in [0, length), speed, and acceleration where it is known."""
        self._flat.note(frame.t, speed_mps)
        self._place_m, self._speed_mps = place_m, speed_mps
        now_mps2 = 0.0 if frame.g_long is None else frame.g_long * G_MPS2
        self._accel_mps2 = self._flat.at(speed_mps, now_mps2)

    def seconds_to(self, corner: Corner, phase: str, ahead_m: float) -> float:
        """Seconds to count on for `ahead_m` up to the action point of a corner's phase."""
        flat_s = flat_out_s(ahead_m, self._speed_mps, self._accel_mps2)
        if self.pace is None or not 0.0 < ahead_m < self._track.length_m:
            return flat_s
        if phase not in BRAKING_AFTER and is_open(self._track, self._place_m, ahead_m, corner):
            return flat_s
        expected_s = self._scaled_s(self.pace, ahead_m)
        if self._typical is not None:
            # A reference lap with traffic or a stop in it would promise time that there is not.
            expected_s = min(expected_s, self._scaled_s(self._typical, ahead_m))
        return seconds_to_action(flat_s, expected_s, self.pace.share)

    def _scaled_s(self, pace: PaceProfile, ahead_m: float) -> float:
        time_s = pace.time_between(self._place_m, ahead_m)
        return scaled_s(time_s, pace.speed_at(self._place_m), self._speed_mps)

    def expected_s(self, ahead_m: float) -> float:
        """Seconds to be expected, erring to neither side; for plans, never for starting a clip."""
        if self.pace is not None and 0.0 <= ahead_m < self._track.length_m:
            return self.pace.time_between(self._place_m, ahead_m)
        return ahead_m / self._speed_mps if self._speed_mps > 0.0 else math.inf

    def started_s(self, lead_s: float) -> float:
        """How long before its action point a call with this lead is expected to start: `seconds_to`
        errs."""
        return lead_s / self.pace.share if self.pace is not None else lead_s

    def at_pace(self, share: float, slowest_mps: float) -> bool:
        """Return whether the car has a share of the known pace at least, and is not below
        `slowest_mps`."""
        known_mps = self.pace.speed_at(self._place_m) if self.pace is not None else 0.0
        return self._speed_mps >= max(share * known_mps, slowest_mps)

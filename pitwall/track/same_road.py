"""Compares two laps over the same piece of road despite the receiver's wander.

A receiver's positions wander by metres within an hour, all together. A lap shifted 3 m along the
straight seems to brake 3 m later and to be 0.05 s faster through the corner, one shifted 3 m to the
outside of a hairpin 0.2 s slower. The shift is a vector: around a lap it shows across the track, at
every heading, so the offsets give it, and it is removed along the track at each heading. The
odometer shows what remains, as after a step: a car that has driven as far has driven the same road.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

from pitwall.track.geometry import interpolated
from pitwall.track.line import Centreline
from pitwall.track.model import Track
from pitwall.track.reference import DrivenTrace, ReferenceLap

# A place every 20 m: a few hundred a lap, more than two unknowns need.
STEP_M = 20.0
# What was seen half a lap ago counts half: the shift changes within minutes.
HALF_LIFE_LAPS = 0.5
# How much of a lap must be seen before a shift is believed; it must show at several headings.
LEAST_SEEN, LEAST_SPREAD = 0.4, 0.15
# More than this is no wander but another line, or another receiver: it is left alone.
MOST_M = 8.0
# The way over a stretch is summed in steps of this.
WAY_STEP_M = 10.0


class Shift(msgspec.Struct, frozen=True):
    """By how many metres east and north one lap's positions lie from another's."""

    line: Centreline
    east_m: float = 0.0
    north_m: float = 0.0

    @property
    def size_m(self) -> float:
        """The length of the vector."""
        return math.hypot(self.east_m, self.north_m)

    def ahead_m(self, place_m: float) -> float:
        """Return metres along the track by which a car at this place seems to be further on."""
        segment = self.line.segment_at(place_m)
        return self.east_m * self.line.ux[segment] + self.north_m * self.line.uy[segment]


class GpsShift:
    """Feed it places; `shift` is how this lap lies from the reference, nothing without its offsets."""

    def __init__(self, track: Track) -> None:
        self._length_m, self._line = track.length_m, line_of(track)
        self._reference: ReferenceLap | None = None
        self._decay = 0.5 ** (STEP_M / (HALF_LIFE_LAPS * track.length_m))
        self._next_m: float | None = None
        self.forget()

    def forget(self) -> None:
        """Restart: another lap is the reference."""
        self._seen = self._xx = self._xy = self._yy = self._xr = self._yr = 0.0

    def set_reference(self, reference: ReferenceLap | None) -> None:
        """Measure against this lap from now on."""
        self._reference = reference if reference is not None and reference.offset_m else None
        self.forget()

    def feed(self, place_m: float, offset_m: float) -> None:
        """A place of the car, metres along the track and across it, positive left."""
        reference = self._reference
        if reference is None:
            return
        if self._next_m is not None and (place_m - self._next_m) % self._length_m > self._length_m / 2.0:
            return
        self._next_m = (place_m + STEP_M) % self._length_m
        segment = self._line.segment_at(place_m)
        east, north = -self._line.uy[segment], self._line.ux[segment]
        apart_m = offset_m - reference.offset_at(place_m)
        if abs(apart_m) > MOST_M:
            return
        keep = self._decay
        self._seen = self._seen * keep + 1.0
        self._xx = self._xx * keep + east * east
        self._xy = self._xy * keep + east * north
        self._yy = self._yy * keep + north * north
        self._xr = self._xr * keep + east * apart_m
        self._yr = self._yr * keep + north * apart_m

    @property
    def shift(self) -> Shift:
        """How this lap lies from the reference; not at all while that is unknown."""
        whole = 1.0 / (1.0 - self._decay)
        area = self._xx * self._yy - self._xy * self._xy
        if self._seen < LEAST_SEEN * whole or area < LEAST_SPREAD * self._seen * self._seen * 0.25:
            return Shift(self._line)
        east = (self._xr * self._yy - self._yr * self._xy) / area
        north = (self._yr * self._xx - self._xr * self._xy) / area
        return Shift(self._line, east, north) if math.hypot(east, north) <= MOST_M else Shift(self._line)


@lru_cache(maxsize=4)
def line_of(track: Track) -> Centreline:
    """Return the track's centreline, made once."""
    return Centreline.of(track)


def shift_between(track: Track, own: ReferenceLap, other: ReferenceLap) -> Shift:
    """Return how one whole lap's positions lie from another's."""
    seen = GpsShift(track)
    if own is other or not own.offset_m:
        return seen.shift
    seen.set_reference(other)
    for place_m, offset_m in zip(own.distance_m[:-1], own.offset_m, strict=False):
        seen.feed(place_m, offset_m)
    return seen.shift


def lost_on(
    own: DrivenTrace, other: ReferenceLap, edges_m: Sequence[float], on_m: float, shift: Shift
) -> list[float] | None:
    """Return the seconds that a drive lost to a lap on each piece of road between two `edges_m`
    (places of the lap, rising); None if not seen. `on_m`: the drive's count is this much further
    on.

    By unshifted position, and by the odometer from the first edge on; a loss counts as far as both
    agree. A receiver that steps shows in the one, a longer way round in the other.
    """
    places = [edge_m + on_m + shift.ahead_m(edge_m) for edge_m in edges_m]
    if places[0] < own.far_m[0] or places[-1] > own.far_m[-1] + MOST_M:
        return None
    usual_t = [other.time_at(edge_m) for edge_m in edges_m]
    times = [_when(own, place_m) for place_m in places]
    by_place = _less(times, usual_t)
    driven = times_after(own, places[0], ways_of(other, edges_m))
    if driven is None:
        return by_place
    by_way = _less(driven, usual_t)
    return min(by_place, by_way, key=lambda parts: abs(sum(parts)))


def _when(own: DrivenTrace, place_m: float) -> float:
    """The time at a place; what lies some metres beyond the last one is still to be driven."""
    beyond_m = place_m - own.far_m[-1]
    if beyond_m > 0.0:
        return own.t[-1] + beyond_m / max(own.speed_mps[-1], 1.0)
    return interpolated(own.far_m, own.t, place_m)


def _less(times: Sequence[float], usual_t: Sequence[float]) -> list[float]:
    steps = zip(pairwise(times), pairwise(usual_t), strict=True)
    return [end - begin - (usual_end - usual_begin) for (begin, end), (usual_begin, usual_end) in steps]


def ways_of(lap: ReferenceLap, edges_m: Sequence[float]) -> list[float]:
    """Return metres by the lap's odometer, from the first of these places to each other. The lap
    keeps them, as every pass asks for those of its zone."""
    known = lap.ways.get(key := tuple(edges_m))
    if known is not None:
        return known
    ways, way_m = [], 0.0
    for begin_m, end_m in pairwise(edges_m):
        steps = max(round((end_m - begin_m) / WAY_STEP_M), 1)
        places = [begin_m + (end_m - begin_m) * step / steps for step in range(steps + 1)]
        t = [lap.time_at(place_m) for place_m in places]
        mps = [lap.speed_at(place_m) for place_m in places]
        way_m += sum(
            (t1 - t0) * (v0 + v1) / 2.0 for (t0, t1), (v0, v1) in zip(pairwise(t), pairwise(mps), strict=True)
        )
        ways.append(way_m)
    lap.ways[key] = ways
    return ways


def times_after(own: DrivenTrace, from_m: float, ways_m: Iterable[float]) -> list[float] | None:
    """Return when a drive was at a place, and when it had come these distances further by its
    odometer, rising; None if it ends before."""
    index = bisect_right(own.far_m, from_m)
    t, mps = interpolated(own.far_m, own.t, from_m), interpolated(own.far_m, own.speed_mps, from_m)
    times, way_m = [t], 0.0
    for wanted_m in ways_m:
        while True:
            if index >= len(own.t):
                if wanted_m - way_m > 2.0 * MOST_M:
                    return None
                step_m = wanted_m - way_m
                step_s = step_m / max(mps, 1.0)
                break
            step_s, next_mps = own.t[index] - t, own.speed_mps[index]
            step_m = step_s * (mps + next_mps) / 2.0
            if way_m + step_m >= wanted_m:
                break
            way_m, t, mps = way_m + step_m, own.t[index], next_mps
            index += 1
        share = (wanted_m - way_m) / step_m if step_m > 0.0 else 0.0
        times.append(t + share * step_s)
    return times

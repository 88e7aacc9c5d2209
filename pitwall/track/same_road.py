"""Compares two laps over the same piece of road despite the receiver's wander.

A receiver's positions wander by metres within an hour, all together. A lap shifted 3 m along the
straight seems to brake 3 m later and to be 0.05 s faster through the corner, one shifted 3 m to the
outside of a hairpin 0.2 s slower. The shift is a vector: around a lap it shows across the track, at
every heading, so the offsets give it, and it is removed along the track at each heading. The
odometer shows what remains, as after a step: a car that has driven as far has driven the same road.
"""

from __future__ import annotations

import math
from functools import lru_cache

import msgspec

from pitwall.track.line import Centreline
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap

# A place every 20 m: a few hundred a lap, more than two unknowns need.
STEP_M = 20.0
# What was seen half a lap ago counts half: the shift changes within minutes.
HALF_LIFE_LAPS = 0.5
# How much of a lap must be seen before a shift is believed; it must show at several headings.
LEAST_SEEN, LEAST_SPREAD = 0.4, 0.15
# More than this is no wander but another line, or another receiver: it is left alone.
MOST_M = 8.0


class Shift(msgspec.Struct, frozen=True):
    """By how many metres east and north one lap's positions lie from another's."""

    line: Centreline
    east_m: float = 0.0
    north_m: float = 0.0

    def ahead_m(self, place_m: float) -> float:
        """Return metres along the track by which a car at this place seems to be further on."""
        segment = self.line.segment_at(place_m)
        return self.east_m * self.line.ux[segment] + self.north_m * self.line.uy[segment]


class GpsShift:
    """Feed it places; `shift` is how this lap lies from the reference."""

    def __init__(self, track: Track) -> None:
        self._length_m, self._line = track.length_m, line_of(track)
        self._reference: ReferenceLap | None = None
        self._decay = 0.5 ** (STEP_M / (HALF_LIFE_LAPS * track.length_m))
        self._next_m: float | None = None
        self.forget()

    def forget(self) -> None:
        """Restart."""
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
        """Return how this lap lies from the reference; not at all while unknown."""
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

"""How far the whole GPS track of this lap lies from that of the reference lap, and passes freed of it.

A receiver's positions wander by metres within an hour, all of them together. A lap that lies 3 m further
along the straight seems to brake 3 m later and to be 0.05 s faster through the corner. The shift is a vector:
around a lap it shows across the track, at every heading, so it is known from the offsets and taken out along
the track too.
"""

from __future__ import annotations

import math

import msgspec

from pitwall.coach.faults import PassLoss
from pitwall.track.line import Centreline
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap
from pitwall.track.technique import Technique

# A place every 20 m: a few hundred a lap, more than two unknowns need.
STEP_M = 20.0
# What was seen half a lap ago counts half: the shift changes within minutes.
HALF_LIFE_LAPS = 0.5
# So much of a lap has to be seen before a shift is believed, and it has to show at several headings.
LEAST_SEEN, LEAST_SPREAD = 0.4, 0.15
# What of a pass lies along the track, and what across it.
PLACES = ("slowest_m", "brake_m", "release_m", "pickup_m", "flat_m", "gain_m", "turn_in_m")
OFFSETS = ("entry_offset_m", "turning_offset_m", "apex_offset_m", "leaving_offset_m", "exit_offset_m")
# More than this is no wander but another line, or another receiver: it is left alone.
MOST_M = 8.0


class GpsShift:
    """Feed it places; `corrected` takes the shift out of a pass. Without a reference's offsets it does
    nothing."""

    def __init__(self, track: Track) -> None:
        self._length_m = track.length_m
        self._line = Centreline.of(track)
        self._reference: ReferenceLap | None = None
        self._decay = 0.5 ** (STEP_M / (HALF_LIFE_LAPS * track.length_m))
        self._next_m: float | None = None
        self.forget()

    def forget(self) -> None:
        """Begin anew: another lap is the reference."""
        self._seen = self._xx = self._xy = self._yy = self._xr = self._yr = 0.0

    def set_reference(self, reference: ReferenceLap | None) -> None:
        """Measure against this lap from now on."""
        self._reference = reference if reference is not None and reference.offset_m else None
        self.forget()

    def feed(self, place_m: float, offset_m: float) -> None:
        """One place of the car, metres along the track and across it, positive left."""
        reference = self._reference
        if reference is None:
            return
        if self._next_m is not None and (place_m - self._next_m) % self._length_m > self._length_m / 2.0:
            return
        self._next_m = (place_m + STEP_M) % self._length_m
        east, north = self._left_of(place_m)
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
    def shift_m(self) -> tuple[float, float]:
        """Metres east and north by which this lap lies from the reference; zeros while that is not known."""
        whole = 1.0 / (1.0 - self._decay)
        area = self._xx * self._yy - self._xy * self._xy
        if self._seen < LEAST_SEEN * whole or area < LEAST_SPREAD * self._seen * self._seen * 0.25:
            return 0.0, 0.0
        east = (self._xr * self._yy - self._yr * self._xy) / area
        north = (self._yr * self._xx - self._xr * self._xy) / area
        return (east, north) if math.hypot(east, north) <= MOST_M else (0.0, 0.0)

    def corrected(
        self, parts: PassLoss, technique: Technique, entry_m: float, inside: float
    ) -> tuple[PassLoss, Technique]:
        """A pass as it would have been seen without the shift. `inside`: 1 in left corners, -1 in right."""
        east, north = self.shift_m
        if not east and not north:
            return parts, technique
        left_east, left_north = self._left_of(entry_m)
        # Ahead is a quarter turn to the right of left.
        along_m = east * left_north - north * left_east
        across_m = (east * left_east + north * left_north) * inside
        slowness = [
            1.0 / max(speed, 5.0)
            for speed in (technique.start_mps, technique.entry_mps, technique.slowest_mps, technique.end_mps)
        ]
        start, entry, apex, end = slowness
        moved = {
            name: getattr(technique, name) - along_m
            for name in PLACES
            if getattr(technique, name) is not None
        }
        aside = {
            name: getattr(technique, name) - across_m
            for name in OFFSETS
            if getattr(technique, name) is not None
        }
        return (
            msgspec.structs.replace(
                parts,
                brake_s=parts.brake_s + along_m * (entry - start),
                mid_s=parts.mid_s + along_m * (apex - entry),
                exit_s=parts.exit_s + along_m * (end - apex),
            ),
            msgspec.structs.replace(technique, **moved, **aside),
        )

    def _left_of(self, place_m: float) -> tuple[float, float]:
        """The direction to the left of the track at a place, as (east, north)."""
        line = self._line
        segment = line.segment_at(place_m)
        return -line.uy[segment], line.ux[segment]

"""Corner passes: time, speeds and brake point of each, known as soon as the corner's run ends."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections import deque

import msgspec

from pitwall.telemetry.frame import FIX_STEP_S, PLACE_AGE_S, Frame
from pitwall.track.braking import BrakeTrace
from pitwall.track.geometry import interpolated, way_m
from pitwall.track.lap import CornerPass, Position
from pitwall.track.model import Corner, Track
from pitwall.track.reference import ReferenceLap, brake_place, is_leap

# Early braking shows before the brake point: 50 m is a second at 50 m/s.
BRAKE_ZONE_M = 50.0
# What an exit cost shows on the straight after it; further on it is the engine's business.
EXIT_RUN_M = 100.0
# A run ends this far before an open course's finish, where the car is surely seen.
FINISH_M = 2.0
# Points closer than this add nothing but noise.
STEP_M = 0.5
# A step that took longer leaves the corner unseen; so does rolling back.
HOLE_S, BACK_M = 2.0, 20.0
# Readings kept: the longest straight plus a corner.
KEPT_M = 3000.0
TRIM_EVERY = 2048


class Zone(msgspec.Struct, frozen=True):
    """Places of one corner in metres ahead of its entry (`start_m` is negative: before it)."""

    corner: Corner
    start_m: float
    apex_m: float
    exit_m: float
    end_m: float
    search_m: float  # where to look for braking from: the apex of the corner before, as a track distance


def zones_of(track: Track, reference: ReferenceLap | None) -> tuple[Zone, ...]:
    """Return the zones of all corners: from 50 m before braking to 100 m after the exit."""
    corners = sorted(track.corners, key=lambda corner: corner.entry_m)
    length_m = track.length_m
    zones = []
    for i, corner in enumerate(corners):
        before, after = corners[i - 1], corners[(i + 1) % len(corners)]
        exit_m = (corner.exit_m - corner.entry_m) % length_m
        from_last_m = (corner.entry_m - before.exit_m) % length_m if len(corners) > 1 else length_m / 2.0
        braking_m = (corner.entry_m - _braking_from(corner, reference)) % length_m
        start_m = min((braking_m if braking_m < length_m / 2.0 else 0.0) + BRAKE_ZONE_M, from_last_m)
        to_next_m = (
            (_braking_from(after, reference) - corner.entry_m) % length_m if len(corners) > 1 else math.inf
        )
        end_m = max(exit_m, min(exit_m + EXIT_RUN_M, to_next_m if to_next_m > exit_m else exit_m))
        if track.has_finish:  # nothing is seen after the finish
            end_m = min(end_m, track.lap_m - FINISH_M - corner.entry_m)
        apex_m = (corner.apex_m - corner.entry_m) % length_m
        zones.append(Zone(corner, -start_m, apex_m, exit_m, end_m, before.apex_m))
    return tuple(zones)


def _braking_from(corner: Corner, reference: ReferenceLap | None) -> float:
    place_m = brake_place(corner, reference)
    return corner.entry_m if place_m is None else place_m


class CornerPasses:
    """Follows one car and gives a pass after its corner's run."""

    def __init__(self, track: Track, reference: ReferenceLap | None = None) -> None:
        self._track, self._length_m = track, track.length_m
        self._zones: tuple[Zone, ...] = ()
        self._t, self._far_m, self._speed_mps = array("d"), array("d"), array("d")
        self._laps = array("l")
        self._brakes = BrakeTrace()
        self._next: int | None = None
        self._fix_t = -math.inf
        self._done: deque[CornerPass] = deque()
        self.set_reference(reference)

    def set_reference(self, reference: ReferenceLap | None) -> None:
        """Look for braking where this lap brakes, else where the track's file does."""
        self._zones = zones_of(self._track, reference)
        self._next = None

    def corner_at(self, distance_m: float) -> str:
        """Return the corner between whose brake point and exit this place lies, else ""."""
        for zone in self._zones:
            entry_m = zone.corner.entry_m
            from_m = entry_m + min(zone.start_m + BRAKE_ZONE_M, 0.0)
            if (distance_m - from_m) % self._length_m <= entry_m - from_m + zone.exit_m:
                return zone.corner.id
        return ""

    def feed(
        self, frame: Frame, position: Position, lap: int, fix_mps: float | None = None
    ) -> CornerPass | None:
        """Take one frame; return a pass that ended, timed by fixes. `fix_mps`: of a late fix."""
        if not self._zones or frame.speed_mps is None or position.status not in ("on", "reckoned"):
            if position.status in ("lost", "off", "pit"):
                self._forget()
            return None
        if position.status == "on":
            self._brake(frame, position.distance_m)
            is_fix = frame.fix_t > self._fix_t + FIX_STEP_S and not frame.reckoned
            self._fix_t = max(self._fix_t, frame.fix_t)
            if position.carried_m:
                fix_m = (position.distance_m - position.carried_m) % self._length_m
                self._move(frame.fix_t, fix_m, frame.speed_mps if fix_mps is None else fix_mps, lap)
            elif is_fix or frame.fix_age_s >= PLACE_AGE_S:
                self._move(frame.t, position.distance_m, frame.speed_mps, lap)
        return self._done.popleft() if self._done else None

    def _brake(self, frame: Frame, distance_m: float) -> None:
        places_m = self._brakes.distance_m
        if not places_m or way_m(places_m[-1], distance_m, self._length_m) >= STEP_M:
            self._brakes.add(frame, distance_m)

    def _forget(self) -> None:
        if self._next is None and not self._t:
            return
        for column in (self._t, self._far_m, self._speed_mps, self._laps):
            del column[:]
        self._brakes.forget_before(math.inf)
        self._next = None

    def _move(self, t: float, distance_m: float, speed_mps: float, lap: int) -> None:
        if self._t:
            far_m = self._far_m[-1]
            step_m, step_s = way_m(far_m, distance_m, self._length_m), t - self._t[-1]
            if step_s > HOLE_S:
                too_far = step_m > speed_mps * HOLE_S
            else:
                too_far = step_m >= STEP_M and is_leap(step_m, step_s, self._speed_mps[-1], speed_mps)
            if step_m < -BACK_M or too_far:
                self._forget()
            elif step_m < STEP_M:
                return
        if not self._t:
            self._append(t, distance_m, speed_mps, lap)
            return
        self._append(t, far_m + step_m, speed_mps, lap)
        self._pass_ends(far_m, far_m + step_m)
        if len(self._t) >= TRIM_EVERY:
            self._trim()

    def _append(self, t: float, far_m: float, speed_mps: float, lap: int) -> None:
        self._t.append(t)
        self._far_m.append(far_m)
        self._speed_mps.append(speed_mps)
        self._laps.append(lap)

    def _pass_ends(self, from_m: float, to_m: float) -> None:
        zones, length_m = self._zones, self._length_m
        if self._next is None:
            ends = [(zone.corner.entry_m + zone.end_m - from_m) % length_m for zone in zones]
            self._next = min(range(len(zones)), key=lambda i: ends[i])
        while True:
            zone = zones[self._next]
            ahead_m = (zone.corner.entry_m + zone.end_m - from_m) % length_m
            if not 0.0 < ahead_m <= to_m - from_m:
                return
            entry_m = from_m + ahead_m - zone.end_m
            found = self._pass(zone, entry_m)
            if found is not None:
                self._done.append(found)
            self._next = (self._next + 1) % len(zones)
            if len(zones) == 1:
                return

    def _pass(self, zone: Zone, entry_m: float) -> CornerPass | None:
        """Return the pass whose entry lay at `entry_m` of the unwrapped way; None if not seen."""
        if entry_m < self._far_m[0]:
            return None
        entry_t, apex_t = self._when(entry_m), self._when(entry_m + zone.apex_m)
        exit_t = self._when(entry_m + zone.exit_m)
        first, last = bisect_left(self._far_m, entry_m), bisect_right(self._far_m, entry_m + zone.exit_m)
        slowest = min(range(first, max(last, first + 1)), key=lambda i: self._speed_mps[i])
        corner, length_m = zone.corner, self._length_m
        apex_index = min(bisect_left(self._far_m, entry_m + zone.apex_m), len(self._laps) - 1)
        entry = corner.entry_m
        search_t = self._when(max(entry_m - (entry - zone.search_m) % length_m, self._far_m[0]))
        brake_m = self._brakes.brake_point(search_t, apex_t + 1e-6, zone.search_m, corner.apex_m, length_m)
        return CornerPass(
            lap=self._laps[apex_index],
            corner=corner.id,
            entry_t=entry_t,
            exit_t=exit_t,
            time_s=exit_t - entry_t,
            entry_speed_mps=self._speed_at(entry_m),
            min_speed_mps=self._speed_mps[slowest],
            min_speed_m=self._far_m[slowest] % length_m,
            exit_speed_mps=self._speed_at(entry_m + zone.exit_m),
            brake_m=brake_m,
        )

    def _when(self, far_m: float) -> float:
        return interpolated(self._far_m, self._t, far_m)

    def _speed_at(self, far_m: float) -> float:
        return interpolated(self._far_m, self._speed_mps, far_m)

    def _trim(self) -> None:
        count = bisect_left(self._far_m, self._far_m[-1] - KEPT_M)
        if count < TRIM_EVERY // 4:
            return
        self._brakes.forget_before(self._t[count])
        for column in (self._t, self._far_m, self._speed_mps, self._laps):
            del column[:count]

"""The lap that is driven against: time and speed by place on the track, and its brake points."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import itemgetter, sub
from typing import NamedTuple, cast

import msgspec

from pitwall.telemetry.frame import Frame
from pitwall.track.braking import BrakeTrace
from pitwall.track.geometry import interpolated
from pitwall.track.lap import Lap, Position
from pitwall.track.model import Corner, Track

# A point every 2 m: at 70 m/s a 25 Hz logger gives one per 2.8 m, more would only cost memory.
STEP_M = 2.0
# Surely less than that: sums of places are rounded.
NEAR_M = STEP_M - 1e-6
# A longer stretch without a fix hides a corner: such a lap is no reference.
LONGEST_GAP_M = 200.0
# A car at rest adds nothing.
STILL_M = 0.5
# By so much the way may differ from the speed's; else the receiver corrected itself.
LEAP_M = 10.0
# 20 minutes at 100 Hz: a lap that never ends must not fill the memory.
MOST_POINTS = 120_000


def lap_of(label: str) -> int:
    """Return the lap in `session:lap`. ValueError if none."""
    return int(label.rpartition(":")[2])


def is_leap(step_m: float, step_s: float, from_mps: float, to_mps: float) -> bool:
    """Return whether no car drives this step at these speeds."""
    return abs(step_m - (from_mps + to_mps) / 2.0 * step_s) > LEAP_M


class DrivenTrace(NamedTuple):
    """A drive by place, in columns: metres from some gate, rising; seconds; m/s."""

    far_m: Sequence[float]
    t: Sequence[float]
    speed_mps: Sequence[float]


class ReferenceLap(msgspec.Struct, frozen=True):
    """A lap by place. `distance_m` rises from 0 (the gate) to the track's length; `t_s`: since
    the lap's start. The way back of an open course takes no time. `brake_m`: corner id -> where
    braking began. `offset_m`: metres left of the centreline, or none."""

    label: str
    lap_time_s: float
    distance_m: tuple[float, ...]
    t_s: tuple[float, ...]
    speed_mps: tuple[float, ...]
    brake_m: dict[str, float] = {}
    offset_m: tuple[float, ...] = ()

    @property
    def lap(self) -> int:
        """Return the number of the lap. ValueError if the label names none."""
        return lap_of(self.label)

    @property
    def length_m(self) -> float:
        """Return the track's length."""
        return self.distance_m[-1]

    def time_at(self, distance_m: float) -> float:
        """Return seconds from the gate; places outside [0, length] count on into the next laps."""
        laps, place_m = divmod(distance_m, self.length_m)
        return laps * self.lap_time_s + self._at(self.t_s, place_m)

    def speed_at(self, distance_m: float) -> float:
        """Return the speed at a place."""
        return self._at(self.speed_mps, distance_m % self.length_m)

    def slowest_between(self, from_m: float, to_m: float) -> float:
        """Return the least speed from one place forward to another, m/s, wherever there it is."""
        steps = max(1, round((to_m - from_m) % self.length_m / STEP_M))
        step_m = (to_m - from_m) % self.length_m / steps
        return min(self.speed_at(from_m + step * step_m) for step in range(steps + 1))

    def offset_at(self, distance_m: float) -> float:
        """Return metres left of the centreline at this place, 0 if the lap does not tell."""
        return self._at(self.offset_m, distance_m % self.length_m) if self.offset_m else 0.0

    def time_between(self, from_m: float, to_m: float) -> float:
        """Return seconds from one place forward to another, also across the gate."""
        ahead_m = (to_m - from_m) % self.length_m
        return self.time_at(from_m % self.length_m + ahead_m) - self.time_at(from_m % self.length_m)

    def around(self) -> DrivenTrace:
        """Return the lap three times in a row, from one length before its gate on."""
        length_m, lap_s = self.length_m, self.lap_time_s
        rounds = (-1, 0, 1)
        return DrivenTrace(
            [place_m + n * length_m for n in rounds for place_m in self.distance_m[:-1]],
            [t + n * lap_s for n in rounds for t in self.t_s[:-1]],
            self.speed_mps[:-1] * len(rounds),
        )

    def delta(self, lap_elapsed_s: float, distance_m: float) -> float:
        """Return seconds behind this lap at the same place (negative: ahead of it)."""
        return lap_elapsed_s - self._at(self.t_s, min(max(distance_m, 0.0), self.length_m))

    def _at(self, values: tuple[float, ...], place_m: float) -> float:
        return interpolated(self.distance_m, values, place_m)


def brake_place(corner: Corner, reference: ReferenceLap | None) -> float | None:
    """Return the reference lap's brake point, else the track's; None if one does not brake."""
    own = reference.brake_m.get(corner.id) if reference is not None else None
    return corner.brake_m if own is None else own


class ReferenceBuilder:
    """Collects one lap at a time: `feed` every frame, `finish` when the lap is known."""

    def __init__(self, track: Track) -> None:
        self._length_m, self._lap_m, self._corners = track.length_m, track.lap_m, track.corners
        self._t, self._distance_m, self._speed_mps = array("d"), array("d"), array("d")
        self._offset_m = array("d")
        self._brakes = BrakeTrace()

    def feed(self, frame: Frame, position: Position) -> None:
        """Take one frame; reckoned and lost places are left out."""
        if position.status in ("lost", "reckoned") or frame.speed_mps is None:
            return
        if self._t and abs(position.distance_m - self._distance_m[-1]) < STILL_M:
            return
        if len(self._t) >= MOST_POINTS:
            self.clear()
        self._t.append(position.t)
        self._distance_m.append(position.distance_m)
        self._speed_mps.append(frame.speed_mps)
        self._offset_m.append(position.offset_m)
        self._brakes.add(frame, position.distance_m)

    def feed_all(
        self,
        t: Sequence[float],
        distance_m: Sequence[float],
        offset_m: Sequence[float],
        speed_mps: Sequence[float],
        brakes: tuple[Sequence[float | None], Sequence[float | None], Sequence[float | None]],
    ) -> None:
        """Take many frames by column that `feed` would take; `brakes`: bar, per cent and g_long."""
        last_m = self._distance_m[-1] if self._t else float("inf")
        kept: Sequence[int] = range(len(distance_m))
        # Mostly the car moves all the time.
        if min(map(abs, map(sub, distance_m, (last_m, *distance_m))), default=STILL_M) < STILL_M:
            kept = moved = []
            for i, place_m in enumerate(distance_m):
                if abs(place_m - last_m) >= STILL_M:
                    moved.append(i)
                    last_m = place_m
        if not kept:
            return
        columns: tuple[Sequence[float | None], ...] = (t, distance_m, offset_m, speed_mps, *brakes)
        if len(kept) < len(t):
            # One index more: of one alone it would give no tuple.
            chosen = itemgetter(*kept, 0)
            columns = tuple(chosen(column)[:-1] for column in columns)
        if len(self._t) + len(kept) > MOST_POINTS:
            self.clear()
        own = (self._t, self._distance_m, self._offset_m, self._speed_mps)
        for column, values in zip(own, columns, strict=False):
            # Of an array that is a copy of its memory.
            column.extend(cast(Sequence[float], values))
        self._brakes.add_all(self._t[-len(kept) :], self._distance_m[-len(kept) :], *columns[4:])

    def finish(self, lap: Lap, label: str = "") -> ReferenceLap | None:
        """Return the lap as a reference, None if untimed or with a long hole."""
        first, last = bisect_right(self._t, lap.start_t), bisect_left(self._t, lap.end_t)
        reference = None
        if lap.time_s is not None:
            reference = self._lap(lap.start_t, lap.time_s, first, last, label or f"lap {lap.number}")
        del self._t[:last], self._distance_m[:last], self._speed_mps[:last], self._offset_m[:last]
        self._brakes.forget_before(lap.end_t)
        return reference

    def clear(self) -> None:
        """Drop the collected lap."""
        del self._t[:], self._distance_m[:], self._speed_mps[:], self._offset_m[:]
        self._brakes.forget_before(float("inf"))

    def _lap(self, start_t: float, time_s: float, first: int, last: int, label: str) -> ReferenceLap | None:
        length_m, lap_m = self._length_m, self._lap_m
        places, kept = [0.0], list[int]()
        last_m, half_m = 0.0, length_m / 2.0
        for i, place_m in enumerate(self._distance_m[first:last], first):
            # Unwrapped: around the gate the matched place may lag or lead by a metre.
            step_m = place_m - last_m
            if -half_m <= step_m < NEAR_M:
                continue
            if abs(step_m) > half_m:
                place_m -= length_m * round(step_m / length_m)
            if last_m + STEP_M <= place_m < lap_m:
                last_m = place_m
                places.append(place_m)
                kept.append(i)
        times = [0.0, *[self._t[i] - start_t for i in kept]]
        speeds = [0.0, *map(self._speed_mps.__getitem__, kept)]
        offsets = [0.0, *map(self._offset_m.__getitem__, kept)]
        if len(places) < 3 or max(map(sub, [*places[1:], lap_m], places)) > LONGEST_GAP_M:
            return None
        speeds[0], offsets[0] = speeds[1], offsets[1]
        ends = 1 if lap_m == length_m else 2
        return ReferenceLap(
            label=label,
            lap_time_s=time_s,
            distance_m=(*places, lap_m, length_m)[: len(places) + ends],
            t_s=(*times, *[time_s] * ends),
            speed_mps=(*speeds, *[speeds[-1]] * ends),
            offset_m=(*offsets, *[offsets[-1]] * ends),
            brake_m=self._brake_points(start_t, start_t + time_s),
        )

    def _brake_points(self, start_t: float, end_t: float) -> dict[str, float]:
        # From the apex before, not the exit: in linked corners one brakes for the next before that.
        apexes = sorted(corner.apex_m for corner in self._corners)
        before = {apex_m: apexes[i - 1] for i, apex_m in enumerate(apexes)}
        stretches = [(before[corner.apex_m], corner.apex_m) for corner in self._corners]
        found = self._brakes.brake_points(start_t, end_t, stretches, self._length_m)
        return {
            corner.id: brake_m
            for corner, brake_m in zip(self._corners, found, strict=True)
            if brake_m is not None
        }

"""Inputs of the network for an instant, alike in training and in the car. Plain Python, no numpy."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections import deque
from typing import Any

from pitwall.coach.lead import G_MPS2
from pitwall.telemetry.frame import Frame
from pitwall.track.braking import BRAKING_G
from pitwall.track.lap import Position
from pitwall.track.line import Centreline
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap

# Seconds ahead that are forecast: speed, brake and throttle; the way driven.
SPEED_AT_S = (0.5, 1.0, 2.0)
WAY_AT_S = (1.0, 2.0, 3.0, 4.0)
# Time constant of a driver's difference to the reference: the best fixed one over real drives.
DECAY_S = 4.0
# The past that is looked at, and how long it is kept.
LAGS_S = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0)
PEDAL_LAGS_S = (0.0, 0.1, 0.2, 0.4)
KEPT_S = 2.2
# Places on the reference lap, in its own seconds from where the car is.
AHEAD_S = (-1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0)
LAST_LAP_S = (-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
CURVE_S = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
# Where the g along of both laps is looked at: it tells most of the next half second.
LONG_G_S = (-0.4, -0.2, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7)
# Frames closer together than this are one instant: a bus of 100 Hz tells no more about two seconds.
APART_S = 0.035
# A history that begins later than this before now is not one.
LEAST_PAST_S = 1.0
GRID_S = 0.1
# Curvature is averaged over this length in metres: what a steering wheel follows.
CURVE_M = 15.0
# The brakes are this far away, at most, where the reference does not brake sooner.
FAR_S = 5.0
FULL_BAR = 60.0
# No pedal, no sensor: what stands in its place, with a mark that it is not known.
UNKNOWN = 0.0
# Slower is the pit lane or a stop.
SLOWEST_MPS = 8.0


class Trace:
    """A lap on an even grid of its own time. All columns are of the same length."""

    __slots__ = (
        "_count", "_end_m", "_lateral_g", "_long_g", "_speed_mps", "_to_brake_s", "_way_m", "lap", "length_m",
    )  # fmt: skip

    def __init__(self, lap: ReferenceLap, curvature: Curvature) -> None:
        self.lap, self.length_m = lap, lap.length_m
        # The finish of an open course: the way back from there takes no time.
        self._end_m = lap.distance_m[-1 if lap.t_s[-1] > lap.t_s[-2] else -2]
        count = max(int(lap.lap_time_s / GRID_S), 2)
        self._count = count
        self._speed_mps, self._way_m = array("d"), array("d")
        for index in range(count):
            t_s = index / count * lap.lap_time_s
            after = min(max(bisect_right(lap.t_s, t_s), 1), len(lap.t_s) - 1)
            step_s = lap.t_s[after] - lap.t_s[after - 1]
            share = (t_s - lap.t_s[after - 1]) / step_s if step_s > 0.0 else 0.0
            for column, values in ((self._speed_mps, lap.speed_mps), (self._way_m, lap.distance_m)):
                column.append(values[after - 1] + share * (values[after] - values[after - 1]))
        self._lateral_g = array(
            "d",
            (
                curvature.at(way_m) * speed * speed / G_MPS2
                for way_m, speed in zip(self._way_m, self._speed_mps, strict=True)
            ),
        )
        step_g = G_MPS2 * 2.0 * lap.lap_time_s / count
        speeds = self._speed_mps
        self._long_g = array(
            "d", ((speeds[(index + 1) % count] - speeds[index - 1]) / step_g for index in range(count))
        )
        self._to_brake_s = self._brakes(lap.lap_time_s / count)

    def time_at(self, place_m: float) -> float:
        """The lap's own time at a place."""
        return self.lap.time_at(place_m % self.length_m)

    def offset_at(self, place_m: float) -> float:
        """Metres left of the centreline at a place."""
        return self.lap.offset_at(place_m)

    def speed(self, t_s: float) -> float:
        """m/s at a time of this lap; beyond its ends the neighbours' laps count."""
        return self._at(self._speed_mps, t_s)

    def lateral_g(self, t_s: float) -> float:
        """g across, positive left, that its speed and the road's bend make."""
        return self._at(self._lateral_g, t_s)

    def long_g(self, t_s: float) -> float:
        """g along, positive forward, by its speed."""
        return self._at(self._long_g, t_s)

    def to_brake_s(self, t_s: float) -> float:
        """Seconds until the lap brakes next, 0 while it does, FAR_S at most."""
        return self._at(self._to_brake_s, t_s)

    def way(self, t_s: float) -> float:
        """Metres since the lap's start. Without a neighbour the lap goes on as fast as it was
        there."""
        laps, inside_s = divmod(t_s, self.lap.lap_time_s)
        if laps and self._end_m < self.length_m:
            over_s = t_s - self.lap.lap_time_s
            return self._end_m + over_s * self._speed_mps[-1] if laps > 0.0 else t_s * self._speed_mps[0]
        return laps * self.length_m + self._way_in(inside_s)

    def _way_in(self, t_s: float) -> float:
        cell = t_s / self.lap.lap_time_s * self._count
        index = min(int(cell), self._count - 1)
        low_m = self._way_m[index]
        high_m = self._way_m[index + 1] if index + 1 < self._count else self._end_m
        return low_m + (cell - index) * (high_m - low_m)

    def _at(self, values: array[float], t_s: float) -> float:
        cell = t_s / self.lap.lap_time_s * self._count
        index = math.floor(cell)
        share = cell - index
        low, high = values[index % self._count], values[(index + 1) % self._count]
        return low + share * (high - low)

    def _brakes(self, step_s: float) -> array[float]:
        """For each cell how long until the lap slows down as only brakes do."""
        count = self._count
        found = array("d", (FAR_S for _ in range(count)))
        left_s = FAR_S
        for index in range(2 * count - 1, -1, -1):
            here = index % count
            left_s = 0.0 if self._long_g[here] < -BRAKING_G else min(left_s + step_s, FAR_S)
            found[here] = left_s
        return found


class Curvature:
    """1/m of a track's centreline by place, positive left."""

    def __init__(self, track: Track) -> None:
        line = Centreline.of(track)
        self._cells = max(int(track.length_m / (CURVE_M / 3.0)), 1)
        self._cell_m = track.length_m / self._cells
        headings = [self._heading(line, index * self._cell_m) for index in range(self._cells)]
        self._values = array("d")
        for index in range(self._cells):
            turn = headings[(index + 1) % self._cells] - headings[index - 1]
            turn = (turn + math.pi) % (2.0 * math.pi) - math.pi
            self._values.append(turn / (2.0 * self._cell_m))

    def at(self, place_m: float) -> float:
        """The value at a place, not interpolated."""
        return self._values[int(place_m / self._cell_m) % self._cells]

    @staticmethod
    def _heading(line: Centreline, place_m: float) -> float:
        (x0, y0), (x1, y1) = line.point_at(place_m - CURVE_M / 2.0), line.point_at(place_m + CURVE_M / 2.0)
        return math.atan2(y1 - y0, x1 - x0)


class Past:
    """The car's last two seconds. `feed` every frame that has a position."""

    __slots__ = (
        "_brake", "_columns", "_g_lat", "_g_long", "_highest_pct", "_length_m", "_offset_m", "_place_m",
        "_rpm", "_speed", "_speed_before_mps", "_t", "_throttle", "_way_m", "highest_rpm",
    )  # fmt: skip

    def __init__(self, length_m: float) -> None:
        self._length_m = length_m
        self._highest_pct = 0.0
        # The highest at which the car still gained speed: a downshift turns the engine higher.
        self.highest_rpm = 0.0
        self._speed_before_mps = math.inf
        self._place_m = 0.0
        self._t: deque[float] = deque()
        self._speed: deque[float] = deque()
        self._way_m: deque[float] = deque()
        self._offset_m: deque[float] = deque()
        self._g_long: deque[float | None] = deque()
        self._g_lat: deque[float | None] = deque()
        self._brake: deque[float | None] = deque()
        self._throttle: deque[float | None] = deque()
        self._rpm: deque[float | None] = deque()
        self._columns: tuple[deque[Any], ...] = (
            self._t, self._speed, self._way_m, self._offset_m, self._g_long, self._g_lat, self._brake,
            self._throttle, self._rpm,
        )  # fmt: skip

    def clear(self) -> None:
        """Forget it: the way to the next frame is not known."""
        for column in self._columns:
            column.clear()

    @property
    def t(self) -> float:
        """When the last instant was."""
        return self._t[-1]

    @property
    def place_m(self) -> float:
        """Where the car is, in [0, length)."""
        return self._place_m

    @property
    def speed_mps(self) -> float:
        """Its speed."""
        return self._speed[-1]

    def note_rpm(self, rpm: float, speed_mps: float) -> None:
        """Take the revs of every instant, in order."""
        if rpm > self.highest_rpm and speed_mps > self._speed_before_mps:
            self.highest_rpm = rpm
        self._speed_before_mps = speed_mps

    def feed(self, frame: Frame, position: Position) -> None:
        """Take one instant; one without a place or a speed ends what was known."""
        speed = frame.speed_mps
        if speed is None or position.status != "on" or frame.jumped:
            self.clear()
            return
        if self._t and frame.t - self._t[-1] < APART_S:
            return
        late_m = 0.0 if frame.reckoned else speed * frame.fix_age_s
        place_m = (position.distance_m + late_m) % self._length_m
        way_m = 0.0
        if self._t:
            half_m = self._length_m / 2.0
            moved_m = (place_m - self._place_m + half_m) % self._length_m - half_m
            way_m = self._way_m[-1] + moved_m
        self._place_m = place_m
        throttle = None if frame.throttle_pct is None else frame.throttle_pct / 100.0
        seen = (
            frame.t, speed, way_m, position.offset_m, frame.g_long, frame.g_lat, self._pressed(frame),
            throttle, frame.rpm,
        )  # fmt: skip
        for column, value in zip(self._columns, seen, strict=True):
            column.append(value)
        while self._t[-1] - self._t[0] > KEPT_S:
            for column in self._columns:
                column.popleft()

    @property
    def known(self) -> bool:
        """Return whether enough of the past is there to be looked at."""
        return len(self._t) > 2 and self._t[-1] - self._t[0] >= LEAST_PAST_S and self._speed[-1] > SLOWEST_MPS

    def features(self, ahead: Trace, last: Trace) -> list[float]:
        """The network's input, in the order of FEATURES."""
        speed, t = self._speed[-1], self._t[-1]
        found = [speed / 50.0]
        found += [(speed - self._back(self._speed, lag_s)) / (lag_s * G_MPS2) for lag_s in LAGS_S]
        found += self._known(self._g_long)
        found += [abs(value) for value in self._known(self._g_lat)]
        found += [*self._known(self._brake), UNKNOWN if self._brake[-1] is None else 1.0]
        found += [*self._known(self._throttle), UNKNOWN if self._throttle[-1] is None else 1.0]
        known_rpm = self._rpm[-1] is not None and self.highest_rpm > 0.0
        found += [rpm / self.highest_rpm if known_rpm else UNKNOWN for rpm in self._known(self._rpm)]
        found.append(1.0 if known_rpm else UNKNOWN)
        at_s, last_s = ahead.time_at(self._place_m), last.time_at(self._place_m)
        found += [(ahead.speed(at_s + tau_s) - speed) / 10.0 for tau_s in AHEAD_S]
        found += [(last.speed(last_s + tau_s) - ahead.speed(at_s + tau_s)) / 5.0 for tau_s in LAST_LAP_S]
        found += [ahead.long_g(at_s + tau_s) for tau_s in LONG_G_S]
        found += [last.long_g(last_s + tau_s) for tau_s in LONG_G_S]
        found += [abs(ahead.lateral_g(at_s + tau_s)) for tau_s in CURVE_S]
        for lag_s in (0.5, 1.0, 2.0):
            way_m = self._way_m[-1] - self._back(self._way_m, lag_s)
            there_s = ahead.time_at(self._place_m - way_m)
            found.append((self._back(self._speed, lag_s) - ahead.speed(there_s)) / 5.0)
        aside_m = self._offset_m[-1] - ahead.offset_at(self._place_m)
        earlier_m = self._way_m[-1] - self._back(self._way_m, 1.0)
        was_m = self._back(self._offset_m, 1.0) - ahead.offset_at(self._place_m - earlier_m)
        found += [aside_m / 5.0, (aside_m - was_m) / 5.0]
        found += [ahead.to_brake_s(at_s) / FAR_S, last.to_brake_s(last_s) / FAR_S]
        # How old the oldest instant is: a history that just began says less.
        found.append(min(t - self._t[0], 2.0) / 2.0)
        return found

    def _pressed(self, frame: Frame) -> float | None:
        if frame.brake_bar is not None:
            return min(max(frame.brake_bar / FULL_BAR, 0.0), 1.5)
        if frame.brake_pct is None:
            return None
        self._highest_pct = max(self._highest_pct, frame.brake_pct)
        return frame.brake_pct / (1.0 if self._highest_pct <= 1.0 else 100.0)

    def _back(self, column: deque[float], lag_s: float) -> float:
        """A column the given seconds ago, interpolated; else its oldest value."""
        wanted = self._t[-1] - lag_s
        after = bisect_left(self._t, wanted)
        if after == 0:
            return column[0]
        before_t, after_t = self._t[after - 1], self._t[after]
        share = (wanted - before_t) / (after_t - before_t)
        return column[after - 1] + share * (column[after] - column[after - 1])

    def _known(self, column: deque[float | None]) -> list[float]:
        """A column now and some tenths ago, UNKNOWN where it is not known."""
        found = []
        for lag_s in PEDAL_LAGS_S:
            index = min(bisect_left(self._t, self._t[-1] - lag_s), len(column) - 1)
            value = column[index]
            found.append(UNKNOWN if value is None else value)
        return found


def lookup(past: Past, ahead: Trace) -> tuple[list[float], list[float]]:
    """Return what the reference lap alone says: m/s at SPEED_AT_S, m by WAY_AT_S."""
    at_s = ahead.time_at(past.place_m)
    faster = past.speed_mps - ahead.speed(at_s)
    here_m = ahead.way(at_s)
    speeds = [ahead.speed(at_s + s) + faster * math.exp(-s / DECAY_S) for s in SPEED_AT_S]
    gains = [faster * DECAY_S * (1.0 - math.exp(-s / DECAY_S)) for s in WAY_AT_S]
    return speeds, [ahead.way(at_s + s) - here_m + gain for s, gain in zip(WAY_AT_S, gains, strict=True)]


FEATURES = (
    1 + len(LAGS_S) + 2 * len(PEDAL_LAGS_S) + 3 * (len(PEDAL_LAGS_S) + 1)
    + len(AHEAD_S) + len(LAST_LAP_S) + 2 * len(LONG_G_S) + len(CURVE_S) + 3 + 2 + 2 + 1
)  # fmt: skip
"""How many numbers `Past.features` gives."""

"""Where the main braking before an apex begins."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import neg
from typing import cast

from pitwall.telemetry.frame import Frame

# A line at rest reads a few tenths of a bar (+0.17 on one M3); 1 bar more is a foot on the pedal.
PRESSED_BAR = 1.0
# A pedal sensor at rest wanders by a per cent or two; a switch reads 0 and 100, or 0 and 1.
PRESSED_PCT, PRESSED_SWITCH = 5.0, 0.5
# Lifting off at speed slows a race car by 0.15 to 0.2 g; a quarter of a g is braking.
BRAKING_G = 0.25
# Under 0.3 s is a bump, a dab or noise; nearer presses are one braking. Three steps of 0.1 s are
# that long, however their stamps were rounded.
SUSTAINED_S = JOINED_S = 0.3 - 1e-5
# Off the brakes for longer than this a driver has finished one braking; sooner he corrects it.
LINKED_S = 1.5 - 1e-5
# The lowest tenth of the readings is rest: nobody brakes for nine tenths of a lap.
REST_SHARE = 0.1
REST_BIN, REST_LOW, REST_BINS = 0.1, -5.0, 300


NAN = float("nan")


class Rest:
    """The resting value of a brake sensor (bar or per cent): a wrong zero is no braking."""

    def __init__(self) -> None:
        self._bins = [0] * REST_BINS
        self._count = 0
        self._highest = 0.0
        # (readings, their level): asked for again and again between two laps.
        self._level = (0, 0.0)
        # Counted when somebody asks: next to a pressure nobody asks for the pedal.
        self._unread = array("d")

    def add(self, value: float) -> None:
        """Add one reading."""
        self._bins[_rest_bin(value)] += 1
        self._count += 1
        self._highest = max(self._highest, value)

    def add_all(self, values: array[float]) -> None:
        """Take many readings, at a tenth of the cost."""
        self._unread.extend(values)

    @property
    def highest(self) -> float:
        """Return the largest reading, 0 if none is above."""
        self._count_all()
        return self._highest

    def _count_all(self) -> None:
        values = self._unread
        if not values:
            return
        # A sensor's readings are of a few hundred values.
        for value, count in Counter(values).items():
            self._bins[_rest_bin(value)] += count
        self._count += len(values)
        self._highest = max(self._highest, max(values))
        del values[:]

    def level(self) -> float:
        """Return the value that a tenth of the readings do not exceed."""
        self._count_all()
        if self._level[0] != self._count:
            self._level = (self._count, self._lowest())
        return self._level[1]

    def _lowest(self) -> float:
        wanted, seen = self._count * REST_SHARE, 0
        for index, count in enumerate(self._bins):
            seen += count
            if seen >= wanted and seen:
                return REST_LOW + (index + 1) * REST_BIN
        return 0.0


def rest_level(values: Sequence[float]) -> float:
    """Return what `Rest.level` would say of all these readings, at least one."""
    least = sorted(values)[max(math.ceil(len(values) * REST_SHARE), 1) - 1]
    return REST_LOW + (_rest_bin(least) + 1) * REST_BIN


def _rest_bin(value: float) -> int:
    index = int((value - REST_LOW) / REST_BIN)
    return 0 if index < 0 else min(index, REST_BINS - 1)


class BrakeTrace:
    """Brake readings by time and place of the best sensor: pressure, pedal, else -g_long."""

    def __init__(self) -> None:
        self.t, self.distance_m = array("d"), array("d")
        self._bar, self._pct, self._slowing_g = array("d"), array("d"), array("d")
        self._bar_rest, self._pct_rest = Rest(), Rest()
        # No reading of these has been missing so far.
        self._bar_whole = self._pct_whole = True

    def add(self, frame: Frame, distance_m: float) -> None:
        """Take one frame at its place on the track; NaN stands for a signal without confidence."""
        self.t.append(frame.t)
        self.distance_m.append(distance_m)
        bar, pct, g_long = frame.brake_bar, frame.brake_pct, frame.g_long
        self._bar.append(NAN if bar is None else bar)
        self._pct.append(NAN if pct is None else pct)
        self._slowing_g.append(NAN if g_long is None else -g_long)
        if bar is not None:
            self._bar_rest.add(bar)
        else:
            self._bar_whole = False
        if pct is not None:
            self._pct_rest.add(pct)
        else:
            self._pct_whole = False

    def add_all(
        self,
        t: Sequence[float],
        distance_m: Sequence[float],
        bar: Sequence[float | None],
        pct: Sequence[float | None],
        g_long: Sequence[float | None],
    ) -> None:
        """Take many frames by column, all of one length."""
        self.t.extend(t)
        self.distance_m.extend(distance_m)
        self._bar_whole &= _take(self._bar, self._bar_rest, bar)
        self._pct_whole &= _take(self._pct, self._pct_rest, pct)
        if isinstance(g_long, array):
            self._slowing_g.extend(map(neg, g_long))
        else:
            self._slowing_g.fromlist([NAN if value is None else -value for value in g_long])

    def forget_before(self, t: float) -> None:
        """Drop readings older than `t`; what was learned of the sensors' rest stays."""
        count = bisect_left(self.t, t)
        for column in (self.t, self.distance_m, self._bar, self._pct, self._slowing_g):
            del column[:count]

    def brake_point(
        self, start_t: float, end_t: float, from_m: float, apex_m: float, length_m: float
    ) -> float | None:
        """Return where the main braking between two places began, in [0, length)."""
        return self.brake_points(start_t, end_t, [(from_m, apex_m)], length_m)[0]

    def brake_points(
        self, start_t: float, end_t: float, stretches: Sequence[tuple[float, float]], length_m: float
    ) -> list[float | None]:
        """Return the same for many stretches (from, apex) of one time."""
        first, last = bisect_left(self.t, start_t), bisect_left(self.t, end_t)
        order = sorted(range(first, last), key=self.distance_m.__getitem__)
        places = list(map(self.distance_m.__getitem__, order))
        found = []
        for from_m, apex_m in stretches:
            # A track with one corner: all the way round to it.
            reach_m = (apex_m - from_m) % length_m or length_m
            begin = bisect_left(places, from_m)
            # Up to the apex or the gate, and from the gate on; a metre more than is needed.
            end = bisect_right(places, from_m + reach_m + 1.0)
            around = bisect_right(places, min(from_m + reach_m + 1.0 - length_m, from_m - 1e-9))
            indices = order[begin:end] + order[:around]
            while indices and (self.distance_m[indices[-1]] - from_m) % length_m > reach_m:
                indices.pop()
            column, pressed = self._sensor(indices)
            values = list(map(column.__getitem__, indices))
            braked = [i for i, value in enumerate(values) if value > pressed]
            # Readings before the one before the first press, or after the last, show nothing.
            used = slice(max(braked[0] - 1, 0), braked[-1] + 2) if braked else slice(0)
            if not self._whole(column):
                used = slice(len(indices))
            began_m = braking_start(
                [
                    (self.t[i], (self.distance_m[i] - from_m) % length_m, value)
                    for i, value in zip(indices[used], values[used], strict=True)
                ],
                pressed,
            )
            found.append(None if began_m is None else (from_m + began_m) % length_m)
        return found

    def _whole(self, column: array[float]) -> bool:
        return self._bar_whole if column is self._bar else self._pct_whole and column is self._pct

    def _sensor(self, indices: list[int]) -> tuple[array[float], float]:
        if (self._bar_whole and indices) or has_readings(self._bar, indices):
            return self._bar, self._bar_rest.level() + PRESSED_BAR
        if (self._pct_whole and indices) or has_readings(self._pct, indices):
            if self._pct_rest.highest <= 1.0:
                return self._pct, PRESSED_SWITCH
            return self._pct, self._pct_rest.level() + PRESSED_PCT
        return self._slowing_g, BRAKING_G


def has_readings(column: array[float], indices: list[int]) -> bool:
    """Return whether most of these places have a reading (NaN: none)."""
    known = len([i for i in indices if column[i] == column[i]])
    return 2 * known > len(indices)


def braking_start(readings: Iterable[tuple[float, float, float]], pressed: float) -> float | None:
    """Return the distance where the main braking began, from (t, distance_m, value) in driving
    order.

    Braking is `value` > `pressed` for SUSTAINED_S. Of brakings within LINKED_S the one with the
    largest sum of pressure over time counts, for a driver may brake again as he turns in; else the
    last. One under way at the first reading belongs to the corner before.
    """
    found_m: float | None = None
    began_m: float | None = None
    held_s = let_go_s = work = most = 0.0
    last_t = last_m = last_value = NAN
    inherited = False
    for t, distance_m, value in readings:
        if value != value:
            continue
        # Across the gate the readings jump from one end of the lap to the other.
        step_s = t - last_t
        if not 0.0 < step_s < 1.0:
            step_s = 0.0
        if last_value > pressed and began_m is not None:
            held_s += step_s
            work += step_s * (last_value - pressed)
            if held_s >= SUSTAINED_S and work >= most and not inherited:
                found_m, most = began_m, work
        if value > pressed:
            if began_m is None:
                inherited = last_t != last_t
                last = None if inherited else (last_t, last_m, last_value)
                began_m, held_s, work = crossing_m(last, distance_m, value, pressed), 0.0, 0.0
            let_go_s = 0.0
        else:
            let_go_s += step_s
            if let_go_s >= JOINED_S:
                began_m = None
                if let_go_s >= LINKED_S:
                    most = 0.0
        last_t, last_m, last_value = t, distance_m, value
    return found_m


def _take(column: array[float], rest: Rest, values: Sequence[float | None]) -> bool:
    try:
        known = values if isinstance(values, array) else array("d", cast(Sequence[float], values))
    except TypeError:
        known = array("d", [value for value in values if value is not None])
        column.fromlist([NAN if value is None else value for value in values])
        rest.add_all(known)
        return False
    column.extend(known)
    rest.add_all(known)
    return True


def crossing_m(
    last: tuple[float, float, float] | None, distance_m: float, value: float, pressed: float
) -> float:
    """Return the distance at which the value passed `pressed` since the last reading."""
    if last is None or last[2] >= value:
        return distance_m
    return last[1] + (distance_m - last[1]) * (pressed - last[2]) / (value - last[2])

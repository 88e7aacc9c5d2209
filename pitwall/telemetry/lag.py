"""How much later than the car's own signals a receiver is, and the car's signals moved to its time.

A fix 0.6 s old at its stamp puts the brake point 0.6 s of driving too far along the road. The lag
is where the slope of the GPS speed best fits the car's acceleration (Pearson correlation, the peak
by a parabola). Lap times stay the receiver's.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import mul

from pitwall.telemetry.quality import ChannelJudge
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.telemetry.signals import SIGNALS

# Signals that show acceleration, the surest first, with the fit required; a wheel's speed by its
# slope.
WITNESSES = (("wheel_speed_mps", 0.9), ("g_long", 0.9), ("brake_bar", 0.85), ("brake_pct", 0.85))
STEP_S, HALF_SLOPE_STEPS = 0.1, 3
# Slow fixes show their slope over a longer time, in which brakes are pressed and let go.
SLOW_STEP_S, SLOW_HALF_SLOPE_STEPS, SLOW_WITNESSES = 0.35, 10, 2
# The least lag removed: at 50 m/s 7 m.
LEAST_LAG_S = 0.15
SHIFTS = range(-6, 17)
# A live drive is looked at over stretches of this much driving, within this time, at most eight;
# two of them must agree.
STRETCH_S, STRETCH_MOST_S, STRETCHES, AGREE_S = 60.0, 240.0, 8, 0.08
NOTE_STEP_S = 0.03
# The least that must be driven.
DRIVEN_STEPS, DRIVEN_MPS = 300, 5.0
# A receiver with fewer fixes is too coarse.
LONGEST_STEP_S = 1.05

# These change evenly between two rows.
EVEN = {name for name in SIGNALS if name not in ("gear", "lap_number")}

Column = list[float | None]

Series = list[tuple[float, float]]


def is_new(last: tuple[float, float], t: float, value: float) -> bool:
    """Return whether a reading is more than the last one repeated."""
    return t > last[0] and (value != last[1] or t > last[0] + STEP_S)


class Fit:
    """Fits a receiver's speed to the car's signals: one shift a step, so that nobody waits."""

    def __init__(self, series: Mapping[str, Series]) -> None:
        """`series`: (time s, value) of `speed_mps` and of each witness."""
        gps = series.get("speed_mps", [])
        self.found: tuple[float, str] | None = None
        self._names: list[tuple[str, float]] = []
        self._fits: dict[int, float] = {}
        self._levels: Column = []
        span_s = gps[-1][0] - gps[0][0] if gps else 0.0
        step_s = span_s / len(gps) if gps else 0.0
        self.too_coarse = step_s > LONGEST_STEP_S
        if span_s < DRIVEN_STEPS * STEP_S or self.too_coarse:
            return
        slow = step_s > SLOW_STEP_S
        self._half = SLOW_HALF_SLOPE_STEPS if slow else HALF_SLOPE_STEPS
        self._series, self._span = series, (gps[0][0], gps[-1][0])
        speeds = even_steps(gps, *self._span)
        self._slopes: Column = [
            None if slope is None or (speed or 0.0) < DRIVEN_MPS else slope
            for slope, speed in zip(_slopes(speeds, self._half), speeds, strict=True)
        ]
        witnesses = WITNESSES[:SLOW_WITNESSES] if slow else WITNESSES
        self._names = [each for each in witnesses if len(series.get(each[0], ())) > 1]

    def step(self) -> bool:
        """Try one more shift; return whether all is tried. `found`: the lag in seconds and by which
        signal."""
        if not self._names:
            return True
        name, least = self._names[0]
        if not self._fits:
            even = even_steps(self._series[name], *self._span)
            levels = (_slopes if name == "wheel_speed_mps" else _means)(even, self._half)
            sign = -1.0 if name.startswith("brake") else 1.0
            self._levels = [None if v is None else sign * v for v in levels]
        shift = SHIFTS[len(self._fits)]
        self._fits[shift] = correlation(self._levels, self._slopes, shift)
        if len(self._fits) < len(SHIFTS):
            return False
        best = _peak(self._fits)
        self._fits = {}
        if best is not None and best[1] >= least:
            self.found, self._names = (best[0] * STEP_S, name), []
        else:
            del self._names[0]
        return not self._names


class LagWatch:
    """Finds a live receiver's lag: two stretches of driving that agree."""

    def __init__(self) -> None:
        # What is to be removed, s, and by which signal.
        self.lag_s, self.source = 0.0, ""
        # When readings are wanted (inf: never again).
        self.next_t = -math.inf
        self._series: dict[str, Series] = {}
        self._driven_s, self._stretches = 0.0, 0
        self._fit: Fit | None = None
        self._found_s: list[float] = []

    def know(self, lag_s: float) -> None:
        """Take this lag as known."""
        self.lag_s, self.next_t = lag_s, math.inf
        self._series, self._fit = {}, None

    def note(self, t: float, shown: Iterable[tuple[str, ChannelJudge]]) -> str:
        """Take the newest readings; return "found" or "unknown" once it is decided, else ""."""
        self.next_t = t + NOTE_STEP_S
        if self._fit is not None:
            return self._decide(self._fit) if self._fit.step() else ""
        for name, ch in shown:
            series = self._series.setdefault(name, [])
            at_t, value = ch.t, ch.good or 0.0
            if series and not is_new(series[-1], at_t, value):
                continue
            if name == "speed_mps" and value >= DRIVEN_MPS:
                self._driven_s += min(at_t - series[-1][0], 1.0) if series else 0.0
            series.append((at_t, value))
        speeds = self._series["speed_mps"]
        if self._driven_s >= STRETCH_S:
            self._fit, self._series, self._driven_s = Fit(self._series), {}, 0.0
        elif t - speeds[0][0] > STRETCH_MOST_S:
            self._series, self._driven_s = {}, 0.0
        return ""

    def _decide(self, fit: Fit) -> str:
        self._fit, self._stretches = None, self._stretches + 1
        if fit.found is not None:
            found_s, self.source = fit.found
            nearest_s = min(self._found_s, key=lambda each: abs(each - found_s), default=math.inf)
            self._found_s.append(found_s)
            if abs(nearest_s - found_s) <= AGREE_S:
                lag_s = round((found_s + nearest_s) / 2.0, 3)
                self.know(lag_s if lag_s >= LEAST_LAG_S else 0.0)
                return "found" if self.lag_s else ""
        if self._stretches >= STRETCHES or fit.too_coarse:
            self.know(0.0)
            return "unknown"
        return ""


class LaggedRows:
    """The last rows of one stream: the car's channels are read `lag_s` earlier."""

    def __init__(self, stream: Stream, lag_s: float, slow: Collection[int] = ()) -> None:
        """`slow`: columns that repeat a value until the next one comes."""
        self._lag_s, self._rows = lag_s, deque[Sample]()
        of_receiver = [_of_receiver(channel) for channel in stream.channels]
        self._car = [i for i, fixed in enumerate(of_receiver) if not fixed]
        self._even = {i for i in self._car if stream.channels[i].name in EVEN and i not in slow}

    def moved(self, sample: Sample) -> Sample:
        """Return the row with the car's channels as of the fix (None before the first)."""
        rows, want_t = self._rows, sample.t - self._lag_s
        rows.append(sample)
        while len(rows) > 1 and rows[1].t <= want_t:
            rows.popleft()
        values = list(sample.values)
        before, after = rows[0], rows[min(1, len(rows) - 1)]
        share = 0.0 if after.t <= before.t else (want_t - before.t) / (after.t - before.t)
        for i in self._car:
            a, b = before.values[i], after.values[i]
            if want_t < before.t:
                values[i] = None
            elif a is not None and b is not None and i in self._even:
                values[i] = a + (b - a) * share
            else:
                values[i] = a if share < 0.5 else b
        return Sample(sample.stream, sample.t, tuple(values))


def _of_receiver(channel: Channel) -> bool:
    return channel.name == "speed_mps" or (channel.canonical and SIGNALS[channel.name].of_fix)


def even_steps(
    series: Sequence[tuple[float, float]],
    begin_t: float,
    end_t: float,
    step_s: float = STEP_S,
    hole_s: float = LONGEST_STEP_S,
) -> Column:
    """Return (t, value) interpolated on an even grid; None in a hole."""
    even: Column = []
    at, last = 0, len(series) - 1
    for step in range(int((end_t - begin_t) / step_s) + 1):
        t = begin_t + step * step_s
        while at < last and series[at + 1][0] <= t:
            at += 1
        (t0, v0), (t1, v1) = series[at], series[min(at + 1, last)]
        hole = at == last or t < t0 or t1 - t0 > hole_s
        even.append(None if hole else v0 + (v1 - v0) * (t - t0) / (t1 - t0))
    return even


def _slopes(even: Column, half: int) -> Column:
    pairs = zip(even, even[2 * half :], strict=False)
    inner: Column = [None if a is None or b is None else b - a for a, b in pairs]
    return [*[None] * half, *inner, *[None] * half][: len(even)]


def _means(even: Column, half: int) -> Column:
    width = 2 * half + 1
    means: Column = [None] * len(even)
    for i in range(len(even) - width + 1):
        window = [value for value in even[i : i + width] if value is not None]
        if len(window) == width:
            means[i + half] = sum(window) / width
    return means


def _peak(fits: Mapping[int, float]) -> tuple[float, float] | None:
    """Return by how many steps the slopes are later, and their correlation there."""
    best = max(fits, key=fits.__getitem__)
    if best in (SHIFTS[0], SHIFTS[-1]):
        return None
    return best + top_between(fits[best - 1], fits[best], fits[best + 1]), fits[best]


def top_between(before: float, at: float, after: float) -> float:
    """Return where the parabola through three points a step apart has its top, steps from the
    middle one."""
    bend = before - 2.0 * at + after
    return 0.5 * (before - after) / bend if bend < 0.0 else 0.0


def correlation(one: Column, other: Column, shift: int, least: int = DRIVEN_STEPS) -> float:
    """Return Pearson's r of one[i] and other[i + shift]; 0 where fewer than `least` meet."""
    met = zip(one[max(0, -shift) :], other[max(0, shift) :], strict=False)
    pairs = [(a, b) for a, b in met if a is not None and b is not None]
    if len(pairs) < least:
        return 0.0
    n = len(pairs)
    xs, ys = [a for a, _ in pairs], [b for _, b in pairs]
    mean_x, mean_y = sum(xs) / n, sum(ys) / n
    var_x = sum(map(mul, xs, xs)) / n - mean_x * mean_x
    var_y = sum(map(mul, ys, ys)) / n - mean_y * mean_y
    if var_x <= 0.0 or var_y <= 0.0:
        return 0.0
    covariance = sum(map(mul, xs, ys)) / n - mean_x * mean_y
    return float(covariance / math.sqrt(var_x * var_y))

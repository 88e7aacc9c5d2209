"""A recording whose receiver is later than the car's own signals: moves both onto one clock.

A fix 0.6 s old at its stamp puts the brake point 0.6 s of driving too far along the road. The lag
is where the slope of the GPS speed best fits the car's acceleration (Pearson correlation over even
steps, the peak by a parabola). Lap times stay the receiver's: the car's signals are moved to its
time.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from operator import mul

from pitwall.telemetry.findings import Finding
from pitwall.telemetry.recordings.base import Recording
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.telemetry.signals import SIGNALS

# Signals that show acceleration, the surest first, with the fit required. A wheel's speed shows it
# by its slope. The brakes act at once, the engine a fifth of a second after the pedal.
WITNESSES = (("wheel_speed_mps", 0.9), ("g_long", 0.9), ("brake_bar", 0.85), ("brake_pct", 0.85))
STEP_S, HALF_SLOPE_STEPS = 0.1, 3
# The least lag removed: a bus adds up to 0.1 s, and at 50 m/s a brake mark moves 7 m by this.
LEAST_LAG_S = 0.15
SHIFTS = range(-6, 17)
# How much is read, three laps of a usual circuit, and how much of that must be driven.
READ_S, DRIVEN_STEPS, DRIVEN_MPS = 360.0, 300, 5.0
# A receiver with fewer fixes a second tells its slope too coarsely.
LONGEST_STEP_S = 0.35

# Between two rows these change evenly; a gear, a lap number and what nobody knows do not.
EVEN = {name for name in SIGNALS if name not in ("gear", "lap_number")}

Column = list[float | None]


def find_lag_s(recording: Recording) -> tuple[float, str] | None:
    """Return how much later than the car's signals the receiver is, in seconds, and by which
    signal.

    None if no signal is sure. Reads the first minutes of the recording.
    """
    series = _read(recording, {"speed_mps", *(name for name, _ in WITNESSES)})
    gps = series.get("speed_mps", [])
    if len(gps) < DRIVEN_STEPS or (gps[-1][0] - gps[0][0]) / len(gps) > LONGEST_STEP_S:
        return None
    begin_t, end_t = gps[0][0], gps[-1][0]
    speeds = _even(gps, begin_t, end_t)
    slopes: Column = [
        None if slope is None or (speed or 0.0) < DRIVEN_MPS else slope
        for slope, speed in zip(_slopes(speeds), speeds, strict=True)
    ]
    for name, least in WITNESSES:
        if name not in series:
            continue
        even = _even(series[name], begin_t, end_t)
        levels = _slopes(even) if name == "wheel_speed_mps" else _means(even)
        sign = -1.0 if name.startswith("brake") else 1.0
        found = _best_shift([None if v is None else sign * v for v in levels], slopes)
        if found is not None and found[1] >= least:
            return found[0] * STEP_S, name
    return None


def aligned(recording: Recording) -> Recording:
    """Return the recording with the car's signals moved to the receiver's time, if that is later."""
    channels = [channel for stream in recording.info.streams for channel in stream.channels]
    names = {channel.name for channel in channels}
    if "speed_mps" not in names or names.isdisjoint(name for name, _ in WITNESSES):
        return recording
    found = find_lag_s(recording)
    if found is None or found[0] < LEAST_LAG_S:
        return recording
    return AlignedRecording(recording, *found)


class AlignedRecording:
    """A recording whose channels that are no receiver's come `lag_s` later."""

    def __init__(self, recording: Recording, lag_s: float, source: str) -> None:
        self._recording, self._lag_s, self.info = recording, round(lag_s, 3), recording.info
        what = f"the fixes were {lag_s:.2f} s late by it: the car's signals are moved to them"
        self._note = Finding("lag", source, 1, None, what)

    def samples(self) -> Iterator[Sample]:
        """Yield the samples in order of time; what the car tells waits for the fix of its moment."""
        rows = {stream.id: _Rows(stream, self._lag_s) for stream in self.info.streams}
        waiting: deque[Sample] = deque()
        for sample in self._recording.samples():
            while waiting and waiting[0].t <= sample.t:
                yield waiting.popleft()
            stream = rows[sample.stream]
            if stream.has_fixes:
                yield stream.moved(sample)
            else:
                waiting.append(Sample(sample.stream, round(sample.t + self._lag_s, 6), sample.values))

    def findings(self) -> list[Finding]:
        """Return what the file itself has, and how late its fixes were."""
        return [*self._recording.findings(), self._note]


class _Rows:
    """The last rows of one stream: the car's channels are read `lag_s` earlier."""

    def __init__(self, stream: Stream, lag_s: float) -> None:
        self._lag_s, self._rows = lag_s, deque[Sample]()
        of_receiver = [_of_receiver(channel) for channel in stream.channels]
        self.has_fixes = any(of_receiver)
        self._car = [i for i, fixed in enumerate(of_receiver) if not fixed]
        self._even = {i for i in self._car if stream.channels[i].name in EVEN}

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


def _read(recording: Recording, names: set[str]) -> dict[str, list[tuple[float, float]]]:
    at: dict[int, list[tuple[str, int]]] = {}
    series: dict[str, list[tuple[float, float]]] = {}
    for stream in recording.info.streams:
        for i, channel in enumerate(stream.channels):
            if channel.name in names and channel.name not in series:
                series[channel.name] = []
                at.setdefault(stream.id, []).append((channel.name, i))
    for sample in recording.samples():
        if sample.t > READ_S:
            break
        for name, i in at.get(sample.stream, ()):
            value, known = sample.values[i], series[name]
            # A value that is repeated until the next one comes tells nothing new.
            if value is not None and (
                not known
                or (value != known[-1][1] and sample.t > known[-1][0])
                or sample.t > known[-1][0] + STEP_S
            ):
                known.append((sample.t, value))
    return {name: known for name, known in series.items() if known}


def _even(series: Sequence[tuple[float, float]], begin_t: float, end_t: float) -> Column:
    even: Column = []
    at, last = 0, len(series) - 1
    for step in range(int((end_t - begin_t) / STEP_S) + 1):
        t = begin_t + step * STEP_S
        while at < last and series[at + 1][0] <= t:
            at += 1
        (t0, v0), (t1, v1) = series[at], series[min(at + 1, last)]
        hole = at == last or t < t0 or t1 - t0 > 1.0
        even.append(None if hole else v0 + (v1 - v0) * (t - t0) / (t1 - t0))
    return even


def _slopes(even: Column) -> Column:
    pairs = zip(even, even[2 * HALF_SLOPE_STEPS :], strict=False)
    inner: Column = [None if a is None or b is None else b - a for a, b in pairs]
    return [*[None] * HALF_SLOPE_STEPS, *inner, *[None] * HALF_SLOPE_STEPS][: len(even)]


def _means(even: Column) -> Column:
    width = 2 * HALF_SLOPE_STEPS + 1
    means: Column = [None] * len(even)
    for i in range(len(even) - width + 1):
        window = [value for value in even[i : i + width] if value is not None]
        if len(window) == width:
            means[i + HALF_SLOPE_STEPS] = sum(window) / width
    return means


def _best_shift(levels: Column, slopes: Column) -> tuple[float, float] | None:
    """Return by how many steps `slopes` is later than `levels`, and their correlation there."""
    fits = {shift: _correlation(levels, slopes, shift) for shift in SHIFTS}
    best = max(fits, key=fits.__getitem__)
    if best in (SHIFTS[0], SHIFTS[-1]):
        return None
    before, peak, after = fits[best - 1], fits[best], fits[best + 1]
    bend = before - 2.0 * peak + after
    return best + (0.5 * (before - after) / bend if bend else 0.0), peak


def _correlation(one: Column, other: Column, shift: int) -> float:
    moved = other[shift:] if shift >= 0 else [*[None] * -shift, *other]
    pairs = [(a, b) for a, b in zip(one, moved, strict=False) if a is not None and b is not None]
    if len(pairs) < DRIVEN_STEPS:
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

"""Joins two recordings of one drive: the second one's clock is found by signals of both.

At each shift the correlation of the overlap is computed (Pearson), first coarsely, then finely
around the best, which counts only if clearly better than any other: laps resemble each other.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import accumulate
from operator import mul
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitwall.telemetry.findings import Finding
from pitwall.telemetry.lag import top_between
from pitwall.telemetry.recordings.base import Recording, RecordingError, readings_of
from pitwall.telemetry.sample import Sample, Stream

# What is compared, the surest first: ours, the other's, the least fit. Drives of different cars fit
# by 0.57 somewhere.
PAIRS = (
    ("speed_mps", "wheel_speed_mps", 0.8), ("speed_mps", "speed_mps", 0.8),
    ("wheel_speed_mps", "wheel_speed_mps", 0.8), ("rpm", "rpm", 0.8), ("speed_mps", "rpm", 0.6),
)  # fmt: skip
COARSE_S, FINE_S = 2.0, 0.1
# An hour and a half at COARSE_S; of more the beginning is compared.
MOST_VALUES = 2_700
# A minute of two drives looks alike somewhere: half of the shorter one has to.
LEAST_OVERLAP_S, OVERLAP_SHARE = 60.0, 0.5
# Nearer shifts are the same answer.
SAME_SHIFT_S = 10.0
LEAST_LEAD = 0.03


class DriveShift(NamedTuple):
    """Ours = the other's + `shift_s`. `fit`: the correlation there; `next_fit`: the best
    elsewhere."""

    shift_s: float
    fit: float
    next_fit: float
    ours: str
    other: str

    @property
    def sure(self) -> bool:
        """Return whether the shift is certain."""
        least = next((fit for *pair, fit in PAIRS if pair == [self.ours, self.other]), 1.0)
        return self.fit >= least and self.fit - self.next_fit >= LEAST_LEAD

    def sentence(self) -> str:
        """Describe the shift for people."""
        return (
            f"shifted by {self.shift_s:+.2f} s, at which its {self.other} fits {self.ours} by "
            f"{self.fit:.2f} (elsewhere by {max(self.next_fit, 0.0):.2f} at most; 1 is perfect)"
        )


class JoinedRecording:
    """A recording with another one's channels added."""

    def __init__(self, ours: Recording, other: Recording, shift_s: float) -> None:
        self._ours, self._other, self._shift_s = ours, other, shift_s
        first = max((stream.id for stream in ours.info.streams), default=-1) + 1
        self._ids = {stream.id: first + n for n, stream in enumerate(other.info.streams)}
        added = [
            Stream(self._ids[each.id], f"{each.source} (joined)", each.channels, each.latency_s)
            for each in other.info.streams
        ]
        self.info = msgspec.structs.replace(ours.info, streams=(*ours.info.streams, *added))

    def samples(self) -> Iterator[Sample]:
        """Yield the samples."""
        ended = False

        def own() -> Iterator[Sample]:
            nonlocal ended
            yield from self._ours.samples()
            ended = True

        def shifted() -> Iterator[Sample]:
            for sample in self._other.samples():
                t = sample.t + self._shift_s
                if t >= 0.0:
                    yield Sample(self._ids[sample.stream], round(t, 6), sample.values)

        for sample in merge(own(), shifted(), key=lambda sample: sample.t):
            if ended and sample.stream in self._ids.values():
                return
            yield sample

    def findings(self) -> list[Finding]:
        """Return the findings."""
        return self._ours.findings() + self._other.findings()


def joined(ours: Recording, other: Recording) -> tuple[JoinedRecording, DriveShift]:
    """Join both; return how the clock was found too. RecordingError if it is uncertain."""
    path = Path(other.info.path)
    have = (_series(ours), _series(other))
    for mine, its, _ in PAIRS:
        if mine in have[0] and its in have[1]:
            shift = find_shift(have[0][mine], have[1][its], mine, its)
            if shift is not None and shift.sure:
                return JoinedRecording(ours, other, shift.shift_s), shift
            if shift is not None:
                what = f"can't be joined to {ours.info.path} for sure: {shift.sentence()}"
                raise RecordingError(path, what, hint="are both of the same drive?")
    hint = "speed in both, or engine speed, is needed for a minute of driving"
    raise RecordingError(path, f"has nothing to compare with {ours.info.path}", hint=hint)


Series = tuple[list[float], list[float]]


def _series(recording: Recording) -> dict[str, Series]:
    found: dict[str, Series] = {}
    for name, t, value in readings_of(recording, {name for *pair, _ in PAIRS for name in pair}):
        times, values = found.setdefault(name, ([], []))
        times.append(t)
        values.append(value)
    return {name: each for name, each in found.items() if each[1] and max(each[1]) > min(each[1])}


def find_shift(ours: Series, other: Series, mine: str = "", its: str = "") -> DriveShift | None:
    """Return the shift that fits best; None if less than a minute overlaps."""
    begun_s, coarse = ours[0][0] - other[0][0], (_even(ours, COARSE_S), _even(other, COARSE_S))
    least = max(int(LEAST_OVERLAP_S / COARSE_S), int(OVERLAP_SHARE * min(map(len, coarse))))
    lags = range(least - len(coarse[1]), len(coarse[0]) - least + 1)
    fits = _fits(*coarse, lags)
    if not fits:
        return None
    best = max(fits, key=lambda lag: fits[lag])
    apart = int(SAME_SHIFT_S / COARSE_S)
    next_fit = max((fit for lag, fit in fits.items() if abs(lag - best) > apart), default=0.0)
    middle = round(best * COARSE_S / FINE_S)
    around = range(middle - int(COARSE_S * 1.5 / FINE_S), middle + int(COARSE_S * 1.5 / FINE_S) + 1)
    fine = _fits(_even(ours, FINE_S), _even(other, FINE_S), around)
    if not fine:
        return None
    lag = max(fine, key=lambda each: fine[each])
    top = fine[lag]
    between = top_between(fine.get(lag - 1, top), top, fine.get(lag + 1, top))
    return DriveShift(round(begun_s + (lag + between) * FINE_S, 3), top, next_fit, mine, its)


def _even(series: Series, step_s: float) -> list[float]:
    times, values = series
    count = min(int((times[-1] - times[0]) / step_s) + 1, int(MOST_VALUES * COARSE_S / step_s))
    even, at, last = [], 0, values[0]
    for n in range(count):
        after = bisect_left(times, times[0] + (n + 1) * step_s, at)
        if after > at:
            last = sum(values[at:after]) / (after - at)
        even.append(last)
        at = after
    return even


def _fits(ours: Sequence[float], other: Sequence[float], lags: range) -> dict[int, float]:
    """Return the correlation at each lag of ours[i + lag] and other[i]."""
    sums = [
        ([0.0, *accumulate(series)], [0.0, *accumulate(value * value for value in series)])
        for series in (ours, other)
    ]
    found = {}
    for lag in lags:
        first, last = max(0, -lag), min(len(other), len(ours) - lag)
        n = last - first
        if n <= 1:
            continue
        a, aa = (total[last + lag] - total[first + lag] for total in sums[0])
        b, bb = (total[last] - total[first] for total in sums[1])
        spread = (aa - a * a / n) * (bb - b * b / n)
        if spread <= 1e-9:
            continue
        both = sum(map(mul, ours[first + lag : last + lag], other[first:last]))
        found[lag] = (both - a * b / n) / math.sqrt(spread)
    return found

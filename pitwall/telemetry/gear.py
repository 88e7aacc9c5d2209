"""The gear from engine and road speed, if the gear channel is dead or missing.

In a gear, rpm over speed is a constant: driven time piles up there. A pile's number is never
guessed: a gear channel gave it while alive, or the car pulled away in first gear, or the steps are
those that only first and second have.
"""

from __future__ import annotations

import itertools
import math
from collections import deque

import msgspec

# Below these the clutch slips or the engine idles, and the ratio means nothing.
LEAST_MPS, LEAST_RPM = 3.0, 1300.0
# Bins of 1.5 % from 10 to 2000 rpm per m/s: lorries' top gears to karts' first.
LOW_RATIO, HIGH_RATIO, BIN = 10.0, 2000.0, 0.015
BINS = int(math.log(HIGH_RATIO / LOW_RATIO) / BIN) + 1
# In a gear the ratio changes at most this much in a second (lag between rpm and speed).
STEADY_PER_S = 0.25
# A longer step between two frames says nothing of what was between.
STEP_MOST_S = 0.25
# While a channel tells the gear, learning from it so often is enough.
LEARN_STEP_S = 0.1
# A pile has this much time, and a valley this deep next to it.
GEAR_S, VALLEY = 2.0, 0.6
# Gearboxes have steps of 10 % at least.
APART_BINS = int(math.log(1.09) / BIN)
NEAR = 0.07
# From a stand: slower than this, and then in first gear until it changes.
STANDING_MPS, PULLS_AWAY_S = 1.0, 6.0
# Two thirds of the labelled time must agree on a pile's number.
AGREED = 0.67
PULLS_KEPT = 16
# First to second is a gearbox's widest step; later ones get no wider.
FIRST_STEP, WIDER = 2.0, 1.05
# Road cars from first to second: 1.6 to 1.9, and 1.08 to 1.35 times the step after it. No other
# pair of gears has that.
ROAD_FIRST_STEP, ROAD_FIRST_TO_NEXT = (1.6, 1.9), (1.08, 1.35)


class Gears(msgspec.Struct, frozen=True):
    """The piles: rpm per m/s, highest first, and each one's gear (None: unknown)."""

    ratios: tuple[float, ...] = ()
    numbers: tuple[int | None, ...] = ()


class GearFinder:
    """Feed it every frame; call `learn` now and then."""

    def __init__(self) -> None:
        self._time_s = [0.0] * BINS
        self._labels: dict[tuple[int, int], float] = {}
        self._pulls: deque[float] = deque(maxlen=PULLS_KEPT)
        self._ratio = self._t = math.nan
        self._stood_t = -math.inf
        self.gears = Gears()

    def feed(self, t: float, rpm: float | None, speed_mps: float | None, gear: float | None) -> float | None:
        """Return the gear at `t`, None if unknown. `gear`: a live channel's, to learn from."""
        if gear is not None and 0.0 <= t - self._t < LEARN_STEP_S:
            return None
        if rpm is None or speed_mps is None:
            self._ratio = math.nan
            return None
        if speed_mps < STANDING_MPS:
            self._stood_t = t
        if speed_mps < LEAST_MPS or rpm < LEAST_RPM:
            self._ratio = math.nan
            return None
        ratio, last, dt = rpm / speed_mps, self._ratio, t - self._t
        self._ratio, self._t = ratio, t
        if not LOW_RATIO < ratio < HIGH_RATIO:
            return None
        if 0.0 < dt <= STEP_MOST_S and abs(ratio - last) <= STEADY_PER_S * dt * ratio:
            place_bin = int(math.log(ratio / LOW_RATIO) / BIN)
            self._time_s[place_bin] += dt
            if gear is not None and gear >= 1.0:
                label = (int(gear), place_bin)
                self._labels[label] = self._labels.get(label, 0.0) + dt
            elif t - self._stood_t <= PULLS_AWAY_S:
                self._pulls.append(ratio)
                self._stood_t = -math.inf
        return self._gear(ratio)

    def learn(self) -> None:
        """Update the piles."""
        peaks = find_peaks(self._time_s)
        ratios = tuple(LOW_RATIO * math.exp((peak + 0.5) * BIN) for peak in reversed(peaks))
        numbers = self._by_label(ratios) if self._labels else self._counted(ratios)
        self.gears = Gears(ratios, numbers)

    def _gear(self, ratio: float) -> float | None:
        place = pile_of(ratio, self.gears.ratios)
        number = None if place is None else self.gears.numbers[place]
        return None if number is None else float(number)

    def _by_label(self, ratios: tuple[float, ...]) -> tuple[int | None, ...]:
        votes: list[dict[int, float]] = [{} for _ in ratios]
        for (gear, place_bin), time_s in self._labels.items():
            place = pile_of(LOW_RATIO * math.exp((place_bin + 0.5) * BIN), ratios)
            if place is not None:
                votes[place][gear] = votes[place].get(gear, 0.0) + time_s
        numbers: list[int | None] = []
        for count in votes:
            best = max(count, key=lambda gear: (count[gear], -gear), default=None)
            agreed = best is not None and count[best] >= AGREED * sum(count.values())
            numbers.append(best if agreed else None)
        return tuple(numbers)

    def _counted(self, ratios: tuple[float, ...]) -> tuple[int | None, ...]:
        pulled_away = any(pile_of(ratio, ratios) == 0 for ratio in self._pulls)
        if not pulled_away and not begins_with_first(ratios):
            return (None,) * len(ratios)
        numbers: list[int | None] = [1]
        widest = FIRST_STEP
        for before, after in itertools.pairwise(ratios):
            step = before / after
            counted = numbers[-1] is not None and step <= widest * WIDER
            numbers.append(len(numbers) + 1 if counted else None)
            widest = step
        return tuple(numbers)


def find_peaks(time_s: list[float]) -> list[int]:
    """Return the bins on top of the piles, lowest first."""
    smooth = [a + b + c for a, b, c in zip([0.0, *time_s], time_s, [*time_s[1:], 0.0], strict=False)]
    found: list[int] = []
    for i, height in enumerate(smooth):
        if height <= 0.0 or sum(time_s[max(i - 2, 0) : i + 3]) < GEAR_S:
            continue
        if height < max(smooth[max(i - APART_BINS // 2, 0) : i + APART_BINS // 2 + 1]):
            continue
        if found and (
            i - found[-1] < APART_BINS
            or min(smooth[found[-1] : i + 1]) > VALLEY * min(smooth[found[-1]], smooth[i])
        ):
            if height > smooth[found[-1]]:
                found[-1] = i
            continue
        found.append(i)
    return found


def pile_of(ratio: float, ratios: tuple[float, ...]) -> int | None:
    """Return which ratio this one belongs to, None between them."""
    if not ratios:
        return None
    place = min(range(len(ratios)), key=lambda i: abs(ratios[i] - ratio))
    return place if abs(ratio - ratios[place]) <= NEAR * ratios[place] else None


def begins_with_first(ratios: tuple[float, ...]) -> bool:
    """Return whether the first two steps are those of a road car's first three gears."""
    if len(ratios) < 3:
        return False
    step, following = ratios[0] / ratios[1], ratios[1] / ratios[2]
    (low, high), (least, most) = ROAD_FIRST_STEP, ROAD_FIRST_TO_NEXT
    return low <= step <= high and least <= step / following <= most

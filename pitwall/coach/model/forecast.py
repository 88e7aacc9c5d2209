"""Make the network's numbers into the car's way in the next seconds, and judge it after."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import msgspec

from pitwall.coach.model.features import SPEED_AT_S, WAY_AT_S

SPEEDS, WAYS = len(SPEED_AT_S), len(WAY_AT_S)
HEADS = SPEEDS + WAYS
# The network gives corrections of the lookup in these units, half the widths of their bands, and
# pedals.
SPEED_UNIT_MPS, WAY_UNIT_M = 2.0, 3.0
OUTPUTS = 2 * HEADS + 2 * SPEEDS
# The score is made of this number of ended forecasts: a minute and a half of asking.
JUDGED = 900
# What the training counts for at first: as much as 15 s of asking.
TRUSTED = 150
# A correction is used from this share of it on: below, the lookup knows as much.
WORTH = 0.3
# A call has this much in hand (`lead.MARGIN_S`). Share of calls that may come later than that, and
# the correction's step, s.
IN_HAND_S, MISSES, STEP_S = 0.3, 0.02, 0.01


class Forecast(msgspec.Struct, frozen=True):
    """The way of the next seconds from `place_m`; `early_s`: how much sooner the car has been."""

    t: float
    place_m: float
    way_m: tuple[float, ...]
    early_s: tuple[float, ...]

    def seconds_to(self, ahead_m: float) -> tuple[float, float]:
        """Return when the way reaches `ahead_m`, and how much sooner that may be; inf: beyond."""
        from_s, from_m, from_early_s = 0.0, 0.0, 0.0
        for at_s, way_m, early_s in zip(WAY_AT_S, self.way_m, self.early_s, strict=True):
            if way_m >= ahead_m:
                step_m = way_m - from_m
                share = (ahead_m - from_m) / step_m if step_m > 0.0 else 1.0
                return from_s + (at_s - from_s) * share, from_early_s + (early_s - from_early_s) * share
            from_s, from_m, from_early_s = at_s, way_m, early_s
        return math.inf, 0.0


class _Open(msgspec.Struct, gc=False):
    t: float
    way_m: float
    base_m: tuple[float, ...]
    correction_m: tuple[float, ...]
    next_way: int = 0


class Score:
    """How much of the network's corrections came true in this drive, by the second ahead."""

    def __init__(self) -> None:
        self.early_s = [0.0] * WAYS
        self._made = [float(TRUSTED)] * WAYS
        self._came = [float(TRUSTED)] * WAYS
        self._open: deque[_Open] = deque()
        self._past: deque[tuple[float, float, float]] = deque()

    @property
    def shares(self) -> list[float]:
        """0..1 of each."""
        return [min(max(came / made, 0.0), 1.0) for came, made in zip(self._came, self._made, strict=True)]

    @property
    def better(self) -> bool:
        """Return whether the ways that it forecasts are nearer than the lookup's."""
        return min(self.shares) >= WORTH

    @property
    def waits(self) -> bool:
        """Return whether a forecast is open: then every frame is to be fed."""
        return bool(self._open)

    def note(self, t: float, base_m: Sequence[float], correction_m: Sequence[float]) -> None:
        """Keep a forecast of the last second: the lookup's ways and their corrections."""
        at_t, way_m, speed_mps = next((each for each in reversed(self._past) if each[0] <= t), self._past[0])
        self._open.append(_Open(t, way_m + speed_mps * (t - at_t), tuple(base_m), tuple(correction_m)))

    def clear(self) -> None:
        """The way is not known from here on: what is open can't be judged."""
        self._open.clear()
        self._past.clear()

    def feed(self, t: float, speed_mps: float) -> None:
        """The car drove on: judge what has come to its time."""
        if self._past and t - self._past[-1][0] > 0.5:
            self.clear()
        before = self._past[-1] if self._past else (t, 0.0, speed_mps)
        way_m = before[1] + 0.5 * (speed_mps + before[2]) * (t - before[0])
        self._past.append((t, way_m, speed_mps))
        while self._past[0][0] < t - 1.0:
            self._past.popleft()
        for each in self._open:
            self._judge(each, before, (t, way_m, speed_mps))
        while self._open and self._open[0].next_way == WAYS:
            self._open.popleft()

    def _judge(
        self, each: _Open, before: tuple[float, float, float], now: tuple[float, float, float]
    ) -> None:
        while each.next_way < WAYS:
            due_t = each.t + WAY_AT_S[each.next_way]
            if due_t > now[0]:
                return
            step_s = now[0] - before[0]
            share = min(max((due_t - before[0]) / step_s, 0.0), 1.0) if step_s > 0.0 else 1.0
            way_m = before[1] + share * (now[1] - before[1]) - each.way_m
            self._learn(each.next_way, way_m - each.base_m[each.next_way], each, now[2])
            each.next_way += 1

    def _learn(self, at: int, residual_m: float, each: _Open, speed_mps: float) -> None:
        correction = each.correction_m[at] / WAY_UNIT_M
        keep = 1.0 - 1.0 / JUDGED
        further_m = residual_m - self.shares[at] * each.correction_m[at]
        missed = further_m > (self.early_s[at] + IN_HAND_S) * speed_mps
        self.early_s[at] = max(self.early_s[at] + STEP_S * ((1.0 if missed else 0.0) - MISSES), 0.0)
        # Least squares, the last minutes counting most, in units of a typical correction, so that
        # one wild forecast does not outweigh a lap.
        weight = 1.0 / max(0.05, correction * correction)
        self._made[at] = keep * self._made[at] + weight * correction * correction
        self._came[at] = keep * self._came[at] + weight * correction * residual_m / WAY_UNIT_M


def corrections_m(outputs: Sequence[float]) -> list[float]:
    """The network's OUTPUTS as corrections of the ways at WAY_AT_S."""
    return [WAY_UNIT_M * value for value in outputs[SPEEDS:HEADS]]

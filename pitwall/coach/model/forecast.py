"""A forecast of the next seconds: the network's numbers made into speeds, ways and bands, and judged as the
car drives on."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import msgspec

from pitwall.coach.model.features import SPEED_AT_S, WAY_AT_S

SPEEDS, WAYS = len(SPEED_AT_S), len(WAY_AT_S)
HEADS = SPEEDS + WAYS
# The network gives corrections of the lookup in these units, half the widths of their bands, and pedals.
SPEED_UNIT_MPS, WAY_UNIT_M = 2.0, 3.0
UNITS = (*(SPEED_UNIT_MPS for _ in SPEED_AT_S), *(WAY_UNIT_M for _ in WAY_AT_S))
OUTPUTS = 2 * HEADS + 2 * SPEEDS
# Of so many forecasts that have come to their end the score is made: a minute and a half.
JUDGED = 900
# What the training counts for in the first laps: as much as 15 s of driving.
TRUSTED = 150
# How fast a band follows what it holds; a band is wrong in one of ten.
BAND_STEP, MISSES = 0.03, 0.1
NARROWEST, WIDEST = 0.4, 8.0
# A correction is used from this share of it on: below, the lookup knows as much.
WORTH = 0.3


class Forecast(msgspec.Struct, frozen=True, array_like=True):
    """The next seconds as seen at `t` from `place_m`. `speed_mps`, `brake` and `throttle` (0..1) at
    SPEED_AT_S, `way_m` driven by WAY_AT_S; `low` and `high` hold nine of ten. `better`: so far in this drive
    it was nearer than the lookup."""

    t: float
    place_m: float
    speed_mps: tuple[float, ...]
    speed_low_mps: tuple[float, ...]
    speed_high_mps: tuple[float, ...]
    way_m: tuple[float, ...]
    way_low_m: tuple[float, ...]
    way_high_m: tuple[float, ...]
    brake: tuple[float, ...]
    throttle: tuple[float, ...]
    better: bool


def seconds_to_way(ways_m: Sequence[float], ahead_m: float) -> float:
    """When the way of WAY_AT_S reaches `ahead_m`; inf where that is beyond the last of them."""
    from_s, from_m = 0.0, 0.0
    for at_s, way_m in zip(WAY_AT_S, ways_m, strict=True):
        if way_m >= ahead_m:
            step_m = way_m - from_m
            return from_s + (at_s - from_s) * ((ahead_m - from_m) / step_m if step_m > 0.0 else 1.0)
        from_s, from_m = at_s, way_m
    return math.inf


class _Open(msgspec.Struct, gc=False):
    """A forecast whose time has not come: what the lookup said, and what the network made of it."""

    t: float
    way_m: float
    base: tuple[float, ...]
    correction: tuple[float, ...]
    width: tuple[float, ...]
    next_head: int = 0


class Score:
    """How much of the network's corrections came true in this drive, head by head, and what bands hold.

    Each head has a share: what of its correction is to be added to the lookup (1: all of it; 0: the lookup
    alone). A car or a track like none in the training makes it small by itself. `scales` widen the bands."""

    def __init__(self, scales: Sequence[float] = (1.0,) * HEADS) -> None:
        self.scales = list(scales)
        self._made = [float(TRUSTED)] * HEADS
        self._came = [float(TRUSTED)] * HEADS
        self._open: deque[_Open] = deque()
        self._past: deque[tuple[float, float, float]] = deque()

    @property
    def shares(self) -> list[float]:
        """0..1 of each head."""
        return [min(max(came / made, 0.0), 1.0) for came, made in zip(self._came, self._made, strict=True)]

    @property
    def better(self) -> bool:
        """Return whether the ways that it forecasts are nearer than the lookup's."""
        return min(self.shares[SPEEDS:]) >= WORTH

    def note(
        self, t: float, base: Sequence[float], correction: Sequence[float], width: Sequence[float]
    ) -> None:
        """A forecast was made: the lookup's values, the corrections and band widths in the heads' units."""
        way_m = self._way_at(t)
        if way_m is None:
            return
        self._open.append(_Open(t, way_m, tuple(base), tuple(correction), tuple(width)))

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
        while self._open and self._open[0].next_head == HEADS:
            self._open.popleft()

    def _way_at(self, t: float) -> float | None:
        """The way driven up to a time of the last second."""
        for at_t, way_m, speed_mps in reversed(self._past):
            if at_t <= t:
                return way_m + speed_mps * (t - at_t)
        return None

    def _judge(
        self, each: _Open, before: tuple[float, float, float], now: tuple[float, float, float]
    ) -> None:
        while each.next_head < HEADS:
            head = _ORDER[each.next_head]
            due_t = each.t + _AT_S[head]
            if due_t > now[0]:
                return
            step_s = now[0] - before[0]
            share = min(max((due_t - before[0]) / step_s, 0.0), 1.0) if step_s > 0.0 else 1.0
            is_speed = head < SPEEDS
            column = 2 if is_speed else 1
            value = (
                before[column] + share * (now[column] - before[column]) - (0.0 if is_speed else each.way_m)
            )
            self._learn(head, (value - each.base[head]) / UNITS[head], each)
            each.next_head += 1

    def _learn(self, head: int, residual: float, each: _Open) -> None:
        correction = each.correction[head]
        keep = 1.0 - 1.0 / JUDGED
        error = abs(residual - self.shares[head] * correction)
        missed = error > self.scales[head] * each.width[head]
        scale = self.scales[head] * math.exp(BAND_STEP * ((1.0 if missed else 0.0) - MISSES))
        self.scales[head] = min(max(scale, NARROWEST), WIDEST)
        # Least squares of what came on what was said, the last minutes counting most. In units of a typical
        # correction, so that one wild forecast does not outweigh a lap.
        weight = 1.0 / max(0.05, correction * correction)
        self._made[head] = keep * self._made[head] + weight * correction * correction
        self._came[head] = keep * self._came[head] + weight * correction * residual


# The heads in the order in which their time comes.
_AT_S = (*SPEED_AT_S, *WAY_AT_S)
_ORDER = tuple(sorted(range(HEADS), key=lambda head: _AT_S[head]))


def split(outputs: Sequence[float]) -> tuple[list[float], list[float], list[float], list[float]]:
    """The network's OUTPUTS as corrections and widths (HEADS each, in UNITS), brake and throttle (0..1)."""
    widths = [_softplus(value) for value in outputs[HEADS : 2 * HEADS]]
    pedals = [1.0 / (1.0 + math.exp(-min(max(value, -30.0), 30.0))) for value in outputs[2 * HEADS :]]
    return list(outputs[:HEADS]), widths, pedals[:SPEEDS], pedals[SPEEDS:]


def forecast_of(
    t: float, place_m: float, base: Sequence[float], outputs: Sequence[float], score: Score
) -> Forecast:
    """Return what the network said of an instant, as far as this drive has shown it to be right."""
    corrections, widths, brake, throttle = split(outputs)
    middle, low, high = [], [], []
    for i in range(HEADS):
        value = base[i] + score.shares[i] * corrections[i] * UNITS[i]
        half = score.scales[i] * widths[i] * UNITS[i]
        middle.append(round(value, 2))
        low.append(round(value - half, 2))
        high.append(round(value + half, 2))
    return Forecast(
        t=t,
        place_m=round(place_m, 2),
        speed_mps=tuple(middle[:SPEEDS]),
        speed_low_mps=tuple(low[:SPEEDS]),
        speed_high_mps=tuple(high[:SPEEDS]),
        way_m=tuple(middle[SPEEDS:]),
        way_low_m=tuple(low[SPEEDS:]),
        way_high_m=tuple(high[SPEEDS:]),
        brake=tuple(round(value, 2) for value in brake),
        throttle=tuple(round(value, 2) for value in throttle),
        better=score.better,
    )


def _softplus(value: float) -> float:
    return value if value > 30.0 else math.log1p(math.exp(value))

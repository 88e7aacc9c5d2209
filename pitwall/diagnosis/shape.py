"""How one pass differs from another by the shape of two speed curves, phase by phase.

A brake point is no threshold: it is the median shift of the falling curve at six speeds just under
the common top; the throttle is that of the rising curve just over the slowest speed. Sampling at 5
to 10 Hz is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt
from statistics import median
from typing import Literal

import msgspec

from pitwall.diagnosis.passes import RoadPass
from pitwall.diagnosis.road import STEP_M

Phase = Literal["straight", "brake", "middle", "exit"]
PHASES: tuple[Phase, ...] = ("straight", "brake", "middle", "exit")
KMH = 3.6
# The slowest place is looked for this share of the segment around that of the road, at least so
# many places.
AROUND_SHARE, AROUND = 0.12, 10
# A curve that falls or rises by less has no brake point or throttle point, m/s.
LEAST_DROP_MPS, LEAST_RISE_MPS = 2.0, 1.5
# A throttle at this is closed, brakes at this (bar or per cent) are off; a throttle at this is
# open.
CLOSED_PCT, OFF = 8.0, 3.0


class Shape(msgspec.Struct, frozen=True):
    """Differences, own less the other's. Metres: `brake_m` (where the brakes come on), `turn_m`
    (the end of the braking), `throttle_m` (where the car gains speed again), `late_m` (where it has
    gained most of it, less what `throttle_m` says). km/h: `slowest_kmh`, `middle_kmh` (mean of the
    middle), `dip_kmh` (speed that is lost again on the way out), `top_kmh` (gained less on the
    straight). `coast_s`: longer on neither pedal (None: the pedals are not known). `coasts_in`: on
    neither pedal where the segment begins, as the other is not. `brake_pedal_m`: what the brake
    pedal says of `brake_m` (None: not known)."""

    brake_m: float = 0.0
    turn_m: float = 0.0
    slowest_kmh: float = 0.0
    middle_kmh: float = 0.0
    throttle_m: float = 0.0
    late_m: float = 0.0
    dip_kmh: float = 0.0
    top_kmh: float = 0.0
    coast_s: float | None = None
    coasts_in: bool = False
    brake_pedal_m: float | None = None


class Comparison(msgspec.Struct, frozen=True):
    """A pass against another: `loss_s` in all, `gains_s` by phase (what comes back when the other's
    speed is driven in that phase only), the shape, and where the first of the two begins to slow
    down, metres behind the begin of the segment."""

    loss_s: float
    gains_s: tuple[float, float, float, float]
    shape: Shape
    slows_at_m: float


def compare(own: RoadPass, other: RoadPass, slow_at: int) -> Comparison:
    """Compare two passes of one segment; `slow_at` is the place of its slow point, counted from the
    begin."""
    count = min(len(own.speed_mps), len(other.speed_mps))
    mine, theirs = own.speed_mps[:count], other.speed_mps[:count]
    bounds, shape = _shape(mine, theirs, slow_at)
    pedals = _pedals(own, other, bounds)
    if pedals:
        shape = msgspec.structs.replace(shape, **pedals)
    gains = _gains(mine, theirs, bounds)
    # The difference of the times is true also of what the places 2 m apart leave out.
    return Comparison(own.time_s - other.time_s, gains, shape, bounds[1] * STEP_M)


Bounds = tuple[int, int, int, int, int]


def _slowest(speed: Sequence[float], slow_at: int) -> int:
    count = len(speed)
    reach = max(AROUND, int(AROUND_SHARE * count))
    first, last = max(slow_at - reach, 3), min(slow_at + reach, count - 3)
    if last <= first:
        return min(max(slow_at, 1), count - 4)
    return min(range(first, last), key=speed.__getitem__)


def _levels(low: float, high: float, count: int) -> list[float]:
    return [low + (high - low) * i / (count - 1) for i in range(count)]


def _falls(speed: Sequence[float], slowest: int, levels: Sequence[float]) -> list[float | None]:
    """Where the speed was last at each of these, which fall, before its slowest place."""
    found: list[float | None] = []
    i = slowest
    for level in reversed(levels):
        while i >= 0 and speed[i] < level:
            i -= 1
        if i < 0 or i == slowest:
            found.append(None)
        else:
            found.append(i + (speed[i] - level) / max(speed[i] - speed[i + 1], 1e-6))
    return found[::-1]


def _rises(speed: Sequence[float], slowest: int, levels: Sequence[float]) -> list[float | None]:
    """Where the speed first came to each of these, which rise, behind its slowest place."""
    found: list[float | None] = []
    i, count = slowest, len(speed)
    for level in levels:
        while i < count and speed[i] < level:
            i += 1
        if i >= count or i == slowest:
            found.append(None)
        else:
            found.append(i - 1 + (level - speed[i - 1]) / max(speed[i] - speed[i - 1], 1e-6))
    return found


def _shift_m(own: Sequence[float | None], other: Sequence[float | None]) -> float:
    apart = [a - b for a, b in zip(own, other, strict=True) if a is not None and b is not None]
    return STEP_M * median(apart) if apart else 0.0


def _shape(mine: Sequence[float], theirs: Sequence[float], slow_at: int) -> tuple[Bounds, Shape]:
    count = len(mine)
    slow, their_slow = _slowest(mine, slow_at), _slowest(theirs, slow_at)
    base = max(mine[slow], theirs[their_slow])
    top = min(max(mine[: slow + 1]), max(theirs[: their_slow + 1]))
    brake_m = turn_m = throttle_m = late_m = 0.0
    braked, turned = max(min(slow, their_slow) - 5, 1), max(min(slow, their_slow) - 5, 1)
    if (drop := top - base) > LEAST_DROP_MPS:
        levels = _levels(top - max(0.12 * drop, 0.7), base + 0.25 * drop, 12)
        own, other = _falls(mine, slow, levels), _falls(theirs, their_slow, levels)
        brake_m, turn_m = _shift_m(own[:6], other[:6]), _shift_m(own[8:], other[8:])
        begins = [each for each in (own[0], other[0]) if each is not None]
        ends = [each for each in (own[-1], other[-1]) if each is not None]
        braked = int(min(begins)) - 4 if begins else braked
        turned = int(min(ends)) if ends else turned
    pulled = max(slow, their_slow) + 3
    if (rise := min(max(mine[slow:]), max(theirs[their_slow:])) - base) > LEAST_RISE_MPS:
        low = [base + each for each in _levels(min(0.8, 0.15 * rise), min(2.5, 0.35 * rise), 6)]
        high = [base + each * rise for each in _levels(0.3, 0.55, 6)]
        own, other = _rises(mine, slow, low), _rises(theirs, their_slow, low)
        throttle_m = _shift_m(own, other)
        late_m = _shift_m(_rises(mine, slow, high), _rises(theirs, their_slow, high)) - max(throttle_m, 0.0)
        pulled = int(max(float(slow), float(their_slow), *(e for e in (own[-1], other[-1]) if e is not None)))
    braked = min(max(braked, 1), count - 4)
    turned = min(max(turned, braked + 1), count - 3)
    pulled = min(max(pulled, turned + 1), count - 2)
    shape = Shape(
        brake_m=brake_m,
        turn_m=turn_m,
        slowest_kmh=(mine[slow] - theirs[their_slow]) * KMH,
        middle_kmh=(_mean_mps(mine[turned:pulled]) - _mean_mps(theirs[turned:pulled])) * KMH,
        throttle_m=throttle_m,
        late_m=late_m,
        dip_kmh=_dip_kmh(mine, turned, pulled) - _dip_kmh(theirs, turned, pulled),
        top_kmh=((mine[braked] - theirs[braked]) - (mine[0] - theirs[0])) * KMH,
    )
    return (0, braked, turned, pulled, count), shape


def _mean_mps(speed: Sequence[float]) -> float:
    return len(speed) / sum(1.0 / mps for mps in speed)


def _dip_kmh(speed: Sequence[float], turned: int, pulled: int) -> float:
    """The most speed that is lost again once it has risen off its slowest."""
    most = 0.0
    lowest, highest = speed[turned], -1.0
    for mps in speed[turned : pulled + int(0.85 * (len(speed) - pulled))]:
        lowest = min(lowest, mps)
        if mps - lowest >= 0.4:
            highest = max(highest, mps)
        if highest > 0.0:
            most = max(most, highest - mps)
    return most * KMH


def _pedals(own: RoadPass, other: RoadPass, bounds: Bounds) -> dict[str, float]:
    """What the pedals add, where both passes know them."""
    found: dict[str, float] = {}
    if own.brake and other.brake:
        places = [_pressed(each.brake, bounds) for each in (own, other)]
        if places[0] is not None and places[1] is not None:
            found["brake_pedal_m"] = (places[0] - places[1]) * STEP_M
    if own.brake and other.brake and own.throttle_pct and other.throttle_pct:
        coasts_in = _coasted_s(own, 0, 1) > 0.0 == _coasted_s(other, 0, 1)
        first, last = 0 if coasts_in else max(bounds[1] - 30, 0), bounds[3]
        found["coast_s"] = _coasted_s(own, first, last) - _coasted_s(other, first, last)
        found["coasts_in"] = coasts_in
    return found


def _pressed(brake: Sequence[float], bounds: Bounds) -> int | None:
    """The place where the brakes come on, None where they don't."""
    least = max(OFF, 0.1 * max(brake))
    first = max(bounds[1] - 60, 0)
    return next((i for i in range(first, min(bounds[3], len(brake))) if brake[i] >= least), None)


def _coasted_s(each: RoadPass, first: int, last: int) -> float:
    columns = zip(
        each.speed_mps[first:last], each.throttle_pct[first:last], each.brake[first:last], strict=True
    )
    return sum(STEP_M / mps for mps, pct, brake in columns if pct < CLOSED_PCT and brake < OFF)


def _gains(
    mine: Sequence[float], theirs: Sequence[float], bounds: Bounds
) -> tuple[float, float, float, float]:
    """Seconds that come back when the other's speed is driven in one phase only.

    The straight and the way out count relative to the speed that they begin with; braking and
    middle are the driver's choice. What the middle wins in speed is kept on the way out, as energy
    over distance, and never beyond what the other drove.
    """
    found = []
    count = len(mine)
    for phase, (first, last) in enumerate(pairwise(bounds)):
        relative = phase in (0, 3)
        ahead = (theirs[first] ** 2, mine[first] ** 2)
        won_s, square = 0.0, mine[first] ** 2
        for i in range(first, last):
            square = theirs[i] ** 2
            if relative:
                square = _between(ahead[1] + square - ahead[0], mine[i] ** 2, square)
            won_s += 1.0 / mine[i] - 1.0 / sqrt(square)
        if phase == 2 and last < count:
            carried = square - mine[last - 1] ** 2
            for i in range(last, count):
                own = mine[i] ** 2
                won_s += 1.0 / mine[i] - 1.0 / sqrt(_between(own + carried, own, theirs[i] ** 2))
        found.append(STEP_M * won_s)
    return found[0], found[1], found[2], found[3]


def _between(value: float, one: float, other: float) -> float:
    return min(max(value, min(one, other)), max(one, other))

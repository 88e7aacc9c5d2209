"""An even clock through stamps that jitter: a straight line through the last of them.

A g-h filter of expanding memory (Brookner 1998, "Tracking and Kalman filtering made easy",
1.2.10)."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from statistics import median

# The line goes through this many stamps: a jitter of 0.05 s leaves 3 ms in it.
MEMORY = 400
# The first ones tell the step: to 1 %, else it slips. Those further apart are of lost ones, where
# the jitter is a small share of a step.
FIRST, CLEAR = 64, 0.2
# A stamp that is off by this many steps shows lost readings at once, where that is this many times
# the jitter; else the mean of the last ones is, of the more the larger the jitter is.
LOST_STEPS, LOST_TIMES, LATELY, USUAL = 0.75, 5.0, 1 / 6, 1 / 32
STEADY_STEPS, SLIP_STEPS = 0.12, 0.55
# Where more than this slip, jitter and lost ones look alike: they stay as they are.
SLIPPING, SLIPS = 0.004, 1 / 256
# A longer hole begins a new line: whether the receiver went on evenly, nobody knows.
HOLE_STEPS = 20.0


class EvenClock:
    """Gives each stamp of an even receiver the moment on its own grid, without waiting for the
    next."""

    def __init__(self, step_s: float = 0.0) -> None:
        """`step_s`: the receiver's step; 0: the first stamps tell it."""
        self._step_s, self._first = step_s, list[float]()
        self._count, self._at_s, self._usual_s, self._lately_s = 0, 0.0, 0.0, 0.0
        self._slips, self._given_s = 0.0, -inf

    def at(self, stamp_s: float, moved_s: float = 0.0) -> float:
        """Return the even moment of the next stamp, s; `moved_s`: the car's time since, 0:
        unknown."""
        at_s = self._learn(stamp_s) if self._step_s <= 0.0 else self._follow(stamp_s, moved_s)
        self._given_s = max(self._given_s, stamp_s if self._slips > SLIPPING else at_s)
        return self._given_s

    def _follow(self, stamp_s: float, moved_s: float) -> float:
        last_s, step_s, n = self._at_s, self._step_s, self._count
        off_s = stamp_s - last_s - step_s
        if not n or abs(off_s) > HOLE_STEPS * step_s:
            self._count, self._at_s, self._lately_s = FIRST, stamp_s, 0.0
            return stamp_s
        lost_s = self._lost(off_s, moved_s) * step_s
        off_s -= lost_s
        g, h = 2.0 * (2 * n + 1) / ((n + 1) * (n + 2)), 6.0 / ((n + 1) * (n + 2))
        self._at_s = last_s + step_s + lost_s + g * off_s
        self._step_s += h * off_s
        self._usual_s += USUAL * (abs(off_s) - self._usual_s)
        self._count = min(n + 1, MEMORY)
        return self._at_s

    def _lost(self, off_s: float, moved_s: float) -> int:
        step_s = self._step_s
        if moved_s > 0.0:
            return max(round(moved_s / step_s), 1) - 1
        if off_s > max(LOST_STEPS * step_s, least_s := LOST_TIMES * self._usual_s) and least_s < step_s:
            return round(off_s / step_s)
        steady = STEADY_STEPS * step_s / max(self._usual_s, STEADY_STEPS * step_s)
        self._lately_s += min(steady * steady, LATELY) * (off_s - self._lately_s)
        lately = 0
        if abs(self._lately_s) > SLIP_STEPS * step_s:
            lately, self._lately_s = round(self._lately_s / step_s), 0.0
        self._slips += SLIPS * (abs(lately) - self._slips)
        return lately

    def _learn(self, stamp_s: float) -> float:
        self._first.append(stamp_s)
        if len(self._first) >= FIRST:
            steps = [b - a for a, b in pairwise(self._first)]
            usual_s = median(steps)
            clear = median(abs(each - usual_s) for each in steps) < CLEAR * usual_s
            count = sum(max(round(each / usual_s), 1) if clear else 1 for each in steps)
            self._step_s = (stamp_s - self._first[0]) / count
            self._first.clear()
        return stamp_s

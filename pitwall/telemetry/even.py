"""An even clock through stamps that jitter: a straight line through the last of them, by a g-h
filter of expanding memory (Brookner 1998, "Tracking and Kalman filtering made easy", 1.2.10)."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

# The line goes through this many stamps: a jitter of 0.05 s leaves 3 ms in it.
MEMORY = 400
# The first ones tell the step.
FIRST = 16
# A stamp that is off by this many steps, and this many times what is usual, shows lost readings at
# once; else the mean of the last few is off by half a step.
LOST_STEPS, LOST_TIMES, LATELY, USUAL = 0.75, 8.0, 1 / 4, 1 / 32
# A longer hole begins a new line: whether the receiver went on evenly, nobody knows.
HOLE_STEPS = 20.0


class EvenClock:
    """Gives each stamp of an even receiver the moment on its own grid, without waiting for the
    next."""

    def __init__(self, step_s: float = 0.0) -> None:
        """`step_s`: the receiver's step; 0: the first stamps tell it."""
        self._step_s, self._first = step_s, list[float]()
        self._count, self._at_s, self._usual_s, self._lately_s = 0, 0.0, 0.0, 0.0

    def at(self, stamp_s: float, moved_s: float = 0.0) -> float:
        """Return the even moment of the next stamp, in its seconds; never before the last one.

        `moved_s`: how long the car took since the last one, by its way and speed; 0 where that is
        not known."""
        if self._step_s <= 0.0:
            return self._learn(stamp_s)
        last_s, step_s, n = self._at_s, self._step_s, self._count
        off_s = stamp_s - last_s - step_s
        if not n or abs(off_s) > HOLE_STEPS * step_s:
            self._count, self._at_s, self._lately_s = FIRST, stamp_s, 0.0
            return stamp_s
        lost_s = self._lost(off_s, moved_s) * step_s
        off_s -= lost_s
        g, h = 2.0 * (2 * n + 1) / ((n + 1) * (n + 2)), 6.0 / ((n + 1) * (n + 2))
        self._at_s = max(last_s + step_s + lost_s + g * off_s, last_s)
        self._step_s += h * off_s
        self._usual_s += USUAL * (abs(off_s) - self._usual_s)
        self._lately_s += LATELY * (off_s - self._lately_s)
        self._count = min(n + 1, MEMORY)
        return self._at_s

    def _lost(self, off_s: float, moved_s: float) -> int:
        """Return how many readings were lost before this one; below 0: they were not, before."""
        step_s = self._step_s
        if moved_s > 0.0:
            return max(round(moved_s / step_s), 1) - 1
        if off_s > max(LOST_STEPS * step_s, LOST_TIMES * self._usual_s):
            return round(off_s / step_s)
        lately = round((self._lately_s + LATELY * (off_s - self._lately_s)) / step_s)
        self._lately_s -= lately * step_s
        return lately

    def _learn(self, stamp_s: float) -> float:
        self._first.append(stamp_s)
        if len(self._first) >= FIRST:
            self._step_s = median(b - a for a, b in pairwise(self._first))
            self._first.clear()
        return stamp_s

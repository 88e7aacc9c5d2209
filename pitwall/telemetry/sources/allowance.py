"""What a source may take in: a flood is shed or held back, and the rest of the car goes on."""

from __future__ import annotations


class Allowance:
    """A bucket that fills with `rate_per_s` up to `burst`; time is the caller's."""

    __slots__ = ("_at_s", "_burst", "_level", "_rate_per_s")

    def __init__(self, rate_per_s: float, burst: float) -> None:
        self._rate_per_s, self._burst = rate_per_s, burst
        self._level, self._at_s = burst, 0.0

    def take(self, amount: float, now_s: float) -> bool:
        """Whether `amount` is allowed at `now_s`; only then it is taken."""
        self._fill(now_s)
        if self._level < amount:
            return False
        self._level -= amount
        return True

    def owe(self, amount: float, now_s: float) -> float:
        """Take `amount` in any case; the seconds to wait until it is made good, 0 within the allowance."""
        self._fill(now_s)
        self._level -= amount
        return max(0.0, -self._level / self._rate_per_s)

    def _fill(self, now_s: float) -> None:
        if now_s > self._at_s:
            self._level = min(self._burst, self._level + (now_s - self._at_s) * self._rate_per_s)
        self._at_s = now_s

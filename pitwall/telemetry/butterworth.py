"""A second-order Butterworth low-pass, causal, for sensors that shake with the car."""

from __future__ import annotations

import math

# The car's own motion ends below 5 Hz; kerbs, engine and a phone's holder shake above it.
CUTOFF_HZ = 12.0
# Too near to half the rate nothing is left to filter: such a stream goes through as it is.
LEAST_RATE_HZ = 2.5 * CUTOFF_HZ
# The design follows the stream's rate in steps of this much, so that jitter doesn't redesign it.
RATE_STEP = 0.1
# After a hole the past says nothing.
HOLE_STEPS = 5.0


def coefficients(rate_hz: float, cutoff_hz: float = CUTOFF_HZ) -> tuple[float, float, float, float, float]:
    """(b0, b1, b2, a1, a2) of y = b0 x + b1 x' + b2 x" - a1 y' - a2 y": bilinear transform of
    1 / (s² + sqrt(2) s + 1), pre-warped at the cut-off (Oppenheim and Schafer, section 7.1)."""
    k = math.tan(math.pi * cutoff_hz / rate_hz)
    scale = 1.0 / (1.0 + math.sqrt(2.0) * k + k * k)
    b0 = k * k * scale
    return b0, 2.0 * b0, b0, 2.0 * (k * k - 1.0) * scale, (1.0 - math.sqrt(2.0) * k + k * k) * scale


class LowPass:
    """One channel's filter at `CUTOFF_HZ`. Follows the rate; begins anew after a hole."""

    __slots__ = ("_b0", "_b1", "_b2", "_a1", "_a2", "_step_s", "_t", "_x1", "_x2", "_y1", "_y2")  # noqa: RUF023

    def __init__(self) -> None:
        self._b0 = self._b1 = self._b2 = self._a1 = self._a2 = 0.0
        self._step_s = 0.0
        self._t = -math.inf
        self._x1 = self._x2 = self._y1 = self._y2 = 0.0

    def feed(self, t: float, x: float, step_s: float) -> float:
        """The filtered reading; `step_s` is the usual time between two of the stream."""
        if step_s <= 0.0 or step_s * LEAST_RATE_HZ > 1.0:
            self._t = -math.inf
            return x
        if abs(step_s - self._step_s) > RATE_STEP * self._step_s:
            self._step_s = step_s
            self._b0, self._b1, self._b2, self._a1, self._a2 = coefficients(1.0 / step_s)
        if t - self._t > HOLE_STEPS * self._step_s:
            self._x1 = self._x2 = self._y1 = self._y2 = x
        self._t = t
        x1, y1 = self._x1, self._y1
        y = self._b0 * x + self._b1 * x1 + self._b2 * self._x2 - self._a1 * y1 - self._a2 * self._y2
        self._x2, self._x1, self._y2, self._y1 = x1, x, y1, y
        return y

"""A two-state Kalman filter: a quantity and the part of its rate that no sensor tells.

Used for speed (rate: acceleration) and for the course (rate: turning). Written out for two states, so that
a step is some thirty multiplications and needs no matrix library.
"""

from __future__ import annotations

import math

import msgspec

# Innovations beyond so many standard deviations are not believed ...
GATE_SIGMAS = 4.0
# ... unless they keep coming for so long: then it is the filter that is wrong, and it begins again from them.
INSIST_S = 0.5


class Drift(msgspec.Struct, frozen=True):
    """How the unknown part of a rate behaves: a first-order Gauss-Markov process (Singer 1970).

    `fade_s`: it forgets itself in this time. `sigma`: its standard deviation when nothing is known, in units
    of the quantity per second. `noise`: white noise of the known rate, units per square root of a second.
    """

    fade_s: float
    sigma: float
    noise: float


class RateFilter:
    """`value` and `rate` (the unknown part) with their covariance; O(1), no allocation but floats.

    `begun` is False until the first `begin`; then `predict` and `update` in order of time.
    """

    def __init__(self) -> None:
        self.value = self.rate = 0.0
        self.p_value = self.p_cross = self.p_rate = 0.0
        self.begun = False

    def begin(self, value: float, sigma: float, rate_sigma: float) -> None:
        """Start from one measurement; the rate is not known."""
        self.value, self.rate = value, 0.0
        self.p_value, self.p_cross, self.p_rate = sigma * sigma, 0.0, rate_sigma * rate_sigma
        self.begun = True

    def shift_rate(self, by: float, sigma: float) -> None:
        """Another sensor tells the known rate from now on: the sum stays, its parts move by `by`."""
        self.rate += by
        self.p_rate = max(self.p_rate, sigma * sigma)

    def predict(self, dt: float, known_rate: float, drift: Drift) -> None:
        """Go on by `dt` seconds at a known rate plus the unknown one."""
        fade = 1.0 / (1.0 + dt / drift.fade_s)
        # White noise whose steady state is sigma: density 2 sigma² / fade_s.
        q = 2.0 * drift.sigma * drift.sigma / drift.fade_s * dt
        cross, rate = self.p_cross, self.p_rate
        self.value += (known_rate + self.rate) * dt
        self.rate *= fade
        self.p_value += dt * (2.0 * cross + dt * rate) + q * dt * dt / 3.0 + drift.noise * drift.noise * dt
        self.p_cross = fade * (cross + dt * rate) + 0.5 * q * dt
        self.p_rate = fade * fade * rate + q

    def believable(self, error: float, sigma: float) -> bool:
        """Return whether a measurement that differs by `error` from what the filter said may be true."""
        return error * error <= GATE_SIGMAS * GATE_SIGMAS * (self.p_value + sigma * sigma)

    def update(self, error: float, sigma: float) -> float:
        """Take a measurement that differs by `error`; the correction of `value` that came of it."""
        spread = self.p_value + sigma * sigma
        gain, rate_gain = self.p_value / spread, self.p_cross / spread
        self.value += gain * error
        self.rate += rate_gain * error
        self.p_rate -= rate_gain * self.p_cross
        self.p_cross *= 1.0 - gain
        self.p_value *= 1.0 - gain
        return gain * error


class Plausibility:
    """Keeps one sensor's outliers away from a filter, until they have insisted for INSIST_S of data time."""

    def __init__(self) -> None:
        self._since_t = math.inf

    def update(self, filter: RateFilter, t: float, error: float, sigma: float) -> float:
        """The correction of the filter's value (0: the measurement of time `t` was not believed)."""
        if filter.believable(error, sigma):
            self._since_t = math.inf
            return filter.update(error, sigma)
        self._since_t = min(self._since_t, t)
        if t - self._since_t < INSIST_S:
            return 0.0
        self._since_t = math.inf
        filter.begin(filter.value + error, sigma, math.sqrt(filter.p_rate))
        return error

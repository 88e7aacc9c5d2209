"""Tells whether a sensor agrees with GPS: its sign, zero and scale (its lag: lag.py).

sensor = zero + scale * GPS, weighted least squares over means of the same 0.4 s blocks; older pairs
are forgotten.
"""

from __future__ import annotations

import math

import msgspec

from pitwall.telemetry.findings import FindingKind
from pitwall.telemetry.motion import Block

# Each pair weighs 1 % less than the next: about 40 s of driving count.
FORGET = 0.99
# Pairs needed: 12 s of driving; for the subtler faults 24 s.
ENOUGH = 30.0
ENOUGH_SUBTLE = 60.0
# A healthy sensor follows GPS with a correlation above 0.8.
WRONG_SIGN_R = -0.5
UNRELATED_R = 0.25
FOLLOWS_R = 0.6
# GPS that is noise is no judge.
SMOOTH_R = 0.3
# How much better a distrusted sensor must become before it is believed: no flapping.
RESTORE = 0.8


class Reference(msgspec.Struct, frozen=True):
    """What a signal must agree with. `quantity`: a field of Block. `min_spread`: the standard
    deviation GPS needs before sign and scale are judged. `max_zero`: the largest bias (None: not
    judged); `scale`: the believable range (None: any)."""

    quantity: str
    min_spread: float
    max_zero: float | None
    scale: tuple[float, float] | None
    signed: bool = True


# Body roll, banking, slopes and a slanting mount put 0.1 g into an honest accelerometer; a road
# car's wheel stands 15 degrees off; a dash reads 10 % too much and a spinning tyre more.
REFERENCES: dict[str, Reference] = {
    "g_lat": Reference("g_lat", 0.15, 0.18, (0.55, 1.8)),
    "g_long": Reference("g_long", 0.10, 0.18, (0.5, 1.8)),
    "yaw_rate_dps": Reference("yaw_rate_dps", 4.0, 5.0, (0.6, 1.6)),
    "steering_deg": Reference("curvature_dpm", 0.15, None, None),
    "wheel_speed_mps": Reference("speed_mps", 2.0, None, (0.75, 1.3), signed=False),
}


class Complaint(msgspec.Struct, frozen=True):
    """What is wrong with a sensor, in words."""

    kind: FindingKind
    detail: str


class Agreement:
    """The running comparison of one sensor with GPS."""

    def __init__(self, reference: Reference, unit: str) -> None:
        self.reference, self.unit = reference, unit
        self.forget()

    def forget(self) -> None:
        """Begin again."""
        self._n = self._r = self._s = self._rr = self._ss = self._sr = 0.0
        self._n_next = self._next = 0.0
        self._prev: tuple[float, float] | None = None

    def add(self, block: Block, sensor: float) -> None:
        """Add a pair: what GPS says of a block, and the sensor's mean over it."""
        r = getattr(block, self.reference.quantity)
        self._n = self._n * FORGET + 1.0
        self._r = self._r * FORGET + r
        self._s = self._s * FORGET + sensor
        self._rr = self._rr * FORGET + r * r
        self._ss = self._ss * FORGET + sensor * sensor
        self._sr = self._sr * FORGET + sensor * r
        # How a block resembles the one before.
        prev, self._prev = self._prev, (block.t, r)
        if prev is not None and block.t - prev[0] <= 1.5 * block.duration_s:
            self._n_next = self._n_next * FORGET + 1.0
            self._next = self._next * FORGET + (r - prev[1]) ** 2

    def complaint(self, standing: bool) -> Complaint | None:
        """Return what is proven wrong. `standing`: it is distrusted and must do better than the
        limits."""
        ref, n, k = self.reference, self._n, RESTORE if standing else 1.0
        if n < ENOUGH:
            return None
        mean_r, mean_s = self._r / n, self._s / n
        var_r = max(self._rr / n - mean_r * mean_r, 0.0)
        var_s = max(self._ss / n - mean_s * mean_s, 0.0)
        cov = self._sr / n - mean_s * mean_r
        if var_r < (ref.min_spread * k) ** 2:
            return self._zero(mean_s - mean_r, 1.5 * k)
        # Half the mean squared step between neighbours is the variance times (1 - autocorrelation).
        if self._n_next < ENOUGH / 2 or self._next / self._n_next > 2.0 * (1.0 - SMOOTH_R) * var_r:
            return self._zero(mean_s - mean_r, 1.5 * k)
        r = cov / math.sqrt(var_r * var_s) if var_s > 0.0 else 0.0
        scale = cov / var_r
        if ref.signed and r < WRONG_SIGN_R * k:
            return Complaint(
                "wrong_sign", f"runs against GPS (correlation {r:.2f}): its sign is turned round"
            )
        if n < ENOUGH_SUBTLE * k:
            return None
        if r < UNRELATED_R / k:
            biased = self._zero(mean_s - mean_r, 2.0 * k)
            if biased is not None:
                return biased
            return Complaint("scale", f"does not follow GPS (correlation {r:.2f}, scale {scale:.2f})")
        if ref.scale is not None and r > FOLLOWS_R:
            low, high = ref.scale
            if not low / k <= scale <= high * k:
                return Complaint("scale", f"reads {scale:.2f} times what GPS says")
        return self._zero(mean_s - scale * mean_r, k)

    def _zero(self, zero: float, k: float) -> Complaint | None:
        limit = self.reference.max_zero
        if limit is None or self._n < ENOUGH_SUBTLE or abs(zero) <= limit * k:
            return None
        return Complaint("bias", f"is {zero:+.2f} {self.unit} off what GPS says")

"""When a clip must start so that the driver can act on it (the lead), and the time left.

Every estimate here errs to the early side: a call that comes a little soon is used, one that comes
late is worse than silence."""

from __future__ import annotations

import math

import msgspec

# Reaction to an expected signal: 0.70-0.75 s (Green 2000, "How long does it take to stop?").
REACTION_S = 0.75
# For what the estimate can't know: the driver's line, wind, a later throttle lift.
MARGIN_S = 0.3
# How much faster than scaled the car may still drive this stretch: with the margin, 20 % over three
# seconds.
REFERENCE_SHARE = 0.9
# A track file's typical pace was driven by another car on another day.
TYPICAL_SHARE = 0.75

# What a car may do flat out before we have seen it try: 0.6 g, 200 W/kg are a good track car's.
FIRST_ACCEL_MPS2 = 6.0
FIRST_POWER_W_PER_KG = 200.0
# Formula 1: 1.5 g off a hairpin, under 1,000 W/kg. More is a GPS error.
MOST_ACCEL_MPS2 = 15.0
MOST_POWER_W_PER_KG = 1000.0
# Speed differences over half a second: GPS speed is good to 0.1 m/s, so 0.3 m/s2.
ACCEL_WINDOW_S = 0.5
# Two readings further apart than this say nothing about acceleration.
ACCEL_GAP_S = 1.5

G_MPS2 = 9.80665


class Delays(msgspec.Struct):
    """Seconds between a decision and the driver's ear: our own p99, and the calibrated audio path.

    One for all who reckon with it: where `audio_s` changes, it changes for each of them.
    """

    software_s: float = 0.05
    audio_s: float = 0.06

    def lead_s(self, fix_age_s: float, clip_s: float) -> float:
        """How long before the action point a clip of this length must start."""
        return fix_age_s + self.software_s + self.audio_s + clip_s + REACTION_S + MARGIN_S

    def ends_s(self, clip_s: float) -> float:
        """From the decision to the last sound in the driver's ear."""
        return self.software_s + self.audio_s + clip_s


def flat_out_s(distance_m: float, speed_mps: float, accel_mps2: float) -> float:
    """The least time for a distance at constant acceleration, s = vt + at²/2; inf where the car
    stands."""
    if distance_m <= 0.0:
        return 0.0
    accel = max(accel_mps2, 0.0)
    rate = speed_mps + math.sqrt(speed_mps * speed_mps + 2.0 * accel * distance_m)
    return 2.0 * distance_m / rate if rate > 0.0 else math.inf


def scaled_s(reference_s: float, reference_speed_mps: float, speed_mps: float) -> float:
    """The reference time scaled by the present pace; never longer, since a slow car may come back
    to pace."""
    if reference_speed_mps <= 0.0:
        return reference_s
    return reference_s / max(speed_mps / reference_speed_mps, 1.0)


class FlatOut:
    """Holds what this car can do with the throttle open, learned as it drives; never less than a
    good track car's.

    A car gains speed at most with its grip at low speed and with its power above, a = min(A, P/v);
    both only ever rise, so that an estimate made from them stays a bound.
    """

    __slots__ = ("_speed_mps", "_t", "accel_mps2", "power_w_per_kg")

    def __init__(self) -> None:
        self.accel_mps2 = FIRST_ACCEL_MPS2
        self.power_w_per_kg = FIRST_POWER_W_PER_KG
        self._t: float | None = None
        self._speed_mps = 0.0

    def note(self, t: float, speed_mps: float) -> None:
        """Take one speed. Steps that no car can do are a source's error and teach nothing."""
        if self._t is not None:
            step_s = t - self._t
            if step_s < ACCEL_WINDOW_S:
                return
            accel = (speed_mps - self._speed_mps) / step_s
            power = accel * (speed_mps + self._speed_mps) / 2.0
            plausible = step_s <= ACCEL_GAP_S and accel <= MOST_ACCEL_MPS2 and power <= MOST_POWER_W_PER_KG
            if plausible:
                self.accel_mps2 = max(self.accel_mps2, accel)
                self.power_w_per_kg = max(self.power_w_per_kg, power)
        self._t, self._speed_mps = t, speed_mps

    def at(self, speed_mps: float, accel_now_mps2: float) -> float:
        """The most acceleration to expect from here on, m/s²."""
        powered = self.power_w_per_kg / speed_mps if speed_mps > 0.0 else self.accel_mps2
        return min(max(accel_now_mps2, min(self.accel_mps2, powered)), MOST_ACCEL_MPS2)


def seconds_to_action(flat_s: float, expected_s: float | None, share: float) -> float:
    """The time to count on: what pace says, less its doubt, but never less than physics allows.

    `flat_s` is the bound of `flat_out_s`; `expected_s` the scaled reference where there is one and
    a corner lies between (on an open straight flat out is the truth, and the only figure to trust).
    """
    return flat_s if expected_s is None else max(flat_s, share * expected_s)

"""Predicts the least time to an action point from the car's place, speed and acceleration."""

from __future__ import annotations

import math

from pitwall.coach.lead import G_MPS2, FlatOut, flat_out_s, scaled_s, seconds_to_action
from pitwall.coach.pace import PaceProfile, typical_pace
from pitwall.coach.places import is_open
from pitwall.telemetry.frame import Frame
from pitwall.track.model import Corner, Track

BRAKING_AFTER = ("turn_in", "apex", "exit")


class Predictor:
    """Holds the car's present state; `seconds_to` errs to the early side (see `lead`)."""

    __slots__ = ("_accel_mps2", "_flat", "_place_m", "_speed_mps", "_track", "_typical", "pace")

    def __init__(self, track: Track) -> None:
        self._track = track
        self._flat = FlatOut()
        self._typical = typical_pace(track)
        self.pace: PaceProfile | None = self._typical
        self._place_m = 0.0
        self._speed_mps = 0.0
        self._accel_mps2 = 0.0

    def feed(self, frame: Frame, place_m: float, speed_mps: float) -> None:
        """The car now: place in [0, length), speed, and acceleration where it is known."""
        self._flat.note(frame.t, speed_mps)
        self._place_m, self._speed_mps = place_m, speed_mps
        now_mps2 = 0.0 if frame.g_long is None else frame.g_long * G_MPS2
        self._accel_mps2 = self._flat.at(speed_mps, now_mps2)

    def seconds_to(self, corner: Corner, phase: str, ahead_m: float) -> float:
        """Seconds to count on for `ahead_m` up to the action point of a corner's phase."""
        flat_s = flat_out_s(ahead_m, self._speed_mps, self._accel_mps2)
        if self.pace is None or not 0.0 < ahead_m < self._track.length_m:
            return flat_s
        if phase not in BRAKING_AFTER and is_open(self._track, self._place_m, ahead_m, corner):
            return flat_s
        expected_s = self._scaled_s(self.pace, ahead_m)
        if self._typical is not None:
            # A reference lap with traffic or a stop in it would promise time that there is not.
            expected_s = min(expected_s, self._scaled_s(self._typical, ahead_m))
        return seconds_to_action(flat_s, expected_s, self.pace.share)

    def _scaled_s(self, pace: PaceProfile, ahead_m: float) -> float:
        time_s = pace.time_between(self._place_m, ahead_m)
        return scaled_s(time_s, pace.speed_at(self._place_m), self._speed_mps)

    def expected_s(self, ahead_m: float) -> float:
        """Seconds to be expected, erring to neither side; for plans, never for starting a clip."""
        if self.pace is not None and 0.0 <= ahead_m < self._track.length_m:
            return self.pace.time_between(self._place_m, ahead_m)
        return ahead_m / self._speed_mps if self._speed_mps > 0.0 else math.inf

    def at_pace(self, share: float, slowest_mps: float) -> bool:
        """Whether the car has a share of the known pace at least, and is not below `slowest_mps`."""
        known_mps = self.pace.speed_at(self._place_m) if self.pace is not None else 0.0
        return self._speed_mps >= max(share * known_mps, slowest_mps)

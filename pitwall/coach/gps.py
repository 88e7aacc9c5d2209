"""Tells the driver once that GPS is lost and once that it is back, at most once in ten seconds."""

from __future__ import annotations

from pitwall.telemetry.frame import Frame
from pitwall.telemetry.watch import GOOD_S

# A gap of two seconds at the gate costs the lap time. Shorter gaps are bridged.
LOST_S = 2.0
# An older fix does not count.
FRESH_S = 0.5
# A phone's GPS gives one fix a second. A longer step is a gap.
STEADY_S = 1.2
# Any of the two is said at most once in ten seconds (DESIGN.md section 5, rule 7).
APART_S = 10.0
# The loss is not announced for a car that is slower, such as one parked under a roof.
MOVING_MPS = 5.0


class GpsWatch:
    """`feed` every frame; returns the phrase key to say now, else ""."""

    __slots__ = ("_fix_t", "_good_since", "_lost_told", "_moving", "_told_t", "reason")

    def __init__(self) -> None:
        self._fix_t: float | None = None
        self._good_since: float | None = None
        self._moving = False
        self._lost_told = False
        self._told_t = float("-inf")
        self.reason = ""

    def feed(self, frame: Frame) -> str:
        """One frame: the fix it carries, or that it carries none."""
        t = frame.t
        if frame.lat_deg is not None and frame.fix_age_s <= FRESH_S and not frame.reckoned:
            if self._fix_t is None or t - self._fix_t > STEADY_S:
                self._good_since = t
            self._fix_t = t
            if frame.speed_mps is not None:
                self._moving = frame.speed_mps > MOVING_MPS
            return self._back(t)
        if self._fix_t is None or not self._moving:
            return ""
        hole_s = t - self._fix_t
        if self._lost_told or hole_s < LOST_S or t - self._told_t < APART_S:
            return ""
        self._lost_told, self._told_t = True, t
        self.reason = f"no fix for {hole_s:.1f} s"
        return "gps_lost"

    def _back(self, t: float) -> str:
        if not self._lost_told or self._good_since is None or t - self._told_t < APART_S:
            return ""
        if t - self._good_since < GOOD_S:
            return ""
        self._lost_told, self._told_t = False, t
        self.reason = f"good for {t - self._good_since:.1f} s"
        return "gps_back"

"""Which of a frame's positions is a new fix that may be believed."""

from __future__ import annotations

import math
from typing import Literal

from pitwall.telemetry.frame import Frame

# "none": nothing new; "doubtful": an impossible step, held back; "jump": the car really is elsewhere now.
Verdict = Literal["fix", "none", "doubtful", "jump"]

# GPS wander plus the step of a solution that switches satellites.
STEP_SLACK_M = 10.0
# Beyond any car: what the speed may have changed by since the last fix, m/s per second, for at most 5 s.
GAIN_MPS2, GAIN_LONGEST_S = 12.0, 5.0
SPEED_SLACK = 1.25
# Where nothing tells the speed: faster than this no circuit is driven.
UNKNOWN_SPEED_MPS = 90.0
# A wrong fix stands alone or for a few rows; what stays consistent for half a second is where the car is.
PERSIST_S, PERSIST_FIXES = 0.5, 3
# Above walking pace the same coordinates twice are a repeated row, not a new fix.
MOVING_MPS = 2.0


class FixGuard:
    """Judges each frame's position against the last good one. Positions are plane metres."""

    __slots__ = (
        "_doubt_first_t", "_doubt_t", "_doubt_x", "_doubt_y", "_doubts", "_speed_mps", "t", "x_m", "y_m",
    )  # fmt: skip

    def __init__(self) -> None:
        self.t: float | None = None  # of the last good fix, and where it was
        self.x_m = self.y_m = 0.0
        self._speed_mps = 0.0
        self._doubts = 0
        self._doubt_t = self._doubt_first_t = self._doubt_x = self._doubt_y = 0.0

    def judge(self, frame: Frame, x_m: float, y_m: float) -> Verdict:
        """The verdict on this frame's position; on "fix" and "jump" it becomes the last good one."""
        return self.judge_at(frame.t - frame.fix_age_s, frame.speed_mps, x_m, y_m)

    def judge_at(self, t: float, speed_mps: float | None, x_m: float, y_m: float) -> Verdict:
        """The same from the fix's own time and speed (None: unknown)."""
        last_t = self.t
        if last_t is None:
            self._take(t, x_m, y_m, speed_mps)
            return "fix"
        if t <= last_t + 1e-4:
            return "none"
        dx, dy = x_m - self.x_m, y_m - self.y_m
        if dx == 0.0 and dy == 0.0 and (speed_mps is None or speed_mps > MOVING_MPS):
            return "none"
        if math.hypot(dx, dy) <= reach_m(t - last_t, self._speed_mps, speed_mps):
            self._take(t, x_m, y_m, speed_mps)
            return "fix"
        return self._doubt(t, x_m, y_m, speed_mps)

    def _doubt(self, t: float, x_m: float, y_m: float, speed_mps: float | None) -> Verdict:
        if self._doubts and t <= self._doubt_t + 1e-4:
            return "none"
        steady = (
            self._doubts > 0
            and math.hypot(x_m - self._doubt_x, y_m - self._doubt_y)
            <= reach_m(t - self._doubt_t, self._speed_mps, speed_mps)
            # Frozen coordinates of a dead receiver never become a place while the car moves.
            and ((x_m, y_m) != (self._doubt_x, self._doubt_y) or (speed_mps or 0.0) <= MOVING_MPS)
        )
        if not steady:
            self._doubts, self._doubt_first_t = 0, t
        self._doubts += 1
        self._doubt_t, self._doubt_x, self._doubt_y = t, x_m, y_m
        if self._doubts >= PERSIST_FIXES and t - self._doubt_first_t >= PERSIST_S:
            self._take(t, x_m, y_m, speed_mps)
            return "jump"
        return "doubtful"

    def _take(self, t: float, x_m: float, y_m: float, speed_mps: float | None) -> None:
        self.t, self.x_m, self.y_m, self._doubts = t, x_m, y_m, 0
        self._speed_mps = UNKNOWN_SPEED_MPS if speed_mps is None else speed_mps


def reach_m(gap_s: float, before_mps: float, now_mps: float | None) -> float:
    """How far a car can have come in `gap_s` given its speed at both ends (None: unknown)."""
    fastest_mps = max(before_mps, UNKNOWN_SPEED_MPS if now_mps is None else now_mps)
    gain_mps = GAIN_MPS2 * min(gap_s, GAIN_LONGEST_S)
    return STEP_SLACK_M + (SPEED_SLACK * fastest_mps + gain_mps) * gap_s

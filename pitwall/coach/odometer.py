"""The distance that the car has driven, counted on over laps."""

from __future__ import annotations

from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Position

# A step that differs by more from speed times time is a jump of the position.
JUMP_M = 60.0
# After a longer time without a position, the distance is not known.
BLIND_S = 2.0


class Odometer:
    """`feed` every position on the track. `s_m` is the way, `t` when the car was there: a position
    is carried on from its fix to its frame, so that is the frame's time."""

    __slots__ = ("_length_m", "before", "place_m", "s_m", "t")

    def __init__(self, length_m: float) -> None:
        self._length_m = length_m
        self.place_m: float | None = None
        self.s_m = 0.0
        self.t = 0.0
        self.before = (0.0, 0.0)

    def feed(self, frame: Frame, position: Position) -> str:
        """Take a position. Returns why the way is broken here, "" where it is not."""
        if self.place_m is None:
            self.place_m, self.t = position.distance_m, frame.t
            self.before = (self.t, self.s_m)
            return ""
        half_m = self._length_m / 2.0
        moved_m = (position.distance_m - self.place_m + half_m) % self._length_m - half_m
        step_s = frame.t - self.t
        expected_m = (frame.speed_mps or 0.0) * step_s
        broken = ""
        if step_s > BLIND_S:
            broken = f"no place on the track for {step_s:.1f} s"
        elif abs(moved_m - expected_m) > JUMP_M:
            broken = f"the position jumped {moved_m - expected_m:+.0f} m"
        self.before = (self.t, self.s_m)
        self.place_m, self.t = position.distance_m, max(frame.t, self.t)
        self.s_m += moved_m
        return broken

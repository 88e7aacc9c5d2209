"""Whether the car is in the pit lane: by the lane's own line where the file has one, else by driving."""

from __future__ import annotations

import math
from collections.abc import Sequence

# Pit lanes are limited to 40 to 80 km/h; faster than 108 km/h nobody drives in one.
FASTEST_MPS = 30.0
# Half a pit lane with its fast and slow lane, and GPS wander.
LANE_HALF_WIDTH_M = 8.0
# Without a drawn lane: beside the road (half a road is 6 to 8 m), and no further than pit lanes lie from it.
BESIDE_M, FURTHEST_M = 10.0, 45.0
BACK_ON_M = 7.0
# Without a drawn lane only limiter speed counts: 90 km/h.
LIMITER_MPS = 25.0
PARALLEL_DEG = 30.0
# A slide over a kerb is shorter than this; a pit lane is longer.
LANE_SETTLE_S, BESIDE_SETTLE_S = 0.6, 3.0
STANDING_MPS = 1.0

Point = tuple[float, float]


class PitWatch:
    """Follows whether the car is in the pit lane. `lane`: its line in plane metres, empty where unknown."""

    __slots__ = ("_box", "_lane", "_since_t", "inside")

    def __init__(self, lane: Sequence[Point]) -> None:
        self.inside = False
        self._lane = tuple(lane) if len(lane) > 1 else ()
        self._since_t: float | None = None
        self._box = box_around(self._lane, LANE_HALF_WIDTH_M) if self._lane else None

    def update(
        self, t: float, x_m: float, y_m: float, speed_mps: float, offset_m: float, bend_deg: float | None
    ) -> bool:
        """Take one fix. `offset_m` from the centreline, `bend_deg`: the car's heading against the line's."""
        if self._lane:
            hint = self._in_lane(x_m, y_m, speed_mps, abs(offset_m))
            settle_s = LANE_SETTLE_S
        else:
            hint = self._beside(speed_mps, abs(offset_m), bend_deg)
            settle_s = BESIDE_SETTLE_S
        if hint is None or hint == self.inside:
            self._since_t = None
        elif self._since_t is None:
            self._since_t = t
        # Out at once: on the road or too fast leaves no doubt.
        if hint is False or (hint and self._since_t is not None and t - self._since_t >= settle_s):
            self.inside, self._since_t = hint, None
        return self.inside

    def _in_lane(self, x_m: float, y_m: float, speed_mps: float, from_line_m: float) -> bool | None:
        if speed_mps > FASTEST_MPS or self._box is None or not inside_box(self._box, x_m, y_m):
            return False
        from_lane_m = distance_to(self._lane, x_m, y_m)
        if self.inside:
            return None if from_lane_m <= from_line_m + BACK_ON_M / 2.0 else False
        return from_lane_m <= LANE_HALF_WIDTH_M and from_lane_m < from_line_m

    def _beside(self, speed_mps: float, from_line_m: float, bend_deg: float | None) -> bool | None:
        if speed_mps > LIMITER_MPS or from_line_m < BACK_ON_M:
            return False
        if not BESIDE_M <= from_line_m <= FURTHEST_M:
            return None
        if speed_mps < STANDING_MPS or bend_deg is None:
            return None
        return True if bend_deg <= PARALLEL_DEG else None


def box_around(points: Sequence[Point], margin_m: float) -> tuple[float, float, float, float]:
    """West, south, east and north bounds of the points, widened by a margin."""
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    return min(xs) - margin_m, min(ys) - margin_m, max(xs) + margin_m, max(ys) + margin_m


def inside_box(box: tuple[float, float, float, float], x_m: float, y_m: float) -> bool:
    """Whether a point lies within the bounds."""
    return box[0] <= x_m <= box[2] and box[1] <= y_m <= box[3]


def distance_to(line: Sequence[Point], x_m: float, y_m: float) -> float:
    """The distance from a point to an open polyline of at least two points."""
    nearest2 = math.inf
    ax, ay = line[0]
    for bx, by in line[1:]:
        ex, ey, px, py = bx - ax, by - ay, x_m - ax, y_m - ay
        length2 = ex * ex + ey * ey
        share = 0.0 if length2 == 0.0 else min(max((px * ex + py * ey) / length2, 0.0), 1.0)
        dx, dy = px - share * ex, py - share * ey
        nearest2 = min(nearest2, dx * dx + dy * dy)
        ax, ay = bx, by
    return math.sqrt(nearest2)

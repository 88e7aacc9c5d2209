"""The driven path, thinned to a point every few metres, to judge start lines and find loops."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right

import msgspec

from pitwall.track.geometry import Projection, foot, heading_deg, turn_deg

# Fine enough for a heading within a degree or two in a kart hairpin.
STEP_M = 5.0
# 250 km at 5 m: a day's driving. What comes after that changes nothing about the place.
MOST_POINTS = 50_000
# The plane metres are good to 1 cm at 10 km; no circuit is larger.
ELSEWHERE_M = 30_000.0
# Neighbours further apart lie on both sides of a hole.
HOLE_M = 60.0
# Slower is pushing, parking and GPS wander.
DRIVING_MPS = 3.0
# Driven over a line about one way: a slide and a bend in the road.
SAME_WAY_DEG = 40.0
# How far around a point its passes tell the course of the road.
COURSE_REACH_M = 25.0


class Pass(msgspec.Struct, frozen=True):
    """The place where the car passed a point, metres from the point, and the course."""

    away_m: float
    x_m: float
    y_m: float
    heading_deg: float


class DrivenPath:
    """Points of a drive at least `apart_m` apart, in plane metres around the first one."""

    def __init__(self, apart_m: float = STEP_M) -> None:
        self._apart_m = apart_m
        self.projection = Projection(0.0, 0.0)
        self.t, self.x_m, self.y_m = array("d"), array("d"), array("d")

    def __len__(self) -> int:
        return len(self.t)

    def add(self, t: float, lat_deg: float, lon_deg: float) -> bool:
        """Take one fix; return whether it was far enough from the last."""
        if self.t and math.hypot(*self.projection.xy(lat_deg, lon_deg)) > ELSEWHERE_M:
            # The receiver woke up where it was last used: that is no part of this drive.
            del self.t[:], self.x_m[:], self.y_m[:]
        if not self.t:
            self.projection = Projection(lat_deg, lon_deg)
        x_m, y_m = self.projection.xy(lat_deg, lon_deg)
        if self.t and (math.hypot(x_m - self.x_m[-1], y_m - self.y_m[-1]) < self._apart_m or t <= self.t[-1]):
            return False
        if len(self.t) >= MOST_POINTS:
            return False
        self.t.append(t)
        self.x_m.append(x_m)
        self.y_m.append(y_m)
        return True

    def step_m(self, index: int) -> float:
        """Return metres from a point to the next."""
        return math.hypot(self.x_m[index + 1] - self.x_m[index], self.y_m[index + 1] - self.y_m[index])

    def speed_mps(self, index: int) -> float:
        """Return mean speed from a point to the next."""
        return self.step_m(index) / (self.t[index + 1] - self.t[index])

    def course(self, index: int) -> float:
        """Return degrees from north from a point to the next."""
        return heading_deg(self.x_m[index + 1] - self.x_m[index], self.y_m[index + 1] - self.y_m[index])

    def driven(self, index: int) -> bool:
        """Return whether the step after this point was driven: no hole, and not crawling."""
        return self.step_m(index) <= HOLE_M and self.speed_mps(index) >= DRIVING_MPS

    def length_m(self, first: int, last: int) -> float:
        """Return metres driven from one point to a later one."""
        return sum(self.step_m(i) for i in range(first, last))

    def index_at(self, t: float) -> int | None:
        """Return the point before this time, None outside the drive."""
        index = bisect_right(self.t, t) - 1
        return index if 0 <= index < len(self.t) - 1 else None

    def nearest_pass(self, x_m: float, y_m: float) -> Pass | None:
        """Return the nearest driven place of the path to a point; None: nothing was driven."""
        best: Pass | None = None
        for i in range(len(self.t) - 1):
            ax, ay = self.x_m[i], self.y_m[i]
            ex, ey = self.x_m[i + 1] - ax, self.y_m[i + 1] - ay
            share = foot(ax, ay, self.x_m[i + 1], self.y_m[i + 1], x_m, y_m)
            px, py = ax + share * ex, ay + share * ey
            away_m = math.hypot(x_m - px, y_m - py)
            if (best is None or away_m < best.away_m) and self.driven(i):
                best = Pass(away_m, px, py, heading_deg(ex, ey))
        return best

    def crossings(
        self, at: tuple[float, float], course: float, half_width_m: float
    ) -> list[tuple[int, float]]:
        """Return driven steps over the line across a course: (index, metres left of the place)."""
        east, north = math.sin(math.radians(course)), math.cos(math.radians(course))
        found = []
        before_m = math.inf
        for i in range(len(self.t)):
            dx, dy = self.x_m[i] - at[0], self.y_m[i] - at[1]
            past_m = dx * east + dy * north
            if before_m < 0.0 <= past_m:
                offset_m = east * dy - north * dx
                way = abs(turn_deg(course, self.course(i - 1)))
                if abs(offset_m) <= half_width_m and way <= SAME_WAY_DEG and self.driven(i - 1):
                    found.append((i - 1, offset_m))
            before_m = past_m
        return found

    def course_at(self, x_m: float, y_m: float, about_deg: float) -> float:
        """Return the mean course of all passes near a point that go about one way."""
        east = north = 0.0
        for i in range(len(self.t) - 1):
            if math.hypot(self.x_m[i] - x_m, self.y_m[i] - y_m) > COURSE_REACH_M or not self.driven(i):
                continue
            course = self.course(i)
            if abs(turn_deg(about_deg, course)) <= 45.0:
                east += math.sin(math.radians(course))
                north += math.cos(math.radians(course))
        return heading_deg(east, north) if east or north else about_deg

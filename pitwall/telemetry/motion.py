"""The car's motion from fixes alone: course, accelerations, and the work done."""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

from pitwall.telemetry.signals import Work

STANDARD_GRAVITY = 9.80665  # m/s², BIPM
# Over so long GPS gives 0.03 g, 0.15 s old, at 10-25 Hz.
SMOOTH_S = 0.3
# A course from positions is coarser: rounding to 0.1-0.5 m would become half a g.
SMOOTH_COURSE_S = 0.8
# Fixes further apart say nothing of accelerations (1 Hz still does).
GAP_S = 1.2
# No car pulls more: a spin, or a receiver gone wild.
MAX_G = 5.0
# Below this a course is noise.
STANDING_MPS = 2.0
# 0.5 m of rounding is then 2 degrees.
COURSE_MPS = 3.0
COURSE_BASE_M = 8.0
COURSE_BASE_S = 0.2
# Speed from positions: the slope, now, of a parabola through the last second of fixes (1 Hz: the
# last three): 0.2 m/s at 10 Hz with 5 cm of noise; a straight line would lag by half a second.
SPEED_BASE_S = 1.0
# Phones write a position a second, with some jitter.
SPEED_GAP_S = 2.5
# Blocks over which sensors are compared with GPS: means relate exactly to differences.
BLOCK_S = 0.4
BLOCK_COURSE_S = 1.2
BLOCK_MAX_S = 2.4
BLOCK_MPS = 8.0
MOVING_MPS = 5.0
# Work is counted in steps well above noise.
WORK_MPS = 2.0
WORK_DEG = 10.0
WORK_STEP_MAX_S = 1.5


class Block(NamedTuple):
    """GPS over a stretch of driving, signs as in `signals`; curvature in deg/m, left positive."""

    t: float
    duration_s: float
    g_lat: float
    g_long: float
    yaw_rate_dps: float
    curvature_dpm: float
    speed_mps: float


class Motion:
    """Motion from believed fixes, in order of time.

    `course_deg`: from positions, the car's at `course_t`; `g_lat`, `g_long`: since `g_t`.
    """

    def __init__(self) -> None:
        self._ring: deque[tuple[float, float, float]] = deque()
        self._places: deque[tuple[float, float, float]] = deque()
        self._fixes: deque[tuple[float, float, float]] = deque()
        self._block: tuple[float, float, float] | None = None
        self._unwrapped = math.nan
        self._t = -math.inf
        self._moving_s = self._speed_work = self._turn_work = 0.0
        self._ref_mps = self._ref_deg = math.nan
        self.course_deg: float | None = None
        self.course_t = -math.inf
        self.g_lat: float | None = None
        self.g_long: float | None = None
        self.g_t = -math.inf

    @property
    def block_t(self) -> float | None:
        """Return when the present block began."""
        return self._block[0] if self._block is not None else None

    @property
    def work(self) -> Work:
        """Return the work done so far."""
        return Work(self._moving_s, self._speed_work, self._turn_work)

    def rest(self, t: float) -> None:
        """Take a fix like the last one: a standing car pulls no g."""
        if self._ring and self._ring[-1][1] < STANDING_MPS:
            self.g_lat, self.g_long, self.g_t = 0.0, 0.0, t

    def place(self, t: float, x_m: float, y_m: float, speed_mps: float | None) -> None:
        """Derive the course from positions."""
        places = self._places
        if places and not 0.0 <= t - places[-1][0] <= GAP_S:
            places.clear()
        places.append((t, x_m, y_m))
        while len(places) > 2 and _far_enough(places[1], t, x_m, y_m):
            places.popleft()
        t0, x0, y0 = places[0]
        dt, way_m = t - t0, math.hypot(x_m - x0, y_m - y0)
        speed = speed_mps if speed_mps is not None else (way_m / dt if dt > 0.0 else 0.0)
        if speed <= COURSE_MPS:
            self.course_deg = None
        elif way_m >= COURSE_BASE_M:
            self.course_deg = math.degrees(math.atan2(x_m - x0, y_m - y0)) % 360.0
            self.course_t = 0.5 * (t0 + t)  # a chord has the course of its middle

    def speed(self, t: float, x_m: float, y_m: float) -> float | None:
        """Derive the speed (m/s) from positions; None before the third fix.

        Least squares of a parabola in each axis (Savitzky and Golay 1964), differentiated at its
        end.
        """
        fixes = self._fixes
        if fixes and not 0.0 < t - fixes[-1][0] <= SPEED_GAP_S:
            fixes.clear()
        fixes.append((t, x_m, y_m))
        while len(fixes) > 3 and t - fixes[1][0] >= SPEED_BASE_S - 1e-3:
            fixes.popleft()
        if len(fixes) < 3:
            return None
        s1 = s2 = s3 = s4 = x1 = x2 = y1 = y2 = 0.0
        for at, x, y in fixes:
            u, dx, dy = at - t, x - x_m, y - y_m
            uu = u * u
            s1, s2, s3, s4 = s1 + u, s2 + uu, s3 + uu * u, s4 + uu * uu
            x1, x2, y1, y2 = x1 + u * dx, x2 + uu * dx, y1 + u * dy, y2 + uu * dy
        n = float(len(fixes))
        x0, y0 = sum(fix[1] - x_m for fix in fixes), sum(fix[2] - y_m for fix in fixes)
        # Cramer's rule for the linear coefficient.
        whole = n * (s2 * s4 - s3 * s3) - s1 * (s1 * s4 - s2 * s3) + s2 * (s1 * s3 - s2 * s2)
        if whole <= 0.0:
            return None
        a, b, c = s2 * s3 - s1 * s4, n * s4 - s2 * s2, s1 * s2 - n * s3
        return math.hypot(a * x0 + b * x1 + c * x2, a * y0 + b * y1 + c * y2) / whole

    def update(self, t: float, speed_mps: float, heading_deg: float, derived: bool) -> Block | None:
        """Add a believed fix; return a block just completed. `derived`: the course is
        `course_deg`."""
        ring = self._ring
        dt = t - self._t
        if dt > GAP_S:
            ring.clear()
            self._block = None
            self._unwrapped = self._ref_deg = heading_deg
            self._ref_mps = speed_mps
        elif dt <= 0.0:
            return None
        else:
            self._unwrapped += (heading_deg - self._unwrapped + 180.0) % 360.0 - 180.0
        self._t = t
        course = self._unwrapped
        ring.append((t, speed_mps, course))
        smooth_s = SMOOTH_COURSE_S if derived else SMOOTH_S
        while len(ring) > 2 and t - ring[1][0] >= smooth_s - 1e-3:
            ring.popleft()
        self._accelerations(t, speed_mps, course)
        self._work(dt, speed_mps, course)
        return self._close_block(t, speed_mps, course, BLOCK_COURSE_S if derived else BLOCK_S)

    def _accelerations(self, t: float, v: float, course: float) -> None:
        t0, v0, course0 = self._ring[0]
        dt = t - t0
        if dt <= 0.0:
            return
        g_long = (v - v0) / (dt * STANDARD_GRAVITY)
        # The course runs clockwise, left is +.
        g_lat = -(v + v0) * 0.5 * math.radians(course - course0) / (dt * STANDARD_GRAVITY)
        self.g_t = t
        self.g_long = g_long if -MAX_G <= g_long <= MAX_G else None
        self.g_lat = 0.0 if v < STANDING_MPS else g_lat if -MAX_G <= g_lat <= MAX_G else None

    def _work(self, dt: float, v: float, course: float) -> None:
        if v < MOVING_MPS or not 0.0 < dt <= WORK_STEP_MAX_S:
            self._ref_mps, self._ref_deg = v, course
            return
        self._moving_s += dt
        gain = abs(v - self._ref_mps)
        if gain >= WORK_MPS:
            self._speed_work += gain
            self._ref_mps = v
        turn = abs(course - self._ref_deg)
        if turn >= WORK_DEG:
            self._turn_work += turn
            self._ref_deg = course

    def _close_block(self, t: float, v: float, course: float, block_s: float) -> Block | None:
        start = self._block
        if start is None or v < BLOCK_MPS:
            self._block = (t, v, course) if v >= BLOCK_MPS else None
            return None
        t0, v0, course0 = start
        dt = t - t0
        if dt < block_s - 1e-3:
            return None
        self._block = (t, v, course)
        yaw_rate = (course0 - course) / dt
        speed = 0.5 * (v + v0)
        g_lat = speed * math.radians(yaw_rate) / STANDARD_GRAVITY
        g_long = (v - v0) / (dt * STANDARD_GRAVITY)
        if dt > BLOCK_MAX_S or abs(g_lat) > MAX_G or abs(g_long) > MAX_G:
            return None
        return Block(t, dt, g_lat, g_long, yaw_rate, yaw_rate / speed, speed)


def _far_enough(place: tuple[float, float, float], t: float, x_m: float, y_m: float) -> bool:
    t0, x0, y0 = place
    return t - t0 >= COURSE_BASE_S - 1e-3 and math.hypot(x_m - x0, y_m - y0) >= COURSE_BASE_M

"""Between two fixes and over short holes: speed from GPS and wheels, place from speed and turning.

An odometer integrates speed and course to a path in metres; a fix, late or not, pins it to the
earth at its own time. Speed and course are Kalman filters of two states: the quantity, and the
unmeasured part of its rate (acceleration, turning).
"""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

import msgspec

from pitwall.telemetry.motion import STANDARD_GRAVITY

# Innovations beyond this many standard deviations are not believed ...
GATE_SIGMAS = 4.0
# ... unless they last this long: then the filter is wrong and restarts from them.
INSIST_S = 0.5


class Drift(msgspec.Struct, frozen=True):
    """The unknown part of a rate: a first-order Gauss-Markov process (Singer 1970).

    `fade_s`: time constant; `sigma`: standard deviation, units per second; `noise`: white noise of
    the known rate, units per square root of a second.
    """

    fade_s: float
    sigma: float
    noise: float


class RateFilter:
    """`value` and `rate` (the unknown part) with their covariance: `begin`, then `predict` and
    `update`."""

    def __init__(self) -> None:
        self.value = self.rate = 0.0
        self.p_value = self.p_cross = self.p_rate = 0.0
        self.begun = False

    def begin(self, value: float, sigma: float, rate_sigma: float) -> None:
        """Start from one measurement; the rate is unknown."""
        self.value, self.rate = value, 0.0
        self.p_value, self.p_cross, self.p_rate = sigma * sigma, 0.0, rate_sigma * rate_sigma
        self.begun = True

    def shift_rate(self, by: float, sigma: float) -> None:
        """Move the unknown part by `by`: another sensor tells the known rate from now on."""
        self.rate += by
        self.p_rate = max(self.p_rate, sigma * sigma)

    def predict(self, dt: float, known_rate: float, drift: Drift) -> None:
        """Go on by `dt` seconds."""
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
        """Return whether a measurement `error` away may be true."""
        return error * error <= GATE_SIGMAS * GATE_SIGMAS * (self.p_value + sigma * sigma)

    def update(self, error: float, sigma: float) -> float:
        """Take a measurement that differs by `error`; return the correction of `value`."""
        spread = self.p_value + sigma * sigma
        gain, rate_gain = self.p_value / spread, self.p_cross / spread
        self.value += gain * error
        self.rate += rate_gain * error
        self.p_rate -= rate_gain * self.p_cross
        self.p_cross *= 1.0 - gain
        self.p_value *= 1.0 - gain
        return gain * error


class Plausibility:
    """Keeps one sensor's outliers from a filter, until they last INSIST_S of data time."""

    def __init__(self) -> None:
        self._since_t = math.inf

    def update(self, filter: RateFilter, t: float, error: float, sigma: float) -> float:
        """Return the correction of the filter's value; 0 if the measurement was not believed."""
        if filter.believable(error, sigma):
            self._since_t = math.inf
            return filter.update(error, sigma)
        self._since_t = min(self._since_t, t)
        if t - self._since_t < INSIST_S:
            return 0.0
        self._since_t = math.inf
        filter.begin(filter.value + error, sigma, math.sqrt(filter.p_rate))
        return error


# Dead reckoning ends here: at 50 m/s with 3 % error 8 m, less than a marker.
RECKON_S = 5.0
# ... and where its error may be (1 sigma) as large as a wide track.
APART_M = 12.0
# A speed that may be so far off is unknown.
SPEED_SIGMA_MPS = 1.5
# After a longer step all restarts.
GAP_S = 1.0
# Receivers say 0.05 m/s (Doppler); a phone smooths.
GPS_SPEED_MPS = 0.15
# A course is as good as the speed across it; one from positions is smoothed.
CROSS_MPS, COURSE_DEG, DERIVED_COURSE_DEG = 0.15, 0.3, 2.5
COURSE_LEAST_MPS = 3.0
# A wheel slips a per cent or two; bus and receiver lag by 0.15 s.
WHEEL_MPS, WHEEL_SHARE, WHEEL_LAG_S = 0.3, 0.02, 0.15
# Tyres wear: the scale is the mean of the first fixes, then follows slowly.
SCALE_FIXES, SCALE_LEAST_FIXES, SCALE_MPS, SCALE_MPS2 = 50, 10, 8.0, 2.0
SCALE_LOW, SCALE_HIGH = 0.7, 1.4
# Sideways g gives the turning only at speed: at 5 m/s a slope of 0.05 g would be 6 deg/s.
TURN_FROM_G_MPS = 8.0
# Steps remembered for fixes that come late: 0.8 s at 75 a second.
STEPS_KEPT = 64

# An accelerometer's unknown part is slope, pitch and zero; without one, the driver (0.45 g rms).
ACCEL_DRIFT = {True: Drift(4.0, 0.8, 0.1), False: Drift(1.0, 4.5, 0.0)}
# The gyro's zero and the body's slip angle; banking under g_lat; without either, the corners.
TURN_DRIFT = {
    "yaw": Drift(20.0, 1.0, 0.3),
    "g": Drift(3.0, 3.0, 1.0),
    "": Drift(1.0, 18.0, 0.0),
}


class _Step(NamedTuple):
    """A step of the path. `speed_mps` and `course_deg` are before later corrections."""

    t: float
    x_m: float
    y_m: float
    speed_mps: float
    course_deg: float
    wheel_mps: float


class Reckoner:
    """Tracks place and speed from the last fix on: call `advance` and `fix` in order of arrival.

    `apart_m`: error of the place (1 sigma); `fix_t`: time of the last fix.
    """

    def __init__(self) -> None:
        self._speed, self._course = RateFilter(), RateFilter()
        self._wheel_gate, self._course_gate = Plausibility(), Plausibility()
        self._accel: float | None = None
        self._rate, self._turning = 0.0, ""
        self._steps: deque[_Step] = deque(maxlen=STEPS_KEPT)
        self._speed_shift = self._course_shift = 0.0
        self._x_m = self._y_m = 0.0
        self._anchor: tuple[float, float, float, float] | None = None
        self._wheel_t = -math.inf
        self.scale, self.scale_fixes = 1.0, 0
        self.apart_m = 0.0
        self.t = self.fix_t = -math.inf

    @property
    def speed_mps(self) -> float | None:
        """Return the speed at `t`; None if it may be off by more than 1.5 m/s."""
        speed = self._speed
        known = speed.begun and speed.p_value < SPEED_SIGMA_MPS * SPEED_SIGMA_MPS
        return max(speed.value, 0.0) if known else None

    @property
    def speed_sigma_mps(self) -> float:
        """Return a standard deviation of the speed."""
        return math.sqrt(self._speed.p_value) if self._speed.begun else math.inf

    @property
    def course_deg(self) -> float | None:
        """Return the direction of travel."""
        return self._course.value % 360.0 if self._course.begun else None

    @property
    def trusted(self) -> bool:
        """Return whether `place` may be used."""
        return (
            self._anchor is not None
            and self._course.begun
            and self._speed.begun
            and self.t - self.fix_t <= RECKON_S
            and self.apart_m <= APART_M
        )

    @property
    def way(self) -> str:
        """Return what carries the course on, for people."""
        return {"yaw": "yaw rate", "g": "lateral g", "": "heading rate"}[self._turning]

    def place(self) -> tuple[float, float]:
        """Return latitude and longitude at `t`. ValueError before the first fix."""
        if self._anchor is None:
            raise ValueError("no fix to reckon from: ask `trusted` first")
        lat, lon, x_m, y_m = self._anchor
        north_m, east_m = metres_per_deg(lat)
        return lat + (self._y_m - y_m) / north_m, lon + (self._x_m - x_m) / east_m

    def advance(
        self,
        t: float,
        wheel_mps: float | None,
        wheel_t: float,
        yaw_dps: float | None,
        g_long: float | None,
        g_lat: float | None,
    ) -> None:
        """Go on to `t` with the present sensors (None: not believed); `wheel_t`: of the reading."""
        dt = t - self.t
        if dt <= 0.0:
            return
        if dt > GAP_S:
            self._restart()
            dt = 0.0
        self.t = t
        speed, course = self._speed, self._course
        before_mps, before_deg = speed.value, course.value
        self._accelerate(dt, g_long)
        self._turn(dt, yaw_dps, g_lat)
        self._take_wheel(t, wheel_mps, wheel_t)
        if speed.begun:
            step_m = 0.5 * (before_mps + speed.value) * dt
            heading = math.radians(0.5 * (before_deg + course.value))
            self._x_m += step_m * math.sin(heading)
            self._y_m += step_m * math.cos(heading)
            self.apart_m += self._drift_mps() * dt
        self._steps.append(
            _Step(
                t,
                self._x_m,
                self._y_m,
                speed.value - self._speed_shift,
                course.value - self._course_shift,
                math.nan if wheel_mps is None else wheel_mps,
            )
        )

    def fix(
        self,
        t: float,
        lat_deg: float,
        lon_deg: float,
        speed_mps: float | None,
        course_deg: float | None,
        course_t: float,
        derived: bool,
    ) -> None:
        """Add a believed fix of `t`; `course_t`: of its course, `derived`: from positions."""
        step = self._at(t)
        if step is None:
            return
        self._anchor = (lat_deg, lon_deg, step.x_m, step.y_m)
        self.fix_t = t
        if speed_mps is not None:
            self._take_speed(speed_mps, step)
            if course_deg is not None and speed_mps >= COURSE_LEAST_MPS:
                self._take_course(course_deg, speed_mps, course_t, derived)
        self.apart_m = self._drift_mps() * (self.t - t)

    def _restart(self) -> None:
        self._speed.begun = self._course.begun = False
        self._accel, self._rate, self._turning = None, 0.0, ""
        self._steps.clear()
        self._anchor = None
        self._speed_shift = self._course_shift = 0.0

    def _accelerate(self, dt: float, g_long: float | None) -> None:
        speed, last = self._speed, self._accel
        accel = None if g_long is None else g_long * STANDARD_GRAVITY
        if (accel is None) is not (last is None):
            drift = ACCEL_DRIFT[accel is not None]
            speed.shift_rate((last or 0.0) - (accel or 0.0), drift.sigma)
            last = accel
        self._accel = accel
        if speed.begun:
            mean = 0.0 if accel is None or last is None else 0.5 * (accel + last)
            speed.predict(dt, mean, ACCEL_DRIFT[accel is not None])
            if speed.value < 0.0:
                speed.value = 0.0

    def _turn(self, dt: float, yaw_dps: float | None, g_lat: float | None) -> None:
        course, v = self._course, self._speed.value
        turning, rate = "", 0.0
        if yaw_dps is not None:
            turning, rate = "yaw", -yaw_dps
        elif g_lat is not None and v > TURN_FROM_G_MPS:
            turning, rate = "g", -math.degrees(g_lat * STANDARD_GRAVITY / v)
        last = self._rate
        if turning != self._turning:
            course.shift_rate(last - rate, TURN_DRIFT[turning].sigma)
            self._turning, last = turning, rate
        self._rate = rate
        if course.begun:
            course.predict(dt, 0.5 * (rate + last), TURN_DRIFT[turning])

    def _take_wheel(self, t: float, wheel_mps: float | None, wheel_t: float) -> None:
        speed = self._speed
        if wheel_mps is None or wheel_t <= self._wheel_t:
            return
        self._wheel_t = wheel_t
        if not speed.begun or self.scale_fixes < SCALE_LEAST_FIXES:
            return
        accel = (self._accel or 0.0) + speed.rate
        then_mps = speed.value - accel * (t - wheel_t)
        sigma = WHEEL_MPS + WHEEL_SHARE * speed.value + WHEEL_LAG_S * abs(accel)
        error = self.scale * wheel_mps - then_mps
        if t - self.fix_t <= GAP_S and not speed.believable(error, sigma):
            return  # locked or spinning: while GPS speaks it is right
        self._speed_shift += self._wheel_gate.update(speed, t, error, sigma)

    def _take_speed(self, speed_mps: float, step: _Step) -> None:
        speed = self._speed
        if not speed.begun:
            speed.begin(speed_mps, GPS_SPEED_MPS, ACCEL_DRIFT[self._accel is not None].sigma)
            self._speed_shift = 0.0
            self._steps.clear()
            return
        self._learn_scale(speed_mps, step.wheel_mps)
        error = speed_mps - step.speed_mps - self._speed_shift
        # Ungated: GPS was judged before, and a missed braking must count at once.
        self._speed_shift += speed.update(error, GPS_SPEED_MPS)

    def _learn_scale(self, speed_mps: float, wheel_mps: float) -> None:
        accel = (self._accel or 0.0) + self._speed.rate
        if not wheel_mps > 1.0 or speed_mps < SCALE_MPS or abs(accel) > SCALE_MPS2:
            return
        ratio = speed_mps / wheel_mps
        if SCALE_LOW <= ratio <= SCALE_HIGH:
            self.scale_fixes = min(self.scale_fixes + 1, SCALE_FIXES)
            self.scale += (ratio - self.scale) / self.scale_fixes

    def _take_course(self, course_deg: float, speed_mps: float, course_t: float, derived: bool) -> None:
        course = self._course
        sigma = math.degrees(CROSS_MPS / speed_mps) + (DERIVED_COURSE_DEG if derived else COURSE_DEG)
        if not course.begun:
            course.begin(course_deg, sigma, TURN_DRIFT[self._turning].sigma)
            self._course_shift = 0.0
            self._steps.clear()
            return
        step = self._at(course_t)
        then = step.course_deg + self._course_shift if step is not None else course.value
        error = (course_deg - then + 180.0) % 360.0 - 180.0
        self._course_shift += self._course_gate.update(course, course_t, error, sigma)

    def _drift_mps(self) -> float:
        speed, course = self._speed, self._course
        across = math.radians(math.sqrt(course.p_value)) * abs(speed.value) if course.begun else 0.0
        return math.sqrt(speed.p_value) + across

    def _at(self, t: float) -> _Step | None:
        steps = self._steps
        after = None
        for step in reversed(steps):
            if step.t <= t:
                return step if after is None or after.t <= step.t else _between(step, after, t)
            after = step
        return None


def _between(a: _Step, b: _Step, t: float) -> _Step:
    share = (t - a.t) / (b.t - a.t)
    return _Step(
        t,
        a.x_m + share * (b.x_m - a.x_m),
        a.y_m + share * (b.y_m - a.y_m),
        a.speed_mps + share * (b.speed_mps - a.speed_mps),
        a.course_deg + share * (b.course_deg - a.course_deg),
        a.wheel_mps if share < 0.5 else b.wheel_mps,
    )


def metres_per_deg(lat_deg: float) -> tuple[float, float]:
    """Return metres in a degree of latitude and longitude: WGS84 series (NIMA TR8350.2), to a
    centimetre."""
    phi = math.radians(lat_deg)
    north = 111132.954 - 559.822 * math.cos(2.0 * phi) + 1.175 * math.cos(4.0 * phi)
    east = 111412.84 * math.cos(phi) - 93.5 * math.cos(3.0 * phi) + 0.118 * math.cos(5.0 * phi)
    return north, max(east, 1.0)

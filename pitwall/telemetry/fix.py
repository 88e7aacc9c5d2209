"""Tell whether a GNSS fix can be believed: in reach of the last, alive, enough satellites.

The only judge of fixes: fusion marks its frames with the result (`fix_age_s`, Jumped); the finder
of the venue, which reads samples without fusion, asks it directly.
"""

from __future__ import annotations

import math

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.quality import RECOVER_S

# A fix needs four satellites: three coordinates and the receiver's clock.
MIN_SATELLITES = 4.0
# How far a fix may lie off beyond the way driven.
WANDER_M = 8.0
# The way driven is sampled, and late by up to 0.2 s.
WAY_MARGIN = 1.5
# What a car can cover where its speed is unknown.
TOP_SPEED_MPS = 120.0
# Over a longer step the speed may have been higher by so much a second.
HOLE_S = 1.5
GAIN_MPS2 = 12.0
# A position that rests while the car moves is the logger repeating its last fix.
CRAWL_MPS = 3.0
MOVING_MPS = 5.0
FROZEN_S = 0.5
# ... or after this many of the receiver's own periods, if that is slow.
FROZEN_PERIODS = 2.5

# Metres in a degree of latitude, good to 0.6 %.
METRES_PER_DEG = 111_195.0


def metres_between(lat_deg: float, lon_deg: float, to_lat_deg: float, to_lon_deg: float) -> float:
    """Return the way between two near places, m."""
    east_deg = (to_lon_deg - lon_deg) * math.cos(math.radians(lat_deg))
    return math.hypot(to_lat_deg - lat_deg, east_deg) * METRES_PER_DEG


class FixJudge:
    """Judges the fixes of one stream, in order of time.

    After `judge`: `x_m`, `y_m`: east and north of the first fix; `fresh`: the position is new;
    `since_t`: since when it stands; `jumped`: believed though the car can't have driven there;
    `frozen`: the whole fix is a repetition.
    """

    def __init__(self, tallies: FindingLog) -> None:
        self._tallies = tallies
        self._last_lat = self._last_lon = self._lat0 = self._lon0 = math.nan
        self._mx = METRES_PER_DEG
        self._t = self.since_t = -math.inf
        self._way_m = self._period_s = 0.0
        self._speed: float | None = None
        self._since_speed: float | None = None
        self._cand_n = 0
        self._cand_t0 = self._cand_way_m = self._cand_x = self._cand_y = 0.0
        self.x_m = self.y_m = 0.0
        self.fresh = self.frozen = self.jumped = False

    def judge(
        self, t: float, lat_deg: float, lon_deg: float, speed_mps: float | None, satellites: float | None
    ) -> bool:
        """Return whether the position can be believed. `speed_mps`: of this row, where believed."""
        was_frozen = self.frozen
        self.fresh = self.frozen = self.jumped = False
        if satellites is not None and satellites < MIN_SATELLITES:
            detail = f"{satellites:g} satellites are not enough for a position"
            self._tallies.add("void_fix", "lat_deg", t, detail)
            return False
        if not (-90.0 <= lat_deg <= 90.0 and -180.0 <= lon_deg <= 180.0):
            self._tallies.add("out_of_range", "lat_deg", t, f"reads {lat_deg:.6g}, {lon_deg:.6g}")
            return False
        way_m = self._drive(t, speed_mps, was_frozen)
        if lat_deg == self._last_lat and lon_deg == self._last_lon:
            return self._repeated(t, speed_mps)
        if self._lat0 != self._lat0:
            self._lat0, self._lon0 = lat_deg, lon_deg
            self._mx = METRES_PER_DEG * math.cos(math.radians(lat_deg))
        east_deg = (lon_deg - self._lon0 + 180.0) % 360.0 - 180.0
        x, y = east_deg * self._mx, (lat_deg - self._lat0) * METRES_PER_DEG
        if self.since_t != -math.inf:
            step_m = math.hypot(x - self.x_m, y - self.y_m)
            if step_m > WANDER_M + WAY_MARGIN * self._way_m:
                if not self._has_settled(t, x, y, way_m, step_m):
                    return False
                self.jumped = True
            if speed_mps is not None and speed_mps > CRAWL_MPS and t - self.since_t < HOLE_S:
                self._period_s += 0.1 * (t - self.since_t - self._period_s)
        self.x_m, self.y_m, self._last_lat, self._last_lon = x, y, lat_deg, lon_deg
        self._way_m, self._cand_n = 0.0, 0
        self.since_t = t
        self._since_speed = self._speed
        self.fresh = True
        return True

    def is_far_from(self, other: FixJudge) -> bool:
        """Return whether no car can have come here from the other receiver's last position."""
        east_deg = (self._last_lon - other._last_lon + 180.0) % 360.0 - 180.0
        step_m = math.hypot(east_deg * self._mx, (self._last_lat - other._last_lat) * METRES_PER_DEG)
        way_m = TOP_SPEED_MPS * abs(self.since_t - other.since_t)
        return step_m > WANDER_M + WAY_MARGIN * way_m

    def _drive(self, t: float, speed_mps: float | None, blind: bool) -> float:
        dt = max(t - self._t, 0.0) if self._t != -math.inf else 0.0
        if blind or (speed_mps is None and self._speed is None):
            fastest_mps = TOP_SPEED_MPS
        else:
            fastest_mps = max(speed_mps or 0.0, self._speed or 0.0)
            if dt > HOLE_S:
                fastest_mps = min(fastest_mps + GAIN_MPS2 * dt, TOP_SPEED_MPS)
        way_m = fastest_mps * dt
        if speed_mps is not None or dt > HOLE_S:
            self._speed = speed_mps
        self._t = t
        self._way_m += way_m
        return way_m

    def _repeated(self, t: float, speed_mps: float | None) -> bool:
        moving = (speed_mps or 0.0) > CRAWL_MPS or (self._since_speed or 0.0) > MOVING_MPS
        if moving and t - self.since_t > max(FROZEN_S, FROZEN_PERIODS * self._period_s):
            dead = speed_mps is None or speed_mps == self._since_speed or speed_mps < 1.0
            self.frozen = dead
            detail = "the same position again and again while the car moves" + (", speed too" if dead else "")
            self._tallies.add("stale", "lat_deg", self.since_t, detail)
            return False
        return True

    def _has_settled(self, t: float, x: float, y: float, way_m: float, step_m: float) -> bool:
        self._cand_way_m += way_m
        apart_m = math.hypot(x - self._cand_x, y - self._cand_y)
        if self._cand_n == 0 or apart_m > WANDER_M + WAY_MARGIN * self._cand_way_m:
            self._cand_t0, self._cand_n = t, 0
        if apart_m > 0.0 or self._cand_n == 0:
            self._cand_x, self._cand_y, self._cand_way_m = x, y, 0.0
        self._cand_n += 1
        if self._cand_n >= 3 and t - self._cand_t0 >= RECOVER_S - 1e-6:
            return True
        detail = f"the fix jumps {step_m:.0f} m where the car can have come {self._way_m:.0f} m"
        self._tallies.add("jump", "lat_deg", t, detail)
        return False

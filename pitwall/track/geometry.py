"""Plane geometry near one place: a local tangent projection, headings, segments."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence

# WGS84 (NIMA TR8350.2): semi-major axis in metres and first eccentricity squared.
WGS84_A_M = 6378137.0
WGS84_E2 = 6.69437999014e-3


class Projection:
    """East-north metres around an origin, from the ellipsoid's two radii of curvature there.

    Error below 1 mm per km within 10 km of the origin: a circuit fits.
    """

    def __init__(self, lat0_deg: float, lon0_deg: float) -> None:
        self.lat0_deg, self.lon0_deg = lat0_deg, lon0_deg
        sin_lat = math.sin(math.radians(lat0_deg))
        w2 = 1.0 - WGS84_E2 * sin_lat * sin_lat
        meridian_m = WGS84_A_M * (1.0 - WGS84_E2) / w2**1.5
        normal_m = WGS84_A_M / math.sqrt(w2)
        self.metres_per_deg_lat = math.radians(1.0) * meridian_m
        self.metres_per_deg_lon = math.radians(1.0) * normal_m * math.cos(math.radians(lat0_deg))

    def xy(self, lat_deg: float, lon_deg: float) -> tuple[float, float]:
        """Return east and north of the origin in metres."""
        return (
            (lon_deg - self.lon0_deg) * self.metres_per_deg_lon,
            (lat_deg - self.lat0_deg) * self.metres_per_deg_lat,
        )

    def lat_lon(self, x_m: float, y_m: float) -> tuple[float, float]:
        """Return the inverse of `xy`."""
        return (
            self.lat0_deg + y_m / self.metres_per_deg_lat,
            self.lon0_deg + x_m / self.metres_per_deg_lon,
        )


def heading_deg(dx_m: float, dy_m: float) -> float:
    """Return the course of a step east and north, clockwise from north, in [0, 360)."""
    return math.degrees(math.atan2(dx_m, dy_m)) % 360.0


def turn_deg(from_deg: float, to_deg: float) -> float:
    """Return the signed change of heading in (-180, 180], positive clockwise (to the right)."""
    turn = (to_deg - from_deg) % 360.0
    return turn - 360.0 if turn > 180.0 else turn


def way_m(from_m: float, to_m: float, length_m: float) -> float:
    """Return the shorter way between two places of a closed line: positive ahead, negative back."""
    return (to_m - from_m + length_m / 2.0) % length_m - length_m / 2.0


def foot(ax: float, ay: float, bx: float, by: float, x: float, y: float) -> float:
    """Return where on the segment a-b the nearest point to (x, y) lies, 0 at a to 1 at b."""
    dx, dy = bx - ax, by - ay
    d2 = dx * dx + dy * dy
    return 0.0 if d2 == 0.0 else min(1.0, max(0.0, ((x - ax) * dx + (y - ay) * dy) / d2))


def interpolated(xs: Sequence[float], ys: Sequence[float], x: float) -> float:
    """Interpolate at `x` between points with rising `xs`; the end values beyond them."""
    after = bisect_right(xs, x)
    if after == 0:
        return ys[0]
    if after >= len(xs):
        return ys[-1]
    low = xs[after - 1]
    share = (x - low) / (xs[after] - low)
    return ys[after - 1] + share * (ys[after] - ys[after - 1])

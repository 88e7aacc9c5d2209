"""What GPS alone says of the car's accelerations, to hold a logger's own sensors against."""

from __future__ import annotations

import math
from collections.abc import Sequence

G_MPS2 = 9.80665
# Below this the course over ground means nothing.
MIN_SPEED_MPS = 5.0

Readings = Sequence[float | None]


def from_gps(
    t: Sequence[float], speed_mps: Readings, heading_deg: Readings, window_s: float = 0.4
) -> tuple[list[float | None], list[float | None], list[float | None]]:
    """(g to the left, g forward, yaw rate to the left in deg/s) by central differences over `window_s`."""
    left: list[float | None] = [None] * len(t)
    forward, yaw = left[:], left[:]
    a = b = 0
    for i, now in enumerate(t):
        while t[a] < now - window_s / 2:
            a += 1
        while b + 1 < len(t) and t[b + 1] <= now + window_s / 2:
            b += 1
        readings = (speed_mps[a], speed_mps[b], speed_mps[i], heading_deg[a], heading_deg[b])
        dt = t[b] - t[a]
        if dt < window_s / 2 or any(value is None for value in readings):
            continue
        v0, v1, v, h0, h1 = (float(value) for value in readings if value is not None)
        if v < MIN_SPEED_MPS:
            continue
        to_left = -((h1 - h0 + 180.0) % 360.0 - 180.0) / dt
        yaw[i] = to_left
        left[i] = math.radians(to_left) * v / G_MPS2
        forward[i] = (v1 - v0) / dt / G_MPS2
    return left, forward, yaw


def slope(readings: Readings, truth: Readings) -> tuple[float, float]:
    """(least-squares slope of readings over truth, correlation) where both are known."""
    pairs = [(x, y) for x, y in zip(readings, truth, strict=True) if x is not None and y is not None]
    assert len(pairs) > 100
    mean_x = sum(x for x, _ in pairs) / len(pairs)
    mean_y = sum(y for _, y in pairs) / len(pairs)
    xy = sum((x - mean_x) * (y - mean_y) for x, y in pairs)
    xx = sum((x - mean_x) ** 2 for x, _ in pairs)
    yy = sum((y - mean_y) ** 2 for _, y in pairs)
    return xy / yy, xy / math.sqrt(xx * yy)


def course_deg(t: Sequence[float], lat_deg: Readings, lon_deg: Readings, reach: int) -> list[float | None]:
    """Course from positions `reach` readings before and after; None where the car hardly moved."""
    found: list[float | None] = [None] * len(t)
    for i in range(reach, len(t) - reach):
        a, b = lat_deg[i - reach], lat_deg[i + reach]
        c, d = lon_deg[i - reach], lon_deg[i + reach]
        if a is None or b is None or c is None or d is None:
            continue
        north_m, east_m = (b - a) * 111_200.0, (d - c) * 111_200.0 * math.cos(math.radians(a))
        if math.hypot(north_m, east_m) > 5.0:
            found[i] = math.degrees(math.atan2(east_m, north_m)) % 360.0
    return found

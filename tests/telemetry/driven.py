"""A made-up drive whose truth is known: position, speed, course and every sensor from one set of formulas."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from pitwall.telemetry.frame import Frame
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.telemetry.signals import SIGNALS

GRAVITY = 9.80665
GPS = ("lat_deg", "lon_deg", "speed_mps", "heading_deg", "altitude_m", "satellites")
SENSORS = (
    "g_lat", "g_long", "yaw_rate_dps", "wheel_speed_mps", "steering_deg", "brake_bar", "throttle_pct", "rpm",
    "gear", "coolant_c", "oil_temp_c", "oil_bar",
)  # fmt: skip
Row = dict[str, float | None]
Fault = Callable[[float, Row], None]


def stream(names: tuple[str, ...], id: int = 0) -> Stream:
    channels = tuple(Channel(n, SIGNALS[n].unit if n in SIGNALS else "", n) for n in names)
    return Stream(id, f"source {id}", channels)


def wiggle(t: float, seed: float) -> float:
    """Something like noise in -1..1, the same every time."""
    return math.sin(t * 127.1 + seed * 311.7) * math.sin(t * 269.5 + seed * 183.3)


def rows(duration_s: float, hz: float = 25.0, stop: tuple[float, float] | None = None) -> Iterator[Row]:
    """Drive for `duration_s`: 15-40 m/s, bends both ways up to 1.2 g; `stop` (from, to) parks the car."""
    lat, lon, course = 43.0, -88.0, 30.0
    fine = 8  # steps of the integration per row, so that formulas and positions agree
    for i in range(int(duration_s * hz)):
        t = i / hz
        for k in range(fine):
            at = t + (k - fine) / (fine * hz)
            v, _, rate = _motion(at, stop)
            course -= rate / (fine * hz)
            way = v / (fine * hz)
            lat += way * math.cos(math.radians(course)) / 111_195.0
            lon += way * math.sin(math.radians(course)) / (111_195.0 * math.cos(math.radians(lat)))
        yield _row(t, lat, lon, course, stop)


def _motion(t: float, stop: tuple[float, float] | None) -> tuple[float, float, float]:
    """Speed m/s, its rate m/s², yaw rate deg/s (left positive)."""
    v = 27.0 + 10.0 * math.sin(2 * math.pi * t / 17.0)
    a = 10.0 * 2 * math.pi / 17.0 * math.cos(2 * math.pi * t / 17.0)
    rate = 16.0 * math.sin(2 * math.pi * t / 9.0)
    if stop is not None:
        begin, end = stop
        ramp = 6.0
        if begin - ramp < t < end + ramp:
            share = max(begin - t, t - end, 0.0) / ramp
            slope = (-1.0 if t < begin else 1.0) / ramp if share > 0.0 else 0.0
            v, a, rate = v * share, a * share + v * slope, rate * share
    return v, a, rate


def _row(t: float, lat: float, lon: float, course: float, stop: tuple[float, float] | None) -> Row:
    v, a, rate = _motion(t, stop)
    still = v < 0.01
    braking = max(-a / GRAVITY - 0.1, 0.0)
    return {
        "t": t,
        "lat_deg": round(lat, 7),
        "lon_deg": round(lon, 7),
        "speed_mps": max(v + 0.03 * wiggle(t, 1), 0.0),
        "heading_deg": (180.0 + 179.0 * wiggle(t, 2)) if still else (course + 0.1 * wiggle(t, 2)) % 360.0,
        "altitude_m": round(100.0 + 5.0 * math.sin(t / 20.0), 1),
        "satellites": 11.0,
        "g_lat": v * math.radians(rate) / GRAVITY + 0.05 + 0.15 * wiggle(t, 3),
        "g_long": a / GRAVITY + 0.03 + 0.12 * wiggle(t, 4),
        "yaw_rate_dps": rate + 0.5 + 2.0 * wiggle(t, 5),
        "wheel_speed_mps": 0.0 if still else v * 1.03,
        "steering_deg": round(rate / max(v, 3.0) * 50.0 + 3.0, 1),
        "brake_bar": round(60.0 * braking + 0.1 * wiggle(t, 6), 2),
        "throttle_pct": float(round(100.0 * min(max(a / GRAVITY + 0.1, 0.0) * 2.0, 1.0))),
        "rpm": float(round(1000.0 + 150.0 * v + 20.0 * wiggle(t, 7))),
        "gear": 0.0 if still else float(2 + int(v // 10)),
        "coolant_c": 85.0,
        "oil_temp_c": 95.0,
        "oil_bar": 4.0,
    }


class Drive:
    """What came of a drive through Fusion: frames, distrusted names by time, findings by (kind, signal)."""

    def __init__(
        self, source: Iterator[Row], names: tuple[str, ...] = GPS + SENSORS, fault: Fault | None = None
    ) -> None:
        self.fusion = Fusion([stream(names)])
        self.frames: list[Frame] = []
        self.distrusted: dict[str, list[float]] = {}
        for row in source:
            t = row["t"]
            assert t is not None
            if fault is not None:
                fault(t, row)
            frame = self.fusion.feed(Sample(0, t, tuple(row[n] for n in names)))
            if frame is not None:
                self.frames.append(frame)
            for column in self.fusion.distrusted:
                self.distrusted.setdefault(names[column], []).append(t)
        self.found = {(f.kind, f.signal): f for f in self.fusion.findings()}

"""Circuits whose truth is known: rounded polygons, driven by a simple car with a noisy logger."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pitwall.telemetry.findings import Finding
from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.track.geometry import Projection
from pitwall.track.model import Gate

PLACE = Projection(47.0, 8.0)
GRIP_MPS2, BRAKING_MPS2, POWER_MPS2, FASTEST_MPS = 11.0, 9.0, 5.0, 55.0
SIGNALS = ("lat_deg", "lon_deg", "altitude_m", "speed_mps", "heading_deg", "g_long")
Point = tuple[float, float]


@dataclass
class Bend:
    """A true corner: the middle of its arc in metres from the first point, and its direction."""

    apex_m: float
    direction: str
    radius_m: float
    turn_deg: float


@dataclass
class Circuit:
    """A closed line sampled every metre, with its true corners."""

    points: list[Point]
    radius_m: list[float]
    bends: list[Bend]

    @property
    def length_m(self) -> float:
        return float(len(self.points))

    def gate(self, half_width_m: float = 12.0) -> Gate:
        """A gate across the first point."""
        (x, y), (bx, by) = self.points[0], self.points[1]
        ux, uy = bx - x, by - y
        a = PLACE.lat_lon(x - half_width_m * uy, y + half_width_m * ux)
        b = PLACE.lat_lon(x + half_width_m * uy, y - half_width_m * ux)
        return Gate(*a, *b, math.degrees(math.atan2(ux, uy)) % 360.0)


def rounded(vertices: Sequence[Point], radii: Sequence[float]) -> Circuit:
    """A closed polygon whose corners are arcs; it starts half-way to the first vertex."""
    count = len(vertices)
    pieces: list[tuple[str, tuple[float, ...]]] = []
    lengths: list[float] = []
    bends: list[tuple[int, Bend]] = []
    cuts = []
    for i, (x, y) in enumerate(vertices):
        (px, py), (nx, ny) = vertices[i - 1], vertices[(i + 1) % count]
        before, after = math.atan2(y - py, x - px), math.atan2(ny - y, nx - x)
        turn = (after - before + math.pi) % (2 * math.pi) - math.pi
        cuts.append((turn, abs(radii[i] * math.tan(turn / 2)), before))
    for i, (x, y) in enumerate(vertices):
        turn, cut, before = cuts[i]
        (px, py) = vertices[i - 1]
        side = math.hypot(x - px, y - py)
        sx, sy = px + cuts[i - 1][1] * math.cos(before), py + cuts[i - 1][1] * math.sin(before)
        straight = side - cut - cuts[i - 1][1]
        assert straight > 0, f"corner {i} does not fit"
        pieces.append(("straight", (sx, sy, before)))
        lengths.append(straight)
        ax, ay = x - cut * math.cos(before), y - cut * math.sin(before)
        pieces.append(("arc", (ax, ay, before, math.copysign(radii[i], turn))))
        lengths.append(radii[i] * abs(turn))
        middle = sum(lengths) - lengths[-1] / 2
        direction = "left" if turn > 0 else "right"
        bends.append((i, Bend(middle, direction, radii[i], math.degrees(abs(turn)))))
    return _sampled(pieces, lengths, [bend for _, bend in bends])


def _sampled(pieces: list[tuple[str, tuple[float, ...]]], lengths: list[float], bends: list[Bend]) -> Circuit:
    total, start = sum(lengths), lengths[0] / 2
    points, radius = [], []
    count = round(total)
    for n in range(count):
        along = (start + n * total / count) % total
        i = 0
        while along > lengths[i] and i < len(lengths) - 1:
            along -= lengths[i]
            i += 1
        kind, shape = pieces[i]
        x, y, course = shape[:3]
        if kind == "straight":
            points.append((x + along * math.cos(course), y + along * math.sin(course)))
            radius.append(math.inf)
        else:
            r = shape[3]
            cx, cy = x - r * math.sin(course), y + r * math.cos(course)
            now = course + along / r
            points.append((cx + r * math.sin(now), cy - r * math.cos(now)))
            radius.append(abs(r))
    for bend in bends:
        bend.apex_m = (bend.apex_m - start) % total
    return Circuit(points, radius, sorted(bends, key=lambda bend: bend.apex_m))


def pace(circuit: Circuit, grip: float = 1.0) -> list[float]:
    """The speed at each metre: grip in the arcs, braking before them, power after them."""
    v = [min(FASTEST_MPS, math.sqrt(grip * GRIP_MPS2 * r)) for r in circuit.radius_m]
    for _ in range(2):
        for i in range(len(v)):
            v[i] = min(v[i], math.sqrt(v[i - 1] ** 2 + 2 * POWER_MPS2))
        for i in range(len(v) - 1, -1, -1):
            v[i] = min(v[i], math.sqrt(v[(i + 1) % len(v)] ** 2 + 2 * BRAKING_MPS2))
    return v


def height_m(circuit: Circuit, along_m: float) -> float:
    """The true height: one hill a lap."""
    return 100.0 + 8.0 * math.sin(2 * math.pi * along_m / circuit.length_m)


@dataclass
class Drive:
    """A recording in memory: laps over a circuit with GNSS noise that wanders, from 150 m before the gate.

    `aside` moves the car to its left (metres) on a stretch of one lap: (lap, from_m, to_m, metres).
    """

    circuit: Circuit
    laps: int = 5
    rate_hz: float = 10.0
    noise_m: float = 0.05
    grip: tuple[float, ...] = (1.0,)
    aside: tuple[tuple[int, float, float, float], ...] = ()
    seed: int = 1
    signals: tuple[str, ...] = SIGNALS
    name: str = "drive.csv"
    info: RecordingInfo = field(init=False)

    def __post_init__(self) -> None:
        channels = tuple(Channel(signal, "", signal) for signal in self.signals)
        self.info = RecordingInfo("synthetic", f"/nowhere/{self.name}", (Stream(0, "logger", channels),))

    def samples(self) -> Iterator[Sample]:
        noise = random.Random(self.seed)
        drift_x = drift_y = 0.0
        along, t, before = -150.0, 0.0, 0.0
        length = self.circuit.length_m
        paces = [pace(self.circuit, grip) for grip in self.grip]
        while along < self.laps * length + 150.0:
            lap = int(along // length)
            speed = paces[lap % len(paces)][int(along % length)]
            drift_x += noise.gauss(0.0, 0.02) - 0.01 * drift_x
            drift_y += noise.gauss(0.0, 0.02) - 0.01 * drift_y
            x, y, course = self._place(along % length, lap)
            lat, lon = PLACE.lat_lon(
                x + drift_x + noise.gauss(0.0, self.noise_m), y + drift_y + noise.gauss(0.0, self.noise_m)
            )
            values = {
                "lat_deg": lat,
                "lon_deg": lon,
                "altitude_m": height_m(self.circuit, along) + noise.gauss(0.0, 0.3),
                "speed_mps": speed,
                "heading_deg": course,
                "g_long": (speed - before) * self.rate_hz / 9.80665 if t else 0.0,
            }
            yield Sample(0, t, tuple(values[signal] for signal in self.signals))
            before = speed
            along += speed / self.rate_hz
            t += 1.0 / self.rate_hz

    def _place(self, along_m: float, lap: int) -> tuple[float, float, float]:
        points = self.circuit.points
        i = int(along_m)
        (ax, ay), (bx, by) = points[i], points[(i + 1) % len(points)]
        share = along_m - i
        left_m = sum(
            m * min(1.0, (along_m - first) / 30.0, (last - along_m) / 30.0)
            for of, first, last, m in self.aside
            if of == lap and first < along_m < last
        )
        x, y = ax + share * (bx - ax) - left_m * (by - ay), ay + share * (by - ay) + left_m * (bx - ax)
        return x, y, math.degrees(math.atan2(bx - ax, by - ay)) % 360.0

    def findings(self) -> list[Finding]:
        return []


def there_and_back(length_m: float = 900.0, apart_m: float = 3.0) -> Circuit:
    """A winding road driven up, turned at the top, and down again on its other half."""
    up = [(x, 60.0 * math.sin(x / 90.0)) for x in range(int(length_m))]
    down = [(x, y + apart_m) for x, y in reversed(up)]
    line = [*up, *down]
    points: list[Point] = []
    for (ax, ay), (bx, by) in zip(line, [*line[1:], line[0]], strict=True):
        pieces = max(1, round(math.dist((ax, ay), (bx, by))))
        points += [(ax + (bx - ax) * k / pieces, ay + (by - ay) * k / pieces) for k in range(pieces)]
    points = points[450:] + points[:450]
    return Circuit(points, [60.0] * len(points), [])


GRAND_PRIX = rounded(
    [
        *((400, 0), (420, 260), (250, 300), (230, 480), (-150, 520)),
        *((-200, 330), (40, 250), (0, 100), (-300, 120), (-320, 0)),
    ],
    [40, 60, 25, 45, 60, 30, 35, 50, 45, 40],
)
FIGURE_EIGHT = rounded([(300, -200), (300, 200), (-300, -200), (-300, 200)], [80, 80, 80, 80])

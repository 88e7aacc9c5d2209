"""Circuits of straight pieces and drives along them whose true place is known at every moment."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import msgspec

from pitwall.telemetry.frame import Frame
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.telemetry.signals import SIGNALS
from pitwall.track.geometry import Projection, heading_deg
from pitwall.track.model import Corner, Gate, Track

ORIGIN = Projection(50.0, 7.0)
POINT_STEP_M = 4.0

# Two straights against each other, 12 m apart for 500 m.
HAIRPIN = ((0, 0), (600, 0), (600, 12), (80, 12), (80, 200), (-100, 200), (-100, 0))
# Crosses itself at right angles on a bridge at (200, 0).
BRIDGE = ((0, 0), (400, 0), (400, 300), (200, 300), (200, -300), (-100, -300), (-100, 0))
# Two straights the same way, 20 m apart, the gate's line reaching over both.
SPIRAL = (
    (0, 0),
    (500, 0),
    (500, 300),
    (-100, 300),
    (-100, 20),
    (400, 20),
    (400, 150),
    (-200, 150),
    (-200, 0),
)

Point = tuple[float, float]


class Drive(msgspec.Struct):
    """Frames of a drive and, for each, how far the car truly was along the line from the gate (unwrapped)."""

    frames: list[Frame]
    true_m: list[float]


def walk(corners: Sequence[Point], distance_m: float) -> tuple[float, float, float]:
    """East, north and course at a distance along a closed polygon."""
    around = [*corners, corners[0]]
    lengths = [math.dist(a, b) for a, b in itertools.pairwise(around)]
    left_m = distance_m % sum(lengths)
    for (a, b), length_m in zip(itertools.pairwise(around), lengths, strict=True):
        if left_m < length_m:
            share = left_m / length_m
            x_m, y_m = a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])
            return x_m, y_m, heading_deg(b[0] - a[0], b[1] - a[1])
        left_m -= length_m
    return (*corners[0], 90.0)


def perimeter(corners: Sequence[Point]) -> float:
    return sum(math.dist(a, b) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True))


def circuit(corners: Sequence[Point], *, pit_lane: Sequence[Point] = (), gate_half_m: float = 12.0) -> Track:
    """The track of a polygon. Its gate lies across the first straight at the first corner."""
    length_m = perimeter(corners)
    count = round(length_m / POINT_STEP_M)
    points = [ORIGIN.lat_lon(*walk(corners, length_m * i / count)[:2]) for i in range(count)]
    left, right = ORIGIN.lat_lon(0.0, gate_half_m), ORIGIN.lat_lon(0.0, -gate_half_m)
    return Track(
        id="polygon",
        name="Polygon",
        direction="anticlockwise",
        length_m=length_m,
        gate=Gate(*left, *right, 90.0),
        centreline=tuple((lat, lon, 0.0) for lat, lon in points),
        speed_mps=tuple(30.0 for _ in points),
        corners=(
            Corner(
                id="turn_1",
                name="Turn 1",
                direction="left",
                entry_m=length_m * 0.30,
                apex_m=length_m * 0.32,
                exit_m=length_m * 0.35,
                brake_m=length_m * 0.26,
            ),
        ),
        sectors_m=(length_m * 0.33, length_m * 0.66),
        pit_lane=tuple(ORIGIN.lat_lon(*point) for point in pit_lane),
    )


def frame_at(
    t: float, x_m: float, y_m: float, speed_mps: float, course: float, noise_m: float = 0.0
) -> Frame:
    """A fix, displaced by a noise that wanders like a receiver's and is the same in every run."""
    x_m += noise_m * math.sin(1.7 * t + 0.3)
    y_m += noise_m * math.cos(2.3 * t)
    lat_deg, lon_deg = ORIGIN.lat_lon(x_m, y_m)
    return Frame(t, lat_deg, lon_deg, speed_mps=speed_mps, heading_deg=course)


def drive(
    corners: Sequence[Point],
    *,
    from_m: float = -100.0,
    to_m: float | None = None,
    laps: float = 2.2,
    rate_hz: float = 10.0,
    speed_mps: Callable[[float], float] = lambda distance_m: 30.0,
    offset_m: float = 0.0,
    noise_m: float = 0.0,
    start_t: float = 0.0,
) -> Drive:
    """Drive along the polygon, `offset_m` to the left of it, at a speed that depends on the place."""
    length_m = perimeter(corners)
    end_m = from_m + laps * length_m if to_m is None else to_m
    made = Drive([], [])
    true_m, step, t = from_m, 1.0 / rate_hz, start_t
    while true_m <= end_m:
        x_m, y_m, course = walk(corners, true_m)
        left = math.radians(course - 90.0)
        x_m, y_m = x_m + offset_m * math.sin(left), y_m + offset_m * math.cos(left)
        made.frames.append(frame_at(t, x_m, y_m, speed_mps(true_m), course, noise_m))
        made.true_m.append(true_m)
        for _ in range(20):
            true_m += speed_mps(true_m) * step / 20
        t = round(t + step, 6)
    return made


def judged(driven: Drive) -> Drive:
    """The same as it comes out of fusion, which judges every fix: one frame for each."""
    names = ("lat_deg", "lon_deg", "speed_mps", "heading_deg")
    channels = tuple(Channel(name, SIGNALS[name].unit, name) for name in names)
    fusion = Fusion([Stream(0, "receiver", channels)])
    frames = [
        fusion.feed(Sample(0, frame.t, tuple(getattr(frame, name) for name in names)))
        for frame in driven.frames
    ]
    return Drive([frame for frame in frames if frame is not None], driven.true_m)


def without_fixes(driven: Drive, from_t: float, to_t: float) -> Drive:
    """The same with a hole in which frames go on at their rate, but know neither place nor speed."""
    frames = [Frame(f.t, fix_age_s=f.t - from_t) if from_t <= f.t < to_t else f for f in driven.frames]
    return Drive(frames, driven.true_m)


def without_frames(driven: Drive, from_t: float, to_t: float) -> Drive:
    """The same with a hole in which nothing comes at all."""
    kept = [i for i, frame in enumerate(driven.frames) if not from_t <= frame.t < to_t]
    return Drive([driven.frames[i] for i in kept], [driven.true_m[i] for i in kept])


def apart_m(a_m: float, b_m: float, length_m: float) -> float:
    """The distance between two places of a lap, whichever way is shorter."""
    ahead_m = (a_m - b_m) % length_m
    return min(ahead_m, length_m - ahead_m)

"""What a track file says of an averaged line: direction, points, corners, brake points, sectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from pitwall.track.build_brakes import brake_points
from pitwall.track.build_line import Point, ring_length
from pitwall.track.build_profile import Agreement, Along, agreement, heights, own_bends
from pitwall.track.corners import Bend, curvature, find_bends
from pitwall.track.geometry import Projection
from pitwall.track.model import Corner

# Kept points: 5 m apart, closer on a kart track whose hairpins are only 10 m across.
POINTS, CLOSEST_M, WIDEST_M = 400, 2.0, 5.0
# One lap's own corners are looked for on a line smoothed over more, having no other laps to steady it.
OWN_SMOOTH_M = 14.0
SECTORS = 3
# Sector ends are moved by up to this share of the lap to lie on a straight.
SECTOR_SHIFT = 0.06


class Shape(msgspec.Struct, frozen=True):
    """A fine even closed line from the gate on, with the laps along it. At each point: the fastest lap's pace
    in m/s and the curvature in 1/m (positive to the right); `bends` are the corners in driving order."""

    line: list[Point]
    projection: Projection
    laps: list[Along]
    length_m: float
    step_m: float
    speed_mps: tuple[float, ...]
    bent: list[float]
    bends: list[Bend]

    @property
    def direction(self) -> Literal["clockwise", "anticlockwise"]:
        """Which way round it is driven, by the signed area (east right, north up)."""
        pairs = zip(self.line, [*self.line[1:], self.line[0]], strict=True)
        area_m2 = 0.5 * sum(ax * by - bx * ay for (ax, ay), (bx, by) in pairs)
        return "clockwise" if area_m2 < 0.0 else "anticlockwise"


def shape_of(line: list[Point], laps: list[Along], projection: Projection) -> Shape:
    """The line with its pace and its corners."""
    length_m = ring_length(line)
    step_m = length_m / len(line)
    speed_mps = min(laps, key=lambda along: along.lap.time_s).speed_mps
    bent = curvature(line, speed_mps, step_m)
    bends = find_bends(bent, speed_mps, step_m)
    return Shape(line, projection, laps, length_m, step_m, speed_mps, bent, bends)


def agreements_of(shape: Shape) -> list[Agreement]:
    """For each corner how the laps agree on it."""
    own = [own_bends(along, shape.line, shape.step_m, OWN_SMOOTH_M) for along in shape.laps]
    return [agreement(bend, own, shape.length_m) for bend in shape.bends]


def corners_of(shape: Shape, agreements: Sequence[Agreement]) -> tuple[Corner, ...]:
    """The corners as a track file has them, numbered from the gate on."""
    corners = tuple(
        Corner(
            id=f"turn_{i}",
            name=f"Turn {i}",
            number=str(i),
            direction=bend.direction,
            entry_m=bend.entry_m,
            apex_m=bend.apex_m,
            exit_m=bend.exit_m,
            sureness=seen.sureness,
        )
        for i, (bend, seen) in enumerate(zip(shape.bends, agreements, strict=True), start=1)
    )
    braked = brake_points(corners, shape.laps, shape.length_m)
    return tuple(
        msgspec.structs.replace(corner, brake_m=brake_m)
        for corner, brake_m in zip(corners, braked, strict=True)
    )


def kept_count(length_m: float) -> int:
    """How many points of a line of this length are kept."""
    return round(length_m / min(max(length_m / POINTS, CLOSEST_M), WIDEST_M))


def kept(values: Sequence[float], count: int) -> tuple[float, ...]:
    """Values of a fine even closed line at the `count` points that are kept."""
    around = [*values, values[0]]
    found = []
    for n in range(count):
        i, share = divmod(n * len(values) / count, 1.0)
        found.append(around[int(i)] + share * (around[int(i) + 1] - around[int(i)]))
    return tuple(found)


def centreline_of(shape: Shape) -> tuple[tuple[float, float, float], ...]:
    """The kept points as (lat_deg, lon_deg, elevation_m)."""
    count = kept_count(shape.length_m)
    xs = kept([point[0] for point in shape.line], count)
    ys = kept([point[1] for point in shape.line], count)
    height_m = kept(heights(shape.laps, shape.step_m), count)
    return tuple(
        (*shape.projection.lat_lon(x, y), height) for x, y, height in zip(xs, ys, height_m, strict=True)
    )


def sector_ends(shape: Shape) -> tuple[float, ...]:
    """Thirds of the lap, each end moved to the straightest place near."""
    count = len(shape.bent)
    load = [abs(k) * v * v for k, v in zip(shape.bent, shape.speed_mps, strict=True)]
    reach = max(1, int(SECTOR_SHIFT * count))
    ends = []
    for sector in range(1, SECTORS):
        wanted = count * sector // SECTORS
        near = range(wanted - reach, wanted + reach + 1)
        ends.append(min(near, key=lambda i: load[i]) * shape.step_m)
    return tuple(ends)

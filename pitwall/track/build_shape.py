"""Describes an averaged line as a track file: direction, points, corners, brake points, sectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median, pstdev
from typing import Literal

import msgspec

from pitwall.telemetry.frame import Frame
from pitwall.track.braking import BrakeTrace
from pitwall.track.build_laps import DrivenLap
from pitwall.track.build_line import Point, middle, offsets, ring_length, shifted, smooth_line, smooth_ring
from pitwall.track.corners import STANDARD_G, Bend, curvature, find_bends
from pitwall.track.geometry import Projection, interpolated
from pitwall.track.model import Corner

# Half the stretch over which pace and height are smoothed.
PACE_SMOOTH_M, HEIGHT_SMOOTH_M = 6.0, 25.0
# A lap's own corner is the same if its apex is this near, or half a corner's length in long ones.
SAME_APEX_M = 25.0
# An apex that moves by this much between laps, or by a third of a long corner, halves the sureness.
APEX_SPREAD_M, APEX_SPREAD_SHARE = 30.0, 0.33
# A load this many times the least that makes a corner leaves no doubt that it is one.
CLEAR = 1.5


class Along(msgspec.Struct, frozen=True):
    """A lap at the line's points: when it passed each, how far left (m), and its pace (m/s)."""

    lap: DrivenLap
    t: tuple[float, ...]
    left_m: tuple[float, ...]
    speed_mps: tuple[float, ...]


class CornerAgreement(msgspec.Struct, frozen=True):
    """How many laps show a corner, and the spread of their apexes in metres."""

    laps: int
    of: int
    apex_spread_m: float
    sureness: float


def along_line(lap: DrivenLap, line: Sequence[Point]) -> Along:
    """Return a lap at each point of an even closed line. Times never run backwards."""
    left = [offset if offset is not None else 0.0 for offset in offsets(lap.path, line)]
    step_m = lap.path.length_m / len(line)
    times: list[float] = []
    last_t = lap.lap.start_t
    for i, (x, y) in enumerate(line):
        seen = lap.path.nearest(x, y, i * step_m)
        last_t = min(max(last_t, seen[2] if seen else last_t), lap.lap.end_t)
        times.append(last_t)
    column = lap.trace.column("speed_mps")
    known = [i for i in range(lap.first, lap.last) if not math.isnan(column[i])]
    ts, speeds = [lap.trace.t[i] for i in known], [column[i] for i in known]
    paces = [interpolated(ts, speeds, t) for t in times]
    if lap.run:  # after the finish nothing was driven, and what does not move has no corners
        paces = [0.0 if t >= lap.lap.end_t else pace for t, pace in zip(times, paces, strict=True)]
    pace = smooth_ring(paces, round(PACE_SMOOTH_M / step_m))
    return Along(lap, tuple(times), tuple(left), tuple(max(0.0, v) for v in pace))


def heights(laps: Sequence[Along], step_m: float) -> list[float]:
    """Return the height in metres at each point, averaged without each lap's own level."""
    count = len(laps[0].t)
    shapes: list[list[float]] = []
    levels: list[float] = []
    for along in laps:
        trace = along.lap.trace
        column = trace.column("altitude_m")
        known = [i for i in range(along.lap.first, along.lap.last) if not math.isnan(column[i])]
        if 2 * len(known) <= along.lap.last - along.lap.first:
            continue
        ts, metres = [trace.t[i] for i in known], [column[i] for i in known]
        shape = [interpolated(ts, metres, t) for t in along.t]
        levels.append(median(shape))
        shapes.append([height - levels[-1] for height in shape])
    if not shapes:
        return [0.0] * count
    level = median(levels)
    return smooth_ring(
        [level + middle([shape[i] for shape in shapes]) for i in range(count)],
        round(HEIGHT_SMOOTH_M / step_m),
    )


def stray(laps: Sequence[Along], i: int) -> tuple[float, float]:
    """Return how far lap i is from the middle of all laps: the mean and the most, in metres."""
    mine = laps[i].left_m
    middles = [median(along.left_m[k] for along in laps) for k in range(len(mine))]
    away = [abs(offset - m) for offset, m in zip(mine, middles, strict=True)]
    return sum(away) / len(away), max(away)


def own_bends(along: Along, line: Sequence[Point], step_m: float, smooth_m: float) -> list[Bend]:
    """Return the corners that this one lap shows, placed along the common line."""
    own = smooth_line(shifted(line, along.left_m), round(smooth_m / step_m))
    bent = curvature(own, along.speed_mps, step_m)
    return find_bends(bent, along.speed_mps, step_m)


def agreement(bend: Bend, laps: Sequence[Sequence[Bend]], length_m: float) -> CornerAgreement:
    """Return how sure a corner is: share of laps, its load, how little the apex wanders."""
    corner_m = (bend.exit_m - bend.entry_m) % length_m
    reach_m = max(SAME_APEX_M, 0.5 * corner_m)
    doubt_m = max(APEX_SPREAD_M, APEX_SPREAD_SHARE * corner_m)
    apexes: list[float] = []
    for own in laps:
        near = [
            (other.apex_m - bend.apex_m + 0.5 * length_m) % length_m - 0.5 * length_m
            for other in own
            if other.direction == bend.direction
        ]
        nearest = min(near, key=abs, default=math.inf)
        if abs(nearest) <= reach_m:
            apexes.append(nearest)
    spread_m = pstdev(apexes) if len(apexes) > 1 else 0.0
    share = len(apexes) / (len(laps) + 1)
    sureness = share * min(1.0, bend.clearness / CLEAR) / (1.0 + (spread_m / doubt_m) ** 2)
    return CornerAgreement(len(apexes), len(laps), spread_m, sureness)


# With fewer than half of the laps braking, this corner is not braked for.
BRAKED_SHARE = 0.5
# Linked corners are braked for inside the one before; pressure at its apex is trail braking.
TRAILED_M = 5.0


def brake_points(corners: tuple[Corner, ...], laps: Sequence[Along], length_m: float) -> list[float | None]:
    """Return each corner's median brake place: by pressure or pedal, else by deceleration."""
    found = [_of_lap(corners, along, length_m) for along in laps]
    points: list[float | None] = []
    for i, corner in enumerate(corners):
        ahead = [(corner.apex_m - place_m) % length_m for lap in found if (place_m := lap[i]) is not None]
        braked = ahead and len(ahead) >= BRAKED_SHARE * len(laps)
        points.append((corner.apex_m - median(ahead)) % length_m if braked else None)
    return points


def _of_lap(corners: tuple[Corner, ...], along: Along, length_m: float) -> list[float | None]:
    frames = _frames(along)
    points = _points(corners, along, frames, length_m)
    if any(place_m is not None for place_m in points):
        return points
    for frame in frames:
        frame.brake_bar = frame.brake_pct = None
    return _points(corners, along, frames, length_m)


def _points(
    corners: tuple[Corner, ...], along: Along, frames: Sequence[Frame], length_m: float
) -> list[float | None]:
    trace = BrakeTrace()
    ends = (along.lap.lap.start_t, along.lap.lap.end_t)
    times, places = [*along.t, ends[1]], [length_m * i / len(along.t) for i in range(len(along.t) + 1)]
    for frame in frames:
        if ends[0] <= frame.t < ends[1]:
            trace.add(frame, interpolated(times, places, frame.t))
    points: list[float | None] = []
    for i, corner in enumerate(corners):
        from_m = corners[i - 1].apex_m
        began_m = trace.brake_point(*ends, from_m, corner.apex_m, length_m)
        trailed = began_m is not None and (began_m - from_m) % length_m < TRAILED_M
        points.append(None if trailed else began_m)
    return points


def _frames(along: Along) -> list[Frame]:
    lap = along.lap
    frames = [lap.trace.frame(i) for i in range(lap.first, lap.last)]
    for before, frame, after in zip(frames, frames[1:], frames[2:], strict=False):
        if frame.g_long is None and before.speed_mps is not None and after.speed_mps is not None:
            frame.g_long = (after.speed_mps - before.speed_mps) / (after.t - before.t) / STANDARD_G
    return frames


# Kept points: 5 m apart, closer on a kart track whose hairpins are only 10 m across.
POINTS, CLOSEST_M, WIDEST_M = 400, 2.0, 5.0
# One lap's own corners need a smoother line, with no other laps to steady it.
OWN_SMOOTH_M = 14.0
SECTORS = 3
# Sector ends are moved by up to this share of the lap to lie on a straight.
SECTOR_SHIFT = 0.06


class DrivenShape(msgspec.Struct, frozen=True):
    """A fine even closed line: pace (m/s), curvature (1/m, + right), corners, laps."""

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
        """Return which way round it is driven."""
        return winding(self.line)


def winding(line: Sequence[Point]) -> Literal["clockwise", "anticlockwise"]:
    """Return which way round a closed line goes, by the signed area (east right, north up)."""
    pairs = zip(line, [*line[1:], line[0]], strict=True)
    area_m2 = 0.5 * sum(ax * by - bx * ay for (ax, ay), (bx, by) in pairs)
    return "clockwise" if area_m2 < 0.0 else "anticlockwise"


def shape_of(line: list[Point], laps: list[Along], projection: Projection) -> DrivenShape:
    """Return the line with its pace and its corners."""
    length_m = ring_length(line)
    step_m = length_m / len(line)
    speed_mps = min(laps, key=lambda along: along.lap.time_s).speed_mps
    bent = curvature(line, speed_mps, step_m)
    bends = find_bends(bent, speed_mps, step_m)
    return DrivenShape(line, projection, laps, length_m, step_m, speed_mps, bent, bends)


def agreements_of(shape: DrivenShape) -> list[CornerAgreement]:
    """Return for each corner how the laps agree on it."""
    own = [own_bends(along, shape.line, shape.step_m, OWN_SMOOTH_M) for along in shape.laps]
    return [agreement(bend, own, shape.length_m) for bend in shape.bends]


def numbered(bends: Sequence[Bend], sureness: Sequence[float]) -> tuple[Corner, ...]:
    """Return bends in driving order as corners numbered from the gate on."""
    return tuple(
        Corner(
            id=f"turn_{i}",
            name=f"Turn {i}",
            number=str(i),
            direction=bend.direction,
            entry_m=bend.entry_m,
            apex_m=bend.apex_m,
            exit_m=bend.exit_m,
            sureness=sure,
        )
        for i, (bend, sure) in enumerate(zip(bends, sureness, strict=True), start=1)
    )


def corners_of(shape: DrivenShape, agreements: Sequence[CornerAgreement]) -> tuple[Corner, ...]:
    """Return the corners as a track file has them, with the places where they are braked for."""
    corners = numbered(shape.bends, [seen.sureness for seen in agreements])
    braked = brake_points(corners, shape.laps, shape.length_m)
    return tuple(
        msgspec.structs.replace(corner, brake_m=brake_m)
        for corner, brake_m in zip(corners, braked, strict=True)
    )


def kept_count(length_m: float) -> int:
    """Return how many points of a line of this length are kept."""
    return round(length_m / min(max(length_m / POINTS, CLOSEST_M), WIDEST_M))


def kept(values: Sequence[float], count: int) -> tuple[float, ...]:
    """Return values of a fine even closed line at the `count` points that are kept."""
    around = [*values, values[0]]
    found = []
    for n in range(count):
        i, share = divmod(n * len(values) / count, 1.0)
        found.append(around[int(i)] + share * (around[int(i) + 1] - around[int(i)]))
    return tuple(found)


def centreline_of(shape: DrivenShape) -> tuple[tuple[float, float, float], ...]:
    """Return the kept points as (lat_deg, lon_deg, elevation_m)."""
    count = kept_count(shape.length_m)
    xs, ys = (kept(column, count) for column in zip(*shape.line, strict=True))
    height_m = kept(heights(shape.laps, shape.step_m), count)
    return tuple(
        (*shape.projection.lat_lon(x, y), height) for x, y, height in zip(xs, ys, height_m, strict=True)
    )


def sector_ends(bent: Sequence[float], speed_mps: Sequence[float], step_m: float) -> tuple[float, ...]:
    """Return the sector ends: the straightest places near thirds of the lap."""
    count = len(bent)
    load = [abs(k) * v * v for k, v in zip(bent, speed_mps, strict=True)]
    reach = max(1, int(SECTOR_SHIFT * count))
    ends = []
    for sector in range(1, SECTORS):
        wanted = count * sector // SECTORS
        near = range(wanted - reach, wanted + reach + 1)
        ends.append(min(near, key=lambda i: load[i]) * step_m)
    return tuple(ends)

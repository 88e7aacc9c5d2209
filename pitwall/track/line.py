"""The centreline as a line in local metres, and the nearest place on it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence

import msgspec

from pitwall.track.geometry import Projection
from pitwall.track.model import Track

# Larger than the widest search (a car 30 m off), so nine cells hold every segment in reach.
CELL_M = 40.0
# GPS wanders by about 2 m: a smaller bulge does not split a piece in two.
APART_M = 2.0


class Spot(msgspec.Struct, gc=False):
    """A point seen from the line: `distance_m` along it, `offset_m` across (positive left).
    `away_m`: distance to the line, more than |offset_m| only beyond a vertex."""

    distance_m: float
    offset_m: float
    segment: int
    away_m: float


class Centreline:
    """A closed polyline, scaled to `length_m`; with `open_m` an open one of that length."""

    def __init__(
        self,
        points: Sequence[tuple[float, float]],
        length_m: float,
        projection: Projection,
        open_m: float | None = None,
    ) -> None:
        self.projection, self.length_m = projection, length_m
        self.count = len(points) - (open_m is not None)
        self._end_m = length_m if open_m is None else open_m
        self.x_m = [point[0] for point in points]
        self.y_m = [point[1] for point in points]
        ends = [(i + 1) % len(points) for i in range(self.count)]
        steps = [math.dist(points[i], points[end]) for i, end in enumerate(ends)]
        self.scale = self._end_m / sum(steps)
        self.step_m = steps
        self.ux = [(self.x_m[end] - self.x_m[i]) / steps[i] for i, end in enumerate(ends)]
        self.uy = [(self.y_m[end] - self.y_m[i]) / steps[i] for i, end in enumerate(ends)]
        self.start_m = [0.0]
        for step_m in steps[:-1]:
            self.start_m.append(self.start_m[-1] + step_m * self.scale)
        self.heading_deg = [
            math.degrees(math.atan2(ux, uy)) % 360.0 for ux, uy in zip(self.ux, self.uy, strict=True)
        ]
        self._cells = self._grid()

    @classmethod
    def of(cls, track: Track) -> Centreline:
        """Return the centreline of a track, around its first point."""
        projection = Projection(track.centreline[0][0], track.centreline[0][1])
        points = [projection.xy(lat, lon) for lat, lon, _ in track.centreline]
        return cls(points, track.length_m, projection, track.lap_m if track.has_finish else None)

    def spot(self, x_m: float, y_m: float, segment: int) -> Spot:
        """Return the nearest place on one segment."""
        dx, dy = x_m - self.x_m[segment], y_m - self.y_m[segment]
        ux, uy = self.ux[segment], self.uy[segment]
        along = dx * ux + dy * uy
        step = self.step_m[segment]
        offset = ux * dy - uy * dx
        if along < 0.0:
            away, along = math.hypot(dx, dy), 0.0
        elif along > step:
            away, along = math.hypot(along - step, offset), step
        else:
            away = abs(offset)
        distance = self.start_m[segment] + along * self.scale
        return Spot(distance if distance < self.length_m else 0.0, offset, segment, away)

    def near(self, x_m: float, y_m: float, segment: int) -> Spot:
        """Return the nearest place downhill from `segment`: follows a car by a few segments."""
        x, y, ux, uy, steps, count = self.x_m, self.y_m, self.ux, self.uy, self.step_m, self.count
        came = 0
        for _ in range(count):
            along = (x_m - x[segment]) * ux[segment] + (y_m - y[segment]) * uy[segment]
            if along > steps[segment] and came >= 0:
                segment, came = (segment + 1) % count, 1
            elif along < 0.0 and came <= 0:
                segment, came = (segment - 1) % count, -1
            else:
                break
        return self.spot(x_m, y_m, segment)

    def within(self, x_m: float, y_m: float, reach_m: float = 30.0) -> list[Spot]:
        """Return the nearest spot of every piece of the line within `reach_m`, nearest first."""
        found: list[Spot] = []
        last, peak_m = -2, 0.0
        xs, ys, uxs, uys, steps = self.x_m, self.y_m, self.ux, self.uy, self.step_m
        for segment in self._segments_around(x_m, y_m):
            # As `spot` does: most segments of the nine cells are too far, and need none.
            dx, dy, ux, uy = x_m - xs[segment], y_m - ys[segment], uxs[segment], uys[segment]
            beyond_m = steps[segment] + reach_m
            if abs(ux * dy - uy * dx) > reach_m or not -reach_m <= dx * ux + dy * uy <= beyond_m:
                continue
            spot = self.spot(x_m, y_m, segment)
            if spot.away_m > reach_m:
                continue
            if segment != last + 1 or (peak_m - max(spot.away_m, found[-1].away_m) >= APART_M):
                found.append(spot)
                peak_m = spot.away_m
            elif spot.away_m < found[-1].away_m:
                found[-1] = spot
                peak_m = spot.away_m
            else:
                peak_m = max(peak_m, spot.away_m)
            last = segment
        return sorted(found, key=lambda spot: (spot.away_m, spot.segment))

    def nearest(self, x_m: float, y_m: float) -> Spot:
        """Return the nearest place of all, however far: looks at every segment."""
        return min((self.spot(x_m, y_m, i) for i in range(self.count)), key=lambda spot: spot.away_m)

    def segment_at(self, distance_m: float) -> int:
        """Return the segment at this distance; beyond an open line, the nearer end's."""
        return bisect_right(self.start_m, self.held_m(distance_m)) - 1

    def held_m(self, distance_m: float) -> float:
        """Return this distance within one lap; beyond an open line's end, the nearer end."""
        place_m = distance_m % self.length_m
        if place_m > self._end_m:
            return self._end_m if 2.0 * place_m < self._end_m + self.length_m else 0.0
        return place_m

    def point_at(self, distance_m: float) -> tuple[float, float]:
        """Return east and north in metres of the place at this distance."""
        segment = self.segment_at(distance_m)
        along = (self.held_m(distance_m) - self.start_m[segment]) / self.scale
        return self.x_m[segment] + along * self.ux[segment], self.y_m[segment] + along * self.uy[segment]

    def _grid(self) -> dict[tuple[int, int], list[int]]:
        cells: dict[tuple[int, int], list[int]] = {}
        for segment in range(self.count):
            for cell in self._cells_of(segment):
                here = cells.setdefault(cell, [])
                if not here or here[-1] != segment:
                    here.append(segment)
        return cells

    def _cells_of(self, segment: int) -> Iterator[tuple[int, int]]:
        """Yield the cells along a segment, sampled every half cell."""
        pieces = int(self.step_m[segment] / (CELL_M / 2.0)) + 1
        for piece in range(pieces + 1):
            along = self.step_m[segment] * piece / pieces
            yield (
                math.floor((self.x_m[segment] + along * self.ux[segment]) / CELL_M),
                math.floor((self.y_m[segment] + along * self.uy[segment]) / CELL_M),
            )

    def _segments_around(self, x_m: float, y_m: float) -> list[int]:
        column, row = math.floor(x_m / CELL_M), math.floor(y_m / CELL_M)
        segments: set[int] = set()
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                segments.update(self._cells.get((column + dx, row + dy), ()))
        return sorted(segments)

"""Which places lie near a track: anything farther away is private (a way home, an address)."""

from __future__ import annotations

import math

from pitwall.track.geometry import Projection
from pitwall.track.model import Track

# A paddock, a car park and the way to the pumps lie within; a home seldom does.
NEAR_M = 500.0
# Places are judged by cells of this size, each once.
_CELL_M = 10.0


class NearTrack:
    """Decides, place after place in order of time, what of a drive may leave the home.

    A place is near if all of its cell lies within NEAR_M of the line. Placeless readings count as
    the last place did; before the first nothing is near.
    """

    def __init__(self, track: Track) -> None:
        self._projection = Projection(track.centreline[0][0], track.centreline[0][1])
        points = [self._projection.xy(lat, lon) for lat, lon, _ in track.centreline]
        self._line: dict[tuple[int, int], list[tuple[float, float]]] = {}
        ends = zip(points, points[1:] if track.has_finish else [*points[1:], points[0]], strict=False)
        for (ax, ay), (bx, by) in ends:
            pieces = int(math.hypot(bx - ax, by - ay) / _CELL_M) + 1
            for i in range(pieces + 1):
                x, y = ax + (bx - ax) * i / pieces, ay + (by - ay) * i / pieces
                self._line.setdefault((int(x // NEAR_M), int(y // NEAR_M)), []).append((x, y))
        self._cells: dict[tuple[int, int], bool] = {}
        self._near = False

    def keeps(self, lat_deg: float | None, lon_deg: float | None) -> bool:
        """Return whether what was measured at this place (degrees) may leave the home."""
        if lat_deg is not None and lon_deg is not None:
            x_m, y_m = self._projection.xy(lat_deg, lon_deg)
            cell = (int(x_m // _CELL_M), int(y_m // _CELL_M))
            near = self._cells.get(cell)
            if near is None:
                near = self._cells[cell] = self._is_near(cell)
            self._near = near
        return self._near

    def _is_near(self, cell: tuple[int, int]) -> bool:
        x_m, y_m = ((at + 0.5) * _CELL_M for at in cell)
        column, row = int(x_m // NEAR_M), int(y_m // NEAR_M)
        reach_m = NEAR_M - _CELL_M * math.sqrt(0.5)
        return any(
            math.hypot(x - x_m, y - y_m) <= reach_m
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            for x, y in self._line.get((column + dx, row + dy), ())
        )

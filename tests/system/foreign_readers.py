"""Files that we write, read as others read them: GPX by gpxpy, VBO as its description says.
Laps of what they found are timed here, by nothing of ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import gpxpy

Fix = tuple[float, float, float]
"""Seconds UTC of the day, latitude and longitude in degrees."""


def _day_s(moment: datetime) -> float:
    return moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6


def gpx_fixes(path: Path) -> list[Fix]:
    with path.open() as file:
        read = gpxpy.parse(file)
    return [
        (_day_s(point.time.astimezone(UTC)), point.latitude, point.longitude)
        for track in read.tracks
        for segment in track.segments
        for point in segment.points
        if point.time is not None
    ]


def vbo_fixes(path: Path) -> list[Fix]:
    """Racelogic's description: sections in square brackets; the columns are named under [column names]; the
    time is UTC as HHMMSS.SSS; positions are minutes, longitude positive west."""
    sections: dict[str, list[str]] = {}
    rows: list[str] = []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            rows = sections.setdefault(line.strip("[]"), [])
        elif line.strip():
            rows.append(line)
    [names] = [line.split() for line in sections["column names"]]
    time, lat, lon = (names.index(name) for name in ("time", "lat", "long"))
    found = []
    for cells in map(str.split, sections["data"]):
        assert len(cells) == len(names)
        clock = cells[time]
        at = timedelta(hours=int(clock[:2]), minutes=int(clock[2:4]), seconds=float(clock[4:]))
        found.append((at.total_seconds(), float(cells[lat]) / 60.0, -float(cells[lon]) / 60.0))
    return found


READERS: dict[str, Callable[[Path], list[Fix]]] = {"gpx": gpx_fixes, "vbo": vbo_fixes}


def lap_times(fixes: Sequence[Fix], a_deg: tuple[float, float], b_deg: tuple[float, float]) -> list[float]:
    """Seconds between the crossings of the line from a to b (latitude, longitude), one way: where the way
    between two fixes meets it, at an even speed."""
    scale = math.cos(math.radians(a_deg[0]))

    def plane(lat_deg: float, lon_deg: float) -> tuple[float, float]:
        return (lon_deg - a_deg[1]) * scale, lat_deg - a_deg[0]

    bx, by = plane(*b_deg)
    ways: dict[bool, list[float]] = {True: [], False: []}
    for (t0, *from_deg), (t1, *to_deg) in pairwise(fixes):
        (x0, y0), (x1, y1) = plane(*from_deg), plane(*to_deg)
        side0, side1 = bx * y0 - by * x0, bx * y1 - by * x1
        if (side0 < 0.0) == (side1 < 0.0):
            continue
        share = side0 / (side0 - side1)
        x, y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
        if 0.0 <= (x * bx + y * by) / (bx * bx + by * by) <= 1.0:
            ways[side0 < 0.0].append(t0 + share * (t1 - t0))
    return [after - before for before, after in pairwise(max(ways.values(), key=len))]

"""The recordings read by other code than Pitwall's: rows of numbers, and when the car passed a place."""

from __future__ import annotations

import csv
import math
import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean

from pitwall.track.model import Track

Row = dict[str, float]
# Further from a place, or in another direction, the car passes another part of the track.
NEAR_M, TURNED_DEG = 20.0, 60.0


def sonoma_rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8-sig") as file:
        return [
            {
                "t": float(row["Elapsed time (s)"]),
                "height": float(row["Height (m)"]),
                "lat": _degrees(row["Latitude"]),
                "lon": _degrees(row["Longitude"]),
                "g_lat": float(row["Lateral acceleration (g)"]),
                "kmh": float(row["Speed (km/h)"]),
                "rpm": float(row["Engine Speed (rpm)"]),
                "bar": float(row["Brake Pressure (bar)"]),
                "oil": float(row["Oil Temperature (°C)"]),
                "oil_bar": float(row["Oil Pressure (bar)"]),
                "coolant": float(row["Coolant Temperature (°C)"]),
                "throttle": float(row["Throttle Position (%)"]),
            }
            for row in csv.DictReader(file)
        ]


def _degrees(text: str) -> float:
    whole, rest, side = re.split("[° ]", text)
    return (float(whole) + float(rest) / 60.0) * (-1.0 if side in "SW" else 1.0)


# Columns of a VBO file under other names -> ours.
_NAMES = {
    "velocity": "kmh", "Engine_Speed": "rpm", "Brake_Pressure_Front": "bar", "Throttle_Pedal": "throttle",
    "Gear": "gear", "Steering_Angle": "steering",
}  # fmt: skip


def vbo_rows(path: Path) -> list[Row]:
    """West and east: VBO counts minutes of longitude to the west."""
    lines = path.read_text(encoding="latin-1").splitlines()
    names = lines[lines.index("[column names]") + 1].split()
    rows = []
    for line in lines[lines.index("[data]") + 1 :]:
        parts = dict(zip(names, line.split(), strict=False))
        if len(parts) < len(names):
            continue
        clock = parts["time"]
        t = int(clock[:2]) * 3600 + int(clock[2:4]) * 60 + float(clock[4:])
        lon = float(parts.get("long", parts.get("lng", "")))
        row = {"t": t, "lat": float(parts["lat"]) / 60.0, "lon": -lon / 60.0}
        rows.append(row | {ours: float(parts[name]) for name, ours in _NAMES.items() if name in parts})
    return rows


def nmea_rows(path: Path) -> list[Row]:
    rows = []
    for line in path.read_text(encoding="latin-1").splitlines():
        parts = line.split(",")
        if not parts[0].endswith("RMC") or len(parts) < 8 or parts[2] != "A":
            continue
        t = int(parts[1][:2]) * 3600 + int(parts[1][2:4]) * 60 + float(parts[1][4:])
        lat = int(parts[3][:2]) + float(parts[3][2:]) / 60.0
        lon = int(parts[5][:3]) + float(parts[5][3:]) / 60.0
        rows.append({"t": t, "lat": lat, "lon": -lon, "kmh": float(parts[7]) * 1.852})
    return rows


class RawDrive:
    """Rows over a track's geometry."""

    def __init__(self, rows: list[Row], track: Track, numbers: Sequence[int]) -> None:
        """`numbers`: which lap each crossing of the line begins; a crossing in the pits begins none."""
        self.rows, self.track = rows, track
        self._times = [row["t"] for row in rows]
        east = math.cos(math.radians(track.centreline[0][0])) * 111_320.0
        self._xy = [(row["lon"] * east, row["lat"] * 111_132.0) for row in rows]
        self._line = [(point[1] * east, point[0] * 111_132.0) for point in track.centreline]
        self._found: dict[float, list[float]] = {}
        self.crossings = self._passings(0.0)
        begun = dict.fromkeys(numbers)
        ends = {number: at + 1 for at, number in enumerate(numbers)}
        self.begin = {number: self.crossings[list(numbers).index(number)] for number in begun}
        self.end = {number: self.crossings[at] for number, at in ends.items()}

    def _place(self, at_m: float) -> tuple[float, float, float]:
        """x, y and direction of the centreline at a distance."""
        loop = [*self._line, self._line[0]]
        steps = [math.dist(a, b) for a, b in pairwise(loop)]
        left = at_m % self.track.length_m * sum(steps) / self.track.length_m
        for (ax, ay), (bx, by), step in zip(loop, loop[1:], steps, strict=False):
            if left <= step:
                share = left / step
                return ax + share * (bx - ax), ay + share * (by - ay), math.atan2(by - ay, bx - ax)
            left -= step
        return (*loop[0], 0.0)

    def _passings(self, at_m: float) -> list[float]:
        """When the car passed a place of the track in its direction."""
        if at_m in self._found:
            return self._found[at_m]
        x, y, way = self._place(at_m)
        along = [(px - x) * math.cos(way) + (py - y) * math.sin(way) for px, py in self._xy]
        found = self._found[at_m] = []
        for i in range(1, len(self.rows)):
            a, b = along[i - 1], along[i]
            if not (a < 0.0 <= b):
                continue
            px, py = self._xy[i]
            moved = math.atan2(py - self._xy[i - 1][1], px - self._xy[i - 1][0])
            turned = abs(math.remainder(moved - way, math.tau))
            if math.hypot(px - x, py - y) < NEAR_M and turned < math.radians(TURNED_DEG):
                t = self._times[i - 1] + -a / (b - a) * (self._times[i] - self._times[i - 1])
                if not found or t - found[-1] > 5.0:
                    found.append(t)
        return found

    def passed(self, lap: int, at_m: float) -> float:
        begin, end = self.begin[lap], self.end[lap]
        return next(t for t in self._passings(at_m) if begin - 0.5 <= t <= end + 0.5)

    def lap(self, lap: int) -> float:
        return self.end[lap] - self.begin[lap]

    def sector(self, lap: int, number: int) -> float:
        ends = [self.begin[lap], *(self.passed(lap, at_m) for at_m in self.track.sectors_m), self.end[lap]]
        return ends[number] - ends[number - 1]

    def span(self, lap: int, corner: str) -> tuple[float, float]:
        [row] = [each for each in self.track.corners if each.id == corner]
        return self.passed(lap, row.entry_m), self.passed(lap, row.exit_m)

    def corner(self, lap: int, corner: str) -> float:
        begin, end = self.span(lap, corner)
        return end - begin

    def straight(self, lap: int, corner: str) -> tuple[float, float]:
        """From the exit of the corner before, for the first one in the last lap, to the entry of this one."""
        rows = sorted(self.track.corners, key=lambda each: each.apex_m)
        at = next(i for i, each in enumerate(rows) if each.id == corner)
        return self.passed(lap - (at == 0), rows[at - 1].exit_m), self.passed(lap, rows[at].entry_m)

    def straight_top(self, lap: int, corner: str) -> float:
        """The highest speed from there to the slowest row of this corner: the car may gain past its entry."""
        begin, end = self.span(lap, corner)
        slowest = min((row for row in self.rows if begin <= row["t"] <= end), key=lambda row: row["kmh"])
        return max(self.between(self.straight(lap, corner)[0], slowest["t"]))

    def metres(self, begin: float, end: float, name: str, over: float) -> float:
        """Metres driven while a reading was over a limit, by the speed."""
        rows = [row for row in self.rows if begin <= row["t"] <= end]
        return sum(a["kmh"] / 3.6 * (b["t"] - a["t"]) for a, b in pairwise(rows) if a[name] > over)

    def at(self, t: float, name: str = "kmh") -> float:
        i = bisect_left(self._times, t)
        a, b = self.rows[i - 1], self.rows[min(i, len(self.rows) - 1)]
        share = (t - a["t"]) / (b["t"] - a["t"]) if b["t"] > a["t"] else 0.0
        return a[name] + share * (b[name] - a[name])

    def between(self, begin: float, end: float, name: str = "kmh") -> list[float]:
        return [row[name] for row in self.rows if begin <= row["t"] <= end]

    def in_lap(self, lap: int, name: str = "kmh") -> list[float]:
        return self.between(self.begin[lap], self.end[lap], name)

    def low(self, lap: int, corner: str) -> float:
        return min(self.between(*self.span(lap, corner)))

    def entry(self, lap: int, corner: str) -> float:
        return self.at(self.span(lap, corner)[0])

    def exit(self, lap: int, corner: str) -> float:
        return self.at(self.span(lap, corner)[1])

    def mean(self, lap: int, name: str) -> float:
        return fmean(self.in_lap(lap, name))

    def seconds(self, lap: int, name: str, value: float) -> float:
        """Seconds of a lap with a reading of this value."""
        rows = [row for row in self.rows if self.begin[lap] <= row["t"] <= self.end[lap]]
        return sum(b["t"] - a["t"] for a, b in pairwise(rows) if a[name] == value)

    def near_highest_s(self, lap: int, name: str) -> float:
        """Seconds of a lap with at least 95 % of the drive's highest reading."""
        least = 0.95 * max(row[name] for row in self.rows)
        begin, end = self.begin[lap], self.end[lap]
        rows = [row for row in self.rows if begin <= row["t"] <= end]
        return sum(b["t"] - a["t"] for a, b in pairwise(rows) if a[name] >= least)

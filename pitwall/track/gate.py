"""The start line: its crossings, whether a stored one belongs here, or else where it may be."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from statistics import median

import msgspec

from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings.base import StoredGate
from pitwall.track.driven import DRIVING_MPS, SAME_WAY_DEG, DrivenPath, Pass
from pitwall.track.geometry import Projection, heading_deg, turn_deg
from pitwall.track.line import Centreline
from pitwall.track.model import Gate

# Another circuit's start line lies kilometres away; pit, paddock and track within 500 m.
FAR_M = 500.0
# A line that no pass comes near is not crossed: half a wide circuit with its pit lane.
PASSED_M = 40.0
# Racelogic and RaceChrono store two points along the travel: nearer to it than to the line across.
ALONG_DEG = 45.0
# A point on the racing line with a perpendicular over the road and the pit lane.
LINE_HALF_WIDTH_M = 25.0
# Beyond the road another piece at racing speed is track, a slow one the pit lane.
ROAD_HALF_WIDTH_M, RACING_SHARE = 8.0, 0.5
# A drawn segment means what it says; GPS wander and a car's antenna only.
SEGMENT_MARGIN_M = 4.0
SEGMENT_LEAST_HALF_M = 10.0
# Between fixes further apart the change of speed matters (4 m/s2: 2 ms at 0.2 s).
ACCELERATED_S = 0.15
EARTH_M = 6371008.8


class GateLine:
    """A gate in plane metres, ready to be asked for every pair of fixes."""

    def __init__(self, gate: Gate, projection: Projection) -> None:
        self._to_xy = projection.xy
        self._ax, self._ay = projection.xy(gate.a_lat_deg, gate.a_lon_deg)
        bx, by = projection.xy(gate.b_lat_deg, gate.b_lon_deg)
        self._length_m = math.hypot(bx - self._ax, by - self._ay)
        self._ux, self._uy = (bx - self._ax) / self._length_m, (by - self._ay) / self._length_m
        east, north = math.sin(math.radians(gate.heading_deg)), math.cos(math.radians(gate.heading_deg))
        side = 1.0 if -self._uy * east + self._ux * north > 0.0 else -1.0
        self._along_x, self._along_y = -self._uy * side, self._ux * side

    def past_m(self, x_m: float, y_m: float) -> float:
        """Return how far a point is past the (endless) line in the driving direction."""
        return (x_m - self._ax) * self._along_x + (y_m - self._ay) * self._along_y

    def crossing(self, before: Frame, after: Frame) -> tuple[float, float] | None:
        """Return when the gate was crossed in driving direction, and the share of the way.

        Between distant fixes the speed is assumed to change evenly.
        """
        if before.lat_deg is None or before.lon_deg is None or after.lat_deg is None or after.lon_deg is None:
            return None
        x0, y0 = self._to_xy(before.lat_deg, before.lon_deg)
        x1, y1 = self._to_xy(after.lat_deg, after.lon_deg)
        past0, past1 = self.past_m(x0, y0), self.past_m(x1, y1)
        if not past0 < 0.0 <= past1:
            return None
        share = past0 / (past0 - past1)
        across = (x0 + share * (x1 - x0) - self._ax) * self._ux + (
            y0 + share * (y1 - y0) - self._ay
        ) * self._uy
        if not 0.0 <= across <= self._length_m:
            return None
        t0, t1 = before.t - before.fix_age_s, after.t - after.fix_age_s
        time_share = share
        if t1 - t0 > ACCELERATED_S and before.speed_mps is not None and after.speed_mps is not None:
            time_share = share_of_time(share, before.speed_mps, after.speed_mps)
        return t0 + time_share * (t1 - t0), share


def share_of_time(share: float, from_mps: float, to_mps: float) -> float:
    """Return the share of time for a share of the way when the speed changes evenly.

    From way = v0 t + (v1 - v0) t^2 / 2 over a unit of time, scaled to the whole way (v0 + v1) / 2.
    """
    gain = to_mps - from_mps
    if abs(gain) < 0.01 * (from_mps + to_mps) or from_mps + to_mps < 1.0:
        return share
    root = from_mps * from_mps + gain * share * (from_mps + to_mps)
    return (math.sqrt(max(root, 0.0)) - from_mps) / gain


class GateVerdict(msgspec.Struct, frozen=True):
    """What became of a stored start line: the gate to use (None: refused), and why."""

    gate: Gate | None
    reason: str


def stored_gate_verdict(stored: StoredGate, driven: DrivenPath) -> GateVerdict:
    """Judge a file's start line by the driving: refused, along the travel, or truly across it."""
    to_xy = driven.projection.xy
    a, b = to_xy(stored.a_lat_deg, stored.a_lon_deg), to_xy(stored.b_lat_deg, stored.b_lon_deg)
    name = f"stored start line {stored.name!r}" if stored.name else "stored start line"
    where = f"{name} at {place_text(stored.a_lat_deg, stored.a_lon_deg)}"
    passed = driven.nearest_pass((a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0)
    if passed is None:
        return GateVerdict(None, f"{where}: nothing was driven, refused")
    lat_deg, lon_deg = driven.projection.lat_lon(passed.x_m, passed.y_m)
    away_m = great_circle_m(stored.a_lat_deg, stored.a_lon_deg, lat_deg, lon_deg)
    if away_m > FAR_M:
        far = f"{away_m / 1000.0:,.0f} km" if away_m > 9999.0 else f"{away_m:,.0f} m"
        data = f"the data at {place_text(lat_deg, lon_deg)}"
        return GateVerdict(None, f"{where} is {far} from {data}: refused")
    if passed.away_m > PASSED_M:
        return GateVerdict(None, f"{where} is never passed nearer than {passed.away_m:.0f} m: refused")
    bearing = heading_deg(b[0] - a[0], b[1] - a[1])
    askew = abs(turn_deg(bearing, passed.heading_deg))
    if a == b or min(askew, 180.0 - askew) <= ALONG_DEG:
        at_a = driven.nearest_pass(*a) or passed
        course = driven.course_at(*a, at_a.heading_deg)
        gate = gate_across(driven, a, course)
        return GateVerdict(gate, f"{name}: two points along the travel, the line across it at the first")
    return GateVerdict(_widened(a, b, passed, driven.projection), f"{name}: a segment across the track")


def run_gates(given: StoredGate, driven: DrivenPath) -> GateVerdict:
    """Return lines across the road at a start and a finish, in the driven direction."""
    places = [
        driven.projection.xy(given.a_lat_deg, given.a_lon_deg),
        driven.projection.xy(given.b_lat_deg, given.b_lon_deg),
    ]
    passes = [_passes(driven, place) for place in places]
    for name, found in zip(("start", "finish"), passes, strict=True):
        if not found:
            return GateVerdict(None, f"the {name} is never passed nearer than {PASSED_M:.0f} m: refused")
    way_m = [0.0, *itertools.accumulate(driven.step_m(i) for i in range(len(driven) - 1))]
    runs = [
        (way_m[after] - way_m[before], before, after)
        for before, onward in itertools.pairwise([*passes[0], len(driven)])
        if (after := next((i for i in passes[1] if before < i < onward), None)) is not None
    ]
    if not runs:
        return GateVerdict(None, "the finish is never passed after the start: refused")
    _, *ends = min(runs)
    start, finish = (
        gate_across(driven, place, driven.course_at(*place, driven.course(end)))
        for place, end in zip(places, ends, strict=True)
    )
    return GateVerdict(msgspec.structs.replace(start, finish=finish), "runs from the start to the finish")


def _passes(driven: DrivenPath, place: tuple[float, float]) -> list[int]:
    near = [math.hypot(x - place[0], y - place[1]) for x, y in zip(driven.x_m, driven.y_m, strict=True)]
    inside = [i for i, away_m in enumerate(near[:-1]) if away_m <= PASSED_M]
    groups: list[list[int]] = []
    for i in inside:
        if groups and i == groups[-1][-1] + 1:
            groups[-1].append(i)
        else:
            groups.append([i])
    found = [min(group, key=lambda i: near[i]) for group in groups]
    nearest_m = min((near[i] for i in found), default=0.0)
    return [i for i in found if near[i] <= nearest_m + LANE_M]


def gate_across(driven: DrivenPath, at: tuple[float, float], course: float) -> Gate:
    """Return a gate over road and pit lane, but not over another piece of track."""
    half_width_m = LINE_HALF_WIDTH_M
    passed = driven.crossings(at, course, 2.0 * LINE_HALF_WIDTH_M)
    on_road = [driven.speed_mps(i) for i, offset_m in passed if abs(offset_m) <= ROAD_HALF_WIDTH_M]
    if on_road:
        racing_mps = RACING_SHARE * median(on_road)
        for i, offset_m in passed:
            if abs(offset_m) > 2.0 * ROAD_HALF_WIDTH_M and driven.speed_mps(i) >= racing_mps:
                half_width_m = min(half_width_m, abs(offset_m) / 2.0)
    return perpendicular_gate(at, course, half_width_m, driven.projection)


def perpendicular_gate(
    at: tuple[float, float], course_deg: float, half_width_m: float, projection: Projection
) -> Gate:
    """Return a gate straight across a course, from left to right."""
    left = math.radians(course_deg - 90.0)
    dx, dy = half_width_m * math.sin(left), half_width_m * math.cos(left)
    a = projection.lat_lon(at[0] + dx, at[1] + dy)
    b = projection.lat_lon(at[0] - dx, at[1] - dy)
    return Gate(*a, *b, course_deg % 360.0)


def _widened(a: tuple[float, float], b: tuple[float, float], passed: Pass, projection: Projection) -> Gate:
    """Return the stored segment with a margin, crossed the way the car passed."""
    half_m = math.dist(a, b) / 2.0
    normal_deg = heading_deg(b[1] - a[1], a[0] - b[0])
    if abs(turn_deg(normal_deg, passed.heading_deg)) > 90.0:
        normal_deg = (normal_deg + 180.0) % 360.0
    middle = ((a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0)
    width_m = max(half_m + SEGMENT_MARGIN_M, SEGMENT_LEAST_HALF_M)
    return perpendicular_gate(middle, normal_deg, width_m, projection)


def place_text(lat_deg: float, lon_deg: float) -> str:
    """Return a place for people: `80.4155 W 25.4545 N`."""
    east_west, north_south = "W" if lon_deg < 0.0 else "E", "S" if lat_deg < 0.0 else "N"
    return f"{abs(lon_deg):.4f} {east_west} {abs(lat_deg):.4f} {north_south}"


def great_circle_m(lat0_deg: float, lon0_deg: float, lat1_deg: float, lon1_deg: float) -> float:
    """Return metres between two places on the mean sphere (haversine formula, error below 0.6
    %)."""
    phi0, phi1 = math.radians(lat0_deg), math.radians(lat1_deg)
    half_lat, half_lon = (phi1 - phi0) / 2.0, math.radians(lon1_deg - lon0_deg) / 2.0
    h = math.sin(half_lat) ** 2 + math.cos(phi0) * math.cos(phi1) * math.sin(half_lon) ** 2
    return 2.0 * EARTH_M * math.asin(math.sqrt(min(h, 1.0)))


# A lap counter changes within a few tenths of the line: 0.3 s at 70 m/s. Later marks are pit stops.
MARK_SPREAD_M = 60.0
# The line is put where the course changes by less than this over a stretch of road.
STRAIGHT_DEG, STRAIGHT_POINTS = 8.0, 6
# A round course has no such stretch: there by less than this.
ROUND_DEG = 45.0
# Candidates for the line: the fastest places, not all on one straight.
CANDIDATES, CANDIDATE_GAP = 24, 12
# No circuit is shorter (an indoor kart track has 200 m); a turn in the paddock is.
SHORTEST_LOOP_M = 150.0
# Another lap keeps to the first one's road: its width and GPS wander; on a straight to less.
ROAD_M, LANE_M = 20.0, 12.0
# Twice around, allowing for a start and an end somewhere on the loop.
TIMES_AROUND = 1.8


def gate_from_marks(driven: DrivenPath, marks_t: Sequence[float]) -> Gate | None:
    """Return the line across the course in the middle of the lap marks; None if marks disagree."""
    places = [place for place in (mark_place(driven, t) for t in marks_t) if place is not None]
    for _ in range(2):
        if not places:
            return None
        x_m, y_m = median(place[0] for place in places), median(place[1] for place in places)
        agreeing = [place for place in places if math.dist(place[:2], (x_m, y_m)) <= MARK_SPREAD_M]
        if 2 * len(agreeing) < len(places):
            return None
        places = agreeing
    east = sum(math.sin(math.radians(place[2])) for place in places)
    north = sum(math.cos(math.radians(place[2])) for place in places)
    return gate_across(driven, (x_m, y_m), heading_deg(east, north))


def mark_place(driven: DrivenPath, t: float) -> tuple[float, float, float] | None:
    """Return place and course at a session time; None if not driving."""
    index = driven.index_at(t)
    if index is None or not driven.driven(index):
        return None
    share = (t - driven.t[index]) / (driven.t[index + 1] - driven.t[index])
    x_m = driven.x_m[index] + share * (driven.x_m[index + 1] - driven.x_m[index])
    y_m = driven.y_m[index] + share * (driven.y_m[index + 1] - driven.y_m[index])
    return x_m, y_m, driven.course(index)


def gate_from_loop(driven: DrivenPath) -> Gate | None:
    """Return a line on the fastest straight of a loop driven twice, else its fastest place."""
    for index in fastest_straights(driven) or fastest_straights(driven, ROUND_DEG):
        at = (driven.x_m[index], driven.y_m[index])
        course = driven.course(index)
        crossed = [i for i, _ in driven.crossings(at, course, LANE_M)]
        loops = [
            (first, after)
            for first, after in itertools.pairwise(crossed)
            if driven.length_m(first, after) >= SHORTEST_LOOP_M
        ]
        if any(times_around(driven, first, after) >= TIMES_AROUND for first, after in loops[:3]):
            return gate_across(driven, at, course)
    return None


# Pieces of road, and the share of a road that is no circuit driven both ways.
ROAD_PIECE_M, BOTH_WAYS_SHARE, TURNED_ROUND_DEG = 15.0, 0.6, 150.0
# A run's suggested lines lie so far inside its ends, where the car is driven.
INSIDE_STEPS = 8


def run_there_and_back(driven: DrivenPath) -> StoredGate | None:
    """Return where the fastest run of a road that was driven both ways begins and ends."""
    ways: dict[tuple[int, int], list[float]] = {}
    stretches: list[list[int]] = [[]]
    for i in range(len(driven) - 1):
        if not driven.driven(i):
            stretches.append([])
            continue
        course = driven.course(i)
        ways.setdefault((int(driven.x_m[i] // ROAD_PIECE_M), int(driven.y_m[i] // ROAD_PIECE_M)), []).append(
            course
        )
        if stretches[-1] and abs(turn_deg(driven.course(i - 1), course)) > TURNED_ROUND_DEG:
            stretches.append([])
        stretches[-1].append(i)
    both = sum(any(abs(turn_deg(each[0], way)) > TURNED_ROUND_DEG for way in each) for each in ways.values())
    longest = max(map(len, stretches))
    if both < BOTH_WAYS_SHARE * len(ways) or longest < 4 * INSIDE_STEPS:
        return None
    whole = (each for each in stretches if 2 * len(each) >= longest)
    run = max(whole, key=lambda each: len(each) / (driven.t[each[-1]] - driven.t[each[0]]))
    ends = (run[INSIDE_STEPS], run[-INSIDE_STEPS])
    start, finish = (driven.projection.lat_lon(driven.x_m[i], driven.y_m[i]) for i in ends)
    return StoredGate(*start, *finish, is_run=True)


def fastest_straights(driven: DrivenPath, most_deg: float = STRAIGHT_DEG) -> list[int]:
    """Return indices of the fastest places with a straight around them, fastest first."""
    around = STRAIGHT_POINTS // 2
    speeds = [
        (driven.speed_mps(i), i)
        for i in range(around, len(driven) - around - 1)
        if driven.speed_mps(i) >= DRIVING_MPS and is_straight(driven, i - around, i + around, most_deg)
    ]
    chosen: list[int] = []
    for _, index in sorted(speeds, key=lambda item: (-item[0], item[1])):
        if all(abs(index - other) >= CANDIDATE_GAP for other in chosen):
            chosen.append(index)
            if len(chosen) == CANDIDATES:
                break
    return chosen


def is_straight(driven: DrivenPath, first: int, last: int, most_deg: float = STRAIGHT_DEG) -> bool:
    """Return whether these steps were driven without a hole and go one way."""
    course = driven.course(first)
    return all(
        driven.driven(i) and abs(turn_deg(course, driven.course(i))) <= most_deg
        for i in range(first, last + 1)
    )


def times_around(driven: DrivenPath, first: int, after: int) -> float:
    """Return how often the loop between two crossings was driven, from the way driven along it."""
    points = [(driven.x_m[i], driven.y_m[i]) for i in range(first, after)]
    loop_m = driven.length_m(first, after)
    line = Centreline(points, loop_m, driven.projection)
    along_m = loop_m
    for i in range(len(driven) - 1):
        if first <= i < after or not driven.driven(i):
            continue
        spots = line.within(driven.x_m[i], driven.y_m[i], ROAD_M)
        course = driven.course(i)
        if any(abs(turn_deg(course, line.heading_deg[spot.segment])) <= SAME_WAY_DEG for spot in spots):
            along_m += driven.step_m(i)
    return along_m / loop_m

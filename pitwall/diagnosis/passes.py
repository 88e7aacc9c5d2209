"""Passes: the speed over each segment on places 2 m apart, in line with its position."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from statistics import median

import msgspec

from pitwall.diagnosis.road import STEP_M, Road, Segment
from pitwall.track.reference import ReferenceLap

# What is seen of a pass before and after its segment, for its shift; so much later it is cut.
BESIDE_M, AFTER_M = 40.0, 30.0
# A logger's speed drifts against its positions by per cents within a session: over so much of the
# way before the end of a segment, their ratio is measured again.
RATIO_M = 1000.0
# A position this far from where most lie is no witness of the shift; so few witnesses are none.
WITNESS_M, FEWEST = 6.0, 10
# A longer time between two readings hides what was driven; so does a way that is this much off the
# speed.
HOLE_S, JUMP_M = 0.8, 15.0
# A car below walking pace stands.
STOOD_MPS = 2.0
# Readings closer than this add nothing.
NEAR_M = 1.0
# What is kept behind the car when nothing is cut again.
KEPT_M, TRIM_EVERY = 3000.0, 4096
# This number of readings is kept to be cut again, an hour at 10 Hz.
MOST_KEPT = 36_000


class RoadPass(msgspec.Struct, frozen=True):
    """A drive through one segment. `lap`: the lap of its slow place, negative for a lap of another
    drive. `speed_mps` stands for places 2 m apart from the segment's begin on, and so do
    `throttle_pct` and `brake` (bar, else per cent), which are empty where they are not known.
    `begin_t` is when it began."""

    segment: int
    corner: str
    lap: int
    begin_t: float
    time_s: float
    speed_mps: array[float]
    throttle_pct: array[float] = msgspec.field(default_factory=lambda: array("f"))
    brake: array[float] = msgspec.field(default_factory=lambda: array("f"))


class PassCutter:
    """Follows one car and hands out a pass after each segment. Feed places on the track only, in
    their order; `interrupt` where the car left it. Cheap: a reading is kept, and a pass is cut
    once."""

    def __init__(self, road: Road | None, length_m: float, *, keep: bool = False) -> None:
        """`keep`: remember everything, up to an hour, so that `cut_anew` can take another road."""
        self._length_m, self._keep = length_m, keep
        self._t, self._far_m, self._way_m = array("d"), array("d"), array("d")
        self._speed_mps, self._throttle, self._brake = array("f"), array("f"), array("f")
        self._laps = array("l")
        self._holes: list[float] = []
        self._at_m = 0.0
        self.road = road
        self._next: tuple[int, float] | None = None
        # Nothing is cut before the car is there; unknown before the next segment is.
        self._due_m = -math.inf

    def feed(
        self,
        t: float,
        place_m: float,
        speed_mps: float,
        lap: int,
        throttle_pct: float | None = None,
        brake: float | None = None,
    ) -> list[RoadPass]:
        """Take a reading; return the passes that are complete by it."""
        if self._t:
            step_s, far_m, half_m = t - self._t[-1], self._at_m, self._length_m / 2.0
            way_m = step_s * (speed_mps + self._speed_mps[-1]) / 2.0
            if step_s <= 0.0 or (way_m < NEAR_M and step_s < HOLE_S / 2.0):
                return []
            step_m = (place_m - far_m + half_m) % self._length_m - half_m
            if step_s > HOLE_S or abs(step_m - way_m) > JUMP_M:
                self.interrupt()
                if abs(step_m - way_m) > JUMP_M and step_m < 0.0:
                    step_m = 0.0
            self._at_m, way_m = far_m + step_m, self._way_m[-1] + way_m
            # A matched place may fall back by a metre; a search needs places that rise.
            highest_m = self._far_m[-1]
            far_m = self._at_m if self._at_m > highest_m else highest_m
        else:
            self._at_m, far_m, way_m = place_m, place_m, 0.0
        self._t.append(t)
        self._far_m.append(far_m)
        self._way_m.append(way_m)
        self._speed_mps.append(speed_mps)
        self._laps.append(lap)
        self._throttle.append(-1.0 if throttle_pct is None else throttle_pct)
        self._brake.append(-1.0 if brake is None else brake)
        found = self._cut() if far_m >= self._due_m else []
        if len(self._t) % TRIM_EVERY == 0:
            self._trim()
        return found

    def interrupt(self) -> None:
        """The way from the last reading to the next one is not known: no pass holds it."""
        if self._t and (not self._holes or self._holes[-1] < self._t[-1]):
            self._holes.append(self._t[-1])

    def cut_anew(self, road: Road, *, last: bool = False) -> list[RoadPass]:
        """Take another road from now on, and return the passes of all that is kept. `last`: it
        stays."""
        self.road, self._next, self._due_m = road, None, -math.inf
        found = self._cut(from_begin=True)
        if last:
            self._keep = False
            self._trim()
        return found

    @property
    def _columns(self) -> tuple[array[float] | array[int], ...]:
        return (
            self._t, self._far_m, self._way_m, self._speed_mps, self._laps, self._throttle, self._brake,
        )  # fmt: skip

    def _cut(self, *, from_begin: bool = False) -> list[RoadPass]:
        road = self.road
        if road is None or not road.segments or not self._t:
            return []
        if self._next is None:
            self._next = self._following(self._far_m[0] if from_begin else self._far_m[-1])
        found = list[RoadPass]()
        while True:
            index, begin_m = self._next
            segment = road.segments[index]
            end_m = begin_m + segment.end_m - segment.begin_m
            self._due_m = end_m + AFTER_M
            if self._far_m[-1] < self._due_m:
                return found
            each = self._pass(road, segment, begin_m)
            if each is not None:
                found.append(each)
            after = road.segments[(index + 1) % len(road.segments)]
            gap_m = (after.begin_m - segment.end_m) % self._length_m
            self._next = after.index, end_m + (gap_m if gap_m < self._length_m - 1.0 else 0.0)

    def _following(self, far_m: float) -> tuple[int, float]:
        """The segment whose end comes next behind a place, and where it begins."""
        assert self.road is not None
        ahead = [
            ((segment.end_m + AFTER_M - far_m) % self._length_m, segment) for segment in self.road.segments
        ]
        ahead_m, segment = min(ahead, key=lambda each: each[0])
        return segment.index, far_m + ahead_m - AFTER_M - (segment.end_m - segment.begin_m)

    def _pass(self, road: Road, segment: Segment, begin_m: float) -> RoadPass | None:
        """The pass of a segment that began at `begin_m` of the unwrapped way; None where it was not
        seen."""
        end_m = begin_m + segment.end_m - segment.begin_m
        first = bisect_left(self._far_m, begin_m - BESIDE_M)
        last = min(bisect_right(self._far_m, end_m + BESIDE_M), len(self._t))
        if last - first < FEWEST or self._hides(first, last, begin_m, end_m):
            return None
        share = self._metres_a_metre(first, last, end_m)
        apart = [self._far_m[i] - share * self._way_m[i] for i in range(first, last)]
        usual = median(apart)
        witnesses = [each for each in apart if abs(each - usual) < WITNESS_M]
        if len(witnesses) < FEWEST:
            return None
        shift_m = median(witnesses)
        at = [share * way_m + shift_m for way_m in self._way_m[first:last]]
        if at[0] > begin_m or at[-1] < end_m:
            return None
        grid = Grid(at, begin_m, segment.places)
        speed = array("f", [share * mps for mps in grid.of(self._speed_mps[first:last])])
        if min(speed) < STOOD_MPS:
            return None
        begin_t, end_t = (grid.at(self._t[first:last], place_m) for place_m in (begin_m, end_m))
        slow_m = begin_m + segment.slow_m - segment.begin_m
        lap = self._laps[min(bisect_left(self._far_m, slow_m), len(self._laps) - 1)]
        pedals = (
            array("f") if min(column) < 0.0 else grid.of(column)
            for column in (self._throttle[first:last], self._brake[first:last])
        )
        return RoadPass(segment.index, segment.corner, lap, begin_t, end_t - begin_t, speed, *pedals)

    def _metres_a_metre(self, first: int, last: int, end_m: float) -> float:
        """Metres along the track for a metre by the odometer, lately. A line that is shorter than
        the track's middle is in it, and in every pass of this segment."""
        hole_t = max((t for t in self._holes if t < self._t[first]), default=-1.0)
        begin = max(bisect_left(self._far_m, end_m - RATIO_M), bisect_right(self._t, hole_t))
        begin = min(begin, first)
        driven_m = self._way_m[last - 1] - self._way_m[begin]
        return (self._far_m[last - 1] - self._far_m[begin]) / driven_m if driven_m > 0.0 else 1.0

    def _hides(self, first: int, last: int, begin_m: float, end_m: float) -> bool:
        """Return whether something between two readings of these was not seen."""
        return any(self._t[first] <= hole_t < self._t[last - 1] for hole_t in self._holes) or (
            begin_m < self._far_m[0] or end_m > self._far_m[-1]
        )

    def _trim(self) -> None:
        count = len(self._t) - MOST_KEPT if self._keep else bisect_left(self._far_m, self._far_m[-1] - KEPT_M)
        if count <= 0:
            return
        self._holes = [hole_t for hole_t in self._holes if hole_t >= self._t[count]]
        for column in self._columns:
            del column[:count]


class Grid:
    """Reads columns at places 2 m apart; `at` are the places of the columns' rows, rising."""

    def __init__(self, at: Sequence[float], begin_m: float, places: int) -> None:
        self._at = at
        self._rows: list[tuple[int, float]] = []
        row = 0
        for i in range(places):
            place_m = begin_m + i * STEP_M
            while row + 2 < len(at) and at[row + 1] < place_m:
                row += 1
            step_m = at[row + 1] - at[row]
            share = (place_m - at[row]) / step_m if step_m > 0.0 else 0.0
            self._rows.append((row, min(max(share, 0.0), 1.0)))

    def of(self, column: Sequence[float]) -> array[float]:
        """The column at each place."""
        return array(
            "f", [column[row] + share * (column[row + 1] - column[row]) for row, share in self._rows]
        )

    def at(self, column: Sequence[float], place_m: float) -> float:
        """The column at one place."""
        row = min(max(bisect_right(self._at, place_m), 1), len(self._at) - 1)
        step_m = self._at[row] - self._at[row - 1]
        share = (place_m - self._at[row - 1]) / step_m if step_m > 0.0 else 0.0
        return column[row - 1] + share * (column[row] - column[row - 1])


def passes_of(road: Road, lap: ReferenceLap) -> list[RoadPass]:
    """Return the passes of one stored lap, each as of a car that goes round in it, with lap
    number -1."""
    cutter = PassCutter(road, road.length_m)
    around = lap.around()
    found: dict[int, RoadPass] = {}
    length_m = lap.length_m
    for far_m, t, speed_mps in zip(around.far_m, around.t, around.speed_mps, strict=True):
        if far_m > 2.0 * length_m + BESIDE_M:
            break
        for each in cutter.feed(t, far_m % length_m, speed_mps, -1):
            found[each.segment] = each
    return [found[index] for index in sorted(found)]


def theoretical_best_s(passes: Sequence[RoadPass], lap: int, lap_s: float) -> float:
    """Return the lap that is joined of the best passes, made from one lap and its time: less what
    its passes lose to the best ones. A pass that is not known loses nothing."""
    best_s: dict[int, float] = {}
    for each in passes:
        best_s[each.segment] = min(each.time_s, best_s.get(each.segment, each.time_s))
    return lap_s - sum(each.time_s - best_s[each.segment] for each in passes if each.lap == lap)

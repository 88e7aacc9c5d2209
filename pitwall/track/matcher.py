"""The map matcher: the car's place on the track, through holes, spins, teleports and the pit lane."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pitwall.telemetry.frame import FIX_STEP_S, Frame
from pitwall.telemetry.reckoning import RECKON_S
from pitwall.track.geometry import heading_deg, way_m
from pitwall.track.lap import Position, PositionStatus
from pitwall.track.line import Centreline, Spot
from pitwall.track.model import Track

# Pit lanes are limited to 40 to 80 km/h; faster than 108 km/h nobody drives in one.
FASTEST_MPS = 30.0
# Half a pit lane with its fast and slow lane, and GPS wander.
LANE_HALF_WIDTH_M = 8.0
# Without a drawn lane: off the road (half a road is 6 to 8 m), and no further than pit lanes lie.
OFF_LINE_M, FURTHEST_M = 10.0, 45.0
BACK_ON_M = 7.0
# Without a drawn lane only limiter speed counts: 90 km/h.
LIMITER_MPS = 25.0
PARALLEL_DEG = 30.0
# A car that is back at speed this soon went off the road; later or further on it was in the pits.
SOON_S, SOON_M = 40.0, 350.0
# A slide over a kerb is shorter than this; a pit lane is longer.
LANE_SETTLE_S, OFF_LINE_SETTLE_S = 0.6, 3.0
STANDING_MPS = 1.0

Point = tuple[float, float]


class PitWatch:
    """Tracks whether the car is in the pit lane; `lane`: in plane metres, or empty."""

    def __init__(self, lane: Sequence[Point]) -> None:
        self.inside = False
        self._lane = tuple(lane) if len(lane) > 1 else ()
        self._since_t: float | None = None
        self._box = box_around(self._lane, LANE_HALF_WIDTH_M) if self._lane else None

    def update(
        self, t: float, x_m: float, y_m: float, speed_mps: float, offset_m: float, bend_deg: float | None
    ) -> bool:
        """Add one fix; `bend_deg`: the car's heading against the line's."""
        if self._lane:
            hint = self._in_lane(x_m, y_m, speed_mps, abs(offset_m))
            settle_s = LANE_SETTLE_S
        else:
            hint = self._off_line(speed_mps, abs(offset_m), bend_deg)
            settle_s = OFF_LINE_SETTLE_S
        if hint is None or hint == self.inside:
            self._since_t = None
        elif self._since_t is None:
            self._since_t = t
        # Out at once: on the road or too fast leaves no doubt.
        if hint is False or (hint and self._since_t is not None and t - self._since_t >= settle_s):
            self.inside, self._since_t = hint, None
        return self.inside

    def _in_lane(self, x_m: float, y_m: float, speed_mps: float, from_line_m: float) -> bool | None:
        if speed_mps > FASTEST_MPS or self._box is None or not inside_box(self._box, x_m, y_m):
            return False
        from_lane_m = distance_to(self._lane, x_m, y_m)
        if self.inside:
            return None if from_lane_m <= from_line_m + BACK_ON_M / 2.0 else False
        return from_lane_m <= LANE_HALF_WIDTH_M and from_lane_m < from_line_m

    def _off_line(self, speed_mps: float, from_line_m: float, bend_deg: float | None) -> bool | None:
        if speed_mps > LIMITER_MPS or from_line_m < BACK_ON_M:
            return False
        if not OFF_LINE_M <= from_line_m <= FURTHEST_M:
            return None
        if speed_mps < STANDING_MPS or bend_deg is None:
            return None
        return True if bend_deg <= PARALLEL_DEG else None


def is_short(took_s: float, way_m: float) -> bool:
    """Return whether a way off the road was an off, and not the pits."""
    return took_s < SOON_S and way_m < SOON_M


def box_around(points: Sequence[Point], margin_m: float) -> tuple[float, float, float, float]:
    """West, south, east and north bounds of the points, widened by a margin."""
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    return min(xs) - margin_m, min(ys) - margin_m, max(xs) + margin_m, max(ys) + margin_m


def inside_box(box: tuple[float, float, float, float], x_m: float, y_m: float) -> bool:
    """Return whether a point lies within the bounds."""
    return box[0] <= x_m <= box[2] and box[1] <= y_m <= box[3]


def distance_to(line: Sequence[Point], x_m: float, y_m: float) -> float:
    """Return the distance from a point to an open polyline of at least two points."""
    nearest2 = math.inf
    ax, ay = line[0]
    for bx, by in line[1:]:
        ex, ey, px, py = bx - ax, by - ay, x_m - ax, y_m - ay
        length2 = ex * ex + ey * ey
        share = 0.0 if length2 == 0.0 else min(max((px * ex + py * ey) / length2, 0.0), 1.0)
        dx, dy = px - share * ex, py - share * ey
        nearest2 = min(nearest2, dx * dx + dy * dy)
        ax, ay = bx, by
    return math.sqrt(nearest2)


# Half of a wide circuit (8 m), a driven line at its edge, GPS wander, and a wheel in the grass.
OFF_M = 25.0
# A fix this young is the position; of slow receivers within this many of their steps.
FRESH_S, FRESH_STEPS = 0.5, 1.3
# After a longer step the whole line is searched; in a shorter one the car stays on its piece.
HOLE_S = 1.2
# Below this the course over ground is noise.
HEADING_MPS = 3.0
# The course differs by 40 deg in a slide; 60 for a second is a wrong piece or a spin.
ASTRAY_DEG, ASTRAY_S = 60.0, 1.0
BACKWARDS_DEG = 120.0
# How often a car that is off or astray is looked for on another piece.
RECHECK_S = 0.5
# Metres of distance that a contradiction weighs: more than the gap of two parallel pieces.
AGAINST_COST_M, ASKEW_COST_M, TRAVEL_COST_M = 30.0, 10.0, 40.0
# Travel over a hole is known to a third.
TRAVEL_SLACK_M, TRAVEL_SLACK = 20.0, 0.35
# A car followed here stays on its piece, even against it, unless another fits better by this much.
STAY_COST_M = 5.0
# Walking along the line suffices while the nearest place is this clear; else a window around the
# expected place is searched.
PLAIN_AWAY_M, PLAIN_STEP_M, PLAIN_STEP, PLAIN_DEG = 8.0, 3.0, 0.3, 35.0
WALK_M, WINDOW_M, ASTRAY_COST = 5.0, 15.0, 0.1
# The typical pace of the track file is scaled to this car's, within reason.
PACE_LOW, PACE_HIGH = 0.4, 1.5
# A hole without frames is driven in half-second steps, at most two minutes of them.
COAST_STEP_S, COAST_MOST = 0.5, 240
# Without a course it is derived over this much of the way: GPS wanders by less in a second.
COURSE_M = 3.0


class MapMatcher:
    """Follows one car along one track. Feed every frame in order of time."""

    def __init__(self, track: Track) -> None:
        self.line, self._open = Centreline.of(track), track.has_finish
        self._pace_mps = track.speed_mps
        self._to_xy = self.line.projection.xy
        self._pit = PitWatch([self._to_xy(lat, lon) for lat, lon in track.pit_lane])
        self._spot: Spot | None = None  # of the last accepted fix
        self._fix_t = 0.0
        self._step_s = 0.0
        self._t: float | None = None
        self._speed_mps = 0.0
        self._pace = 1.0
        self._carried_m = 0.0  # driven since the last accepted fix, by speed
        self._direction = 1.0  # -1 while the car drives against the track
        self._status: PositionStatus = "lost"
        self._astray_t: float | None = None
        self._looked_t = 0.0
        self._anchor = (0.0, 0.0)
        self._own_course: float | None = None

    def feed(self, frame: Frame) -> Position:
        """Return the place at `frame.t`."""
        self._carry(frame)
        lat_deg, lon_deg = frame.lat_deg, frame.lon_deg
        if lat_deg is None or lon_deg is None or frame.reckoned:
            return self._between(frame.t)
        fix_t = frame.t - frame.fix_age_s
        gap_s = fix_t - self._fix_t
        if gap_s <= FIX_STEP_S and self._spot is not None:
            return self._between(frame.t)
        x_m, y_m = self._to_xy(lat_deg, lon_deg)
        heading = self._course(frame, x_m, y_m)
        if self._spot is None or frame.jumped:
            spot = self._found(x_m, y_m, heading, None)
        elif gap_s > HOLE_S:
            spot = self._found(x_m, y_m, heading, self._carried_m)
        else:
            spot = self._followed(x_m, y_m, heading, fix_t, self._spot)
        self._step_s = min(gap_s, HOLE_S)
        return self._settle(frame, fix_t, x_m, y_m, spot, heading)

    def _carry(self, frame: Frame) -> None:
        last_t, t = self._t, frame.t
        self._t = t
        speed_mps = frame.speed_mps
        if speed_mps is None:
            speed_mps = frame.wheel_speed_mps
        step_s = 0.0 if last_t is None else t - last_t
        if speed_mps is not None and step_s <= HOLE_S:
            self._carried_m += step_s * 0.5 * (speed_mps + self._speed_mps)
        else:
            self._coast(step_s)
        if speed_mps is not None:
            self._speed_mps = speed_mps

    def _coast(self, step_s: float) -> None:
        """Carry on by the track's pace scaled to this car's, else the last known speed."""
        spot = self._spot
        if spot is None or not self._pace_mps or self._status != "on":
            self._carried_m += step_s * self._speed_mps
            return
        pieces = min(int(step_s / COAST_STEP_S) + 1, COAST_MOST)
        for _ in range(pieces):
            place = self.line.segment_at(spot.distance_m + self._carried_m)
            self._carried_m += step_s / pieces * self._pace_mps[place] * self._pace

    def _between(self, t: float) -> Position:
        spot = self._spot
        if spot is None:
            return Position(t, 0.0, 0.0, "lost")
        age_s = t - self._fix_t
        distance_m = (spot.distance_m + self._direction * self._carried_m) % self.line.length_m
        if age_s <= max(FRESH_S, FRESH_STEPS * self._step_s):
            return Position(t, distance_m, spot.offset_m, self._status)
        return Position(t, distance_m, spot.offset_m, "reckoned" if age_s <= RECKON_S else "lost")

    def _followed(self, x_m: float, y_m: float, heading: float | None, fix_t: float, last: Spot) -> Spot:
        line, carried_m = self.line, self._carried_m
        expected_m = last.distance_m + self._direction * carried_m
        start = last.segment if carried_m < WALK_M else line.segment_at(expected_m)
        spot = line.near(x_m, y_m, start)
        astray_m = abs(way_m(expected_m, spot.distance_m, line.length_m))
        if (
            spot.away_m > PLAIN_AWAY_M
            or astray_m > PLAIN_STEP_M + PLAIN_STEP * carried_m
            or (heading is not None and self._turned(spot, heading) > PLAIN_DEG)
        ):
            spot = self._searched(x_m, y_m, heading, expected_m)
        if self._unsure(spot, heading, fix_t) and fix_t - self._looked_t >= RECHECK_S:
            self._looked_t = fix_t
            return self._found(x_m, y_m, heading, None, spot)
        return spot

    def _searched(self, x_m: float, y_m: float, heading: float | None, expected_m: float) -> Spot:
        line = self.line
        reach_m = min(WINDOW_M + 0.5 * self._carried_m, line.length_m / 4.0)
        segment, last = line.segment_at(expected_m - reach_m), line.segment_at(expected_m + reach_m)
        best, best_cost = line.spot(x_m, y_m, segment), float("inf")
        while True:
            spot = line.spot(x_m, y_m, segment)
            ahead_m = abs((spot.distance_m - expected_m + reach_m) % line.length_m - reach_m)
            cost = spot.away_m + self._against(spot, heading) + ASTRAY_COST * ahead_m
            if cost < best_cost:
                best, best_cost = spot, cost
            if segment == last:
                return best
            segment = (segment + 1) % line.count

    def _unsure(self, spot: Spot, heading: float | None, fix_t: float) -> bool:
        turned = 0.0 if heading is None else self._turned(spot, heading)
        if turned <= ASTRAY_DEG:
            self._astray_t = None
        elif self._astray_t is None:
            self._astray_t = fix_t
        astray = self._astray_t is not None and fix_t - self._astray_t >= ASTRAY_S
        return astray or (spot.away_m > OFF_M and not self._pit.inside)

    def _found(
        self, x_m: float, y_m: float, heading: float | None, travel_m: float | None, near: Spot | None = None
    ) -> Spot:
        """Return the best piece of the line, by distance, heading and travel; `near` is
        favoured."""
        line, last = self.line, self._spot
        best, best_cost = near, float("inf")
        if near is not None:
            best_cost = near.away_m + (STAY_COST_M if self._against(near, heading) else -STAY_COST_M)
        for spot in line.within(x_m, y_m):
            cost = spot.away_m + self._against(spot, heading)
            if travel_m is not None and last is not None:
                cost += travel_cost(spot.distance_m - last.distance_m, travel_m, line.length_m)
            if cost < best_cost:
                best, best_cost = spot, cost
        return best if best is not None else line.nearest(x_m, y_m)

    def _settle(
        self, frame: Frame, fix_t: float, x_m: float, y_m: float, spot: Spot, heading: float | None
    ) -> Position:
        turned = None if heading is None else self._turned(spot, heading)
        if turned is not None:
            self._direction = -1.0 if turned > BACKWARDS_DEG else 1.0
        speed_mps = self._speed_mps
        if self._open:
            # There is no pit lane, and a car driving back down is not on the course.
            on = spot.away_m <= OFF_M and self._direction > 0.0
            self._status = "on" if on else "off"
        elif self._pit.update(fix_t, x_m, y_m, speed_mps, spot.offset_m, turned):
            self._status = "pit"
        else:
            self._status = "on" if spot.away_m <= OFF_M else "off"
        if self._pace_mps and self._pace_mps[spot.segment] > HEADING_MPS:
            pace = speed_mps / self._pace_mps[spot.segment]
            self._pace = min(max(pace, PACE_LOW), PACE_HIGH)
        self._spot, self._fix_t = spot, fix_t
        # A fix that was already old on arrival: the car has moved on since.
        self._carried_m = frame.fix_age_s * speed_mps
        carried_m, distance_m = self._direction * self._carried_m, spot.distance_m
        if carried_m:
            distance_m = (distance_m + carried_m) % self.line.length_m
        return Position(frame.t, distance_m, spot.offset_m, self._status, carried_m)

    def _course(self, frame: Frame, x_m: float, y_m: float) -> float | None:
        if frame.heading_deg is None:
            dx, dy = x_m - self._anchor[0], y_m - self._anchor[1]
            if dx * dx + dy * dy >= COURSE_M * COURSE_M:
                self._own_course, self._anchor = heading_deg(dx, dy), (x_m, y_m)
            return self._own_course if self._speed_mps >= HEADING_MPS else None
        return frame.heading_deg if self._speed_mps >= HEADING_MPS else None

    def _turned(self, spot: Spot, heading: float) -> float:
        turn = abs(heading - self.line.heading_deg[spot.segment])
        return 360.0 - turn if turn > 180.0 else turn

    def _against(self, spot: Spot, heading: float | None) -> float:
        if heading is None:
            return 0.0
        turned = self._turned(spot, heading)
        if turned > 90.0:
            return AGAINST_COST_M
        return ASKEW_COST_M if turned > 45.0 else 0.0


def travel_cost(ahead_m: float, travel_m: float, length_m: float) -> float:
    """Return the cost of a place `ahead_m` further on after driving about `travel_m`."""
    ahead_m += length_m * round((travel_m - ahead_m) / length_m)
    excess_m = abs(ahead_m - travel_m) - TRAVEL_SLACK_M - TRAVEL_SLACK * travel_m
    return 0.0 if excess_m <= 0.0 else min(excess_m / 4.0, TRAVEL_COST_M)

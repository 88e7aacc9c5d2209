"""Lap timing: laps and sectors from gate crossings, through holes, stops and double crossings."""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Sequence

import msgspec

from pitwall.telemetry.frame import FIX_STEP_S, Frame
from pitwall.track.cuts import Cut, CutWatch
from pitwall.track.gate import GateLine, share_of_time
from pitwall.track.geometry import Projection, way_m
from pitwall.track.lap import Lap, LapKind, Position
from pitwall.track.model import Gate

# Over a hole of t s the speed is assumed to change evenly; an acceleration this different displaces
# the car by a t^2 / 8.
UNEVEN_MPS2 = 1.0
# A crossing less sure than the first is none; less sure than the second is noted.
MOST_UNSURE_S, NOTED_UNSURE_S = 0.06, 0.02
# If the way by speeds and the way by places differ by more, the speed was not steady.
UNSTEADY_M, UNSTEADY_SHARE = 3.0, 0.06
# A longer hole is the end of a stint: how many laps were driven in it nobody knows.
PAUSE_S = 180.0
# Inside lines cost 1 or 2 %; a short-cut through the infield more than 15.
CUT_SHARE = 0.85
# Further than this in one lap: a crossing was missed.
MISSED_SHARE = 1.4
# Standing: below walking pace for longer than a spin's dead moment.
STANDING_MPS, STANDING_S = 1.0, 2.0
# Walking next to the car, pushing, queueing at pit exit.
CRAWL_MPS = 6.0
# Against the usual speed at this line, else the lap's fastest: a pit limiter, not a slow lap.
SLOW_OF_LINE, SLOW_OF_LAP = 0.5, 0.3
# Rolling back a few metres on a slope is no reversal, a spin and a push off the grass neither.
REVERSAL_M = 20.0
# A stop this early in a lap that began slowly is the pit box behind the line.
OUT_SHARE, OUT_M = 0.15, 400.0


class LapNotes(msgspec.Struct):
    """What was noticed since the last crossing. `pit`: in a pit lane it did not begin in."""

    driven_m: float = 0.0
    fastest_mps: float = 0.0
    slow_start: bool = False
    pit_start: bool = False
    slow_end: bool = False
    left_pit: bool = False
    pit: bool = False
    standing_s: float = 0.0
    stood_s: float = 0.0
    backwards_m: float = 0.0
    reversed_m: float = 0.0
    jumps: int = 0
    clock_set: bool = False
    longest_hole_s: float = 0.0
    start_hole_s: float = 0.0
    start_unsure_s: float = 0.0
    end_hole_s: float = 0.0
    end_unsure_s: float = 0.0


def lap_kind(notes: LapNotes, length_m: float | None) -> tuple[LapKind, str]:
    """Return the kind of a lap between two crossings and the reason; `length_m` of a full lap."""
    for spoilt, reason in (
        (notes.start_unsure_s > MOST_UNSURE_S, f"no fix for {notes.start_hole_s:.1f} s at its start"),
        (notes.end_unsure_s > MOST_UNSURE_S, f"no fix for {notes.end_hole_s:.1f} s at its end"),
        (notes.longest_hole_s > PAUSE_S, f"no fix for {notes.longest_hole_s:.0f} s"),
        (notes.jumps > 0, "the position jumped"),
        (notes.clock_set, "the receiver's clock was set"),
        (notes.reversed_m >= REVERSAL_M, f"drove {notes.reversed_m:.0f} m backwards"),
    ):
        if spoilt:
            return "broken", reason
    if notes.stood_s > 0.0:
        return "in", f"stood still for {notes.stood_s:.0f} s"
    if notes.pit:
        return "in", "into the pit lane"
    if notes.slow_end:
        return "in", "slow over the line"
    if notes.pit_start or notes.slow_start:
        return "out", "from the pit lane" if notes.pit_start else "slow over the line at its start"
    if length_m is not None and notes.driven_m < CUT_SHARE * length_m:
        return "broken", f"drove {notes.driven_m:.0f} m of {length_m:.0f} m: course cut"
    if length_m is not None and notes.driven_m > MISSED_SHARE * length_m:
        return "broken", f"drove {notes.driven_m:.0f} m, the lap is {length_m:.0f} m: a crossing was missed"
    unsure_s = math.hypot(notes.start_unsure_s, notes.end_unsure_s)
    if unsure_s >= NOTED_UNSURE_S:
        hole_s = max(notes.start_hole_s, notes.end_hole_s)
        return "flying", f"good to {unsure_s:.2f} s: no fix for {hole_s:.1f} s at the line"
    return "flying", ""


def crossing_unsure_s(gap_s: float, *speeds_mps: float | None) -> float:
    """Return how far off the time of a crossing within a gap between two fixes may be, seconds."""
    if gap_s <= CHORD_S:
        return 0.0
    slowest_mps = min(speed_mps or 0.0 for speed_mps in speeds_mps)
    return UNEVEN_MPS2 * gap_s * gap_s / (8.0 * slowest_mps) if slowest_mps >= CRAWL_MPS else math.inf


# Rolling back and forth over the line is shorter than any lap; micro karts lap 150 m in 9 s.
LEAST_LAP_S, LEAST_LAP_M = 5.0, 100.0
LEAST_LAP_SHARE = 0.5
# Over a longer step the straight line may miss the gate: matched distance decides.
CHORD_S = 1.2
# After 5 s the speed at the ends says less about a hole than the mean of the last clean lap.
LONG_HOLE_S = 5.0
# A crossing counts only if the matched car is near the gate: a parallel piece may lie on the line.
NEAR_GATE_M = 100.0
# A run restarts if the car crosses the start again this soon: it stood there, or rolled back.
RESTART_M = 100.0
# The last frame is at most so long before the last reading.
LAST_FRAME_S = 0.2
# Laps whose driven length tells that of a lap where no track does.
LENGTHS_KEPT = 15


class LapTimer:
    """Times laps of one car at one gate. Lap 0 is the piece before the first crossing.

    `lap_start_t`: the running lap's begin, None in lap 0. With a finish line elsewhere a lap is a
    run to it; on the way back to the start `lap_number` is the next one, not yet begun.
    """

    def __init__(
        self,
        gate: Gate | None,
        length_m: float | None = None,
        sectors_m: Sequence[float] = (),
        lap_m: float | None = None,
    ) -> None:
        """`length_m`: by which matched places wrap; `lap_m`: how far a lap goes, where that is
        less."""
        self.lap_number = 0
        self.lap_start_t: float | None = None
        # The sectors of the running lap up to the last one that it has passed, s.
        self.sectors_s: tuple[float | None, ...] = ()
        self._projection = Projection(gate.a_lat_deg, gate.a_lon_deg) if gate else None
        self._line = GateLine(gate, self._projection) if gate and self._projection else None
        self._finish = (
            GateLine(gate.finish, self._projection) if self._projection and gate and gate.finish else None
        )
        self._length_m, self._lap_m = length_m, length_m if lap_m is None else lap_m
        self._sectors_m = tuple(sectors_m)
        self._first_t: float | None = None
        # The last fix: its frame, time and place, how far past the line it is, its matched place.
        self._before: Frame | None = None
        self._fix_t = -math.inf
        self._x_m = self._y_m = self._past_m = 0.0
        self._place_m: float | None = None
        self._notes = LapNotes()
        self._splits_t: list[float | None] = [None] * len(self._sectors_m)
        self._line_speeds_mps: deque[float] = deque(maxlen=LENGTHS_KEPT)
        self._lengths_m: deque[float] = deque(maxlen=LENGTHS_KEPT)
        self._mean_mps: float | None = None  # of the last clean lap
        self._done: deque[Lap] = deque()
        self._cut = CutWatch(length_m) if length_m and self._finish is None else None
        # What each lap left out of the road, by its number.
        self.cuts: dict[int, tuple[Cut, ...]] = {}
        # When the logger ended its laps, for a drive without positions.
        self._marks_t: deque[float] = deque()

    def take_marks(self, marks_t: Sequence[float]) -> None:
        """Use these lap ends (session seconds) of the logger: there is no line to cross."""
        self._marks_t = deque(sorted(marks_t))

    @property
    def running(self) -> LapKind:
        """Return the kind of the running lap so far."""
        notes = self._notes
        if self.lap_start_t is None:
            return "out"
        if notes.pit or notes.stood_s > 0.0:
            return "in"
        return "out" if notes.pit_start or notes.slow_start else "flying"

    def clock_was_set(self) -> None:
        """Note that the receiver's stamps are mapped otherwise: the running lap has no sure
        time."""
        self._notes.clock_set = True

    def begin(self, t: float) -> None:
        """Set when the session began."""
        self._first_t = t

    def feed(self, frame: Frame, position: Position | None = None) -> Lap | None:
        """Take the next frame with its matched position; return a lap that ended."""
        if self._first_t is None:
            self._first_t = frame.t
        while self._marks_t and self._marks_t[0] <= frame.t and self._line is None:
            self._cross(self._marks_t.popleft(), 0.0, frame, None, marked=True)
        if frame.reckoned:
            return self._done.popleft() if self._done else None
        if (
            self._projection is not None
            and frame.lat_deg is not None
            and frame.lon_deg is not None
            and frame.fix_t > self._fix_t + FIX_STEP_S
        ):
            self._fix(frame, position, *self._projection.xy(frame.lat_deg, frame.lon_deg))
        return self._done.popleft() if self._done else None

    def finish(self, t: float) -> Lap | None:
        """Return the piece after the last crossing, up to `t`; None if nothing was fed."""
        if self._first_t is None:
            return None
        if self._marks_t and self._marks_t[0] <= t + LAST_FRAME_S and self._line is None:
            # The logger ended with its last lap: no frame comes behind its mark.
            self._cross(self._marks_t.popleft(), 0.0, Frame(t), None, marked=True)
            return self._done.popleft()
        if self.lap_start_t is None:
            never = Lap(0, "out", self._first_t, t, None, (), "the line was never crossed")
            return None if self.lap_number else never
        sectors = self._sector_times(self.lap_start_t, None)
        return Lap(self.lap_number, "in", self.lap_start_t, t, None, sectors, "not finished")

    def _fix(self, frame: Frame, position: Position | None, x_m: float, y_m: float) -> None:
        """Note the way from the last fix to this one."""
        before, line = self._before, self._line
        if line is None:
            return
        if before is not None and frame.jumped:
            self._notes.jumps += 1
        elif before is not None:
            step_m = ((x_m - self._x_m) ** 2 + (y_m - self._y_m) ** 2) ** 0.5
            self._step(line, before, frame, position, step_m)
        self._before, self._fix_t = frame, frame.fix_t
        self._x_m, self._y_m, self._past_m = x_m, y_m, line.past_m(x_m, y_m)
        self._place_m = self._fix_m(position)

    def _step(
        self, line: GateLine, before: Frame, frame: Frame, position: Position | None, step_m: float
    ) -> None:
        """Note what happened from one fix to the next."""
        gap_s = frame.fix_t - before.fix_t
        place_m = self._fix_m(position)
        if gap_s > CHORD_S:
            step_m = self._driven_over(before, frame, gap_s, step_m)
            self._notes.longest_hole_s = max(self._notes.longest_hole_s, gap_s)
        over_hole = gap_s > CHORD_S and self._finish is None
        if over_hole and place_m is not None and self._place_m is not None:
            self._cross_hole(before, frame, gap_s, self._place_m, place_m, step_m)
        else:
            # The fixes of a standing car wander: that is no way driven.
            if not (_stands(before) and _stands(frame)):
                self._notes.driven_m += step_m
            crossed = line.crossing(before, frame) if self._past_m < 0.0 else None
            if self._finish is not None:
                self._step_of_run(self._finish, crossed, before, frame, gap_s)
            elif crossed is not None and self._near_gate(place_m):
                unsure_s = crossing_unsure_s(gap_s, before.speed_mps, frame.speed_mps)
                self._cross(crossed[0], gap_s, frame, position, unsure_s=unsure_s)
        if self._cut is not None:
            if place_m is None or self._place_m is None or gap_s > CHORD_S:
                self._cut.lost()
            else:
                self._cut.step(self._place_m, place_m, max(step_m, _between_mps(before, frame) * gap_s))
        self._split(frame.fix_t, gap_s, place_m)
        self._note(frame, position, gap_s, place_m)

    def _fix_m(self, position: Position | None) -> float | None:
        """Return where a fix lies on the track, however late it came; None if not to rely on."""
        if position is None or position.status in ("lost", "reckoned"):
            return None
        place_m = position.distance_m - position.carried_m
        return place_m % self._length_m if self._length_m else place_m

    def _driven_over(self, before: Frame, after: Frame, gap_s: float, chord_m: float) -> float:
        """Return metres driven in a hole: by the speeds around it, over a long one by a lap's
        mean pace."""
        ends_mps = (before.speed_mps or 0.0, after.speed_mps or 0.0)
        around_mps = _between_mps(before, after)
        if gap_s > LONG_HOLE_S and self._mean_mps is not None and min(ends_mps) >= CRAWL_MPS:
            around_mps = self._mean_mps
        return max(chord_m, around_mps * gap_s)

    def _near_gate(self, place_m: float | None) -> bool:
        if place_m is None or self._length_m is None:
            return True
        return min(place_m, self._length_m - place_m) <= NEAR_GATE_M

    def _cross_hole(
        self, before: Frame, after: Frame, gap_s: float, from_m: float, to_m: float, hole_m: float
    ) -> None:
        """Cross the gate as often as places and the way driven over a hole say."""
        length_m = self._length_m or 0.0
        ahead_m = (to_m - from_m) % length_m
        ahead_m += length_m * max(round((hole_m - ahead_m) / length_m), 0)
        rolled_back = ahead_m > length_m - NEAR_GATE_M and hole_m < NEAR_GATE_M
        if rolled_back or gap_s > PAUSE_S or not length_m:
            self._notes.driven_m += hole_m
            return
        unsure_s = crossing_unsure_s(gap_s, before.speed_mps, after.speed_mps)
        if abs(hole_m - ahead_m) > UNSTEADY_M + UNSTEADY_SHARE * ahead_m:
            unsure_s = math.inf
        start_t = before.fix_t
        noted_m, gate_m = 0.0, length_m - from_m
        while gate_m <= ahead_m:
            self._notes.driven_m += gate_m - noted_m
            share = share_of_time(gate_m / ahead_m, before.speed_mps or 0.0, after.speed_mps or 0.0)
            self._cross(start_t + share * gap_s, gap_s, after, None, unsure_s=unsure_s)
            noted_m, gate_m = gate_m, gate_m + length_m
        self._notes.driven_m += ahead_m - noted_m

    def _cross(
        self,
        t: float,
        gap_s: float,
        frame: Frame,
        position: Position | None,
        *,
        unsure_s: float = 0.0,
        marked: bool = False,
    ) -> None:
        """End the running lap at `t` and begin the next, unless it is the same crossing again.

        `unsure_s`: error of `t`, within a gap of `gap_s`. `marked`: by the logger, which is
        believed.
        """
        notes, start_t = self._notes, self.lap_start_t
        lap_m = self._lap_length_m()
        if start_t is not None and not marked:
            least_m = LEAST_LAP_M if lap_m is None else LEAST_LAP_SHARE * lap_m
            if t - start_t < LEAST_LAP_S or notes.driven_m < least_m:
                return
        speed_mps = frame.speed_mps
        in_pit = position is not None and position.status == "pit"
        # A speed that is unknown is not a slow one.
        slow = in_pit or (speed_mps is not None and self._is_slow(speed_mps))
        notes.slow_end, notes.end_hole_s, notes.end_unsure_s = slow, gap_s, unsure_s
        if not slow and speed_mps is not None:
            self._line_speeds_mps.append(speed_mps)
        following = LapNotes(slow_start=slow, pit_start=in_pit, start_hole_s=gap_s, start_unsure_s=unsure_s)
        self._next_lap(self._ended(t, lap_m), t, following)

    def _step_of_run(
        self, finish: GateLine, started: tuple[float, float] | None, before: Frame, frame: Frame, gap_s: float
    ) -> None:
        """Begin a run at the start and end it at the finish, however slow."""
        number, start_t = self.lap_number, self.lap_start_t
        if started is not None:
            t = started[0]
            if number == 0:
                self._next_lap(self._ended(t, None), t, LapNotes())
            elif start_t is not None and self._notes.driven_m >= RESTART_M:
                broken_off = Lap(number, "in", start_t, t, None, (), "the finish was not crossed")
                self._next_lap(broken_off, t, LapNotes())
            unsure_s = crossing_unsure_s(gap_s, before.speed_mps, frame.speed_mps)
            self.lap_start_t, self._notes = t, LapNotes(start_hole_s=gap_s, start_unsure_s=unsure_s)
        elif start_t is not None and (ended := finish.crossing(before, frame)) is not None:
            self._notes.end_hole_s = gap_s
            self._notes.end_unsure_s = crossing_unsure_s(gap_s, before.speed_mps, frame.speed_mps)
            self._next_lap(self._ended(ended[0], self._lap_length_m()), None, LapNotes())

    def _next_lap(self, ended: Lap, t: float | None, notes: LapNotes) -> None:
        if self._cut is not None:
            if cuts := self._cut.end():
                self.cuts[ended.number] = cuts
            self._cut.begin()
        self._done.append(ended)
        self.lap_number, self.lap_start_t, self._notes = self.lap_number + 1, t, notes
        self._splits_t, self.sectors_s = [None] * len(self._sectors_m), ()

    def _ended(self, t: float, lap_m: float | None) -> Lap:
        start_t, notes = self.lap_start_t, self._notes
        if start_t is None:
            return Lap(0, "out", self._first_t or 0.0, t, None, (), "before the first crossing")
        kind, reason = lap_kind(notes, lap_m)
        if kind == "flying":
            self._lengths_m.append(notes.driven_m)
            self._mean_mps = notes.driven_m / (t - start_t)
        sectors = self._sector_times(start_t, t)
        return Lap(self.lap_number, kind, start_t, t, t - start_t, sectors, reason)

    def _lap_length_m(self) -> float | None:
        """Return the track's length, else the median of clean laps so far."""
        if self._lap_m is not None or not self._lengths_m:
            return self._lap_m
        return sorted(self._lengths_m)[len(self._lengths_m) // 2]

    def _is_slow(self, speed_mps: float) -> bool:
        """Return whether the line was crossed at a crawl, against other laps, else this one's
        fastest."""
        if self._line_speeds_mps:
            usual_mps = sorted(self._line_speeds_mps)[len(self._line_speeds_mps) // 2]
            return speed_mps < max(CRAWL_MPS, SLOW_OF_LINE * usual_mps)
        return speed_mps < max(CRAWL_MPS, SLOW_OF_LAP * self._notes.fastest_mps)

    def _note(self, frame: Frame, position: Position | None, gap_s: float, place_m: float | None) -> None:
        notes, speed_mps = self._notes, frame.speed_mps
        if speed_mps is not None:
            notes.fastest_mps = max(notes.fastest_mps, speed_mps)
            notes.standing_s = notes.standing_s + gap_s if speed_mps < STANDING_MPS else 0.0
        in_pit = position is not None and position.status == "pit"
        if in_pit and not self._in_lane_yet():
            notes.pit = True
        elif not in_pit and position is not None:
            notes.left_pit = True
        if notes.standing_s >= STANDING_S and not self._in_box(in_pit):
            notes.stood_s = max(notes.stood_s, notes.standing_s)
        if place_m is not None and self._place_m is not None and self._length_m and not in_pit:
            self._note_way(place_m, self._place_m, self._length_m)

    def _note_way(self, place_m: float, last_m: float, length_m: float) -> None:
        """Note driving backwards, once it ended in driving on."""
        notes = self._notes
        ahead_m = way_m(last_m, place_m, length_m)
        if abs(ahead_m) > NEAR_GATE_M:
            notes.backwards_m = 0.0
        elif ahead_m < 0.0:
            notes.backwards_m -= ahead_m
        elif ahead_m > 0.0:
            notes.reversed_m = max(notes.reversed_m, notes.backwards_m)
            notes.backwards_m = 0.0

    def _in_lane_yet(self) -> bool:
        """Return whether this is still the pit lane that the lap began in."""
        return self._notes.pit_start and (not self._notes.left_pit or self._notes.driven_m < OUT_M)

    def _in_box(self, in_pit: bool) -> bool:
        """Return whether a stop now is in the pit box behind the line."""
        notes = self._notes
        if self._finish is not None:
            return notes.driven_m < RESTART_M
        if not notes.slow_start:
            return False
        return (in_pit and self._in_lane_yet()) or notes.driven_m < max(
            OUT_M, OUT_SHARE * (self._length_m or 0.0)
        )

    def _split(self, t: float, gap_s: float, place_m: float | None) -> None:
        """Note when sector ends were passed, interpolated between the last two fixes."""
        from_m, length_m = self._place_m, self._length_m
        if not self._sectors_m or place_m is None or from_m is None or not length_m or gap_s > CHORD_S:
            return
        step_m = (place_m - from_m) % length_m
        if not 0.0 < step_m < 0.25 * length_m:
            return
        for i, end_m in enumerate(self._sectors_m):
            ahead_m = (end_m - from_m) % length_m
            if 0.0 < ahead_m <= step_m and self._splits_t[i] is None:
                self._splits_t[i] = t - gap_s * (1.0 - ahead_m / step_m)
                if self.lap_start_t is not None:
                    self.sectors_s = self._sector_times(self.lap_start_t, None)[: i + 1]

    def _sector_times(self, start_t: float, end_t: float | None) -> tuple[float | None, ...]:
        if not self._sectors_m:
            return ()
        ends = [start_t, *self._splits_t, end_t]
        return tuple(
            b - a if a is not None and b is not None and b > a else None for a, b in itertools.pairwise(ends)
        )


def _between_mps(before: Frame, after: Frame) -> float:
    """Return the mean speed of two frames; an unknown one counts as 0."""
    return 0.5 * ((before.speed_mps or 0.0) + (after.speed_mps or 0.0))


def _stands(frame: Frame) -> bool:
    return frame.speed_mps is not None and frame.speed_mps < STANDING_MPS

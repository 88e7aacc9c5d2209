"""Where in a lap a driver is free to listen: by the track's bends and his pedals so far."""

from __future__ import annotations

from pitwall.coach.pace import PaceProfile
from pitwall.telemetry.frame import Frame
from pitwall.track.braking import BRAKING_G
from pitwall.track.geometry import turn_deg
from pitwall.track.model import Track
from pitwall.track.same_road import line_of

# The distance of about a tenth of a second. Shorter straights are not used for speaking.
CELL_M = 10.0
# A bend is read from the headings so far before and after a place.
REACH_M = 25.0
# A car that gains this much is driven with the throttle open, where its pedal is not known.
OPEN_THROTTLE_G = 0.12
# A pedal that is open by so much is flat.
FLAT_PCT = 90.0
G_MPS2 = 9.80665
# Bends in which nobody begins to speak, and those that end what is heard: with the throttle closed,
# and open; as shares of the most lateral g that this driver holds here.
BEGIN, END = (0.4, 0.72), (0.62, 0.9)
# That is what all but the tightest twentieth of the lap takes; of a slow lap no less than this.
LIMIT_SHARE, LEAST_LIMIT_G = 0.95, 1.1
# A clip may start so much before the last place where it fits: the car is never quite where it was.
# A shorter stretch is soon missed.
WINDOW_S, SLACK_S = 2.0, 0.5
# What the driver did in a cell when he was last there.
UNSEEN, OPEN, BUSY = 0, 1, 2


class Straights:
    """How much the road bends at each 10 m of the lap, and whether the driver was on the throttle
    or on the brakes there. Before he has been there, the brake points of the track file count as
    braked."""

    __slots__ = ("_bend_per_m", "_cell_m", "_cells", "_done", "_limit_g")

    def __init__(self, track: Track) -> None:
        self._cells = max(int(track.length_m / CELL_M), 1)
        self._cell_m = track.length_m / self._cells
        line, length_m = line_of(track), track.length_m

        def heading(place_m: float) -> float:
            return line.heading_deg[line.segment_at(place_m % length_m)]

        self._bend_per_m = []
        for cell in range(self._cells):
            at_m = (cell + 0.5) * self._cell_m
            turned = turn_deg(heading(at_m - REACH_M), heading(at_m + REACH_M))
            self._bend_per_m.append(abs(turned) * 0.0174533 / (2.0 * REACH_M))
        self._limit_g = LEAST_LIMIT_G
        self._done = bytearray(self._cells)
        for corner in track.corners:
            if corner.brake_m is not None:
                self._mark(corner.brake_m, (corner.entry_m - corner.brake_m) % length_m, BUSY)

    def learn_limit(self, pace: PaceProfile) -> None:
        """Take the most lateral g that is held at this pace."""
        held_g = sorted(self._bend_g(cell, pace.speed_at(cell * self._cell_m)) for cell in range(self._cells))
        self._limit_g = max(held_g[int(LIMIT_SHARE * (self._cells - 1))], LEAST_LIMIT_G)

    def _bend_g(self, cell: int, speed_mps: float) -> float:
        return self._bend_per_m[cell] * speed_mps**2 / G_MPS2

    def mark(self, from_m: float, ahead_m: float, frame: Frame) -> None:
        """Remember how the car was driven over `ahead_m` from a place in [0, length)."""
        self._mark(from_m, ahead_m, BUSY if is_braking(frame) else OPEN if is_open(frame) else UNSEEN)

    def _mark(self, from_m: float, ahead_m: float, done: int) -> None:
        first, last = int(from_m / self._cell_m), int((from_m + ahead_m) / self._cell_m)
        if first == last < self._cells:
            self._done[first] = done
            return
        for cell in range(first, last + 1):
            self._done[cell % self._cells] = done

    def is_free(self, place_m: float, speed_mps: float, frame: Frame) -> bool:
        """Return whether a driver can begin to listen here and now: he does not brake, and the road
        bends no more than leaves him free."""
        if is_braking(frame):
            return False
        cell = int(place_m / self._cell_m) % self._cells
        held = self._done[cell] == OPEN or is_open(frame)
        return self._bend_g(cell, speed_mps) < BEGIN[held] * self._limit_g

    def _takes(self, cell: int, pace: PaceProfile, least: tuple[float, float]) -> bool:
        """Return whether a cell is busy: braked, or with a bend of so much of the limit (throttle
        closed, or open)."""
        cell %= self._cells
        done = self._done[cell]
        bend_g = self._bend_g(cell, pace.speed_at(cell * self._cell_m))
        return done == BUSY or bend_g >= least[done == OPEN] * self._limit_g

    def free_s(self, place_m: float, pace: PaceProfile) -> float:
        """Seconds from a place until the driver is next busy; inf where he never is."""
        first = int(place_m / self._cell_m)
        for ahead in range(self._cells):
            if self._takes(first + ahead, pace, END):
                return pace.time_between(place_m % pace.length_m, max(ahead - 1, 0) * self._cell_m)
        return float("inf")

    def early_s(
        self,
        action_m: float,
        lead_s: float,
        clip_s: float,
        pace: PaceProfile,
        most_s: float,
        least_s: float = 0.0,
    ) -> float | None:
        """How much sooner than `lead_s` before the action point a clip may start to be heard where
        the driver is free all the while: 0 where that is so at the lead itself, else the begin of
        the last such stretch that is not over at once, at most WINDOW_S before its end. None where
        there is none within `most_s`, or none sooner than `least_s`."""
        length_m = pace.length_m
        first_m = back_m = pace.place_before(action_m, lead_s)
        # The begin and the end of a stretch, seconds before the lead.
        brief: tuple[float, float] | None = None
        found: tuple[float, float] | None = None
        while back_m < length_m / 2.0:
            at_m = (action_m - back_m) % length_m
            early_s = pace.time_between(at_m, back_m - first_m)
            if early_s > most_s or (found is not None and early_s > found[1] + WINDOW_S):
                break
            cell = int(at_m / self._cell_m)
            fits = not self._takes(cell, pace, BEGIN) and self.free_s(at_m, pace) >= clip_s
            if fits and early_s >= least_s:
                found = early_s, found[1] if found is not None else early_s
            elif found is not None:
                if found[0] - found[1] >= SLACK_S:
                    break
                brief, found = brief or found, None
            back_m += self._cell_m
        if found is None or (brief is not None and found[0] - found[1] < SLACK_S):
            found = brief
        if found is None:
            return None
        return found[0] if found[1] else 0.0


def is_open(frame: Frame) -> bool:
    """Return whether the throttle is open: by its pedal, else because the car gains speed."""
    if frame.throttle_pct is not None:
        return frame.throttle_pct >= FLAT_PCT
    return frame.g_long is not None and frame.g_long >= OPEN_THROTTLE_G


def is_braking(frame: Frame) -> bool:
    """Return whether the car slows down by more than lifting does."""
    return frame.g_long is not None and frame.g_long <= -BRAKING_G

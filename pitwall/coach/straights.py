"""The places of a lap where a driver is free to listen: by the track's bends, and by his pedals so
far."""

from __future__ import annotations

from pitwall.coach.pace import PaceProfile
from pitwall.telemetry.frame import Frame
from pitwall.track.braking import BRAKING_G
from pitwall.track.geometry import turn_deg
from pitwall.track.model import Track
from pitwall.track.same_road import line_of
from pitwall.track.technique import FLAT_PCT

# The distance of about a tenth of a second. Shorter straights are not used for speaking.
CELL_M = 10.0
# A bend is read from the headings so far before and after a place.
REACH_M = 25.0
# A car that gains this much is driven with the throttle open, where its pedal is not known.
OPEN_THROTTLE_G = 0.12
G_MPS2 = 9.80665
# Lateral g of a bend in which nobody begins to speak, and of one that ends what is heard: with the
# throttle closed, and open.
BEGIN_G, BUSY_G = (0.45, 0.8), (0.7, 1.0)
# A clip may start so much before the last place where it fits: the car is never quite where it was.
WINDOW_S = 2.0
# What the driver did in a cell when he was last there.
UNSEEN, OPEN, BUSY = 0, 1, 2


class Straights:
    """How much the road bends at each 10 m of the lap, and whether the driver was on the throttle
    or on the brakes there. Before he has been there, the brake points of the track file count as
    braked."""

    __slots__ = ("_bend_per_m", "_cell_m", "_cells", "_done")

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
        self._done = bytearray(self._cells)
        for corner in track.corners:
            if corner.brake_m is not None:
                self._mark(corner.brake_m, (corner.entry_m - corner.brake_m) % length_m, BUSY)

    def mark(self, from_m: float, ahead_m: float, frame: Frame) -> None:
        """Remember how the car was driven over `ahead_m` from a place in [0, length)."""
        self._mark(from_m, ahead_m, BUSY if is_braking(frame) else OPEN if is_open(frame) else UNSEEN)

    def _mark(self, from_m: float, ahead_m: float, done: int) -> None:
        first = int(from_m / self._cell_m)
        for cell in range(first, int((from_m + ahead_m) / self._cell_m) + 1):
            self._done[cell % self._cells] = done

    def is_free(self, place_m: float, speed_mps: float, frame: Frame) -> bool:
        """Return whether a driver can begin to listen here and now: he does not brake, and the road
        bends no more than leaves him free."""
        cell = int(place_m / self._cell_m) % self._cells
        bend_g = self._bend_per_m[cell] * speed_mps**2 / G_MPS2
        held = is_open(frame) or self._done[cell] == OPEN
        return not is_braking(frame) and bend_g < BEGIN_G[held]

    def _takes(self, cell: int, pace: PaceProfile, least_g: tuple[float, float]) -> bool:
        """Return whether a cell is busy: braked, or with a bend of so much g (throttle closed, or
        open)."""
        cell %= self._cells
        done = self._done[cell]
        bend_g = self._bend_per_m[cell] * pace.speed_at(cell * self._cell_m) ** 2 / G_MPS2
        return done == BUSY or bend_g >= least_g[done == OPEN]

    def free_s(self, place_m: float, pace: PaceProfile) -> float:
        """Seconds from a place until the driver is next busy; inf where he never is."""
        first = int(place_m / self._cell_m)
        for ahead in range(self._cells):
            if self._takes(first + ahead, pace, BUSY_G):
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
        the last such stretch, at most WINDOW_S before its end. None where there is none within
        `most_s`, or none sooner than `least_s`."""
        length_m = pace.length_m
        first_m = back_m = pace.place_before(action_m, lead_s)
        found: float | None = None
        begin_s = 0.0
        while back_m < length_m / 2.0:
            at_m = (action_m - back_m) % length_m
            early_s = pace.time_between(at_m, back_m - first_m)
            if early_s > most_s or (found is not None and early_s > found + WINDOW_S):
                break
            cell = int(at_m / self._cell_m)
            fits = not self._takes(cell, pace, BEGIN_G) and self.free_s(at_m, pace) >= clip_s
            if found is not None and not fits:
                break
            if fits and early_s >= least_s:
                begin_s, found = early_s, early_s if found is None else found
            back_m += self._cell_m
        return begin_s if found else found


def is_open(frame: Frame) -> bool:
    """Return whether the throttle is open: by its pedal, else because the car gains speed."""
    if frame.throttle_pct is not None:
        return frame.throttle_pct >= FLAT_PCT
    return frame.g_long is not None and frame.g_long >= OPEN_THROTTLE_G


def is_braking(frame: Frame) -> bool:
    """Return whether the car slows down by more than lifting does."""
    return frame.g_long is not None and frame.g_long <= -BRAKING_G

"""The places of a lap where a driver is free to listen, learned while he drives."""

from __future__ import annotations

from pitwall.coach.pace import PaceProfile
from pitwall.track.model import Corner

# The distance of about a tenth of a second. Shorter straights are not used for speaking.
CELL_M = 10.0


class Straights:
    """A flag for each 10 m of the lap. Before the car has been there, corners count from entry to exit."""

    __slots__ = ("_cell_m", "_cells", "_straight")

    def __init__(self, length_m: float, corners: tuple[Corner, ...]) -> None:
        self._cells = max(int(length_m / CELL_M), 1)
        self._cell_m = length_m / self._cells
        self._straight = [True] * self._cells
        for corner in corners:
            from_m = corner.entry_m if corner.brake_m is None else corner.brake_m
            self.mark(from_m, (corner.exit_m - from_m) % length_m, False)

    def mark(self, from_m: float, ahead_m: float, straight: bool) -> None:
        """Remember how the car went over `ahead_m` from a place in [0, length)."""
        first = int(from_m / self._cell_m)
        for cell in range(first, int((from_m + ahead_m) / self._cell_m) + 1):
            self._straight[cell % self._cells] = straight

    def free_s(self, place_m: float, pace: PaceProfile) -> float:
        """Seconds from a place until the driver is next busy; inf where he never is."""
        first = int(place_m / self._cell_m)
        for ahead in range(self._cells):
            if not self._straight[(first + ahead) % self._cells]:
                return pace.time_between(place_m % pace.length_m, max(ahead - 1, 0) * self._cell_m)
        return float("inf")

    def early_s(self, action_m: float, lead_s: float, pace: PaceProfile, most_s: float) -> float | None:
        """How much sooner than `lead_s` before the action point one must start to be on a straight.

        0 where the place itself is straight, None where no straight is found within `most_s`.
        """
        length_m = pace.length_m
        back_m = pace.place_before(action_m, lead_s)
        first_m = back_m
        while back_m < length_m / 2.0:
            early_s = pace.time_between((action_m - back_m) % length_m, back_m - first_m)
            if early_s > most_s:
                break
            if self._straight[int((action_m - back_m) % length_m / self._cell_m) % self._cells]:
                return early_s
            back_m += self._cell_m
        return None

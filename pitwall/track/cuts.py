"""Find the pieces of road that a lap left out; judge them by what the other laps drove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from pitwall.track.geometry import way_m
from pitwall.track.lap import Lap

# An inside line is shorter by a few percent, in a hairpin by a quarter: flying laps of a dozen
# circuits leave out 15 m at most.
SLACK_SHARE = 0.12
LEAST_CUT_M = 20.0
# A place so far back within one step was found wrongly.
STEP_BACK_M = 20.0
# Two laps cut the same piece where their cuts overlap or lie this near to each other.
SAME_PIECE_M = 30.0


class Cut(msgspec.Struct, frozen=True):
    """A piece of road that a lap left out, in metres along the track."""

    from_m: float
    to_m: float


class CutWatch:
    """Sums up, fix by fix, how much more road was passed than driven (a CUSUM with slack)."""

    def __init__(self, length_m: float) -> None:
        self._length_m = length_m
        self.begin()

    def begin(self) -> None:
        """Begin a lap."""
        self._found: list[Cut] = []
        self._reset(0.0)

    def _reset(self, place_m: float) -> None:
        self._sum_m = self._peak_m = 0.0
        self._from_m = self._to_m = place_m

    def step(self, from_m: float, to_m: float, driven_m: float) -> None:
        """Take the step from one matched place to the next, over which `driven_m` were driven."""
        passed_m = way_m(from_m, to_m, self._length_m)
        if passed_m < -STEP_BACK_M:
            self._reset(to_m)
            return
        self._sum_m += (1.0 - SLACK_SHARE) * passed_m - driven_m
        if self._sum_m <= 0.0:
            self._close()
            self._reset(to_m)
        elif self._sum_m > self._peak_m:
            self._peak_m, self._to_m = self._sum_m, to_m

    def _close(self) -> None:
        if self._peak_m >= LEAST_CUT_M:
            self._found.append(Cut(self._from_m, self._to_m))

    def lost(self) -> None:
        """Leave out what was summed up: the place is unknown for a while."""
        self._close()
        self._reset(0.0)

    def end(self) -> tuple[Cut, ...]:
        """End the lap; return what it left out."""
        self._close()
        return tuple(self._found)


def find_cut(lap: Lap, laps: Sequence[Lap], cuts: Mapping[int, Sequence[Cut]], *, driven: bool) -> Cut | None:
    """Return the piece that this lap left out and at least as many others drove."""
    others = [each for each in laps if each.time_s is not None and each.number != lap.number]
    for cut in cuts.get(lap.number, ()):
        same = sum(any(_same_piece(cut, its) for its in cuts.get(each.number, ())) for each in others)
        drove = len(others) - same + driven
        if drove > 0 and drove >= same + 1:
            return cut
    return None


def as_judged(lap: Lap, laps: Sequence[Lap], cuts: Mapping[int, Sequence[Cut]], *, driven: bool) -> Lap:
    """Return the lap, broken where it left out a piece of road that the others drove."""
    cut = find_cut(lap, laps, cuts, driven=driven) if lap.kind == "flying" else None
    if cut is None:
        return lap
    reason = f"course cut at {cut.from_m:.0f} m: the other laps drove round there"
    return msgspec.structs.replace(lap, kind="broken", reason=reason)


def _same_piece(one: Cut, other: Cut) -> bool:
    return one.from_m - SAME_PIECE_M < other.to_m and other.from_m - SAME_PIECE_M < one.to_m

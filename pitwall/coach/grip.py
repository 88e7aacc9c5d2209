"""How much grip the driver uses, against what he has used in this session: rain, a car ahead and care show in
all corners at once, and none of them is a fault of technique."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from statistics import median

# So many corners in a row tell of the lap, not of one of them.
CORNERS = 8
# Speed goes with the root of lateral g: 6 % slower everywhere. Laps at pace lie within 0.9 of each other on
# real days, and one in traffic at 0.86. Who goes on at pace shows it in the first corners.
EASED, AT_PACE, LATELY = 0.87, 0.93, 4
# After so many laps it is what today's grip is: from then on he is measured against that.
USUAL_LAPS = 2


class GripUsed:
    """Feed each pass; `eased` says whether the last corners were all driven with less grip than before."""

    def __init__(self, corners: int) -> None:
        self._usual_after = max(USUAL_LAPS * corners, CORNERS)
        self._most_g: dict[str, float] = {}
        self._shares: deque[float] = deque(maxlen=CORNERS)
        self._eased_for = 0

    @property
    def eased(self) -> str:
        """Why what is driven now is no evidence of technique, "" where it is."""
        if len(self._shares) < CORNERS or max(list(self._shares)[-LATELY:]) >= AT_PACE:
            return ""
        share = median(self._shares)
        if share >= EASED:
            return ""
        return (
            f"{100.0 * (1.0 - share):.0f} % less grip than before in {CORNERS} corners: rain, traffic or care"
        )

    def feed(self, corner: str, corner_g: float | None) -> bool:
        """Take the lateral acceleration, g, that a corner was driven with (None: not known). True where less
        grip is the usual by now: what was driven with more is no measure any longer."""
        if corner_g is None or corner_g <= 0.0:
            return False
        most_g = self._most_g.get(corner)
        if most_g is not None:
            self._shares.append(corner_g / most_g)
        self._most_g[corner] = max(corner_g, most_g or 0.0)
        self._eased_for = max(self._eased_for + (1 if self.eased else -1), 0)
        if self._eased_for < self._usual_after:
            return False
        self._most_g = {corner: corner_g}
        self._shares.clear()
        self._eased_for = 0
        return True


# So much less grip than in his own best pass, in so many of the corners of a lap. A lap among others has a
# little less than the best of each corner; tyres that are going have less in each lap, so many in a row.
LESS, A_LITTLE, MOST_CORNERS, FEWEST_CORNERS = 0.04, 0.015, 0.8, 5
GOING_LAPS, GOES_BY = 3, 0.01


class Fading:
    """Feed each pass; true while the corners of the last lap were nearly all driven with a little less grip
    than the driver's own best pass."""

    def __init__(self, corners: int) -> None:
        self._corners = max(corners, FEWEST_CORNERS)
        self._shares: deque[float] = deque(maxlen=GOING_LAPS * self._corners)

    def __bool__(self) -> bool:
        shares = list(self._shares)[-self._corners :]
        if len(shares) < self._corners:
            return False
        return median(shares) >= LESS and sum(share >= A_LITTLE for share in shares) >= MOST_CORNERS * len(
            shares
        )

    @property
    def going(self) -> bool:
        """Return whether each of the last laps, driven in a row, had less grip than the one before: tyres,
        and no driver who takes care for a lap."""
        if len(self._shares) < GOING_LAPS * self._corners or not self:
            return False
        shares = list(self._shares)
        laps = [median(shares[i : i + self._corners]) for i in range(0, len(shares), self._corners)]
        return all(later - lap >= GOES_BY for lap, later in pairwise(laps))

    def feed(self, less_share: float | None) -> None:
        """Take how much less lateral grip a corner was driven with, as a share (None: not known)."""
        if less_share is not None:
            self._shares.append(less_share)

    def forget(self) -> None:
        """A lap was no evidence: what comes after it is no sequel of what was before."""
        self._shares.clear()

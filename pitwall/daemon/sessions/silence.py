"""What the path must be told of the time that its data do not tell: none comes, or it comes late."""

from __future__ import annotations

import math

# The usual step between readings is learned from steps up to this.
STEP_WEIGHT, SLOWEST_S = 1 / 16, 2.0
# So much later than usual it is worth telling the path that time goes on: it decides whether that is a loss.
LATE_S = 0.32
# Who wakes up so much later than he wanted was not let run, and nor was any source.
STALLED_S = 0.1
# Often while a message may wait to be said, then seldom.
DENSE_S, DENSE_FOR_S, SPARSE_S = 0.25, 15.0, 5.0
# A lead's margin covers less; what comes later is told to the path in such steps.
BEHIND_S, BEHIND_STEP_S = 0.3, 0.1
# A feed whose newest readings fall back is slow by nature: that is followed, at half the speed of time.
FOLLOWED = 0.5


class Silence:
    """Tell it of every reading, ask it often. Times are those of the monotonic clock."""

    def __init__(self, now_s: float) -> None:
        self.heard_s = now_s
        self._step_s = 0.1
        self._ticked_s = now_s

    def heard(self, now_s: float) -> None:
        """A reading has come."""
        step_s = now_s - self.heard_s
        if step_s <= SLOWEST_S:
            self._step_s += STEP_WEIGHT * (step_s - self._step_s)
        self.heard_s = now_s

    def overslept(self, late_s: float, now_s: float) -> None:
        """Whoever asks woke up so late: what this process did not run is no silence of its sources."""
        if late_s > STALLED_S:
            self.heard_s = min(self.heard_s + late_s, now_s)

    def due_s(self, now_s: float) -> float:
        """When the path is to be told that time goes on, if no reading comes before."""
        at_s = self.heard_s + self._step_s + LATE_S
        if self._ticked_s > self.heard_s:
            every_s = DENSE_S if now_s - self.heard_s < DENSE_FOR_S else SPARSE_S
            at_s = max(at_s, self._ticked_s + every_s)
        return at_s

    def tick_due(self, now_s: float) -> bool:
        """Whether the path is to be told now that time goes on without data."""
        if now_s < self.due_s(now_s):
            return False
        self._ticked_s = now_s
        return True


class Behind:
    """How far the drive has gone on beyond the readings that come, for a link or this process has stalled:
    they come in a burst then, the oldest first. Times are those of the daemon's clock."""

    def __init__(self) -> None:
        self._newest_s = self._seen_s = -math.inf
        # How late the last reading came, and how late they come when nothing is held up.
        self._late_s = self._usual_s = math.inf

    def heard(self, clock_s: float, now_s: float) -> float:
        """A reading made at `clock_s` is driven at `now_s`. Returns how far behind it is, s, 0 where that is
        nothing to speak of."""
        step_s, self._seen_s = now_s - self._seen_s, now_s
        self._newest_s = newest_s = max(self._newest_s, min(clock_s, now_s))
        late_s = now_s - newest_s
        self._usual_s = min(max(self._usual_s, self._late_s), self._usual_s + FOLLOWED * step_s, late_s)
        self._late_s = late_s
        behind_s = late_s - self._usual_s
        return round(math.ceil(behind_s / BEHIND_STEP_S) * BEHIND_STEP_S, 1) if behind_s > BEHIND_S else 0.0

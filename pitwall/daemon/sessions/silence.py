"""Whether any source still brings anything: where none does the path has to be told that time goes on."""

from __future__ import annotations

# The usual step between readings is learned from steps up to this.
STEP_WEIGHT, SLOWEST_S = 1 / 16, 2.0
# So much later than usual it is worth telling the path that time goes on: it decides whether that is a loss.
LATE_S = 0.32
# Often while a message may wait to be said, then seldom.
DENSE_S, DENSE_FOR_S, SPARSE_S = 0.25, 15.0, 5.0


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

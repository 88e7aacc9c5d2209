"""What followed on what the coach said: the loss of a corner before the words and in the next pass."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from pitwall.coach.concepts import TIME_LOST
from pitwall.coach.cue import SPOKEN, LedgerLine
from pitwall.coach.faults import NOISE_S, OFF_PACE
from pitwall.track.lap import CornerPass
from pitwall.words.language import Language

# A corner that gained this share of what it lost, in the first pass after the words, heeded them; one that
# gained less than the other did not.
HEEDED, PARTLY = 0.5, 0.2


class Told(msgspec.Struct, frozen=True):
    """One piece of advice and what followed: the corner's loss when it was seen and in the next pass, seconds
    (None: not known). `why`: the ledger's reasons where it was not said."""

    lap: int
    corner: str
    concept: str
    text: str
    spoken: bool
    outcome: str
    why: str
    loss_s: float | None
    next_loss_s: float | None

    @property
    def is_advice(self) -> bool:
        """Whether there was something to do; the cost of a corner alone is none."""
        return self.concept != TIME_LOST

    @property
    def gained_s(self) -> float | None:
        """What the next pass won back, seconds; None where it tells nothing."""
        if not self.spoken or self.loss_s is None or self.next_loss_s is None:
            return None
        return self.loss_s - self.next_loss_s

    @property
    def heeded(self) -> bool:
        """Whether the next pass won back what counts."""
        return self.gained_s is not None and self.gained_s >= HEEDED * (self.loss_s or 0.0)

    @property
    def judged(self) -> bool:
        """Whether there was something to do, and enough to win back for the next pass to tell."""
        return self.is_advice and self.gained_s is not None and (self.loss_s or 0.0) >= NOISE_S

    def followed(self, words: Language) -> str:
        """What the next pass says of it, "" where it says nothing."""
        gained_s, loss_s = self.gained_s, self.loss_s or 0.0
        if gained_s is None or loss_s < NOISE_S:
            return ""
        if self.concept == TIME_LOST:
            key = "passed again"  # he was told what it costs, and nothing to do
        elif self.heeded:
            key = "heeded"
        else:
            key = "partly heeded" if gained_s >= PARTLY * loss_s else "not heeded"
        return words.say(key, loss=self.next_loss_s, before=loss_s)


def at_pace(laps: Iterable[tuple[int, str, float | None]]) -> frozenset[int]:
    """The flying laps (number, kind, seconds) that are near enough to the best to show what was heeded."""
    timed = {number: time_s for number, kind, time_s in laps if kind == "flying" and time_s is not None}
    best_s = min(timed.values(), default=0.0)
    return frozenset(number for number, time_s in timed.items() if time_s <= OFF_PACE * best_s)


def explained(lines: Sequence[LedgerLine], passes: Iterable[CornerPass], laps: Collection[int]) -> list[Told]:
    """All advice of a ledger in order, with the losses around it. Passes of `laps` alone tell of it."""
    losses: dict[str, dict[int, float]] = defaultdict(dict)
    left_t: dict[tuple[str, int], float] = {}
    for each in passes:
        parts = [part for part in (each.brake_loss_s, each.mid_loss_s, each.exit_loss_s) if part is not None]
        if parts:
            losses[each.corner][each.lap] = sum(parts)
            left_t[each.corner, each.lap] = each.exit_t
    return [
        _told(line, losses[line.corner], laps, left_t.get((line.corner, line.lap), math.inf))
        for line in lines
        if line.concept
    ]


def _told(line: LedgerLine, losses: Mapping[int, float], laps: Collection[int], left_t: float) -> Told:
    # Words before a corner are about the laps before, and the pass that follows is of the same lap, but where
    # the corner lies behind the gate and was left in this lap already, at `left_t`.
    before = line.action_distance_m is not None and line.t < left_t
    # What the advice says that the corner loses is against the same lap as the next pass; an older pass of
    # the ledger may be against an older one. An old ledger states none.
    seen = max((lap for lap in losses if lap in laps and lap < line.lap + (not before)), default=None)
    after = min((lap for lap in losses if lap >= line.lap + (not before)), default=None)
    return Told(
        lap=line.lap,
        corner=line.corner,
        concept=line.concept,
        text=line.text,
        spoken=line.outcome in SPOKEN,
        outcome=line.outcome,
        why="" if line.outcome in SPOKEN else line.reason,
        loss_s=line.loss_s if line.loss_s is not None else None if seen is None else losses[seen],
        next_loss_s=losses[after] if after is not None and after in laps else None,
    )

"""The record of one corner: the passes there, what the driver was told, and what became of it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Container
from statistics import median

import msgspec

from pitwall.coach.concepts import CONCEPTS, OWN_BEST, TIME_LOST
from pitwall.coach.diagnosis import (
    BEHIND_S,
    BEST_PASSES,
    MEMORY,
    WORTH_A_LINE_S,
    Advice,
    SeenPass,
    is_cleared,
    is_true_of,
    own_best,
    pair_of,
    target_of,
)
from pitwall.coach.pair import Pair
from pitwall.track.technique import Technique

# After this many calls in a row, a corner is not called for one lap.
CALLS_IN_A_ROW = 2
# Calls that were not heeded: so many, then another wording once, then it is left to the debrief. Where there
# is no place before the corner for the other wording, it is left after more of them.
UNHEEDED, MOST_UNHEEDED = 3, 6
# What a called pass has to win for a grade: a tenth.
WORTH_A_GRADE_S = 0.1
# A loss that two of the last passes had too, within this share, is how he drives, however large it is.
ALIKE_SHARE, ALIKE_PASSES = 0.25, 2


class AdviceGiven(msgspec.Struct):
    """Holds what the driver was told in one corner, and whether he did it. `from_lap` is the lap of the
    first pass that can show it, `due_lap` the same for the last call (None: judged); `unheeded` counts
    calls whose next pass still showed the fault, `again` is set once it was said another way, `cured` when
    he was praised."""

    concept: str = ""
    from_lap: int = 0
    laps: list[int] = []
    unheeded: int = 0
    due_lap: int | None = None
    again: bool = False
    cured: bool = False


class Record(msgspec.Struct):
    """Holds what is known of one corner. `seen`: the passes at pace; `best`: the best of them, and the
    reference lap's. `lately`: the last passes that were seen, evidence or not; `all_s`: what they lost to
    the reference of their time; `lost`: losses worth a line, by lap. `times`: how often it was passed in the
    last of its laps, twice in one through the pits. `called_before_gate`: it lies so near behind the gate
    that it is called in the lap before. `why_told`: the faults whose cost the driver heard in this drive."""

    corner: str
    seen: deque[SeenPass] = msgspec.field(default_factory=lambda: deque(maxlen=MEMORY))
    best: list[SeenPass] = []
    said: AdviceGiven = msgspec.field(default_factory=AdviceGiven)
    advice: Advice | None = None
    lately: deque[Technique] = msgspec.field(default_factory=lambda: deque(maxlen=MEMORY))
    lost: dict[int, float] = {}
    all_s: deque[float] = msgspec.field(default_factory=lambda: deque(maxlen=MEMORY))
    call_laps: list[int] = []
    last_pass_lap: int = -1
    times: int = 0
    called_before_gate: bool = False
    why_told: list[str] = []

    def target(self, reference_lap: int) -> SeenPass | None:
        """The pass to be measured against; None where nothing is known yet. The reference lap's own pass is
        measured too, so that it is a few milliseconds off the lap itself; where it is not known, the one that
        differs least from it stands for it."""
        if not self.best:
            return None
        own = min(self.best, key=lambda each: (each.parts.lap != reference_lap, abs(each.parts.loss_s)))
        return target_of(self.best, own)

    def remember(self, evidence: SeenPass, reference_lap: int) -> None:
        """Keep the best passes, and that of the reference lap."""
        ranked = sorted([*self.best, evidence], key=lambda each: each.parts.loss_s)
        self.best = [each for i, each in enumerate(ranked) if i < MEMORY or each.parts.lap == reference_lap]

    def forget(self) -> None:
        """Drop what was driven here: it is no measure any more."""
        self.seen.clear()
        self.best, self.advice, self.lost, self.said = [], None, {}, AdviceGiven()

    def leave_out(self, lap: int, *, as_target: bool) -> bool:
        """Leave out a lap, also `as_target`. Returns whether any of it was evidence."""
        kept = [each for each in self.seen if each.parts.lap != lap]
        if as_target:
            self.best = [each for each in self.best if each.parts.lap != lap]
        if len(kept) == len(self.seen):
            return False
        self.seen = deque(kept, maxlen=MEMORY)
        return True

    def is_usual(self, loss_s: float) -> bool:
        """Take what a pass lost; return whether two of the last ones lost as much."""
        alike = sum(abs(each_s - loss_s) <= ALIKE_SHARE * abs(loss_s) for each_s in self.all_s)
        self.all_s.append(loss_s)
        return alike >= ALIKE_PASSES

    @property
    def least_s(self) -> float:
        """The least that a pass of this drive lost here, inf where there was none: what the driver can."""
        own = (each.parts for each in (*self.seen, *self.best) if each.parts.lap >= 0)
        return min((parts.loss_s for parts in own), default=math.inf)

    @property
    def own_best(self) -> Advice | None:
        """Return what the best pass of this drive did otherwise than the last ones, None where that is not
        worth a word."""
        return own_best(self.corner, list(self.seen), (*self.best, *self.seen))

    def pass_of(self, lap: int) -> int:
        """The lap of the pass that a call before the corner is to, when it is made in this lap."""
        return lap + 1 if self.called_before_gate else lap

    def called(self, lap: int, concept: str, *, after: bool) -> None:
        """The corner was called in this lap, `after` it or before."""
        if not after:
            self.called_before_gate = self.last_pass_lap >= lap
            lap = self.pass_of(lap)
        self.call_laps.append(lap)
        if not concept:
            return
        due_lap = lap + 1 if after else lap
        if self.said.concept != concept:
            self.said = AdviceGiven(concept, due_lap)
        self.said.laps.append(lap)
        self.said.due_lap = due_lap
        self.said.again |= not after and self.said.unheeded >= UNHEEDED
        self.said.cured = False

    def was_told(self, advice: Advice) -> bool:
        """Return whether an advice that is unsure was said for the first time of these passes: then it has
        to show again."""
        said = self.said
        once = said.concept == advice.concept and len(said.laps) == 1
        return advice.unsure and once and said.laps[0] >= advice.laps[-1]

    def has_relapsed(self, advice: Advice) -> bool:
        """Return whether the driver was praised for doing without this fault."""
        return self.said.cured and self.said.concept == advice.concept

    @property
    def is_corrected(self) -> bool:
        """Return whether something is to be corrected here, or was: that is not said another way."""
        advice = self.advice
        is_named = advice is not None and advice.concept in CONCEPTS and not advice.in_mean
        return is_named or self.said.concept in CONCEPTS

    def may_be_repeated(self, left_out: Container[int]) -> bool:
        """Return whether a pass at pace was seen since the corner was last called, or that call was to a lap
        that is `left_out`: it had no fair try."""
        if not self.call_laps:
            return False
        called = self.call_laps[-1]
        return called in left_out or (bool(self.seen) and self.seen[-1].parts.lap >= called)

    def in_a_row(self, lap: int) -> int:
        """How many laps in a row before this one the corner was called."""
        count = 0
        while lap - 1 - count in self.call_laps:
            count += 1
        return count

    def resting(self, lap: int, advice: Advice) -> str:
        """Why this corner is not called in this lap although it loses time, "" where it may be."""
        said = self.said
        given_up = said.unheeded > UNHEEDED and (said.again or said.unheeded >= MOST_UNHEEDED)
        if said.concept == advice.concept and given_up:
            return f"left to the debrief: told in laps {numbers(said.laps)}"
        if self.in_a_row(lap) >= CALLS_IN_A_ROW:
            return f"a lap's rest after laps {numbers(self.call_laps[-CALLS_IN_A_ROW:])}"
        return ""

    def won(self, evidence: SeenPass, pair: Pair | None) -> tuple[float, bool]:
        """Seconds that this pass won of what the last ones lost, where it was called before it, and whether
        he did what he was told; 0 where that is not worth a word."""
        said, lap = self.said, evidence.parts.lap
        if said.due_lap != lap or lap not in self.call_laps or not self.seen:
            return 0.0, False
        recent = [each.parts.loss_s for each in list(self.seen)[-BEST_PASSES:]]
        won_s = median(recent) - evidence.parts.loss_s
        did = pair is not None and said.concept in CONCEPTS and is_cleared(said.concept, pair)
        return (won_s, did) if won_s >= WORTH_A_GRADE_S else (0.0, False)

    def is_cured(self, evidence: SeenPass, target: SeenPass | None) -> bool:
        """Judge what was said before this pass. True where two passes in a row now do without it, for which
        he was not praised yet."""
        said, lap = self.said, evidence.parts.lap
        pair = pair_of(evidence, target) if target is not None else None
        if not said.concept or target is None or pair is None or lap < said.from_lap:
            return False
        heeded = self._is_heeded(evidence, target)
        if said.due_lap is not None and lap >= said.due_lap:
            said.unheeded += not heeded
            said.due_lap = None
        # Without that fault and no better is no cure.
        if not heeded or said.cured or not self.seen or pair.loss_s > WORTH_A_LINE_S:
            return False
        before = self.seen[-1]
        said.cured = said.from_lap <= before.parts.lap and self._is_heeded(before, target)
        return said.cured

    def _is_heeded(self, each: SeenPass, target: SeenPass) -> bool:
        """Return whether a pass does without what was said; of a fact, whether it came near the own best
        one: the target may be slower."""
        if self.said.concept == OWN_BEST:
            return each.parts.loss_s - self.least_s < BEHIND_S
        pair = pair_of(each, target)
        return pair is not None and is_cleared(self.said.concept, pair)

    def lost_otherwise(self, advice: Advice, pair: Pair) -> bool:
        """Return whether a pass lost the time that this corner costs again and again, and not by what is
        advised, of which nothing was said yet: then the time is told, which is true of it."""
        untold = self.said.concept in ("", TIME_LOST)
        return untold and not is_true_of(advice.concept, pair) and is_true_of(TIME_LOST, pair)


def numbers(laps: list[int] | tuple[int, ...]) -> str:
    """Lap numbers as the ledger lists them."""
    return ", ".join(str(lap) for lap in laps)

"""Find what each corner's usual pass loses to the driver's best pass, the dearest first."""

from __future__ import annotations

from typing import Literal

import msgspec

from pitwall.analysis.study import Study
from pitwall.diagnosis.advice import NEAR_BEST_S, UNIT_OF, Action
from pitwall.diagnosis.shape import PHASES, Phase
from pitwall.track.reference import lap_of

# "repeat": only the loss is sure, and that the best pass can be driven.
Advised = Action | Literal["repeat"]
# A usual pass that loses less has nothing to gain.
LEAST_LOSS_S = 0.05
# A usual pass that loses this much makes a fault, which is remembered.
FAULT_S = 0.15
# With fewer passes there is no usual one.
FEWEST_PASSES = 3


class Opportunity(msgspec.Struct, frozen=True, kw_only=True):
    """Time that a driver's own best pass of a corner (in `reference`, session:lap) shows is there.

    `loss_s`: what the median of `judged_laps` loses; `laps` lose at least 0.08 s. `shown_laps` show
    the `action`, by `amount` of `unit` ("m", "km/h", "s") in the median. `is_try`: only the loss
    and its `phase` are sure.
    """

    reference: str
    corner: str
    phase: Phase
    action: Advised
    is_try: bool
    loss_s: float
    amount: float
    unit: str
    laps: tuple[int, ...]
    shown_laps: tuple[int, ...]
    judged_laps: tuple[int, ...]

    @property
    def against_lap(self) -> int:
        """Return the lap of the best pass."""
        return lap_of(self.reference)

    @property
    def is_fault(self) -> bool:
        """Return whether it costs enough to be remembered."""
        return self.loss_s >= FAULT_S


def find_opportunities(study: Study | None) -> list[Opportunity]:
    """Find corners whose usual pass loses time to the best one, the dearest first."""
    if study is None:
        return []
    found = [
        _opportunity(study, segment.index)
        for segment in study.road.segments
        if segment.corner and len(study.passes.get(segment.index, ())) >= FEWEST_PASSES
    ]
    return sorted(
        (each for each in found if each.loss_s >= LEAST_LOSS_S), key=lambda each: (-each.loss_s, each.corner)
    )


def _opportunity(study: Study, segment: int) -> Opportunity:
    best, evidence, found = study.best[segment], study.evidence[segment], study.diagnosis(segment)
    totals = [sum(each.comparison.gains_s[at] for each in evidence) for at in range(len(PHASES))]
    return Opportunity(
        reference=f"{study.session}:{best.lap}",
        corner=best.corner,
        phase=PHASES[totals.index(max(totals))] if found is None else found.phase,
        action="repeat" if found is None else found.action,
        is_try=found is not None and found.is_try,
        loss_s=study.usual_loss_s(segment),
        amount=0.0 if found is None else found.amount,
        unit="" if found is None else UNIT_OF[found.action],
        laps=tuple(each.lap for each in evidence if each.loss_s >= NEAR_BEST_S),
        shown_laps=() if found is None else found.laps,
        judged_laps=tuple(each.lap for each in study.passes[segment]),
    )

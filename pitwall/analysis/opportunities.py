"""Find what each corner's passes lose to the driver's best pass, the dearest first."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Literal

import msgspec

from pitwall.analysis.study import Study
from pitwall.diagnosis.advice import NEAR_BEST_S, UNIT_OF, Action
from pitwall.diagnosis.shape import PHASES, Phase
from pitwall.track.reference import lap_of

# "repeat": only the loss is sure, and that the best pass can be driven.
Advised = Action | Literal["repeat"]
# Where they lose less a lap there is nothing to gain.
LEAST_LOSS_S = 0.05
# Where they lose this much it is a fault, which is remembered.
FAULT_S = 0.15
# With fewer passes there is no usual one; one alone that loses time was a mistake.
FEWEST_PASSES, FEWEST_LOSING = 3, 2


class Opportunity(msgspec.Struct, frozen=True, kw_only=True):
    """Time that a driver's own best pass of a corner (in `reference`, session:lap) shows is there.

    `laps`, of `judged_laps`, lose at least 0.08 s, `losing_s` in the median; `loss_s` is that shared
    out over all. `shown_laps`, at least half of `laps`, show the `cause`: the `action`, by `amount`
    of `unit` ("m", "km/h", "s"). `is_try`: only the loss and its `phase` are sure.
    """

    reference: str
    corner: str
    phase: Phase
    action: Advised
    cause: Advised
    is_try: bool
    loss_s: float
    losing_s: float
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
    """Find corners that lose time again and again, the dearest first."""
    if study is None:
        return []
    found = [
        _opportunity(study, segment.index)
        for segment in study.road.segments
        if segment.corner and len(study.passes.get(segment.index, ())) >= FEWEST_PASSES
    ]
    return sorted(
        (each for each in found if each.loss_s >= LEAST_LOSS_S and len(each.laps) >= FEWEST_LOSING),
        key=lambda each: (-each.loss_s, each.corner),
    )


def shared_out(losses_s: Sequence[float]) -> tuple[float, float]:
    """Return the median of the losses that count, s, and its share a lap of all."""
    # The median, since a single lap may be a mistake.
    losing = [each for each in losses_s if each >= NEAR_BEST_S]
    middle_s = median(losing) if losing else 0.0
    return middle_s, middle_s * len(losing) / max(len(losses_s), 1)


def _opportunity(study: Study, segment: int) -> Opportunity:
    best, evidence, found = study.best[segment], study.evidence[segment], study.diagnosis(segment)
    losing = [each for each in evidence if each.loss_s >= NEAR_BEST_S]
    laps = tuple(each.lap for each in losing)
    losing_s, loss_s = shared_out([0.0, *(each.loss_s for each in evidence)])
    phases = zip(*(each.comparison.gains_s for each in losing or evidence), strict=True)
    phases_s = [median(each) for each in phases]
    is_sure = found is not None and not found.is_try
    return Opportunity(
        reference=f"{study.session}:{best.lap}",
        corner=best.corner,
        phase=PHASES[phases_s.index(max(phases_s))] if found is None else found.phase,
        action="repeat" if found is None else found.action,
        cause=found.action if found is not None and is_sure else "repeat",
        is_try=found is not None and found.is_try,
        loss_s=loss_s,
        losing_s=losing_s,
        amount=0.0 if found is None else found.amount,
        unit="" if found is None else UNIT_OF[found.action],
        laps=laps,
        shown_laps=found.laps if found is not None and is_sure else laps,
        judged_laps=tuple(each.lap for each in study.passes[segment]),
    )

"""Go on, or end: decided by figures alone, never by a model."""

from __future__ import annotations

import msgspec

from pitwall.contract.jobs import Budget, Used
from pitwall.paddock.controller.checkpoint import Checkpoint, EndState

# Each limit with what to say of it. Reached is enough: one more would exceed it.
_SPENT: tuple[tuple[str, str], ...] = (
    ("iterations", "the iterations are used up ({used} of {most})"),
    ("model_calls", "the model calls are used up ({used} of {most})"),
    ("tool_calls", "the tool calls are used up ({used} of {most})"),
    ("seconds", "the time for this job is used up ({used:.0f} of {most:.0f} s)"),
)


class BudgetSpent(Exception):
    """What comes next would exceed the budget: a sentence that says which."""


def require(used: Used, budget: Budget, **more: float) -> None:
    """BudgetSpent where that much more would exceed the budget."""
    for name, text in _SPENT:
        if name in more and getattr(used, name) + more[name] > getattr(budget, name):
            raise BudgetSpent(text.format(used=getattr(used, name), most=getattr(budget, name)))


def decide(state: Checkpoint, budget: Budget) -> Checkpoint:
    """The state with an end, or with the next item to execute: the first open one in the plan's order."""
    following = next((item for item in state.items if item.state == "open"), None)
    if following is None:
        committed = any(item.state == "committed" for item in state.items)
        return ended(state, "done" if committed else "failed", "" if committed else _nothing(state))
    if state.used.since_commit >= budget.stagnation:
        why = f"{state.used.since_commit} iterations in a row committed nothing"
        return ended(state, "STAGNATED", why)
    try:
        # What one more iteration needs at least.
        require(state.used, budget, iterations=1, seconds=0.001)
    except BudgetSpent as spent:
        return ended(state, "BUDGET_EXHAUSTED", str(spent))
    return msgspec.structs.replace(state, current=following.id, phase="execute")


def ended(state: Checkpoint, end: EndState, why: str) -> Checkpoint:
    """The job is over; the phase stays where it was."""
    return msgspec.structs.replace(state, end=end, why=why)


def _nothing(state: Checkpoint) -> str:
    reasons = dict.fromkeys(item.outcome for item in state.items if item.outcome)
    return "; ".join(reasons) or "there was nothing to do"

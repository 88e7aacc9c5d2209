"""A job's checkpoint: everything that is needed to continue it after a kill, and its budget."""

from __future__ import annotations

from typing import Literal

import msgspec

from pitwall.contract.jobs import Budget, ModelCall, Phase, Used

EndState = Literal["done", "failed", "BUDGET_EXHAUSTED", "STAGNATED"]
ItemState = Literal["open", "committed", "given_up"]

VERSION = 1
# The first draft of an item, and two more that are told why the last one was refused.
MOST_ATTEMPTS = 3
# The limits of a budget, each with the sentence for the case that it is used up.
_LIMITS: tuple[tuple[str, str], ...] = (
    ("iterations", "the iterations are used up ({used} of {most})"),
    ("model_calls", "the model calls are used up ({used} of {most})"),
    ("tool_calls", "the tool calls are used up ({used} of {most})"),
    ("seconds", "the time for this job is used up ({used:.0f} of {most:.0f} s)"),
)


class BudgetSpent(Exception):
    """The next step would exceed the budget: the message says which limit."""


class JobItem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to do, such as one corner. `facts` and `draft` are JSON text, "" where there is none.

    `attempts` counts its drafts; `problems` say why the last one was refused. `intention` is the digest of
    what is about to be written, so that it is not written twice after a kill.
    """

    id: str
    state: ItemState = "open"
    facts: str = ""
    draft: str = ""
    attempts: int = 0
    problems: tuple[str, ...] = ()
    intention: str = ""
    outcome: str = ""


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """`phase` comes next and is about the item `current`. The items are in the order of the plan."""

    version: int = VERSION
    phase: Phase = "discover"
    items: tuple[JobItem, ...] = ()
    current: str = ""
    used: Used = Used()
    ledger: tuple[ModelCall, ...] = ()
    end: EndState | None = None
    why: str = ""

    @property
    def item(self) -> JobItem:
        """The current item. LookupError where there is none."""
        return {item.id: item for item in self.items}[self.current]

    def with_item(self, **changes: object) -> Checkpoint:
        """A copy with the current item changed."""
        changed = msgspec.structs.replace(self.item, **changes)
        items = tuple(changed if item.id == changed.id else item for item in self.items)
        return msgspec.structs.replace(self, items=items)

    def having_used(self, **more: int) -> Checkpoint:
        """A copy with that much more used."""
        sums = {name: getattr(self.used, name) + amount for name, amount in more.items()}
        return msgspec.structs.replace(self, used=msgspec.structs.replace(self.used, **sums))

    def with_call(self, call: ModelCall) -> Checkpoint:
        """A copy with this line of the ledger added, or put in place of its older version."""
        rest = tuple(one for one in self.ledger if one.number != call.number)
        return msgspec.structs.replace(self, ledger=(*rest, call))

    def ended(self, end: EndState, why: str) -> Checkpoint:
        """A copy that has ended. The phase stays as it was."""
        return msgspec.structs.replace(self, end=end, why=why)


def decoded(text: str, call_s: float) -> Checkpoint:
    """The checkpoint to continue from; a new one for "". ValueError: the text is no checkpoint.

    A call that had begun was lost with its process. It counts in full, since it may have been made.
    """
    if not text:
        return Checkpoint()
    try:
        found = msgspec.json.decode(text, type=Checkpoint)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise ValueError(f"the job's checkpoint can't be read: {error}") from None
    if found.version != VERSION:
        raise ValueError(f"the job's checkpoint has version {found.version}, this program knows {VERSION}")
    for call in found.ledger:
        if call.state == "begun":
            found = found.with_call(msgspec.structs.replace(call, state="lost", seconds=call_s))
            seconds = found.used.seconds + call_s
            found = msgspec.structs.replace(found, used=msgspec.structs.replace(found.used, seconds=seconds))
    return found


def encoded(state: Checkpoint) -> str:
    """The text of `jobs.checkpoint`."""
    return msgspec.json.encode(state).decode()


def require(used: Used, budget: Budget, **more: float) -> None:
    """Check that so much more may be used. BudgetSpent."""
    for name, text in _LIMITS:
        if name in more and getattr(used, name) + more[name] > getattr(budget, name):
            raise BudgetSpent(text.format(used=getattr(used, name), most=getattr(budget, name)))


def decide(state: Checkpoint, budget: Budget) -> Checkpoint:
    """End the job, or go on with the first open item in the order of the plan. No model decides this."""
    following = next((item for item in state.items if item.state == "open"), None)
    if following is None:
        if any(item.state == "committed" for item in state.items):
            return state.ended("done", "")
        reasons = dict.fromkeys(item.outcome for item in state.items if item.outcome)
        return state.ended("failed", "; ".join(reasons) or "there was nothing to do")
    if state.used.since_commit >= budget.stagnation:
        return state.ended("STAGNATED", f"{state.used.since_commit} iterations in a row committed nothing")
    try:
        # One more iteration needs at least this.
        require(state.used, budget, iterations=1, seconds=0.001)
    except BudgetSpent as spent:
        return state.ended("BUDGET_EXHAUSTED", str(spent))
    return msgspec.structs.replace(state, current=following.id, phase="execute")

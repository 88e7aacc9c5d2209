"""Where a job goes on after a kill: everything it knows, as one value that each phase replaces."""

from __future__ import annotations

from typing import Literal

import msgspec

from pitwall.contract.jobs import ModelCall, Phase, Used

EndState = Literal["done", "failed", "BUDGET_EXHAUSTED", "STAGNATED"]
ItemState = Literal["open", "committed", "given_up"]

VERSION = 1
# The first draft of an item, and two more with the reason why the last was refused.
MOST_ATTEMPTS = 3


class JobItem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to be done, a corner for one. `facts` and `draft` are JSON as text, "" where there is none.

    `attempts` counts drafts of it, good and bad; `problems` say why the last was refused. `intention` is the
    digest of what is about to be written: on resume, what lies there already is not written again.
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
    """`phase` is the one that comes next, `current` the item it is about, items in the order of the plan."""

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
        """The same with the current item changed."""
        changed = msgspec.structs.replace(self.item, **changes)
        items = tuple(changed if item.id == changed.id else item for item in self.items)
        return msgspec.structs.replace(self, items=items)

    def having_used(self, **more: int) -> Checkpoint:
        """The same with that much more used."""
        sums = {name: getattr(self.used, name) + amount for name, amount in more.items()}
        return msgspec.structs.replace(self, used=msgspec.structs.replace(self.used, **sums))

    def with_call(self, call: ModelCall) -> Checkpoint:
        """The same with this line of the ledger, in place of its earlier self."""
        rest = tuple(one for one in self.ledger if one.number != call.number)
        return msgspec.structs.replace(self, ledger=(*rest, call))


def decoded(text: str, call_s: float) -> Checkpoint:
    """The checkpoint to go on from; a fresh one for "". ValueError: not one of ours.

    A call that had begun is lost with its process: it counts in full, as it may have been made.
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
    """As `jobs.checkpoint` keeps it."""
    return msgspec.json.encode(state).decode()

"""What an analysis has done so far and has still to do: its state, and as JSON its checkpoint."""

from __future__ import annotations

from typing import Any

import msgspec

# A checkpoint of another version is not read: the analysis begins anew.
VERSION = 1


class Criterion(msgspec.Struct, frozen=True):
    """Checked by code where `tool` is named: one of its results was got, with something in `field`."""

    statement: str
    tool: str = ""
    field: str = ""


class Stage(msgspec.Struct, frozen=True):
    """A stage as it was accepted: tools that exist, a bounded number of criteria."""

    goal: str
    tools: tuple[str, ...]
    criteria: tuple[Criterion, ...] = ()


class Claim(msgspec.Struct, frozen=True):
    """A checked sentence without query ids in it, and the ids behind it."""

    text: str
    queries: tuple[str, ...]


class StageDone(msgspec.Struct, frozen=True):
    """A finished stage. `unmet`: the criteria that nothing showed; `open`: what the data does not say."""

    goal: str
    claims: tuple[Claim, ...]
    unmet: tuple[str, ...] = ()
    open: str = ""


class Query(msgspec.Struct, frozen=True):
    """One successful call of a tool. `id` is Q1, Q2, ... in the order in which they came back.

    `shortened`: a checkpoint had no room for the whole result; asked for again, it is whole again.
    """

    id: str
    tool: str
    arguments: dict[str, Any]
    result: Any
    shortened: bool = False


class AnalysisState(msgspec.Struct, kw_only=True):
    """One analysis. `stages` are still to do; `planned` is false until there is a plan.

    `changes`: how often reflection changed the stages; `retried`: an agent was asked again somewhere.
    """

    version: int = VERSION
    question: str
    session: str
    planned: bool = False
    stages: list[Stage] = msgspec.field(default_factory=list)
    done: list[StageDone] = msgspec.field(default_factory=list)
    queries: list[Query] = msgspec.field(default_factory=list)
    changes: int = 0
    retried: bool = False


def checkpoint(state: AnalysisState) -> str:
    """The state as JSON."""
    return msgspec.json.encode(state).decode()


def resumed(text: str, question: str, session: str) -> AnalysisState | None:
    """The state of a checkpoint of this very question; None where there is none that can be used."""
    try:
        state = msgspec.json.decode(text, type=AnalysisState)
    except msgspec.DecodeError:
        return None
    same = (state.version, state.question, state.session) == (VERSION, question, session)
    return state if same else None

"""Where a job is stored, how it asks a model, and the ways in which its work may stop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from pitwall.contract.messages import JobState

if TYPE_CHECKING:
    from pydantic import BaseModel

    from pitwall.paddock.runs import AgentEvent


class JobWaits(Exception):
    """The job can't go on now: the message says why. `rest_s`: of the model."""

    def __init__(self, why: str, rest_s: float = 0.0) -> None:
        super().__init__(why)
        self.rest_s = rest_s


class JobFailed(Exception):
    """The job can never end well: the message says why."""


class UnusableReply(Exception):
    """The reply can't be used: the message says why. Unless `final`, asking again may help."""

    def __init__(self, why: str, *, final: bool = False) -> None:
        super().__init__(why)
        self.final = final


class JobPort(Protocol):
    """Stores a job's progress. A checkpoint and an end are durable on return. StoreError."""

    async def checkpoint(self, text: str) -> None: ...

    async def finish(self, state: JobState, result: str) -> None: ...

    async def audit(self, row: AgentEvent) -> None: ...


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a model: the agent, its instruction, the prompt, and the form of the reply."""

    agent: str
    instruction: str
    prompt: str
    schema: type[BaseModel]


# One call for one typed reply. UnusableReply; JobWaits where the model itself fails.
ModelCaller = Callable[[ModelRequest], Awaitable[dict[str, Any]]]

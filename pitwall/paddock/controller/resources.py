"""The means of a job, and the ways in which its work may stop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from pitwall.analysis.tool_kit import Toolbox
from pitwall.contract.messages import JobState, Turn
from pitwall.paddock.records import RemoteRecords

if TYPE_CHECKING:
    from pydantic import BaseModel

    from pitwall.paddock.offline import AnswerStream
    from pitwall.paddock.runs import AgentEvent


class JobWaits(Exception):
    """The job can't go on now: the message says why. Its checkpoint is kept. `rest_s`: how long the model is
    best left alone."""

    def __init__(self, why: str, rest_s: float = 0.0) -> None:
        super().__init__(why)
        self.rest_s = rest_s


class JobFailed(Exception):
    """The job can never end well: the message says why."""


class UnusableReply(Exception):
    """The model replied, but the reply can't be used: the message says why. Asking again may help."""


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


# One call of the model for one typed reply. UnusableReply; JobWaits where the model itself fails.
ModelCaller = Callable[[ModelRequest], Awaitable[dict[str, Any]]]


class JobQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question for an agent or a pipeline with tools, or with `staged` for the staged analysis.

    The limits are for planning; the meter enforces them. `checkpoint`: what `save` was called with last.
    """

    text: str
    intent: str | None
    session: str
    turns: tuple[Turn, ...] = ()
    staged: bool = False
    model_calls: int = 48
    tool_calls: int = 40
    seconds: float
    checkpoint: str = ""


class CallMeter(Protocol):
    """Counts the calls of one run: see `RunMeter`."""

    async def model_call(self) -> None: ...

    def toolbox(self, tools: Toolbox) -> Toolbox: ...


Save = Callable[[str], Awaitable[None]]
# Opens the stream of one answer. The meter counts its calls. Everything is closed at the end.
OpenAnswer = Callable[[JobQuestion, CallMeter, Save], AbstractAsyncContextManager["AnswerStream"]]


@dataclass(kw_only=True)
class JobResources:
    """The means that the worker gives every job. `caller` and `open_answer` are None while there is no model.

    `toolbox` holds plain functions, called in threads.
    """

    records: RemoteRecords
    toolbox: Toolbox
    caller: ModelCaller | None = None
    open_answer: OpenAnswer | None = None

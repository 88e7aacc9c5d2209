"""What a job works with, and the ways in which its work may stop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from pitwall.analysis.port import Facts
from pitwall.contract.messages import JobState, Turn

if TYPE_CHECKING:
    from pydantic import BaseModel

    from pitwall.paddock.answer_stream import AnswerStream
    from pitwall.paddock.audit import AgentEvent

Toolbox = Mapping[str, Callable[..., Any]]


class JobWaits(Exception):
    """It can't go on now, for want of a model or of room on the disk: a sentence. Its checkpoint stands."""


class JobFailed(Exception):
    """It can never come to its end: a sentence."""


class UnusableReply(Exception):
    """The model answered, and its reply is of no use: a sentence. Worth asking again."""


class JobPort(Protocol):
    """Where a job's progress is kept, all but the audit durably on return. StoreError where it can't be."""

    async def checkpoint(self, text: str) -> None: ...

    async def finish(self, state: JobState, result: str) -> None: ...

    async def audit(self, row: AgentEvent) -> None: ...


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a model: who asks, how it is instructed, the question, and the form of the reply."""

    agent: str
    instruction: str
    prompt: str
    schema: type[BaseModel]


class ModelCaller(Protocol):
    """One call of the model for one typed reply. Misshapen; JobWaits where the model itself fails."""

    async def __call__(self, ask: ModelRequest) -> dict[str, Any]: ...


class JobQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A whole question for an agent or a pipeline with tools; `staged`: for the staged analysis.

    At most so many `model_calls` and `tool_calls` may be made and `seconds` taken: to plan by, the meter
    holds them. `checkpoint`: what `save` was given last.
    """

    text: str
    intent: str | None
    session: str
    turns: tuple[Turn, ...] = ()
    staged: bool = False
    model_calls: int
    tool_calls: int
    seconds: float
    checkpoint: str = ""


class Meter(Protocol):
    """Counts what one run uses, before it is used."""

    async def model_call(self) -> None:
        """To be awaited before each call of the model. An exception: it is not to be made."""
        ...

    def toolbox(self, tools: Toolbox) -> Toolbox:
        """The same tools, async and counted; once all calls are spent each refuses and says so."""
        ...


Save = Callable[[str], Awaitable[None]]
# Opens the stream of one answer, whose every call goes by the meter, and closes all at the end.
OpenAnswer = Callable[[JobQuestion, Meter, Save], AbstractAsyncContextManager["AnswerStream"]]


@dataclass(frozen=True, kw_only=True)
class JobResources:
    """What the worker gives every job. `caller` and `answering` are None while there is no model.

    `toolbox` and `profile` (given the session's id, or "last") are plain functions, called in threads.
    """

    facts: Facts
    toolbox: Toolbox
    profile: Callable[[str], object]
    caller: ModelCaller | None = None
    answering: OpenAnswer | None = None

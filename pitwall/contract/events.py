"""The events of a paddock run that a client sees while it goes on, and the answer at its end."""

from __future__ import annotations

from typing import Literal

import msgspec

AnswerTier = Literal["paddock", "rule"]
Verdict = Literal["PASSED", "RETRY_SUCCEEDED", "ESCALATED", "TIMEOUT", "SKIPPED_NO_REQUIREMENTS"]


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the audit trail, without the arguments' values, which may hold what a driver
    said. `by`: the model, or code before it."""

    agent: str
    tool: str
    arguments: tuple[str, ...]
    status: Literal["ok", "refused", "failed", "cancelled"]
    latency_s: float
    by: Literal["code", "model"] = "model"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as shown and spoken. `unverified`: a required tool was never answered.

    `missing`: what it lacked; `left_out`: what its prompt had no room for; `why`: why it came from
    a lower tier. `took_s`: from the request. `choices`: questions that the driver may mean, each
    may be asked. `rest_s`: how long to leave a late or failed model alone.
    """

    text: str
    emotion: str
    agent: str
    tier: AnswerTier
    verdict: Verdict
    unverified: bool = False
    missing: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    why: str = ""
    choices: tuple[str, ...] = ()
    rest_s: float = 0.0
    audit: tuple[ToolCall, ...] = ()
    model_calls: int = 0
    took_s: float = 0.0


def shown_text(text: str, unverified: bool) -> str:
    """Return a text as it is shown, spoken and remembered."""
    return f"Unverified: {text}" if unverified else text


class Routed(msgspec.Struct, frozen=True, tag="routed", tag_field="event"):
    """Who will answer, and which stage decided: `table`, `classifier`, `default` or `named`."""

    agent: str
    stage: str


class AgentActive(msgspec.Struct, frozen=True, tag="agent_active", tag_field="event"):
    """An agent began to work: a hand-off, silent in the text."""

    agent: str


class ToolStart(msgspec.Struct, frozen=True, tag="tool_start", tag_field="event"):
    """A tool was called."""

    agent: str
    tool: str


class ToolEnd(msgspec.Struct, frozen=True, tag="tool_end", tag_field="event"):
    """A tool came back; `ok` is false where it refused or failed."""

    agent: str
    tool: str
    ok: bool


class Progress(msgspec.Struct, frozen=True, tag="thinking", tag_field="event"):
    """A plain sentence about where the run is."""

    text: str


class Token(msgspec.Struct, frozen=True, tag="token", tag_field="event"):
    """A piece of the answer as it grows. A higher `attempt` replaces all text of a lower one."""

    agent: str
    text: str
    attempt: int = 1


class Content(msgspec.Struct, frozen=True, tag="content", tag_field="event"):
    """The whole checked text, which replaces every token. `provisional`: composed here; the
    model's words replace it if they come in time and are right."""

    agent: str
    text: str
    unverified: bool = False
    provisional: bool = False


class Error(msgspec.Struct, frozen=True, tag="error", tag_field="event"):
    """An error for the driver; a lower tier may still answer. `rest_s`: how long to leave the
    model alone."""

    text: str
    rest_s: float = 0.0


class Done(msgspec.Struct, frozen=True, tag="done", tag_field="event"):
    """The last event of every run that was not cancelled."""

    answer: Answer


Event = Routed | AgentActive | ToolStart | ToolEnd | Progress | Token | Content | Error | Done

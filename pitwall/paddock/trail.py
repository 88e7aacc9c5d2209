"""An answer's audit trail as rows of `agent_events`: which tools, which arguments' names, how they ended."""

from __future__ import annotations

import msgspec

from pitwall.intercom.events import Answer


class AgentEvent(msgspec.Struct, frozen=True):
    """One row of `agent_events`. `detail` is JSON and holds neither what was asked nor what was answered."""

    job: str | None
    at_utc_s: float
    agent: str
    kind: str
    detail: str


def trail(answer: Answer, at_utc_s: float, job: str | None = None) -> list[AgentEvent]:
    """A row for each tool call, in order, and one for the answer with its verdict and tier."""
    rows = [
        AgentEvent(job, at_utc_s, call.agent, "tool", _json(msgspec.to_builtins(call)))
        for call in answer.audit
    ]
    told = {
        key: getattr(answer, key)
        for key in (
            "verdict",
            "tier",
            "unverified",
            "why",
            "missing",
            "left_out",
            "unbacked",
            "model_calls",
            "took_s",
            "emotion",
        )
    }
    return [*rows, AgentEvent(job, at_utc_s, answer.agent, "answer", _json(told))]


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()

"""The audit trail as rows of `agent_events`: which tools and model calls, which arguments' names, how they
ended."""

from __future__ import annotations

import msgspec

from pitwall.contract.events import Answer, ToolCall
from pitwall.contract.jobs import ModelCall
from pitwall.paddock.roster import NARRATIVE, PIPELINES


class AgentEvent(msgspec.Struct, frozen=True):
    """One row of `agent_events`. `detail` is JSON and holds neither what was asked nor what was answered."""

    job: str | None
    at_utc_s: float
    agent: str
    kind: str
    detail: str


class CancelledRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that was cancelled: its client went, or the car moved. The fields are those of an `Answer`."""

    agent: str
    audit: tuple[ToolCall, ...]
    model_calls: int
    took_s: float


def audit_rows(answer: Answer | CancelledRun, at_utc_s: float, job: str | None = None) -> list[AgentEvent]:
    """A row for each tool call, in order, and one for the answer with verdict and tier, or for the end."""
    rows = [
        AgentEvent(job, at_utc_s, call.agent, "tool", _json(msgspec.to_builtins(call)))
        for call in answer.audit
    ]
    if isinstance(answer, CancelledRun):
        end = {"status": "cancelled", "model_calls": answer.model_calls, "took_s": answer.took_s}
        return [*rows, AgentEvent(job, at_utc_s, answer.agent, "stopped", _json(end))]
    told = {
        key: getattr(answer, key)
        for key in (
            "verdict",
            "tier",
            "unverified",
            "why",
            "left_out",
            "unbacked",
            "model_calls",
            "took_s",
            "emotion",
        )
    }
    # A pipeline's are our sentences; an analysis' begin with what a model, or the driver, wanted to know.
    ours = answer.agent == NARRATIVE or answer.agent in PIPELINES
    told["missing"] = answer.missing if ours else ["a stage"] * len(answer.missing)
    return [*rows, AgentEvent(job, at_utc_s, answer.agent, "answer", _json(told))]


def model_call_row(job: str, at_utc_s: float, agent: str, call: ModelCall) -> AgentEvent:
    """The row of one model call of a job: how it ended and how long it took, nothing that was said."""
    told = {
        "number": call.number,
        "phase": call.phase,
        "item": call.item,
        "status": call.state,
        "latency_s": call.seconds,
    }
    return AgentEvent(job, at_utc_s, agent, "model_call", _json(told))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()

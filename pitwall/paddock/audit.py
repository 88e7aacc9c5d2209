"""The audit trail as rows of `agent_events`: tool and model calls, the names of arguments, and the ends."""

from __future__ import annotations

import msgspec

from pitwall.contract.events import Answer, ToolCall
from pitwall.contract.jobs import ModelCall
from pitwall.paddock.roster import NARRATIVE, PIPELINES

_OF_ANSWER = (
    "verdict", "tier", "unverified", "why", "left_out", "model_calls", "took_s", "emotion",
)  # fmt: skip


class AgentEvent(msgspec.Struct, frozen=True):
    """One row of `agent_events`. `detail` is JSON and holds neither the question nor the answer."""

    job: str | None
    at_utc_s: float
    agent: str
    kind: str
    detail: str


class CancelledRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that was cancelled. The fields are those of an `Answer`."""

    agent: str
    audit: tuple[ToolCall, ...]
    model_calls: int
    took_s: float


def audit_rows(answer: Answer | CancelledRun, at_utc_s: float, job: str | None = None) -> list[AgentEvent]:
    """One row for each tool call, in order, and one for the answer or the cancellation."""
    rows = [
        AgentEvent(job, at_utc_s, call.agent, "tool", _json(msgspec.to_builtins(call)))
        for call in answer.audit
    ]
    if isinstance(answer, CancelledRun):
        end = {"status": "cancelled", "model_calls": answer.model_calls, "took_s": answer.took_s}
        return [*rows, AgentEvent(job, at_utc_s, answer.agent, "stopped", _json(end))]
    detail = {key: getattr(answer, key) for key in _OF_ANSWER}
    # PASSED says that there was evidence; this says who fetched it.
    detail["tools_by"] = {
        by: sum(call.by == by and call.status == "ok" for call in answer.audit) for by in ("code", "model")
    }
    # A pipeline's `missing` holds our sentences; an analysis' begins with words of the model or the driver.
    ours = answer.agent == NARRATIVE or answer.agent in PIPELINES
    detail["missing"] = answer.missing if ours else ["a stage"] * len(answer.missing)
    return [*rows, AgentEvent(job, at_utc_s, answer.agent, "answer", _json(detail))]


def model_call_row(job: str, at_utc_s: float, agent: str, call: ModelCall) -> AgentEvent:
    """The row of one model call of a job: how it ended and how long it took, but no words."""
    detail = {
        "number": call.number,
        "phase": call.phase,
        "item": call.item,
        "status": call.state,
        "latency_s": call.seconds,
    }
    return AgentEvent(job, at_utc_s, agent, "model_call", _json(detail))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()

"""The runs that go on: what each may do and has done; the audit trail as rows of `agent_events`."""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from pitwall.contract.events import Answer, Event, Progress, ToolCall, ToolEnd, ToolStart, Verdict
from pitwall.contract.jobs import ModelCall
from pitwall.contract.messages import Turn
from pitwall.paddock.facts import SESSION_FACTS
from pitwall.paddock.model_text import LoopGuard
from pitwall.paddock.points import AnswerPoint, PointFacts
from pitwall.paddock.roster import DUTIES, NARRATIVE, PIPELINES, QUERY_TOOL, take_up
from pitwall.words.language import ENGLISH

# Worst first: a pipeline's verdict is the worst of its agents'.
_WORST: tuple[Verdict, ...] = (
    "TIMEOUT", "ESCALATED", "RETRY_SUCCEEDED", "PASSED", "SKIPPED_NO_REQUIREMENTS",
)  # fmt: skip


BeforeCall = Callable[[], Awaitable[None]]


async def called(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """A tool's result. A plain function runs in a thread, so that no database blocks the stream."""
    if inspect.iscoroutinefunction(function):
        return await function(*args, **named)
    return await asyncio.to_thread(function, *args, **named)


@dataclass
class Run:
    """A request. `deadline`: in the event loop's time. `emit` puts an event on the stream.
    `change`: the question asks for a write, at the `corners` that it names; `named_by`: the id of a
    corner's name. `facts`: what can be said. `heard`: what the speaker wrote so far. `cut`: by
    agent, why its last answer was cut, "" where whole. `most_model_calls`: of all agents together;
    `most_calls`: of single ones."""

    prompt: str
    deadline: float
    emit: Callable[[Event], None]
    question: str = ""
    change: bool = False
    corners: tuple[str, ...] = ()
    named_by: Callable[[str], str] | None = None
    facts: PointFacts = field(default_factory=lambda: PointFacts(ENGLISH))
    mood: str = "neutral"
    # What the model asked for with `tell_figure`: it is the answer where the model names no fact.
    figures: list[AnswerPoint] = field(default_factory=list)
    # The facts are small ones, of which each data agent sees its own kinds.
    small: bool = False
    heard: str = ""
    cut: dict[str, str] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    succeeded: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    results: defaultdict[str, list[tuple[str, dict[str, Any]]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    forced: dict[str, tuple[str, ...]] = field(default_factory=dict)
    calls: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    refused: Counter[tuple[str, str, str, int]] = field(default_factory=Counter)
    audit: list[ToolCall] = field(default_factory=list)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    state: dict[str, Any] = field(default_factory=dict)
    guards: dict[str, LoopGuard] = field(default_factory=dict)
    written: Counter[str] = field(default_factory=Counter)
    started: dict[str, tuple[float, ToolCall]] = field(default_factory=dict)
    most_model_calls: int = 0
    # What is done in this run, and its result; None: answer `question`. `said`: for the session.
    step: Callable[..., Awaitable[Any]] | None = None
    output: Any = None
    said: str = ""
    # Awaited before each call of the model, which is not made where it raises.
    before_call: BeforeCall | None = None
    sent_chars: int = 0
    # What was said before it.
    turns: tuple[Turn, ...] = ()
    most_calls: dict[str, int] = field(default_factory=dict)
    calls_of: Counter[str] = field(default_factory=Counter)
    declined: str = ""
    declined_by: set[str] = field(default_factory=set)
    unknown_tools: Counter[str] = field(default_factory=Counter)

    @property
    def model_calls(self) -> int:
        """The model calls of all agents so far."""
        return self.calls_of.total()

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """All tool calls so far; one that has not returned counts as cancelled now."""
        now = asyncio.get_running_loop().time()
        unfinished = (
            msgspec.structs.replace(call, latency_s=round(now - began, 4))
            for began, call in self.started.values()
        )
        return (*self.audit, *unfinished)

    def may_call(self, agent: str) -> bool:
        """Return whether this agent may make one more model call."""
        if self.model_calls >= self.most_model_calls:
            return False
        return agent not in self.most_calls or self.calls_of[agent] < self.most_calls[agent]

    def fetched(self, agent: str, found: Mapping[str, Any]) -> None:
        """Code has called these tools for the agent; what it wanted it need not ask for."""
        for tool, result in found.items():
            refused = "error" in result
            if not refused:
                self.succeeded[agent].add(tool)
                self.results[agent].append((tool, self.take_up(agent, tool, result)))
            status: Literal["ok", "refused"] = "refused" if refused else "ok"
            self.audit.append(
                ToolCall(agent=agent, tool=tool, arguments=(), status=status, latency_s=0.0, by="code")
            )
            self.emit(ToolStart(agent, tool))
            self.emit(ToolEnd(agent, tool, not refused))

    def take_small_facts(self, agents: Iterable[str], found: Iterable[Mapping[str, Any]]) -> None:
        """Add the session's small facts, which code has fetched for these agents."""
        for each in found:
            weight = f"{each['weight']:.2f} s" if each.get("weight") else ""
            note = ", ".join(filter(None, (each["kind"], each.get("evidence", "").strip(), weight)))
            self.facts.add(each["text"], certain=each.get("certain", False), kind=each["kind"], note=note)
        self.small = bool(found)
        for agent in agents if found else ():
            self.succeeded[agent].add(SESSION_FACTS)
            self.audit.append(
                ToolCall(agent=agent, tool=SESSION_FACTS, arguments=(), status="ok", latency_s=0.0, by="code")
            )

    def take_up(self, agent: str, tool: str, result: dict[str, Any]) -> dict[str, Any]:
        """A result as the agent is shown it, its statements added to the facts."""
        if agent not in DUTIES:
            return result
        asked = tool == QUERY_TOOL and "error" not in result
        if asked:
            # That is the reading now; what an agent knows of its own subject may still be chosen.
            self.facts.doubt_reading(drop=DUTIES[agent].asked_for == "any figure")
        shown = take_up(self.facts, tool, result)
        if asked:
            self.figures.append(AnswerPoint(shown.get("fact", "")))
        return shown

    def elsewhere(self, corner: str) -> bool:
        """Return whether a change at this corner is none that the question asks for."""
        return self.named_by is not None and self.named_by(corner) not in self.corners

    def remaining_s(self) -> float:
        """Seconds to the deadline, never under zero."""
        return max(0.0, self.deadline - asyncio.get_running_loop().time())

    def verdict(self) -> Verdict:
        """The worst verdict of the agents."""
        return next((one for one in _WORST if one in self.verdicts.values()), "SKIPPED_NO_REQUIREMENTS")

    def show_progress(self, text: str) -> None:
        """Put a progress sentence on the stream."""
        self.emit(Progress(text))

    def unmet(self, agent: str, requires: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
        """The groups of tools of which none has succeeded yet."""
        return tuple(group for group in requires if not self.succeeded[agent].intersection(group))


class Runs:
    """The current runs: announced under their ADK session, found by their invocation."""

    def __init__(self, unannounced: Callable[[], Run] | None = None) -> None:
        """`unannounced` makes the run of a question that came by ADK's own way."""
        self._announced: dict[str, Run] = {}
        self._by_invocation: dict[str, tuple[str, Run]] = {}
        self._unannounced = unannounced

    def announce(self, session: str, run: Run) -> None:
        """Call this before ADK runs in `session`."""
        self._announced[session] = run

    def begin(self, session: str, invocation: str) -> None:
        """ADK gave the run an invocation id."""
        if session in self._announced:
            self._by_invocation[invocation] = (session, self._announced[session])
        elif self._unannounced is not None:
            # The last question of a session is over when the next one comes.
            self.forget(session)
            self._by_invocation[invocation] = (session, self._unannounced())

    def of(self, invocation: str) -> Run:
        """The run of an invocation. KeyError: the invocation is unknown."""
        return self._by_invocation[invocation][1]

    def forget(self, session: str) -> None:
        """The run is over."""
        self._announced.pop(session, None)
        for invocation, (owner, _run) in list(self._by_invocation.items()):
            if owner == session:
                del self._by_invocation[invocation]

    def __len__(self) -> int:
        return len(self._announced)


_OF_ANSWER = (
    "verdict", "tier", "unverified", "why", "left_out", "model_calls", "took_s", "emotion",
)  # fmt: skip


class AgentEvent(msgspec.Struct, frozen=True):
    """A row of `agent_events`. `detail` is JSON and holds neither the question nor the answer."""

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
    """A row for each tool call, in order, and one for the answer or the cancellation."""
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
    # A pipeline's `missing` holds our sentences; an analysis' others' words.
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

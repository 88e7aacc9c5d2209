"""What is known of each run while it goes on, keyed by its invocation: shared by plugins and nodes."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pitwall.contract.events import Event, Progress, ToolCall, Verdict
from pitwall.paddock.loops import LoopGuard

# Worst first: a pipeline is as good as its worst part.
_WORST: tuple[Verdict, ...] = (
    "TIMEOUT", "ESCALATED", "RETRY_SUCCEEDED", "PASSED", "SKIPPED_NO_REQUIREMENTS",
)  # fmt: skip


@dataclass
class Run:
    """One request on its way. `deadline` is in the event loop's time. `emit` puts an event on the stream.

    `change`: it is asked that something be written, not only told.
    `facts`: the blocks that the prompt was given; what stands there was measured, as tools' results are.
    `most_model_calls` may be made in all, `most_calls` by an agent: who is not in it may make what is left.
    """

    prompt: str
    deadline: float
    emit: Callable[[Event], None]
    small_talk: bool = False
    change: bool = False
    earlier: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    attempts: dict[str, int] = field(default_factory=dict)
    succeeded: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    results: defaultdict[str, list[tuple[str, dict[str, Any]]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    forced: dict[str, tuple[str, ...]] = field(default_factory=dict)
    calls: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    audit: list[ToolCall] = field(default_factory=list)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    guards: dict[str, LoopGuard] = field(default_factory=dict)
    # Calls of tools on their way, each with the loop's time when it began.
    started: dict[str, tuple[float, ToolCall]] = field(default_factory=dict)
    most_model_calls: int = 0
    most_calls: dict[str, int] = field(default_factory=dict)
    calls_of: Counter[str] = field(default_factory=Counter)
    declined: str = ""

    @property
    def model_calls(self) -> int:
        """Made so far, by all agents."""
        return self.calls_of.total()

    def trail(self) -> tuple[ToolCall, ...]:
        """The audit trail so far; a call that has not come back counts as cancelled now."""
        now = asyncio.get_running_loop().time()
        open_ = (
            msgspec.structs.replace(call, latency_s=round(now - began, 4))
            for began, call in self.started.values()
        )
        return (*self.audit, *open_)

    def may_call(self, agent: str) -> bool:
        """Whether one more model call is within what this run and this agent may make."""
        if self.model_calls >= self.most_model_calls:
            return False
        return agent not in self.most_calls or self.calls_of[agent] < self.most_calls[agent]

    def remaining_s(self) -> float:
        """Seconds to the deadline, never under zero. Called within the running loop."""
        return max(0.0, self.deadline - asyncio.get_running_loop().time())

    def verdict(self) -> Verdict:
        """Of the whole run: the worst of its agents'."""
        return next((one for one in _WORST if one in self.verdicts.values()), "SKIPPED_NO_REQUIREMENTS")

    def tell(self, text: str) -> None:
        """A progress sentence onto the stream."""
        self.emit(Progress(text))

    def unmet(self, agent: str, requires: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
        """The groups of tools of which none has succeeded yet."""
        return tuple(group for group in requires if not self.succeeded[agent].intersection(group))


class Runs:
    """All runs on their way. Announced under its session, known by its invocation from then on."""

    def __init__(self) -> None:
        self._announced: dict[str, Run] = {}
        self._by_invocation: dict[str, tuple[str, Run]] = {}

    def announce(self, session: str, run: Run) -> None:
        """Before ADK is asked to run in `session`."""
        self._announced[session] = run

    def begin(self, session: str, invocation: str) -> None:
        """ADK gave the run its invocation id."""
        if session in self._announced:
            self._by_invocation[invocation] = (session, self._announced[session])

    def of(self, invocation: str) -> Run:
        """The run of one invocation. KeyError: not one of ours."""
        return self._by_invocation[invocation][1]

    def forget(self, session: str) -> None:
        """The run is over, however it ended."""
        self._announced.pop(session, None)
        for invocation, (owner, _run) in list(self._by_invocation.items()):
            if owner == session:
                del self._by_invocation[invocation]

    def __len__(self) -> int:
        return len(self._announced)

"""Jobs whose work is one step: an answer of the model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import msgspec

from pitwall.analysis.tool_kit import Toolbox
from pitwall.contract.events import Answer, Done
from pitwall.contract.jobs import AnalysisInput, AnswerInput, JobResult, ModelCall, SessionInput
from pitwall.contract.messages import JobKind
from pitwall.paddock.controller.resources import JobQuestion, JobWaits
from pitwall.paddock.controller.running_job import (
    MOST_ATTEMPTS,
    NO_TIME_LEFT,
    TOO_LONG,
    BudgetSpent,
    Checkpoint,
    JobItem,
    RunningJob,
    encoded,
)
from pitwall.paddock.offline import NO_MODEL
from pitwall.paddock.roster import BRIEF, DEBRIEF
from pitwall.paddock.runs import called

_ITEM = "answer"
# The intent is named, so the text is not routed.
_PROMPTS: Mapping[JobKind, tuple[str, str]] = {
    "brief": (BRIEF, "Brief me for the next run."),
    "debrief": (DEBRIEF, "Debrief this session."),
}
_NO_TOOL_CALLS = {"error": "no tool calls are left", "what_to_do": "answer from what was found so far"}


class RunLimits(msgspec.Struct, frozen=True):
    """The most that one run of an answer may use."""

    model_calls: int
    tool_calls: int
    seconds: float


# A pipeline in which every agent is asked again makes 14 calls, and the orchestrator stops it at 24. Nobody
# waits for a job, so it has more time than an answer on the screen.
_ONE_ANSWER = RunLimits(24, 40, 120.0)
_ANALYSIS = RunLimits(48, 40, 600.0)


class RunMeter:
    """Counts the calls of one run, each before it is made. `run` is the run's line in the job's ledger.

    `spent`: the budget that stopped a call of the model, None while none did.
    """

    def __init__(self, running: RunningJob, run: ModelCall, tool_calls: int) -> None:
        self._running, self._run = running, run
        self._tool_calls = tool_calls
        self.spent: BudgetSpent | None = None

    async def model_call(self) -> None:
        """Await this before each call of the model, which is not made where this raises.

        BudgetSpent, StoreError.
        """
        try:
            await self._running.count(self._run, model_calls=1)
        except BudgetSpent as spent:
            self.spent = spent
            raise

    def toolbox(self, tools: Toolbox) -> Toolbox:
        """The same tools, async and counted. Each refuses once all calls are spent."""
        return {name: self._counted(function) for name, function in tools.items()}

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        async def counted(*args: Any, **named: Any) -> Any:
            if self._tool_calls <= 0:
                return _NO_TOOL_CALLS
            self._tool_calls -= 1
            try:
                await self._running.count(self._run, tool_calls=1)
            except BudgetSpent:
                return _NO_TOOL_CALLS
            return await called(function, *args, **named)

        return counted


class AnswerWork:
    """A `JobWork` whose only item is the answer."""

    def __init__(self, kind: JobKind, given: AnswerInput | AnalysisInput | SessionInput) -> None:
        self._kind, self._given = kind, given
        self._limits = _ANALYSIS if kind == "analysis" else _ONE_ANSWER

    async def discover(self, running: RunningJob) -> Sequence[JobItem]:
        return [JobItem(id=_ITEM)]

    async def plan(self, running: RunningJob) -> Sequence[str]:
        return [_ITEM]

    async def execute(self, running: RunningJob) -> str:
        """A run. The job waits where a lower tier answered, since the driver has that answer already.

        It also waits after an analysis with missing stages, which the next run continues; the third run's
        answer is taken as it is.
        """
        answer = await self._run(running)
        draft, attempts = msgspec.json.encode(answer).decode(), running.state.item.attempts
        if answer.tier != "paddock":
            await running.save(running.state.with_item(draft=draft))
            raise JobWaits(answer.why or TOO_LONG)
        if self._kind == "analysis" and answer.missing and attempts + 1 < MOST_ATTEMPTS:
            await running.save(running.state.with_item(draft=draft, attempts=attempts + 1))
            raise JobWaits(f"The analysis is not whole yet: {'; '.join(answer.missing)}")
        return draft

    async def verify(self, running: RunningJob) -> Sequence[str]:
        answer = _answer(running.state.item)
        return [] if answer is not None and answer.text else ["the answer is empty"]

    async def commit(self, running: RunningJob) -> str:
        """Nothing is written: the draft in the checkpoint becomes the job's result."""
        return "kept"

    def result(self, state: Checkpoint) -> JobResult:
        return JobResult(answer=_answer(state.items[0]) if state.items else None)

    async def _run(self, running: RunningJob) -> Answer:
        open_answer = running.resources.open_answer
        if open_answer is None:
            raise JobWaits(NO_MODEL)
        call = await running.begin_run(_ITEM)
        limits = self._limits_left(running)
        meter = RunMeter(running, call, limits.tool_calls)
        question = self._question(running.state.item, limits)

        async def save(text: str) -> None:
            # The staged analysis keeps its own progress in the item's facts.
            await running.save(running.state.with_item(facts=text))

        try:
            async with asyncio.timeout(limits.seconds), open_answer(question, meter, save) as stream:
                async for event in stream:
                    if not isinstance(event, Done):
                        running.emit(event)
                answer = await stream.answer()
        except TimeoutError:
            running.end_call(call, "failed", TOO_LONG)
            await running.save(running.state)
            if running.is_out_of_time():
                raise BudgetSpent(NO_TIME_LEFT) from None
            raise JobWaits(TOO_LONG) from None
        good = answer.tier == "paddock"
        running.end_call(call, "answered" if good else "failed", "" if good else answer.why)
        if not good and meter.spent is not None:
            raise meter.spent
        return answer

    def _limits_left(self, running: RunningJob) -> RunLimits:
        """Return what this run may use of what the job has left."""
        most, budget, used = self._limits, running.budget, running.state.used
        return RunLimits(
            model_calls=min(most.model_calls, budget.model_calls - used.model_calls),
            tool_calls=min(most.tool_calls, budget.tool_calls - used.tool_calls),
            seconds=min(most.seconds, running.seconds_left()),
        )

    def _question(self, item: JobItem, limits: RunLimits) -> JobQuestion:
        given = self._given
        intent, text = _PROMPTS.get(self._kind, (None, ""))
        if not isinstance(given, SessionInput):
            text = given.question
        if isinstance(given, AnswerInput):
            intent = given.intent
        return JobQuestion(
            text=text,
            intent=intent,
            session=given.session,
            turns=given.turns if isinstance(given, AnswerInput) else (),
            staged=self._kind == "analysis",
            model_calls=limits.model_calls,
            tool_calls=limits.tool_calls,
            seconds=limits.seconds,
            checkpoint=item.facts,
        )


def checkpoint_with(facts: str) -> str:
    """The checkpoint of an analysis job that continues the progress in `facts`."""
    item = JobItem(id=_ITEM, facts=facts)
    return encoded(Checkpoint(phase="execute", items=(item,), current=_ITEM))


def _answer(item: JobItem) -> Answer | None:
    return msgspec.json.decode(item.draft, type=Answer) if item.draft else None

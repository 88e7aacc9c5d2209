"""Jobs whose work is one run of agents: an answer of the model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import wraps
from typing import Any

import msgspec

from pitwall.analysis.tool_kit import Toolbox
from pitwall.contract.events import Answer, Done
from pitwall.contract.jobs import AnswerInput, JobResult, ModelCall, SessionInput
from pitwall.contract.messages import JobKind
from pitwall.contract.questions import NAMED
from pitwall.paddock.controller.resources import JobWaits
from pitwall.paddock.controller.running_job import (
    NO_TIME_LEFT,
    TOO_LONG,
    BudgetSpent,
    Checkpoint,
    JobItem,
    RunningJob,
    decide,
)
from pitwall.paddock.controller.work import JobQuestion, OpenAnswer
from pitwall.paddock.offline import NO_MODEL
from pitwall.paddock.runs import called

ANSWER = "answer"
_NO_TOOL_CALLS = {"error": "no tool calls are left", "what_to_do": "answer from what was found so far"}


# Nobody waits for a job, so it has more time than an answer on the screen.
_TOOL_CALLS, _SECONDS = 40, 120.0


class RunMeter:
    """Counts a run's calls before each. `run`: its line in the ledger; `spent`: the budget."""

    def __init__(self, running: RunningJob, run: ModelCall, tool_calls: int) -> None:
        self._running, self._run = running, run
        self._tool_calls = tool_calls
        self.spent: BudgetSpent | None = None

    async def model_call(self) -> None:
        """Await this before each call of the model. BudgetSpent, StoreError."""
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


async def answer(
    running: RunningJob, kind: JobKind, given: AnswerInput | SessionInput, open_answer: OpenAnswer | None
) -> None:
    """Have the question answered, without phases. JobWaits: a lower tier answered. BudgetSpent."""
    item = JobItem(id=ANSWER) if not running.state.items else running.state.items[0]
    state = decide(msgspec.structs.replace(running.state, items=(item,)), running.budget)
    if state.end is None:
        running.state = state
        made = await _run(running, kind, given, open_answer)
        draft = msgspec.json.encode(made).decode()
        if made.tier != "paddock":
            await running.save(running.state.with_item(draft=draft))
            raise JobWaits(made.why or TOO_LONG, made.rest_s)
        state = running.state.having_used(iterations=1).with_item(draft=draft, state="committed")
        state = decide(state, running.budget)
    await running.save(state)


def answered(state: Checkpoint) -> JobResult:
    """The result of such a job."""
    draft = state.items[0].draft if state.items else ""
    return JobResult(answer=msgspec.json.decode(draft, type=Answer) if draft else None)


async def _run(
    running: RunningJob, kind: JobKind, given: AnswerInput | SessionInput, open_answer: OpenAnswer | None
) -> Answer:
    if open_answer is None:
        raise JobWaits(NO_MODEL)
    call = await running.begin_run(ANSWER)
    budget, used = running.budget, running.state.used
    question = JobQuestion(
        text=NAMED.get(kind, "") if isinstance(given, SessionInput) else given.question,
        intent=given.intent if isinstance(given, AnswerInput) else kind if kind in NAMED else None,
        session=given.session,
        turns=given.turns if isinstance(given, AnswerInput) else (),
        tool_calls=min(_TOOL_CALLS, budget.tool_calls - used.tool_calls),
        seconds=min(_SECONDS, running.seconds_left()),
    )

    meter = RunMeter(running, call, question.tool_calls)

    try:
        async with asyncio.timeout(question.seconds), open_answer(question, meter) as stream:
            async for event in stream:
                if not isinstance(event, Done):
                    running.emit(event)
            made = await stream.answer()
    except TimeoutError:
        running.end_call(call, "failed", TOO_LONG)
        await running.save(running.state)
        if running.is_out_of_time():
            raise BudgetSpent(NO_TIME_LEFT) from None
        raise JobWaits(TOO_LONG) from None
    good = made.tier == "paddock"
    running.end_call(call, "answered" if good else "failed", "" if good else made.why)
    if not good and meter.spent is not None:
        raise meter.spent
    return made

"""A question, a brief, a debrief or an analysis as a job: its result is one answer of the paddock's tier."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from pitwall.contract.events import Answer, Done
from pitwall.contract.job_inputs import AnalysisInput, AnswerInput, SessionInput
from pitwall.contract.jobs import JobResult
from pitwall.contract.messages import JobKind
from pitwall.paddock.controller.checkpoint import MOST_ATTEMPTS, Checkpoint, JobItem, encoded
from pitwall.paddock.controller.deciding import BudgetSpent
from pitwall.paddock.controller.metering import RunMeter
from pitwall.paddock.controller.resources import JobQuestion, JobWaits
from pitwall.paddock.controller.running_job import TOO_LONG, RunningJob
from pitwall.paddock.offline import NO_MODEL
from pitwall.paddock.roster import BRIEF, DEBRIEF

_ITEM = "answer"
# As a driver would ask for them; the intent is named, so nothing is routed by these words.
_ASKED: Mapping[JobKind, tuple[str, str]] = {
    "brief": (BRIEF, "Brief me for the next run."),
    "debrief": (DEBRIEF, "Debrief this session."),
}


class RunLimits(msgspec.Struct, frozen=True):
    """The most that one run of an answer may use."""

    model_calls: int
    tool_calls: int
    seconds: float


# A pipeline asked again everywhere makes 14 calls, and the orchestrator stops it at 24. Nobody waits for a
# job, so it has more time than an answer at the screen.
_ONE_ANSWER = RunLimits(24, 40, 120.0)
_ANALYSIS = RunLimits(48, 40, 600.0)


class AnswerWork:
    """The work of one such job: its only item is the answer."""

    def __init__(self, kind: JobKind, given: AnswerInput | AnalysisInput | SessionInput) -> None:
        self._kind, self._given = kind, given
        self._effort = _ANALYSIS if kind == "analysis" else _ONE_ANSWER

    async def discover(self, running: RunningJob) -> Sequence[JobItem]:
        return [JobItem(id=_ITEM)]

    async def plan(self, running: RunningJob) -> Sequence[str]:
        return [_ITEM]

    async def execute(self, running: RunningJob) -> str:
        """One run. What a lower tier said in the model's place the driver has had already: the job waits.

        So does an analysis with stages left over, which the next run goes on with; the third is taken as is.
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
        """The draft stands in the checkpoint and becomes the job's result: there is nothing else to write."""
        return "kept"

    def result(self, state: Checkpoint) -> JobResult:
        return JobResult(answer=_answer(state.items[0]) if state.items else None)

    async def _run(self, running: RunningJob) -> Answer:
        answering = running.resources.answering
        if answering is None:
            raise JobWaits(NO_MODEL)
        call = await running.begin_run(_ITEM)
        effort = self._left(running)
        meter = RunMeter(running, call, effort.tool_calls)
        question = self._question(running.state.item, effort)
        try:
            async with (
                asyncio.timeout(effort.seconds),
                answering(question, meter, self._saving(running)) as stream,
            ):
                async for event in stream:
                    if not isinstance(event, Done):
                        running.show(event)
                answer = await stream.answer()
        except TimeoutError:
            running.end_call(call, "failed", TOO_LONG)
            await running.save(running.state)
            if not running.seconds_left():
                raise BudgetSpent("the time for this job is used up") from None
            raise JobWaits(TOO_LONG) from None
        good = answer.tier == "paddock"
        running.end_call(call, "answered" if good else "failed", "" if good else answer.why)
        if not good and meter.spent is not None:
            raise meter.spent
        return answer

    def _left(self, running: RunningJob) -> RunLimits:
        """What this run may use of what the job has left."""
        most, budget, used = self._effort, running.budget, running.state.used
        return RunLimits(
            model_calls=min(most.model_calls, budget.model_calls - used.model_calls),
            tool_calls=min(most.tool_calls, budget.tool_calls - used.tool_calls),
            seconds=min(most.seconds, running.seconds_left()),
        )

    def _question(self, item: JobItem, effort: RunLimits) -> JobQuestion:
        given = self._given
        intent, text = _ASKED.get(self._kind, (None, ""))
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
            model_calls=effort.model_calls,
            tool_calls=effort.tool_calls,
            seconds=effort.seconds,
            checkpoint=item.facts,
        )

    def _saving(self, running: RunningJob) -> Callable[[str], Any]:
        """The staged analysis keeps its own progress in the item's facts."""

        async def save(text: str) -> None:
            await running.save(running.state.with_item(facts=text))

        return save


def checkpoint_with(facts: str) -> str:
    """The checkpoint of an analysis that has its progress in the item's facts, as another run left it."""
    item = JobItem(id=_ITEM, facts=facts)
    return encoded(Checkpoint(phase="execute", items=(item,), current=_ITEM))


def _answer(item: JobItem) -> Answer | None:
    return msgspec.json.decode(item.draft, type=Answer) if item.draft else None

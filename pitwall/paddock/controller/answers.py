"""A question, a brief, a debrief or an analysis as a job: its result is one answer of the paddock's tier."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import msgspec

from pitwall.intercom.events import Answer, Done
from pitwall.intercom.job_inputs import AnalysisInput, AnswerInput, SessionInput
from pitwall.intercom.jobs import JobResult
from pitwall.intercom.messages import JobKind
from pitwall.paddock.controller.checkpoint import MOST_ATTEMPTS, Checkpoint, Item
from pitwall.paddock.controller.deciding import BudgetSpent
from pitwall.paddock.controller.means import JobWaits, Question, Toolbox
from pitwall.paddock.controller.working import TOO_LONG, Working
from pitwall.paddock.offline import NO_MODEL
from pitwall.paddock.roster import BRIEF, DEBRIEF

_ITEM = "answer"
# As a driver would ask for them; the intent is named, so nothing is routed by these words.
_ASKED: Mapping[JobKind, tuple[str, str]] = {
    "brief": (BRIEF, "Brief me for the next run."),
    "debrief": (DEBRIEF, "Debrief this session."),
}


class Effort(msgspec.Struct, frozen=True):
    """The most that one run of an answer may use: set aside before it begins, given back where it was not."""

    model_calls: int
    tool_calls: int
    seconds: float


# A pipeline asked again everywhere makes 14 calls, and the orchestrator stops it at 24. Nobody waits for a
# job, so it has more time than an answer at the screen.
_ONE_ANSWER = Effort(24, 40, 120.0)
_ANALYSIS = Effort(48, 40, 600.0)


class Answers:
    """The work of one such job: its only item is the answer."""

    def __init__(self, kind: JobKind, given: AnswerInput | AnalysisInput | SessionInput) -> None:
        self._kind, self._given = kind, given
        self._effort = _ANALYSIS if kind == "analysis" else _ONE_ANSWER

    async def discover(self, working: Working) -> Sequence[Item]:
        return [Item(id=_ITEM)]

    async def plan(self, working: Working) -> Sequence[str]:
        return [_ITEM]

    async def execute(self, working: Working) -> str:
        """One run. What a lower tier said in the model's place the driver has had already: the job waits.

        So does an analysis with stages left over, which the next run goes on with; the third is taken as is.
        """
        answer = await self._run(working)
        draft, attempts = msgspec.json.encode(answer).decode(), working.state.item.attempts
        if answer.tier != "paddock":
            await working.save(working.state.with_item(draft=draft))
            raise JobWaits(answer.why or TOO_LONG)
        if self._kind == "analysis" and answer.missing and attempts + 1 < MOST_ATTEMPTS:
            await working.save(working.state.with_item(draft=draft, attempts=attempts + 1))
            raise JobWaits(f"The analysis is not whole yet: {'; '.join(answer.missing)}")
        return draft

    async def verify(self, working: Working) -> Sequence[str]:
        answer = _answer(working.state.item)
        return [] if answer is not None and answer.text else ["the answer is empty"]

    async def commit(self, working: Working) -> str:
        """The draft stands in the checkpoint and becomes the job's result: there is nothing else to write."""
        return "kept"

    def result(self, state: Checkpoint) -> JobResult:
        return JobResult(answer=_answer(state.items[0]) if state.items else None)

    async def _run(self, working: Working) -> Answer:
        answering = working.means.answering
        if answering is None:
            raise JobWaits(NO_MODEL)
        effort = self._effort
        call = await working.begin_call(_ITEM, effort.model_calls, effort.tool_calls)
        since_s, left = working.seconds(), Tally(effort.tool_calls)
        seconds = min(effort.seconds, working.seconds_left())
        question = self._question(working.state.item, effort, seconds)
        try:
            async with (
                asyncio.timeout(seconds),
                answering(question, left.metered, self._saving(working)) as stream,
            ):
                async for event in stream:
                    if not isinstance(event, Done):
                        working.show(event)
                answer = await stream.answer()
        except TimeoutError:
            working.end_call(call, "failed", since_s, TOO_LONG)
            await working.save(working.state)
            if not working.seconds_left():
                raise BudgetSpent("the time for this job is used up") from None
            raise JobWaits(TOO_LONG) from None
        working.state = working.state.having_used(
            model_calls=answer.model_calls - effort.model_calls, tool_calls=-left.calls
        )
        good = answer.tier == "paddock"
        ended = msgspec.structs.replace(call, calls=answer.model_calls)
        working.end_call(ended, "answered" if good else "failed", since_s, "" if good else answer.why)
        return answer

    def _question(self, item: Item, effort: Effort, seconds: float) -> Question:
        given = self._given
        intent, text = _ASKED.get(self._kind, (None, ""))
        if not isinstance(given, SessionInput):
            text = given.question
        if isinstance(given, AnswerInput):
            intent = given.intent
        return Question(
            text=text,
            intent=intent,
            session=given.session,
            turns=given.turns if isinstance(given, AnswerInput) else (),
            staged=self._kind == "analysis",
            model_calls=effort.model_calls,
            tool_calls=effort.tool_calls,
            seconds=seconds,
            checkpoint=item.facts,
        )

    def _saving(self, working: Working) -> Callable[[str], Any]:
        """The staged analysis keeps its own progress in the item's facts."""

        async def save(text: str) -> None:
            await working.save(working.state.with_item(facts=text))

        return save


class Tally:
    """What is left of the tool calls of one run."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def metered(self, toolbox: Toolbox) -> Toolbox:
        """The same tools; once all calls are spent each answers with a refusal that says so."""
        return {name: self._metered(function) for name, function in toolbox.items()}

    def _metered(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def counted(*args: Any, **named: Any) -> Any:
            if self.calls <= 0:
                return {"error": "no tool calls are left", "what_to_do": "answer from what was found so far"}
            self.calls -= 1
            return function(*args, **named)

        return counted


def _answer(item: Item) -> Answer | None:
    return msgspec.json.decode(item.draft, type=Answer) if item.draft else None

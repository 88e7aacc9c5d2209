"""Jobs whose work is one run of agents: an answer of the model."""

from __future__ import annotations

import asyncio

import msgspec

from pitwall.contract.events import Answer, Done
from pitwall.contract.jobs import AnswerInput, JobResult, SessionInput
from pitwall.contract.messages import AskRun, JobKind
from pitwall.paddock.controller.resources import JobWaits
from pitwall.paddock.controller.running_job import (
    NO_TIME_LEFT,
    TOO_LONG,
    BudgetSpent,
    Checkpoint,
    JobItem,
    RunMeter,
    RunningJob,
    decide,
)
from pitwall.paddock.controller.work import OpenAnswer
from pitwall.paddock.offline import NO_MODEL

ANSWER = "answer"


# Nobody waits for a job, so it has more time than an answer on the screen.
_TOOL_CALLS, _SECONDS = 40, 120.0


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
    asked = AskRun(run=0, kind="brief" if kind == "brief" else "debrief", prompt="", session=given.session)
    if isinstance(given, AnswerInput):
        own = {"prompt": given.question, "intent": given.intent, "turns": given.turns}
        asked = msgspec.structs.replace(asked, kind="ask", **own)
    seconds = min(_SECONDS, running.seconds_left())
    meter = RunMeter(running, call, min(_TOOL_CALLS, budget.tool_calls - used.tool_calls))
    try:
        async with asyncio.timeout(seconds), open_answer(asked, seconds, meter) as stream:
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

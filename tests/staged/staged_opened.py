"""A staged analysis over a scripted model server, and a model that does in it as it is told."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import msgspec
from model_server import Asked, ModelServer, Reply, Script, serving, settings_of
from pit_facts import TOOLBOX

from pitwall.contract.events import Answer, Done, Event
from pitwall.contract.jobs import AnalysisInput, Budget, JobResult
from pitwall.contract.messages import JobRun
from pitwall.paddock.adk.model_client import open_model
from pitwall.paddock.adk.staged.analysis import opened_work
from pitwall.paddock.controller.phases import continue_job
from pitwall.paddock.controller.work import JobResources, JobWork

OpenAnalysis = Callable[..., AbstractAsyncContextManager[tuple["Staged", ModelServer]]]
QUESTION = "why was lap 7 quicker than lap 5"

STAGES: list[dict[str, Any]] = [
    {
        "goal": "By how much lap 7 was quicker",
        "tools": ["lap_delta"],
        # A criterion of each kind: code shows the first, the reviewer judges the other.
        "criteria": [
            {"statement": "the difference is known", "tool": "lap_delta", "field": "delta_s"},
            {"statement": "it is of the whole lap"},
        ],
    },
    {
        "goal": "What changed at turn 11",
        "tools": ["corner_history"],
        "criteria": [{"statement": "both passes were looked at"}],
    },
    {
        "goal": "Whether the day got faster",
        "tools": ["progress"],
        "criteria": [{"statement": "there is a trend", "tool": "progress", "field": "trend"}],
    },
]
FINDINGS: dict[str, str] = {
    "lap_delta": "Lap 7 was 0.39 seconds quicker.",
    "corner_history": "Your minimum speed at turn 11 was up from 61.2 to 64.8.",
    "progress": "The best lap is 112.34 now.",
}


# More calls than somebody who waits is given: most tests want every agent asked.
BUDGET = Budget(model_calls=48, tool_calls=40, seconds=120.0)


class Staged:
    """What runs analyses as jobs: keeps the checkpoints, the result and the audit trail of the last one."""

    def __init__(self, open_: Callable[[AnalysisInput], Any], budget: Budget) -> None:
        self._open, self._budget = open_, budget
        self.saved: list[str] = []
        self.result = JobResult()
        self.put_trail = lambda rows: None

    async def events(self, question: str, session: str, checkpoint: str) -> list[Event]:
        budget = {} if checkpoint else {"budget": self._budget}
        given = AnalysisInput(question=question, session=session, **budget)
        run = JobRun(run=1, job="job", kind="analysis", input=_json(given), checkpoint=checkpoint)
        events: list[Event] = []
        resources = JobResources(records=self, toolbox={}, open_analysis=self._open)  # type: ignore[arg-type]
        await continue_job(run, resources, self, events.append)
        return events

    async def checkpoint(self, text: str) -> None:
        self.saved.append(text)

    async def finish(self, state: object, result: str) -> None:
        self.result = msgspec.json.decode(result, type=JobResult)

    async def audit(self, row: object) -> None: ...


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


@asynccontextmanager
async def opened_analysis(
    script: Script,
    *,
    kind: str = "gemini",
    toolbox: dict[str, Any] | None = None,
    budget: Budget = BUDGET,
    **options: Any,
) -> AsyncIterator[tuple[Staged, ModelServer]]:
    async with serving(script) as server, open_model(settings_of(server.url, kind)) as model:

        async def opened(given: AnalysisInput) -> JobWork:
            means = {"context": lambda agent, question: [], **options}
            return await opened_work(model, toolbox or TOOLBOX, given.question, given.session, **means)

        yield Staged(opened, budget), server


def form(asked: Asked, value: dict[str, Any]) -> Reply:
    """A filled-in form, in the way that the request allows."""
    if "set_model_response" in asked.tools:
        return Reply(calls=[("set_model_response", value)])
    return Reply(text=json.dumps(value))


def claim(text: str, *queries: str) -> dict[str, Any]:
    return {"text": text, "queries": list(queries)}


def plan(asked: Asked, stages: int = 2) -> Reply:
    return form(asked, {"stages": STAGES[:stages]})


def work(asked: Asked) -> Reply:
    """Calls the stage's tool, then claims what it gave."""
    tool = next(name for name in FINDINGS if name in asked.tools)
    results = [result for name, result in asked.results if name == tool]
    if not results:
        return Reply(calls=[(tool, {})])
    if "error" in results[-1]:
        return form(asked, {"claims": [], "open": "The tool was refused."})
    return form(asked, {"claims": [claim(FINDINGS[tool], results[-1]["query_id"])]})


def reviewed(asked: Asked, met: bool = True) -> Reply:
    # The first id of its evidence shows everything.
    shown = asked.text.split("Evidence:\n")[-1].split()[0]
    judgements = [{"criterion": number, "met": met, "queries": [shown]} for number in (1, 2)]
    return form(asked, {"judgements": judgements, "rethink": True})


def summary(asked: Asked) -> Reply:
    told = [claim("You were quicker by 0.39.", "Q1")]
    if "Q2 " in asked.text:
        told.append(claim("It came from turn 11, 64.8 at the apex instead of 61.2.", "Q2"))
    return form(asked, {"claims": told, "emotion": "proud"})


# Its reviewers find something to weigh, so that every agent is asked; else some are not.
OBEDIENT: dict[str, Script] = {
    "PlanMakerAgent": plan,
    "PlanReviewerAgent": lambda asked: form(asked, {"problems": ["a trifle"]}),
    "PlanConfirmAgent": lambda asked: form(asked, {"exit": True, "reason": "it is sound"}),
    "StageWorkerAgent": work,
    "StageReviewerAgent": reviewed,
    "ReflectionAgent": lambda asked: form(asked, {"change": False, "reason": "as planned"}),
    "SummaryAgent": summary,
}


def scripted(**others: Script | Reply) -> Script:
    """The obedient model with some agents doing something else."""
    table = {**OBEDIENT, **others}

    def script(asked: Asked) -> Reply:
        chosen = table[asked.agent]
        return chosen if isinstance(chosen, Reply) else chosen(asked)

    return script


def once(first: Reply, script: Script) -> Script:
    """`first` to the first request, then as `script`."""
    seen: list[Asked] = []

    def answer(asked: Asked) -> Reply:
        seen.append(asked)
        return first if len(seen) == 1 else script(asked)

    return answer


def told(events: list[Event]) -> Answer:
    [done] = [event for event in events if isinstance(event, Done)]
    return done.answer


async def answered(staged: Staged, question: str = QUESTION, session: str = "last") -> Answer:
    return told(await staged.events(question, session, ""))


async def events_of(staged: Staged) -> list[Event]:
    return await staged.events(QUESTION, "last", "")


async def gone_on(staged: Staged, checkpoint: str) -> JobResult:
    """What comes of a job that goes on at this checkpoint, to its end."""
    await staged.events(QUESTION, "last", checkpoint)
    return staged.result

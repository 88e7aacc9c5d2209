"""Answers, debriefs and analyses as jobs: the paddock's own or none, bounded, resumed; profiles by code."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from job_world import JobWorld, StorePort, job_world
from model_server import Reply, Script, settings_of
from opened_paddock import composed
from pit_facts import TOOLBOX, obedient
from until import until

from pitwall.contract.events import Content, Error, Event, ToolEnd
from pitwall.contract.jobs import Budget
from pitwall.contract.messages import AskRun, JobRun
from pitwall.contract.questions import NAMED
from pitwall.paddock.adk.model_client import open_model
from pitwall.paddock.adk.orchestrator import CrewChief
from pitwall.paddock.controller.phases import continue_job
from pitwall.paddock.controller.resources import JobWaits
from pitwall.paddock.controller.running_job import CALL_S, Checkpoint, RunMeter, RunningJob
from pitwall.paddock.controller.work import OpenAnswer
from pitwall.paddock.offline import NO_MODEL, AnswerStream
from pitwall.store import jobs
from pitwall.store.errors import StoreError
from pitwall.store.jobs import Job
from pitwall.store.store import Store


def crew(world_url: Callable[[], str], asked: list[float], answer_s: float | None = None) -> OpenAnswer:
    """The orchestrator over the scripted server, opened anew for each question."""

    @asynccontextmanager
    async def opened(question: AskRun, seconds: float, meter: RunMeter) -> AsyncIterator[AnswerStream]:
        asked.append(seconds)
        async with open_model(settings_of(world_url())) as model:
            assert model is not None
            chief = CrewChief(
                model,
                meter.toolbox(TOOLBOX),
                compose=composed,
                brief_s=seconds,
                answer_s=answer_s or seconds,
                before_call=meter.model_call,
            )
            try:
                named = question.kind if question.kind in NAMED else question.intent
                text, intent = question.prompt or NAMED[question.kind], named
                async with await chief.ask(text, intent=intent) as stream:
                    yield stream
            finally:
                await chief.aclose()

    return opened


@asynccontextmanager
async def answering_world(
    store: Store, script: Script, answer_s: float | None = None
) -> AsyncIterator[tuple[JobWorld, list[float]]]:
    asked: list[float] = []
    url: list[str] = []
    async with job_world(store, script, open_answer=crew(lambda: url[0], asked, answer_s)) as world:
        url.append(world.server.url)
        yield world, asked


@pytest.mark.parametrize(
    ("kind", "given", "agent", "calls"),
    [
        ("answer", {"question": "where do I lose time", "intent": "GoldLapAgent"}, "GoldLapAgent", 2),
        ("debrief", {}, "NarrativeAgent", 7),
        ("brief", {"session": "last"}, "NarrativeAgent", 3),
    ],
)
async def test_the_paddocks_answer_is_the_result(
    store: Store, kind: Any, given: dict[str, Any], agent: str, calls: int
) -> None:
    async with answering_world(store, obedient) as (world, asked):
        state, result = await world.ended(world.add(kind, **given))
    assert result.answer is not None
    assert (state, result.answer.tier, result.answer.agent) == ("done", "paddock", agent)
    assert (len(world.server.asked), result.used.model_calls) == (calls, calls)
    assert result.ledger[0].calls == calls, "what was set aside and not needed is given back"
    assert result.used.tool_calls == len(result.answer.audit)
    assert asked[0] > 15.0, "nobody waits for a job"
    seen: dict[type[Event], Event] = {type(event): event for event in world.events}
    assert {ToolEnd, Content} <= set(seen)
    if kind == "debrief":
        assert result.answer.text.startswith("Composed for DebriefPipeline.")


@pytest.mark.parametrize("budget", [{"model_calls": 0}, {"tool_calls": 0}])
async def test_a_run_that_has_nothing_left_to_use_is_not_begun(store: Store, budget: dict[str, int]) -> None:
    async with answering_world(store, obedient) as (world, asked):
        state, result = await world.ended(world.add("answer", question="how was it", budget=budget))
    assert (state, asked, world.server.asked) == ("BUDGET_EXHAUSTED", [], [])
    assert next(iter(budget)).replace("_", " ") in result.why


@pytest.mark.parametrize(("kind", "most"), [("answer", 1), ("debrief", 2), ("debrief", 6)])
async def test_the_call_that_would_be_too_many_is_not_made(store: Store, kind: Any, most: int) -> None:
    """Three agents of a debrief ask at the same time."""
    given = {"question": "how was it"} if kind == "answer" else {}
    async with answering_world(store, obedient) as (world, _):
        state, result = await world.ended(world.add(kind, **given, budget={"model_calls": most}))
    assert (state, len(world.server.asked), result.used.model_calls) == ("BUDGET_EXHAUSTED", most, most)
    assert result.why == f"the model calls are used up ({most} of {most})"


async def test_a_tool_call_that_would_be_too_many_is_refused_and_the_answer_made_without(
    store: Store,
) -> None:
    async with answering_world(store, obedient) as (world, _):
        state, result = await world.ended(world.add("debrief", budget={"tool_calls": 2}))
    assert (state, result.used.tool_calls) == ("done", 2)
    assert result.answer is not None
    assert [call.status for call in result.answer.audit].count("ok") == 2


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.long
async def test_a_debrief_that_is_broken_off_again_and_again_is_made_at_last(
    store: Store, killed: bool
) -> None:
    """Each time when its three agents have just asked; only what was used counts."""
    times = 8
    async with answering_world(store, lambda _: Reply(wait_s=3600.0)) as (world, _):
        job = world.add("debrief")
        for _ in range(times):
            await broken_off(world, job, killed)
        before = world.checkpoint(job).used
        world.server.script = obedient
        state, result = await world.ended(job)
    assert state == "done"
    assert before.model_calls == times * 3
    assert result.used.model_calls == len(world.server.asked) == times * 3 + 7
    assert result.answer is not None
    assert result.used.tool_calls == len(result.answer.audit)
    lost = [call for call in result.ledger if call.state == "lost"]
    assert [call.calls for call in lost] == [3] * times
    charged_s = sum(call.seconds for call in lost)
    assert charged_s == times * CALL_S if killed else charged_s <= result.used.seconds


async def broken_off(world: JobWorld, job: Job, killed: bool) -> None:
    """One run of it until three requests are open; `killed`, it can't tell the daemon anything any more."""
    dead = False

    def before(_: Checkpoint) -> None:
        if dead:
            raise StoreError("the daemon has gone")

    running = asyncio.create_task(world.go_on(job, before=before))
    await until(lambda: world.server.open_requests >= 3)
    dead = killed
    running.cancel()
    await asyncio.wait({running})
    assert running.cancelled()
    await world.server.gone()


async def test_an_answer_ends_with_the_time_of_the_job(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The orchestrator would go on for a minute: the job's own clock stops it."""
    budget_s, ahead_s = CALL_S / 2, 0.0
    loop = asyncio.get_running_loop()
    clock = loop.time
    monkeypatch.setattr(loop, "time", lambda: clock() + ahead_s)
    async with answering_world(store, lambda asked: Reply(wait_s=600), answer_s=60.0) as (world, _):
        job = world.add(
            "answer", question="how was it", intent="TelemetryAgent", budget={"seconds": budget_s}
        )
        running = asyncio.create_task(world.ended(job))
        await until(lambda: world.server.open_requests == 1)
        # The job's time is over while the model is asked, however long it took to get there.
        ahead_s = budget_s
        state, result = await running
        assert (state, result.answer) == ("BUDGET_EXHAUSTED", None)
        assert [call.state for call in result.ledger] == ["failed"]
        await world.server.gone()


async def test_without_a_model_an_answer_waits(store: Store) -> None:
    async with job_world(store, obedient, open_answer=None) as world:
        job = world.add("debrief")
        with pytest.raises(JobWaits, match="No model is set"):
            await world.go_on(job)
        assert jobs.get(store, job.id).state == "waiting"
        jobs.begin(store, job.id)
        again = JobRun(run=1, job=job.id, kind="debrief", input=job.input)
        world.events.clear()
        await continue_job(again, world.resources, StorePort(store, job.id), world.events.append)
    assert world.events[-1] == Error(NO_MODEL), "its reason is on the screen"
    assert jobs.get(store, job.id).state == "running", "whoever began it puts it back"


async def test_tools_of_a_run_are_metered(store: Store) -> None:
    async with job_world(store, obedient) as world:
        job = world.add("brief")
        jobs.begin(store, job.id)
        port = StorePort(store, job.id)
        working = RunningJob(job.id, Checkpoint(), Budget(), port, world.events.append)
        tools = RunMeter(working, await working.begin_run("answer"), 2).toolbox(TOOLBOX)
        assert "error" not in await tools["conditions"]()
        assert "error" not in await tools["corner_history"](corner="turn_11")
        assert await tools["conditions"]() == {
            "error": "no tool calls are left",
            "what_to_do": "answer from what was found so far",
        }
    assert tools["corner_history"].__doc__ == TOOLBOX["corner_history"].__doc__, "what a model is shown"
    assert [state.used.tool_calls for state in port.states] == [0, 1, 2], "each was kept before it was made"

"""The debrief and the brief: data agents at once, joined, told; what is missing is named."""

from __future__ import annotations

import json

import pytest
from model_server import Asked, Reply
from opened_paddock import Open, answer
from pit_facts import FIRST_TOOL, answered, first_call, obedient
from wire_trouble import FAILED

from pitwall.contract.events import AgentActive, Done, Token
from pitwall.paddock.roster import BRIEF, NARRATIVE, PIPELINES

DATA_AGENTS = {"HighlightFinderAgent", "TelemetryAgent", "PedagogyAgent"}
EVERYTHING = {
    "HighlightFinderAgent": "highlights",
    "TelemetryAgent": "tell_figure",
    "PedagogyAgent": "reference_lap_comparison",
}
TOLD = [
    "Composed for DebriefPipeline.",
    "Lap 7 had your fastest exit of the day, 0.39 s better.",
    "The speed is 5.",
    "Turn 11 costs 0.62 s.",
]


def debriefing(asked: Asked) -> Reply:
    return first_call(asked, EVERYTHING) or answered(asked)


@pytest.mark.parametrize("kind", ["gemini", "openai"])
async def test_a_debrief_tells_what_three_agents_found(paddock: Open, kind: str) -> None:
    async with paddock(debriefing, kind=kind) as (crew, server):
        stream = await crew.ask("debrief me", intent="DebriefPipeline")
        events = [event async for event in stream]
    done = events[-1]
    assert isinstance(done, Done)
    given = done.answer
    assert (given.emotion, given.tier) == ("calm", "paddock")
    assert all(fact in given.text for fact in TOLD)
    assert (given.agent, given.verdict, given.missing) == ("NarrativeAgent", "PASSED", ())
    active = [event.agent for event in events if isinstance(event, AgentActive)]
    assert set(active[:3]) == DATA_AGENTS
    assert active[3:] == ["NarrativeAgent"]
    assert {event.agent for event in events if isinstance(event, Token)} == {"NarrativeAgent"}
    shown = "".join(event.text for event in events if isinstance(event, Token))
    assert all(fact in shown for fact in TOLD)
    assert "{" not in shown
    # The narrative is shown the state and nothing else: no question, no tool, no transcript.
    (told,) = server.of("NarrativeAgent")
    assert told.tools == []
    assert told.called == []
    state = json.loads(told.text.removeprefix("State:\n").split("\n\n")[0])
    assert set(state) == {"highlights_data", "telemetry_data", "pedagogy_data", "missing"}
    assert {"fact": "F1"} in state["highlights_data"]["points"]
    assert "debrief me" not in json.dumps(told.body)


async def test_the_data_agents_work_at_once(paddock: Open) -> None:
    def slow(asked: Asked) -> Reply:
        reply = debriefing(asked)
        reply.wait_s = 0.3 if asked.agent in DATA_AGENTS and not asked.called else 0.0
        return reply

    async with paddock(slow) as (crew, server):
        await answer(crew, intent="DebriefPipeline")
    first = [server.of(agent)[0] for agent in DATA_AGENTS]
    # Each had been asked before any of them had its answer; the narrative only after all.
    assert max(asked.started_s for asked in first) < min(asked.ended_s for asked in first)
    data = [asked for asked in server.asked if asked.agent in DATA_AGENTS]
    assert max(asked.ended_s for asked in data) <= server.of("NarrativeAgent")[0].started_s


@pytest.mark.parametrize("agent", ["TelemetryAgent", "NarrativeAgent"])
async def test_a_late_agent_is_left_behind_and_its_request_dropped(paddock: Open, agent: str) -> None:
    def late(asked: Asked) -> Reply:
        reply = debriefing(asked)
        reply.wait_s = 30.0 if asked.agent == agent else 0.0
        return reply

    async with paddock(late, answer_s=4.0) as (crew, server):
        given = await answer(crew, intent="DebriefPipeline")
        await server.gone()
    assert server.of(agent)[0].dropped
    if agent == "NarrativeAgent":
        assert (given.tier, given.verdict, given.missing) == ("rule", "TIMEOUT", ())
        assert given.text == "Composed for DebriefPipeline."
    else:
        assert (given.tier, given.missing) == ("paddock", ("what the telemetry shows: it took too long",))
        assert "Nothing on what the telemetry shows this time." in given.text


async def test_typed_agents_are_told_to_give_findings_and_spoken_ones_to_speak(paddock: Open) -> None:
    async with paddock(debriefing) as (crew, server):
        await answer(crew, intent="DebriefPipeline")
        await answer(crew, intent="TelemetryAgent")
    typed, spoken = server.of("TelemetryAgent")[0].system, server.of("TelemetryAgent")[-1].system
    assert "The form that is asked for" in typed
    assert "JSON and nothing else" in spoken


async def test_no_finding_at_all_is_composed_and_not_invented(paddock: Open) -> None:
    def broken(asked: Asked) -> Reply:
        return Reply(status=500) if asked.agent in DATA_AGENTS else debriefing(asked)

    async with paddock(broken) as (crew, server):
        given = await answer(crew, intent="DebriefPipeline")
    assert given.tier == "rule"
    assert given.text == "Composed for DebriefPipeline."
    assert given.missing == (), "the composed debrief lacks nothing"
    assert server.of("NarrativeAgent") == []


async def test_a_brief_asks_pedagogy_then_tells(paddock: Open) -> None:
    async with paddock(obedient) as (crew, server):
        given = await answer(crew, intent="BriefPipeline")
    order = list(dict.fromkeys(asked.agent for asked in server.asked))
    assert order == ["PedagogyAgent", "NarrativeAgent"]
    assert given.tier == "paddock"
    assert "0.39" not in given.text


PLACES = [(name, part.agent) for name, pipeline in PIPELINES.items() for part in pipeline.parts]
MISSING = {
    "HighlightFinderAgent": "what went well",
    "TelemetryAgent": "what the telemetry shows",
    "PedagogyAgent": "what to work on",
}


@pytest.mark.parametrize(("pipeline", "agent"), [*PLACES, *((name, NARRATIVE) for name in PIPELINES)])
async def test_a_pipeline_does_without_any_one_of_its_agents(
    paddock: Open, pipeline: str, agent: str
) -> None:
    def failing(asked: Asked) -> Reply:
        return Reply(status=503) if asked.agent == agent else obedient(asked)

    async with paddock(failing) as (crew, _server):
        given = await answer(crew, intent=pipeline)
    # A brief has one data agent: without it there is nothing to tell. What is composed lacks nothing.
    if agent == NARRATIVE or pipeline == BRIEF:
        assert (given.tier, given.text, given.missing) == ("rule", f"Composed for {pipeline}.", ())
        assert FAILED in given.why
    else:
        assert (given.tier, len(given.missing)) == ("paddock", 1)
        assert FAILED in given.missing[0]
        assert f"Nothing on {MISSING[agent]} this time." in given.text


@pytest.mark.parametrize(("pipeline", "agent"), PLACES)
async def test_findings_in_the_wrong_form_are_asked_for_again(
    paddock: Open, pipeline: str, agent: str
) -> None:
    seen: list[Asked] = []

    def muddled(asked: Asked) -> Reply:
        # After its tool: a typed agent that has no facts yet is asked for those first.
        if asked.agent != agent or first_call(asked, FIRST_TOOL):
            return obedient(asked)
        seen.append(asked)
        return Reply(text="{not json") if len(seen) == 1 else answered(asked)

    async with paddock(muddled) as (crew, _server):
        given = await answer(crew, intent=pipeline)
    assert (given.tier, given.verdict, given.missing) == ("paddock", "RETRY_SUCCEEDED", ())

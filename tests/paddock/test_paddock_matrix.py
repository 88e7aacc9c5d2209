"""Every agent and pipeline against everything a model or its server does, in both dialects.

All agents are asked at once in a test: the trouble is in its name, the agent in what differs.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from long_runs import some
from model_server import Asked, ModelServer, Reply, Script
from opened_paddock import Open
from pit_facts import FIRST_TOOL, TOOLBOX, answered, first_call, obedient
from wire_trouble import ALWAYS, DECLINED, HICCUPS, LONG_KINDS, MALFORMED_CALL, SLOW, TOO_LATE

from pitwall.contract.agents import AGENTS
from pitwall.contract.events import Answer
from pitwall.paddock.adk.orchestrator import PitwallOrchestrator
from pitwall.paddock.roster import BRIEF, DEBRIEF, DUTIES, PIPELINES

SPECIALISTS = sorted(set(DUTIES) & set(AGENTS))
# Each pipeline with each of its agents going wrong.
PLACES = [
    (name, agent)
    for name, pipeline in PIPELINES.items()
    for agent in (*(part.agent for part in pipeline.parts), "NarrativeAgent")
]
# A request that is refused, and one that breaks off on its way; the others in the long run.
ALWAYS_SOME = some(sorted(ALWAYS, key=lambda trouble: trouble not in ("503", "cut")), 2)
# Until one that never ends is given up. A pipeline's others are to be done by then.
LATE_S = 3.0
PIPELINE_LATE_S = 25.0


async def ask_all(crew: PitwallOrchestrator, agents: list[str] = SPECIALISTS) -> dict[str, Answer]:
    async def one(agent: str) -> Answer:
        async with await crew.ask("how was it in there", intent=agent) as stream:
            return await stream.answer()

    return dict(zip(agents, await asyncio.gather(*map(one, agents)), strict=True))


def each(value: Any, agents: list[str] = SPECIALISTS) -> dict[str, Any]:
    """The same for every agent, or a function of its name."""
    return {agent: value(agent) if callable(value) else value for agent in agents}


def first_of_each(reply: Reply, then: Script) -> Script:
    """`reply` to the first request of every agent."""
    seen: Counter[str] = Counter()

    def script(asked: Asked) -> Reply:
        seen[asked.agent] += 1
        return reply if seen[asked.agent] == 1 else then(asked)

    return script


@pytest.mark.parametrize("kind", LONG_KINDS)
async def test_every_specialist_calls_its_tool_and_answers(paddock: Open, kind: str) -> None:
    async with paddock(obedient, kind=kind) as (crew, _server):
        given = await ask_all(crew)
    assert {
        agent: (one.text.startswith(f"Composed for {agent}."), one.verdict) for agent, one in given.items()
    } == each(lambda agent: (True, "PASSED"))
    assert {agent: [call.tool for call in one.audit] for agent, one in given.items()} == each(
        lambda agent: [FIRST_TOOL[agent]]
    )


@pytest.mark.parametrize("kind", LONG_KINDS)
@pytest.mark.parametrize("trouble", ALWAYS_SOME)
async def test_every_specialist_is_composed_where_the_server_never_does_its_part(
    paddock: Open, kind: str, trouble: str
) -> None:
    reply, why = ALWAYS[trouble]
    async with paddock(lambda asked: reply, kind=kind) as (crew, server):
        given = await ask_all(crew)
        await server.gone()
    assert {agent: (one.tier, one.text, why in one.why) for agent, one in given.items()} == each(
        lambda agent: ("rule", f"Composed for {agent}.", True)
    )


@pytest.mark.parametrize("kind", LONG_KINDS)
async def test_every_specialist_is_composed_where_the_bytes_come_too_slowly(paddock: Open, kind: str) -> None:
    async with paddock(lambda asked: SLOW, kind=kind, answer_s=LATE_S) as (crew, server):
        given = await ask_all(crew)
        await server.gone()
    assert {agent: (one.tier, one.verdict, one.why) for agent, one in given.items()} == each(
        ("rule", "TIMEOUT", TOO_LATE)
    )
    assert all(asked.dropped for asked in server.asked)


@pytest.mark.parametrize("kind", LONG_KINDS)
async def test_every_specialist_is_composed_where_the_model_declines(paddock: Open, kind: str) -> None:
    async with paddock(lambda asked: DECLINED[kind], kind=kind) as (crew, _server):
        given = await ask_all(crew)
    assert {
        agent: (one.tier, "declined" in one.why or "nothing" in one.why) for agent, one in given.items()
    } == each(("rule", True))


@pytest.mark.parametrize(("kind", "status"), HICCUPS)
async def test_every_specialist_rides_out_one_hiccup(paddock: Open, kind: str, status: int) -> None:
    async with paddock(first_of_each(Reply(status=status), obedient), kind=kind) as (crew, _server):
        given = await ask_all(crew)
    assert {agent: (one.tier, one.verdict) for agent, one in given.items()} == each(("paddock", "PASSED"))


@pytest.mark.parametrize("kind", LONG_KINDS)
async def test_every_specialist_is_told_of_a_wrong_call_and_corrects_it(paddock: Open, kind: str) -> None:
    wrong = first_of_each(Reply(calls=[("telepathy", {"about": "everything"})]), obedient)
    async with paddock(wrong, kind=kind) as (crew, server):
        given = await ask_all(crew)
    assert {agent: (one.tier, one.verdict) for agent, one in given.items()} == each(("paddock", "PASSED"))
    assert {agent: "error" in server.of(agent)[1].results[0][1] for agent in SPECIALISTS} == each(True)


@pytest.mark.parametrize("kind", LONG_KINDS)
async def test_every_specialist_is_asked_again_after_a_call_that_was_none(paddock: Open, kind: str) -> None:
    async with paddock(first_of_each(MALFORMED_CALL[kind], obedient), kind=kind) as (crew, _server):
        given = await ask_all(crew)
    assert {agent: one.tier for agent, one in given.items()} == each("paddock")
    assert {one.verdict for one in given.values()} <= {"PASSED", "RETRY_SUCCEEDED"}


def refusing(times: int) -> dict[str, Callable[..., Any]]:
    """The toolbox, each tool of which refuses so many times first."""
    seen: Counter[str] = Counter()

    def one(name: str) -> Callable[..., Any]:
        def tool() -> dict[str, Any]:
            seen[name] += 1
            return {"error": "not now"} if seen[name] <= times else {"fine": True}

        tool.__name__, tool.__doc__ = name, TOOLBOX[name].__doc__
        return tool

    return {name: one(name) for name in TOOLBOX}


@pytest.mark.parametrize("kind", LONG_KINDS)
async def test_every_specialist_may_call_again_after_a_refusal(paddock: Open, kind: str) -> None:
    def persistent(asked: Asked) -> Reply:
        refused = asked.results and "error" in asked.results[-1][1]
        return Reply(calls=[(FIRST_TOOL[asked.agent], {})]) if refused else obedient(asked)

    async with paddock(persistent, kind=kind, toolbox=refusing(1)) as (crew, _server):
        given = await ask_all(crew)
    assert {
        agent: (one.verdict, [call.status for call in one.audit]) for agent, one in given.items()
    } == each(("PASSED", ["refused", "ok"]))


@pytest.mark.parametrize("kind", LONG_KINDS)
async def test_no_specialist_whose_tool_only_refuses_speaks(paddock: Open, kind: str) -> None:
    async with paddock(obedient, kind=kind, toolbox=refusing(99)) as (crew, _server):
        given = await ask_all(crew)
    assert {agent: (one.verdict, one.tier) for agent, one in given.items()} == each(("ESCALATED", "rule"))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["openai"])
async def test_every_specialist_that_only_calls_is_stopped(paddock: Open, kind: str) -> None:
    def restless(asked: Asked) -> Reply:
        return Reply(calls=[(FIRST_TOOL[asked.agent], {})])

    async with paddock(restless, kind=kind) as (crew, server):
        given = await ask_all(crew)
    why = "The model repeated itself and was stopped."
    assert {agent: (one.tier, one.why) for agent, one in given.items()} == each(("rule", why))
    assert max(one.model_calls for one in given.values()) <= 24
    assert {agent: one.model_calls for agent, one in given.items()} == each(
        lambda agent: len(server.of(agent))
    )


# The pipelines: one agent goes wrong, the others do as they are told.

MISSING = {
    "HighlightFinderAgent": "what went well",
    "TelemetryAgent": "what the telemetry shows",
    "PedagogyAgent": "what to work on",
}


async def told_in_each_place(
    paddock: Open, kind: str, wrong: Callable[[str], Script], **options: Any
) -> dict[tuple[str, str], Answer]:
    """The answer of each pipeline where each of its agents goes `wrong(agent)`, all at once."""

    async def one(pipeline: str, agent: str) -> Answer:
        bad = wrong(agent)

        def script(asked: Asked) -> Reply:
            return bad(asked) if asked.agent == agent else obedient(asked)

        async with paddock(script, kind=kind, **options) as (crew, server):
            async with await crew.ask("how was it in there", intent=pipeline) as stream:
                given = await stream.answer()
            await server.gone()
        return given

    return dict(zip(PLACES, await asyncio.gather(*(one(*place) for place in PLACES)), strict=True))


def expected(place: tuple[str, str]) -> tuple[str, int]:
    """(tier, how much is missing) where that agent gives nothing."""
    pipeline, agent = place
    # A brief has one data agent: without it there is nothing to tell. What is composed lacks nothing.
    return ("rule", 0) if agent == "NarrativeAgent" or pipeline == BRIEF else ("paddock", 1)


def outcome(given: dict[tuple[str, str], Answer]) -> dict[tuple[str, str], tuple[str, int]]:
    return {place: (one.tier, len(one.missing)) for place, one in given.items()}


def said(place: tuple[str, str], answer: Answer) -> str:
    """Where the reason stands: of a composed answer it is the answer's, else it is of what is missing."""
    return answer.why if answer.tier == "rule" else answer.missing[0]


@pytest.mark.parametrize("kind", LONG_KINDS)
@pytest.mark.parametrize("trouble", ALWAYS_SOME)
async def test_a_pipeline_does_without_any_one_of_its_agents(paddock: Open, kind: str, trouble: str) -> None:
    reply, why = ALWAYS[trouble]
    given = await told_in_each_place(paddock, kind, lambda agent: lambda asked: reply)
    assert outcome(given) == {place: expected(place) for place in PLACES}
    for place, answer in given.items():
        assert why in said(place, answer), place
        if answer.tier == "paddock":
            assert f"I have nothing this time on {MISSING[place[1]]}." in answer.text
        else:
            assert answer.text == f"Composed for {place[0]}."


@pytest.mark.parametrize("kind", LONG_KINDS)
@pytest.mark.long
async def test_a_pipeline_does_without_an_agent_that_is_too_slow(paddock: Open, kind: str) -> None:
    given = await told_in_each_place(
        paddock, kind, lambda agent: lambda asked: SLOW, answer_s=PIPELINE_LATE_S, brief_s=PIPELINE_LATE_S
    )
    assert outcome(given) == {place: expected(place) for place in PLACES}
    for place, answer in given.items():
        assert "took too long" in said(place, answer), place


@pytest.mark.parametrize("kind", LONG_KINDS)
@pytest.mark.parametrize("reply", [Reply(text="{not json"), Reply(text="")], ids=["muddled", "silent"])
async def test_a_pipeline_asks_again_for_findings_in_the_wrong_form(
    paddock: Open, kind: str, reply: Reply
) -> None:
    def muddled(agent: str) -> Script:
        again = first_of_each(reply, answered)
        # After its tool: a typed agent that has no facts yet is asked for those first.
        return lambda asked: first_call(asked, FIRST_TOOL) or again(asked)

    given = await told_in_each_place(paddock, kind, muddled)
    for (pipeline, agent), answer in given.items():
        # A narrative has no form but words: "{not json" is one that backs nothing up, silence is nothing.
        if agent != "NarrativeAgent":
            assert (answer.tier, answer.missing) == ("paddock", ()), (pipeline, agent)
            assert answer.verdict == "RETRY_SUCCEEDED"
        elif not reply.text:
            assert answer.tier == "rule"


@pytest.mark.long
@pytest.mark.parametrize("kind", LONG_KINDS)
async def test_a_pipeline_with_refusing_tools_or_a_declining_model_says_what_is_missing(
    paddock: Open, kind: str
) -> None:
    given = await told_in_each_place(paddock, kind, lambda agent: lambda asked: DECLINED[kind])
    assert {place: one.tier for place, one in given.items()} == {
        place: expected(place)[0] for place in PLACES
    }
    async with paddock(obedient, kind=kind, toolbox=refusing(99)) as (crew, _server):
        refused = await ask_all(crew, [DEBRIEF, BRIEF])
    for answer in refused.values():
        assert answer.verdict in ("ESCALATED", "SKIPPED_NO_REQUIREMENTS")
        assert "0.39" not in answer.text


@pytest.mark.long
@pytest.mark.parametrize("kind", LONG_KINDS)
async def test_a_pipeline_corrects_a_wrong_call_and_stops_one_that_only_calls(
    paddock: Open, kind: str
) -> None:
    def lost(agent: str) -> Script:
        return first_of_each(Reply(calls=[("telepathy", {})]), obedient)

    given = await told_in_each_place(paddock, kind, lost)
    # The narrative has no tools at all: a call is no text, so it ends with nothing told, or with the telling.
    assert {place: one.missing for place, one in given.items()} == dict.fromkeys(PLACES, ())
    assert {one.tier for place, one in given.items() if place[1] != "NarrativeAgent"} == {"paddock"}


@pytest.mark.long
@pytest.mark.parametrize("kind", LONG_KINDS)
async def test_a_pipeline_asks_again_after_a_call_that_was_none(paddock: Open, kind: str) -> None:
    given = await told_in_each_place(
        paddock, kind, lambda agent: first_of_each(MALFORMED_CALL[kind], obedient)
    )
    assert {place: one.missing for place, one in given.items()} == dict.fromkeys(PLACES, ())
    data = [one for (_pipeline, agent), one in given.items() if agent != "NarrativeAgent"]
    assert {one.tier for one in data} == {"paddock"}
    assert {one.verdict for one in data} <= {"PASSED", "RETRY_SUCCEEDED"}


@pytest.mark.long
@pytest.mark.parametrize("kind", LONG_KINDS)
async def test_a_pipeline_does_without_a_data_agent_whose_calls_are_none(paddock: Open, kind: str) -> None:
    given = await told_in_each_place(paddock, kind, lambda agent: lambda asked: MALFORMED_CALL[kind])
    assert outcome(given) == {place: expected(place) for place in PLACES}


@pytest.mark.long
@pytest.mark.parametrize("kind", ["openai"])
async def test_a_pipeline_does_without_a_data_agent_that_only_calls(paddock: Open, kind: str) -> None:
    def restless(agent: str) -> Script:
        return lambda asked: Reply(calls=[(FIRST_TOOL.get(agent, "telepathy"), {})])

    given = await told_in_each_place(paddock, kind, restless)
    assert outcome(given) == {place: expected(place) for place in PLACES}
    for place, answer in given.items():
        if place[1] != "NarrativeAgent":
            assert "repeated itself" in said(place, answer), place
        assert answer.model_calls <= 24


@pytest.mark.parametrize("kind", LONG_KINDS)
async def test_both_pipelines_tell_what_was_found(paddock: Open, kind: str) -> None:
    async with paddock(obedient, kind=kind) as (crew, _server):
        given = await ask_all(crew, [DEBRIEF, BRIEF])
    assert {name: (one.tier, one.verdict) for name, one in given.items()} == dict.fromkeys(
        (DEBRIEF, BRIEF), ("paddock", "PASSED")
    )
    assert given[DEBRIEF].text.startswith("Composed for DebriefPipeline.")


@pytest.mark.parametrize("kind", LONG_KINDS)
async def test_everybody_who_goes_away_leaves_nothing_behind(paddock: Open, kind: str) -> None:
    everyone = [*SPECIALISTS, DEBRIEF, BRIEF]
    async with paddock(lambda asked: SLOW, kind=kind) as (crew, server):
        streams = [await crew.ask("how was it in there", intent=agent) for agent in everyone]
        await all_arrived(server, len(SPECIALISTS) + 3 + 1)
        await asyncio.gather(*(stream.aclose() for stream in streams))
        await server.gone()
    assert all(asked.dropped for asked in server.asked)


async def all_arrived(server: ModelServer, count: int) -> None:
    async with asyncio.timeout(30):
        while len(server.asked) < count:
            server.arrived.clear()
            await server.arrived.wait()

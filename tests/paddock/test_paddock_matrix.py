"""A pipeline does without any one of its agents, whatever its model or server does.

All places are tried at once in a test: the trouble is in its name. What becomes of a single agent's trouble:
`test_paddock_trouble.py`.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from model_server import Asked, Reply, Script
from opened_paddock import Open
from pit_facts import FIRST_TOOL, answered, first_call, obedient
from wire_trouble import ALWAYS, DECLINED, LONG_KINDS, MALFORMED_CALL, in_dialects

from pitwall.contract.events import Answer
from pitwall.paddock.roster import BRIEF, PIPELINES

# Each pipeline with each of its agents going wrong.
PLACES = [
    (name, agent)
    for name, pipeline in PIPELINES.items()
    for agent in (*(part.agent for part in pipeline.parts), "NarrativeAgent")
]
# A request that is refused, and one that breaks off on its way; the others in the long run.
NEVER = in_dialects(
    [*sorted(ALWAYS, key=lambda trouble: trouble not in ("503", "cut")), "declined", "a call that is none"], 2
)


def first_of_each(reply: Reply, then: Script) -> Script:
    """`reply` to the first request of every agent."""
    seen: Counter[str] = Counter()

    def script(asked: Asked) -> Reply:
        seen[asked.agent] += 1
        return reply if seen[asked.agent] == 1 else then(asked)

    return script


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


@pytest.mark.parametrize(("kind", "trouble"), NEVER)
async def test_a_pipeline_does_without_any_one_of_its_agents(paddock: Open, kind: str, trouble: str) -> None:
    more = {"declined": (DECLINED[kind], ""), "a call that is none": (MALFORMED_CALL[kind], "")}
    reply, why = {**ALWAYS, **more}[trouble]
    given = await told_in_each_place(paddock, kind, lambda agent: lambda asked: reply)
    assert outcome(given) == {place: expected(place) for place in PLACES}
    for place, answer in given.items():
        assert why in said(place, answer), place
        if answer.tier == "paddock":
            assert f"Nothing on {MISSING[place[1]]} this time." in answer.text
        else:
            assert answer.text == f"Composed for {place[0]}."


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

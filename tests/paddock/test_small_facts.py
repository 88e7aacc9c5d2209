"""A debrief of small facts: each data agent sees its own kinds, and what the narrative chooses is heard."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from model_server import Asked, Reply
from opened_paddock import Open

from pitwall.analysis.port import Facts
from pitwall.analysis.tools import Tools
from pitwall.contract.events import Answer
from pitwall.paddock.composed import Composed
from pitwall.paddock.facts import SESSION_FACTS
from pitwall.paddock.points import MOST_TOLD
from pitwall.paddock.roster import NARRATIVE, PIPELINES

pytestmark = pytest.mark.recordings
_FACT = re.compile(r"^(F\d+): (.*?) \[(\w+)", re.MULTILINE)
FIGURE = {"measure": "min_speed", "laps": ["3"], "places": ["turn_7"]}
Choice = Callable[[str, list[tuple[str, str, str]]], list[str]]


def shown(asked: Asked) -> list[tuple[str, str, str]]:
    """(id, words, kind) of the facts that an agent may choose from."""
    return _FACT.findall(asked.text.rpartition("What can be told")[2])


def choosing(choice: Choice, join: str = "") -> Callable[[Asked], Reply]:
    """Data agents hand on all that they see; the narrative makes its choice."""

    def script(asked: Asked) -> Reply:
        facts = shown(asked)
        question = asked.text.split("\n")[0]
        ids = choice(question, facts) if asked.agent == NARRATIVE else [each[0] for each in facts]
        points = [{"fact": one, "join": join if number else ""} for number, one in enumerate(ids)]
        if "set_model_response" in asked.tools:
            return Reply(calls=[("set_model_response", {"points": points})])
        return Reply(text=json.dumps({"emotion": "proud", "points": points}))

    return script


def good(question: str, facts: list[tuple[str, str, str]]) -> list[str]:
    """Chooses by what was asked."""
    wanted = ("plan",) if "next" in question else ("loss",) if "lose" in question else ("gain", "best")
    return [one for one, _text, kind in facts if kind in wanted][:2]


async def debriefed(
    paddock: Open, facts: Facts, choice: Choice, question: str, **how: Any
) -> tuple[Answer, Any]:
    composed = Composed(Tools(facts), facts)
    options = {"toolbox": composed.toolbox(), "compose": composed, "fetch": composed.fetched}
    async with (
        paddock(choosing(choice, **how), **options) as (crew, server),
        await crew.ask(question, intent="DebriefPipeline") as stream,
    ):
        return await stream.answer(), server


async def test_three_questions_of_one_session_have_three_answers(paddock: Open, sonoma_facts: Facts) -> None:
    texts = {}
    for question in ("where did I lose time", "what do I do next", "what went well"):
        answer, _server = await debriefed(paddock, sonoma_facts, good, question)
        assert (answer.tier, answer.verdict, answer.missing) == ("paddock", "PASSED", ())
        texts[question] = answer.text
    assert len({*texts.values()}) == 3
    whole = Composed(Tools(sonoma_facts), sonoma_facts)("DebriefPipeline", "")
    assert all(len(text) < len(whole) / 2 for text in texts.values()), "the choice is heard"


async def test_each_data_agent_sees_its_own_kinds_and_it_costs_four_short_calls(
    paddock: Open, sonoma_facts: Facts
) -> None:
    answer, server = await debriefed(paddock, sonoma_facts, good, "debrief me")
    for part in PIPELINES["DebriefPipeline"].parts:
        [asked] = server.of(part.agent)
        assert {kind for _id, _text, kind in shown(asked)} <= {*part.kinds}
    total = sum(len(shown(asked)) for asked in server.asked if asked.agent != NARRATIVE)
    assert 12 <= total <= 40
    assert (answer.model_calls, len(server.asked)) == (4, 4)
    assert sum(len(json.dumps(asked.body)) for asked in server.asked) < 14_000
    assert {call.tool for call in answer.audit} == {SESSION_FACTS}


async def test_a_bad_choice_is_short_and_true_and_one_that_wants_all_is_cut(
    paddock: Open, sonoma_facts: Facts
) -> None:
    composed = Composed(Tools(sonoma_facts), sonoma_facts)
    known = composed._session_facts()
    certain = sum(each.certain for each in known)
    texts = {each.text for each in known}
    bad, _ = await debriefed(paddock, sonoma_facts, lambda _, facts: [facts[-1][0]], "what went well")
    greedy, _ = await debriefed(
        paddock, sonoma_facts, lambda _, facts: [each[0] for each in facts], "what went well", join="then"
    )
    assert sum(text in bad.text for text in texts) <= 1 + certain
    assert sum(text in greedy.text for text in texts) <= MOST_TOLD + certain
    assert greedy.text.count("Then: ") == MOST_TOLD - 1
    # Proud is what the data gives, not the model.
    assert composed("DebriefPipeline", "").startswith(f"[{bad.emotion}]")


async def test_a_figure_that_the_model_asks_for_takes_the_place_of_what_was_read(
    paddock: Open, sonoma_facts: Facts
) -> None:
    def mending(asked: Asked) -> Reply:
        if not asked.results:
            return Reply(
                calls=[("tell_figure", {"measure": "min_speed", "laps": ["3"], "places": ["turn_7"]})]
            )
        return Reply(text=json.dumps({"points": [{"fact": "F1"}, {"fact": asked.results[-1][1]["fact"]}]}))

    composed = Composed(Tools(sonoma_facts), sonoma_facts)
    options = {"toolbox": composed.toolbox(), "fetch": composed.fetched}
    misread = lambda agent, question: "[focused] It was driven on Sonoma. Turn 11 is 115 m long."  # noqa: E731
    async with (
        paddock(mending, compose=misread, **options) as (crew, server),
        await crew.ask("how slow was I there in lap 3", intent="TelemetryAgent") as stream,
    ):
        answer = await stream.answer()
    told = composed.tool("tell_figure", FIGURE)["told"]
    assert (answer.text, len(server.asked)) == (told, 2)

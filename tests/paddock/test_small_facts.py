"""A debrief of small facts: each data agent sees its own kinds, and what the narrative chooses is heard."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from model_server import Asked, Reply
from opened_paddock import Open
from stored_facts import COMPOSED

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
    assert sum(len(json.dumps(asked.body)) for asked in server.asked) < 14_500
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


# What the reader without a model misreads, mostly as another agent's subject; and the figure that was meant.
RESCUES = {
    "how slow was I through seven when it went best": {**FIGURE, "laps": ["best"]},
    "what did the needle show before the hairpin on lap 3": {
        **FIGURE, "measure": "speed", "places": ["turn_11"], "which": "max",
    },
    "better run, the second or the fourth?": {"measure": "time", "laps": ["2", "4"]},
    "how long is that last one": {"measure": "corner", "places": ["turn_11"]},
    "was the middle bit quicker on four than on three": {
        "measure": "time", "laps": ["4"], "places": ["sector:2"], "against": "3",
    },
    "how hard did I lean on the stoppers into eleven": {
        "measure": "g_brake", "places": ["turn_11"], "which": "max",
    },
    "where about did my foot go down for seven on lap five": {**FIGURE, "measure": "brake_m", "laps": ["5"]},
    "how spread out are my times": {"measure": "time", "which": "spread"},
    "what did the rev counter touch on the main straight": {
        "measure": "rpm", "places": ["straight:main"], "which": "max",
    },
}  # fmt: skip


@pytest.mark.parametrize("names_it", [True, False], ids=["its fact is named", "nothing is named"])
async def test_a_figure_that_the_model_asks_for_takes_the_place_of_what_was_read(
    paddock: Open, sonoma_facts: Facts, names_it: bool
) -> None:
    """Also of a model that says its answer in words of its own, which nobody hears."""

    def mending(asked: Asked) -> Reply:
        if not asked.results:
            return Reply(
                calls=[("tell_figure", next(RESCUES[each] for each in RESCUES if each in asked.text))]
            )
        prose = "Your best lap was lap 3, 1:41.0."
        named = json.dumps({"points": [{"fact": asked.results[-1][1]["fact"]}]})
        return Reply(text=named if names_it else prose)

    composed = Composed(Tools(sonoma_facts), sonoma_facts)
    options = {"toolbox": composed.toolbox(), "compose": composed, "fetch": composed.fetched}
    async with paddock(mending, track=sonoma_facts.track("sonoma"), **options) as (crew, server):
        for question, figure in RESCUES.items():
            async with await crew.ask(question) as stream:
                answer = await stream.answer()
            told = composed.tool("tell_figure", figure)["told"]
            assert told not in composed(answer.agent, question)
            assert (answer.text, answer.tier) == (told, "paddock"), question
    assert len(server.asked) == 2 * len(RESCUES)


async def test_a_question_costs_one_call_of_eight_kilobytes(paddock: Open, sonoma_facts: Facts) -> None:
    composed = Composed(Tools(sonoma_facts), sonoma_facts)
    options = {"compose": composed, "fetch": composed.fetched, "context": composed.sections}
    sizes = {}
    for agent in COMPOSED:
        script = choosing(lambda _question, _facts: ["F1"])
        async with (
            paddock(script, toolbox=composed.toolbox(), **options) as (crew, server),
            await crew.ask("how was it", intent=agent) as stream,
        ):
            await stream.answer()
        sizes[agent] = [len(json.dumps(asked.body, separators=(",", ":"))) for asked in server.asked]
    # Without a corner there is no script to show: the model has to ask for one.
    assert len(sizes.pop("VoiceScriptAgent")) > 1
    assert {agent: each for agent, each in sizes.items() if len(each) > 1 or each[0] > 8_500} == {}


def test_no_answer_of_a_tool_is_longer_than_eight_kilobytes(sonoma_facts: Facts) -> None:
    toolbox = Composed(Tools(sonoma_facts), sonoma_facts).toolbox()
    given: dict[str, dict[str, Any]] = {
        "query_pitwall_db": {"sql": "SELECT * FROM signals"}, "lap_delta": {"lap": 3},
        "corner_history": {"corner": "turn_7"}, "tell_figure": {"measure": "time", "group": "corner"},
    }  # fmt: skip
    results = {name: function(**given.get(name, {})) for name, function in toolbox.items()}
    assert [name for name, result in results.items() if "error" in result] == []
    sizes = {name: len(json.dumps(each, separators=(",", ":"))) for name, each in results.items()}
    assert {name: size for name, size in sizes.items() if size > 8_000} == {}
    assert results["query_pitwall_db"]["more"]

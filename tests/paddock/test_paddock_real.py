"""A real recording, real tools, the real ADK: each agent's trajectory, and the answers without a model."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
from model_server import Asked, Reply
from opened_paddock import Open
from pit_facts import answered
from stored_facts import WritableStoreFacts, all_tools
from trajectories import Call, called, score

from pitwall.analysis.tools import Tools
from pitwall.ask.reader import read
from pitwall.ask.scope import Subject
from pitwall.contract.questions import Query
from pitwall.paddock.composed import Composed, corner_of, laps_in
from pitwall.paddock.offline import OfflineOrchestrator
from pitwall.paddock.roster import DUTIES
from pitwall.paddock.runs import audit_rows

# What each agent is to call for a question of its own, in order: the tool and its arguments.
TRAJECTORIES: dict[str, list[Call]] = {
    "TelemetryAgent": [
        ("query_pitwall_db", {"sql": "SELECT count(*) AS laps FROM laps WHERE kind = 'flying'"}),
        ("tell_figure", {"measure": "min_speed", "laps": ["best", "3"], "places": ["Turn 7"]}),
        ("agent_telemetry", {}),
    ],
    "GoldLapAgent": [
        ("reference_lap_comparison", {}),
        ("tell_figure", {"measure": "lost", "places": ["turn_7"], "group": "lap"}),
    ],
    "WeatherAdaptationAgent": [
        ("conditions", {}),
        ("tell_figure", {"measure": "time", "laps": ["3"], "against": "2"}),
    ],
    "SessionPlannerAgent": [("session_plan", {}), ("tell_figure", {"measure": "progress"})],
    "IncidentReviewAgent": [
        ("incidents", {}),
        ("tell_figure", {"measure": "g_lat", "which": "max"}),
    ],
    "RacePaceAgent": [
        ("race_pace", {}),
        ("tell_figure", {"measure": "brake_m", "places": ["turn_11"], "which": "trend"}),
    ],
    "GoalSettingAgent": [("goal_targets", {}), ("tell_figure", {"measure": "progress"})],
    "MentalMapAgent": [
        ("variance_map", {}),
        ("tell_figure", {"measure": "time", "which": "spread", "group": "corner", "order": "max"}),
    ],
    "VoiceScriptAgent": [
        ("audio_script_context", {"corner": "turn_7"}),
        ("save_voice_scripts", {"corner_name": "turn_7", "phrases": {"brake": "Brake at the board"}}),
    ],
    "CornerCoachAgent": [
        ("corner_history", {"corner": "carousel"}),
        ("tell_figure", {"measure": "throttle_m", "places": ["carousel"]}),
    ],
    "LapComparisonAgent": [
        ("lap_delta", {"lap": 3, "against": 2}),
        (
            "tell_figure",
            {"measure": "speed", "laps": ["3", "2"], "places": ["straight:main"], "which": "max"},
        ),
    ],
    "ProgressTrackerAgent": [("progress", {})],
    "SetupAdvisorAgent": [
        ("setup_indicators", {}),
        ("tell_figure", {"measure": "corner", "places": ["2"]}),
    ],
    "MindsetCoachAgent": [("highlights", {}), ("tell_figure", {"measure": "ideal"})],
}
PIPELINE: dict[str, list[Call]] = {
    "HighlightFinderAgent": [("highlights", {}), ("tell_figure", {"measure": "progress"})],
    "TelemetryAgent": [("agent_telemetry", {}), ("tell_figure", {"measure": "compare", "laps": ["3"]})],
    "PedagogyAgent": [
        ("reference_lap_comparison", {}),
        ("tell_figure", {"measure": "corner", "places": ["turn_7"]}),
    ],
}
# No query: each a word that is none, an unknown lap, corner, measure; a limit of no signal.
NO_QUERY: list[dict[str, Any]] = [
    {"measure": "speed", "which": "fastest"},
    {"measure": "speed", "laps": ["99"]},
    {"measure": "speed", "places": ["turn_77"]},
    {"measure": "joy"},
    {"measure": "time", "laps": ["span:4"]},
    {"measure": "time", "places": ["half:9"]},
    {"measure": "time", "laps": "best", "against": "DROP TABLE laps"},
]


@pytest.fixture(scope="module")
def tools(sonoma_facts: WritableStoreFacts) -> Tools:
    return Tools(sonoma_facts)


def following(trajectories: dict[str, list[Call]], asked: Asked) -> Reply:
    """Calls one tool after the other, then answers."""
    done = [name for name in asked.called if name != "set_model_response"]
    plan = trajectories.get(asked.agent, [])
    return Reply(calls=[plan[len(done)]]) if len(done) < len(plan) else answered(asked)


@pytest.mark.parametrize("agent", sorted(TRAJECTORIES))
async def test_each_specialist_keeps_to_its_trajectory_over_real_facts(
    paddock: Open, tools: Tools, sonoma_facts: WritableStoreFacts, agent: str
) -> None:
    script = functools.partial(following, TRAJECTORIES)
    toolbox = all_tools(sonoma_facts, tools)
    async with paddock(script, toolbox=toolbox) as (crew, server):
        question = "change the phrase at turn 7" if DUTIES[agent].writes else "how was it"
        given = await (await crew.ask(question, intent=agent)).answer()
    assert (given.tier, given.verdict, given.why) == ("paddock", "PASSED", "")
    assert [call.status for call in given.audit] == ["ok"] * len(TRAJECTORIES[agent]), server.asked[
        -1
    ].results
    assert score(called(server.asked[-1]), TRAJECTORIES[agent]) == 1.0
    assert score(called(server.asked[-1])[:-1], TRAJECTORIES[agent]) == 0.0
    json.dumps([result for _name, result in server.asked[-1].results], allow_nan=False)
    # Code tells a query's answer, and the model is shown it to choose by.
    for name, result in server.asked[-1].results:
        assert name != "tell_figure" or result["told"] in given.text


@pytest.mark.parametrize("given", NO_QUERY, ids=str)
def test_what_is_no_query_is_refused_with_what_would_be_one(
    tools: Tools, sonoma_facts: WritableStoreFacts, given: dict[str, Any]
) -> None:
    refused = Composed(tools, sonoma_facts).toolbox()["tell_figure"](**given)
    assert refused.keys() == {"error", "what_to_do"}, refused


async def test_a_debrief_over_real_facts(
    paddock: Open, tools: Tools, sonoma_facts: WritableStoreFacts
) -> None:
    script = functools.partial(following, PIPELINE)
    async with paddock(script, toolbox=Composed(tools, sonoma_facts).toolbox()) as (crew, server):
        given = await (await crew.ask("debrief me", intent="DebriefPipeline")).answer()
    assert (given.tier, given.verdict, given.missing) == ("paddock", "PASSED", ())
    for agent, plan in PIPELINE.items():
        assert score(called(server.of(agent)[-1]), plan) == 1.0
    assert "0.39" not in given.text
    rows = audit_rows(given, 1.0, "job")
    assert [row.kind for row in rows] == ["tool"] * 6 + ["answer"]


QUESTIONS = [
    ("debrief me", "DebriefPipeline"),
    ("brief", "BriefPipeline"),
    ("how do I compare with the gold lap", "GoldLapAgent"),
    ("how is my carousel", "CornerCoachAgent"),
    ("lap 3 vs lap 2", "LapComparisonAgent"),
    ("am I any faster", "ProgressTrackerAgent"),
    ("is it understeer", "SetupAdvisorAgent"),
    ("how consistent am I", "MentalMapAgent"),
    ("any incident", "IncidentReviewAgent"),
    ("what should be my target", "GoalSettingAgent"),
    ("how was my stint", "RacePaceAgent"),
    ("how is the weather", "WeatherAdaptationAgent"),
    ("I am frustrated", "MindsetCoachAgent"),
    ("what was my top speed", "TelemetryAgent"),
    ("make a plan", "SessionPlannerAgent"),
    ("which audio is played", "VoiceScriptAgent"),
]


@pytest.mark.parametrize(("question", "agent"), QUESTIONS)
async def test_offline_each_question_is_answered_from_the_facts(
    tools: Tools, sonoma_facts: WritableStoreFacts, question: str, agent: str
) -> None:
    crew = OfflineOrchestrator(compose=Composed(tools, sonoma_facts))
    async with await crew.ask(question) as stream:
        given = await stream.answer()
    assert (given.agent, given.tier) == (agent, "rule")
    assert len(given.text.split()) >= 5
    assert "can't be answered" not in given.text
    assert "ask again later" not in given.text


def test_a_question_names_its_laps_and_its_corner(tools: Tools, sonoma_facts: WritableStoreFacts) -> None:
    subject = Subject(tools, sonoma_facts, tools.session())

    def named(question: str) -> Query:
        return Query(measure="", scope=read(question, subject.names).scope)

    assert laps_in(named("why was lap 3 slower than lap 2"), subject) == {"lap": 3, "against": 2}
    assert laps_in(named("compare lap 3 vs 2"), subject) == {"lap": 3, "against": 2}
    assert set(laps_in(named("compare them"), subject)) == {"lap"}
    assert corner_of(named("what about turn 7 then")) == "turn_7"
    assert corner_of(named("the carousel is hard")) == "carousel"
    assert corner_of(named("which corner in lap 3")) == ""

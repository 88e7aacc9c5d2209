"""A real recording, real tools, the real ADK: each agent's trajectory, and the answers without a model."""

from __future__ import annotations

import functools
import json

import pytest
from model_server import Asked, Reply
from opened_paddock import Open
from pit_facts import answered
from stored_facts import WritableStoreFacts
from trajectories import Call, called, score

from pitwall.analysis.tools import Tools
from pitwall.ask.answer import laps_and_corner
from pitwall.ask.corner_names import names_of
from pitwall.ask.reader import read
from pitwall.paddock.composed import Composed, laps_in
from pitwall.paddock.offline import OfflineOrchestrator
from pitwall.paddock.records import VoiceScriptTool
from pitwall.paddock.roster import DUTIES
from pitwall.paddock.runs import audit_rows

# What each agent is to call for a question of its own, in order: the tool and its arguments.
TRAJECTORIES: dict[str, list[Call]] = {
    "TelemetryAgent": [
        ("query_pitwall_db", {"sql": "SELECT count(*) AS laps FROM laps WHERE kind = 'flying'"}),
        ("agent_telemetry", {}),
    ],
    "GoldLapAgent": [("reference_lap_comparison", {}), ("corner_history", {"corner": "turn_7"})],
    "WeatherAdaptationAgent": [("conditions", {}), ("lap_delta", {"lap": 3})],
    "SessionPlannerAgent": [("session_plan", {}), ("progress", {})],
    "IncidentReviewAgent": [("incidents", {})],
    "RacePaceAgent": [("race_pace", {}), ("corner_history", {"corner": "turn_11"})],
    "GoalSettingAgent": [("goal_targets", {}), ("progress", {})],
    "MentalMapAgent": [("variance_map", {}), ("corner_history", {"corner": "turn_4"})],
    "VoiceScriptAgent": [
        ("audio_script_context", {"corner": "turn_7"}),
        ("save_voice_scripts", {"corner_name": "turn_7", "phrases": {"brake": "Brake at the board"}}),
    ],
    "CornerCoachAgent": [("corner_history", {"corner": "carousel"}), ("reference_lap_comparison", {})],
    "LapComparisonAgent": [("lap_delta", {"lap": 3, "against": 2})],
    "ProgressTrackerAgent": [("progress", {})],
    "SetupAdvisorAgent": [("setup_indicators", {}), ("corner_history", {"corner": "turn_2"})],
    "MindsetCoachAgent": [("highlights", {}), ("progress", {})],
}
PIPELINE: dict[str, list[Call]] = {
    "HighlightFinderAgent": [("highlights", {}), ("progress", {})],
    "TelemetryAgent": [("agent_telemetry", {}), ("lap_delta", {"lap": 3})],
    "PedagogyAgent": [("reference_lap_comparison", {}), ("corner_history", {"corner": "turn_7"})],
}


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
    toolbox = VoiceScriptTool(sonoma_facts).with_tools(tools)
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


async def test_a_debrief_over_real_facts(paddock: Open, tools: Tools) -> None:
    script = functools.partial(following, PIPELINE)
    async with paddock(script, toolbox=tools.table()) as (crew, server):
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
    report = tools.report()
    names = names_of(sonoma_facts.track(report.track))
    assert laps_in(read("why was lap 3 slower than lap 2", names).query, report) == {"lap": 3, "against": 2}
    assert laps_in(read("compare lap 3 vs 2", names).query, report) == {"lap": 3, "against": 2}
    assert set(laps_in(read("compare them", names).query, report)) == {"lap"}
    assert laps_and_corner(read("what about turn 7 then", names).query)[1] == "turn_7"
    assert laps_and_corner(read("the carousel is hard", names).query)[1] == "carousel"
    assert laps_and_corner(read("which corner in lap 3", names).query)[1] == ""

"""Tool trajectories that the agents' own prompts bring about, judged by ADK's evaluator.

The model here knows no plan: it reads the decision table in the instructions it was sent and calls what the
rows say, if it was offered them.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from model_server import Asked, Reply
from opened_paddock import Open
from pit_facts import answered
from trajectories import called, score

_ROW = re.compile(r"^\| ([^|]+) \| (\w+)[^|]* \|", re.MULTILINE)
# What a crew chief would look at for such a question, by hand: the agent, a row of its table, the tools.
WANTED = [
    ("CornerCoachAgent", "one figure of it", ["corner_history", "tell_figure"]),
    ("GoalSettingAgent", "whether it is realistic", ["goal_targets", "tell_figure"]),
    ("GoldLapAgent", "one corner in detail", ["reference_lap_comparison", "tell_figure"]),
    ("IncidentReviewAgent", "what was different from other laps", ["incidents", "tell_figure"]),
    ("LapComparisonAgent", "how one corner was driven", ["lap_delta", "tell_figure"]),
    ("MentalMapAgent", "why it varies", ["variance_map", "tell_figure"]),
    ("MindsetCoachAgent", "whether it is really getting worse", ["highlights", "tell_figure"]),
    ("ProgressTrackerAgent", "in which corner", ["progress", "tell_figure"]),
    ("RacePaceAgent", "what changed in one corner", ["race_pace", "tell_figure"]),
    ("SessionPlannerAgent", "whether the last plan worked", ["session_plan", "tell_figure"]),
    ("SetupAdvisorAgent", "whether it is one corner", ["setup_indicators", "tell_figure"]),
    ("TelemetryAgent", "a count, a list or a time that no measure has", ["query_pitwall_db"]),
    ("VoiceScriptAgent", "new phrases for a corner", ["audio_script_context", "save_voice_scripts"]),
    ("WeatherAdaptationAgent", "what it cost", ["conditions", "tell_figure"]),
]
ARGUMENTS: dict[str, dict[str, Any]] = {
    "query_pitwall_db": {"sql": "SELECT 1"},
    "save_voice_scripts": {"corner_name": "turn_11", "phrases": {"brake": "Brake at the wall"}},
}


def reading(asked: Asked) -> Reply:
    """The rows "always" and the one that the question names, from the top, each once; then the answer."""
    rows = _ROW.findall(asked.system)
    meant = [tool for when, tool in rows if when.strip() == "always" or when.strip() in asked.texts[0]]
    left = [tool for tool in meant if tool not in asked.called and tool in asked.tools]
    return Reply(calls=[(left[0], ARGUMENTS.get(left[0], {}))]) if left else answered(asked)


@pytest.mark.parametrize(("agent", "question", "tools"), WANTED, ids=lambda each: str(each)[:40])
async def test_a_model_that_reads_its_instructions_keeps_to_the_trajectory(
    paddock: Open, agent: str, question: str, tools: list[str]
) -> None:
    async with paddock(reading) as (crew, server):
        given = await (await crew.ask(question, intent=agent)).answer()
    wanted = [(tool, ARGUMENTS.get(tool, {})) for tool in tools]
    assert score(called(server.asked[-1]), wanted) == 1.0, called(server.asked[-1])
    assert (given.verdict, given.tier) == ("PASSED", "paddock")

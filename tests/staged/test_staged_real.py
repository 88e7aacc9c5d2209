"""A staged analysis over a real recording with the real tools: its trajectories, and what it cites."""

from __future__ import annotations

import re

import pytest
from model_server import Asked, Reply, Script
from staged_opened import OpenAnalysis, answered, claim, form, scripted
from staged_real_script import QUESTION, REAL, STAGES, summing
from trajectories import called, score

from pitwall.analysis.port import Facts
from pitwall.analysis.tools import Tools
from pitwall.paddock.composed import Composed
from pitwall.paddock.controller.running_job import CALL_S, decoded
from pitwall.paddock.roster import result_told


@pytest.mark.recordings
async def test_each_stage_keeps_to_its_trajectory_and_the_answer_cites_real_queries(
    analysis: OpenAnalysis, sonoma_facts: Facts
) -> None:
    tools = Tools(sonoma_facts)
    session = sonoma_facts.sessions()[-1].id
    async with analysis(REAL, toolbox=tools.table()) as (staged, server):
        given = await answered(staged, QUESTION, session)
        saved = staged.saved
    workers = server.of("StageWorkerAgent")
    # The last request of each stage carries all its calls.
    last = list({tuple(asked.tools): asked for asked in workers}.values())
    assert len(last) == len(STAGES)
    for asked, (_goal, calls, _field, _text) in zip(last, STAGES, strict=True):
        assert score(called(asked), calls) == 1.0
        assert score(called(asked)[:-1], calls) == 0.0
    # The agents without tools call none.
    for asked in server.asked:
        if asked.agent != "StageWorkerAgent":
            assert score(called(asked), []) == 1.0
    assert (given.tier, given.verdict, given.missing, given.emotion) == ("paddock", "PASSED", (), "focused")
    words, tools = sonoma_facts.words, Tools(sonoma_facts).table()
    first = result_told("lap_delta", tools["lap_delta"](lap=3, against=2), words).rstrip(".")
    assert given.text.startswith(f"{first} [Q1].")
    assert "[Q4]" in given.text.split("Queries:")[0]
    assert f'[Q1] lap_delta(lap=3, against=2, session="{session}")' in given.text
    kept = decoded(saved[-1], CALL_S)
    assert [(item.id, item.state) for item in kept.items] == [
        (name, "committed") for name in ("stage 1", "stage 2", "stage 3", "summary")
    ]
    assert len(saved[-1]) < 60_000


FOUR_STAGES = [
    ("By how much lap 3 was slower than lap 2", "lap_delta", "delta_s", "Slower by {delta_s}."),
    ("How turn 11 was driven", "corner_history", "passes", "There were {passes[1][time_s]} s in lap 3."),
    (
        "Where the time is",
        "reference_lap_comparison",
        "opportunities",
        "Most is lost there: {opportunities[0][loss_s]} s.",
    ),
    ("Whether something happened", "incidents", "count", "There were {count} moments."),
]


ARGUMENTS = {"lap_delta": {"lap": 3, "against": 2}, "corner_history": {"corner": "turn_11"}}


@pytest.mark.recordings
async def test_four_stages_cost_seven_calls_since_code_asks_the_tools_and_sees_what_they_show(
    analysis: OpenAnalysis, sonoma_facts: Facts
) -> None:
    def planned(asked: Asked) -> Reply:
        stages = [
            {
                "goal": goal,
                "tools": [tool],
                "criteria": [{"statement": "known", "tool": tool, "field": field}],
            }
            for goal, tool, field, _text in FOUR_STAGES
        ]
        return form(asked, {"stages": stages})

    def working(asked: Asked) -> Reply:
        tool, text = next((tool, text) for _goal, tool, _field, text in FOUR_STAGES if tool in asked.tools)
        found = asked.text.split(f"Already found by {tool}: ")[1]
        # Of a long result the prompt shows the beginning, its id first or last.
        query_id = re.search(r'"query_id": ?"(Q\d+)"', found)
        result = tools.table()[tool](**ARGUMENTS.get(tool, {}))
        return form(asked, {"claims": [claim(text.format(**result), query_id[1])]})  # type: ignore[index]

    sound: dict[str, Script] = {
        "PlanMakerAgent": planned,
        "PlanReviewerAgent": lambda asked: form(asked, {"problems": []}),
        "StageWorkerAgent": working,
        "StageReviewerAgent": lambda asked: form(asked, {"judgements": []}),
        "SummaryAgent": summing,
    }
    tools = Tools(sonoma_facts)
    composed = Composed(tools, sonoma_facts)
    async with analysis(scripted(**sound), toolbox=tools.table(), arguments=composed.arguments) as (
        staged,
        _server,
    ):
        given = await answered(staged, QUESTION, session=sonoma_facts.sessions()[-1].id)
    assert "0.335" in given.text or "0.34" in given.text
    assert (given.verdict, given.model_calls, given.missing) == ("PASSED", 7, ())
    assert {call.by for call in given.audit} == {"code"}
    assert '[Q1] lap_delta(lap=3, against=2, session="' in given.text
    assert '[Q2] corner_history(corner="turn_11", session="' in given.text

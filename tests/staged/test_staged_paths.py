"""The staged analysis from plan to summary: what it asks, what it checks, what it tells."""

from __future__ import annotations

import pytest
from staged_opened import OpenAnalysis, events_of, scripted

from pitwall.intercom.events import AgentActive, Content, Done, Progress, Routed, ToolEnd

TOLD = """\
You were quicker by 0.39 [Q1]. It came from turn 11, 64.8 at the apex instead of 61.2 [Q2].

Queries:
[Q1] lap_delta()
[Q2] corner_history()"""


@pytest.mark.parametrize("kind", ["gemini", "openai"])
async def test_a_question_is_planned_worked_through_and_told_with_its_queries(
    analysis: OpenAnalysis, kind: str
) -> None:
    async with analysis(scripted(), kind=kind) as (staged, server):
        events = await events_of(staged)
    done = events[-1]
    assert isinstance(done, Done)
    answer = done.answer
    assert answer.text == TOLD
    assert (answer.tier, answer.verdict, answer.agent) == ("paddock", "PASSED", "StagedAnalysis")
    assert (answer.emotion, answer.missing, answer.unverified) == ("proud", (), False)
    assert [asked.agent for asked in server.asked] == [
        "PlanMakerAgent", "PlanReviewerAgent", "PlanConfirmAgent",
        "StageWorkerAgent", "StageWorkerAgent", "StageReviewerAgent", "ReflectionAgent",
        "StageWorkerAgent", "StageWorkerAgent", "StageReviewerAgent",
        "SummaryAgent",
    ]  # fmt: skip
    assert answer.model_calls == len(server.asked)
    assert [call.tool for call in answer.audit] == ["lap_delta", "corner_history"]
    assert events[0] == Routed("StagedAnalysis", "named")
    assert events[-2] == Content("StagedAnalysis", TOLD)
    assert AgentActive("SummaryAgent") in events
    assert ToolEnd("StageWorkerAgent", "lap_delta", True) in events
    assert Progress("Stage 2 of 2: What changed at turn 11") in events

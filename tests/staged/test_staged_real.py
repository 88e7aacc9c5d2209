"""A staged analysis over a real recording with the real tools: its trajectories, and what it cites."""

from __future__ import annotations

import re

import pytest
from model_server import Reply
from staged_opened import OpenAnalysis, answered
from staged_real_script import QUESTION, REAL, SQL, STAGES
from trajectories import called, score

from pitwall.analysis.store_facts import StoreFacts
from pitwall.analysis.tools import Tools
from pitwall.paddock.composed import Composed
from pitwall.paddock.staged.state import resumed


@pytest.mark.recordings
async def test_each_stage_keeps_to_its_trajectory_and_the_answer_cites_real_queries(
    analysis: OpenAnalysis, sonoma_facts: StoreFacts
) -> None:
    tools = Tools(sonoma_facts)
    session = sonoma_facts.sessions()[-1].id
    saved: list[str] = []

    async def save(text: str) -> None:
        saved.append(text)

    async with analysis(REAL, toolbox=tools.table(), compose=Composed(tools, sonoma_facts)) as (
        staged,
        server,
    ):
        given = await answered(staged, QUESTION, session=session, save=save)
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
    assert re.match(
        r"Slower by 0\.335 \[Q1\]\. In lap 3 turn 7 took 7\.552, in lap 4 7\.435 \[Q2\]\. "
        r"Lap 6 was 109\.10 \[Q4\]\.\n\nQueries:\n",
        given.text,
    )
    assert given.text.endswith(f"[Q4] query_pitwall_db: {SQL}")
    assert f'[Q1] lap_delta(lap=3, against=2, session="{session}")' in given.text
    # Plan and three stages; and what was saved last is all there is.
    assert len(saved) == 4
    kept = resumed(saved[-1], QUESTION, session)
    assert kept is not None
    assert [len(stage.claims) for stage in kept.done] == [1, 1, 1]
    assert len(saved[-1]) < 60_000


@pytest.mark.recordings
async def test_offline_the_same_question_is_composed_from_the_same_facts(
    analysis: OpenAnalysis, sonoma_facts: StoreFacts
) -> None:
    tools = Tools(sonoma_facts)
    async with analysis(
        lambda asked: Reply(status=503), toolbox=tools.table(), compose=Composed(tools, sonoma_facts)
    ) as (staged, _server):
        given = await answered(staged, QUESTION)
    assert (given.tier, given.agent) == ("rule", "LapComparisonAgent")
    assert "HTTP 503" in given.why
    assert "0.3" in given.text

"""A staged analysis over a real recording with the real tools: its trajectories, and what it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import Asked, Reply
from staged_opened import OpenAnalysis, answered, claim, form, scripted
from trajectories import Call, called, score

from pitwall.analysis.store_facts import StoreFacts
from pitwall.analysis.tools import Tools
from pitwall.config import Home
from pitwall.paddock.composed import Composed
from pitwall.paddock.staged.record import resumed
from pitwall.replay import import_file
from pitwall.store.store import Store

QUESTION = "why was lap 3 slower than lap 2"
SQL = "SELECT lap, time_s FROM laps WHERE kind = 'flying' ORDER BY lap"
# Stage by stage: what its worker calls, the criterion's tool and field, and what it then says.
STAGES: list[tuple[str, list[Call], str, str]] = [
    (
        "By how much lap 3 was slower",
        [("lap_delta", {"lap": 3, "against": 2})],
        "delta_s",
        "Slower by {delta_s}.",
    ),
    (
        "How turn 7 was driven in all laps",
        [("corner_history", {"corner": "turn_7"}), ("race_pace", {})],
        "passes",
        "In lap 3 turn 7 took {passes[1][time_s]}, in lap 4 {passes[2][time_s]}.",
    ),
    (
        "Whether lap 3 stands out",
        [("query_pitwall_db", {"sql": SQL})],
        "time_s",
        "Lap 6 was {rows[4][1]:.2f}.",
    ),
]


@pytest.fixture(scope="module")
def facts(recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreFacts]:
    home = Home(tmp_path_factory.mktemp("staged") / "home")
    home.prepare()
    store = Store(home)
    store.open()
    try:
        import_file(recordings / "sonoma-m3-vbox.csv", home, store)
        yield StoreFacts(store)
    finally:
        store.close()


def planned(asked: Asked) -> Reply:
    stages = [
        {
            "goal": goal,
            "tools": [name for name, _arguments in calls],
            "criteria": [{"statement": f"{field} is known", "tool": calls[0][0], "field": field}],
        }
        for goal, calls, field, _text in STAGES
    ]
    return form(asked, {"stages": stages})


def working(asked: Asked) -> Reply:
    """One call after the other, then a claim made of what the first of them returned."""
    (calls, text) = next((calls, text) for _goal, calls, _field, text in STAGES if calls[0][0] in asked.tools)
    done = [name for name in asked.called if name != "set_model_response"]
    if len(done) < len(calls):
        return Reply(calls=[calls[len(done)]])
    result: dict[str, Any] = dict(asked.results)[calls[0][0]]
    return form(asked, {"claims": [claim(text.format(**result), result["query_id"])]})


def summing(asked: Asked) -> Reply:
    found = re.findall(r"^- (.+) \[(Q\d+)\]$", asked.text, re.MULTILINE)
    return form(asked, {"claims": [claim(text, query) for text, query in found], "emotion": "focused"})


async def test_each_stage_keeps_to_its_trajectory_and_the_answer_cites_real_queries(
    analysis: OpenAnalysis, facts: StoreFacts
) -> None:
    tools = Tools(facts)
    session = facts.sessions()[-1].id
    saved: list[str] = []

    async def save(text: str) -> None:
        saved.append(text)

    script = scripted(PlanMakerAgent=planned, StageWorkerAgent=working, SummaryAgent=summing)
    async with analysis(script, toolbox=tools.table(), compose=Composed(tools, facts)) as (staged, server):
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


async def test_offline_the_same_question_is_composed_from_the_same_facts(
    analysis: OpenAnalysis, facts: StoreFacts
) -> None:
    tools = Tools(facts)
    async with analysis(
        lambda asked: Reply(status=503), toolbox=tools.table(), compose=Composed(tools, facts)
    ) as (staged, _server):
        given = await answered(staged, QUESTION)
    assert (given.tier, given.agent) == ("rule", "LapComparisonAgent")
    assert "HTTP 503" in given.why
    assert "0.3" in given.text

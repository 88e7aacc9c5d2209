"""Each agent of the staged analysis against everything a model or its server does, in both dialects.

All seven places are tried at once in a test: the trouble is in its name, the agent in what differs.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from model_server import Asked, Reply, Script
from staged_opened import OBEDIENT, OpenAnalysis, answered, scripted
from test_staged_paths import TOLD
from wire_trouble import ALWAYS, DECLINED, in_dialects

from pitwall.contract.events import Answer
from pitwall.contract.jobs import Budget

AGENTS = sorted(OBEDIENT)
# Many at once are slow: no answer here is told early because the time was up.
TIME = Budget(seconds=300.0)
FINDINGS = "Lap 7 was 0.39 seconds quicker [Q1]. Your minimum speed at turn 11 was up from 61.2 to 64.8 [Q2]."
TELLING = TOLD.split("\n\n")[0]


async def in_each_place(
    analysis: OpenAnalysis, kind: str, wrong: Callable[[str], Script], **options: Any
) -> dict[str, Answer]:
    """The answer where each of the agents goes `wrong(agent)`, all at once."""

    async def one(agent: str) -> Answer:
        async with analysis(scripted(**{agent: wrong(agent)}), kind=kind, **{"budget": TIME, **options}) as (
            staged,
            server,
        ):
            given = await answered(staged)
            await server.gone()
        return given

    return dict(zip(AGENTS, await asyncio.gather(*map(one, AGENTS)), strict=True))


def first(reply: Reply, agent: str) -> Script:
    """`reply` to the agent's first request, then as it is told."""
    seen: Counter[str] = Counter()

    def script(asked: Asked) -> Reply:
        seen[agent] += 1
        return reply if seen[agent] == 1 else OBEDIENT[agent](asked)

    return script


def beginning(given: dict[str, Answer]) -> dict[str, tuple[str, str]]:
    return {agent: (one.tier, one.text.split("\n\n")[0]) for agent, one in given.items()}


COMPOSED = ("rule", "Composed for LapComparisonAgent.")


@pytest.mark.parametrize(("kind", "trouble"), in_dialects(["503", "cut", "429", "malformed", "declined"], 1))
async def test_where_requests_fail_what_can_be_had_without_that_agent_is_told(
    analysis: OpenAnalysis, kind: str, trouble: str
) -> None:
    reply, why = {**ALWAYS, "declined": (DECLINED[kind], "")}[trouble]
    given = await in_each_place(analysis, kind, lambda agent: lambda asked: reply)
    told = beginning(given)
    plan = told.pop("PlanMakerAgent")
    # An answer that can't be read, or none that the model gives, is that request's failure: the server is
    # there, so it is gone on without, and the question is looked at as a whole.
    assert plan[0] == "paddock" if trouble in ("malformed", "declined") else plan == COMPOSED
    assert told == {
        "PlanReviewerAgent": ("paddock", TELLING),
        "PlanConfirmAgent": ("paddock", TELLING),
        "StageWorkerAgent": COMPOSED,
        "StageReviewerAgent": ("paddock", TELLING),
        "ReflectionAgent": ("paddock", TELLING),
        "SummaryAgent": ("paddock", FINDINGS),
    }
    assert why in given["StageWorkerAgent"].why

"""What a run that was stopped had done stands in the audit trail like everybody's."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest
from model_server import Asked, Reply, serving
from opened_paddock import opened_paddock
from pit_facts import FIRST_TOOL, TOOLBOX, first_call, obedient
from until import until
from worker_rig import WITHIN_S, gemini, rigged

from pitwall.contract.events import Answer, ToolEnd
from pitwall.paddock.runs import CancelledRun, audit_rows
from pitwall.store.store import Store


def calls_and_hangs(asked: Asked) -> Reply:
    """Its tool is called, and then it says no more."""
    return first_call(asked, FIRST_TOOL) or Reply(wait_s=3600.0)


def rows(store: Store) -> list[tuple[str, str, dict[str, Any]]]:
    store.flush()
    found = store.cursor().execute("SELECT kind, agent, detail FROM agent_events ORDER BY ALL").fetchall()
    return [(kind, agent, json.loads(detail)) for kind, agent, detail in found]


@pytest.mark.long
async def test_a_client_that_goes_away_leaves_what_was_done(driven: Store) -> None:
    async with serving(calls_and_hangs) as server, rigged(driven, gemini(server.url)) as rig:
        events = rig.ask("any incident")
        async with asyncio.timeout(WITHIN_S):
            async for event in events:
                if isinstance(event, ToolEnd):
                    break
            await until(lambda: server.open_requests)
            await events.aclose()
            await server.gone()
    kept = rows(driven)
    end = kept[0]
    assert end[:2] == ("stopped", "IncidentReviewAgent")
    assert (end[2]["status"], end[2]["model_calls"]) == ("cancelled", len(server.asked))
    assert [(row[0], row[2]["tool"], row[2]["status"]) for row in kept[1:]] == [("tool", "incidents", "ok")]


async def test_a_tool_on_its_way_counts_as_cancelled() -> None:
    kept: list[Answer | CancelledRun] = []
    begun, go_on = threading.Event(), threading.Event()

    def incidents() -> dict[str, Any]:
        """Which moments there were."""
        begun.set()
        go_on.wait(WITHIN_S)
        return {}

    toolbox = {**TOOLBOX, "incidents": incidents}
    try:
        async with (
            opened_paddock(obedient, toolbox=toolbox, record=kept.append) as (crew, _),
            await crew.ask("any incident"),
        ):
            await asyncio.to_thread(begun.wait, WITHIN_S)
    finally:
        go_on.set()
    [stopped] = kept
    assert isinstance(stopped, CancelledRun)
    assert (stopped.agent, stopped.model_calls) == ("IncidentReviewAgent", 1)
    assert [(call.tool, call.status) for call in stopped.audit] == [("incidents", "cancelled")]
    assert [row.kind for row in audit_rows(stopped, 1.0)] == ["tool", "stopped"]


async def test_a_debrief_is_chosen_from_the_sessions_small_facts(driven: Store) -> None:
    async with serving(obedient) as server, rigged(driven, gemini(server.url)) as rig:
        answer = await rig.answer(kind="debrief")
    assert (answer.tier, answer.verdict, answer.model_calls) == ("paddock", "PASSED", 4)
    assert {call.tool for call in answer.audit} == {"session_facts"}

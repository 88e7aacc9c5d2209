"""Tools are used or the answer says that they were not: asked again, forced once, then marked."""

from __future__ import annotations

from typing import Any

import pytest
from model_server import Asked, Reply
from opened_paddock import Open, answer
from pit_facts import TOOLBOX, answered, obedient

from pitwall.contract.events import Answer, Done, ToolEnd

CHAT = Reply(text="[calm] You were fine.")


def after(attempt: int) -> Any:
    """A model that answers without a tool until it has been asked `attempt` times."""

    def script(asked: Asked) -> Reply:
        again = "without evidence" in asked.text
        ready = {1: True, 2: again, 3: asked.mode == "ANY"}[attempt]
        return obedient(asked) if ready or asked.called else CHAT

    return script


@pytest.mark.parametrize("kind", ["gemini", "openai"])
@pytest.mark.parametrize(
    ("attempt", "verdict"), [(1, "PASSED"), (2, "RETRY_SUCCEEDED"), (3, "RETRY_SUCCEEDED")]
)
async def test_asked_again_until_the_tool_was_used(
    paddock: Open, kind: str, attempt: int, verdict: str
) -> None:
    async with paddock(after(attempt), kind=kind) as (crew, server):
        given = await answer(crew)
    assert (given.verdict, given.unverified) == (verdict, False)
    assert given.text == "Composed for GoldLapAgent. Turn 11 costs 0.62 s."
    assert len(server.asked) == attempt + 1
    # AUTO, AUTO, then forced; and AUTO again once the call was made.
    assert [asked.mode for asked in server.asked] == [*["AUTO", "AUTO", "ANY"][:attempt], "AUTO"]
    if attempt > 1:
        assert "Call reference_lap_comparison or tell_figure now" in server.asked[1].text
    if attempt == 3:
        assert server.asked[2].tools == ["reference_lap_comparison", "tell_figure"]


async def test_what_was_found_is_shown_again_within_bounds(paddock: Open) -> None:
    def corner_history(corner: str = "") -> dict[str, Any]:
        """Much of it."""
        return {"corner": corner, "passes": "x" * 4_900}

    def script(asked: Asked) -> Reply:
        if "Already found" in asked.text:
            return Reply(text='{"fact": "F1"}')
        if len(asked.called) < 6:
            return Reply(calls=[("corner_history", {"corner": f"turn_{len(asked.called)}"})])
        return Reply(text="")

    async with paddock(script, toolbox={**TOOLBOX, "corner_history": corner_history}) as (crew, server):
        given = await answer(crew, intent="CornerCoachAgent")
    again = server.asked[-1].text
    assert given.text == "Composed for CornerCoachAgent."
    assert all(f'"corner":"turn_{number}"' in again for number in range(6))
    assert "characters more]" in again
    assert len(again) < 9_000


async def test_a_refusal_is_no_success_and_is_told_to_the_model(paddock: Open) -> None:
    def script(asked: Asked) -> Reply:
        if asked.results:
            return answered(asked) if "error" not in asked.results[-1][1] else _select("SELECT 1")
        return _select("DROP TABLE laps")

    async with paddock(script) as (crew, server):
        stream = await crew.ask("how many laps", intent="TelemetryAgent")
        events = [event async for event in stream]
    done = events[-1]
    assert isinstance(done, Done)
    assert [event.ok for event in events if isinstance(event, ToolEnd)] == [False, True]
    assert [call.status for call in done.answer.audit] == ["refused", "ok"]
    assert done.answer.verdict == "PASSED"
    # Argument names and no values in the trail.
    assert {call.arguments for call in done.answer.audit} == {("sql",)}
    assert server.asked[1].results[0][1] == {"error": "only one SELECT is allowed"}


async def test_a_refused_tool_alone_escalates(paddock: Open) -> None:
    def script(asked: Asked) -> Reply:
        return CHAT if asked.called else _select("DROP TABLE laps")

    async with paddock(script) as (crew, _server):
        given = await answer(crew, intent="TelemetryAgent")
    assert given.verdict == "ESCALATED"


async def test_a_tool_that_breaks_is_told_and_noted(paddock: Open) -> None:
    def reference_lap_comparison() -> dict[str, Any]:
        """Breaks."""
        raise OSError("disk gone")

    async with paddock(
        obedient, toolbox={**TOOLBOX, "reference_lap_comparison": reference_lap_comparison}
    ) as (
        crew,
        server,
    ):
        given = await answer(crew)
    assert given.verdict == "ESCALATED"
    assert given.audit[0].status == "failed"
    assert server.asked[1].results[0][1] == {"error": "reference_lap_comparison failed: disk gone"}


async def test_results_travel_as_plain_json(paddock: Open) -> None:
    def reference_lap_comparison() -> Any:
        """Returns what JSON does not know."""
        return [float("nan"), (1, 2), {3: b"\x00"}, float("inf")]

    async with paddock(
        obedient, toolbox={**TOOLBOX, "reference_lap_comparison": reference_lap_comparison}
    ) as (
        crew,
        server,
    ):
        given = await answer(crew)
    assert given.verdict == "PASSED"
    assert server.asked[1].results[0][1] == {"result": [None, [1, 2], {"3": "AA=="}, None]}


async def test_answers_at_once_do_not_mix(paddock: Open) -> None:
    async with paddock(obedient) as (crew, _server):
        streams = [
            await crew.ask("how was it", intent=agent) for agent in ("GoldLapAgent", "RacePaceAgent") * 3
        ]
        given = [await stream.answer() for stream in streams]
    assert [one.text.split()[2] for one in given] == ["GoldLapAgent.", "RacePaceAgent."] * 3
    assert all(len(one.audit) == 1 and one.model_calls == 2 for one in given)


async def test_every_answer_is_recorded_with_its_trail(paddock: Open) -> None:
    kept: list[Answer] = []
    async with paddock(obedient, record=kept.append) as (crew, _server):
        given = await answer(crew)
    assert kept == [given]
    assert given.audit[0].tool == "reference_lap_comparison"
    assert given.took_s > 0


def _select(sql: str) -> Reply:
    return Reply(calls=[("query_pitwall_db", {"sql": sql})])

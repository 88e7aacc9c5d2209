"""The calls: what comes over the channel is what the store says, and what is written is checked again."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import pytest
from remote_rig import remote
from until import until

from pitwall.analysis.port import Facts
from pitwall.analysis.tools import Tools
from pitwall.contract.messages import Call, CallFailed, Reply
from pitwall.daemon.paddock.calls import READING, WRITING, CallTable
from pitwall.paddock.composed import SCRIPT_TOOL, Composed
from pitwall.paddock.records import RemoteJob, RemoteRecords
from pitwall.paddock.runs import AgentEvent
from pitwall.store import jobs, queries
from pitwall.store.errors import StoreError
from pitwall.store.store import Store
from pitwall.telemetry.recordings.journal import SessionMeta

T = TypeVar("T")


async def ask_in_sql(far: RemoteRecords, sql: str) -> dict[str, Any]:
    return await in_thread(lambda: far.about("last").toolbox()["query_pitwall_db"](sql=sql))


async def in_thread(function: Callable[..., T], *arguments: Any) -> T:
    return await asyncio.to_thread(function, *arguments)


TOOLS: dict[str, dict[str, Any]] = {
    "query_pitwall_db": {"sql": "SELECT count(*) AS laps FROM laps"},
    "lap_delta": {"lap": 3},
    "corner_history": {"corner": "turn_7"},
    "tell_figure": {"measure": "min_speed", "places": ["7"]},
    SCRIPT_TOOL: {"corner_name": "turn_99", "phrases": {}},
}


@pytest.mark.long
async def test_all_that_is_computed_is_the_same_over_the_channel(driven: Store) -> None:
    facts = Facts(driven)
    sessions = facts.sessions()
    assert len(sessions) == 2
    async with remote(driven, CallTable(driven)) as (far, _):
        assert await in_thread(far.sessions) == sessions
        for row in sessions:
            near = Composed(Tools(facts).about(row), facts)
            desk = await in_thread(far.about, row.id)
            for name, function in near.toolbox(save=lambda *_: "").items():
                given = TOOLS.get(name, {})
                tool = desk.toolbox()[name]
                assert json.dumps(
                    await in_thread(lambda tool=tool, given=given: tool(**given))
                ) == json.dumps(function(**given))
                assert tool.__doc__ == function.__doc__
            why = "why am I slow in turn 7"
            assert await in_thread(desk, "CornerCoachAgent", why) == near("CornerCoachAgent", why)
            assert await in_thread(desk.fetched, "CornerCoachAgent", why) == near.fetched(
                "CornerCoachAgent", why
            )
            tools = ["corner_history", "lap_delta"]
            assert await in_thread(desk.arguments, "lap 3", why, tools) == near.arguments("lap 3", why, tools)
            assert await in_thread(desk.sections, "GoldLapAgent", why) == near.sections("GoldLapAgent", why)
        track = facts.track("sonoma")
        assert track is not None
        assert await in_thread(far.track, "sonoma") == track
        assert await in_thread(far.scripts, track) == facts.scripts(track)
        assert await in_thread(far.track, "../etc/passwd") is None
    assert list(driven.home.handover.iterdir()) == []


async def test_a_refused_select_is_a_value(driven: Store) -> None:
    async with remote(driven, CallTable(driven)) as (far, _):
        refused = await ask_in_sql(far, "DELETE FROM laps")
        assert "only SELECT" in refused["error"]
        # Even the one folder that the database may write to is closed to whoever asks in SQL.
        copy = f"COPY laps TO '{driven.home.handover}/x.parquet'"
        assert "COPY is not allowed" in (await ask_in_sql(far, copy))["error"]
    assert list(driven.home.handover.iterdir()) == []


async def test_a_script_is_checked_again_where_it_is_written(driven: Store) -> None:
    told: list[str] = []
    own = Facts(driven)
    track = own.track("sonoma")
    assert track is not None
    async with remote(driven, CallTable(driven, scripts_changed=told.append)) as (far, calls):
        path = await in_thread(
            far.save_script, track, "turn_7", {"brake": "Brake at the board"}, "a question", ""
        )
        assert own.scripts(track)["turn_7"]["brake"] == "Brake at the board"
        assert path.startswith(str(driven.home.audio_cache))
        assert told == ["sonoma"]
        desk = await in_thread(far.about, "last")
        saved = await in_thread(
            lambda: desk.toolbox()[SCRIPT_TOOL](corner_name="7", phrases={"brake": "Brake at the board"})
        )
        assert (saved.get("corner"), told) == ("turn_7", ["sonoma", "sonoma"])
        for track_id, corner, script in (
            ("sonoma", "../../turn_7", {"brake": "Brake"}),
            ("sonoma", "turn_99", {"brake": "Brake"}),
            ("sonoma", "turn_7", {"brake": "one two three four five six seven eight nine"}),
            ("sonoma", "turn_7", {"brake": "Full throttle"}),
            ("sonoma", "turn_7", {"shout": "Brake"}),
            ("../sonoma", "turn_7", {"brake": "Brake"}),
        ):
            with pytest.raises(StoreError, match=r"corner|phase|track|words|throttle"):
                await calls.call("save_script", track_id, corner, script, "a question", "")
    assert told == ["sonoma", "sonoma"]
    assert [path.name for path in driven.home.audio_cache.glob("*.json")] == ["turn_7.json"]


async def test_a_trail_is_kept(driven: Store) -> None:
    rows = [AgentEvent(None, 1.0, "GoldLapAgent", "answer", "{}"), AgentEvent("j", 2.0, "x", "tool", "{}")]
    async with remote(driven, CallTable(driven)) as (far, _):
        await in_thread(far.put_trail, rows)
    driven.flush()
    kept = driven.cursor().execute("SELECT * FROM agent_events ORDER BY at_utc_s").fetchall()
    assert kept == [msgspec.structs.astuple(row) for row in rows]


async def test_a_jobs_progress_is_durable_when_the_call_returns(driven: Store) -> None:
    job = jobs.create(driven, "profile").id
    jobs.begin(driven, job)
    async with remote(driven, CallTable(driven)) as (_, calls):
        port = RemoteJob(calls, job)
        await port.checkpoint('{"phase": "plan"}')
        assert jobs.get(driven, job).checkpoint == '{"phase": "plan"}'
        with pytest.raises(StoreError, match="JSON object"):
            await port.checkpoint("not json")
        await port.finish("done", '{"why": ""}')
        assert (jobs.get(driven, job).state, jobs.get(driven, job).result) == ("done", '{"why": ""}')
        with pytest.raises(StoreError, match="is done"):
            await port.checkpoint("{}")


@pytest.mark.parametrize(
    ("name", "arguments", "what"),
    [
        ("__init__", [], "no call"),
        ("drop_import", ["x"], "no call"),
        ("session", [], "called wrongly"),
        ("session", [1], "called wrongly"),
        ("session", ["a", "b"], "called wrongly"),
        ("session", ["no-such"], "is no session"),
        ("composed", [None, "toolbox", []], "called wrongly"),
        ("job.finish", ["j", "exploded", "{}"], "called wrongly"),
        ("save_script", ["sonoma", "turn_7", {"brake": 7}, "", ""], "called wrongly"),
    ],
)
async def test_a_call_that_is_none_is_refused(
    driven: Store, name: str, arguments: list[Any], what: str
) -> None:
    table = CallTable(driven)
    reply = await table.answer(Call(1, name, msgspec.msgpack.encode(arguments)))
    assert isinstance(reply, CallFailed)
    assert reply.kind == "refused"
    assert what in reply.text
    await table.aclose()


async def test_a_closed_store_is_a_sentence(driven: Store) -> None:
    table = CallTable(driven)
    driven.close()
    reply = await table.answer(Call(1, "sessions", msgspec.msgpack.encode([])))
    assert isinstance(reply, CallFailed)
    assert (reply.kind, "not open" in reply.text) == ("store", True)
    await table.aclose()


async def test_whoever_stops_waiting_stops_the_reading_too(driven: Store) -> None:
    sql = "SELECT count(*) FROM range(100000000) a, range(100000) b"
    endless = msgspec.msgpack.encode([None, "tool", ["query_pitwall_db", {"sql": sql}]])
    table = CallTable(driven)
    calls = [asyncio.create_task(table.answer(Call(number, "composed", endless))) for number in range(2)]
    await until(lambda: sum(one.name.startswith("paddock reading") for one in threading.enumerate()) == 2)
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)
    # Both threads were busy: this one is answered because they were interrupted.
    reply = await table.answer(Call(3, "sessions", msgspec.msgpack.encode([])))
    assert isinstance(reply, Reply)
    await table.aclose()
    assert not [one for one in threading.enumerate() if one.name.startswith("paddock")]


def test_every_call_of_the_port_is_in_the_table() -> None:
    """What the worker can ask for and what is answered: neither more nor less."""
    asked = {
        "session", "sessions", "composed", SCRIPT_TOOL, "save_script", "trail", "job.checkpoint",
        "job.finish", "fleet_due", "fleet_material",
    }  # fmt: skip
    assert READING.keys() | WRITING.keys() == asked
    assert not READING.keys() & WRITING.keys()


def test_the_last_session_is_the_last_that_was_driven(driven: Store) -> None:
    drive = queries.last_driven(queries.sessions(driven))
    assert drive is not None
    meta = SessionMeta(id="20990101-000000", kind="live", source_name="", created_utc_s=4.07e9)
    driven.begin(meta, lossless=True).close()
    driven.flush()
    assert queries.resolve_session(driven, "last") == meta.id
    assert queries.resolve_driven(driven, "last") == Tools(Facts(driven)).session().id == drive.id
    assert queries.resolve_driven(driven, meta.id[:8]) == meta.id

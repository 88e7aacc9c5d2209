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
from stored_facts import report_on
from until import until

from pitwall.analysis.port import StoreFacts
from pitwall.analysis.tools import Tools
from pitwall.contract.messages import Call, CallFailed, Reply
from pitwall.daemon.paddock.calls import READING, WRITING, CallTable
from pitwall.paddock.records import RemoteJob
from pitwall.paddock.runs import AgentEvent
from pitwall.store import jobs, queries
from pitwall.store.errors import StoreError
from pitwall.store.handover import PAGE_S
from pitwall.store.lessons import DriverEvent
from pitwall.store.store import Store
from pitwall.telemetry.recordings.journal import SessionMeta

T = TypeVar("T")

QUESTIONS = [
    "SELECT id, samples, start_utc_s FROM sessions ORDER BY id",
    "SELECT count(*) AS n, avg(speed_mps) AS v FROM frames",
    "SELECT DATE '2026-01-02' AS d, 1.50::DECIMAL(9,2) AS x, [1, 2] AS l, NULL AS nothing",
    "SELECT 170141183460469231731687303715884105727 AS huge",
    "SELECT 'nan'::DOUBLE AS nan, true AS yes, {'a': 1} AS struct",
    "DESCRIBE laps",
]


async def in_thread(function: Callable[..., T], *arguments: Any) -> T:
    return await asyncio.to_thread(function, *arguments)


@pytest.mark.long
async def test_all_that_can_be_read_is_the_same_over_the_channel(driven: Store) -> None:
    own = StoreFacts(driven)
    sessions = own.sessions()
    assert len(sessions) == 2
    async with remote(driven, CallTable(driven)) as (far, _):
        assert await in_thread(far.sessions) == sessions
        for row in sessions:
            assert await in_thread(far.laps, row.id) == own.laps(row.id)
            assert await in_thread(far.corner_passes, row.id) == own.corner_passes(row.id)
            assert await in_thread(far.events, row.id) == own.events(row.id)
            near = list(own.frames(row.id))
            assert await in_thread(lambda row=row: list(far.frames(row.id))) == near
            # More than one page, or the paging was not tried.
            assert row.samples == 0 or near[-1][0].t - near[0][0].t > PAGE_S
        track = own.track("sonoma")
        assert track is not None
        assert await in_thread(far.track, "sonoma") == track
        assert await in_thread(far.scripts, track) == own.scripts(track)
        assert await in_thread(far.track, "../etc/passwd") is None
        assert await in_thread(far.lessons) == []
    assert list(driven.home.handover.iterdir()) == []


@pytest.mark.long
async def test_a_report_over_the_channel_is_the_same(driven: Store) -> None:
    own = StoreFacts(driven)
    async with remote(driven, CallTable(driven)) as (far, _):
        for row in own.sessions():
            assert await in_thread(report_on, far, row) == report_on(own, row)


@pytest.mark.parametrize("sql", QUESTIONS)
async def test_a_tool_shows_the_same_rows(driven: Store, sql: str) -> None:
    async with remote(driven, CallTable(driven)) as (far, _):
        over = await in_thread(Tools(far).query_pitwall_db, sql)
    near = Tools(StoreFacts(driven)).query_pitwall_db(sql)
    assert "error" not in over
    assert json.dumps(over) == json.dumps(near)


async def test_a_refused_select_is_a_value(driven: Store) -> None:
    async with remote(driven, CallTable(driven)) as (far, _):
        refused = await in_thread(Tools(far).query_pitwall_db, "DELETE FROM laps")
        assert "only SELECT" in refused["error"]
        # Even the one folder that the database may write to is closed to whoever asks in SQL.
        copy = f"COPY laps TO '{driven.home.handover}/x.parquet'"
        assert "COPY is not allowed" in (await in_thread(Tools(far).query_pitwall_db, copy))["error"]
    assert list(driven.home.handover.iterdir()) == []


async def test_a_script_is_checked_again_where_it_is_written(driven: Store) -> None:
    told: list[str] = []
    own = StoreFacts(driven)
    track = own.track("sonoma")
    assert track is not None
    async with remote(driven, CallTable(driven, scripts_changed=told.append)) as (far, calls):
        path = await in_thread(
            far.save_script, track, "turn_7", {"brake": "Brake at the board"}, "a question", ""
        )
        assert own.scripts(track)["turn_7"]["brake"] == "Brake at the board"
        assert path.startswith(str(driven.home.audio_cache))
        assert told == ["sonoma"]
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
    assert told == ["sonoma"]
    assert [path.name for path in driven.home.audio_cache.glob("*.json")] == ["turn_7.json"]


async def test_events_lessons_and_trails_are_kept(driven: Store) -> None:
    session = StoreFacts(driven).sessions()[0].id
    events = [DriverEvent(session, 1.5, "profile.x", "{}"), DriverEvent(session, 2.5, "profile.y", "{}")]
    rows = [AgentEvent(None, 1.0, "GoldLapAgent", "answer", "{}"), AgentEvent("j", 2.0, "x", "tool", "{}")]
    async with remote(driven, CallTable(driven)) as (far, _):
        others = await in_thread(far.events, session)
        await in_thread(far.put_events, session, events)
        assert await in_thread(far.events, session) == [*events, *others]
        await in_thread(far.put_events, session, events[:1])
        assert await in_thread(far.events, session) == [*events[:1], *others], "notes of the import stay"
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
        ("laps", [], "called wrongly"),
        ("laps", [1], "called wrongly"),
        ("laps", ["a", "b"], "called wrongly"),
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
    endless = "SELECT count(*) FROM range(100000000) a, range(100000) b"
    table = CallTable(driven)
    calls = [
        asyncio.create_task(table.answer(Call(number, "sql", msgspec.msgpack.encode([endless]))))
        for number in range(2)
    ]
    await until(lambda: sum(one.name.startswith("paddock reading") for one in threading.enumerate()) == 2)
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)
    # Both threads were busy: this one is answered because they were interrupted.
    reply = await table.answer(Call(3, "sessions", msgspec.msgpack.encode([])))
    assert isinstance(reply, Reply)
    await table.aclose()
    assert not [one for one in threading.enumerate() if one.name.startswith("paddock")]


async def test_leftovers_of_a_killed_reader_are_taken_away(driven: Store) -> None:
    left = driven.home.handover / "0123456789abcdef.parquet"
    left.write_bytes(b"half")
    table = CallTable(driven)
    assert not left.exists()
    await table.aclose()


def test_every_call_of_the_port_is_in_the_table() -> None:
    """What the worker can ask for and what is answered: neither more nor less."""
    asked = {
        "sessions", "laps", "corner_passes", "frames", "events", "lessons", "cues", "signal_ranges", "sql",
        "save_script", "put_events", "put_lessons", "trail", "job.checkpoint", "job.finish",
    }  # fmt: skip
    assert READING.keys() | WRITING.keys() == asked
    assert not READING.keys() & WRITING.keys()


def test_the_last_session_is_the_last_that_was_driven(driven: Store) -> None:
    drive = queries.sessions(driven)[-1].id
    meta = SessionMeta(id="20990101-000000", kind="live", source_name="", created_utc_s=4.07e9)
    driven.begin(meta, lossless=True).close()
    driven.flush()
    assert queries.resolve_session(driven, "last") == meta.id
    assert queries.resolve_driven(driven, "last") == Tools(StoreFacts(driven)).session().id == drive
    assert queries.resolve_driven(driven, meta.id[:8]) == meta.id

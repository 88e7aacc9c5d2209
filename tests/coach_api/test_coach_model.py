"""/coach/* with a model: its answer, its absence, clients that go away, and a car that moves off."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import loopback  # noqa: F401
import pytest
from asked_daemon import CoachClient, alive, answer_of, coached, model_lines
from model_server import Asked, ModelServer, Reply, Script, serving
from pit_facts import obedient
from service_inside import Moving
from until import until

import pitwall.api.coach as coach_module
from pitwall.config import Home
from pitwall.daemon.app import Daemon
from pitwall.daemon.paddock.gate import MOST_AT_ONCE
from pitwall.store import jobs

QUESTION = "how many laps did I do?"
HANGING = Reply(text="[calm] never", wait_s=3600.0)
Opened = tuple[Daemon, CoachClient, ModelServer]


@asynccontextmanager
async def opened(home: Home, script: Script, text: str = "") -> AsyncIterator[Opened]:
    """The daemon with a model."""
    async with serving(script) as server, coached(home, text + model_lines(server.url)) as (service, client):
        yield service, client, server


def hangs(_: Asked) -> Reply:
    return HANGING


async def begun(client: CoachClient, server: ModelServer) -> aiohttp.ClientResponse:
    """A question on its way, its model asked."""
    before = len(server.asked)
    response = await client.session.post("/coach/ask", json={"question": QUESTION})
    assert response.status == 200, await response.text()
    await until(lambda: len(server.asked) > before)
    return response


@pytest.mark.long
async def test_a_models_answers_from_the_first_to_a_refusal_of_the_key(
    coach_home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    """One worker, for it takes seconds to load."""
    caplog.set_level(logging.DEBUG)
    async with opened(coach_home, obedient) as (service, client, server):
        await until(lambda: service.paddock.status().worker == "ready")  # before the first question
        await answers_cost_few_calls_and_small_ones(client, server)
        await an_answer_comes_with_its_tools_and_words(client, server)
        await what_was_just_said_is_told_or_what_the_client_tells_instead(client, server)
        server.script = lambda _: Reply(status=403)
        await client.stream("ask", question=QUESTION)
        told = json.dumps(await client.json("GET", "/status?details=all")).encode()
        process = service.paddock.status()
        assert (process.worker, process.worker_starts, alive(process.pid or 0)) == ("ready", 1, True)
        proc = Path(f"/proc/{process.pid}")
        told += proc.joinpath("cmdline").read_bytes() + proc.joinpath("environ").read_bytes()
    assert not alive(process.pid or 0), "gone with the daemon"
    kept = [path for path in coach_home.root.rglob("*") if path.is_file() and path.name != "pitwall.toml"]
    assert b"geheim" not in told + caplog.text.encode()
    assert not [path for path in kept if b"geheim" in path.read_bytes()]


async def answers_cost_few_calls_and_small_ones(client: CoachClient, server: ModelServer) -> None:
    asked: list[tuple[str, dict[str, Any], int, int]] = [
        ("ask", {"question": "how was turn 7?"}, 1, 11_000),
        ("ask", {"question": "how consistent am I?"}, 1, 11_000),
        ("ask", {"question": "Thanks a lot!", "later": True}, 0, 0),
        ("brief", {}, 2, 12_000),
        ("debrief", {}, 4, 20_000),
    ]
    for kind, body, calls, most_bytes in asked:
        before = len(server.asked)
        answer = answer_of(await client.stream(kind, **body))
        requests = [json.dumps(each.body) for each in server.asked[before:]]
        assert (len(requests), answer["unverified"]) == (calls, False), body
        assert sum(map(len, requests)) <= most_bytes, body
        assert answer["tier"] == ("paddock" if calls else "rule")
    # A place of the composed debrief, with its figures and marks.
    assert "Turn 11" in server.of("NarrativeAgent")[-1].text
    jobs = await client.json("GET", "/jobs")
    assert "answer" not in [job["kind"] for job in jobs], "thanks have no better answer"


async def an_answer_comes_with_its_tools_and_words(client: CoachClient, server: ModelServer) -> None:
    before = len(server.asked)
    events = await client.stream("ask", question=QUESTION, turns=[])
    names = [name for name, _ in events]
    assert names[:2] == ["routed", "content"], "the composed answer is there at once"
    assert events[1][1]["provisional"]
    order = ["tool_start", "tool_end", "agent_active", "token", "content", "done"]
    assert [name for name in dict.fromkeys(names[2:]) if name in order] == order
    answer = answer_of(events)
    assert (answer["tier"], answer["verdict"], answer["unverified"]) == ("paddock", "PASSED", False)
    # What is certain is told whatever the model does.
    assert answer["text"].startswith(events[1][1]["text"])
    assert answer["model_calls"] == len(server.asked) - before == 2


async def what_was_just_said_is_told_or_what_the_client_tells_instead(
    client: CoachClient, server: ModelServer
) -> None:
    first = answer_of(await client.stream("ask", question=QUESTION))
    await client.stream("ask", question="and how many of them were clean laps?")
    assert QUESTION in server.asked[-1].text
    assert first["text"] in server.asked[-1].text
    turns = [{"role": "driver", "text": "I lost the rear at turn 9"}]
    await client.stream("ask", question="how many laps did I do after that?", turns=turns)
    assert "I lost the rear" in server.asked[-1].text
    assert "clean laps" not in server.asked[-1].text


@pytest.mark.long
async def test_a_client_that_goes_away_ends_its_run_and_no_other(coach_home: Home) -> None:
    async with opened(coach_home, hangs) as (service, client, server):
        body = json.dumps({"question": QUESTION}).encode()
        token = client.session.headers["Authorization"]
        reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
        writer.write(
            f"POST /coach/ask HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\nAuthorization: {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        assert (await reader.readuntil(b"event: routed\n")).startswith(b"HTTP/1.1 200")
        await until(lambda: bool(server.asked))
        other = await begun(client, server)
        assert server.open_requests == 2
        writer.close()
        await until(lambda: server.open_requests == 1)
        assert [asked.dropped for asked in server.asked] == [True, False]
        assert service.paddock.status().answering == 1
        pid = service.paddock.status().pid
        other.close()
        await server.gone()
        await until(lambda: service.paddock.status().answering == 0)
        assert len(server.asked) == 2, "nobody asks again for who is gone"
        server.script = obedient
        assert answer_of(await client.stream("ask", question=QUESTION))["tier"] == "paddock"
        assert service.paddock.status().pid == pid, "the worker was not hurt"


@pytest.mark.long
async def test_a_car_that_moves_off_ends_everything_and_is_asked_nothing(
    coach_home: Home, source: Moving
) -> None:
    text = '[sources.one]\nuri = "test:one"\n'
    async with opened(coach_home, hangs, text) as (service, client, server):
        response = await begun(client, server)
        made = await client.json("POST", "/jobs", 201, {"kind": "debrief"})
        await until(lambda: service.paddock.status().job == made["id"])
        await until(lambda: server.open_requests == 4)  # the question, and the debrief's three data agents
        pid = service.paddock.status().pid
        source.speed_mps = 30.0
        told = (await response.read()).decode()
        assert told.rstrip().split("\n\n")[-1].startswith("event: error\n")
        assert "The car is moving" in told
        await server.gone()
        await until(lambda: service.paddock.status().worker == "none")
        assert not alive(pid or 0)
        await until(lambda: service.paddock.status().job == "")
        asked = len(server.asked)
        refused = await client.json("POST", "/coach/ask", 409, {"question": QUESTION})
        assert refused["error"] == "the car is moving"
        [job] = await client.json("GET", "/jobs")
        assert job["state"] == "waiting"
        assert len(server.asked) == asked, "no job runs while the car moves"
        kept = json.loads(jobs.get(service.store, job["id"]).checkpoint)
        assert kept["used"]["model_calls"] == 3, "it told what it had used, and no more"
        assert [(call["state"], call["calls"]) for call in kept["ledger"]] == [("lost", 3)]
        service.store.flush()
        trail = service.store.cursor().execute("SELECT job, agent FROM agent_events WHERE kind = 'stopped'")
        assert sorted(map(str, trail.fetchall())) == sorted(
            map(str, [(None, "TelemetryAgent"), (job["id"], "DebriefPipeline")])
        )


@pytest.mark.long
async def test_a_model_that_fails_leaves_the_facts_and_the_better_answer_comes_later(
    coach_home: Home,
) -> None:
    async with opened(coach_home, lambda _: Reply(status=400)) as (service, client, server):
        plain = await client.stream("ask", question=QUESTION)
        assert answer_of(plain)["tier"] == "rule"
        assert "error" in [name for name, _ in plain]
        assert await client.json("GET", "/jobs") == []
        events = await client.stream("ask", question=QUESTION, later=True)
        server.script = obedient
        assert answer_of(events)["tier"] == "rule"
        [job] = await client.json("GET", "/jobs")
        promise = [data["text"] for name, data in events if name == "thinking"][-1]
        assert promise == f"The better answer will come as job {job['id']}."
        assert (job["kind"], job["input"]["question"]) == ("answer", QUESTION)
        viewer = service.live.view()
        await until(lambda: service.paddock.status().jobs_ended == {"done": 1})
        done = await client.json("GET", f"/jobs/{job['id']}")
        better = done["result"]["answer"]
        assert (done["state"], better["tier"]) == ("done", "paddock")
        news = [json.loads(one) for one in await viewer.next() or []]
        viewer.close()
        assert {"type": "event", "t": None, "kind": "job", "detail": f"{job['id']} answer done"} in news
        # It was said: whoever asks on asks about it.
        await client.stream("ask", question="and how many of them were clean laps?")
        assert better["text"] in server.asked[-1].text


async def test_a_worker_that_can_not_be_started_is_a_sentence(
    coach_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(obedient) as server:
        monkeypatch.setattr(sys, "executable", "/nonexistent/python")
        async with coached(coach_home, model_lines(server.url)) as (_, client):
            events = await client.stream("ask", question=QUESTION)
    [told] = [data["text"] for name, data in events if name == "error"]
    assert "worker can't be started" in told
    answer = answer_of(events)
    assert (answer["tier"], answer["text"]) == ("rule", events[1][1]["text"]), (
        "the facts are told all the same"
    )


@pytest.mark.long
async def test_four_at_once_are_kept_alive_and_a_fifth_is_told_to_wait(
    coach_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coach_module, "KEEP_ALIVE_S", 0.05)
    async with opened(coach_home, hangs) as (_, client, server):
        responses = [await begun(client, server) for _ in range(MOST_AT_ONCE)]
        assert await responses[0].content.readuntil(b"\n:\n\n"), "a silent answer is kept alive by comments"
        async with client.session.post("/coach/ask", json={"question": QUESTION}) as fifth:
            assert fifth.status == 429
            assert int(fifth.headers["Retry-After"]) >= 1
        responses[0].close()
        await until(lambda: server.open_requests == MOST_AT_ONCE - 1)
        responses[0] = await begun(client, server)
        for response in responses:
            response.close()
        await server.gone()

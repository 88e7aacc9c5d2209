"""An analysis that is asked for and broken off: what it had found is kept, and goes on where it may."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import loopback  # noqa: F401
import pytest
from asked_daemon import CoachClient, alive, coached, model_lines
from model_server import Asked, ModelServer, Reply, Script, serving
from service_inside import Moving
from staged_opened import claim, form, scripted
from until import until

import pitwall.daemon.paddock.gate as part_module
import pitwall.daemon.paddock.worker as worker_module
from pitwall.config import Home
from pitwall.daemon.app import Daemon

QUESTION = "why was lap 3 slower than lap 2"
FOUND, REST = "Lap 3 differs from lap 2", "The pace was looked at"
STAGES = [
    {"goal": "How lap 3 differs", "tools": ["lap_delta"], "criteria": [{"statement": "it is known"}]},
    {"goal": "How the pace was", "tools": ["race_pace"], "criteria": [{"statement": "it is known"}]},
]
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    FOUND: ("lap_delta", {"lap": 3, "against": 2}),
    REST: ("race_pace", {}),
}
Opened = tuple[Daemon, CoachClient, ModelServer]


def worked(asked: Asked) -> Reply:
    """One stage: its tool, then a claim that cites it."""
    text = next(text for text, (tool, _) in CALLS.items() if tool in asked.tools)
    results = [result for name, result in asked.results if name == CALLS[text][0]]
    if not results:
        return Reply(calls=[CALLS[text]])
    return form(asked, {"claims": [claim(f"{text}.", results[-1]["query_id"])]})


def summed(asked: Asked) -> Reply:
    return form(asked, {"claims": [claim(f"{FOUND}.", "Q1"), claim(f"{REST}.", "Q2")], "emotion": "calm"})


WILLING = scripted(
    PlanMakerAgent=lambda asked: form(asked, {"stages": STAGES}),
    StageWorkerAgent=worked,
    SummaryAgent=summed,
)


def in_the_second_stage(asked: Asked) -> bool:
    return asked.agent == "StageWorkerAgent" and "race_pace" in asked.tools


def sticking(asked: Asked) -> Reply:
    """The second stage is begun and never ends."""
    return Reply(wait_s=3600.0) if in_the_second_stage(asked) else WILLING(asked)


@asynccontextmanager
async def begun(home: Home, script: Script) -> AsyncIterator[tuple[Opened, aiohttp.ClientResponse]]:
    """The daemon with an analysis that is being answered."""
    text = '[sources.one]\nuri = "test:one"\n'
    async with serving(script) as server:
        settings = model_lines(server.url).replace("[paddock]\n", "[paddock]\nanalysis_s = 600\n")
        async with coached(home, text + settings) as (service, client):
            response = await client.session.post("/coach/analyze", json={"question": QUESTION})
            assert response.status == 200, await response.text()
            yield (service, client, server), response


@asynccontextmanager
async def stuck(home: Home) -> AsyncIterator[tuple[Opened, aiohttp.ClientResponse]]:
    """The daemon with an analysis that has come to its second stage."""
    async with begun(home, sticking) as (opened, response):
        server = opened[2]
        await until(lambda: any(map(in_the_second_stage, server.asked)) and server.open_requests == 1)
        yield opened, response


async def ending(response: aiohttp.ClientResponse) -> str:
    """The text of the error that a stream ends with."""
    name, data = (await response.text()).rstrip().split("\n\n")[-1].split("\n")
    assert name == "event: error"
    return str(json.loads(data.removeprefix("data: "))["text"])


def said(service: Daemon) -> list[tuple[str, str]]:
    service.store.flush()
    return service.store.cursor().execute("SELECT role, text FROM conversations ORDER BY id").fetchall()


async def goes_on(opened: Opened) -> None:
    """The one job that there is ends with both stages, and the model is asked for no step again."""
    service, client, server = opened
    [job] = await client.json("GET", "/jobs")
    assert (job["kind"], job["input"]["question"]) == ("analysis", QUESTION)
    await until(lambda: service.paddock.status().jobs_ended == {"done": 1})
    done = await client.json("GET", f"/jobs/{job['id']}")
    assert re.match(r".+ \[Q1\]\. .+ \[Q2\]\.", done["result"]["answer"]["text"])
    assert [asked.agent for asked in server.asked].count("PlanMakerAgent") == 1
    stages = [asked for asked in server.asked if asked.agent == "StageWorkerAgent"]
    assert len([asked for asked in stages if "lap_delta" in asked.tools]) == 2, "its call, and its findings"
    # Asked about it later, it is what was said last.
    assert [role for role, _ in said(service)] == ["driver", "coach"]
    assert "[Q1]. " in said(service)[1][1]


@pytest.mark.long
async def test_a_car_that_moves_off_leaves_a_job_that_goes_on(coach_home: Home, source: Moving) -> None:
    async with stuck(coach_home) as (opened, response):
        service, client, server = opened
        source.speed_mps = 30.0
        told = await ending(response)
        await server.gone()
        await until(lambda: service.paddock.status().worker == "none")
        [job] = await client.json("GET", "/jobs")
        assert told == (
            f"The car is moving: the answer was stopped. It goes on as job {job['id']} in the paddock."
        )
        assert job["state"] == "waiting"
        assert said(service) == []
        server.script = WILLING
        source.speed_mps = 0.0
        await goes_on(opened)


def test_a_car_that_moves_off_is_left_alone_within_a_second() -> None:
    """Seen, ended in order, ended by force: the most that each may take. scripts/bench_paddock tells more."""
    assert part_module.LOOK_EVERY_S + part_module.IN_ORDER_S + part_module.WORKER_ENDS_S < 1.0
    assert worker_module.CANCEL_S <= 1.0, "and a client that goes away"


@pytest.mark.long
async def test_a_worker_that_is_stuck_when_the_car_moves_off_is_ended_by_force(
    coach_home: Home, source: Moving, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stuck(coach_home) as (opened, response):
        service, client, server = opened
        monkeypatch.setattr(part_module, "IN_ORDER_S", 0.1)
        pid = service.paddock.status().pid or 0
        os.kill(pid, signal.SIGSTOP)
        source.speed_mps = 30.0
        assert "It goes on as job" in await ending(response)
        await server.gone()
        await until(lambda: service.paddock.status().worker == "none")
        assert not alive(pid)
        [job] = await client.json("GET", "/jobs")
        assert job["state"] == "waiting"


@pytest.mark.long
async def test_a_worker_that_is_killed_leaves_a_job_that_goes_on(coach_home: Home, source: Moving) -> None:
    async with stuck(coach_home) as (opened, response):
        service, client, server = opened
        server.script = WILLING
        os.kill(service.paddock.status().pid or 0, signal.SIGKILL)
        told = await ending(response)
        assert "worker failed" in told
        [job] = await client.json("GET", "/jobs")
        assert told.endswith(f"It goes on as job {job['id']} in the paddock.")
        await goes_on(opened)


@pytest.mark.long
async def test_a_model_that_goes_away_leaves_what_was_found_and_a_job_that_goes_on(
    coach_home: Home, source: Moving
) -> None:
    def away(asked: Asked) -> Reply:
        return Reply(status=503) if in_the_second_stage(asked) else WILLING(asked)

    async with begun(coach_home, away) as ((service, client, _server), response):
        told = await response.text()
        [job] = await client.json("GET", "/jobs")
        assert f"It goes on as job {job['id']} in the paddock." in told
        assert (job["state"], job["input"]["budget"]["model_calls"]) == ("waiting", 480)
        assert re.search(r'"text":"Lap 3 [^"]+\[Q1\]', told.rpartition("event: done")[2])
        assert [role for role, _ in said(service)] == ["driver", "coach"]

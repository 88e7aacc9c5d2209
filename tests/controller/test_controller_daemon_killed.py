"""`pitwall run` itself and then its worker die by kill -9 in the middle of a voice-script job: it goes on."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from model_server import Asked, Reply, serving
from running_daemon import WITHIN_S, Daemon
from scripted_writer import corner_of, written

from pitwall.config import Home
from pitwall.contract.jobs import JobResult
from pitwall.store import jobs
from pitwall.store.store import Store

SETTINGS = """[audio]
player = "text"
[api]
port = 0
[paddock.model]
kind = "gemini"
base_url = "{url}"
api_key = "k"
"""
# The daemon dies while the fourth request is open, its worker while the seventh is.
DAEMON_DIES_AT, WORKER_DIES_AT = 4, 7


class Holding:
    """A good writer who lets the requests with these numbers wait for ever."""

    def __init__(self, *held: int) -> None:
        self.asked: list[str] = []
        self.arrived = {number: asyncio.Event() for number in held}

    async def reached(self, number: int) -> None:
        """Wait until that request is open; one that never comes is a failure, not a hanging test."""
        async with asyncio.timeout(WITHIN_S):
            await self.arrived[number].wait()

    def __call__(self, asked: Asked) -> Reply:
        self.asked.append(corner_of(asked))
        number = len(self.asked)
        if number in self.arrived:
            self.arrived[number].set()
            return Reply(wait_s=600)
        return written(corner_of(asked))


def inodes(home: Home) -> dict[str, int]:
    """The scripts that were written, each with the file it is: a second write makes another."""
    return {path.stem: path.stat().st_ino for path in home.audio_cache.glob("*.json")}


def job_is_over(status: Any) -> bool:
    return bool(status["paddock"]["jobs_ended"])


@pytest.mark.long
async def test_a_job_goes_on_over_the_deaths_of_the_daemon_and_of_its_worker(home: Home) -> None:
    with Store(home) as store:
        store.open()
        job = jobs.create(store, "voice_scripts", '{"track": "sonoma"}')
    model = Holding(DAEMON_DIES_AT, WORKER_DIES_AT)
    async with serving(model) as server:
        (Path(home.root) / "pitwall.toml").write_text(SETTINGS.format(url=server.url))
        daemon = await asyncio.to_thread(Daemon, home)
        try:
            await model.reached(DAEMON_DIES_AT)
            worker = (await asyncio.to_thread(daemon.status))["paddock"]["pid"]
            before = inodes(home)
        finally:
            await asyncio.to_thread(daemon.kill)
        await server.gone()
        daemon = await asyncio.to_thread(Daemon, home)
        try:
            await model.reached(WORKER_DIES_AT)
            second = (await asyncio.to_thread(daemon.status))["paddock"]["pid"]
            os.kill(second, signal.SIGKILL)
            status = await asyncio.to_thread(daemon.wait_until, job_is_over)
            code = await asyncio.to_thread(daemon.end)
        finally:
            await asyncio.to_thread(daemon.__exit__)
    with Store(home) as store:
        store.open()
        ended = jobs.get(store, job.id)
    result = msgspec.json.decode(ended.result, type=JobResult)
    assert (ended.state, code, status["paddock"]["jobs_ended"]) == ("done", 0, {"done": 1})
    assert worker != second
    assert len(before) == DAEMON_DIES_AT - 1
    after = inodes(home)
    assert {corner: after[corner] for corner in before} == before, "what was written is written once"
    assert set(after) == set(result.done)
    assert len(model.asked) == len(result.done) + 2, "each death cost one call"
    assert [call.state for call in result.ledger].count("lost") == 2

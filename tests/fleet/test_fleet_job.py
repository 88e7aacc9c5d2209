"""A push as a job of the daemon's: in the worker, stopped with the car, waiting for its lake."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import get_args

import pytest
from fleet_parts import OneSession

from pitwall.contract.jobs import FleetPushInput, checked_input
from pitwall.contract.messages import Hello, JobKind
from pitwall.contract.questions import NewJob
from pitwall.contract.settings import PaddockSettings
from pitwall.contract.status import PhoneReport
from pitwall.daemon.paddock.breaker import ModelBreaker
from pitwall.daemon.paddock.calls import CallTable
from pitwall.daemon.paddock.jobs import NO_NETWORK, PUSH_KINDS, JobRunner
from pitwall.daemon.paddock.worker import WorkerProcess
from pitwall.fleet.lake import list_sessions, open_storage
from pitwall.store import jobs
from pitwall.store.store import Store


class Rig:
    """A runner of push jobs; `stands` is whether the car does."""

    def __init__(self, store: Store) -> None:
        self.stands, self.breaker = True, ModelBreaker(PaddockSettings().model, 10.0, 15.0)
        hello = Hello(home=str(store.home.root), settings=PaddockSettings())
        self.worker = WorkerProcess(lambda: hello, CallTable(store))
        self.runner = JobRunner(store, self.worker, self._may_run, may_push=self.breaker.may_push)

    def _may_run(self) -> tuple[JobKind, ...]:
        return PUSH_KINDS if self.stands else ()


@pytest.fixture
def store(sonoma_lake: OneSession) -> Iterator[Store]:
    yield sonoma_lake.store
    sonoma_lake.store.put("DELETE FROM jobs", [])
    sonoma_lake.store.flush()


@asynccontextmanager
async def rig(store: Store) -> AsyncIterator[Rig]:
    made = Rig(store)
    try:
        yield made
    finally:
        await made.worker.aclose()


def push_job(store: Store, lake: str, **more: object) -> str:
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "test")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "test")
    return jobs.create(store, "fleet_push", json.dumps({"lake": lake, **more})).id


@pytest.mark.long
async def test_a_push_job_brings_the_same_as_a_push_by_hand(
    store: Store, sonoma_lake: OneSession, tmp_path: Path
) -> None:
    job = push_job(store, str(tmp_path / "lake"), car_class="GT4")
    async with rig(store) as own:
        await own.runner.step()
        assert jobs.get(store, job).state == "waiting"
        assert own.runner.held[job] == f"{tmp_path / 'lake'} is not there", "a card that is not in its slot"
        assert not (tmp_path / "lake").exists()
        (tmp_path / "lake").mkdir()
    async with rig(store) as own:
        assert await own.runner.step() == job
    ended = jobs.get(store, job)
    assert (ended.state, json.loads(ended.result)["given_up"]) == ("done", {})
    [item] = list_sessions(open_storage(str(tmp_path / "lake")))
    assert (item.session, item.size) == (sonoma_lake.session, pytest.approx(sonoma_lake.item.size, abs=100))
    assert not list((store.home.root / "handover").glob("*")), "what was handed over was taken away"


def test_a_job_takes_a_lake_that_is_the_same_from_every_folder() -> None:
    with pytest.raises(ValueError, match="name a folder by its path from the root"):
        checked_input("fleet_push", {"lake": "lake"})
    for lake in ("/sdcard/lake", "s3://bucket/prefix"):
        assert checked_input("fleet_push", {"lake": lake}) == FleetPushInput(lake=lake)


@pytest.mark.long
async def test_a_push_waits_while_the_lake_is_away_or_the_network_is_paid_for(store: Store) -> None:
    job = push_job(store, "s3://b/p?endpoint=http://127.0.0.1:9")
    async with rig(store) as own:
        await own.runner.step()
        assert jobs.get(store, job).state == "waiting"
        assert "127.0.0.1:9" in own.runner.held[job] or "NETWORK" in own.runner.held[job]
        own.breaker.phone(PhoneReport(network="mobile"))
        await own.runner.step()
        assert own.runner.held[job] == NO_NETWORK
        assert own.breaker.may_push(metered=True)
        own.breaker.phone(PhoneReport(network="none"))
        assert not own.breaker.may_push(metered=True)
        own.breaker.phone(PhoneReport(network="wifi"))
        assert own.breaker.may_push(metered=False)


async def test_a_push_ends_with_the_worker_when_the_car_moves(store: Store) -> None:
    """The server takes the request and never answers; the gate ends the worker."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.setblocking(False)
        port = silent.getsockname()[1]
        job = push_job(store, f"s3://b/p?endpoint=http://127.0.0.1:{port}")
        async with rig(store) as own:
            running = asyncio.create_task(own.runner.step())
            near, _ = await asyncio.get_running_loop().sock_accept(silent)
            with near:
                own.stands = False
                own.runner.look()
                await running
                await own.worker.aclose()
                near.setblocking(False)
                loop = asyncio.get_running_loop()
                while await loop.sock_recv(near, 65_536):
                    pass  # the end of the stream: nobody holds the other end
        assert jobs.get(store, job).state == "waiting"


def test_every_kind_of_job_can_be_asked_for_over_the_api() -> None:
    tags = {kind.__struct_config__.tag for kind in get_args(NewJob)}
    assert tags == set(get_args(JobKind))

"""Which job the daemon's runner takes next: one that can't go on holds up no other, and is tried again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from model_server import Reply, serving, settings_of
from scripted_writer import obedient_writer
from until import until

import pitwall.daemon.paddock.jobs as runner_module
from pitwall.contract.messages import Hello
from pitwall.contract.settings import ModelSettings, PaddockSettings
from pitwall.daemon.paddock.calls import CallTable
from pitwall.daemon.paddock.jobs import MODEL_KINDS, OFFLINE_KINDS, JobRunner
from pitwall.daemon.paddock.worker import WorkerProcess
from pitwall.helpers.backoff import Retry
from pitwall.store import jobs
from pitwall.store.store import Store

SCRIPTS = json.dumps({"track": "sonoma"})


@asynccontextmanager
async def runner_of(store: Store, model: ModelSettings) -> AsyncIterator[JobRunner]:
    settings = PaddockSettings(model=model)
    hello = Hello(home=str(store.home.root), settings=settings)
    worker = WorkerProcess(lambda: hello, CallTable(store))
    try:
        yield JobRunner(store, worker, lambda: (*OFFLINE_KINDS, *MODEL_KINDS))
    finally:
        await worker.aclose()


async def runs_until(runner: JobRunner, true: Callable[[], bool]) -> None:
    """The runner's own loop, until this is true."""
    running = asyncio.create_task(runner.run())
    try:
        await until(lambda: true() or running.done())
    finally:
        running.cancel()
        await asyncio.wait({running})


async def test_a_job_that_rests_holds_up_no_other(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two wait for a model that there is not, each to be left alone for an hour; a profile needs none."""
    monkeypatch.setattr(runner_module, "JOB", Retry(3600.0, 3600.0))
    held = [jobs.create(store, kind) for kind in ("brief", "debrief")]
    profile = jobs.create(store, "profile")
    async with runner_of(store, ModelSettings()) as runner:
        await runs_until(runner, lambda: bool(runner.ended))
        assert set(runner.held) == {job.id for job in held}, "each was tried once, before it"
    # Nothing was driven here, so there is nothing to work out.
    assert jobs.get(store, profile.id).state == "failed"
    assert {jobs.get(store, job.id).state for job in held} == {"waiting"}


@pytest.mark.long
async def test_what_changed_ends_the_rest(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "JOB", Retry(3600.0, 3600.0))
    job = jobs.create(store, "voice_scripts", SCRIPTS)
    async with (
        serving(lambda _: Reply(status=400)) as server,
        runner_of(store, settings_of(server.url)) as runner,
    ):

        def connected() -> bool:
            """As the daemon's connectivity tells it, when the job was held."""
            if job.id in runner.held and server.script is not obedient_writer:
                server.script = obedient_writer
                runner.look()
            return bool(runner.ended)

        await runs_until(runner, connected)
    assert jobs.get(store, job.id).state == "done"


@pytest.mark.long
async def test_a_rest_ends_by_itself(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "JOB", Retry(0.01, 80.0))
    job = jobs.create(store, "voice_scripts", SCRIPTS)
    tries = iter([Reply(status=400)] * 3)
    async with (
        serving(lambda asked: next(tries, None) or obedient_writer(asked)) as server,
        runner_of(store, settings_of(server.url)) as runner,
    ):
        await runs_until(runner, lambda: bool(runner.ended))
    assert jobs.get(store, job.id).state == "done"

"""The daemon's runner and its real worker: which jobs wait, which are given up, which only seem to fail."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec
import pytest
from model_server import Asked, Reply, serving, settings_of
from scripted_writer import obedient_writer

from pitwall.contract import messages
from pitwall.contract.jobs import JobResult
from pitwall.contract.messages import Call, CallFailed, Hello
from pitwall.contract.settings import ModelSettings, PaddockSettings
from pitwall.daemon.paddock.calls import CallTable
from pitwall.daemon.paddock.jobs import MODEL_KINDS, MOST_FAILURES, JobRunner
from pitwall.daemon.paddock.worker import WorkerProcess
from pitwall.paddock.controller.running_job import Checkpoint
from pitwall.store import jobs
from pitwall.store.store import Store

SCRIPTS = json.dumps({"track": "sonoma"})
NO_MODEL = ModelSettings()
DIES_EARLY, DIES_LATE, DIES_WRITTEN = ["discover", "before"], ["reflect", "after"], ["save_script", "after"]


def place_of(call: Call) -> str:
    """Where a job stands when this call arrives: the phase a checkpoint leads to, else the call's name."""
    if call.name != "job.checkpoint":
        return "discover" if call.name == "sessions" else call.name
    _job, text = msgspec.msgpack.decode(call.arguments)
    return msgspec.json.decode(text, type=Checkpoint).phase


class Deadly(CallTable):
    """The daemon's calls, and orders to kill the worker: [place, moment], at the next call of that place,
    `before` it is done or `after`."""

    def __init__(self, store: Store, orders: list[list[str]]) -> None:
        super().__init__(store)
        self._orders = orders
        self.worker: WorkerProcess | None = None

    async def answer(self, call: Call) -> messages.Reply | CallFailed:
        order = self._orders[0] if self._orders else None
        due = order is not None and order[0] == place_of(call)
        if order and due and order[1] == "before":
            self._kill(order)
        reply = await super().answer(call)
        if order and due and order[1] == "after":
            self._kill(order)
        return reply

    def _kill(self, order: list[str]) -> None:
        self._orders.remove(order)
        assert self.worker is not None
        assert self.worker.pid is not None
        os.kill(self.worker.pid, signal.SIGKILL)


@asynccontextmanager
async def running(
    store: Store, model: ModelSettings | Callable[[], ModelSettings], orders: list[list[str]]
) -> AsyncIterator[tuple[JobRunner, WorkerProcess]]:
    """A runner whose worker dies by these orders."""

    def hello() -> Hello:
        settings = PaddockSettings(model=model if isinstance(model, ModelSettings) else model())
        return Hello(home=str(store.home.root), settings=settings)

    calls = Deadly(store, orders)
    worker = calls.worker = WorkerProcess(hello, calls)
    try:
        yield JobRunner(store, worker, lambda: MODEL_KINDS), worker
    finally:
        await worker.aclose()


@pytest.mark.long
async def test_a_worker_that_dies_at_one_place_again_and_again_ends_the_job(store: Store) -> None:
    job = jobs.create(store, "voice_scripts", SCRIPTS)
    async with running(store, NO_MODEL, [DIES_EARLY] * MOST_FAILURES) as (runner, worker):
        for _ in range(MOST_FAILURES):
            assert jobs.get(store, job.id).state == "waiting"
            assert await runner.step() == job.id
        assert await runner.step() == ""
        assert worker.started == MOST_FAILURES
    ended = jobs.get(store, job.id)
    result = msgspec.json.decode(ended.result, type=JobResult)
    assert (ended.state, result.why.startswith(f"given up after {MOST_FAILURES} tries")) == ("failed", True)


@pytest.mark.long
async def test_every_model_call_of_a_job_leaves_a_row_without_words(store: Store) -> None:
    """One that was answered, one of no use and one that failed, each with how long it took."""
    replies = iter([Reply(text="Sure! Here are your phrases."), Reply(status=400)])

    def shaky(asked: Asked) -> Reply:
        return next(replies, None) or obedient_writer(asked)

    job = jobs.create(store, "voice_scripts", SCRIPTS)
    async with serving(shaky) as server, running(store, settings_of(server.url), []) as (runner, _):
        while jobs.get(store, job.id).state != "done":
            assert await runner.step() == job.id
    store.flush()
    kept = store.cursor().execute("SELECT job, agent, kind, detail FROM agent_events ORDER BY ALL").fetchall()
    details = sorted((json.loads(row[3]) for row in kept), key=lambda one: one["number"])
    assert {row[:3] for row in kept} == {(job.id, "VoiceScriptAgent", "model_call")}
    ledger = msgspec.json.decode(jobs.get(store, job.id).result, type=JobResult).ledger
    assert [(one["phase"], one["item"], one["status"]) for one in details] == [
        (call.phase, call.item, call.state) for call in ledger
    ]
    assert [one["status"] for one in details][:3] == ["misshapen", "failed", "answered"]
    assert len(details) == len(server.asked)
    assert all(0 < one["latency_s"] <= call.seconds for one, call in zip(details, ledger, strict=True))
    assert all(set(one) == {"number", "phase", "item", "status", "latency_s"} for one in details)

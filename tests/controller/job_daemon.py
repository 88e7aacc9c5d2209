"""The daemon's side of a job in a process of its own, the real worker under it, and orders to kill either.

Run as a script: `job_daemon.py HOME MODEL_URL ORDERS`. It runs the waiting job to its end. ORDERS is a JSON
list of [place, moment, victim]: at the next call of that place, `before` it is done or `after`, kill -9 of
the `worker` or of the `daemon` itself. Each is printed just before. Places are those of `place_of`.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from pitwall.config import Home
from pitwall.contract.messages import Call, CallFailed, Hello, Reply
from pitwall.contract.settings import ModelSettings, PaddockSettings
from pitwall.daemon.paddock.calls import WRITING, CallTable
from pitwall.daemon.paddock.jobs import MODEL_KINDS, JobRunner
from pitwall.daemon.paddock.worker import WorkerProcess
from pitwall.paddock.controller.running_job import Checkpoint
from pitwall.store import jobs
from pitwall.store.store import Store

WRITES = "writes.log"


def place_of(call: Call) -> str:
    """Where a job stands when this call arrives: the phase a checkpoint leads to, else the call's name."""
    if call.name != "job.checkpoint":
        return "discover" if call.name == "sessions" else call.name
    _job, text = msgspec.msgpack.decode(call.arguments)
    return msgspec.json.decode(text, type=Checkpoint).phase


class Deadly(CallTable):
    """The daemon's calls, with the next of the orders waiting for its place."""

    def __init__(self, store: Store, orders: list[list[str]]) -> None:
        super().__init__(store)
        self._orders = orders
        self.worker: WorkerProcess | None = None

    async def answer(self, call: Call) -> Reply | CallFailed:
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
        print(json.dumps(order), flush=True)
        if order[2] == "daemon":
            os.kill(os.getpid(), signal.SIGKILL)
        assert self.worker is not None
        assert self.worker.pid is not None
        os.kill(self.worker.pid, signal.SIGKILL)


def counting(home: Home, save: Callable[..., str]) -> Callable[..., str]:
    """`save`, and a line in a file for each script that was written, whoever lives to hear of it."""

    def counted(
        client: Any, track: str, corner: str, script: dict[str, str], through: str, batch: str
    ) -> str:
        path = save(client, track, corner, script, through, batch)
        with (home.root / WRITES).open("a") as log:
            log.write(f"{corner}\n")
        return path

    return counted


async def run(home: Home, url: str, orders: list[Any]) -> None:
    model = ModelSettings(kind="gemini", base_url=url, api_key="k")
    hello = Hello(home=str(home.root), settings=PaddockSettings(model=model), connected=True)
    WRITING["save_script"] = counting(home, WRITING["save_script"])
    with Store(home) as store:
        store.open()
        jobs.put_back_all(store)
        calls = Deadly(store, orders)
        worker = calls.worker = WorkerProcess(lambda: hello, calls)
        runner = JobRunner(store, worker, lambda: MODEL_KINDS)
        try:
            while await runner.step():
                pass
        finally:
            await worker.aclose()


if __name__ == "__main__":
    asyncio.run(run(Home(Path(sys.argv[1])), sys.argv[2], json.loads(sys.argv[3])))

"""A store with real sessions, and a worker of it: real child processes, loopback only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from until import until

from pitwall.contract.events import Answer, Done, Event
from pitwall.contract.messages import AskRun, Hello
from pitwall.contract.settings import ModelSettings, PaddockSettings
from pitwall.daemon.paddock.calls import CallTable
from pitwall.daemon.paddock.worker import WorkerProcess
from pitwall.store.store import Store

KEY = "planted-secret-key"
WITHIN_S = 120.0
# A loaded machine takes its time to load ADK; no test here is about the budgets.
BUDGETS = {"brief_s": 100.0, "answer_s": 100.0}


def gemini(url: str) -> ModelSettings:
    return ModelSettings(kind="gemini", base_url=url, api_key=KEY)


class Rig:
    """A worker over an open store, with settings that a test may choose."""

    def __init__(self, store: Store, model: ModelSettings, **settings: Any) -> None:
        self.store = store
        self.scripts: list[str] = []
        self.hello = Hello(
            home=str(store.home.root),
            settings=PaddockSettings(model=model, **{**BUDGETS, **settings}),
        )
        calls = CallTable(store, scripts_changed=self.scripts.append)
        self.worker = WorkerProcess(lambda: self.hello, calls)

    def ask(self, prompt: str = "", kind: Any = "ask", **given: Any) -> Any:
        """The events of one run: an async generator, to be closed."""
        return self.worker.run(lambda run: AskRun(run=run, kind=kind, prompt=prompt, **given))

    async def events(self, prompt: str = "", kind: Any = "ask", **given: Any) -> list[Event]:
        async with asyncio.timeout(WITHIN_S), aclosing(self.ask(prompt, kind, **given)) as events:
            return [event async for event in events]

    async def answer(self, prompt: str = "", kind: Any = "ask", **given: Any) -> Answer:
        last = (await self.events(prompt, kind, **given))[-1]
        assert isinstance(last, Done)
        return last.answer


@asynccontextmanager
async def rigged(store: Store, model: ModelSettings | None = None, **settings: Any) -> AsyncIterator[Rig]:
    rig = Rig(store, model or ModelSettings(), **settings)
    before = asyncio.all_tasks()
    try:
        yield rig
    finally:
        async with asyncio.timeout(WITHIN_S):
            await rig.worker.aclose()
    assert rig.worker.state == "none"
    assert not (asyncio.all_tasks() - before), "a task of the worker's owner was left"


def exists(pid: int) -> bool:
    """Whether there is a process of this id that has not ended (one that waits to be reaped has)."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def ended(pid: int) -> None:
    """Wait until the process has ended."""
    await until(lambda: not exists(pid))


def libraries(pid: int) -> str:
    """What shared objects a process has loaded."""
    with open(f"/proc/{pid}/maps") as maps:
        return maps.read()

"""Own the paddock's worker: start it when something is asked, end it when idle, start it again after a crash.

It speaks over an inherited socket pair: there is no port that another app on the phone could find, and no
token to keep; the end of the stream ends the worker, however its owner went.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import suppress
from typing import Any, Literal

from pitwall.contract.events import Event
from pitwall.contract.messages import AskRun, Hello, JobRun, Saved
from pitwall.daemon.paddock.calls import CallTable
from pitwall.daemon.paddock.worker_child import BYE_S, Child, RunRefused, WorkerFailed

__all__ = ["RunRefused", "WorkerFailed", "WorkerProcess", "WorkerState"]

log = logging.getLogger("pitwall")

# A run that is cancelled is gone by then, or its process is.
CANCEL_S = 1.0
# Half a second on a phone; a loaded one takes longer, never this long.
START_S = 30.0

WorkerState = Literal["none", "starting", "ready"]


class WorkerProcess:
    """Runs what is asked in the worker, several at once. Used on one event loop; the store stays open longer.

    `hello` is asked at each start. `aclose` ends the process; a later run starts a new one.
    """

    def __init__(self, hello: Callable[[], Hello], calls: CallTable) -> None:
        self._hello, self._calls = hello, calls
        self._numbers = itertools.count(1)
        self._child: Child | None = None
        self._starting = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._early: asyncio.Task[None] | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._wanted = 0
        self.started = 0
        self.last_error = ""

    @property
    def state(self) -> WorkerState:
        """Return whether there is a process, and whether it takes runs at once."""
        if self._child is None or self._child.gone.is_set():
            return "none"
        return "ready" if self._child.ready is not None else "starting"

    @property
    def pid(self) -> int | None:
        """The process id, None where there is none."""
        return None if self._child is None or self.state == "none" else self._child.pid

    def start_soon(self) -> None:
        """Start the process in the background, unless there is one: a run then finds it ready."""
        if self.state == "none":
            self._early = self._spawn(self._start_early())

    async def _start_early(self) -> None:
        # The next question is answered with why it can't be started.
        with suppress(WorkerFailed):
            await self._ready_child()
        self._look_idle()

    async def run(self, request: Callable[[int], AskRun | JobRun]) -> AsyncGenerator[Event | Saved, None]:
        """The events of one run, in order, and between those of an analysis how far it has come;
        `request` is called with its number when the worker is ready.

        Use it in `contextlib.aclosing`: closing it cancels the run, and returns when nothing of it
        is left, at the latest after CANCEL_S. WorkerFailed: it could not be started, died, or could
        not do this; RunRefused: this can't be done as it was asked.
        """
        self._wanted += 1
        self._forget_idle()
        begun = again = False
        try:
            while True:
                child = await self._ready_child()
                number = next(self._numbers)
                events, asked = child.begin(number), request(number)
                try:
                    child.post(asked)
                    async for event in events:
                        begun = True
                        yield event
                    return
                except WorkerFailed:
                    # It may have died idle, a moment before it was asked. A job is never begun
                    # twice: its checkpoint may be newer by now.
                    if begun or again or not child.trouble or not isinstance(asked, AskRun):
                        raise
                    again = True
                finally:
                    # Owned here: it must let go of the run even if who waits is cancelled once more.
                    await asyncio.shield(self._spawn(child.cancel(number, CANCEL_S)))
        finally:
            self._wanted -= 1
            self._look_idle()

    async def aclose(self, within_s: float = BYE_S) -> None:
        """End the process, after `within_s` by force, and what the store reads for it; nothing is left."""
        self._forget_idle()
        if self._early is not None:
            self._early.cancel()
            await asyncio.wait({self._early})
        async with self._starting:
            if self._child is not None:
                await self._child.end(within_s)
            while self._tasks:
                await asyncio.wait(self._tasks)
            await self._calls.aclose()

    async def _ready_child(self) -> Child:
        async with self._starting:
            child = self._child
            if child is None or child.gone.is_set():
                child = self._child = await Child.start(self._hello())
                self.started += 1
                self._spawn(self._serve(child))
        try:
            async with asyncio.timeout(START_S):
                await child.settled.wait()
        except TimeoutError:
            child.kill()
            raise WorkerFailed(f"The paddock's worker did not start within {START_S:g} s.") from None
        if child.gone.is_set():
            raise WorkerFailed(f"The paddock's worker could not start ({child.trouble}).")
        return child

    async def _serve(self, child: Child) -> None:
        await child.serve(self._calls)
        if child.trouble:
            self.last_error = child.trouble
            log.warning("the paddock's worker failed: %s", child.trouble)

    def _look_idle(self) -> None:
        """With nothing to do, the process ends after a while. Decided here, so that no run meets its end."""
        if self._wanted == 0 and self.state != "none":
            self._forget_idle()
            idle_s = self._hello().settings.idle_s
            self._idle = asyncio.get_running_loop().call_later(idle_s, lambda: self._spawn(self._end_idle()))

    async def _end_idle(self) -> None:
        async with self._starting:
            if self._wanted == 0 and self._child is not None:
                await self._child.end(BYE_S)

    def _forget_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

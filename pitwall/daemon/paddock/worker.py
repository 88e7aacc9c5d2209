"""Own the paddock's worker: start it when asked, end it when idle, again after a crash.

An inherited socket pair needs no port that another app could find and no token; its end ends the
worker, however its owner went."""

from __future__ import annotations

import asyncio
import itertools
import logging
import signal
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import suppress
from typing import Any, Literal

from pitwall.contract.events import Content, Done, Error, Event
from pitwall.contract.messages import (
    AskRun,
    Bye,
    Call,
    CallFailed,
    Cancel,
    FromWorker,
    Gone,
    Hello,
    JobRun,
    Ready,
    RunEvent,
    ToWorker,
)
from pitwall.contract.problems import Refused
from pitwall.daemon.paddock.calls import CallTable
from pitwall.helpers.child_process import ChannelError, MessageTooLarge, ModuleProcess

log = logging.getLogger("pitwall")

# A worker ends at once when asked; else it is stuck.
BYE_S = 1.0
# The worker's threads are fewer.
_CALLS_AT_ONCE = 32
# A reader that lags gets the answer, not each token.
_EVENTS_KEPT = 512
# A fault prints the same line for ever.
_LINES_LOGGED = 500
_LINE_CHARS = 500
_PIECE_BYTES, _LONGEST_LINE_BYTES = 8192, 65_536
_LAST_LINES_S = 0.2
_CLOSED = "The paddock was closed."


class WorkerFailed(Exception):
    """The worker could not start, died, or could not do it: a plain sentence."""


class RunRefused(WorkerFailed):
    """A question can't be answered as it was asked."""


class RunEvents:
    """A run's events for a reader who may be slow: bounded, the answer is never lost."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=_EVENTS_KEPT + 16)
        self._changed = asyncio.Event()
        self.failure: WorkerFailed | Refused | None = None
        self.over = asyncio.Event()
        self.answered = False

    def put(self, event: Event) -> None:
        """Add one. A reader far behind is spared what the answer repeats."""
        self.answered = self.answered or isinstance(event, Done)
        if len(self._events) < _EVENTS_KEPT or isinstance(event, Content | Done | Error):
            self._events.append(event)
            self._changed.set()

    def end(self, failure: WorkerFailed | Refused | None = None) -> None:
        """End with this; the first end counts."""
        if not self.over.is_set():
            self.failure = failure
            self.over.set()
            self._changed.set()

    def __aiter__(self) -> RunEvents:
        return self

    async def __anext__(self) -> Any:
        """Return the next one; raise the failure at the end."""
        while not self._events:
            if self.over.is_set():
                raise self.failure or StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._events.popleft()


class Child:
    """A started worker. `serve` runs as a task until it returns; then the process is reaped."""

    def __init__(self, process: ModuleProcess[FromWorker, ToWorker], hello: Hello) -> None:
        self._process, self._channel, self._hello = process, process.channel, hello
        self._ending = False
        self._last_line, self._logged = "", 0
        self.ready: Ready | None = None
        # It is ready; it has gone.
        self.settled, self.gone = asyncio.Event(), asyncio.Event()
        self.runs: dict[int, RunEvents] = {}
        self.trouble = ""

    @classmethod
    async def start(cls, hello: Hello) -> Child:
        """Start the process and greet it. WorkerFailed."""
        try:
            process: ModuleProcess[FromWorker, ToWorker] = await ModuleProcess.start(
                "pitwall.paddock.worker", FromWorker, own_session=True, keep_output=True
            )
        except OSError as error:
            what = error.strerror or str(error)
            raise WorkerFailed(f"The paddock's worker can't be started: {what}.") from None
        child = cls(process, hello)
        child.post(hello)
        return child

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self._process.pid

    def begin(self, run: int) -> RunEvents:
        """Return the events of a run that is about to be asked for."""
        self.runs[run] = RunEvents()
        return self.runs[run]

    def post(self, message: ToWorker) -> None:
        """Send without waiting. WorkerFailed: too large."""
        try:
            self._channel.post(message)
        except MessageTooLarge as error:
            raise RunRefused(f"That is too much to ask at once ({error}).") from None

    async def serve(self, calls: CallTable) -> None:
        """Listen until it has gone; every run then has its end."""
        output = asyncio.create_task(self._log_output(), name="paddock worker: output")
        try:
            await self._listen(calls)
            await self._process.reap(BYE_S)
            # A process that it started may hold its output open.
            await asyncio.wait({output}, timeout=_LAST_LINES_S)
        finally:
            output.cancel()
            # Nothing was reaped if this task was cancelled.
            self.kill()
            self._channel.close()
            self._tell_the_end()

    async def end(self, within_s: float) -> None:
        """End it in order, after `within_s` by force."""
        self._ending = True
        self.post(Bye())
        try:
            async with asyncio.timeout(within_s):
                await self.gone.wait()
        except TimeoutError:
            self.kill()
            await self.gone.wait()

    async def cancel(self, run: int, within_s: float) -> None:
        """End one run; a worker that does not let go of it is killed."""
        events = self.runs[run]
        if not events.over.is_set():
            self.post(Cancel(run))
            try:
                async with asyncio.timeout(within_s):
                    await events.over.wait()
            except TimeoutError:
                log.warning("the paddock's worker did not let go of a run and is ended")
                self.kill()
                await self.gone.wait()
        del self.runs[run]

    def kill(self) -> None:
        """End it now, and what it started."""
        self._process.kill()

    async def _listen(self, calls: CallTable) -> None:
        slots = asyncio.Semaphore(_CALLS_AT_ONCE)
        async with asyncio.TaskGroup() as tasks:
            answering: set[asyncio.Task[None]] = set()
            try:
                while (message := await self._channel.receive()) is not None:
                    match message:
                        case Ready():
                            self.ready = message
                            self.settled.set()
                        case RunEvent(run, event) if run in self.runs:
                            self.runs[run].put(event)
                        case Gone(run) if run in self.runs:
                            self.runs[run].end(self._failure(message))
                        case Call():
                            await slots.acquire()
                            task = tasks.create_task(self._answer(calls, message))
                            answering.add(task)
                            task.add_done_callback(answering.discard)
                            task.add_done_callback(lambda _: slots.release())
            except ChannelError as error:
                self.trouble = f"it sent what it must not ({error})"
            finally:
                # Nobody is left to reply to.
                for task in answering:
                    task.cancel()

    def _failure(self, gone: Gone) -> WorkerFailed | None:
        if gone.error:
            return RunRefused(gone.error) if gone.refused else WorkerFailed(gone.error)
        broken_off = self._ending and not self.runs[gone.run].answered
        return WorkerFailed(_CLOSED) if broken_off else None

    async def _answer(self, calls: CallTable, call: Call) -> None:
        reply = await calls.answer(call)
        with suppress(ChannelError):
            try:
                await self._channel.send(reply)
            except MessageTooLarge as error:
                await self._channel.send(CallFailed(call.call, "store", f"{call.name}: {error}"))

    async def _log_output(self) -> None:
        output = self._process.output
        begun = b""
        while output is not None and (piece := await output.read(_PIECE_BYTES)):
            *lines, begun = (begun + piece).split(b"\n")
            # Cut anywhere it might show half a key.
            begun = begun if len(begun) <= _LONGEST_LINE_BYTES else b""
            for line in lines:
                self._log(line.decode(errors="replace"))
        self._log(begun.decode(errors="replace"))

    def _log(self, line: str) -> None:
        key = self._hello.settings.model.api_key
        text = (line.replace(key, "***") if key else line).rstrip()[:_LINE_CHARS]
        if text:
            self._last_line = text
            self._logged += 1
            if self._logged <= _LINES_LOGGED:
                log.debug("paddock worker: %s", text)

    def _tell_the_end(self) -> None:
        code = self._process.returncode
        if not self._ending:
            how = "was killed" if code is None else _ended(code)
            self.trouble = self.trouble or f"it {how}: {self._last_line}".removesuffix(": ")
        why = _CLOSED if self._ending else f"The paddock's worker failed ({self.trouble})."
        for events in self.runs.values():
            events.end(WorkerFailed(why))
        self.gone.set()
        self.settled.set()


def _ended(code: int) -> str:
    return f"ended with status {code}" if code >= 0 else f"was ended by {signal.Signals(-code).name}"


# A cancelled run is gone by then, or its process.
CANCEL_S = 1.0
# Half a second on a phone.
START_S = 30.0

WorkerState = Literal["none", "starting", "ready"]


class WorkerProcess:
    """Runs what is asked in the worker, several at once; `aclose` ends the process."""

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
        """Return whether there is a process, and it takes runs."""
        if self._child is None or self._child.gone.is_set():
            return "none"
        return "ready" if self._child.ready is not None else "starting"

    @property
    def pid(self) -> int | None:
        """Return the process id, if any."""
        return None if self._child is None or self.state == "none" else self._child.pid

    def start_soon(self) -> None:
        """Start the process in the background, unless there is one."""
        if self.state == "none":
            self._early = self._spawn(self._start_early())

    async def _start_early(self) -> None:
        # The next question says why it can't be started.
        with suppress(WorkerFailed):
            await self._ready_child()
        self._look_idle()

    async def run(self, request: Callable[[int], AskRun | JobRun]) -> AsyncGenerator[Event, None]:
        """Yield the events of one run; closing it cancels the run. WorkerFailed, RunRefused."""
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
                    # It may have died idle, just before. A job is never begun twice: its checkpoint
                    # may be newer.
                    if begun or again or not child.trouble or not isinstance(asked, AskRun):
                        raise
                    again = True
                finally:
                    # Owned here: it must let go of the run even if its waiter is cancelled once
                    # more.
                    await asyncio.shield(self._spawn(child.cancel(number, CANCEL_S)))
        finally:
            self._wanted -= 1
            self._look_idle()

    async def aclose(self, within_s: float = BYE_S) -> None:
        """End the process, after `within_s` by force; nothing is left."""
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

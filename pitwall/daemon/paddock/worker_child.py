"""A run of the paddock's worker process: starts it, reads its messages, ends it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections import deque
from typing import Any

from pitwall.contract.events import Content, Done, Error, Event
from pitwall.contract.messages import (
    Bye,
    Call,
    CallFailed,
    Cancel,
    FromWorker,
    Gone,
    Hello,
    Ready,
    RunEvent,
    Saved,
    ToWorker,
)
from pitwall.contract.problems import Refused
from pitwall.daemon.paddock.calls import CallTable
from pitwall.helpers.child_process import ChannelError, MessageTooLarge, ModuleProcess

log = logging.getLogger("pitwall")

# A worker ends at once when asked to; what is not gone then is stuck.
BYE_S = 1.0
# The worker's threads are fewer: more calls than this at once are a fault, and wait.
_CALLS_AT_ONCE = 32
# A reader that lags so far behind gets the answer, not each of its tokens.
_EVENTS_KEPT = 512
# What a library prints is for the search for a fault, and a fault prints the same line for ever.
_LINES_LOGGED = 500
_LINE_CHARS = 500
_PIECE_BYTES, _LONGEST_LINE_BYTES = 8192, 65_536
_LAST_LINES_S = 0.2
_CLOSED = "The paddock was closed."


class WorkerFailed(Exception):
    """The worker could not start, died, or could not do what was asked: a plain sentence."""


class RunRefused(WorkerFailed):
    """A question can't be answered as it was asked; the worker is well."""


class RunEvents:
    """A run's events on their way to a reader who may be slow: bounded, and the answer is never lost."""

    def __init__(self) -> None:
        self._events: deque[Event | Saved] = deque(maxlen=_EVENTS_KEPT + 16)
        self._changed = asyncio.Event()
        self.failure: WorkerFailed | Refused | None = None
        self.over = asyncio.Event()
        self.answered = False

    def put(self, event: Event | Saved) -> None:
        """Add one. A reader far behind is spared what the whole text and the answer repeat."""
        self.answered = self.answered or isinstance(event, Done)
        if len(self._events) < _EVENTS_KEPT or isinstance(event, Content | Done | Error | Saved):
            self._events.append(event)
            self._changed.set()

    def end(self, failure: WorkerFailed | Refused | None = None) -> None:
        """Nothing more comes but this. The first end counts."""
        if not self.over.is_set():
            self.failure = failure
            self.over.set()
            self._changed.set()

    def __aiter__(self) -> RunEvents:
        return self

    async def __anext__(self) -> Any:
        """Waiting for the next one may be given up and resumed. The failure is raised at the end."""
        while not self._events:
            if self.over.is_set():
                raise self.failure or StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._events.popleft()


class Child:
    """A started worker. `serve` must run as a task until it returns; then the process is reaped."""

    def __init__(self, process: ModuleProcess[FromWorker, ToWorker], hello: Hello) -> None:
        self._process, self._channel, self._hello = process, process.channel, hello
        self._ending = False
        self._last_line, self._logged = "", 0
        self.ready: Ready | None = None
        # Set when it is ready, and when it has gone.
        self.settled, self.gone = asyncio.Event(), asyncio.Event()
        self.runs: dict[int, RunEvents] = {}
        self.trouble = ""

    @classmethod
    async def start(cls, hello: Hello) -> Child:
        """Start the process and greet it. WorkerFailed where it can't be started."""
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
        """The process id."""
        return self._process.pid

    def begin(self, run: int) -> RunEvents:
        """The events of a run that is about to be asked for."""
        self.runs[run] = RunEvents()
        return self.runs[run]

    def post(self, message: ToWorker) -> None:
        """Tell it, without waiting; a child that has gone is noticed by `serve`. WorkerFailed: too large."""
        try:
            self._channel.post(message)
        except MessageTooLarge as error:
            raise RunRefused(f"That is too much to ask at once ({error}).") from None

    async def serve(self, calls: CallTable) -> None:
        """Listen until it has gone, however it goes; every run then has its end."""
        output = asyncio.create_task(self._log_output(), name="paddock worker: output")
        try:
            await self._listen(calls)
            await self._process.reap(BYE_S)
            # A process that it started may hold its output open: the last lines have come by then.
            await asyncio.wait({output}, timeout=_LAST_LINES_S)
        finally:
            output.cancel()
            # Where this task itself was cancelled nothing was reaped yet.
            self.kill()
            self._channel.close()
            self._tell_the_end()

    async def end(self, within_s: float) -> None:
        """End it in order, by force what is not gone by then; returns when nothing of it is left."""
        self._ending = True
        self.post(Bye())
        try:
            async with asyncio.timeout(within_s):
                await self.gone.wait()
        except TimeoutError:
            self.kill()
            await self.gone.wait()

    async def cancel(self, run: int, within_s: float) -> None:
        """End one run; a worker that does not let go of it in time is killed. Harmless when it is over."""
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
                        case Saved(run) if run in self.runs:
                            self.runs[run].put(message)
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
        with contextlib.suppress(ChannelError):
            try:
                await self._channel.send(reply)
            except MessageTooLarge as error:
                await self._channel.send(CallFailed(call.call, "store", f"{call.name}: {error}"))

    async def _log_output(self) -> None:
        """Log what libraries print at debug, bounded and without the key."""
        output = self._process.output
        begun = b""
        while output is not None and (piece := await output.read(_PIECE_BYTES)):
            *lines, begun = (begun + piece).split(b"\n")
            # Cut anywhere it might show half a key: a line without an end is left out.
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

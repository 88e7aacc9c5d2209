"""A job while it runs: everything it uses is counted and saved before it is used."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from pitwall.contract.events import Event, Progress
from pitwall.contract.jobs import Budget, CallState, ModelCall
from pitwall.paddock.audit import model_call_row
from pitwall.paddock.controller.checkpoint import BudgetSpent, Checkpoint, encoded, require
from pitwall.paddock.controller.resources import (
    JobPort,
    JobResources,
    JobWaits,
    ModelCaller,
    ModelRequest,
    UnusableReply,
)
from pitwall.paddock.offline import NO_MODEL
from pitwall.store.errors import StoreError

# One reply of ten phrases. A model that takes longer does not answer.
CALL_S = 60.0
# When the car moves, a write that has begun may take this long to finish.
_FINISH_S = 0.5
# With less time left, nothing may begin.
_LEAST_S = 0.001
TOO_LONG = "The model took too long."
NO_TIME_LEFT = "the time for this job is used up"

T = TypeVar("T")


class RunningJob:
    """The state of a running job, its budget, and the methods that use the budget."""

    def __init__(
        self,
        job: str,
        state: Checkpoint,
        budget: Budget,
        resources: JobResources,
        port: JobPort,
        emit: Callable[[Event], None],
    ) -> None:
        self.job = job
        self.state, self.budget, self.resources = state, budget, resources
        self.emit = emit
        self._port = port
        self._seconds_before = state.used.seconds
        self._started = asyncio.get_running_loop().time()
        self._call_since_s = 0.0
        # Several agents of one run count their calls at once; the newest state must be saved last.
        self._saving = asyncio.Lock()

    def show_progress(self, text: str) -> None:
        """Show a sentence on the screen."""
        self.emit(Progress(text))

    def seconds(self) -> float:
        """The time spent on this job, over all its restarts."""
        return self._seconds_before + asyncio.get_running_loop().time() - self._started

    def seconds_left(self) -> float:
        """The time until the budget is used up; never under zero."""
        return max(0.0, self.budget.seconds - self.seconds())

    def is_out_of_time(self) -> bool:
        """Whether nothing more may begin. A timer of the event loop may fire a clock tick early."""
        return self.seconds_left() < _LEAST_S

    async def save(self, state: Checkpoint) -> None:
        """Replace and store the state that the job continues from. StoreError."""
        used = msgspec.structs.replace(state.used, seconds=round(self.seconds(), 3))
        self.state = msgspec.structs.replace(state, used=used)
        async with self._saving:
            await finish_write(self._port.checkpoint(encoded(self.state)))

    async def begin_run(self, item: str) -> ModelCall:
        """Record a run of agents that is about to begin. `count` then counts each of its calls.

        BudgetSpent where no model call or no tool call is left.
        """
        self._require(model_calls=1, tool_calls=1)
        return await self._begin(item, calls=0)

    async def count(self, run: ModelCall, *, model_calls: int = 0, tool_calls: int = 0) -> None:
        """Record calls before a run makes them, so that a kill loses none. BudgetSpent, StoreError."""
        self._require(model_calls=model_calls, tool_calls=tool_calls)
        line = self._line(run)
        state = self.state.having_used(model_calls=model_calls, tool_calls=tool_calls)
        await self.save(state.with_call(msgspec.structs.replace(line, calls=line.calls + model_calls)))

    def end_call(self, call: ModelCall, state: CallState, why: str = "") -> None:
        """Record how a call or a run ended. The next `save` stores it."""
        took_s = round(self.seconds() - self._call_since_s, 3)
        done = msgspec.structs.replace(self._line(call), state=state, seconds=took_s, why=why)
        self.state = self.state.with_call(done)

    async def stopped(self) -> None:
        """Record the calls that are lost because the job is cancelled."""
        for call in self.state.ledger:
            if call.state == "begun":
                self.end_call(call, "lost")
        # If this can't be saved, the calls count as after a kill.
        with contextlib.suppress(StoreError, OSError, TimeoutError):
            async with asyncio.timeout(_FINISH_S):
                await self.save(self.state)

    async def call(self, item: str, request: ModelRequest) -> dict[str, Any]:
        """One typed reply of the model. The caller saves the state that follows from it.

        BudgetSpent; JobWaits where there is no model or it fails; UnusableReply.
        """
        caller = self.resources.caller
        if caller is None:
            raise JobWaits(NO_MODEL)
        self._require(model_calls=1)
        call = await self._begin(item, calls=1)
        try:
            reply = await self._audited(caller, request, call)
        except UnusableReply as bad:
            self.end_call(call, "misshapen", str(bad))
            raise
        except (JobWaits, TimeoutError) as error:
            why = str(error) or TOO_LONG
            self.end_call(call, "failed", why)
            await self.save(self.state)
            if self.is_out_of_time():
                raise BudgetSpent(NO_TIME_LEFT) from error
            raise JobWaits(why) from error
        self.end_call(call, "answered")
        return reply

    async def _audited(self, caller: ModelCaller, request: ModelRequest, call: ModelCall) -> dict[str, Any]:
        """The reply within its time. The audit trail records how the call ended, also where it failed."""
        began_s = self.seconds()
        ended: CallState = "lost"
        try:
            async with asyncio.timeout(min(CALL_S, self.seconds_left())):
                reply = await caller(request)
            ended = "answered"
            return reply
        except UnusableReply:
            ended = "misshapen"
            raise
        except (JobWaits, TimeoutError):
            ended = "failed"
            raise
        finally:
            done = msgspec.structs.replace(call, state=ended, seconds=round(self.seconds() - began_s, 3))
            # A failing audit trail neither ends nor delays a job.
            with contextlib.suppress(StoreError, OSError, TimeoutError):
                async with asyncio.timeout(_FINISH_S):
                    await self._port.audit(model_call_row(self.job, time.time(), request.agent, done))

    async def tool(self, function: Callable[..., T], *args: Any, **named: Any) -> T:
        """Call a reading tool in a thread. BudgetSpent where no tool call or no time is left."""
        self._count_tool()
        return await self.read(function, *args, **named)

    async def read(self, function: Callable[..., T], *args: Any, **named: Any) -> T:
        """Read in a thread; this counts as no tool call. BudgetSpent where no time is left."""
        self._require()
        try:
            async with asyncio.timeout(self.seconds_left()):
                return await asyncio.to_thread(function, *args, **named)
        except TimeoutError:
            raise BudgetSpent(NO_TIME_LEFT) from None

    async def write(self, state: Checkpoint, function: Callable[..., T], *args: Any) -> T:
        """Call a writing tool: save `state` with its intention first, then let the write finish."""
        self.state = state
        self._count_tool()
        await self.save(self.state)
        return await finish_write(asyncio.to_thread(function, *args))

    async def _begin(self, item: str, calls: int) -> ModelCall:
        number = len(self.state.ledger) + 1
        call = ModelCall(number=number, phase=self.state.phase, item=item, state="begun", calls=calls)
        self._call_since_s = self.seconds()
        await self.save(self.state.having_used(model_calls=calls).with_call(call))
        return call

    def _line(self, call: ModelCall) -> ModelCall:
        """The call's line in the ledger as it is now."""
        return next(one for one in self.state.ledger if one.number == call.number)

    def _count_tool(self) -> None:
        self._require(tool_calls=1)
        self.state = self.state.having_used(tool_calls=1)

    def _require(self, **more: float) -> None:
        """BudgetSpent where so many more calls, or the time since the last save, are too much."""
        since_save_s = max(_LEAST_S, self.seconds() - self.state.used.seconds)
        require(self.state.used, self.budget, **more, seconds=since_save_s)


async def finish_write(work: Awaitable[T]) -> T:
    """Await a short write. When cancelled, wait until the write ends, so that nobody finds it half done."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        done, _ = await asyncio.wait({task}, timeout=_FINISH_S)
        task.cancel()
        for one in done:
            one.exception()  # retrieved, so that asyncio does not log it
        raise

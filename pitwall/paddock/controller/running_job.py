"""One job while it is worked on: what it used is counted before it is used, and kept before it goes on."""

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
from pitwall.paddock.controller.checkpoint import Checkpoint, encoded
from pitwall.paddock.controller.deciding import BudgetSpent, require
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

# One reply of ten phrases. A model that thinks for longer is as good as gone.
CALL_S = 60.0
# A write that has begun is seen to its end also where the car moves; the rest of the second is the worker's.
_FINISH_S = 0.5
TOO_LONG = "The model took too long."

T = TypeVar("T")


class RunningJob:
    """The state of a running job, its budget, and the only ways to spend it."""

    def __init__(
        self,
        job: str,
        state: Checkpoint,
        budget: Budget,
        resources: JobResources,
        port: JobPort,
        emit: Callable[[Event], None],
    ) -> None:
        self._job = job
        self.state, self.budget, self.resources = state, budget, resources
        self._port, self._emit = port, emit
        self._seconds_before = state.used.seconds
        self._started = asyncio.get_running_loop().time()
        self._call_since_s = 0.0
        # Agents of one run count their calls at the same time; what is kept last must be the newest.
        self._keeping = asyncio.Lock()

    def tell(self, text: str) -> None:
        """A progress sentence onto the screen."""
        self._emit(Progress(text))

    def show(self, event: Event) -> None:
        """An event of a run within the job."""
        self._emit(event)

    def seconds(self) -> float:
        """Of work on this job, over all its restarts."""
        return self._seconds_before + asyncio.get_running_loop().time() - self._started

    def seconds_left(self) -> float:
        """Until the budget is used up; never under zero."""
        return max(0.0, self.budget.seconds - self.seconds())

    async def save(self, state: Checkpoint) -> None:
        """From here on the job goes on from this state. StoreError where it can't be kept."""
        used = msgspec.structs.replace(state.used, seconds=round(self.seconds(), 3))
        self.state = msgspec.structs.replace(state, used=used)
        async with self._keeping:
            await finish_write(self._port.checkpoint(encoded(self.state)))

    async def begin_call(self, item: str) -> ModelCall:
        """Write down a model call that is about to be made, so that it counts even if all is lost.

        BudgetSpent where there is none left.
        """
        require(self.state.used, self.budget, model_calls=1, seconds=self._moment())
        return await self._begin(item, calls=1)

    async def begin_run(self, item: str) -> ModelCall:
        """Write down a run of agents that is about to begin; `count` is told of each of its calls.

        BudgetSpent where there is no call left that it could make.
        """
        require(self.state.used, self.budget, model_calls=1, tool_calls=1, seconds=self._moment())
        return await self._begin(item, calls=0)

    async def count(self, run: ModelCall, *, model_calls: int = 0, tool_calls: int = 0) -> None:
        """So many calls are about to be made within a run: kept first, so that a kill hides none.

        BudgetSpent where they would be too many. StoreError.
        """
        require(
            self.state.used,
            self.budget,
            model_calls=model_calls,
            tool_calls=tool_calls,
            seconds=self._moment(),
        )
        line = self._line(run)
        state = self.state.having_used(model_calls=model_calls, tool_calls=tool_calls)
        await self.save(state.with_call(msgspec.structs.replace(line, calls=line.calls + model_calls)))

    def end_call(self, call: ModelCall, state: CallState, why: str = "") -> None:
        """Its reply is there, or will not come. Kept with the next `save`."""
        took_s = round(self.seconds() - self._call_since_s, 3)
        done = msgspec.structs.replace(self._line(call), state=state, seconds=took_s, why=why)
        self.state = self.state.with_call(done)

    async def stopped(self) -> None:
        """The car moved off, or the connection went: what was on its way is lost, and told as it was."""
        for call in self.state.ledger:
            if call.state == "begun":
                self.end_call(call, "lost")
        # Not kept it counts as after a kill.
        with contextlib.suppress(StoreError, OSError, TimeoutError):
            async with asyncio.timeout(_FINISH_S):
                await self.save(self.state)

    async def call(self, item: str, ask: ModelRequest) -> dict[str, Any]:
        """One typed reply of the model; the caller saves the state with what he makes of it.

        BudgetSpent, JobWaits where there is no model or it fails, Misshapen where its reply is of no use.
        """
        caller = self.resources.caller
        if caller is None:
            raise JobWaits(NO_MODEL)
        call = await self.begin_call(item)
        try:
            reply = await self._audited(caller, ask, call)
        except UnusableReply as bad:
            self.end_call(call, "misshapen", str(bad))
            raise
        except (JobWaits, TimeoutError) as error:
            why = str(error) or TOO_LONG
            self.end_call(call, "failed", why)
            await self.save(self.state)
            if not self.seconds_left():
                require(self.state.used, self.budget, seconds=self._moment())
            raise JobWaits(why) from error
        self.end_call(call, "answered")
        return reply

    async def _audited(self, caller: ModelCaller, ask: ModelRequest, call: ModelCall) -> dict[str, Any]:
        """The reply in time; the audit trail tells how it went, whatever that was."""
        began_s = self.seconds()
        ended: CallState = "lost"
        try:
            async with asyncio.timeout(min(CALL_S, self.seconds_left())):
                reply = await caller(ask)
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
            # No job is given up, nor held up for long, for want of its trail.
            with contextlib.suppress(StoreError, OSError, TimeoutError):
                async with asyncio.timeout(_FINISH_S):
                    await self._port.audit(model_call_row(self._job, time.time(), ask.agent, done))

    async def tool(self, function: Callable[..., T], *args: Any, **named: Any) -> T:
        """A tool that reads, in a thread. BudgetSpent where no tool call or no time is left."""
        self._count_tool()
        return await self.read(function, *args, **named)

    async def read(self, function: Callable[..., T], *args: Any, **named: Any) -> T:
        """A look at the facts that is no tool call, in a thread. BudgetSpent where no time is left."""
        require(self.state.used, self.budget, seconds=self._moment())
        try:
            async with asyncio.timeout(self.seconds_left()):
                return await asyncio.to_thread(function, *args, **named)
        except TimeoutError:
            raise BudgetSpent("the time for this job is used up") from None

    async def write(self, state: Checkpoint, function: Callable[..., T], *args: Any) -> T:
        """A tool that writes: `state`, with its intention, is kept first; then it is seen to its end."""
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
        """That line of the ledger as it stands now."""
        return next(one for one in self.state.ledger if one.number == call.number)

    def _count_tool(self) -> None:
        require(self.state.used, self.budget, tool_calls=1, seconds=self._moment())
        self.state = self.state.having_used(tool_calls=1)

    def _moment(self) -> float:
        """What the clock has gone on since the state was kept: no time left resources nothing may begin."""
        return max(0.001, self.seconds() - self.state.used.seconds)


async def finish_write(work: Awaitable[T]) -> T:
    """Await a short write. Cancelled meanwhile, it waits for the write's end first, so that whoever goes on
    with the job does not meet it half done."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        done, _ = await asyncio.wait({task}, timeout=_FINISH_S)
        task.cancel()
        for one in done:
            one.exception()  # looked at: whoever cancelled does not care whether it failed
        raise

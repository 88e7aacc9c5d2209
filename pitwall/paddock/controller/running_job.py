"""A job that is being worked on, and its checkpoint, with which it continues after a kill."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, Literal, TypeVar

import msgspec

from pitwall.analysis.tool_kit import Toolbox
from pitwall.contract.events import Event, Progress
from pitwall.contract.jobs import Budget, CallState, ModelCall, Phase, Used
from pitwall.paddock.controller.resources import (
    JobPort,
    JobWaits,
    ModelCaller,
    ModelRequest,
    UnusableReply,
)
from pitwall.paddock.offline import NO_MODEL
from pitwall.paddock.runs import called, model_call_row
from pitwall.store.errors import StoreError

EndState = Literal["done", "failed", "BUDGET_EXHAUSTED", "STAGNATED"]
ItemState = Literal["open", "committed", "given_up"]

VERSION = 1
_LIMITS: tuple[tuple[str, str], ...] = (
    ("iterations", "the iterations are used up ({used} of {most})"),
    ("model_calls", "the model calls are used up ({used} of {most})"),
    ("tool_calls", "the tool calls are used up ({used} of {most})"),
    ("seconds", "the time for this job is used up ({used:.0f} of {most:.0f} s)"),
)


class BudgetSpent(Exception):
    """The next step would exceed the budget: the message says which limit."""


class JobItem(msgspec.Struct, frozen=True, kw_only=True):
    """A thing to do. `facts`, `draft`: JSON or "". `intention`: digest of a write that begins."""

    id: str
    state: ItemState = "open"
    facts: str = ""
    draft: str = ""
    attempts: int = 0
    problems: tuple[str, ...] = ()
    intention: str = ""
    outcome: str = ""


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """`phase` comes next and is about the item `current`. `notes`: the work's own JSON."""

    version: int = VERSION
    phase: Phase = "discover"
    items: tuple[JobItem, ...] = ()
    current: str = ""
    used: Used = Used()
    ledger: tuple[ModelCall, ...] = ()
    end: EndState | None = None
    why: str = ""
    notes: str = ""

    @property
    def item(self) -> JobItem:
        """The current item. LookupError where there is none."""
        return {item.id: item for item in self.items}[self.current]

    def with_item(self, **changes: object) -> Checkpoint:
        """A copy with the current item changed."""
        changed = msgspec.structs.replace(self.item, **changes)
        items = tuple(changed if item.id == changed.id else item for item in self.items)
        return msgspec.structs.replace(self, items=items)

    def having_used(self, **more: int) -> Checkpoint:
        """A copy with that much more used."""
        sums = {name: getattr(self.used, name) + amount for name, amount in more.items()}
        return msgspec.structs.replace(self, used=msgspec.structs.replace(self.used, **sums))

    def with_call(self, call: ModelCall) -> Checkpoint:
        """A copy with this line of the ledger added, or put in place of its older version."""
        rest = tuple(one for one in self.ledger if one.number != call.number)
        return msgspec.structs.replace(self, ledger=(*rest, call))

    def ended(self, end: EndState, why: str) -> Checkpoint:
        """A copy that has ended. The phase stays as it was."""
        return msgspec.structs.replace(self, end=end, why=why)


def decoded(text: str, call_s: float) -> Checkpoint:
    """The checkpoint to continue from, new for "". A begun call counts in full. ValueError."""
    if not text:
        return Checkpoint()
    try:
        found = msgspec.json.decode(text, type=Checkpoint)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise ValueError(f"the job's checkpoint can't be read: {error}") from None
    if found.version != VERSION:
        raise ValueError(f"the job's checkpoint has version {found.version}, this program knows {VERSION}")
    for call in found.ledger:
        if call.state == "begun":
            found = found.with_call(msgspec.structs.replace(call, state="lost", seconds=call_s))
            seconds = found.used.seconds + call_s
            found = msgspec.structs.replace(found, used=msgspec.structs.replace(found.used, seconds=seconds))
    return found


def encoded(state: Checkpoint) -> str:
    """The text of `jobs.checkpoint`."""
    return msgspec.json.encode(state).decode()


def require(used: Used, budget: Budget, **more: float) -> None:
    """Check that so much more may be used. BudgetSpent."""
    for name, text in _LIMITS:
        if name in more and getattr(used, name) + more[name] > getattr(budget, name):
            raise BudgetSpent(text.format(used=getattr(used, name), most=getattr(budget, name)))


def decide(state: Checkpoint, budget: Budget) -> Checkpoint:
    """End the job, or go on with the first open item of the plan. No model decides this."""
    following = next((item for item in state.items if item.state == "open"), None)
    if following is None:
        if any(item.state == "committed" for item in state.items):
            return state.ended("done", "")
        reasons = dict.fromkeys(item.outcome for item in state.items if item.outcome)
        return state.ended("failed", "; ".join(reasons) or "there was nothing to do")
    if state.used.since_commit >= budget.stagnation:
        return state.ended("STAGNATED", f"{state.used.since_commit} iterations in a row committed nothing")
    try:
        # One more iteration needs at least this.
        require(state.used, budget, iterations=1, seconds=0.001)
    except BudgetSpent as spent:
        return state.ended("BUDGET_EXHAUSTED", str(spent))
    return msgspec.structs.replace(state, current=following.id, phase="execute")


# One reply of ten phrases takes less.
CALL_S = 60.0
# When the car moves, a write that has begun may take this long to finish.
_FINISH_S = 0.5
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
        port: JobPort,
        emit: Callable[[Event], None],
    ) -> None:
        self.job = job
        self.state, self.budget = state, budget
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
        """Return whether nothing more may begin. A loop's timer may fire a clock tick early."""
        return self.seconds_left() < _LEAST_S

    async def save(self, state: Checkpoint) -> None:
        """Replace and store the state that the job continues from. StoreError."""
        used = msgspec.structs.replace(state.used, seconds=round(self.seconds(), 3))
        self.state = msgspec.structs.replace(state, used=used)
        async with self._saving:
            await finish_write(self._port.checkpoint(encoded(self.state)))

    async def begin_run(self, item: str, *, tool_calls: int = 1) -> ModelCall:
        """Record a run of agents that is about to begin; `count` counts its calls. BudgetSpent."""
        self._require(model_calls=1, tool_calls=tool_calls)
        return await self._begin(item, calls=0)

    async def count(self, run: ModelCall, *, model_calls: int = 0, tool_calls: int = 0) -> None:
        """Record calls before a run makes them, so that a kill loses none. BudgetSpent."""
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

    async def call(self, caller: ModelCaller | None, item: str, request: ModelRequest) -> dict[str, Any]:
        """A typed reply; the caller saves it. BudgetSpent, JobWaits, UnusableReply."""
        if caller is None:
            raise JobWaits(NO_MODEL)
        self._require(model_calls=1)
        call, began_s = await self._begin(item, calls=1), self.seconds()
        ended: CallState = "lost"
        why = ""
        try:
            async with asyncio.timeout(min(CALL_S, self.seconds_left())):
                reply = await caller(request)
            ended = "answered"
            return reply
        except UnusableReply as bad:
            ended, why = "misshapen", str(bad)
            raise
        except (JobWaits, TimeoutError) as error:
            ended, why = "failed", str(error) or TOO_LONG
            if self.is_out_of_time():
                raise BudgetSpent(NO_TIME_LEFT) from error
            raise JobWaits(why, getattr(error, "rest_s", 0.0)) from error
        finally:
            if ended != "lost":
                self.end_call(call, ended, why)
            done = msgspec.structs.replace(call, state=ended, seconds=round(self.seconds() - began_s, 3))
            # A failing audit trail neither ends nor delays a job.
            with contextlib.suppress(StoreError, OSError, TimeoutError):
                async with asyncio.timeout(_FINISH_S):
                    await self._port.audit(model_call_row(self.job, time.time(), request.agent, done))
            if ended == "failed":
                await self.save(self.state)

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
        return next(one for one in self.state.ledger if one.number == call.number)

    def _count_tool(self) -> None:
        self._require(tool_calls=1)
        self.state = self.state.having_used(tool_calls=1)

    def _require(self, **more: float) -> None:
        """BudgetSpent where these further calls, or the time since the last save, are too much."""
        since_save_s = max(_LEAST_S, self.seconds() - self.state.used.seconds)
        require(self.state.used, self.budget, **more, seconds=since_save_s)


async def finish_write(work: Awaitable[T]) -> T:
    """Await a short write, to its end even when cancelled."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        done, _ = await asyncio.wait({task}, timeout=_FINISH_S)
        task.cancel()
        for one in done:
            one.exception()  # retrieved, so that asyncio does not log it
        raise


_NO_TOOL_CALLS = {"error": "no tool calls are left", "what_to_do": "answer from what was found so far"}


class RunMeter:
    """Counts a run's calls before each. `run`: its line in the ledger; `spent`: the budget."""

    def __init__(self, running: RunningJob, run: ModelCall, tool_calls: int) -> None:
        self._running, self._run = running, run
        self._tool_calls = tool_calls
        self.spent: BudgetSpent | None = None

    async def model_call(self) -> None:
        """Await this before each call of the model. BudgetSpent, StoreError."""
        try:
            await self._running.count(self._run, model_calls=1)
        except BudgetSpent as spent:
            self.spent = spent
            raise

    def toolbox(self, tools: Toolbox) -> Toolbox:
        """The same tools, async and counted. Each refuses once all calls are spent."""
        return {name: self._counted(function) for name, function in tools.items()}

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        async def counted(*args: Any, **named: Any) -> Any:
            if self._tool_calls <= 0:
                return _NO_TOOL_CALLS
            self._tool_calls -= 1
            try:
                await self._running.count(self._run, tool_calls=1)
            except BudgetSpent:
                return _NO_TOOL_CALLS
            return await called(function, *args, **named)

        return counted

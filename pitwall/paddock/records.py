"""The daemon, which has the records and computes with them, as the worker sees it over the channel."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from pitwall.analysis.port import scripts_in, track_in
from pitwall.analysis.tool_kit import Result, Toolbox
from pitwall.config import Home
from pitwall.contract.messages import Call, CallFailed, JobState, Reply
from pitwall.paddock.composed import SCRIPT_TOOL, tools_through
from pitwall.paddock.context import Section
from pitwall.paddock.runs import AgentEvent
from pitwall.store.errors import StoreError
from pitwall.store.queries import SessionRow
from pitwall.track.model import Track
from pitwall.words.language import Language

_GONE = "the daemon has gone"

T = TypeVar("T")


class CallRefused(StoreError):
    """The call can't be right however often it is made."""


class Calls:
    """Calls to the daemon on their way, on the event loop; `wait_for` is for threads."""

    def __init__(self, send: Callable[[Call], Any]) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._closed = False

    async def call(self, name: str, *arguments: Any) -> bytes:
        """Ask, and wait for the reply. StoreError, OSError."""
        if self._closed:
            raise StoreError(_GONE)
        number = next(self._numbers)
        future: asyncio.Future[bytes] = self._loop.create_future()
        self._waiting[number] = future
        try:
            await self._send(Call(number, name, msgspec.msgpack.encode(arguments)))
            return await future
        finally:
            del self._waiting[number]

    def wait_for(self, name: str, *arguments: Any) -> bytes:
        """The same from a thread, which it holds up."""
        return asyncio.run_coroutine_threadsafe(self.call(name, *arguments), self._loop).result()

    def take(self, reply: Reply | CallFailed) -> None:
        """Hand a reply to the call that waits for it, if it still does."""
        future = self._waiting.get(reply.call)
        if future is None or future.done():
            return
        if isinstance(reply, Reply):
            future.set_result(reply.body)
        else:
            future.set_exception(_FAILURES[reply.kind](reply.text))

    def close(self) -> None:
        """No reply will come any more."""
        self._closed = True
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(StoreError(_GONE))


_FAILURES: dict[str, type[Exception]] = {"store": StoreError, "os": OSError, "refused": CallRefused}


class SessionDesk:
    """`Composed` over the channel for a session as it was found; None: nothing is recorded."""

    def __init__(self, records: RemoteRecords, row: SessionRow | None) -> None:
        self._records, self.row = records, row

    def toolbox(self) -> Toolbox:
        """All tools, also the one that changes a voice script."""
        return tools_through(self._records.home, self._tool, save=lambda *_: "")

    def _tool(self, name: str, arguments: dict[str, Any]) -> Result:
        if name == SCRIPT_TOOL:
            return self._records.ask(Result, SCRIPT_TOOL, self.row, arguments)
        return self._composed(Result, "tool", name, arguments)

    def __call__(self, agent: str, question: str) -> str:
        return self._composed(str, "__call__", agent, question)

    def fetched(self, agent: str, question: str, tools: tuple[str, ...] = ()) -> dict[str, Any]:
        return self._composed(dict[str, Any], "fetched", agent, question, tools)

    def arguments(self, goal: str, question: str, tools: Sequence[str]) -> dict[str, dict[str, Any]]:
        return self._composed(dict[str, dict[str, Any]], "arguments", goal, question, tools)

    def sections(self, agent: str, question: str) -> list[Section]:
        return self._composed(list[Section], "sections", agent, question)

    def _composed(self, kind: type[T], method: str, *given: Any) -> T:
        return self._records.ask(kind, "composed", self.row, method, given)


class RemoteRecords:
    """The records that jobs use and write, for threads; a write is durable. StoreError."""

    def __init__(self, calls: Calls, home: Home) -> None:
        self._calls, self.home = calls, home

    def about(self, session: str) -> SessionDesk:
        """The desk for a session: an id, its beginning, a name, or "last". CallRefused."""
        # mypy has no way to say that a union is a type to decode.
        kind: Any = SessionRow | None
        return SessionDesk(self, self.ask(kind, "session", session))

    def sessions(self) -> list[SessionRow]:
        """All sessions in the order in which they were driven."""
        return self.ask(list[SessionRow], "sessions")

    def track(self, track_id: str) -> Track | None:
        return track_in(self.home, track_id)

    @property
    def words(self) -> Language:
        return self.home.words

    def scripts(self, track: Track) -> dict[str, dict[str, str]]:
        """Return what is spoken there now: corner id -> key of a script file -> text."""
        return scripts_in(self.home, track)

    def save_script(
        self, track: Track, corner: str, script: Mapping[str, str], through: str, batch: str
    ) -> str:
        """Write a checked voice script; its path. One `batch` is undone together. OSError."""
        return self.ask(str, "save_script", track.id, corner, dict(script), through, batch)

    def put_trail(self, rows: Sequence[AgentEvent]) -> None:
        """Keep an answer's audit trail. StoreError."""
        self.ask(type(None), "trail", [msgspec.structs.astuple(row) for row in rows])

    def ask(self, kind: type[T], name: str, *arguments: Any) -> T:
        """The answer to a call. StoreError, OSError."""
        return msgspec.msgpack.decode(self._calls.wait_for(name, *arguments), type=kind)


class RemoteJob:
    """`controller.resources.JobPort` of one job over the channel."""

    def __init__(self, calls: Calls, job: str) -> None:
        self._calls, self._job = calls, job

    async def checkpoint(self, text: str) -> None:
        await self._calls.call("job.checkpoint", self._job, text)

    async def finish(self, state: JobState, result: str) -> None:
        await self._calls.call("job.finish", self._job, state, result)

    async def audit(self, row: AgentEvent) -> None:
        await self._calls.call("trail", [msgspec.structs.astuple(row)])

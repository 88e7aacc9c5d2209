"""What the paddock's worker may ask of the daemon: one table of calls over the store, answered in threads."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, get_type_hints

import duckdb
import msgspec

from pitwall.analysis.store_facts import StoreFacts
from pitwall.coach.cue import LedgerLine
from pitwall.contract.messages import Call, CallFailed, FramesPage, JobState, Reply
from pitwall.contract.scripts import ScriptAuthor
from pitwall.store import handover, jobs
from pitwall.store.errors import StoreError
from pitwall.store.lessons import DriverEvent, Lesson, put_lessons, put_profile_events
from pitwall.store.queries import SessionRow, SignalRange
from pitwall.store.readers import INTERRUPT_EVERY_S, Reader, Stopped
from pitwall.store.sqlanswer import Refusal, SqlAnswer
from pitwall.store.store import Store
from pitwall.track.lap import CornerPass, Lap

log = logging.getLogger("pitwall")

# Two read, so that a long session does not hold up a short question; one writes, so that writes keep order.
READERS = 2

Told = Callable[[str], None]
# job, unix seconds, agent, kind, detail: a row of `agent_events`.
TrailRow = tuple[str | None, float, str, str, str]


class _Refused(Exception):
    """The call can't be right however often it is made."""


class _Client(Reader):
    """The store for one call: what it reads can be interrupted, what it writes can't."""

    def __init__(self, store: Store, model: str) -> None:
        super().__init__(store)
        self.whole, self.model = store, model

    def put(self, sql: str, values: list[object]) -> None:
        self.whole.put(sql, values)

    def flush(self) -> bool:
        return self.whole.flush()


class CallTable:
    """Answers `Call`s on the event loop that `answer` is awaited on. The store must stay open until `aclose`.

    `scripts_changed(track)` is told on the loop when a voice script was written. `model`: who is asked.
    """

    def __init__(self, store: Store, *, scripts_changed: Told = lambda track: None, model: str = "") -> None:
        self._store, self._scripts_changed, self._model = store, scripts_changed, model
        self._pools: dict[bool, ThreadPoolExecutor] = {}
        self._busy: dict[asyncio.Future[Any], _Client] = {}
        handover.clear(store.handover)

    async def answer(self, call: Call) -> Reply | CallFailed:
        """The reply to one call. Whoever stops waiting for it stops its reading too."""
        read, write = READING.get(call.name), WRITING.get(call.name)
        function = read or write
        if function is None:
            return CallFailed(call.call, "refused", f"there is no call {call.name[:60]!r}")
        try:
            arguments = msgspec.msgpack.decode(call.arguments, type=_ARGUMENTS[call.name])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return CallFailed(call.call, "refused", f"{call.name} was called wrongly: {error}")
        client = _Client(self._store, self._model)
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._pool(read is not None), _encoded, function, client, arguments)
        self._busy[future] = client
        future.add_done_callback(self._done)
        try:
            body = await asyncio.shield(future)
        except asyncio.CancelledError:
            if read:
                self._interrupt(future, client)
            raise
        except Exception as error:
            return _failed(call, error)
        if call.name == "save_script":
            self._scripts_changed(arguments[0])
        return Reply(call.call, body)

    async def aclose(self) -> None:
        """Interrupt what reads, wait for what writes; no thread and no file is left. It may be used again.

        The worker has ended by then.
        """
        for future, client in list(self._busy.items()):
            self._interrupt(future, client)
        if self._busy:
            await asyncio.wait(list(self._busy))
        for pool in self._pools.values():
            pool.shutdown(wait=True)
        self._pools.clear()
        handover.clear(self._store.handover)

    def _pool(self, reads: bool) -> ThreadPoolExecutor:
        """Threads are there from the first call on: most of a daemon's life nobody asks."""
        if reads not in self._pools:
            self._pools[reads] = ThreadPoolExecutor(
                READERS if reads else 1, thread_name_prefix="paddock reading" if reads else "paddock writing"
            )
        return self._pools[reads]

    def _interrupt(self, future: asyncio.Future[Any], client: _Client) -> None:
        # DuckDB forgets an interrupt that falls between two statements: it is said until it is heard.
        if not future.done():
            client.stop()
            asyncio.get_running_loop().call_later(INTERRUPT_EVERY_S, self._interrupt, future, client)

    def _done(self, future: asyncio.Future[Any]) -> None:
        self._busy.pop(future, None)
        if not future.cancelled():
            future.exception()  # looked at, so that it is not reported as forgotten


def _encoded(function: Callable[..., Any], client: _Client, arguments: Sequence[Any]) -> bytes:
    client.check()
    try:
        return msgspec.msgpack.encode(function(client, *arguments))
    finally:
        # An interrupt of ours shows as an error, or as an answer that tells of one.
        client.check()


def _failed(call: Call, error: Exception) -> CallFailed:
    if isinstance(error, StoreError):
        return CallFailed(call.call, "store", str(error))
    if isinstance(error, Stopped):
        return CallFailed(call.call, "store", "the daemon is ending")
    if isinstance(error, duckdb.Error):
        return CallFailed(call.call, "store", f"the store can't answer: {str(error).splitlines()[0]}")
    if isinstance(error, OSError):
        return CallFailed(call.call, "os", error.strerror or str(error))
    if isinstance(error, _Refused | ValueError):
        return CallFailed(call.call, "refused", str(error))
    log.error("paddock: %s failed", call.name, exc_info=error)
    return CallFailed(call.call, "store", f"{call.name} failed; the log has the reason")


# The calls. Their annotations are the types that arguments are decoded to.


def _sessions(client: _Client) -> list[SessionRow]:
    return StoreFacts(client).sessions()


def _laps(client: _Client, session: str) -> list[Lap]:
    return StoreFacts(client).laps(session)


def _corner_passes(client: _Client, session: str) -> list[CornerPass]:
    return StoreFacts(client).corner_passes(session)


def _frames(client: _Client, session: str, from_t: float | None) -> FramesPage:
    return FramesPage(*handover.write_frames(client, session, from_t))


def _events(client: _Client, session: str) -> list[DriverEvent]:
    return StoreFacts(client).events(session)


def _signal_ranges(client: _Client, session: str, words: list[str]) -> list[SignalRange]:
    return StoreFacts(client).signal_ranges(session, words)


def _cues(client: _Client, session: str) -> list[LedgerLine]:
    return StoreFacts(client).cues(session)


def _lessons(client: _Client) -> list[Lesson]:
    return StoreFacts(client).lessons()


def _sql(client: _Client, sql: str) -> SqlAnswer | Refusal:
    return StoreFacts(client).sql(sql)


def _save_script(
    client: _Client, track_id: str, corner: str, script: dict[str, str], through: str, batch: str
) -> str:
    from pitwall.coach.scripts import check_script
    from pitwall.store.voice_scripts import save_script

    track = StoreFacts(client).track(track_id)
    if track is None:
        raise _Refused(f"no track {track_id[:60]!r} is known")
    # The worker's tools check too; nothing is written on the word of another process.
    problems = check_script(corner, script, track, client.home.words)
    if problems:
        raise _Refused("; ".join(problems))
    through = f"{through}, {client.model}" if client.model else through
    return save_script(client.home, track, corner, script, ScriptAuthor("model", through, batch))


def _put_events(client: _Client, session: str, events: list[DriverEvent]) -> None:
    put_profile_events(client, session, events)


def _put_lessons(client: _Client, found: list[Lesson]) -> None:
    put_lessons(client, found)


def _trail(client: _Client, rows: list[TrailRow]) -> None:
    for row in rows:
        client.put("INSERT INTO agent_events VALUES (?, ?, ?, ?, ?)", list(row))


def _checkpoint(client: _Client, job: str, text: str) -> None:
    jobs.checkpoint(client.whole, job, text)


def _finish(client: _Client, job: str, state: JobState, result: str) -> None:
    jobs.finish(client.whole, job, state, result)


READING: dict[str, Callable[..., Any]] = {
    "sessions": _sessions,
    "laps": _laps,
    "corner_passes": _corner_passes,
    "frames": _frames,
    "events": _events,
    "lessons": _lessons,
    "signal_ranges": _signal_ranges,
    "cues": _cues,
    "sql": _sql,
}
WRITING: dict[str, Callable[..., Any]] = {
    "save_script": _save_script,
    "put_events": _put_events,
    "put_lessons": _put_lessons,
    "trail": _trail,
    "job.checkpoint": _checkpoint,
    "job.finish": _finish,
}


def _arguments_of(function: Callable[..., Any]) -> Any:
    hints = get_type_hints(function)
    return tuple[tuple(hint for name, hint in hints.items() if name not in ("client", "return"))]  # type: ignore[misc]


_ARGUMENTS = {name: _arguments_of(function) for name, function in (READING | WRITING).items()}

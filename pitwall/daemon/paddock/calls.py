"""Calls of the paddock's worker to the daemon: one table of calls over the store, answered in
threads."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, get_type_hints

import _duckdb as duckdb
import msgspec

from pitwall.analysis.port import scripts_in, track_in
from pitwall.contract.messages import Call, CallFailed, FramesPage, JobState, Reply
from pitwall.contract.scripts import ScriptAuthor
from pitwall.store import handover, jobs, queries
from pitwall.store.errors import StoreError
from pitwall.store.lessons import driver_events, lessons, put_lessons, put_profile_events
from pitwall.store.readers import Reader, Stopped, checked, interrupt, look_at
from pitwall.store.sqlanswer import Refusal, SqlAnswer
from pitwall.store.store import Store

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
                interrupt(client, future)
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
            interrupt(client, future)
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

    def _done(self, future: asyncio.Future[Any]) -> None:
        self._busy.pop(future, None)
        look_at(future)


def _encoded(function: Callable[..., Any], client: _Client, arguments: Sequence[Any]) -> bytes:
    return checked(lambda _: msgspec.msgpack.encode(function(client, *arguments)), client)


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


# The calls: each is given the store first, and the annotations of the rest are the types that arguments are
# decoded to.


def _frames(client: _Client, session: str, from_t: float | None) -> FramesPage:
    return FramesPage(*handover.write_frames(client, session, from_t))


def _sql(client: _Client, sql: str) -> SqlAnswer | Refusal:
    return client.ask(sql)


def _save_script(
    client: _Client, track_id: str, corner: str, script: dict[str, str], through: str, batch: str
) -> str:
    from pitwall.coach.scripts import check_script, keep_own
    from pitwall.store.voice_scripts import save_script

    track = track_in(client.home, track_id)
    if track is None:
        raise _Refused(f"no track {track_id[:60]!r} is known")
    # The worker's tools check too; nothing is written on the word of another process.
    script = keep_own(scripts_in(client.home, track).get(corner, {}), script)
    problems = check_script(corner, script, track, client.home.words)
    if problems:
        raise _Refused("; ".join(problems))
    through = f"{through}, {client.model}" if client.model else through
    return save_script(client.home, track, corner, script, ScriptAuthor("model", through, batch))


def _trail(client: _Client, rows: list[TrailRow]) -> None:
    for row in rows:
        client.put("INSERT INTO agent_events VALUES (?, ?, ?, ?, ?)", list(row))


def _checkpoint(client: _Client, job: str, text: str) -> None:
    jobs.checkpoint(client.whole, job, text)


def _finish(client: _Client, job: str, state: JobState, result: str) -> None:
    jobs.finish(client.whole, job, state, result)


READING: dict[str, Callable[..., Any]] = {
    "sessions": queries.sessions,
    "laps": queries.laps,
    "corner_passes": queries.corner_passes,
    "frames": _frames,
    "events": driver_events,
    "lessons": lessons,
    "signal_ranges": queries.signal_ranges,
    "cues": queries.cues,
    "sql": _sql,
}
WRITING: dict[str, Callable[..., Any]] = {
    "save_script": _save_script,
    "put_events": put_profile_events,
    "put_lessons": put_lessons,
    "trail": _trail,
    "job.checkpoint": _checkpoint,
    "job.finish": _finish,
}


def _arguments_of(function: Callable[..., Any]) -> Any:
    hints = get_type_hints(function)
    _, *types = (hint for name, hint in hints.items() if name != "return")
    return tuple[tuple(types)]  # type: ignore[misc]


_ARGUMENTS = {name: _arguments_of(function) for name, function in (READING | WRITING).items()}

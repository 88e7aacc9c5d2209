"""Answer the paddock worker's calls: one table of calls over the store, in threads."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

import _duckdb as duckdb
import msgspec

from pitwall.analysis.port import scripts_in, track_in
from pitwall.analysis.tool_kit import ToolRefused
from pitwall.contract.messages import Call, CallFailed, Due, JobState, Reply
from pitwall.contract.scripts import ScriptAuthor
from pitwall.store import jobs, queries
from pitwall.store.errors import StoreError
from pitwall.store.home_journal import TABLES, RowChange
from pitwall.store.queries import SessionRow
from pitwall.store.readers import Reader, Stopped, checked, interrupt, look_at
from pitwall.store.store import Store
from pitwall.track.model import Track

if TYPE_CHECKING:
    from pitwall.daemon.paddock.rule_tier import RuleTier

log = logging.getLogger("pitwall")

# Two read, so that a long session does not hold up a short question; one writes, in order.
READERS = 2

Hears = Callable[[str], None]
# job, unix seconds, agent, kind, detail of `agent_events`.
TrailRow = tuple[str | None, float, str, str, str]


class _Refused(Exception):
    """The call can't be right."""


class _Client(Reader):
    """The store for one call: reading can be interrupted, writing can't. `script_of`: the track of
    a written script; `handed`: files that wait for the worker."""

    def __init__(self, store: Store, model: str, rules: Callable[[], RuleTier], handed: set[Path]) -> None:
        super().__init__(store)
        self.whole, self.model, self._rules, self.handed = store, model, rules, handed
        self.used: RuleTier | None = None
        self.script_of = ""

    @property
    def rules(self) -> RuleTier:
        """Return who answers without a model."""
        self.used = self._rules()
        return self.used


class CallTable:
    """Answers `Call`s on one event loop. `scripts_changed(track)`: a script was written."""

    def __init__(self, store: Store, *, scripts_changed: Hears = lambda track: None, model: str = "") -> None:
        self._store, self._scripts_changed, self._model = store, scripts_changed, model
        self._pools: dict[bool, ThreadPoolExecutor] = {}
        self._busy: dict[asyncio.Future[Any], _Client] = {}
        self._handed: set[Path] = set()

    async def answer(self, call: Call) -> Reply | CallFailed:
        """Return the reply to one call; cancelling stops its reading."""
        read, write = READING.get(call.name), WRITING.get(call.name)
        function = read or write
        if function is None:
            return CallFailed(call.call, "refused", f"there is no call {call.name[:60]!r}")
        try:
            arguments = msgspec.msgpack.decode(call.arguments, type=_ARGUMENTS[call.name])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return CallFailed(call.call, "refused", f"{call.name} was called wrongly: {error}")
        client = _Client(self._store, self._model, lambda: self.rules, self._handed)
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
        finally:
            if client.used is not None:
                client.used.forget_later()
        if client.script_of:
            self._scripts_changed(client.script_of)
        return Reply(call.call, body)

    @cached_property
    def rules(self) -> RuleTier:
        """Return who answers without a model, loaded when first asked."""
        from pitwall.daemon.paddock.rule_tier import RuleTier

        return RuleTier(self._store)

    async def aclose(self) -> None:
        """Interrupt what reads, wait for what writes; no thread is left."""
        for future, client in list(self._busy.items()):
            interrupt(client, future)
        if self._busy:
            await asyncio.wait(list(self._busy))
        _take_away(self._handed)
        for pool in self._pools.values():
            pool.shutdown(wait=True)
        self._pools.clear()

    def _pool(self, reads: bool) -> ThreadPoolExecutor:
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
    if isinstance(error, ToolRefused):
        return CallFailed(call.call, "refused", f"{error.error}: {error.what_to_do}")
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


# Each call gets the store; the other annotations are the types of its arguments. `row`: the session
# when the question began.


def _session(client: _Client, session: str) -> SessionRow | None:
    if session == "last" and queries.last_driven(queries.sessions(client)) is None:
        return None
    return client.rules.tools(client).session(session)


def _composed(
    client: _Client,
    row: SessionRow | None,
    method: Literal["__call__", "fetched", "arguments", "sections", "tool"],
    given: list[Any],
) -> Any:
    return getattr(client.rules.composed(client, row), method)(*given)


def _save_voice_scripts(client: _Client, row: SessionRow | None, arguments: dict[str, Any]) -> dict[str, Any]:
    def save(track: Track, corner: str, script: Mapping[str, str]) -> str:
        return _save_script(client, track.id, corner, dict(script), "a question", "")

    return client.rules.composed(client, row).tool("save_voice_scripts", arguments, save)


def _save_script(
    client: _Client, track_id: str, corner: str, script: dict[str, str], through: str, batch: str
) -> str:
    from pitwall.coach.scripts import check_script, keep_own
    from pitwall.store.voice_scripts import save_script

    track = track_in(client.home, track_id)
    if track is None:
        raise _Refused(f"no track {track_id[:60]!r} is known")
    # Nothing is written on the word of another process.
    script = keep_own(scripts_in(client.home, track).get(corner, {}), script)
    problems = check_script(corner, script, track)
    if problems:
        raise _Refused("; ".join(problems))
    through = f"{through}, {client.model}" if client.model else through
    client.script_of = track.id
    return save_script(client.home, track, corner, script, ScriptAuthor("model", through, batch))


def _trail(client: _Client, rows: list[TrailRow]) -> None:
    for row in rows:
        named = dict(zip(TABLES["agent_events"], row, strict=True))
        client.whole.change(RowChange("agent_events", None, named))


def _checkpoint(client: _Client, job: str, text: str) -> None:
    jobs.checkpoint(client.whole, job, text)


def _finish(client: _Client, job: str, state: JobState, result: str) -> None:
    jobs.finish(client.whole, job, state, result)


def _fleet_due(client: _Client, sessions: tuple[str, ...]) -> list[Due]:
    """Return the closed ones of these sessions, or all drives that are pushed unnamed."""
    from pitwall.fleet.material import due, pushable

    client.whole.flush()
    known = {row.id: row for row in queries.sessions(client) if row.closed_utc_s is not None}
    return due(
        client, [known[each] for each in sessions if each in known] if sessions else pushable(known.values())
    )


def _fleet_material(client: _Client, session: str) -> str:
    """Return a file of msgpack, which its reader deletes."""
    from pitwall.fleet.material import gather

    _take_away(client.handed)
    material = gather(client, session)
    path = client.handover / f"{secrets.token_hex(8)}.parquet"
    client.handed |= {path, Path(material.frames_file)}
    path.write_bytes(msgspec.msgpack.encode(material))
    return str(path)


def _take_away(handed: set[Path]) -> None:
    while handed:
        handed.pop().unlink(missing_ok=True)


READING: dict[str, Callable[..., Any]] = {
    "session": _session,
    "sessions": queries.sessions,
    "composed": _composed,
    "fleet_due": _fleet_due,
    "fleet_material": _fleet_material,
}
WRITING: dict[str, Callable[..., Any]] = {
    "save_voice_scripts": _save_voice_scripts,
    "save_script": _save_script,
    "trail": _trail,
    "job.checkpoint": _checkpoint,
    "job.finish": _finish,
}


def _arguments_of(function: Callable[..., Any]) -> Any:
    hints = get_type_hints(function)
    _, *types = (hint for name, hint in hints.items() if name != "return")
    return tuple[tuple(types)]  # type: ignore[misc]


_ARGUMENTS = {name: _arguments_of(function) for name, function in (READING | WRITING).items()}

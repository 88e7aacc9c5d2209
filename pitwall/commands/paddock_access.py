"""The paddock for a command: the running daemon's over its API, else one in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from pitwall.commands.stored_or_served import checked, daemon_client, either, events_of, problem_line, segment
from pitwall.config import Home
from pitwall.contract.events import Event
from pitwall.contract.jobs import JobRow
from pitwall.contract.messages import JobKind
from pitwall.contract.problems import Refused, UserError
from pitwall.contract.questions import BODIES, Asked
from pitwall.contract.settings import PaddockSettings
from pitwall.daemon.paddock.gate import PaddockPart
from pitwall.store.queries import resolve_session
from pitwall.store.store import Store

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")


def with_paddock(home: Home, settings: PaddockSettings, work: Callable[[Paddock], Awaitable[T]]) -> T:
    """Run `work` with the paddock that there is. UserError."""
    return either(
        home,
        lambda store: asyncio.run(_of_our_own(store, settings, work)),
        lambda address: asyncio.run(_over_the_api(home, address, work)),
    )


class OverTheApi:
    """The running daemon's paddock."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    @asynccontextmanager
    async def asking(self, asked: Asked) -> AsyncIterator[AsyncIterator[Event]]:
        """Leaving the block hangs up, and the daemon ends the run."""
        body = msgspec.to_builtins(
            {name: getattr(asked, name) for name in BODIES[asked.kind].__struct_fields__}
        )
        async with self._session.post(f"/coach/{asked.kind}", json=body) as response:
            yield events_of(response, Event)

    async def add_job(self, kind: JobKind, given: Mapping[str, Any]) -> JobRow:
        """Add a job."""
        return await self._posted("/jobs", {"kind": kind, "input": given})

    async def cancel_job(self, job: str) -> JobRow:
        """Cancel a job."""
        return await self._posted(f"/jobs/{segment(job)}/cancel")

    async def _posted(self, path: str, body: object = None) -> JobRow:
        async with self._session.post(path, json=body) as response:
            body = checked(str(response.url.origin()), response.status, await response.read())
            return msgspec.json.decode(body, type=JobRow)


class Own:
    """A paddock without a daemon: the same part over the same store."""

    def __init__(self, store: Store, settings: PaddockSettings) -> None:
        self.store = store
        self.part = PaddockPart(
            store,
            settings,
            parked=lambda: True,
            scripts_changed=lambda _: None,
        )

    def asking(self, asked: Asked) -> AbstractAsyncContextManager[AsyncIterator[Event]]:
        """Begin to ask. UnknownSessionError if there is nothing to debrief."""
        if asked.kind == "debrief":
            resolve_session(self.store, asked.session)
        return self.part.asking(asked)

    async def add_job(self, kind: JobKind, given: Mapping[str, Any]) -> JobRow:
        """Add a job."""
        from pitwall.api.answers import job_row  # knows the whole in-drive path, which no question needs

        return job_row(await self.part.add_job(kind, given))

    async def cancel_job(self, job: str) -> JobRow:
        """Cancel a job."""
        from pitwall.api.answers import job_row

        return job_row(await self.part.cancel_job(job))


Paddock = OverTheApi | Own


async def _over_the_api(home: Home, address: str, work: Callable[[Paddock], Awaitable[T]]) -> T:
    async with daemon_client(home, address) as client:
        return await work(OverTheApi(client))


async def _of_our_own(store: Store, settings: PaddockSettings, work: Callable[[Paddock], Awaitable[T]]) -> T:
    own = Own(store, settings)
    try:
        return await work(own)
    except Refused as refused:
        raise UserError(problem_line(refused.problem)) from None
    finally:
        await own.part.aclose()

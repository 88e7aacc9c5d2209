"""Handle /coach/*, /jobs and /changes; a client that goes away ends its run."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from typing import cast

import msgspec
from aiohttp import web

from pitwall.api.answers import job_row
from pitwall.api.call import ApiCall
from pitwall.api.guard import PAGE
from pitwall.api.sockets import EVENT_STREAM, abort, staying, within_time
from pitwall.contract.changes import (
    Change,
    Changed,
    ChangeEvent,
    Describe,
    MarkLaps,
    NotChanged,
    SetAim,
    Working,
)
from pitwall.contract.jobs import JobRow
from pitwall.contract.messages import JobKind
from pitwall.contract.problems import Refused
from pitwall.contract.questions import BODIES, Asked, NewFleetPush, NewJob
from pitwall.store import queries
from pitwall.store.errors import StoreError, UnknownSessionError
from pitwall.store.readers import Reader
from pitwall.store.store import Store
from pitwall.track.lap import Lap, LapMark

# A model may think for long: a comment keeps the connection, and finds out where it is dead.
KEEP_ALIVE_S = 5.0
_COMMENT = b":\n\n"


async def ask(call: ApiCall) -> web.StreamResponse:
    """Answer a question, a brief, a debrief or an analysis, as the body's type says."""
    kind = next(kind for kind, body in BODIES.items() if body is type(call.body))
    asked = msgspec.convert({"kind": kind, **msgspec.to_builtins(call.body)}, Asked)
    async with call.port.coach.asking(asked) as events:
        # Before the first event it can still be refused as any other request.
        return await send_events(call.request, await anext(events), events)


async def add_job(call: ApiCall) -> JobRow:
    """Make a job. It runs when the car stands in the paddock and what its kind needs is there."""
    body: NewJob = call.body
    if isinstance(body, NewFleetPush) and call.request.get(PAGE):
        raise Refused(403, "a page may not push sessions", "pitwall fleet push, in a terminal")
    kind = cast(JobKind, type(body).__struct_config__.tag)
    return job_row(await call.port.coach.add_job(kind, msgspec.to_builtins(body.input)))


async def cancel_job(call: ApiCall) -> JobRow:
    """Cancel a job."""
    return job_row(await call.port.coach.cancel_job(call.path["job"]))


def encoded(event: msgspec.Struct) -> bytes:
    """Encode a server-sent event, named by its tag."""
    name = type(event).__struct_config__.tag
    return b"event: %s\ndata: %s\n\n" % (str(name).encode(), msgspec.json.encode(event))


async def send_events(
    request: web.Request, first: msgspec.Struct, events: AsyncIterator[msgspec.Struct]
) -> web.StreamResponse:
    """Answer with server-sent events, `first` and then the others."""
    response = web.StreamResponse(headers=EVENT_STREAM)
    with staying(request):
        await response.prepare(request)
        text = encoded(first)
        following = asyncio.ensure_future(anext(events, None))
        try:
            while await within_time(response.write(text)):
                # A comment must not disturb the source of the events: a generator would end.
                done, _ = await asyncio.wait({following}, timeout=KEEP_ALIVE_S)
                text = _COMMENT
                if done:
                    event = following.result()
                    if event is None:
                        return response
                    text = encoded(event)
                    following = asyncio.ensure_future(anext(events, None))
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
        abort(request)
    return response


log = logging.getLogger("pitwall.api")

# How soon a waiting change sees that the car stands, or that the daemon ends.
LOOK_EVERY_S = 0.2


async def change(call: ApiCall) -> web.StreamResponse:
    """Change stored sessions while the car stands, or mark laps of the current drive. Refused
    (409)."""
    if call.request.get(PAGE) and not isinstance(call.body, MarkLaps | Describe | SetAim):
        raise Refused(
            403,
            "a page marks laps, notes conditions and goals, and changes nothing else",
            "pitwall sessions does the rest",
        )
    events = await _mark_here(call, call.body) if isinstance(call.body, MarkLaps) else None
    if events is None:
        if not call.port.coach.stands():
            raise Refused(409, "the car is moving", "change sessions in the paddock; nothing was changed")
        events = call.request.app[CHANGES].begin(call.port.store, call.body, call.port.coach.stands)
    first = await anext(events)
    if isinstance(first, UnknownSessionError):
        raise first
    if isinstance(first, StoreError):
        raise Refused(409, str(first), "nothing was changed")
    return await send_events(call.request, first, _as_changes(events))


async def _mark_here(call: ApiCall, change: MarkLaps) -> AsyncIterator[ChangeEvent | StoreError] | None:
    """Mark laps of the current session in its journal; None for another session."""

    def ended(reader: Reader) -> tuple[str, list[Lap]] | StoreError | None:
        from pitwall.api.changes import named_laps  # few ask, and it brings all that analyses a session

        row = queries.session(reader, change.session)
        if row.closed_utc_s is not None:
            return None
        try:
            return row.id, named_laps(reader, row.id, change.laps)
        except StoreError as error:
            return error

    found = await call.read(ended)
    if found is None:
        return None
    queue: asyncio.Queue[ChangeEvent | StoreError] = asyncio.Queue()
    if isinstance(found, StoreError):
        queue.put_nowait(found)
    else:
        session, laps = found
        for lap in laps:
            call.port.mark(LapMark((lap.start_t + lap.end_t) / 2.0, change.mark), session)
        queue.put_nowait(Changed((session,), tuple(f"lap {lap.number}: {change.mark}" for lap in laps)))
    return _until_the_last(queue)


async def _as_changes(events: AsyncIterator[ChangeEvent | StoreError]) -> AsyncIterator[ChangeEvent]:
    async for event in events:
        yield NotChanged(str(event)) if isinstance(event, StoreError) else event


class RunningChanges:
    """The current changes: one after the other, each in a thread of its own."""

    def __init__(self) -> None:
        self._one = asyncio.Lock()
        self._ending = threading.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(
        self, store: Store, change: Change, stands: Callable[[], bool]
    ) -> AsyncIterator[ChangeEvent | StoreError]:
        """Begin a change; return its events, the last of which is Changed or an error."""
        queue: asyncio.Queue[ChangeEvent | StoreError] = asyncio.Queue()
        task = asyncio.create_task(self._run(store, change, stands, queue), name="changing sessions")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return _until_the_last(queue)

    def stop(self) -> None:
        """End: an unfinished change continues at the next start."""
        self._ending.set()

    async def _run(
        self,
        store: Store,
        change: Change,
        stands: Callable[[], bool],
        queue: asyncio.Queue[ChangeEvent | StoreError],
    ) -> None:
        loop = asyncio.get_running_loop()

        def tell(text: str) -> None:
            loop.call_soon_threadsafe(queue.put_nowait, Working(text))

        def work() -> Changed:
            from pitwall.api.changes import apply  # as above

            return apply(store, change, tell, pause)

        def pause() -> None:
            while not stands() and not self._ending.wait(LOOK_EVERY_S):
                pass
            if self._ending.is_set():
                raise StoreError("the daemon ends; it goes on with this at its next start")

        if self._one.locked():
            queue.put_nowait(Working("another change is made first"))
        async with self._one:
            try:
                queue.put_nowait(await asyncio.to_thread(work))
            except StoreError as error:
                queue.put_nowait(error)
            except Exception:
                log.exception("sessions could not be changed: %r", change)
                queue.put_nowait(StoreError("the daemon made a mistake in this; it is in the daemon's log"))


CHANGES: web.AppKey[RunningChanges] = web.AppKey("changes", RunningChanges)


async def _until_the_last(
    queue: asyncio.Queue[ChangeEvent | StoreError],
) -> AsyncIterator[ChangeEvent | StoreError]:
    while True:
        event = await queue.get()
        yield event
        if isinstance(event, Changed | StoreError):
            return

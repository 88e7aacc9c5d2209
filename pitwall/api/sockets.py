"""Handle telemetry, the phone's state, commands for the coach, and the live stream."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Coroutine, Iterator, Mapping
from typing import Any

from aiohttp import web

from pitwall.api.call import JSON, POOL, SMALL_BYTES, ApiCall, decode_body
from pitwall.api.live import LiveQuery, Viewer
from pitwall.contract.problems import Refused
from pitwall.contract.push import PageFix, PushBatch, PushRefusal, PushResult, find_mistake
from pitwall.contract.status import CoachChange, CoachStatus, Marked, MarkNow, PhoneReport
from pitwall.contract.wall import WallAsk, WallForget, WallLink, WallOwned, WallSwitch
from pitwall.store import queries
from pitwall.store.readers import Reader
from pitwall.track.lap import MARKS

ACCEPTING: web.AppKey[set[asyncio.Task[PushResult | PushRefusal]]] = web.AppKey("accepting")
"""Batches on their way to the disk. They get there even when the sender has gone."""

MEND = "mend the sender; nothing of the batch was kept"
RETRY = "nothing of it was kept: send it again"


async def telemetry(call: ApiCall) -> PushResult:
    """Answer when the batch is on the disk. Refused: 409, 429."""

    def decoded() -> PushBatch:
        batch = decode_body(call.raw, call.request.content_type, PushBatch)
        mistake = find_mistake(batch)
        if mistake is not None:
            raise Refused(409, mistake, MEND)
        return batch

    app = call.request.app
    batch = decoded() if len(call.raw) <= SMALL_BYTES else await app[POOL].decode(decoded)
    return await _accepted(call, batch)


async def location(call: ApiCall) -> PushResult:
    """Take where the page's browser is. Refused as `telemetry`."""
    fix: PageFix = call.body
    return await _accepted(call, fix.as_batch())


async def _accepted(call: ApiCall, batch: PushBatch) -> PushResult:
    app = call.request.app
    task = asyncio.ensure_future(call.port.accept(batch))
    app[ACCEPTING].add(task)
    task.add_done_callback(app[ACCEPTING].discard)
    result = await asyncio.shield(task)
    if isinstance(result, PushResult):
        return result
    if result.kind == "busy":
        raise Refused(429, result.reason, result.what_to_do or RETRY, retry_after_s=result.retry_after_s)
    raise Refused(409, result.reason, result.what_to_do or MEND)


async def coach(call: ApiCall) -> CoachStatus:
    """Change how the coach speaks."""
    change: CoachChange = call.body
    return call.port.speak(change)


async def mark(call: ApiCall) -> Marked:
    """Mark the running lap as the driver says. Refused: 409 where nothing is recorded."""
    said: MarkNow = call.body
    return call.port.mark(MARKS[said.mark])


async def phone(call: ApiCall) -> web.Response:
    """Store the phone helper's battery, heat, network and notifications."""
    report: PhoneReport = call.body
    call.port.phone(report)
    return web.Response(status=204)


async def exported(call: ApiCall) -> web.Response:
    """Note that a copy of this session is elsewhere. Refused: 409 for one that is not over."""

    def over(reader: Reader) -> str:
        row = queries.session(reader, call.path["session"])
        if row.closed_utc_s is None:
            raise Refused(409, f"session {row.id} is still being driven", "export it when it is over")
        return row.id

    session = await call.read(over)
    await asyncio.to_thread(call.port.store.mark_exported, session)
    return web.Response(status=204)


# Buffer for a slow client: some seconds of frames, so that what he sees is not old.
SEND_BUFFER_BYTES = 16 << 10
# A client that reads nothing for this long is gone, or wants to hold us.
SEND_TIME_S = 20.0
# Of an answer of server-sent events, which a proxy must not hold back.
EVENT_STREAM = {"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}

STREAMS: web.AppKey[set[asyncio.Transport]] = web.AppKey("streams")
"""The connections of all that stay, to cut off those at the end that do not hear us."""


async def wall_link(call: ApiCall) -> WallLink:
    """Make a link to the pit wall. Refused (409) where it is off or full."""
    asked: WallAsk = call.body
    return call.port.wall.link(asked.role, asked.name)


async def wall(call: ApiCall) -> WallOwned:
    """Whether the pit wall is on, and who was let in."""
    return call.port.wall.owned()


async def wall_switch(call: ApiCall) -> WallOwned:
    """Switch the pit wall on or off."""
    asked: WallSwitch = call.body
    return await call.port.wall.switch(asked.on)


async def wall_forget(call: ApiCall) -> web.Response:
    """Shut a device out. Refused (404) where none has this id."""
    asked: WallForget = call.body
    call.port.wall.forget(asked.id)
    return web.Response(status=204)


async def live(call: ApiCall) -> web.StreamResponse:
    """Send server-sent events; the newest frame alone where JSON is asked for."""
    query: LiveQuery = call.query
    accept = call.request.headers.get("Accept", "*/*")
    if JSON in accept and "text/event-stream" not in accept:
        return _snapshot(call)
    viewer = call.port.live.view(query.hz)
    try:
        with staying(call.request):
            return await send_events(call.request, viewer, EVENT_STREAM)
    finally:
        viewer.close()


def _snapshot(call: ApiCall) -> web.Response:
    latest = call.port.live.latest()
    if latest is None:
        raise Refused(404, "there is no frame yet", "ask again when a source delivers")
    return web.Response(body=latest, content_type=JSON)


async def send_events(request: web.Request, viewer: Viewer, headers: Mapping[str, str]) -> web.StreamResponse:
    """Send what a viewer sees, until it is closed or does not read."""
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    while (messages := await viewer.next()) is not None:
        # A comment keeps the connection, and finds out where it is dead.
        text = b"".join(b"data: " + message + b"\n\n" for message in messages) or b":\n\n"
        if not await within_time(response.write(text)):
            abort(request)
            break
    return response


async def within_time(sending: Coroutine[Any, Any, None]) -> bool:
    """Return whether it was sent before SEND_TIME_S were over."""
    try:
        async with asyncio.timeout(SEND_TIME_S):
            await sending
    except TimeoutError:
        return False
    return True


@contextlib.contextmanager
def staying(request: web.Request) -> Iterator[None]:
    """Keep the connection among those that are cut off at the end, with little in its buffers."""
    transport, streams = request.transport, request.app[STREAMS]
    if transport is None:
        raise ConnectionResetError("gone before it began")
    transport.set_write_buffer_limits(high=SEND_BUFFER_BYTES)
    sock = transport.get_extra_info("socket")
    if sock is not None:
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
    streams.add(transport)
    try:
        yield
    finally:
        streams.discard(transport)


def abort(request: web.Request) -> None:
    """Cut the connection off."""
    if request.transport is not None:
        request.transport.abort()

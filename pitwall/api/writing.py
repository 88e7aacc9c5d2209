"""Handlers that receive something: telemetry, the phone's state, commands for the coach."""

from __future__ import annotations

import asyncio

from aiohttp import web

from pitwall.api.call import POOL, SMALL_BYTES, ApiCall, decode_body
from pitwall.contract.problems import Refused
from pitwall.contract.push import PushBatch, PushRefusal, PushResult, find_mistake
from pitwall.contract.status import CoachChange, CoachStatus, Marked, MarkNow, PhoneReport
from pitwall.store import queries
from pitwall.store.readers import Reader
from pitwall.track.lap import MARKS

ACCEPTING: web.AppKey[set[asyncio.Task[PushResult | PushRefusal]]] = web.AppKey("accepting")
"""Batches on their way to the disk. They get there even when the sender has gone."""

MEND = "mend the sender; nothing of the batch was taken"
RETRY = "nothing of it was taken: send it again"


async def telemetry(call: ApiCall) -> PushResult:
    """Answered when the batch is on the disk. Refused: 409 for one that contradicts itself or what the daemon
    knows of its source, 429 while there is no room."""
    return await take(call, call.raw, call.request.content_type)


async def take(call: ApiCall, body: bytes, content_type: str) -> PushResult:
    """Decode a batch and hand it to the daemon, for a POST and for a socket's message."""

    def decoded() -> PushBatch:
        batch = decode_body(body, content_type, PushBatch)
        mistake = find_mistake(batch)
        if mistake is not None:
            raise Refused(409, mistake, MEND)
        return batch

    app = call.request.app
    batch = decoded() if len(body) <= SMALL_BYTES else await app[POOL].decode(decoded)
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
    change: CoachChange = call.body
    return call.port.speak(change)


async def mark(call: ApiCall) -> Marked:
    """The driver says something of the running lap. Refused: 409 where nothing is recorded."""
    said: MarkNow = call.body
    return call.port.mark(MARKS[said.mark])


async def phone(call: ApiCall) -> web.Response:
    """Battery, heat, network and notifications, from the phone helper."""
    report: PhoneReport = call.body
    call.port.phone(report)
    return web.Response(status=204)


async def exported(call: ApiCall) -> web.Response:
    """A copy of this session is elsewhere. Refused: 409 for one that is not over."""

    def over(reader: Reader) -> str:
        row = queries.session(reader, call.path["session"])
        if row.closed_utc_s is None:
            raise Refused(409, f"session {row.id} is still being driven", "export it when it is over")
        return row.id

    session = await call.read(over)
    await asyncio.to_thread(call.port.store.mark_exported, session)
    return web.Response(status=204)

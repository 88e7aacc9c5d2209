"""Handlers of /coach/* and /jobs: answers as a stream of events, and work that may wait.

A client that goes away ends its run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import cast

import msgspec
from aiohttp import web

from pitwall.api.answers import job_row
from pitwall.api.call import ApiCall
from pitwall.api.guard import PAGE
from pitwall.api.sockets import EVENT_STREAM, abort, staying, within_time
from pitwall.contract.jobs import JobRow
from pitwall.contract.messages import JobKind
from pitwall.contract.problems import Refused
from pitwall.contract.questions import BODIES, Asked, NewFleetPush, NewJob

# A model may think for long: a comment keeps the connection, and finds out where it is dead.
KEEP_ALIVE_S = 5.0
_COMMENT = b":\n\n"


async def ask(call: ApiCall) -> web.StreamResponse:
    """A question to whoever it is for, a brief, a debrief or an analysis, as the body's type says."""
    kind = next(kind for kind, body in BODIES.items() if body is type(call.body))
    asked = msgspec.convert({"kind": kind, **msgspec.to_builtins(call.body)}, Asked)
    async with call.port.coach.asking(asked) as events:
        # Until the first one is there it can still be refused as any other request.
        return await send_events(call.request, await anext(events), events)


async def add_job(call: ApiCall) -> JobRow:
    """Make a job. It runs when the car stands in the paddock and what its kind needs is there."""
    body: NewJob = call.body
    if isinstance(body, NewFleetPush) and call.request.get(PAGE):
        raise Refused(403, "a page may not push sessions", "pitwall fleet push, in a terminal")
    kind = cast(JobKind, type(body).__struct_config__.tag)
    return job_row(await call.port.coach.add_job(kind, msgspec.to_builtins(body.input)))


async def cancel_job(call: ApiCall) -> JobRow:
    return job_row(await call.port.coach.cancel_job(call.path["job"]))


def encoded(event: msgspec.Struct) -> bytes:
    """One server-sent event: its name is the event's tag, its data the same JSON as everywhere."""
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
                # Whoever makes the events is not disturbed by a comment: a generator would end.
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

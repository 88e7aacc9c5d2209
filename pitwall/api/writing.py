"""Handlers that take something: telemetry, the phone's state, a voice script."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
from aiohttp import web

from pitwall.api.bodies import SMALL_BYTES, decode_body
from pitwall.api.call import POOL, ApiCall
from pitwall.api.reading import find_track, no_corner
from pitwall.api.types import ScriptWritten
from pitwall.coach.scripts import check_script, script_path
from pitwall.contract.problems import Refused
from pitwall.contract.push import PushBatch, PushRefusal, PushResult, find_mistake
from pitwall.contract.status import PhoneReport
from pitwall.store import queries
from pitwall.store.files import replace_file
from pitwall.store.readers import Reader

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


async def write_script(call: ApiCall) -> ScriptWritten:
    """Write one corner's voice script into the user's folder, whole or not at all."""
    written = await call.read(
        lambda reader: _write_script(reader, call.path["track"], call.path["corner"], call.body)
    )
    call.port.scripts_changed(written.track)
    return written


def _write_script(reader: Reader, track_id: str, corner: str, script: Mapping[str, Any]) -> ScriptWritten:
    track = find_track(reader, track_id)
    have = [each.id for each in track.corners]
    if corner not in have:
        raise no_corner(track_id, corner, have)
    problems = check_script(corner, script, track)
    if problems:
        raise Refused(
            409, f"{corner}: {'; '.join(problems)}", "nothing was written: mend it and send it again"
        )
    path = script_path(reader.home.audio_cache, corner, track)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(path, msgspec.json.format(msgspec.json.encode(script), indent=2) + b"\n")
    except OSError as error:
        raise Refused(
            503,
            f"{path} can't be written: {error.strerror}",
            "make room, then send it again",
            retry_after_s=10.0,
        ) from None
    return ScriptWritten(track_id, corner, dict(script))

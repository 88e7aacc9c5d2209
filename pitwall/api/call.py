"""Read a request once, bounded and decoded, with all that its handler may use."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import msgspec
from aiohttp import web

from pitwall.api.port import DaemonPort
from pitwall.contract.changes import SESSION_NAME
from pitwall.contract.problems import Refused
from pitwall.store.readers import Pool, Reader
from pitwall.store.sqlanswer import Refusal, SqlAnswer

JSON = "application/json"
MSGPACK = "application/msgpack"
DECODERS = {
    JSON: msgspec.json.decode,
    MSGPACK: msgspec.msgpack.decode,
    "application/x-msgpack": msgspec.msgpack.decode,
    "application/vnd.msgpack": msgspec.msgpack.decode,
}
# A phone's Wi-Fi needs a second for 4 MiB; slower senders only hold the connection.
BODY_TIME_S = 10.0
# What is decoded on the loop: a tenth of a millisecond.
SMALL_BYTES = 16 << 10

# Every path parameter is an id or a session's name: no more than a name to a file system.
PARAMETERS: Mapping[str, str] = {
    "session": SESSION_NAME,
    "track": r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}",
    "corner": r"[a-z][a-z0-9_]{0,39}",
    "lap": r"[0-9]{1,6}",
    "job": r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}",
}


def read_path(request: web.Request) -> dict[str, str]:
    """Read the path parameters. Refused (400) where one is no plain id."""
    values = dict(request.match_info)
    for name, value in values.items():
        if not re.fullmatch(PARAMETERS[name], value):
            raise Refused(400, f"{value[:40]!a} is no {name} id", f"it must match {PARAMETERS[name]}")
    return values


def read_query(request: web.Request, type_: type[T]) -> T:
    """Decode the query as the route's struct. Refused (400)."""
    names = list(request.query)
    if len(set(names)) < len(names):
        raise Refused(400, "a query parameter is there twice", "give each once")
    try:
        return msgspec.convert(dict(request.query), type_, strict=False)
    except msgspec.ValidationError as error:
        raise Refused(400, f"query: {error}", "leave out or mend what it names") from None


async def read_body(request: web.Request, limit: int) -> bytes:
    """Read the raw body. Refused: 413 over the limit, 408 too slow, 415 packed."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Refused(415, "packed bodies are refused", "send it without Content-Encoding")
    if request.content_length is not None and request.content_length > limit:
        raise _too_large(limit)
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_TIME_S):
            async for chunk in request.content.iter_any():
                body += chunk
                if len(body) > limit:
                    raise _too_large(limit)
    except TimeoutError:
        raise Refused(408, f"the body took longer than {BODY_TIME_S:g} s", "send it again") from None
    return bytes(body)


def decode_body(body: bytes, content_type: str, type_: type[T]) -> T:
    """Decode the body as the route's type. Refused: 415 or 400."""
    decode: Any = DECODERS.get(content_type)
    if decode is None:
        raise Refused(415, f"{content_type[:60]!a} is not accepted", f"send {JSON} or {MSGPACK}")
    try:
        decoded: T = decode(body, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(400, f"body: {error}", "mend the field that it names") from None
    return decoded


def _too_large(limit: int) -> Refused:
    return Refused(413, f"the body is larger than {limit} bytes", "send it in several parts")


T = TypeVar("T")

PORT: web.AppKey[DaemonPort] = web.AppKey("port")
POOL: web.AppKey[Pool] = web.AppKey("pool", Pool)


# The states of a session in which the car has the core to itself.
DRIVING = frozenset({"out lap", "flying", "in lap", "street"})


class NoQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A route that can't be asked for anything."""


class ApiCall(msgspec.Struct, frozen=True):
    """`path`, `query`, `body`: of the route's types; `raw`: a large body, not decoded."""

    request: web.Request
    port: DaemonPort
    path: dict[str, str]
    query: Any = None
    body: Any = None
    raw: bytes = b""

    async def read(self, work: Callable[[Reader], T]) -> T:
        """Run blocking work on the store in a thread."""
        return await self.request.app[POOL].run(self.port.store, work)

    def require_parked(self, left_out: str) -> None:
        """Refuse (409), while the car is driven, what would need its core: "nothing is judged"."""
        if self.port.status().session.life in DRIVING:
            raise Refused(409, f"the car is being driven, {left_out} now", "ask in the paddock")

    async def ask(self, sql: str) -> SqlAnswer | Refusal:
        """Run a SELECT in the pool's bounds."""
        return await self.request.app[POOL].ask(self.port.store, sql)


Handler = Callable[[ApiCall], Awaitable[Any]]
"""Gives what the route answers (a value of its type), or a response of its own. Raises Refused."""


def reads(work: Callable[..., Any], *parts: str) -> Handler:
    """Make the handler of a route that answers what `work` reads of the store."""

    async def handle(call: ApiCall) -> Any:
        return await call.read(lambda reader: work(reader, *(call.path[part] for part in parts)))

    return handle

"""Those who may answer where a model should: a server on loopback that plays one role after the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

Role = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class RoleServer:
    """Its address, its role of the moment, and every request that came."""

    role: Role
    url: str = ""
    requests: list[web.Request] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        self.arrived.set()
        try:
            return await self.role(request)
        except asyncio.CancelledError:
            self.left.set()
            raise


@asynccontextmanager
async def role_server(role: Role) -> AsyncIterator[RoleServer]:
    server = RoleServer(role)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", server.answer)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        server.url = f"http://127.0.0.1:{site.port}"
        yield server
    finally:
        await runner.cleanup()


def answering(status: int, text: str = "{}", kind: str = "application/json", **headers: str) -> Role:
    async def role(_: web.Request) -> web.StreamResponse:
        return web.Response(status=status, text=text, content_type=kind, headers=headers)

    return role


async def silent(_: web.Request) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise AssertionError("unreachable")


async def hanging_up(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()

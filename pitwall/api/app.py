"""Make the application from its route table; serve it within bounds, and end it clean."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager

import msgspec
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from pitwall.api.call import JSON, POOL, PORT, ApiCall, decode_body, read_body, read_path, read_query
from pitwall.api.coach import CHANGES, RunningChanges
from pitwall.api.door import DOOR, Door
from pitwall.api.guard import GUARD, Guard, guarded
from pitwall.api.imports import IMPORTS, Imports
from pitwall.api.page_files import add_page
from pitwall.api.port import DaemonPort
from pitwall.api.problems import problems
from pitwall.api.routes import ROUTES, TELEMETRY_BYTES, Route
from pitwall.api.sockets import ACCEPTING, STREAMS
from pitwall.store.readers import Pool

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8765
# Our clients send a line of some hundred bytes and a dozen headers.
LINE_BYTES, HEADER_BYTES = 4 << 10, 8 << 10
# Between two requests of a connection.
IDLE_S = 15.0
# Connections accepted in one turn of the loop, and the backlog.
AT_ONCE, WAITING = 8, 1024
# Answers may finish at the end, then are cut off; `pitwall run` has 3 s for everything.
SHUTDOWN_S = 0.5
# Where somebody drove is private, and JSON is never a page.
PRIVATE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


class ServeError(Exception):
    """The address can't be had. Says which one and what to do."""


def make_app(port: DaemonPort, *, token: str, hosts: Iterable[str] = ()) -> web.Application:
    """Make the API of a daemon. `hosts`: further `name:port` that clients may call us."""
    app = web.Application(middlewares=[guarded, problems], client_max_size=TELEMETRY_BYTES)
    page_routes = [(route.method, route.path) for route in ROUTES if route.page]
    app[PORT], app[GUARD], app[DOOR] = port, Guard(token, hosts, page_routes), Door()
    app[ACCEPTING], app[STREAMS] = set(), set()
    app[CHANGES] = RunningChanges()
    for route in ROUTES:
        app.router.add_route(route.method, route.path, _handler(route))
    add_page(app)
    app.on_response_prepare.append(_head)
    app.cleanup_ctx.append(_threads)
    app.on_shutdown.append(_say_goodbye)
    return app


@asynccontextmanager
async def serve(
    app: web.Application, host: str = DEFAULT_HOST, port: int = DEFAULT_PORT
) -> AsyncIterator[int]:
    """Serve while the block runs; give the bound port. ServeError."""
    runner = web.AppRunner(
        app,
        handler_cancellation=True,
        access_log=None,
        logger=_http_log(),
        shutdown_timeout=SHUTDOWN_S,
        keepalive_timeout=IDLE_S,
        lingering_time=1.0,
        max_line_size=LINE_BYTES,
        max_field_size=HEADER_BYTES,
        auto_decompress=False,
    )
    await runner.setup()
    assert runner.server is not None
    app[DOOR].of(runner.server)
    try:
        try:
            loop = asyncio.get_running_loop()
            listening = await loop.create_server(app[DOOR], host, port, backlog=AT_ONCE)
            for each in listening.sockets:
                with socket.socket(fileno=os.dup(each.fileno())) as same:
                    same.listen(WAITING)
        except OSError as error:
            raise ServeError(
                f"{host}:{port} can't be had: {error.strerror or error}; "
                "end what uses it, or choose another port in pitwall.toml"
            ) from error
        try:
            bound = int(listening.sockets[0].getsockname()[1])
            if GUARD in app:
                app[GUARD].bound(host, bound)
            yield bound
        finally:
            listening.close()
            app[DOOR].close()
    finally:
        await runner.cleanup()


async def _head(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(PRIVATE)


def _handler(route: Route) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def handle(request: web.Request) -> web.StreamResponse:
        path = read_path(request)
        query = read_query(request, route.query)
        raw, body = b"", None
        if route.body is not None:
            raw = await read_body(request, route.body_bytes)
            if not route.decode_later:
                body = decode_body(raw, request.content_type, route.body)
        answer = await route.handler(ApiCall(request, request.app[PORT], path, query, body, raw))
        if isinstance(answer, web.StreamResponse):
            return answer
        return web.Response(body=msgspec.json.encode(answer), content_type=JSON, status=route.status)

    return handle


def _http_log() -> logging.Logger:
    """Quiet aiohttp's log of clients that speak no HTTP; `problems` logs our own mistakes."""
    http_log = logging.getLogger("pitwall.api.http")
    http_log.addFilter(_is_no_noise)
    return http_log


def _is_no_noise(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError | ConnectionError)


async def _threads(app: web.Application) -> AsyncIterator[None]:
    app[POOL], app[IMPORTS] = Pool(), Imports(app[PORT])
    yield
    await app[IMPORTS].aclose()
    await app[POOL].close()
    accepting = app[ACCEPTING]
    if accepting:
        await asyncio.wait(accepting, timeout=SHUTDOWN_S)


async def _say_goodbye(app: web.Application) -> None:
    app[PORT].live.close_viewers()
    app[POOL].stop()
    app[CHANGES].stop()
    app[IMPORTS].stop()
    transports = app[STREAMS]
    for transport in list(transports):
        # What still waits to be sent is for somebody who does not read.
        if transport.get_write_buffer_size():
            transport.abort()

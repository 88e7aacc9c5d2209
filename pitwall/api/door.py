"""Limit open connections: clients with the token stay, others have a second to show it.

The oldest strangers give way, and of idle connections with the token the one unused for longest.
"""

from __future__ import annotations

import asyncio

from aiohttp import web

from pitwall.api.problems import no_http
from pitwall.contract.problems import Refused

# All viewers, and as many others.
MOST_KNOWN = 128
# From the connection to the first request with the token: our clients send it at once.
STRANGER_S = 1.0
# As many as may come before a request that is on its way is read.
MOST_STRANGERS = 192
# The loop's turns in which an accepted connection is made, watched and read, and its token checked.
TURNS_UNTIL_READ = 4


class _Handler(web.RequestHandler):
    """Answers what can't be read as HTTP without repeating it: it may hold a token."""

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        response = super().handle_error(request, status, exc, message)
        if status == 500:
            return response
        answer = no_http(status, message or "")
        answer.force_close()
        return answer


class Door:
    """Makes the protocol of each connection. The guard calls `let_in`, the server `of`."""

    def __init__(self, stranger_s: float = STRANGER_S) -> None:
        self._server: web.Server | None = None
        self._stranger_s = stranger_s
        self._strangers: dict[web.RequestHandler, asyncio.Handle] = {}
        # The one that asked last stands last.
        self._known: dict[web.RequestHandler, None] = {}
        self._thinning = False

    def of(self, server: web.Server) -> None:
        """Set the server that makes the protocols."""
        self._server = server

    def __call__(self) -> asyncio.BaseProtocol:
        assert self._server is not None
        handler = self._server()
        handler.__class__ = _Handler
        loop = asyncio.get_running_loop()
        self._strangers[handler] = loop.call_later(self._stranger_s, self._too_late, handler)
        if len(self._strangers) > MOST_STRANGERS and not self._thinning:
            self._thinning = True
            loop.call_soon(self._thin_out, TURNS_UNTIL_READ)
        return handler

    def _thin_out(self, turns: int) -> None:
        """Send the oldest strangers away, but read first what came with them."""
        if turns:
            asyncio.get_running_loop().call_soon(self._thin_out, turns - 1)
            return
        self._thinning = False
        while len(self._strangers) > MOST_STRANGERS:
            oldest = next(iter(self._strangers))
            self._strangers.pop(oldest).cancel()
            _turn_away(oldest)

    def let_in(self, request: web.Request) -> None:
        """Keep a connection that has shown the token, an idle one making room. Refused (503)."""
        timer = self._strangers.pop(request.protocol, None)
        if timer is not None:
            timer.cancel()
        self._known.pop(request.protocol, None)
        self._known[request.protocol] = None
        if len(self._known) > MOST_KNOWN:
            self._make_room(request)

    def _make_room(self, request: web.Request) -> None:
        self._known = {handler: None for handler in self._known if handler.transport is not None}
        idle = (each for each in self._known if each._current_request is None)
        if len(self._known) > MOST_KNOWN:
            if (oldest := next(idle, None)) is None:
                del self._known[request.protocol]
                raise Refused(
                    503, f"{MOST_KNOWN} requests are being answered", "close some", retry_after_s=STRANGER_S
                )
            del self._known[oldest]
            _turn_away(oldest)

    def knows(self, request: web.Request) -> bool:
        """Return whether this connection may stay."""
        return request.protocol in self._known

    def close(self) -> None:
        """Send every stranger away."""
        for stranger, timer in self._strangers.items():
            timer.cancel()
            _turn_away(stranger)
        self._strangers.clear()

    def _too_late(self, stranger: web.RequestHandler, turns: int = TURNS_UNTIL_READ) -> None:
        """Send a stranger away, but read first what came while the loop was behind."""
        if turns:
            loop = asyncio.get_running_loop()
            self._strangers[stranger] = loop.call_soon(self._too_late, stranger, turns - 1)
            return
        del self._strangers[stranger]
        _turn_away(stranger)


DOOR: web.AppKey[Door] = web.AppKey("door", Door)


def _turn_away(stranger: web.RequestHandler) -> None:
    if stranger.transport is not None:
        stranger.transport.abort()

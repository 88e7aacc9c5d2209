"""Who may ask: Host, Origin and token, before a handler or a route is looked at.

A web page in the phone's own browser can reach 127.0.0.1 as well as we can. Its requests are refused by the
Origin header; with a name of its own that it points at 127.0.0.1 (DNS rebinding), by the Host header.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from aiohttp import web
from aiohttp.typedefs import Handler

from pitwall.api.door import DOOR
from pitwall.api.problems import problem_response
from pitwall.contract.problems import Problem

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
OPEN_PATHS = frozenset({"/health"})
# What a page of a configured origin may send; asked by its browser beforehand.
_METHODS = "GET, POST, PUT"
_HEADERS = "Authorization, Content-Type"
_PREFLIGHT_S = "600"


class Guard:
    """The names we are bound to and the origins that are trusted. `bound` is called by `serve`."""

    def __init__(self, token: str, hosts: Iterable[str], origins: Iterable[str]) -> None:
        self._token = f"Bearer {token}".encode()
        self._hosts = {host.lower() for host in hosts}
        self._origins = {origin.lower().rstrip("/") for origin in origins}

    def bound(self, host: str, port: int) -> None:
        """Answer to these names from now on: the loopback's, and the one that was bound."""
        shown = f"[{host}]" if ":" in host else host
        self._hosts |= {f"{name}:{port}".lower() for name in (*LOOPBACK, shown)}

    def refusal(self, request: web.Request) -> web.Response | None:
        """The answer to a request that may not be made, None for one that may."""
        host = request.headers.getall("Host", [])
        if len(host) != 1 or host[0].lower() not in self._hosts:
            return _refused(
                403, "the Host header names no address of this daemon", "use http://127.0.0.1:PORT"
            )
        origin = request.headers.getall("Origin", [])
        if origin and not self._trusted(origin, host[0]):
            return _refused(
                403, "pages of this origin may not ask", "add it to [api] origins in pitwall.toml"
            )
        if origin and _is_preflight(request):
            return web.Response(status=204)
        if self._known(request):
            request.app[DOOR].let_in(request)
        elif request.path not in OPEN_PATHS:
            return _refused(
                401,
                "the token is missing or wrong",
                "send Authorization: Bearer TOKEN, from PITWALL_HOME/token",
            )
        return None

    def open_to_page(self, request: web.Request, response: web.StreamResponse) -> None:
        """Let the page of a configured origin read the answer."""
        origin = request.headers.get("Origin", "")
        if origin.lower() in self._origins:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Vary"] = "Origin"
            if _is_preflight(request):
                response.headers["Access-Control-Allow-Methods"] = _METHODS
                response.headers["Access-Control-Allow-Headers"] = _HEADERS
                response.headers["Access-Control-Max-Age"] = _PREFLIGHT_S

    def _trusted(self, origin: list[str], host: str) -> bool:
        named = origin[0].lower()
        return len(origin) == 1 and (named == f"http://{host.lower()}" or named in self._origins)

    def _known(self, request: web.Request) -> bool:
        shown = request.headers.getall("Authorization", [])
        if len(shown) != 1:
            return False
        scheme, _, value = shown[0].partition(" ")
        given = f"{scheme.title()} {value.strip()}".encode("utf-8", "surrogateescape")
        return hmac.compare_digest(given, self._token)


GUARD: web.AppKey[Guard] = web.AppKey("guard", Guard)


@web.middleware
async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse, or go on."""
    response = request.app[GUARD].refusal(request) or await handler(request)
    if not request.app[DOOR].knows(request):
        # It is told so, rather than cut off in the middle of its next request.
        response.force_close()
    return response


def _is_preflight(request: web.Request) -> bool:
    return request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers


def _refused(status: int, error: str, what_to_do: str) -> web.Response:
    headers = {"WWW-Authenticate": 'Bearer realm="pitwall"'} if status == 401 else None
    return problem_response(status, Problem(error, what_to_do), headers)

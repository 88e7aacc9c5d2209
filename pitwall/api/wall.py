"""Serve the pit wall to the pits' network: a second listener with a closed list of routes.

Without a paired device's cookie only the page that takes a link's code is served.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec
from aiohttp import web

from pitwall.api.door import DOOR, Door
from pitwall.api.paired import COOKIE_S, CrewPort, Wall
from pitwall.contract.problems import Refused
from pitwall.contract.wall import CrewMessage, WallCode, WallDevice, WallLine, WallState
from pitwall.helpers.html import html_page, json_element, page_file

COOKIE = "pitwall_wall"
PAGE = Path(__file__).with_name("page")
MOST_BODY_BYTES = 2048
# A browser of the pits may be a slow one at the end of a weak network.
STRANGER_S = 10.0
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}
# What the page of another car's wall may send: no cookie, but the secret that it was given.
FOREIGN = {"Access-Control-Allow-Headers": "Authorization, Content-Type", "Access-Control-Max-Age": "600"}

B = TypeVar("B")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class WallPort(CrewPort, Protocol):
    """What the wall needs of the daemon."""

    def state(self, device: WallDevice) -> WallState:
        """Return what a device sees at this moment, from memory."""
        ...

    def line(self) -> WallLine:
        """Return the line of the track that is driven."""
        ...


DEVICE = web.RequestKey("device", WallDevice)


def wall_app(wall: Wall, port: WallPort, words: Mapping[str, str], address: str = "") -> web.Application:
    """Return the listener's application; `address`: a further name that a Host may have."""
    page = html_page(
        "Pitwall: pit wall",
        f"{json_element('words', msgspec.json.encode(words))}<main></main>",
        [page_file(PAGE / "wall.css")],
        [page_file(PAGE / "wall.js")],
        connect="http:",
    )

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        headers = HEADERS
        try:
            foreign = _check(request, address)
            if foreign:
                headers = HEADERS | {"Access-Control-Allow-Origin": foreign, "Vary": "Origin"}
            if foreign and request.method == "OPTIONS":
                return web.Response(status=204, headers=headers | FOREIGN)
            if request.path not in ("/", "/pair"):
                shown = "" if foreign else request.cookies.get(_cookie(request), "")
                device = wall.known(shown or request.headers.get("Authorization", "").removeprefix("Bearer "))
                if device is None:
                    raise Refused(401, "this device is not paired", "open a new link of the driver's")
                request[DEVICE] = device
                request.app[DOOR].let_in(request)
            response = await handler(request)
            response.headers.update(headers)
            return response
        except Refused as error:
            return _json(error.problem, headers, error.status)
        except web.HTTPException as error:
            return web.json_response({"error": error.reason}, status=error.status, headers=headers)

    async def first(_: web.Request) -> web.Response:
        return web.Response(body=page, content_type="text/html", charset="utf-8")

    async def pair(request: web.Request) -> web.Response:
        secret = wall.enter((await _body(request, WallCode)).code)
        if secret is None:
            raise Refused(403, "this link was used, or is too old", "ask the driver for a new one")
        request.app[DOOR].let_in(request)
        if _origin(request) not in ("", _own(request)):
            return _json({"secret": secret})
        response = _json({})
        response.set_cookie(_cookie(request), secret, max_age=COOKIE_S, httponly=True, samesite="Strict")
        return response

    async def state(request: web.Request) -> web.Response:
        return _json(port.state(request[DEVICE]))

    async def line(_: web.Request) -> web.Response:
        return _json(port.line())

    async def say(request: web.Request) -> web.Response:
        return _json(wall.say(request[DEVICE], await _body(request, CrewMessage), port))

    app = web.Application(middlewares=[guarded], client_max_size=MOST_BODY_BYTES)
    app[DOOR] = Door(STRANGER_S)
    app.add_routes([
        web.get("/", first), web.post("/pair", pair), web.get("/state", state), web.get("/line", line),
        web.post("/say", say),
    ])  # fmt: skip
    return app


def _json(answer: object, headers: Mapping[str, str] | None = None, status: int = 200) -> web.Response:
    body = msgspec.json.encode(answer)
    return web.Response(body=body, status=status, content_type="application/json", headers=headers)


def _own(request: web.Request) -> str:
    return f"http://{request.headers.get('Host', '')}"


def _cookie(request: web.Request) -> str:
    """Name the cookie by port: browsers do not separate two walls at one address."""
    return f"{COOKIE}_{request.headers.get('Host', '').rpartition(':')[2]}"


def _origin(request: web.Request) -> str:
    return request.headers.get("Origin", "")


def _check(request: web.Request, address: str) -> str:
    """Refuse what no page of a wall asks; return the origin of another car's page, or ""."""
    host = request.headers.get("Host", "")
    dialled = request.transport.get_extra_info("sockname") if request.transport is not None else None
    ours = (
        {f"[{dialled[0]}]:{dialled[1]}" if ":" in dialled[0] else f"{dialled[0]}:{dialled[1]}"}
        if dialled
        else set()
    )
    if host not in ours and (not address or host.rpartition(":")[0].strip("[]") != address):
        raise Refused(421, f"no pit wall is named {host[:60]!r}", "use the link as it is")
    if request.method == "POST" and request.content_type != "application/json":
        raise Refused(415, "this takes JSON", "send Content-Type: application/json")
    origin = _origin(request)
    if origin in ("", f"http://{host}"):
        return ""
    # A cookie is of our own page alone; "null" and https are of no page of a wall.
    if not origin.startswith("http://") or "Cookie" in request.headers:
        raise Refused(403, "another page may not ask this", "use the pit wall's own page")
    return origin


async def _body(request: web.Request, kind: type[B]) -> B:
    try:
        return msgspec.json.decode(await request.read(), type=kind)
    except msgspec.MsgspecError as error:
        raise Refused(422, str(error)[:200], "send what the page sends") from None

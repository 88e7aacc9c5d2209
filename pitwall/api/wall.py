"""The pit wall: a second listener that the network of the pits may reach, with a closed list of routes.

It is off unless `[wall] enabled`. Nothing but the page that takes a link's code is served without a paired
device's cookie, nothing of the owner's API is here, and the owner's token opens nothing here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec
from aiohttp import web

from pitwall.api.door import DOOR, Door
from pitwall.api.live import Crowded, LiveHub
from pitwall.api.paired import COOKIE_S, CrewPort, Wall
from pitwall.api.sockets import EVENT_STREAM, send_events
from pitwall.contract.problems import Refused
from pitwall.contract.wall import CrewLine, CrewMessage, WallCode, WallDevice, WallState
from pitwall.helpers.html import html_page, json_element

COOKIE = "pitwall_wall"
PAGE = Path(__file__).with_name("page")
MOST_BODY_BYTES = 2048
WATCH_HZ = 4.0
# A browser of the pits may be a slow one at the end of a weak network.
STRANGER_S = 10.0
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}

B = TypeVar("B")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class WallPort(CrewPort, Protocol):
    """What the wall needs of the daemon."""

    @property
    def live(self) -> LiveHub: ...

    def wall_state(self, device: WallDevice, messages: tuple[CrewLine, ...]) -> WallState:
        """Return the state at this moment, from memory."""
        ...


DEVICE = web.RequestKey("device", WallDevice)


def wall_app(wall: Wall, port: WallPort, words: Mapping[str, str], address: str = "") -> web.Application:
    """Return the listener's application. `words`: what its page says; `address`: the name of [wall] in
    the settings, which a Host may have besides the address that was dialled."""
    page = html_page(
        "Pitwall: pit wall",
        f"{json_element('words', msgspec.json.encode(words))}<main></main>",
        [(PAGE / "wall.css").read_text(encoding="utf-8")],
        [(PAGE / "wall.js").read_text(encoding="utf-8")],
        connect=True,
    )

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            _check(request, address)
            if request.path not in ("/", "/pair"):
                device = wall.known(request.cookies.get(COOKIE, ""))
                if device is None:
                    raise Refused(401, "this device is not paired", "open a new link of the driver's")
                request[DEVICE] = device
                request.app[DOOR].let_in(request)
            return await handler(request)
        except Refused as error:
            body = msgspec.json.encode(error.problem)
            return web.Response(
                body=body, status=error.status, content_type="application/json", headers=HEADERS
            )
        except web.HTTPException as error:
            return web.json_response({"error": error.reason}, status=error.status, headers=HEADERS)

    async def first(_: web.Request) -> web.Response:
        return web.Response(body=page, content_type="text/html", charset="utf-8", headers=HEADERS)

    async def pair(request: web.Request) -> web.Response:
        cookie = wall.enter((await _body(request, WallCode)).code)
        if cookie is None:
            raise Refused(403, "this link was used, or is too old", "ask the driver for a new one")
        request.app[DOOR].let_in(request)
        response = web.json_response({}, headers=HEADERS)
        response.set_cookie(COOKIE, cookie, max_age=COOKIE_S, httponly=True, samesite="Strict")
        return response

    async def state(request: web.Request) -> web.Response:
        found = port.wall_state(request[DEVICE], tuple(wall.messages.values()))
        body = msgspec.json.encode(found)
        return web.Response(body=body, content_type="application/json", headers=HEADERS)

    async def say(request: web.Request) -> web.Response:
        line = wall.say(request[DEVICE], await _body(request, CrewMessage), port)
        return web.Response(body=msgspec.json.encode(line), content_type="application/json", headers=HEADERS)

    async def live(request: web.Request) -> web.StreamResponse:
        try:
            viewer = port.live.view(WATCH_HZ, news=False)
        except Crowded:
            raise Refused(429, "as many look as may look", "close another one") from None
        try:
            with wall.streaming(request[DEVICE]):
                return await send_events(request, viewer, HEADERS | EVENT_STREAM)
        finally:
            viewer.close()

    app = web.Application(middlewares=[guarded], client_max_size=MOST_BODY_BYTES)
    app[DOOR] = Door(STRANGER_S)
    app.add_routes([
        web.get("/", first), web.post("/pair", pair), web.get("/state", state), web.post("/say", say),
        web.get("/live", live),
    ])  # fmt: skip
    return app


def _check(request: web.Request, address: str) -> None:
    """Refuse a Host that is not ours (a strange page's name, bound to this address), and another
    page's request."""
    host = request.headers.get("Host", "")
    dialled = request.transport.get_extra_info("sockname") if request.transport is not None else None
    ours = (
        {f"[{dialled[0]}]:{dialled[1]}" if ":" in dialled[0] else f"{dialled[0]}:{dialled[1]}"}
        if dialled
        else set()
    )
    if host not in ours and (not address or host.rpartition(":")[0].strip("[]") != address):
        raise Refused(421, f"no pit wall is named {host[:60]!r}", "use the link as it is")
    origin = request.headers.get("Origin")
    if origin is not None and origin != f"http://{host}":
        raise Refused(403, "another page may not ask this", "use the pit wall's own page")
    if request.method == "POST" and request.content_type != "application/json":
        raise Refused(415, "this takes JSON", "send Content-Type: application/json")


async def _body(request: web.Request, kind: type[B]) -> B:
    try:
        return msgspec.json.decode(await request.read(), type=kind)
    except msgspec.MsgspecError as error:
        raise Refused(422, str(error)[:200], "send what the page sends") from None

"""Check Host, Origin and token of each request before its route, and who may open the page.

The token never stands in an address, a log or a browser. A link's code, good once and for ten
minutes, opens a cookie: a signature by the token, good for a month. Browsers send an address's
cookies to every port, so another program may see one. It may therefore do less than the token: what
the page does (the column `page` of the route table), nothing that replaces, deletes or lets others
in here. It is SameSite=Strict, and the request must state our own origin. It may open the pit wall,
whose link is shown as a QR code; the page and `pitwall wall` list who was let in.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Iterable

from aiohttp import web
from aiohttp.typedefs import Handler

from pitwall.api.door import DOOR
from pitwall.api.problems import no_token, problem_response
from pitwall.contract.problems import Problem

LINK_S = 600.0
COOKIE_S = 30 * 86_400
# Nobody needs more at a time; the oldest goes.
MOST_LINKS = 8
_COOKIE = re.compile(r"(\d{1,12})\.([A-Za-z0-9_-]{22})\.([0-9a-f]{64})")


class PageSessions:
    """The open links, and how cookies are signed. `now` is UTC seconds: a cookie outlives us."""

    def __init__(self, token: str, now: Callable[[], float] = time.time) -> None:
        self._key = hashlib.sha256(b"pitwall page\0" + token.encode()).digest()
        self._now = now
        self._links: dict[str, float] = {}

    def link(self) -> str:
        """Make a link; the oldest gives way."""
        while len(self._links) >= MOST_LINKS:
            del self._links[next(iter(self._links))]
        code = secrets.token_urlsafe(16)
        self._links[code] = self._now() + LINK_S
        return f"/enter/{code}"

    def enter(self, code: str) -> str | None:
        """Redeem a link for a cookie; None for one that is not good."""
        until_s = self._links.pop(code, 0.0)
        if self._now() > until_s:
            return None
        value = f"{int(self._now()) + COOKIE_S}.{secrets.token_urlsafe(16)}"
        return f"{value}.{self._signed(value)}"

    def knows(self, cookie: str) -> bool:
        """Return whether we made this cookie, with this token, within its time."""
        found = _COOKIE.fullmatch(cookie)
        if found is None or int(found[1]) < self._now():
            return False
        return hmac.compare_digest(found[3], self._signed(f"{found[1]}.{found[2]}"))

    def _signed(self, value: str) -> str:
        return hmac.new(self._key, value.encode(), hashlib.sha256).hexdigest()


def cookie_name(host: str) -> str:
    """Name the cookie by port: browsers do not separate two daemons at one address."""
    port = host.rpartition(":")[2]
    return f"pitwall_{port}" if port.isdecimal() else "pitwall"


LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
OPEN_PATHS = frozenset({"/health", "/"})
# The page's own files and its links hold no secret.
OPEN_FOLDERS = ("/page/", "/enter/")
# Set in a request that shows the page's cookie in place of the token.
PAGE: web.RequestKey[bool] = web.RequestKey("page", bool)


class Guard:
    """Knows the names we are bound to. `page_routes`: method and path that a page may use."""

    def __init__(
        self,
        token: str,
        hosts: Iterable[str],
        page_routes: Iterable[tuple[str, str]] = (),
    ) -> None:
        self.pages = PageSessions(token)
        self._page_routes = frozenset(page_routes)
        self._token = f"Bearer {token}".encode()
        self._hosts = {host.lower() for host in hosts}

    def bound(self, host: str, port: int) -> None:
        """Answer to these names from now on: the loopback's, and the bound one."""
        shown = f"[{host}]" if ":" in host else host
        self._hosts |= {f"{name}:{port}".lower() for name in (*LOOPBACK, shown)}

    def refusal(self, request: web.Request) -> web.Response | None:
        """Return the answer to a forbidden request, None for one that may be made."""
        host = request.headers.getall("Host", [])
        if len(host) != 1 or host[0].lower() not in self._hosts:
            return _refused(
                403, "the Host header names no address of this daemon", "use http://127.0.0.1:PORT"
            )
        origin = request.headers.getall("Origin", [])
        if origin and [name.lower() for name in origin] != [f"http://{host[0].lower()}"]:
            return _refused(403, "pages of this origin may not ask", "open the daemon's own page")
        if self._known(request):
            request.app[DOOR].let_in(request)
        elif self._is_page(request, host[0], origin):
            request.app[DOOR].let_in(request)
            request[PAGE] = True
            if not _is_open(request) and not self._page_may(request):
                return _refused(403, "a page may not ask this", "ask with the token, from PITWALL_HOME/token")
        elif not _is_open(request):
            return no_token()
        return None

    def _known(self, request: web.Request) -> bool:
        shown = request.headers.getall("Authorization", [])
        if len(shown) != 1:
            return False
        scheme, _, value = shown[0].partition(" ")
        given = f"{scheme.title()} {value.strip()}".encode("utf-8", "surrogateescape")
        return hmac.compare_digest(given, self._token)

    def _is_page(self, request: web.Request, host: str, origin: list[str]) -> bool:
        """Return whether our own page asks: with its cookie, and from its origin."""
        if "Authorization" in request.headers:
            return False
        if origin != [f"http://{host}"] and (origin or request.method not in ("GET", "HEAD")):
            return False
        if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            return False
        cookie = request.cookies.get(cookie_name(host))
        return cookie is not None and self.pages.knows(cookie)

    def _page_may(self, request: web.Request) -> bool:
        resource = request.match_info.route.resource
        return resource is None or (request.method, resource.canonical) in self._page_routes


GUARD: web.AppKey[Guard] = web.AppKey("guard", Guard)


@web.middleware
async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse, or go on."""
    response = request.app[GUARD].refusal(request) or await handler(request)
    if not request.app[DOOR].knows(request):
        # Answer it, rather than cut it off in the middle of its next request.
        response.force_close()
    return response


def _is_open(request: web.Request) -> bool:
    return request.path in OPEN_PATHS or request.path.startswith(OPEN_FOLDERS)


def _refused(status: int, error: str, what_to_do: str) -> web.Response:
    return problem_response(status, Problem(error, what_to_do))

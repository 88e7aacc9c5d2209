"""Access to the page: a link that works once, and the cookie that it sets.

The token itself never stands in an address, a log or a browser. Who has it asks for a link (`POST /links`,
`pitwall show`); the link holds a code that is good once and for ten minutes, and opens a cookie. The cookie
is a signature by the token: it holds through a restart of the daemon, whose drive goes on, and ends with the
token or after a month.

A browser sends cookies of this address to every port of it, so another program on the phone that is opened
in the same browser may see one. That is why a cookie may less than the token: it reads, asks the paddock,
and changes what the page changes (the column `page` of the route table). It hands in no telemetry, runs no
SQL, deletes and imports nothing, and opens no further link.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable

LINK_S = 600.0
COOKIE_S = 30 * 86_400
# Nobody needs more at a time; the oldest goes.
MOST_LINKS = 8
_COOKIE = re.compile(r"(\d{1,12})\.([A-Za-z0-9_-]{22})\.([0-9a-f]{64})")


class PageSessions:
    """The links that are open, and what makes a cookie true. `now` is UTC seconds: a cookie outlives us."""

    def __init__(self, token: str, now: Callable[[], float] = time.time) -> None:
        self._key = hashlib.sha256(b"pitwall page\0" + token.encode()).digest()
        self._now = now
        self._links: dict[str, float] = {}

    def link(self) -> str:
        while len(self._links) >= MOST_LINKS:
            del self._links[next(iter(self._links))]
        code = secrets.token_urlsafe(16)
        self._links[code] = self._now() + LINK_S
        return f"/enter/{code}"

    def enter(self, code: str) -> str | None:
        """The cookie for who comes by this link, and the link is gone; None for one that is not good."""
        until_s = self._links.pop(code, 0.0)
        if self._now() > until_s:
            return None
        told = f"{int(self._now()) + COOKIE_S}.{secrets.token_urlsafe(16)}"
        return f"{told}.{self._signed(told)}"

    def knows(self, cookie: str) -> bool:
        """Whether this cookie was made by us, with this token, within its time."""
        found = _COOKIE.fullmatch(cookie)
        if found is None or int(found[1]) < self._now():
            return False
        return hmac.compare_digest(found[3], self._signed(f"{found[1]}.{found[2]}"))

    def _signed(self, told: str) -> str:
        return hmac.new(self._key, told.encode(), hashlib.sha256).hexdigest()


def cookie_name(host: str) -> str:
    """Two daemons at one address have two cookies: browsers do not tell ports apart."""
    port = host.rpartition(":")[2]
    return f"pitwall_{port}" if port.isdecimal() else "pitwall"

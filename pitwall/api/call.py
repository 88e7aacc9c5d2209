"""One request on its way to a handler: decoded, with all that the handler may use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from aiohttp import web

from pitwall.api.port import DaemonPort
from pitwall.contract.problems import Refused
from pitwall.store.readers import Pool, Reader
from pitwall.store.sqlanswer import Refusal, SqlAnswer

T = TypeVar("T")

PORT: web.AppKey[DaemonPort] = web.AppKey("port")
POOL: web.AppKey[Pool] = web.AppKey("pool", Pool)


# The states of a session in which the car has the core to itself.
DRIVING = frozenset({"out lap", "flying", "in lap", "street"})


class NoQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A route that can't be asked for anything."""


class ApiCall(msgspec.Struct, frozen=True):
    """`path`, `query` and `body` are of the route's types already; `raw` is the body of a route that decodes
    it beside the loop, because it may be large."""

    request: web.Request
    port: DaemonPort
    path: dict[str, str]
    query: Any = None
    body: Any = None
    raw: bytes = b""

    async def read(self, work: Callable[[Reader], T]) -> T:
        """Run blocking work on the store beside the loop."""
        return await self.request.app[POOL].run(self.port.store, work)

    def only_standing(self, left_out: str) -> None:
        """Refused (409) while the car is driven, for what would take its core: "nothing is judged"."""
        if self.port.status().session.life in DRIVING:
            raise Refused(409, f"the car is being driven, {left_out} now", "ask in the paddock")

    async def ask(self, sql: str) -> SqlAnswer | Refusal:
        """One bounded SELECT."""
        return await self.request.app[POOL].ask(self.port.store, sql)


Handler = Callable[[ApiCall], Awaitable[Any]]
"""Gives what the route answers (a value of its type), or a response of its own. Raises Refused."""

"""What a command does: in the store, or by the running daemon that holds it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TypeVar
from urllib.parse import quote

import aiohttp
import msgspec

from pitwall.api.address import address_of
from pitwall.api.token import TokenError, shown_token
from pitwall.commands.common import UserError, note
from pitwall.config import Home
from pitwall.contract.problems import Problem
from pitwall.drive.recover import rebuilder
from pitwall.store.errors import StoreError, StoreLockedError
from pitwall.store.store import Store, recover

T = TypeVar("T")
# Our own daemon on this machine; a long export takes a second or two.
_WITHIN_S = 30.0


def read(
    home: Home, own: Callable[[Store], bytes], path: str, query: Mapping[str, str] | None = None
) -> bytes:
    """What `own` reads, or what the daemon's GET `path` answers, which is the same. UserError."""
    return either(home, own, lambda address: asyncio.run(_served(home, address, "GET", path, query or {})))


def post(home: Home, own: Callable[[Store], bytes], path: str) -> bytes:
    """What `own` does, or the daemon's POST `path`, which is the same. UserError."""
    return either(home, own, lambda address: asyncio.run(_served(home, address, "POST", path, {})))


def either(home: Home, own: Callable[[Store], T], served: Callable[[str], T]) -> T:
    """`own` with the opened store; where the daemon holds it, `served` with its address. UserError."""
    store = Store(home)
    try:
        for line in store.open().lines:
            note(line)
        for line in recover(store, rebuilder(home)):
            note(line)
        return own(store)
    except StoreLockedError as error:
        address = address_of(home)
        if not address:
            raise UserError(str(error)) from None
        return served(address)
    except StoreError as error:
        raise UserError(str(error)) from None
    finally:
        store.close()


def authorization(home: Home) -> dict[str, str]:
    """The header that lets a command in. UserError."""
    try:
        return {"Authorization": f"Bearer {shown_token(home)}"}
    except TokenError as error:
        raise UserError(str(error)) from None


def checked(address: str, status: int, body: bytes) -> bytes:
    """The body of a good answer. UserError: the daemon's own sentence, where it gave one."""
    if status < 400:
        return body
    try:
        problem = msgspec.json.decode(body, type=Problem)
    except msgspec.DecodeError:
        raise UserError(f"the daemon at {address} answered with status {status} and no reason") from None
    raise UserError(told(problem))


def segment(name: str) -> str:
    """An id as one part of an address, whatever was typed."""
    return quote(name, safe="")


def told(problem: Problem) -> str:
    """A refusal as one line."""
    return f"{problem.error.rstrip('.')}; {problem.what_to_do}"


async def _served(home: Home, address: str, method: str, path: str, query: Mapping[str, str]) -> bytes:
    try:
        timeout = aiohttp.ClientTimeout(total=_WITHIN_S)
        async with (
            aiohttp.ClientSession(address, headers=authorization(home), timeout=timeout) as session,
            session.request(method, path, params=dict(query)) as response,
        ):
            return checked(address, response.status, await response.read())
    except (aiohttp.ClientError, TimeoutError) as error:
        raise UserError(f"the daemon at {address} does not answer as it should: {error}") from None

"""Reading and marking for a command: in the store, or by the running daemon that holds it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import aiohttp
import msgspec

from pitwall.api.address import address_of
from pitwall.api.token import TokenError, load_token
from pitwall.api.types import Problem
from pitwall.commands.common import UserError, note
from pitwall.config import Home
from pitwall.recover import rebuilder
from pitwall.store.errors import StoreError, StoreLockedError
from pitwall.store.store import Store, recover

# Our own daemon on this machine; a long export takes a second or two.
_WITHIN_S = 30.0


def read(home: Home, own: Callable[[Store], bytes], path: str, query: Mapping[str, str]) -> bytes:
    """What `own` reads, or what the daemon's GET `path` answers, which is the same. UserError."""
    return _either(home, own, "GET", path, query)


def post(home: Home, own: Callable[[Store], bytes], path: str) -> bytes:
    """What `own` does, or the daemon's POST `path`, which is the same. UserError."""
    return _either(home, own, "POST", path, {})


def _either(
    home: Home, own: Callable[[Store], bytes], method: str, path: str, query: Mapping[str, str]
) -> bytes:
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
        return asyncio.run(_served(home, address, method, path, query))
    except StoreError as error:
        raise UserError(str(error)) from None
    finally:
        store.close()


async def _served(home: Home, address: str, method: str, path: str, query: Mapping[str, str]) -> bytes:
    try:
        headers = {"Authorization": f"Bearer {load_token(home)}"}
        timeout = aiohttp.ClientTimeout(total=_WITHIN_S)
        async with (
            aiohttp.ClientSession(address, headers=headers, timeout=timeout) as session,
            session.request(method, path, params=dict(query)) as response,
        ):
            body = await response.read()
    except TokenError as error:
        raise UserError(str(error)) from None
    except (aiohttp.ClientError, TimeoutError) as error:
        raise UserError(f"the daemon at {address} does not answer as it should: {error}") from None
    if response.status < 400:
        return body
    try:
        problem = msgspec.json.decode(body, type=Problem)
    except msgspec.DecodeError:
        raise UserError(f"the daemon answered with status {response.status} and no reason") from None
    raise UserError(f"{problem.error.rstrip('.')}; {problem.what_to_do}")

"""Runs a command in the store, or by the running daemon that holds it."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from pitwall.api.token import address_of, shown_token
from pitwall.commands.common import note
from pitwall.config import Home
from pitwall.contract.problems import SESSIONS_LISTED, Problem, UserError
from pitwall.store import queries
from pitwall.store.errors import StoreError, StoreFullError, StoreLockedError, UnknownSessionError
from pitwall.store.files import sync_path
from pitwall.store.lock import holder, read_only
from pitwall.store.queries import SessionRow
from pitwall.store.store import Store, recover

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")
# What a command does with the store: only read; write if the home allows; or need to write.
Use = Literal["read", "keep", "write"]
# A command that holds the home ends within this time, or its data is read meanwhile.
LOCKED_FOR_S, LOOK_AGAIN_S = 1.0, 0.05
# Our own daemon on this machine; a long export takes a second or two.
_WITHIN_S = 30.0
# On this machine a working daemon answers at once. A line of a stream may hold a long answer.
_CONNECT_S, _LINE_BYTES = 5.0, 1 << 20


class Wanted(NamedTuple):
    """Holds what `own` reads, and the daemon's GET `path` that answers the same."""

    own: Callable[[Store], bytes]
    path: str
    query: Mapping[str, str] = {}


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in an event loop, loaded only here: a command that reads the store needs none."""
    import asyncio

    return asyncio.run(work)


def of_session(wanted: str, own: Callable[[Store, str], object], part: str = "") -> Wanted:
    """Return what `own` reads of a session, or the route below /sessions/{session}."""
    return Wanted(lambda store: msgspec.json.encode(own(store, wanted)), f"/sessions/{segment(wanted)}{part}")


def read(
    home: Home, own: Callable[[Store], bytes], path: str, query: Mapping[str, str] | None = None
) -> bytes:
    """Return the answer to one question. UserError."""
    return read_all(home, Wanted(own, path, query or {}))[0]


def read_all(home: Home, *questions: Wanted) -> list[bytes]:
    """Return the answers, from one opening of the store or from the daemon. UserError."""

    def served(address: str) -> list[bytes]:
        asked = [("GET", each.path, each.query) for each in questions]
        return wait_for(_served(home, address, asked))

    return either(home, lambda store: [each.own(store) for each in questions], served, use="read")


def stored_session(home: Home, wanted: str) -> SessionRow:
    """Return the session that these words mean. UserError."""
    return msgspec.json.decode(read_all(home, of_session(wanted, queries.session))[0], type=SessionRow)


def stored_sessions(home: Home) -> list[SessionRow]:
    """Return all sessions in the order in which they were driven. UserError."""
    found = read(home, lambda store: msgspec.json.encode(queries.sessions(store)), "/sessions")
    return msgspec.json.decode(found, type=list[SessionRow])


def save(home: Home, address: str, path: str, copy: Path, query: Mapping[str, str] | None = None) -> None:
    """Write the daemon's answer to GET `path` to a synced file. UserError."""
    fresh = copy.with_name(f".{copy.name}.new")
    try:
        with fresh.open("wb") as file:
            wait_for(_served(home, address, [("GET", path, query or {})], file))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(copy)
        sync_path(copy.parent)
    except OSError as error:
        raise UserError(f"{copy} can't be written: {error.strerror or error}") from None
    finally:
        fresh.unlink(missing_ok=True)


def post(home: Home, own: Callable[[Store], None], path: str) -> None:
    """Do what `own` does, or the daemon's POST `path`, which is the same. UserError."""

    def served(address: str) -> None:
        wait_for(_served(home, address, [("POST", path, {})]))

    either(home, own, served, use="write")


def get(home: Home, path: str) -> bytes:
    """Return the running daemon's answer to GET `path`. UserError if none runs."""
    return _running(home, "GET", path)


def tell(home: Home, path: str, body: msgspec.Struct) -> bytes:
    """Return the running daemon's answer to POST `path` with this body. UserError if none runs."""
    return _running(home, "POST", path, msgspec.json.encode(body))


def _running(home: Home, method: str, path: str, body: bytes | None = None) -> bytes:
    address = address_of(home)
    if not address:
        raise UserError("no daemon is running in this home: start it with `pitwall run`")
    return wait_for(_served(home, address, [(method, path, {})], body=body))[0]


def either(home: Home, own: Callable[[Store], T], served: Callable[[str], T], *, use: Use = "keep") -> T:
    """Run `own` with the opened store, else `served` with the daemon's address. UserError."""
    try:
        with _opened(home, use) as store:
            return own(store)
    except StoreLockedError:
        address = address_of(home)
        if not address:
            raise
    except UnknownSessionError as error:
        raise UserError(problem_line(Problem(str(error), SESSIONS_LISTED))) from None
    return served(address)


@contextmanager
def opened_store(home: Home) -> Iterator[Store]:
    """Open the store for a command that writes; put back what a killed run left. UserError."""
    with _opened(home, "write") as store:
        yield store


@contextmanager
def _opened(home: Home, use: Use) -> Iterator[Store]:
    """StoreLockedError if a daemon holds the home; StoreError."""
    store = Store(home)
    try:
        why = read_only(home)
        if use == "read":
            if not _opened_whole(store, why) and not why:
                store.close()
                try:
                    _open_to_write(store)
                except StoreFullError as error:
                    why = str(error)  # what could be kept before is there to be read
                    note(why)
                    _open_to_read(store)
        elif use == "keep" and why:
            _open_to_read(store)
        else:
            try:
                _open_to_write(store)
            except StoreLockedError:
                if use == "write" or address_of(home):
                    raise
                _open_to_read(store)
        if why:
            _tell_waiting(store)
        yield store
    finally:
        store.close()


def _open_to_write(store: Store) -> None:
    for line in _when_free(store.home, store.open).lines:
        note(line)
    if not store.pending:
        return
    from pitwall.drive.rebuild import rebuilder  # the whole in-drive path, which few commands need

    for line in recover(store, rebuilder(store.home, store)):
        note(line)


def _opened_whole(store: Store, read_only: str) -> bool:
    try:
        return _open_to_read(store)
    except StoreLockedError:
        raise
    except StoreError:
        if read_only:
            raise
        return False  # opening it to write mends it


def _open_to_read(store: Store) -> bool:
    """Return whether all is whole. While another process has the home, a copy is read."""
    try:
        return _when_free(store.home, store.open_to_read)
    except StoreLockedError:
        if address_of(store.home):
            raise
        number = holder(store.home.root)
        note(f"another pitwall (process {number}) is at work: what it has not kept yet is not shown")
        return store.open_to_read(copy=True)


def _when_free(home: Home, take: Callable[[], T]) -> T:
    """Wait a moment for a command that holds the home, not for a daemon. StoreLockedError."""
    end_s = time.monotonic() + LOCKED_FOR_S
    while True:
        try:
            return take()
        except StoreLockedError:
            if address_of(home) or time.monotonic() > end_s:
                raise
        time.sleep(LOOK_AGAIN_S)


def _tell_waiting(store: Store) -> None:
    for line in store.lines:
        note(line)
    if count := len(store.pending):
        waiting = f"{count} session{' waits' if count == 1 else 's wait'} to be rebuilt"
        note(f"{waiting}: run pitwall on a writable home")


def authorization(home: Home) -> dict[str, str]:
    """Return the header that lets a command in. UserError."""
    return {"Authorization": f"Bearer {shown_token(home)}"}


def checked(address: str, status: int, body: bytes) -> bytes:
    """Return the body of a good answer. UserError: the daemon's own sentence, where it gave one."""
    if status < 400:
        return body
    try:
        problem = msgspec.json.decode(body, type=Problem)
    except msgspec.DecodeError:
        raise UserError(f"the daemon at {address} answered with status {status} and no reason") from None
    raise UserError(problem_line(problem))


def segment(name: str) -> str:
    """Return an id as one part of an address, whatever was typed."""
    return quote(name, safe="")


def problem_line(problem: Problem) -> str:
    """Return a refusal as one line. A route to ask is of no use to who typed a command."""
    what_to_do = "" if "GET /" in problem.what_to_do else f"; {problem.what_to_do}"
    return problem.error.rstrip(".") + what_to_do


@asynccontextmanager
async def daemon_client(
    home: Home, address: str, within_s: float | None = None
) -> AsyncIterator[aiohttp.ClientSession]:
    """Open a client of the running daemon. UserError for a bad answer."""
    import aiohttp  # a third of the time that a short command takes, and no daemon need be there

    timeout = aiohttp.ClientTimeout(total=within_s, sock_connect=_CONNECT_S)
    headers = authorization(home)
    try:
        async with aiohttp.ClientSession(
            address, headers=headers, timeout=timeout, read_bufsize=_LINE_BYTES
        ) as client:
            yield client
    except (aiohttp.ClientError, TimeoutError) as error:
        raise UserError(f"the daemon at {address} does not answer as it should: {error}") from None


async def events_of(response: aiohttp.ClientResponse, type_: Any) -> AsyncIterator[Any]:
    """Yield a stream's events of this type. UserError if refused."""
    if response.status >= 400:
        checked(str(response.url.origin()), response.status, await response.read())
    async for line in response.content:
        if line.startswith(b"data: "):
            yield msgspec.json.decode(line[len(b"data: ") :], type=type_)


async def _served(
    home: Home,
    address: str,
    asked: Sequence[tuple[str, str, Mapping[str, str]]],
    file: BinaryIO | None = None,
    body: bytes | None = None,
) -> list[bytes]:
    """Return the bodies of good answers, or write them into the file. `body`: JSON."""
    kind = {"Content-Type": "application/json"} if body is not None else {}
    bodies: list[bytes] = []
    async with daemon_client(home, address, _WITHIN_S) as client:
        for method, path, query in asked:
            async with client.request(method, path, params=dict(query), data=body, headers=kind) as response:
                if file is None or response.status >= 400:
                    bodies.append(checked(address, response.status, await response.read()))
                    continue
                async for piece in response.content.iter_any():
                    file.write(piece)
    return bodies

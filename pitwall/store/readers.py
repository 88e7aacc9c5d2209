"""Threads for an event loop's blocking reads: few, with a short queue, and a stop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import _duckdb as duckdb

from pitwall.config import Home
from pitwall.contract.problems import Refused
from pitwall.store.queries import Readable
from pitwall.store.sqlanswer import Refusal, SqlAnswer

# One core is for the drive; a long question must not hold up a short one.
THREADS = 2
# More would wait longer than a client does.
SLOTS = 8
# Each may take two seconds.
ASKED = 4
TIME_LIMIT_S = 10.0
RETRY_AFTER_S = 1.0
# An interrupt between two statements is forgotten by DuckDB: it is said again.
INTERRUPT_EVERY_S = 0.05

T = TypeVar("T")


class Stopped(Exception):
    """Nobody waits any more."""


class Reader:
    """The store for one request: its cursors can be interrupted."""

    def __init__(self, store: Readable) -> None:
        self._store = store
        self._cursors: list[duckdb.DuckDBPyConnection] = []
        self._stopped = False

    @property
    def home(self) -> Home:
        """Return the home."""
        return self._store.home

    @property
    def handover(self) -> Path:
        """Return the folder for files to hand over."""
        return self._store.handover

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a connection. Stopped where nobody waits."""
        self.check()
        cursor = self._store.cursor()
        self._cursors.append(cursor)
        return cursor

    def ask(self, sql: str, stopped: Callable[[], bool] = lambda: False) -> SqlAnswer | Refusal:
        """Return a bounded SELECT; it is stopped with its reader."""
        self.check()
        return self._store.ask(sql, lambda: self._stopped or stopped())

    def check(self) -> None:
        """Go on, or Stopped."""
        if self._stopped:
            raise Stopped

    def stop(self) -> None:
        """Interrupt what is running; let nothing new begin. Thread-safe."""
        self._stopped = True
        for cursor in list(self._cursors):
            with contextlib.suppress(duckdb.Error):
                cursor.interrupt()


class Pool:
    """Runs readers in threads; on the loop. `close` leaves no thread."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="api")
        # Telemetry must not wait behind questions.
        self._decoder = ThreadPoolExecutor(1, thread_name_prefix="api decoding")
        # Nor reading behind SQL that somebody made up.
        self._asking = ThreadPoolExecutor(1, thread_name_prefix="api asking")
        self._readers: dict[Reader, asyncio.Future[Any]] = {}
        self._asked: set[Reader] = set()

    @property
    def busy(self) -> int:
        """Return how many requests are worked on or wait."""
        return len(self._readers)

    async def ask(self, store: Readable, sql: str) -> SqlAnswer | Refusal:
        """Return a bounded SELECT, one after the other."""
        if len(self._asked) >= ASKED:
            raise Refused(429, "too many questions at once", "ask again later", retry_after_s=RETRY_AFTER_S)
        reader = Reader(store)
        self._asked.add(reader)
        return await self._run(self._asking, reader, lambda reader: reader.ask(sql))

    async def run(self, store: Readable, work: Callable[[Reader], T]) -> T:
        """Run `work` in a thread, interrupted when the client leaves. Refused: 429, 503."""
        if len(self._readers) - len(self._asked) >= SLOTS:
            raise Refused(429, "too many questions at once", "ask again later", retry_after_s=RETRY_AFTER_S)
        return await self._run(self._threads, Reader(store), work)

    async def _run(self, threads: ThreadPoolExecutor, reader: Reader, work: Callable[[Reader], T]) -> T:
        future = asyncio.get_running_loop().run_in_executor(threads, checked, work, reader)
        self._readers[reader] = future
        # The slot is free when the thread is, not when the client has gone.
        future.add_done_callback(lambda done: self._done(reader, done))
        try:
            async with asyncio.timeout(TIME_LIMIT_S):
                return await asyncio.shield(future)
        except TimeoutError:
            raise Refused(
                503, f"it took longer than {TIME_LIMIT_S:g} s", "ask for less", retry_after_s=RETRY_AFTER_S
            ) from None
        except Stopped:
            raise Refused(503, "the daemon is ending", "ask again when it runs", retry_after_s=5.0) from None
        finally:
            interrupt(reader, future)

    async def decode(self, work: Callable[[], T]) -> T:
        """Run short work without the store."""
        return await asyncio.get_running_loop().run_in_executor(self._decoder, work)

    def stop(self) -> None:
        """Interrupt every reader."""
        for reader, future in list(self._readers.items()):
            interrupt(reader, future)

    async def close(self) -> None:
        """Interrupt everything and wait for the threads."""
        self.stop()
        if self._readers:
            await asyncio.wait(list(self._readers.values()))
        for threads in (self._decoder, self._asking, self._threads):
            threads.shutdown(wait=True, cancel_futures=True)

    def _done(self, reader: Reader, future: asyncio.Future[T]) -> None:
        self._readers.pop(reader, None)
        self._asked.discard(reader)
        look_at(future)


async def read_cancellable(store: Readable, work: Callable[[Reader], T]) -> T:
    """Run `work` in a thread; cancelling interrupts the query and waits for the thread."""
    reader = Reader(store)
    future = asyncio.get_running_loop().run_in_executor(None, checked, work, reader)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        while not future.done():
            reader.stop()
            await asyncio.wait({future}, timeout=INTERRUPT_EVERY_S)
        look_at(future)
        raise


def checked(work: Callable[[Reader], T], reader: Reader) -> T:
    """Return what the work gives; Stopped where nobody waits."""
    reader.check()
    try:
        return work(reader)
    finally:
        # An interrupt of ours shows as an error, or an answer that tells of one.
        reader.check()


def interrupt(reader: Reader, future: asyncio.Future[Any]) -> None:
    """Stop a reader, again until it is heard. On the loop."""
    if not future.done():
        reader.stop()
        asyncio.get_running_loop().call_later(INTERRUPT_EVERY_S, interrupt, reader, future)


def look_at(done: asyncio.Future[Any]) -> None:
    """Mark what came of this as seen."""
    if not done.cancelled():
        done.exception()

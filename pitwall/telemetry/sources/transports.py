"""Transports of bytes for sources: TCP in both directions, UDP, a serial port.

Each runs one connection and returns why it ended, or raises OSError; it always closes everything.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any, Protocol

from pitwall.telemetry.sources.base import CONNECT_S, SILENT_S, Address, Allowance, SourceHealth, within

# Ten times a 25 Hz receiver with all its sentences.
MAX_BYTES_PER_S = 256 * 1024
BURST_BYTES = 1024 * 1024


class Feed(Protocol):
    """Makes readings of bytes."""

    def begin(self) -> None: ...

    def feed(self, data: bytes, received_s: float) -> None:
        """Take what came at the monotonic time `received_s`."""
        ...


class Intake:
    """A source's way in, the same over all of its connections."""

    def __init__(self, health: SourceHealth, feed: Feed) -> None:
        self.health = health
        self._feed = feed
        self._allowance = Allowance(MAX_BYTES_PER_S, BURST_BYTES)
        self._readings, self._usable_s = 0, 0.0

    def begin(self) -> None:
        """Start a new connection."""
        self._feed.begin()
        self._readings, self._usable_s = self.health.readings, time.monotonic()

    async def take(self, data: bytes) -> None:
        """Accept bytes; return when more may be read. TimeoutError if nothing usable comes."""
        now_s = time.monotonic()
        self._feed.feed(data, now_s)
        if self.silent(now_s):
            raise TimeoutError(f"nothing usable for {SILENT_S:.0f} s")
        await asyncio.sleep(self._allowance.owe(len(data), now_s))

    def take_datagram(self, data: bytes) -> None:
        """Take a datagram; shed it if there are too many."""
        now_s = time.monotonic()
        if self._allowance.take(len(data), now_s):
            self._feed.feed(data, now_s)
        else:
            self.health.shed += 1

    def silent(self, now_s: float) -> bool:
        """Return whether there was no reading for SILENT_S."""
        if self.health.readings != self._readings:
            self._readings, self._usable_s = self.health.readings, now_s
        return now_s - self._usable_s > SILENT_S


# The most the loop reads in one turn: about 100 sentences.
READ_BYTES = 8192
# How often a listening source looks whether its peer is silent.
LOOK_S = 1.0


async def connect_tcp(address: Address, intake: Intake) -> str:
    """Read from a server until it hangs up."""
    opening = asyncio.open_connection(address.host, address.port, limit=READ_BYTES)
    reader, writer = await within(CONNECT_S, "connection", opening)
    try:
        return await _read(reader, intake)
    finally:
        writer.close()


async def listen_tcp(address: Address, intake: Intake) -> str:
    """Let peers connect; the newest counts: the older is a link that died unnoticed."""
    health = intake.health
    failed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    clients: list[asyncio.Task[None]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        for client in clients:
            client.cancel()
        clients.append(task)
        try:
            why = await _read(reader, intake)
        except OSError as error:
            why = str(error)
            health.errors += 1
        except Exception as error:
            if not failed.done():
                failed.set_exception(error)
            return
        finally:
            clients.remove(task)
            writer.close()
        health.state, health.last_error = "down", why
        health.reconnects += 1

    server = await asyncio.start_server(serve, address.host, address.port, limit=READ_BYTES)
    health.state, health.last_error = "down", f"waiting for a peer at {address.host}:{address.port}"
    try:
        return await failed
    finally:
        server.close()
        left = list(clients)
        for client in left:
            client.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def listen_udp(address: Address, intake: Intake) -> str:
    """Take in datagrams from any sender."""
    health = intake.health
    loop = asyncio.get_running_loop()
    failed: asyncio.Future[str] = loop.create_future()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: _Datagrams(intake, failed), local_addr=(address.host, address.port)
    )
    try:
        intake.begin()
        health.state, health.last_error = "down", f"waiting for datagrams at {address.host}:{address.port}"
        while not failed.done():
            await asyncio.wait({failed}, timeout=LOOK_S)
            _note_silence(intake)
        return failed.result()
    finally:
        transport.close()


def _note_silence(intake: Intake) -> None:
    health = intake.health
    if health.state == "up" and intake.silent(time.monotonic()):
        health.state, health.last_error = "down", f"no usable datagram for {SILENT_S:.0f} s"


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, intake: Intake, failed: asyncio.Future[str]) -> None:
        self._intake, self._failed = intake, failed

    def datagram_received(self, data: bytes, addr: Any) -> None:
        try:
            self._intake.take_datagram(data)
        except Exception as error:
            if not self._failed.done():
                self._failed.set_exception(error)


async def read_serial(path: str, baud: int, intake: Intake) -> str:
    """Read a serial port until it is gone. A thread opens it: that may take long."""
    port = await _open_serial(path, baud)
    health = intake.health
    try:
        intake.begin()
        health.state, health.last_error = "down", f"waiting for bytes from {path}"
        while True:
            await within(SILENT_S, "bytes", _readable(port.fileno()))
            # SerialException, an OSError, if the device is gone.
            await intake.take(port.read(READ_BYTES))
    finally:
        port.close()


async def _readable(fileno: int) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(fileno, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(fileno)


async def _open_serial(path: str, baud: int) -> Any:
    import serial

    opening = asyncio.ensure_future(asyncio.to_thread(serial.Serial, path, baud, timeout=0, exclusive=True))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        # What the thread opens after all must be closed.
        opening.add_done_callback(_close_opened)
        raise


def _close_opened(opening: asyncio.Future[Any]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


async def _read(reader: asyncio.StreamReader, intake: Intake) -> str:
    intake.begin()
    with contextlib.suppress(asyncio.IncompleteReadError):
        while data := await within(SILENT_S, "bytes", reader.read(READ_BYTES)):
            await intake.take(data)
    return "the peer closed the connection"

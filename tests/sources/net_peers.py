"""Peers that live sources talk to in tests: an NMEA receiver behind TCP, and a phone with SensorServer."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Sequence
from functools import reduce
from operator import xor

from aiohttp import WSMsgType, web
from can_inbox import KeptInbox

from pitwall.telemetry.sample import Channel

LOCAL = "127.0.0.1"


class LatencyInbox(KeptInbox):
    """Keeps the last latency of each group too."""

    def __init__(self) -> None:
        super().__init__()
        self.latency_s: dict[str, float] = {}

    def stream(self, channels: Sequence[Channel], *, group: str, latency_s: float) -> int:
        self.latency_s[group] = latency_s
        return super().stream(channels, group=group, latency_s=0.0)

    def of(self, group: str) -> list[tuple[float | None, float, tuple[float | None, ...]]]:
        """(source_s, received_s, values) of one group."""
        if group not in self.groups:
            return []
        wanted = self.groups.index(group)
        return [(at, came, values) for stream, at, came, values in self.readings if stream == wanted]


def free_port(kind: int = socket.SOCK_STREAM) -> int:
    """A port that nobody has now."""
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind((LOCAL, 0))
        return int(probe.getsockname()[1])


def sentence(body: str) -> str:
    return f"${body}*{reduce(xor, body.encode(), 0):02X}"


def clock(tod_s: float) -> str:
    """Seconds of the day as HHMMSS.SSS."""
    ms = round(tod_s * 1000)
    return f"{ms // 3600000:02d}{ms // 60000 % 60:02d}{ms // 1000 % 60:02d}.{ms % 1000:03d}"


def rmc(tod_s: float, *, lat: str = "2824.70529", status: str = "A") -> str:
    return sentence(f"GPRMC,{clock(tod_s)},{status},{lat},N,08122.75973,W,19.438,309.31,290423,,,A")


def gga(tod_s: float, *, satellites: int = 8) -> str:
    return sentence(f"GPGGA,{clock(tod_s)},2824.70529,N,08122.75973,W,1,{satellites},0.96,33.80,M,,M,,")


def joined(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\r\n" for line in lines).encode()


class TcpPeer:
    """A receiver that programs connect to. It sends what `script` holds, one entry a connection.

    `hold`: the last connection stays open; else each is cut when its bytes are out.
    """

    def __init__(self, script: Sequence[bytes], *, hold: bool = True) -> None:
        self._script, self._hold = list(script), hold
        self.connections = 0
        self.port = 0
        self._server: asyncio.Server | None = None
        self._writers: list[asyncio.StreamWriter] = []

    async def start(self, port: int = 0) -> None:
        self._server = await asyncio.start_server(self._serve, LOCAL, port or self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Cut every connection and take no more."""
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()
        await asyncio.sleep(0)

    async def __aenter__(self) -> TcpPeer:
        await self.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        number, self.connections = self.connections, self.connections + 1
        try:
            if number < len(self._script):
                writer.write(self._script[number])
                await writer.drain()
            if self._hold and number >= len(self._script) - 1:
                await reader.read()
        except OSError:
            pass
        finally:
            writer.close()


class PhonePeer:
    """SensorServer's two WebSockets. What is sent is told by `send`, to all that are connected."""

    def __init__(self) -> None:
        self.port = 0
        self.types: list[list[str]] = []
        self.sockets: dict[str, list[web.WebSocketResponse]] = {"gps": [], "imu": []}
        self.changed = asyncio.Event()
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        app = web.Application()
        app.router.add_get("/gps", self._gps)
        app.router.add_get("/sensors/connect", self._sensors)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, LOCAL, self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        for sockets in self.sockets.values():
            for ws in list(sockets):
                await ws.close()
        await self._runner.cleanup()

    async def __aenter__(self) -> PhonePeer:
        await self.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()

    async def connected(self, *kinds: str) -> None:
        """Wait until these WebSockets are open."""
        async with asyncio.timeout(20.0):
            while not all(self.sockets[kind] for kind in kinds):
                self.changed.clear()
                await self.changed.wait()

    async def send(self, kind: str, message: object) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        for ws in list(self.sockets[kind]):
            await ws.send_str(text)

    async def _gps(self, request: web.Request) -> web.WebSocketResponse:
        return await self._hold("gps", request)

    async def _sensors(self, request: web.Request) -> web.WebSocketResponse:
        self.types.append(json.loads(request.query["types"]))
        return await self._hold("imu", request)

    async def _hold(self, kind: str, request: web.Request) -> web.WebSocketResponse:
        ws = web.WebSocketResponse()
        await ws.prepare(request)
        self.sockets[kind].append(ws)
        self.changed.set()
        try:
            async for message in ws:
                assert message.type is not WSMsgType.ERROR
        finally:
            self.sockets[kind].remove(ws)
            self.changed.set()
        return ws

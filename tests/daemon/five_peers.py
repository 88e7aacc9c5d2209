"""The peers of five sources, all playing one drive of Sonoma at the pace of one clock; each in a thread.

What each of them sends is made before, so that a
thread has only to wait and to write.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import math
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from fast_clock import LOOK_EVERY_S, SharedClock
from net_peers import LOCAL, PhonePeer
from other_writers import write_nmea

from pitwall.telemetry.recordings.base import Recording
from pitwall.telemetry.recordings.columns import G_MPS2
from pitwall.telemetry.sources.sensorserver import ACCELEROMETER, GYROSCOPE

Row = dict[str, float | None]
# Unix milliseconds and nanoseconds since boot: two clocks of one phone, neither of them ours.
PHONE_UTC_MS, PHONE_BOOT_NS = 1_780_000_000_000, 7_000_000_000_000
PHONE_FIX_EVERY_S = 1.0
# What a logger that hands in its readings over HTTP collects before it sends.
PUSH_EVERY_S = 1.0
PUSHED = ("oil_temp_c", "oil_bar", "air_fuel_ratio")
PUSHER_CLOCK_S = 5_000.0


class Pace:
    """When second t of the drive is, by the clock that all share."""

    def __init__(self, clock: SharedClock, begin: float) -> None:
        self.clock, self.begin = clock, begin

    def at(self, name: str, t: float) -> None:
        """Return once it is second t. The clock then waits for this peer until its next call."""
        self.clock.wait(name, self.begin + t)

    def free(self, name: str, t: float = math.inf) -> None:
        """The clock need not wait for this peer before second t."""
        self.clock.hold(name, self.begin + t)


def rows_of(recording: Recording, end_t: float) -> list[tuple[float, Row]]:
    """Every row up to `end_t`, by channel name."""
    names = [channel.name for channel in recording.info.streams[0].channels]
    return [(s.t, dict(zip(names, s.values, strict=True))) for s in recording.samples() if s.t <= end_t]


def nmea_of(recording: Recording, end_t: float) -> list[tuple[float, bytes]]:
    """RMC and GGA of each row, with its time."""
    out: list[tuple[float, bytes]] = []
    for sample in recording.samples():
        if sample.t > end_t:
            break
        text = io.StringIO()
        write_nmea(text, recording.info, [sample])
        out.append((sample.t, "".join(text.getvalue().splitlines(keepends=True)[1:]).encode()))
    return out


def from_second_0(frames: Sequence[tuple[float, int, bytes]]) -> list[tuple[float, int, bytes]]:
    """A log whose stamps count from its first frame."""
    return [(t - frames[0][0], key, data) for t, key, data in frames]


class Receiver:
    """A TCP server that sends its sentences to whoever is connected now, as receivers do."""

    def __init__(self) -> None:
        self._server = socket.create_server((LOCAL, 0))
        self.port = self._server.getsockname()[1]
        self._clients: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, name="receiver")
        self._thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._clients.append(self._server.accept()[0])

    def play(self, sentences: Iterable[tuple[float, bytes]], pace: Pace) -> None:
        for t, data in sentences:
            pace.at("gnss", t)
            for client in list(self._clients):
                try:
                    client.sendall(data)
                except OSError:
                    self._clients.remove(client)
                    client.close()

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        for each in (self._server, *self._clients):
            each.close()


class Phone:
    """SensorServer on a loop of its own: a fix a second, two sensors at the rows' rate, lying flat."""

    def __init__(self) -> None:
        self.peer = PhonePeer()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="phone")
        self._thread.start()
        self._call(self.peer.start())

    def _call(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def connected(self) -> None:
        self._call(self.peer.connected("gps", "imu"))

    def play(self, rows: Sequence[tuple[float, Row]], pace: Pace) -> None:
        self._call(self._play(rows, pace))

    async def _play(self, rows: Sequence[tuple[float, Row]], pace: Pace) -> None:
        fix_t = 0.0
        for t, row in rows:
            pace.free("phone", t)
            while pace.clock.now() < pace.begin + t:  # noqa: ASYNC110, it is another process's clock
                await asyncio.sleep(LOOK_EVERY_S)
            for message in _sensors(t, row):
                await self.peer.send("imu", message)
            if t >= fix_t and row["lat_deg"] is not None:
                fix_t = t + PHONE_FIX_EVERY_S
                await self.peer.send("gps", _fix(t, row))

    def close(self) -> None:
        self._call(self.peer.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


def _sensors(t: float, row: Row) -> Iterator[str]:
    stamp = PHONE_BOOT_NS + int(t * 1e9)
    g_lat, g_long = row["g_lat"] or 0.0, row["g_long"] or 0.0
    # On its back, its top forward: y forward, x right, z up.
    force = [-g_lat * G_MPS2, g_long * G_MPS2, G_MPS2]
    yield json.dumps({"type": ACCELEROMETER, "values": force, "timestamp": stamp, "accuracy": 3})
    speed = row["speed_mps"] or 0.0
    rate = g_lat * G_MPS2 / speed if speed > 5.0 else 0.0
    yield json.dumps({"type": GYROSCOPE, "values": [0.0, 0.0, rate], "timestamp": stamp, "accuracy": 3})


def _fix(t: float, row: Row) -> str:
    return json.dumps(
        {
            "latitude": row["lat_deg"], "longitude": row["lon_deg"], "altitude": row["altitude_m"],
            "speed": row["speed_mps"], "bearing": row["heading_deg"], "accuracy": 3.8,
            "time": PHONE_UTC_MS + t * 1000.0, "lastKnowLocation": False,
        }
    )  # fmt: skip


class Pusher:
    """A logger that hands in a batch a second, again and again until it is taken. `acknowledged`: how many
    readings were answered for as durable."""

    def __init__(self, address: str, token: str) -> None:
        self.acknowledged = self.batches = self.again = 0
        self._address, self._token = address, token

    def play(self, rows: Sequence[tuple[float, Row]], pace: Pace) -> None:
        stream = {"group": "engine", "channels": [{"name": name} for name in PUSHED]}
        for second, group in groupby(rows, lambda each: int(each[0] // PUSH_EVERY_S)):
            listed = list(group)
            pace.at("push", listed[-1][0])
            # The answer comes when the batch is durable, which may take the daemon some of its own time.
            pace.free("push")
            samples = [
                {"stream": 0, "source_s": PUSHER_CLOCK_S + t, "values": [row[name] for name in PUSHED]}
                for t, row in listed
            ]
            batch = {"batch_id": f"logger-{second}", "source": "logger", "streams": [stream]}
            self._send({**batch, "samples": samples})

    def _send(self, batch: dict[str, Any]) -> None:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        request = urllib.request.Request(
            f"{self._address}/telemetry", data=json.dumps(batch).encode(), headers=headers
        )
        while True:
            try:
                with urllib.request.urlopen(request, timeout=120.0) as answer:
                    taken = json.load(answer)
                break
            except urllib.error.HTTPError as error:
                with error:
                    if error.code != 429:
                        raise AssertionError(error.read()) from None
                self.again += 1
        assert taken["samples"] == len(batch["samples"])
        self.acknowledged += taken["samples"]
        self.batches += 1

"""Benchmark of the daemon under load, in real time and over real sockets. One JSON on standard output.

`load`: CAN frames, 2,000/s unless told otherwise (slcan over TCP), 25 Hz GPS (NMEA over TCP), 100 Hz IMU
(pushed, ten batches a second), 20 live clients of which one reads nothing. Every sample is counted: sent, in
the journal, in DuckDB.
`idle_standing`, `idle_driving`: 10 Hz GPS, no client: processor time and memory of the daemon and its player.
`hour`: memory after an hour of data at 25 Hz, driven as fast as it goes.
The machine's load average stands beside: on a busy one the latencies are those of its scheduler.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import reduce
from operator import xor
from pathlib import Path
from typing import Any

import aiohttp
import duckdb
from bench_beside import print_measured
from bench_drive import percentiles, sound_server
from soak_drive import soak

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "sources"))

from can_frames import raw_of  # noqa: E402
from can_slcan_peer import SlcanPeer  # noqa: E402

from pitwall.config import Home, shipped  # noqa: E402
from pitwall.drive.prepare import known_tracks, prepare_words  # noqa: E402
from pitwall.simulator.plan import START_UTC_S, SimulationPlan  # noqa: E402
from pitwall.simulator.simulate import simulate_to_file  # noqa: E402
from pitwall.telemetry.recordings.journal import JournalRecording, SampleRecord  # noqa: E402
from pitwall.telemetry.sources.can import SHIPPED  # noqa: E402
from pitwall.telemetry.sources.can_dbc import (  # noqa: E402
    key_of,
    load_dbc,
    load_mapping,
)
from pitwall.track.library import load_track  # noqa: E402

GPS_HZ, IMU_HZ = 25, 100
# As a USB adapter hands frames on: what came in 5 ms, in one write.
CAN_WRITE_S = 0.005
BATCH_SAMPLES = 10
CLIENTS = 20
CLIENT_HZ = 10
DRIVE_HZ = 100.0
# The simulated lap takes 113 s: six and the out and in laps are over 14 minutes.
DRIVE_LAPS = 6
# 0x452 is a position: here GPS has its own receiver.
POSITION_KEY = 0x452
KNOTS = 3600.0 / 1852.0
IMU = ("g_lat", "g_long", "yaw_rate_dps")
READY_S, SETTLE_S, ENDS_S = 60.0, 3.0, 20.0

Row = dict[str, float | None]


class Drive:
    """A simulated drive in rows of 100 Hz."""

    def __init__(self, folder: Path) -> None:
        file = folder / "load.pwj"
        track = load_track(shipped("track_data") / "sonoma.json")
        simulate_to_file(track, SimulationPlan(laps=DRIVE_LAPS, rate_hz=DRIVE_HZ), "journal", file)
        recording = JournalRecording(file)
        names = [channel.name for channel in recording.info.streams[0].channels]
        self.rows: list[Row] = [dict(zip(names, s.values, strict=True)) for s in recording.samples()]

    def at(self, t: float) -> Row:
        """The row at a time of the drive."""
        return self.rows[min(int(t * DRIVE_HZ), len(self.rows) - 1)]


class CanBus:
    """The AiM stream, so many frames/s: every message in turn, with what the car does at that moment."""

    def __init__(self, drive: Drive, hz: int) -> None:
        dbc = load_dbc(SHIPPED / "aim-mxp.dbc")
        targets = load_mapping(SHIPPED / "aim-mxp.toml", dbc)
        self._drive, self._targets, self._hz = drive, targets, hz
        self._messages = [m for m in sorted(dbc.messages, key=key_of) if key_of(m) != POSITION_KEY]
        self.sent = 0
        self.latest_s = 0.0

    def frame(self, number: int) -> tuple[float, int, bytes]:
        """Frame `number` of the drive."""
        t = number / self._hz
        message, row = self._messages[number % len(self._messages)], self._drive.at(t)
        bits = 0
        for place, each in enumerate(message.signals):
            target = self._targets.get((message.name, each.name))
            value = row.get(target.canonical) if target is not None else None
            # What isn't simulated moves all the same: equal values would pack too well.
            raw = (number + place) % 1_000 if value is None or target is None else raw_of(value, each, target)
            bits |= (raw & ((1 << each.length) - 1)) << each.start
        return t, key_of(message), bits.to_bytes(8, "little")

    def play(self, peer: SlcanPeer, seconds: float) -> None:
        """Send them in real time; for a thread."""
        begun_s, total = time.monotonic(), int(seconds * self._hz)
        while self.sent < total:
            due = min(int((time.monotonic() - begun_s) * self._hz), total)
            if due > self.sent:
                peer.send_raw(b"".join(peer.line(*self.frame(i)) for i in range(self.sent, due)))
                self.sent = due
            time.sleep(CAN_WRITE_S)


class Receiver:
    """A GPS receiver behind TCP: RMC and GGA at its rate. Epochs are counted once they are written."""

    def __init__(self, drive: Drive, hz: int, *, stands: bool = False) -> None:
        self._drive, self._hz = drive, hz
        # May be changed while it plays.
        self.stands = stands
        self.sent = 0
        self.port = 0
        self._writer: asyncio.StreamWriter | None = None
        self._connected = asyncio.Event()

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            server.close()
            if self._writer is not None:
                self._writer.close()

    async def play(self, seconds: float) -> None:
        """Send in real time, once somebody is connected."""
        await asyncio.wait_for(self._connected.wait(), READY_S)
        assert self._writer is not None
        begun_s = time.monotonic()
        while self.sent < int(seconds * self._hz):
            await asyncio.sleep(max(0.0, begun_s + self.sent / self._hz - time.monotonic()))
            t = self.sent / self._hz
            row = {**self._drive.at(0.0), "speed_mps": 0.0} if self.stands else self._drive.at(t)
            self._writer.write(epoch(t, row))
            self.sent += 1

    async def _meet(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._connected.set()


def epoch(t: float, row: Row) -> bytes:
    """RMC and GGA of one fix."""
    at = datetime.fromtimestamp(START_UTC_S + t, UTC)
    tod = f"{at:%H%M%S}.{at.microsecond // 10_000:02d}"
    lat, lon = row["lat_deg"] or 0.0, row["lon_deg"] or 0.0
    place = f"{degrees(lat, 2)},{'NS'[lat < 0]},{degrees(lon, 3)},{'EW'[lon < 0]}"
    knots, course = (row["speed_mps"] or 0.0) * KNOTS, row["heading_deg"] or 0.0
    bodies = (
        f"GPRMC,{tod},A,{place},{knots:.3f},{course:.2f},{at:%d%m%y},,,A",
        f"GPGGA,{tod},{place},1,12,0.80,{row['altitude_m'] or 0.0:.2f},M,,M,,",
    )
    return "".join(f"${body}*{reduce(xor, body.encode(), 0):02X}\r\n" for body in bodies).encode()


def degrees(value: float, width: int) -> str:
    """Degrees and minutes as NMEA writes them."""
    whole, part = divmod(abs(value), 1.0)
    return f"{int(whole):0{width}d}{part * 60.0:010.7f}"


class Daemon:
    """`live_daemon.py` on a home; `lines` are what it told."""

    def __init__(self, home: Home, *arguments: str) -> None:
        command = [sys.executable, str(ROOT / "scripts" / "live_daemon.py"), str(home.root), *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert self.process.stdout is not None
        self.address = json.loads(self.process.stdout.readline())["address"]
        self.headers = {"Authorization": f"Bearer {(home.root / 'token').read_text().strip()}"}

    def rss_mb(self) -> float:
        """Resident memory now."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        return 0.0

    def spent_s(self) -> dict[str, float]:
        """Processor seconds so far: its own, its threads' by name, its children's (the player)."""
        own = Path(f"/proc/{self.process.pid}")
        found = {"daemon": ticks(own / "stat")}
        for task in own.glob("task/*"):
            found[f"thread {task.name}"] = ticks(task / "stat")
        for child in own.glob("task/*/children"):
            for pid in child.read_text().split():
                name = "child " + Path(f"/proc/{pid}/comm").read_text().strip()
                found[name] = found.get(name, 0.0) + ticks(Path(f"/proc/{pid}/stat"))
        return found

    def woken(self) -> dict[str, int]:
        """How often each thread went to sleep so far, by its name here, and all of its children's."""
        tasks = list(Path(f"/proc/{self.process.pid}").glob("task/*"))
        found = {f"thread {task.name}": switches(task) for task in tasks}
        for children in [task / "children" for task in tasks]:
            for pid in children.read_text().split():
                for task in Path(f"/proc/{pid}").glob("task/*"):
                    found["children"] = found.get("children", 0) + switches(task)
        return found

    def written_bytes(self) -> int:
        """What it has sent to the disk so far."""
        return counted_in(Path(f"/proc/{self.process.pid}/io"), "write_bytes")

    def end(self) -> dict[str, Any]:
        """SIGTERM; its last words."""
        self.process.send_signal(signal.SIGTERM)
        out, _ = self.process.communicate(timeout=ENDS_S)
        told: dict[str, Any] = json.loads(out.strip().splitlines()[-1])
        return told


def ticks(stat: Path) -> float:
    """User and system time in a /proc stat file, s."""
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def counted_in(path: Path, name: str) -> int:
    """A number of a /proc file of names and numbers."""
    found = dict(line.split(":", 1) for line in path.read_text().splitlines() if ":" in line)
    return int(found[name])


def switches(task: Path) -> int:
    """How often a thread gave the processor back by itself: each time but the last it was woken again."""
    return counted_in(task / "status", "voluntary_ctxt_switches")


async def push(session: aiohttp.ClientSession, daemon: Daemon, drive: Drive, seconds: float) -> int:
    """The IMU in batches over one connection; how many samples were acknowledged."""
    taken, begun_s, number = 0, time.monotonic(), 0
    channels = [{"name": name} for name in IMU]
    while number < int(seconds * IMU_HZ / BATCH_SAMPLES):
        due_s = begun_s + (number + 1) * BATCH_SAMPLES / IMU_HZ
        await asyncio.sleep(max(0.0, due_s - time.monotonic()))
        at = [(number * BATCH_SAMPLES + i) / IMU_HZ for i in range(BATCH_SAMPLES)]
        samples = [{"stream": 0, "source_s": t, "values": [drive.at(t)[name] for name in IMU]} for t in at]
        batch = {"batch_id": f"imu:{number}", "source": "phone",
                 "streams": [{"group": "imu", "channels": channels}], "samples": samples}  # fmt: skip
        address = daemon.address + "/telemetry"
        async with session.post(address, json=batch, headers=daemon.headers) as answer:
            if answer.status == 200:
                taken += BATCH_SAMPLES
                number += 1
    return taken


async def look_on(session: aiohttp.ClientSession, daemon: Daemon, number: int, seen: Counter[int]) -> None:
    """A client of the live page that reads everything."""
    async with session.get(f"{daemon.address}/live?hz={CLIENT_HZ}", headers=daemon.headers) as answer:
        async for line in answer.content:
            seen[number] += line.startswith(b"data:")


@contextlib.contextmanager
def stalled(daemon: Daemon) -> Iterator[None]:
    """A client that asks for 50 frames a second and reads none."""
    host, _, port = daemon.address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port))) as link:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        token = daemon.headers["Authorization"]
        link.sendall(
            f"GET /live?hz=50 HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: {token}\r\n\r\n".encode()
        )
        yield


def _player(status: dict[str, Any]) -> str:
    return str((status["voice"]["player"] or {"name": ""})["name"])


async def sound_is_there(session: aiohttp.ClientSession, daemon: Daemon) -> None:
    """Wait until callouts would be heard, as in a car that stands in the pits."""
    until_s = time.monotonic() + READY_S
    while time.monotonic() < until_s:
        async with session.get(daemon.address + "/status?details=all", headers=daemon.headers) as answer:
            status = (await answer.json())["details"]
        lost = any(each["name"] == "audio" for each in status["degradations"])
        if _player(status) == "pacat" and status["voice"]["clips"] and not lost:
            break
        await asyncio.sleep(0.2)
    await asyncio.sleep(SETTLE_S)


def prepared(folder: Path, name: str, sources: dict[str, str]) -> Home:
    """A home with these sources, its clips rendered as after an earlier start."""
    home = Home(folder / name)
    home.prepare()
    prepare_words(home, known_tracks(home)[0]["sonoma"], sound=True)
    text = ["[api]", "port = 0", "[limits]", "free_floor_mb = 0"]
    for source, uri in sources.items():
        text += [f"[sources.{source}]", *uri.splitlines()]
    (home.root / "pitwall.toml").write_text("\n".join(text) + "\n")
    return home


async def load(
    folder: Path, drive: Drive, seconds: float, can_hz: int, page: bool, clients: int
) -> dict[str, Any]:
    """The load, and what came of it. Without `clients` nothing is pushed either: receiver and bus alone."""
    receiver, bus = Receiver(drive, GPS_HZ), CanBus(drive, can_hz)
    async with receiver.listening():
        with SlcanPeer() as peer:
            home = prepared(folder, "load", {
                "car": f'uri = "can:slcan://socket/{peer.address}?bitrate=1000000"\ndbc = "aim-mxp"',
                "gps": f'uri = "nmea:tcp://127.0.0.1:{receiver.port}"',
            })  # fmt: skip
            daemon = await asyncio.to_thread(Daemon, home, "--probe")
            try:
                await asyncio.to_thread(peer.wait_open, READY_S)
                return await _loaded(daemon, home, drive, receiver, bus, peer, seconds, page, clients)
            finally:
                if daemon.process.poll() is None:
                    daemon.process.kill()
                    daemon.process.wait()


@contextlib.asynccontextmanager
async def page_open(session: aiohttp.ClientSession, daemon: Daemon, wanted: bool) -> AsyncIterator[None]:
    """The page's Drive view in a Chromium of its own."""
    if not wanted:
        yield
        return
    sys.path.insert(0, str(ROOT / "tests" / "api"))
    from browser import browsing  # with pytest

    async with browsing() as page:
        async with session.post(daemon.address + "/links", headers=daemon.headers) as answer:
            path = (await answer.json())["path"]
        await page.open(daemon.address + path)
        await page.until("document.querySelector('.speed .value')")
        yield


async def _loaded(
    daemon: Daemon,
    home: Home,
    drive: Drive,
    receiver: Receiver,
    bus: CanBus,
    peer: SlcanPeer,
    seconds: float,
    page: bool,
    clients: int,
) -> dict[str, Any]:
    seen: Counter[int] = Counter()
    memory: list[tuple[float, float]] = []
    begun_s = time.monotonic()
    async with (
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as session,
        page_open(session, daemon, page),
    ):
        with stalled(daemon) if clients else contextlib.nullcontext():
            viewers = [
                asyncio.create_task(look_on(session, daemon, number, seen)) for number in range(clients - 1)
            ]
            await sound_is_there(session, daemon)
            # The first batch opens the session: from then on every frame belongs to it.
            pushed = await push(session, daemon, drive, BATCH_SAMPLES / IMU_HZ) if clients else 0
            sending = threading.Thread(target=bus.play, args=(peer, seconds))
            sending.start()
            pushing = asyncio.create_task(push(session, daemon, drive, seconds)) if clients else None
            fixes = asyncio.create_task(receiver.play(seconds))
            before, written = daemon.spent_s(), daemon.written_bytes()
            kept = kept_bytes(home)
            while sending.is_alive():
                memory.append((time.monotonic() - begun_s, daemon.rss_mb()))
                await asyncio.sleep(1.0)
            spent = daemon.spent_s()["daemon"] - before["daemon"]
            written, kept = daemon.written_bytes() - written, kept_bytes(home) - kept
            if pushing is not None:
                pushed += await pushing - BATCH_SAMPLES  # its first batch is the one that was known already
            await fixes
            await asyncio.sleep(SETTLE_S)
            async with session.get(daemon.address + "/status?details=all", headers=daemon.headers) as answer:
                status = (await answer.json())["details"]
            for viewer in viewers:
                viewer.cancel()
            await asyncio.gather(*viewers, return_exceptions=True)
    told = await asyncio.to_thread(daemon.end)
    sent = {"car": bus.sent, "gps": receiver.sent, "phone": pushed}
    return {
        "minutes": round(seconds / 60.0, 2),
        "load_average": [round(value, 1) for value in os.getloadavg()],
        "samples": counted(home, sent),
        "shed": {"inbox": status["inbox"]["shed"], "journal": status["journal"]["shed"],
                 "store": status["store"]["shed"]},
        "frame_to_path": of_counts({int(place) / 10.0: count for place, count in told["to_path"].items()}),
        "kept_back_until_the_stream_is_known": {"count": len(told["kept_back_ms"]),
                                                "max_ms": max(told["kept_back_ms"], default=0.0)},
        "frame_to_pcm": {**quantiles(told["to_pcm_ms"] + told["own_to_pcm_ms"]),
                         "own_callouts": told["own_callouts"], "own_ms": told["own_to_pcm_ms"],
                         "of_silence_ms": told["untimed_to_pcm_ms"],
                         "behind_another": told["behind_another"], "player": _player(status)},
        "loop_most_lag_ms": round(status["loop"]["most_lag_s"] * 1e3, 1),
        "loop_lag": of_counts({int(place) / 10.0: count for place, count in told["loop_lag"].items()}),
        "disk": {"kept_mb_per_h": round(kept * 3600.0 / seconds / 1e6),
                 "written_by_kept": round(written / kept, 2)},
        "processor": {"of_one_core_pct": round(100.0 * spent / seconds, 1)},
        "clients": {"reading": len(seen), "fewest_messages": min(seen.values(), default=0),
                    "stalled": min(clients, 1)},
        "memory": flatness(memory),
    }  # fmt: skip


def kept_bytes(home: Home) -> int:
    """What lies on the disk of drives: journals and the database."""
    return sum(each.stat().st_size for each in (*home.journals.glob("*.pwj"), home.database) if each.exists())


def counted(home: Home, sent: dict[str, int]) -> dict[str, dict[str, int]]:
    """Samples of each source: sent, in the journals, in DuckDB by their sequence numbers."""
    journal: Counter[str] = Counter()
    stored: Counter[str] = Counter()
    # Not as the daemon opens it: 32 MB are too few for this question.
    with closing(duckdb.connect(str(home.database), read_only=True)) as con:
        for path in home.journals.glob("*.pwj"):
            rows = con.execute(
                "SELECT seq FROM frames WHERE session = $1 UNION SELECT seq FROM signals WHERE session = $1",
                [path.stem],
            ).fetchall()
            known = {seq for (seq,) in rows}
            recording = JournalRecording(path)
            source = {each.id: each.source.partition(":")[0] for each in recording.info.streams}
            for seq, record in recording.records():
                if isinstance(record, SampleRecord):
                    journal[source[record.stream]] += 1
                    stored[source[record.stream]] += seq in known
    return {
        name: {"sent": count, "journal": journal[name], "duckdb": stored[name]}
        for name, count in sent.items()
    }


def quantiles(values_ms: list[float]) -> dict[str, float]:
    """As `percentiles`, of milliseconds."""
    return percentiles([value / 1e3 for value in values_ms] or [0.0])


def of_counts(counts: dict[float, int]) -> dict[str, float]:
    """p50, p99 and the largest of values in ms that were counted."""
    total, seen, found = sum(counts.values()), 0, {"count": sum(counts.values())}
    for value in sorted(counts):
        seen += counts[value]
        for name, share in (("p50_ms", 0.5), ("p99_ms", 0.99), ("max_ms", 1.0)):
            if name not in found and seen >= share * total:
                found[name] = round(value + 0.1, 1)
    return found


def flatness(memory: list[tuple[float, float]]) -> dict[str, float]:
    """RSS: the median of the second fifth and of the last fifth of the time, MB."""
    values = [value for _, value in memory]
    fifth = max(len(values) // 5, 1)
    early, late = statistics.median(values[fifth : 2 * fifth] or values), statistics.median(values[-fifth:])
    return {
        "early_mb": round(early, 1),
        "late_mb": round(late, 1),
        "most_mb": round(max(values), 1),
        "grown_pct": round(100.0 * (late / early - 1.0), 1),
    }


async def idle(folder: Path, drive: Drive, seconds: float, *, stands: bool) -> dict[str, Any]:
    """10 Hz GPS, no client. A car that stands has no session, so nothing is written."""
    receiver = Receiver(drive, 10, stands=stands)
    async with receiver.listening():
        home = prepared(folder, f"idle {stands}", {"gps": f'uri = "nmea:tcp://127.0.0.1:{receiver.port}"'})
        daemon = await asyncio.to_thread(Daemon, home)
        fixes = asyncio.create_task(receiver.play(seconds + 20.0))
        # Clips are read and the session is opened by then.
        await asyncio.sleep(15.0)
        before, woken, written = daemon.spent_s(), daemon.woken(), daemon.written_bytes()
        await asyncio.sleep(seconds)
        after, woken_after = daemon.spent_s(), daemon.woken()
        written = daemon.written_bytes() - written
        rss_mb = daemon.rss_mb()
        fixes.cancel()
        told = await asyncio.to_thread(daemon.end)
    cost = {name: 100.0 * (spent - before.get(name, 0.0)) / seconds for name, spent in after.items()}
    whole = sum(value for name, value in cost.items() if not name.startswith("thread "))
    wakeups = {
        told["named"].get(name.removeprefix("thread "), name): (value - woken.get(name, 0)) / seconds
        for name, value in woken_after.items()
    }
    return {
        "seconds": seconds,
        "load_average": [round(value, 1) for value in os.getloadavg()],
        "whole_pct": round(whole, 2),
        "parts_pct": {
            told["named"].get(name.removeprefix("thread "), name): round(value, 2)
            for name, value in sorted(cost.items(), key=by_most)
        },
        "rss_mb": round(rss_mb, 1),
        "wakeups_per_s": {name: round(value, 1) for name, value in sorted(wakeups.items(), key=by_most)},
        "written_mb_per_h": round(written * 3600.0 / seconds / 1e6, 1),
    }


def by_most(part: tuple[str, float]) -> float:
    """A key for sorting: the most first."""
    return -part[1]


async def measure(minutes: float, idle_s: float, can_hz: int, page: bool, clients: int) -> dict[str, Any]:
    folder = Path(tempfile.mkdtemp())
    try:
        drive = Drive(folder)
        found: dict[str, Any] = {}
        if minutes:
            found["load"] = await load(folder, drive, minutes * 60.0, can_hz, page, clients)
        if idle_s:
            found["idle_standing"] = await idle(folder, drive, idle_s, stands=True)
            found["idle_driving"] = await idle(folder, drive, idle_s, stands=False)
        return found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Print one JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1.0, help="of load (1; the issue's figure: 10)")
    parser.add_argument("--idle", type=float, default=30.0, help="seconds of idling to measure (30)")
    parser.add_argument("--hours", type=int, default=1, help="of data for the memory's figure (1; 0: none)")
    parser.add_argument("--can-hz", type=int, default=2_000, help="CAN frames a second (2,000)")
    parser.add_argument(
        "--clients", type=int, default=CLIENTS, help="of the live API (20); 0: no IMU is pushed either"
    )
    parser.add_argument("--page", action="store_true", help="with the page open in a Chromium meanwhile")
    asked = parser.parse_args()
    with sound_server():
        found = asyncio.run(measure(asked.minutes, asked.idle, asked.can_hz, asked.page, asked.clients))
    if asked.hours:
        hour = soak(asked.hours)
        found["hour"] = {name: hour[name] for name in ("hours_driven", "rss_after_an_hour_mb")}
    needed = [
        f"load.{name}" for name in ("samples.car.duckdb", "samples.gps.duckdb", "frame_to_path.count",
                                    "processor.of_one_core_pct", "disk.kept_mb_per_h")
    ] if asked.minutes else []  # fmt: skip
    needed += ["load.clients.fewest_messages"] if asked.minutes and asked.clients else []
    needed += ["idle_standing.whole_pct", "idle_driving.written_mb_per_h"] if asked.idle else []
    print_measured({"machine": {"python": sys.version.split()[0], "cores": os.cpu_count()}, **found}, *needed)


if __name__ == "__main__":
    main()

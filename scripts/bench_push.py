"""Benchmark of a push beside the daemon, in real time. One JSON on standard output.

A car stands in the paddock with a receiver of 25 Hz. `alone` and `pushing`: how long a reading takes to the
path, the second while sessions of 14 minutes at 100 Hz go into a lake, again and again into a new one. Then
the car moves, six times at other moments of a push: `gone_within_s` is until no process of the push is left
(it takes a few fixes to tell that a car moves).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
from bench_beside import print_measured
from bench_live import (
    DRIVE_HZ,
    DRIVE_LAPS,
    GPS_HZ,
    READY_S,
    SETTLE_S,
    Daemon,
    Drive,
    Receiver,
    of_counts,
    prepared,
)

from pitwall.config import Home, shipped
from pitwall.drive.replay import import_file
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store.store import Store
from pitwall.track.library import load_track

PUSHED, STOPS = 4, 6
# Another moment of the push each time.
STOP_STEP_S = 0.15


def stored(folder: Path) -> Home:
    """A home with the sessions."""
    home = prepared(folder, "push", {})
    track = load_track(shipped("track_data") / "sonoma.json")
    with Store(home) as store:
        store.open()
        for number in range(PUSHED):
            file = folder / f"pushed-{number}.pwj"
            plan = SimulationPlan(laps=DRIVE_LAPS, rate_hz=DRIVE_HZ, seed=number)
            simulate_to_file(track, plan, "journal", file)
            import_file(file, home, store)
            file.unlink()
    return home


def pushing(daemon: Daemon) -> bool:
    """Whether a process of the daemon's pushes now."""
    children = Path(f"/proc/{daemon.process.pid}").glob("task/*/children")
    lines = [Path(f"/proc/{pid}/cmdline") for path in children for pid in path.read_text().split()]
    return any(b"pitwall.paddock.worker" in path.read_bytes() for path in lines if path.exists())


async def until(condition: Callable[[], bool], within_s: float) -> float:
    """Seconds until it held. TimeoutError."""
    begun_s = time.monotonic()
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110, another process
            await asyncio.sleep(0.005)
    return time.monotonic() - begun_s


async def measured(home: Home, drive: Drive, lakes: Path | None, seconds: float) -> dict[str, Any]:
    """A daemon of so many seconds; with pushes into `lakes`; 0 seconds: where the car moves."""
    receiver = Receiver(drive, GPS_HZ, stands=True)
    async with receiver.listening():
        text = f'[api]\nport = 0\n[sources.gps]\nuri = "nmea:tcp://127.0.0.1:{receiver.port}"\n'
        (home.root / "pitwall.toml").write_text(text + "[limits]\nfree_floor_mb = 0\n")
        daemon = await asyncio.to_thread(Daemon, home, "--probe")
        fixes = asyncio.create_task(receiver.play(seconds + 600.0))
        try:
            await asyncio.sleep(SETTLE_S)
            row = await _beside(daemon, receiver, lakes, seconds)
            fixes.cancel()
            told = await asyncio.to_thread(daemon.end)
        finally:
            if daemon.process.poll() is None:
                daemon.process.kill()
                daemon.process.wait()
    counts = {int(place) / 10.0: count for place, count in told["to_path"].items()}
    return {**row, "frame_to_path": of_counts(counts), "load": [round(each, 1) for each in os.getloadavg()]}


async def _beside(daemon: Daemon, receiver: Receiver, lakes: Path | None, seconds: float) -> dict[str, Any]:
    before, begun_s, count = daemon.spent_s()["daemon"], time.monotonic(), 0
    async with aiohttp.ClientSession(headers=daemon.headers) as session:

        async def begin() -> None:
            given = {"kind": "fleet_push", "input": {"lake": f"{lakes}/{seconds}-{count}"}}
            async with session.post(daemon.address + "/jobs", json=given) as answer:
                answer.raise_for_status()
            await until(lambda: pushing(daemon), 10 * READY_S)

        if not seconds:
            stops = []
            for count in range(STOPS):
                receiver.stands = True
                await begin()
                await asyncio.sleep(STOP_STEP_S * count)
                receiver.stands = False
                stops.append(round(await until(lambda: not pushing(daemon), READY_S), 2))
            return {"gone_within_s": stops}
        while time.monotonic() - begun_s < seconds:
            if lakes is None:
                await asyncio.sleep(1.0)
                continue
            await begin()
            await until(lambda: not pushing(daemon), 10 * READY_S)
            count += 1
        spent_s, took_s = daemon.spent_s()["daemon"] - before, time.monotonic() - begun_s
    row = {"seconds": round(took_s, 1), "daemon_pct": round(100.0 * spent_s / took_s, 1)}
    return row | ({"sessions": count * PUSHED} if lakes else {})


def main() -> None:
    """Print one JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0)
    seconds = parser.parse_args().seconds
    folder = Path(tempfile.mkdtemp())
    try:
        home, rows, lakes = stored(folder), Drive(folder), folder / "lakes"
        found = {
            name: asyncio.run(measured(home, rows, place, length_s))
            for name, place, length_s in (
                ("alone", None, seconds), ("pushing", lakes, seconds), ("moving", lakes, 0.0)
            )
        }  # fmt: skip
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    counts = ("alone.frame_to_path.count", "pushing.frame_to_path.count", "pushing.sessions")
    print_measured(found, *counts, "moving.frame_to_path.count")


if __name__ == "__main__":
    main()

"""`pitwall run` with probes, for bench_live.py and soak.py: a process of its own, started by them.

    live_daemon.py HOME --probe              from a reading received to its callout's PCM handed over
    live_daemon.py HOME --drive FILE --hours N    drives a simulated journal again and again, at full speed

Tells on standard output, one JSON a line: `ready`, `hour` for each hour that was driven, `end`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from pitwall.coach.cue import Callout
from pitwall.config import Home
from pitwall.daemon.app import Daemon
from pitwall.daemon.intake.pushes import Waiting
from pitwall.daemon.intake.queue import InputLane, Reading, SourceInbox
from pitwall.daemon.watch import freeze_gc, limit_arenas, unfreeze_gc
from pitwall.settings import load_settings
from pitwall.store.store import Store
from pitwall.telemetry.recordings.detect import open_recording

# A callout every two seconds at 2,000 frames/s, beside the coach's own, so that there are enough to count.
SAY_EVERY = 4_000
# Nothing may be shed: what waits stays below every limit of inbox, journal and DuckDB's writer.
QUEUE_MOST, STORE_MOST, JOURNAL_ROOM = 512, 1_500, 3_000
# Between two drives the car stands so long that the session is over by itself (settings: 900 s).
STANDS_S, STANDS_HZ = 960.0, 5.0
PAUSE_S = 0.002
BUCKETS = 20_000
LAG_EVERY_S = 0.05


def tell(kind: str, **what: Any) -> None:
    """One line for whoever started us."""
    print(json.dumps({"kind": kind, **what}), flush=True)


class Probe:
    """Times from a reading's arrival to the first samples of its callout in the player's hands.

    A message that the daemon's own clock brought about ("No data, timing paused") has no reading: it counts
    from the moment the path was told the time, and apart. So do readings that a source kept back until it
    knew its stream (the first fixes of a receiver, whose rate tells how old they are).
    """

    def __init__(self, service: Daemon) -> None:
        # Counted in tenths of a ms, so that the probe itself takes no memory with time.
        self.to_path = [0] * BUCKETS
        self.loop_lag = [0] * BUCKETS
        self.to_pcm_s: list[float] = []
        self.said = self.own = self.behind = 0
        self._service = service
        self.own_to_pcm_s: list[float] = []
        self.untimed_to_pcm_s: list[float] = []
        self.kept_back_s: list[float] = []
        self._opened_s: dict[InputLane, float] = {}
        self._own = self.own_to_pcm_s
        self._received: dict[str, tuple[float, list[float]]] = {}
        self._taken, self._now = 0, 0.0
        self._player: object = None
        keeper, callout = service.keeper, service.listeners.callout
        take, look = keeper._take, keeper._notice_silence

        async def timed(reading: Reading | Waiting) -> None:
            if isinstance(reading, Waiting):
                self._now, self._own = max(each.received_s for each in reading.readings), self.own_to_pcm_s
                await take(reading)
                return
            self._now, self._own = reading.received_s, self.own_to_pcm_s
            opened_s = self._opened_s.setdefault(reading.lane, time.monotonic())
            await take(reading)
            spent_s = time.monotonic() - reading.received_s
            if reading.received_s < opened_s:
                self.kept_back_s.append(spent_s)
            else:
                self.to_path[min(int(spent_s * 1e4), BUCKETS - 1)] += 1
            self._taken += 1
            if self._taken % SAY_EVERY == 0:
                self._say()

        def timed_look() -> None:
            self._now, self._own = time.monotonic(), self.untimed_to_pcm_s
            look()

        def heard(said: Callout) -> None:
            self.own += 1
            player = self._service.voice._player
            state = player.state() if player is not None else None
            if said.cut or (state is not None and not state.playing and not state.waiting):
                self._received[said.text] = (self._now, self._own)
            else:
                self.behind += 1
            callout(said)

        keeper._take = timed  # type: ignore[method-assign]
        keeper._notice_silence = timed_look  # type: ignore[method-assign]
        service.listeners.callout = heard  # type: ignore[method-assign]

    def _say(self) -> None:
        vocabulary, track = self._service.vocabulary, self._service.keeper.current.path.track
        texts = sorted({*vocabulary.words("").clips, *(vocabulary.words(track.id).clips if track else ())})
        if texts:
            text = texts[self.said % len(texts)]
            self.said += 1
            self._received[text] = (self._now, self.to_pcm_s)
            self._service.voice.play(Callout(0, 0.0, text, 0.0, True))

    async def lag(self) -> None:
        """Count how late the loop wakes up."""
        while True:
            due_s = time.monotonic() + LAG_EVERY_S
            await asyncio.sleep(LAG_EVERY_S)
            self.loop_lag[min(int((time.monotonic() - due_s) * 1e4), BUCKETS - 1)] += 1

    async def watch(self) -> None:
        """Listen to whichever player there is."""
        while True:
            player = self._service.voice._player
            if player is not None and player is not self._player:
                self._player = player
                player.on_handed = self._handed
            await asyncio.sleep(0.2)

    def _handed(self, clip: Any, at_s: float) -> None:
        waited = self._received.pop(clip.text, None)
        if waited is not None:
            received_s, times = waited
            times.append(at_s - received_s)

    def result(self) -> dict[str, Any]:
        """Raw figures in ms."""
        return {
            "own_callouts": self.own,
            "own_to_pcm_ms": in_ms(self.own_to_pcm_s),
            "untimed_to_pcm_ms": in_ms(self.untimed_to_pcm_s),
            "kept_back_ms": in_ms(self.kept_back_s),
            "behind_another": self.behind,
            "to_path": {place: count for place, count in enumerate(self.to_path) if count},
            "loop_lag": {place: count for place, count in enumerate(self.loop_lag) if count},
            "to_pcm_ms": in_ms(self.to_pcm_s),
        }


def in_ms(values_s: list[float]) -> list[float]:
    """Milliseconds, the least first."""
    return sorted(round(value * 1e3, 3) for value in values_s)


class Drives:
    """One simulated journal driven again and again through the queue, as fast as all behind it keep up."""

    def __init__(self, service: Daemon, file: Path, hours: float) -> None:
        self._service, self._file, self._until_s = service, file, hours * 3600.0
        self._inbox = SourceInbox("car", service.queue, service.clock, lambda: None)
        self.driven_s = self.spent_s = 0.0
        self.samples = 0

    async def run(self) -> None:
        """Drive until so many hours were driven; then the daemon ends."""
        try:
            await self._drive()
        finally:
            self._service.stop()

    async def _drive(self) -> None:
        await self._service.keeper.settled.wait()
        recording = open_recording(self._file)
        (stream,) = recording.info.streams
        lane = self._inbox.stream(stream.channels, group="sim", latency_s=0.0)
        still = [i for i, c in enumerate(stream.channels) if c.name in ("speed_mps", "wheel_speed_mps")]
        begun_s, t, told_h = time.monotonic(), 0.0, 0
        while self.driven_s < self._until_s:
            from_t, last = t, None
            for sample in recording.samples():
                t = from_t + sample.t
                await self._put(lane, t, begun_s, sample.values)
                last = sample
                if self.driven_s + sample.t >= (told_h + 1) * 3600.0:
                    told_h += 1
                    self._tell(told_h, begun_s)
            assert last is not None
            self.driven_s += last.t
            values = tuple(0.0 if i in still else value for i, value in enumerate(last.values))
            for _ in range(int(STANDS_S * STANDS_HZ)):
                t += 1.0 / STANDS_HZ
                await self._put(lane, t, begun_s, values)
            self.spent_s = time.monotonic() - begun_s

    async def _put(self, lane: int, t: float, begun_s: float, values: tuple[float | None, ...]) -> None:
        service = self._service
        self._inbox.put(lane, t, begun_s + t, values)
        self.samples += 1
        if self.samples % 64:
            return
        await asyncio.sleep(0)
        while not self._keeps_up():  # noqa: ASYNC110, other threads
            await asyncio.sleep(PAUSE_S)
        assert service.queue.shed == 0

    def _keeps_up(self) -> bool:
        service, session = self._service, self._service.keeper.session
        journal = JOURNAL_ROOM if session is None else session.writer.room()
        return (
            len(service.queue) < QUEUE_MOST
            and service.store.stats().waiting < STORE_MOST
            and journal >= JOURNAL_ROOM
        )

    def _tell(self, hour: int, begun_s: float) -> None:
        tell("hour", hour=hour, spent_s=round(time.monotonic() - begun_s, 1), **held(self._service))


def held(service: Daemon) -> dict[str, Any]:
    """What this process holds now, and what lies on the disk."""
    status = dict(
        line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line
    )
    home = service.home.root
    stats = service.store.stats()
    with closing(service.store.cursor()) as con:
        ((duckdb_bytes,),) = con.execute("SELECT sum(memory_usage_bytes) FROM duckdb_memory()").fetchall()
    return {
        "rss_mb": round(int(status["VmRSS"].split()[0]) / 1024, 1),
        "rss_code_mb": round(int(status["RssFile"].split()[0]) / 1024, 1),
        "duckdb_mb": round(duckdb_bytes / 2**20, 1),
        "python_blocks": sys.getallocatedblocks(),
        "threads": int(status["Threads"]),
        "python_threads": threading.active_count(),
        "named": {str(each.native_id): f"thread {each.name}" for each in threading.enumerate()},
        "handles": len(os.listdir("/proc/self/fd")),
        "tasks": len(asyncio.all_tasks()),
        "journal_bytes": sum(path.stat().st_size for path in service.home.journals.glob("*.pwj")),
        "written_bytes": int(Path("/proc/self/io").read_text().partition("\nwrite_bytes:")[2].split()[0]),
        "database_bytes": sum(path.stat().st_size for path in home.glob("*.duckdb*") if path.is_file()),
        "shed": stats.shed + service.queue.shed,
        "faults": service.keeper.current.faults,
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Run until told to end, or until everything is driven."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--probe", action="store_true")
    parser.add_argument("--drive", type=Path)
    parser.add_argument("--hours", type=float, default=1.0)
    asked = parser.parse_args()
    home = Home(asked.home)
    home.prepare()
    limit_arenas()
    with Store(home) as store:
        store.open(to_drive=True)
        tasks: list[asyncio.Task[None]] = []
        probes: list[Probe] = []

        async def run() -> None:
            service = await Daemon.build(home, load_settings(home.root / "pitwall.toml", {}), store)

            def ready() -> None:
                loop = asyncio.get_running_loop()
                if asked.probe:
                    probes.append(Probe(service))
                    looks = (probes[0].watch(), probes[0].lag())
                    tasks.extend(loop.create_task(each) for each in looks)
                if asked.drive is not None:
                    tasks.append(loop.create_task(Drives(service, asked.drive, asked.hours).run()))
                freeze_gc()
                tell("ready", address=f"http://{service.settings.api.host}:{service.port}")

            def ending() -> None:
                tell("end", **held(service), **(probes[0].result() if probes else {}))
                for task in tasks:
                    task.cancel()

            signal.signal(signal.SIGTERM, lambda *_: service.stop())
            await service.run(ready, ending)

        asyncio.run(run())
    unfreeze_gc()


if __name__ == "__main__":
    main()

"""A small daemon for the API's tests: a real store with a real drive in it, a real journal, and a server that
listens. Only the driving is missing.

Run as a script: `api_daemon.py HOME` serves until it is killed and prints its port and token.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from pitwall.api.app import make_app, serve
from pitwall.api.live import LiveHub
from pitwall.api.paired import Wall
from pitwall.api.token import load_token
from pitwall.config import Home
from pitwall.contract.push import PushBatch, PushRefusal, PushResult
from pitwall.contract.settings import PaddockSettings
from pitwall.contract.status import (
    Check,
    PhoneReport,
    PhoneStatus,
    ProcessStatus,
    SessionStatus,
    SourceStatus,
    Status,
    VoiceStatus,
)
from pitwall.daemon.conditions import available
from pitwall.daemon.paddock.gate import PaddockPart
from pitwall.doctor import examine
from pitwall.drive.degradation import Degradations
from pitwall.drive.session import LiveState
from pitwall.settings import Settings
from pitwall.store.session import SessionWriter
from pitwall.store.store import Store
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.recordings.journal import SessionMeta
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.track.lap import Position
from pitwall.voice.render import Voice

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "scripts" / "data" / "sonoma-simulated.vbo"


class SmallDaemon:
    """Implements DaemonPort: batches go into the journal of one live session."""

    def __init__(self, store: Store) -> None:
        self.home, self.store, self.live = store.home, store, LiveHub()
        self.life, self.track, self.said = "paddock", "", ""
        self.losses = Degradations()
        self.coach = PaddockPart(
            store,
            PaddockSettings(),
            parked=lambda: self.life == "paddock",
            scripts_changed=self.scripts_changed,
        )
        self.wall = Wall(store.home.root)
        self.full = False
        self.rendered: list[str] = []
        self.batches: dict[str, int] = {}
        self._streams: dict[tuple[str, str], Stream] = {}
        self._report: PhoneReport | None = None
        self._writer: SessionWriter | None = None
        self._started_utc_s = time.time()
        self._one = asyncio.Lock()
        self.gate, self.arrived = asyncio.Event(), asyncio.Event()
        self.gate.set()

    def status(self) -> Status:
        stats = self.store.stats()
        live = "" if self._writer is None else self._writer.id
        return Status(
            process=ProcessStatus(version="0", pid=1, up_s=time.time() - self._started_utc_s),
            session=SessionStatus(life=self.life, id=live, track=self.track, said=self.said),  # type: ignore[arg-type]
            capabilities=tuple(available(Fusion(), 0.0).values()),
            degradations=self.losses.status(kept=False, words=self.home.words),
            sources=tuple(
                SourceStatus(name=name, uri="push:", state="up")
                for name in dict.fromkeys(s for s, _ in self._streams)
            ),
            store=stats,
            live=self.live.status(),
            voice=VoiceStatus(state="up"),
            phone=None if self._report is None else PhoneStatus(report=self._report, age_s=0.0),
        )

    async def accept(self, batch: PushBatch) -> PushResult | PushRefusal:
        if self.full:
            return PushRefusal("busy", "the inbox is full", retry_after_s=2.5)
        self.arrived.set()
        await self.gate.wait()
        async with self._one:
            return await self._accept(batch)

    async def _accept(self, batch: PushBatch) -> PushResult:
        if batch.batch_id in self.batches:
            return PushResult(batch.batch_id, self.batches[batch.batch_id], True)
        if self._writer is None:
            meta = SessionMeta(
                id=self.store.new_id(self._started_utc_s), kind="live", created_utc_s=self._started_utc_s
            )
            self._writer = self.store.begin(meta, lossless=False)
        streams = [self._stream(batch.source, each.group, each) for each in batch.streams]
        for sample in batch.samples:
            row = Sample(streams[sample.stream].id, sample.source_s or 0.0, sample.values)
            self._writer.row(self._writer.keep(row), None, None, 0)
        self._writer.hurry()
        while self._writer.stats().durable_seq < self._writer.seq:  # noqa: ASYNC110 - the journal's thread
            await asyncio.sleep(0.001)
        self.batches[batch.batch_id] = len(batch.samples)
        return PushResult(batch.batch_id, len(batch.samples), False)

    def _stream(self, source: str, group: str, pushed: object) -> Stream:
        key = (source, group)
        if key not in self._streams:
            channels = tuple(Channel(c.name, c.unit, c.label) for c in pushed.channels)  # type: ignore[attr-defined]
            stream = Stream(len(self._streams), source, channels)
            assert self._writer is not None
            self._writer.keep_stream(stream)
            self._writer.row_stream(stream)
            self._streams[key] = stream
        return self._streams[key]

    def phone(self, report: PhoneReport) -> None:
        told = {key: value for key, value in msgspec.structs.asdict(report).items() if value is not None}
        self._report = msgspec.structs.replace(self._report or PhoneReport(), **told)

    @property
    def spoken_by(self) -> Voice:
        return Voice(self.home.words.voice)

    def look(self) -> list[Check]:
        return examine(self.home, Settings())

    def scripts_changed(self, track: str) -> None:
        self.rendered.append(track)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


@asynccontextmanager
async def running(home: Home, port: int = 0) -> AsyncIterator[tuple[SmallDaemon, int, str]]:
    """The daemon and its API on a free port: (daemon, port, token)."""
    store = Store(home)
    store.open()
    daemon = SmallDaemon(store)
    token = load_token(home)
    try:
        async with serve(make_app(daemon, token=token), "127.0.0.1", port) as bound:
            yield daemon, bound, token
    finally:
        await daemon.coach.aclose()
        daemon.close()
        store.close()


async def _main(home: Home) -> None:
    async with running(home) as (daemon, port, token):
        daemon.live.publish_frame(
            Frame(1.0, speed_mps=30.0), Position(1.0, 12.5, 0.1, "on"), LiveState(t=1.0)
        )
        print(port, token, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main(Home(Path(sys.argv[1]))))

"""The whole daemon inside the test's own process, with sources of the test's own making."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pitwall.config import Home
from pitwall.daemon.app import Daemon
from pitwall.settings import Loaded, load_settings
from pitwall.store.store import Store
from pitwall.telemetry.sample import Channel
from pitwall.telemetry.sources.base import Inbox, SourceHealth

WITHIN_S = 120.0
GPS_CHANNELS = (
    Channel("lat_deg", "deg", "Latitude"),
    Channel("lon_deg", "deg", "Longitude"),
    Channel("speed_mps", "m/s", "Speed"),
)
# The middle of nowhere: no track is near.
LAT_DEG, LON_DEG = 10.0, 20.0


class Moving:
    """A GPS that drives north at 20 m/s, 25 times a second, until `trouble` is set to an exception."""

    def __init__(self, uri: str = "test:") -> None:
        self.health = SourceHealth(uri)
        self.trouble: Exception | None = None
        self.speed_mps = 20.0
        self.runs = 0

    async def run(self, inbox: Inbox) -> None:
        self.runs += 1
        stream = inbox.stream(GPS_CHANNELS, group="fix", latency_s=0.0)
        loop = asyncio.get_running_loop()
        begun_s, step, north_m = loop.time(), 0, 0.0
        self.health.state = "up"
        while True:
            if self.trouble is not None:
                trouble, self.trouble = self.trouble, None
                raise trouble
            t = step / 25.0
            inbox.put(stream, t, begun_s + t, (LAT_DEG + north_m / 111_195.0, LON_DEG, self.speed_mps))
            self.health.readings += 1
            step += 1
            north_m += self.speed_mps / 25.0
            await asyncio.sleep(max(begun_s + t - loop.time(), 0.0))


def settings(home: Home, text: str) -> Loaded:
    """Settings from the text of a file, with any free port and no sound."""
    path = Path(home.root / "pitwall.toml")
    path.write_text(f'[audio]\nplayer = "text"\n[api]\nport = 0\n{text}\n')
    return load_settings(path, {})


@asynccontextmanager
async def running(home: Home, loaded: Loaded) -> AsyncIterator[Daemon]:
    """The daemon, ready; ended as by SIGTERM and its store closed."""
    with Store(home) as store:
        store.open()
        service = await Daemon.build(home, loaded, store)
        ready = asyncio.Event()
        task = asyncio.create_task(service.run(ready.set))
        try:
            await asyncio.wait({asyncio.create_task(ready.wait()), task}, return_when="FIRST_COMPLETED")
            yield service
        finally:
            service.stop()
            await asyncio.wait_for(task, WITHIN_S)

"""A whole `Daemon` in this process, and a drive whose truth is known, handed to it as fast as it takes it.

The drive is simulated, split into a receiver's readings and the car's, each with a clock of its own. When a
reading was received is computed from the drive, so that data time decides and nothing waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.daemon.app import Daemon
from pitwall.daemon.intake.queue import SLICE, SourceInbox
from pitwall.drive.prepare import known_tracks
from pitwall.drive.rebuild import rebuilder
from pitwall.settings import AudioSettings, Loaded, Settings
from pitwall.simulator.plan import Mistake, SimulationPlan, Truth
from pitwall.simulator.sensors import CAR_CHANNELS, GPS_CHANNELS, sense
from pitwall.simulator.trace import true_drive
from pitwall.store.queries import cues, laps, sessions
from pitwall.store.store import Store, recover
from pitwall.telemetry.sample import Channel
from pitwall.telemetry.signals import SIGNALS
from pitwall.telemetry.sources.base import SourceHealth
from pitwall.track.lap import Lap
from pitwall.track.model import Track

PATIENCE_S = 120.0
LAPS = 2
# Something to call from the second lap on.
MISTAKES = (
    Mistake("turn_7", "brake_early", 30.0, 2, LAPS),
    Mistake("turn_11", "brake_early", 30.0, 2, LAPS),
    Mistake("turn_4", "coast", 30.0, 2, LAPS),
    Mistake("carousel", "overslow", 3.0, 2, LAPS),
)
GPS, CAR = "gps", "car"
CHANNELS = {GPS: GPS_CHANNELS, CAR: CAR_CHANNELS}


class Item(msgspec.Struct):
    """One reading of the drive: of `lane` at `t`, stamped `source_s` by it."""

    lane: str
    t: float
    source_s: float
    values: tuple[float | None, ...]


class Drive:
    """Flying laps of Sonoma, or of another track without a mistake; its truth, and its readings in order."""

    def __init__(self, home: Home, other: Track | None = None) -> None:
        track = other or known_tracks(home)[0]["sonoma"]
        plan = SimulationPlan(laps=LAPS, rate_hz=10.0, mistakes=() if other else MISTAKES)
        trace = true_drive(track, plan)
        self.truth: Truth = trace.truth
        cut = len(GPS_CHANNELS)
        self.items: list[Item] = []
        for sample in sense(trace, plan):
            # The car's readings first: at a fix they are those of its time.
            self.items.append(Item(CAR, sample.t, 100.0 + sample.t, sample.values[cut:]))
            self.items.append(Item(GPS, sample.t, 50_000.0 + sample.t, sample.values[:cut]))

    def but(self, change: Callable[[Item], Item | None]) -> list[Item]:
        """The readings with a fault: `change` is shown a copy of each and gives what becomes of it."""
        changed = (change(msgspec.structs.replace(item)) for item in self.items)
        return [item for item in changed if item is not None]

    def lap(self, number: int) -> Any:
        return self.truth.laps[number]

    def times(self) -> dict[int, float]:
        """Time of each flying lap by its number."""
        return {lap.number: lap.time_s for lap in self.truth.laps if lap.time_s is not None}


class Running:
    """A service that runs, and sources of the test's own into its inbox."""

    def __init__(self, service: Daemon) -> None:
        self.service = service
        self.began_s = service.clock.start_received_s
        self.health: dict[str, SourceHealth] = {}
        self._inboxes: dict[str, SourceInbox] = {}
        self._streams: dict[str, int] = {}

    def source(self, name: str, channels: Iterable[str], latency_s: float = 0.0) -> None:
        """A source of one stream."""
        health = self.health[name] = SourceHealth(f"test:{name}")
        inbox = SourceInbox(name, self.service.queue, self.service.clock, lambda: health)
        columns = [Channel(each, SIGNALS[each].unit if each in SIGNALS else "", each) for each in channels]
        self._inboxes[name] = inbox
        self._streams[name] = inbox.stream(columns, group=name, latency_s=latency_s)

    def put(self, item: Item, received_s: float | None = None) -> None:
        """Hand over one reading; it came when its time in the drive was."""
        came_s = self.began_s + item.t if received_s is None else received_s
        self._inboxes[item.lane].put(self._streams[item.lane], item.source_s, came_s, item.values)

    async def drive(self, items: Iterable[Item], each: Callable[[Item], None] | None = None) -> None:
        """Hand over a drive as fast as it is taken; `each` is called before each reading."""
        for name, channels in CHANNELS.items():
            if name not in self._inboxes:
                self.source(name, channels)
        # With `each` one by one, so that what is lost is seen at its very reading. Otherwise in handfuls: at
        # each turn of the loop another thread may take the interpreter for milliseconds.
        most = 0 if each else SLICE // 2
        for item in items:
            if len(self.service.queue) > most:
                await self.taken()
            if each:
                each(item)
            self.put(item)
        await self.taken()

    async def taken(self) -> None:
        """Until all that was handed over was driven."""
        while len(self.service.queue):  # noqa: ASYNC110 - the queue tells nobody that it is empty
            await asyncio.sleep(0)
        await asyncio.sleep(0)

    @property
    def lost(self) -> list[str]:
        """What is lost now, by its row in the degradation table."""
        return [each.row.name for each in self.service.keeper.current.path.degradations.standing()]


@asynccontextmanager
async def running(
    home: Home, tracks: Iterable[str] = ("", "sonoma"), **settings: Any
) -> AsyncIterator[Running]:
    """A service on this home, ended as by SIGTERM. The words of `tracks` are ready, as in a car that has
    driven there before."""
    wanted = Settings(**{"audio": AudioSettings(player="none"), **settings})
    with Store(home) as store:
        store.open()
        service = await Daemon.build(home, Loaded(wanted, {}), store)
        ready = asyncio.Event()
        task = asyncio.create_task(service.run(ready.set))
        try:
            await asyncio.wait_for(ready.wait(), PATIENCE_S)
            await asyncio.wait_for(service.keeper.settled.wait(), PATIENCE_S)
            for track in tracks:
                await asyncio.to_thread(service.vocabulary.make, track)
            yield Running(service)
        finally:
            service.stop()
            await asyncio.wait_for(task, PATIENCE_S)


def stored(home: Home) -> tuple[list[Lap], list[LedgerLine]]:
    """Laps and ledger of the one session, after a new start that recovers what is to be recovered."""
    with Store(home) as store:
        store.open()
        recover(store, rebuilder(home, store))
        [session] = sessions(store)
        return list(laps(store, session.id)), list(cues(store, session.id))

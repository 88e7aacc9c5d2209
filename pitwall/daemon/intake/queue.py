"""Queue readings for the in-drive path: bounded, and the least important is shed first."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import msgspec

from pitwall.contract.shedding import shed_above
from pitwall.contract.status import InboxStatus
from pitwall.telemetry.sample import Channel, Values
from pitwall.telemetry.session_clock import ClockMap, SessionClock
from pitwall.telemetry.sources.base import SourceHealth

# Four seconds of a full CAN bus.
CAPACITY = 8192
TALL_ONLY, CANONICAL, POSITION = 0, 1, 2
# From which share of the queue on each is shed.
SHED_ABOVE = tuple(shed_above("intake", what) for what in ("tall signals", "canonical signals", "positions"))
# Readings per turn of the loop: a few milliseconds.
SLICE = 128

_T = TypeVar("_T")
Take = Callable[[Any], Awaitable[None]]


class InputLane(msgspec.Struct, frozen=True, eq=False):
    """Channels of one source; `timed`: a late one shows that the drive has moved on."""

    source: str
    group: str
    channels: tuple[Channel, ...]
    clock: ClockMap
    importance: int
    timed: bool = True

    @property
    def name(self) -> str:
        """Return the source's name in the journal."""
        return f"{self.source}:{self.group}"


class Reading(msgspec.Struct, frozen=True, gc=False):
    """A reading as it came."""

    lane: InputLane
    source_s: float | None
    received_s: float
    values: Values


class Queue:
    """Readings and what keeps its place among them. `put` from any thread."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self.capacity = capacity
        self.taken = self.shed = 0
        self._items: deque[Any] = deque()
        self._ready = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._limits = tuple(int(share * capacity) for share in SHED_ABOVE)

    def __len__(self) -> int:
        return len(self._items)

    def put(self, reading: Reading) -> bool:
        """Hand over a reading; False if it was shed."""
        if len(self._items) >= self._limits[reading.lane.importance]:
            self.shed += 1
            return False
        self.put_always(reading)
        return True

    def put_always(self, item: Any) -> None:
        """Hand over what is bounded elsewhere."""
        self._items.append(item)
        if threading.get_ident() == self._thread:
            self._ready.set()
        else:
            self._loop.call_soon_threadsafe(self._ready.set)

    def pop(self) -> Any | None:
        """Return the next item, if any."""
        if not self._items:
            return None
        self.taken += 1
        return self._items.popleft()

    async def wait(self) -> None:
        """Wait for something."""
        while not self._items:
            self._ready.clear()
            await self._ready.wait()

    def status(self) -> InboxStatus:
        """Return the counts."""
        return InboxStatus(waiting=len(self._items), capacity=self.capacity, taken=self.taken, shed=self.shed)


async def take_slice(queue: Queue, take: Take) -> None:
    """Take what waits, for a few milliseconds; then others get their turn."""
    for _ in range(SLICE):
        item = queue.pop()
        if item is None:
            break
        await take(item)
    await asyncio.sleep(0)


async def take_while(queue: Queue, work: asyncio.Future[_T], take: Take) -> _T:
    """Return what this work gives, taking what comes meanwhile."""
    while not work.done():
        coming = asyncio.ensure_future(queue.wait())
        both: set[asyncio.Future[Any]] = {work, coming}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            coming.cancel()
        await take_slice(queue, take)
    return work.result()


class SourceInbox:
    """A source's `Inbox`: its streams are lanes."""

    def __init__(
        self,
        source: str,
        queue: Queue,
        clock: SessionClock,
        health: Callable[[], SourceHealth | None],
    ) -> None:
        self.lanes: list[InputLane] = []
        self._source, self._queue, self._clock, self._health = source, queue, clock, health

    def stream(self, channels: Sequence[Channel], *, group: str, latency_s: float) -> int:
        """Register channels; the same again gives the same id, with this latency from now on."""
        wanted = tuple(channels)
        for number, lane in enumerate(self.lanes):
            if lane.group == group and lane.channels == wanted:
                lane.clock.latency_s = latency_s
                return number
        importance = importance_of(wanted)
        clock = self._clock.source(
            self._source, latency_s, receiver=importance == POSITION, stream=f"{self._source}:{group}"
        )
        health = self._health()
        timed = health is None or health.timed
        self.lanes.append(InputLane(self._source, group, wanted, clock, importance, timed))
        return len(self.lanes) - 1

    def put(self, stream: int, source_s: float | None, received_s: float, values: Values) -> None:
        """Queue a reading; one that does not fit is an error."""
        health = self._health()
        if not 0 <= stream < len(self.lanes) or len(values) != len(self.lanes[stream].channels):
            if health is not None:
                health.errors += 1
            return
        kept = self._queue.put(Reading(self.lanes[stream], source_s, received_s, values))
        if not kept and health is not None:
            health.shed += 1


def importance_of(channels: Sequence[Channel]) -> int:
    """Rank how long readings of these channels are kept."""
    names = {channel.name for channel in channels}
    if "lat_deg" in names:
        return POSITION
    return CANONICAL if any(channel.canonical for channel in channels) else TALL_ONLY

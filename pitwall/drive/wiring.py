"""The asyncio wiring: samples from a source go through the in-drive path; every task is owned here."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping
from typing import Any, Protocol, TypeVar

from pitwall.coach.cue import Callout, LedgerLine
from pitwall.drive.session import RowSink
from pitwall.store.session import SessionWriter
from pitwall.track.lap import Lap
from pitwall.voice.clips import Clip
from pitwall.voice.playback_queue import Player

# At full speed the loop is entered once for so many samples: cheap, and a signal is still heard in 30 ms.
BATCH_SAMPLES = 256
# Batches between source and path. The source waits when it is full; it is a file, nothing is shed.
QUEUE_BATCHES = 4


class Listener(Protocol):
    """Who watches a drive, such as a terminal. Called on the loop; must return at once."""

    def callout(self, callout: Callout) -> None: ...

    def lap(self, lap: Lap) -> None: ...

    def ledger(self, line: LedgerLine) -> None: ...


class SessionSink(RowSink):
    """The path's `DriveSink`: everything to the store, callouts to the voice, and a listener may look on."""

    def __init__(
        self,
        writer: SessionWriter,
        player: Player | None = None,
        clips: Mapping[str, Clip] | None = None,
        listener: Listener | None = None,
    ) -> None:
        super().__init__(writer)
        self._player, self._clips, self._listener = player, clips or {}, listener

    def lap(self, lap: Lap) -> None:
        super().lap(lap)
        if self._listener is not None:
            self._listener.lap(lap)

    def callout(self, callout: Callout) -> None:
        clip = self._clips.get(callout.text)
        if self._player is not None and clip is not None:
            self._player.play(clip, cut=callout.cut)
        if self._listener is not None:
            self._listener.callout(callout)

    def ledger(self, line: LedgerLine) -> None:
        self._writer.cue(line)
        if self._listener is not None:
            self._listener.ledger(line)


class Timed(Protocol):
    """A sample, or whatever else has its place in a recording. `t` is session time."""

    @property
    def t(self) -> float: ...


T = TypeVar("T", bound=Timed)
TFed = TypeVar("TFed", contravariant=True)


class Path(Protocol[TFed]):
    """What is driven."""

    def feed(self, item: TFed, /) -> object: ...


async def recorded(samples: Iterable[T], speed: float | None) -> AsyncIterator[list[T]]:
    """A recording's samples as they would arrive, `speed` times as fast; None: as fast as it can be read."""
    loop = asyncio.get_running_loop()
    batch: list[T] = []
    if speed is None:
        for sample in samples:
            batch.append(sample)
            if len(batch) == BATCH_SAMPLES:
                yield batch
                batch = []
                await asyncio.sleep(0)
    else:
        start_s, first_t = loop.time(), None
        for sample in samples:
            first_t = sample.t if first_t is None else first_t
            due_s = start_s + (sample.t - first_t) / speed
            if due_s > loop.time():
                if batch:
                    yield batch
                    batch = []
                # Not before it is due; a sleep of less than the timer's step would only spin.
                await asyncio.sleep(due_s - loop.time())
            batch.append(sample)
    if batch:
        yield batch


async def drive(path: Path[T], batches: AsyncIterator[list[T]]) -> None:
    """Feed the path until the source ends. Cancelling it leaves the path whole: call `path.finish` then."""
    queue: asyncio.Queue[list[T] | None] = asyncio.Queue(QUEUE_BATCHES)

    async def read() -> None:
        async for batch in batches:
            await queue.put(batch)
        await queue.put(None)

    async def follow() -> None:
        feed = path.feed
        while (batch := await queue.get()) is not None:
            for sample in batch:
                feed(sample)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(read(), name="source")
        tasks.create_task(follow(), name="in-drive path")


def run_until_signal(work: Coroutine[Any, Any, None]) -> bool:
    """Run to its end, or cancel it cleanly at SIGINT or SIGTERM. True where it came to its end."""

    async def owned() -> bool:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
        try:
            await task
        except asyncio.CancelledError:
            return False
        return True

    return asyncio.run(owned())

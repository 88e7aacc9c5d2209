"""An inbox that keeps what a source hands over, and lets a test wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from pitwall.telemetry.sample import Channel
from pitwall.telemetry.sources.base import Source

# Longer than anything here takes on a loaded machine; only a failing test waits so long.
PATIENCE_S = 20.0


class KeptInbox:
    """`readings`: (stream, source_s, received_s, values) as they came; `groups` by stream id."""

    def __init__(self) -> None:
        self.groups: list[str] = []
        self.channels: list[tuple[Channel, ...]] = []
        self.readings: list[tuple[int, float | None, float, tuple[float | None, ...]]] = []
        self._waiting: list[tuple[Callable[[], bool], asyncio.Event]] = []

    def stream(self, channels: Sequence[Channel], *, group: str, latency_s: float) -> int:
        assert latency_s == 0.0
        if group not in self.groups:
            self.groups.append(group)
            self.channels.append(tuple(channels))
        return self.groups.index(group)

    def put(
        self, stream: int, source_s: float | None, received_s: float, values: tuple[float | None, ...]
    ) -> None:
        assert len(values) == len(self.channels[stream])
        self.readings.append((stream, source_s, received_s, values))
        for done, event in self._waiting:
            if done():
                event.set()

    async def until(self, done: Callable[[], bool]) -> None:
        """Wait for readings until `done`; TimeoutError after PATIENCE_S."""
        event = asyncio.Event()
        self._waiting.append((done, event))
        if not done():
            await asyncio.wait_for(event.wait(), PATIENCE_S)
        self._waiting.remove((done, event))

    async def count(self, readings: int) -> None:
        """Wait until so many readings have come."""
        await self.until(lambda: len(self.readings) >= readings)

    def series(self, name: str) -> list[tuple[float | None, float | None]]:
        """(source_s, value) of one channel, whichever stream has it."""
        for stream, channels in enumerate(self.channels):
            for column, channel in enumerate(channels):
                if channel.name == name:
                    return [(at, values[column]) for ident, at, _, values in self.readings if ident == stream]
        raise KeyError(name)


@asynccontextmanager
async def running(source: Source, inbox: KeptInbox) -> AsyncIterator[None]:
    """The source runs inside; on the way out it is cancelled and must end cleanly."""
    task = asyncio.create_task(source.run(inbox))
    try:
        yield
    finally:
        if not task.done():
            task.cancel()
        try:
            await asyncio.wait_for(task, PATIENCE_S)
        except asyncio.CancelledError:
            assert task.cancelled()
    assert source.health.state == "stopped"


async def until(done: Callable[[], bool]) -> None:
    """Wait for what nobody announces (a health record, a thread), looking each turn; TimeoutError."""
    async with asyncio.timeout(PATIENCE_S):
        while not done():  # noqa: ASYNC110 - what is waited for sets no event
            await asyncio.sleep(0.002)

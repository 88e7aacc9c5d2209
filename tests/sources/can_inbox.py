"""An inbox that keeps what a source hands over, and lets a test wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from until import DEADLOCK_S, until

from pitwall.telemetry.sample import Channel
from pitwall.telemetry.sources.base import Source


class KeptInbox:
    """`readings`: (stream, source_s, received_s, values) as they came; `groups` by stream id."""

    def __init__(self) -> None:
        self.groups: list[str] = []
        self.channels: list[tuple[Channel, ...]] = []
        self.readings: list[tuple[int, float | None, float, tuple[float | None, ...]]] = []

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

    async def count(self, readings: int) -> None:
        """Wait until so many readings have come."""
        await until(lambda: len(self.readings) >= readings)

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
            await asyncio.wait_for(task, DEADLOCK_S)
        except asyncio.CancelledError:
            assert task.cancelled()
    assert source.health.state == "stopped"

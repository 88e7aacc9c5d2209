"""Where the bytes of a connection go: held to an allowance, and watched for peers that say nothing usable."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

from pitwall.telemetry.sources.allowance import Allowance
from pitwall.telemetry.sources.backoff import SILENT_S
from pitwall.telemetry.sources.base import SourceHealth

# Ten times what a 25 Hz receiver with all its sentences sends; more is held back, or shed where it can't be.
MAX_BYTES_PER_S = 256 * 1024
BURST_BYTES = 1024 * 1024


class Feed(Protocol):
    """Makes readings of bytes."""

    def begin(self) -> None:
        """A new connection."""
        ...

    def feed(self, data: bytes, received_s: float) -> None:
        """What came at the monotonic time `received_s`."""
        ...


class Intake:
    """One source's way in, the same over all of its connections."""

    def __init__(self, health: SourceHealth, feed: Feed) -> None:
        self.health = health
        self._feed = feed
        self._allowance = Allowance(MAX_BYTES_PER_S, BURST_BYTES)
        self._readings, self._usable_s = 0, 0.0

    def begin(self) -> None:
        """A new connection."""
        self._feed.begin()
        self._readings, self._usable_s = self.health.readings, time.monotonic()

    async def take(self, data: bytes) -> None:
        """Bytes of a stream; returns when more may be read. TimeoutError where nothing usable comes."""
        now_s = time.monotonic()
        self._feed.feed(data, now_s)
        if self.silent(now_s):
            raise TimeoutError(f"nothing usable for {SILENT_S:.0f} s")
        await asyncio.sleep(self._allowance.owe(len(data), now_s))

    def take_datagram(self, data: bytes) -> None:
        """One datagram, shed where there are too many."""
        now_s = time.monotonic()
        if self._allowance.take(len(data), now_s):
            self._feed.feed(data, now_s)
        else:
            self.health.shed += 1

    def silent(self, now_s: float) -> bool:
        """Whether there was no reading for SILENT_S."""
        if self.health.readings != self._readings:
            self._readings, self._usable_s = self.health.readings, now_s
        return now_s - self._usable_s > SILENT_S

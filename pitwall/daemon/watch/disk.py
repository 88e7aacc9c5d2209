"""The room on the disk. Below the floor the oldest sessions with a copy elsewhere are removed."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable

from pitwall.config import Home
from pitwall.contract.status import DiskStatus
from pitwall.daemon.watch.turns import TURN_S, next_turn
from pitwall.store.store import Store

# A loss is known in under half a second. Asking for the room takes 0.1 ms of a thread.
DISK_EVERY_S = 2 * TURN_S


class Disk:
    """The room that is left where everything is kept."""

    def __init__(self, home: Home, floor_mb: float) -> None:
        self.dropped: list[str] = []
        self._home, self._floor_bytes = home, int(floor_mb * 1e6)
        self._free_bytes: int | None = None
        self._error = ""

    def status(self) -> DiskStatus:
        """As /status shows it."""
        return DiskStatus(free_bytes=self._free_bytes, floor_bytes=self._floor_bytes)

    def trouble(self) -> str:
        """What is wrong, "" while nothing is."""
        if self._error:
            return self._error
        if self._free_bytes is None or self._free_bytes >= self._floor_bytes:
            return ""
        return f"{self._free_bytes / 1e6:.0f} MB free, {self._floor_bytes / 1e6:.0f} MB wanted"

    async def run(self, store: Store, noticed: Callable[[], None]) -> None:
        """Look for ever. Below the floor call `noticed` and remove one session at a time."""
        while True:
            self._free_bytes = await asyncio.to_thread(self._free)
            if self.trouble():
                noticed()
            if self.trouble() and not self._error:
                dropped = await asyncio.to_thread(store.drop_oldest_exported)
                if dropped is not None:
                    self.dropped.append(dropped)
                    continue
            await next_turn(DISK_EVERY_S)

    def _free(self) -> int | None:
        """Bytes; None where the home can't be looked at: nothing is known of its room then."""
        try:
            free = shutil.disk_usage(self._home.root).free
        except OSError as error:
            self._error = f"{self._home.root} can't be looked at: {error.strerror or error}"
            return None
        self._error = ""
        return free

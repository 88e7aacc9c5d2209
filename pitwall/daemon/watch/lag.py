"""How late the event loop runs: a stall is felt by the driver, so it is measured and shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pitwall.contract.status import LoopStatus
from pitwall.daemon.watch.turns import TURN_S, until_turn_s

# Looked at 20 times a second; a third of what a callout may be late in all. While the car stands nobody hears
# one, and it is looked at with everything else.
EVERY_S = 0.05
# From here on it counts as a stall: a callout would come a quarter of a second late.
STALL_S = 0.25
WEIGHT = 1 / 8


class LoopWatch:
    """`run` it beside everything else."""

    def __init__(self, parked: Callable[[], bool] = lambda: False) -> None:
        self._parked = parked
        self.lag_s = self.most_lag_s = 0.0
        self.stalls = 0

    async def run(self) -> None:
        """Measure for ever."""
        loop = asyncio.get_running_loop()
        while True:
            wait_s = until_turn_s(TURN_S if self._parked() else EVERY_S)
            due_s = loop.time() + wait_s
            await asyncio.sleep(wait_s)
            lag_s = max(loop.time() - due_s, 0.0)
            self.lag_s += WEIGHT * (lag_s - self.lag_s)
            self.most_lag_s = max(self.most_lag_s, lag_s)
            self.stalls += lag_s >= STALL_S

    def status(self) -> LoopStatus:
        """As /status shows it."""
        return LoopStatus(lag_s=self.lag_s, most_lag_s=self.most_lag_s, stalls=self.stalls)

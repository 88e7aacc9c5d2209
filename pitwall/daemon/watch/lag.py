"""How late the event loop runs: a stall is felt by the driver, so it is measured and shown."""

from __future__ import annotations

import asyncio

from pitwall.contract.status import LoopStatus

# Looked at 20 times a second; a third of what a callout may be late in all.
EVERY_S = 0.05
# From here on it counts as a stall: a callout would come a quarter of a second late.
STALL_S = 0.25
WEIGHT = 1 / 8


class LoopWatch:
    """`run` it beside everything else."""

    def __init__(self) -> None:
        self.lag_s = self.most_lag_s = 0.0
        self.stalls = 0

    async def run(self) -> None:
        """Measure for ever."""
        loop = asyncio.get_running_loop()
        while True:
            due_s = loop.time() + EVERY_S
            await asyncio.sleep(EVERY_S)
            lag_s = max(loop.time() - due_s, 0.0)
            self.lag_s += WEIGHT * (lag_s - self.lag_s)
            self.most_lag_s = max(self.most_lag_s, lag_s)
            self.stalls += lag_s >= STALL_S

    def status(self) -> LoopStatus:
        """As /status shows it."""
        return LoopStatus(lag_s=self.lag_s, most_lag_s=self.most_lag_s, stalls=self.stalls)

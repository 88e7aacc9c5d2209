"""Every clock of this process runs faster, so that a drive of 18 minutes is a test of one.

libfaketime was tried: Python's locks wait by sem_clockwait, which it does not know, and hang. So the clocks
that Python code reads are scaled (time, monotonic), and what waits on the event loop waits shorter by as
much. Waits of threads (queues, sockets, locks) stay real: they are time-outs, only longer by the new clock.
Call `install` before anything of pitwall is imported.
"""

from __future__ import annotations

import asyncio  # noqa: F401 - it and its parts keep nothing of a clock that is replaced later
import queue  # noqa: F401 - takes hold of the real clock, as its waits are real
import selectors
import threading  # noqa: F401 - as queue
import time
from typing import Any


def install(speed: float) -> None:
    """From now on a second of this process takes 1/`speed` s."""
    monotonic, wall, sleep = time.monotonic, time.time, time.sleep
    monotonic_0, wall_0 = monotonic(), wall()
    time.monotonic = lambda: monotonic_0 + (monotonic() - monotonic_0) * speed
    time.time = lambda: wall_0 + (monotonic() - monotonic_0) * speed
    time.sleep = lambda seconds: sleep(seconds / speed)
    select = selectors.EpollSelector.select

    def select_sooner(self: Any, timeout: float | None = None) -> Any:
        return select(self, timeout / speed if timeout is not None and timeout > 0 else timeout)

    selectors.EpollSelector.select = select_sooner  # type: ignore[method-assign]

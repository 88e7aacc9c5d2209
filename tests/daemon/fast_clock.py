"""A clock that several processes share, and that stands while one of them is behind.

A drive of six minutes is played in one. Nobody may fall behind while that runs: a hiccup of 60 ms of this
machine would be half a second for the coach, who takes a source for lost then. So whoever takes part says, in
a file that all have mapped, up to which second the clock may go, and the clock never goes further.

libfaketime was tried: Python's locks wait by sem_clockwait, which it does not know, and hang. So in the child
the clocks that Python code reads are replaced (time, monotonic), and what waits on the event loop waits for
this clock. Waits of threads (queues, sockets, locks) stay real: they are time-outs, only longer by the new
clock. Call `install` before anything of pitwall is imported.
"""

from __future__ import annotations

import asyncio  # noqa: F401 - it and its parts keep nothing of a clock that is replaced later
import math
import mmap
import queue  # noqa: F401 - takes hold of the real clock, as its waits are real
import selectors
import struct
import threading
import time
from pathlib import Path
from typing import Any

_now, _sleep = time.monotonic, time.sleep
_DOUBLE = struct.Struct("d")
# Slot 0 is the time; the others are how far each of those that take part lets it go.
SLOTS = {
    name: 8 * number for number, name in enumerate(("now", "loop", "bus", "gnss", "phone", "push", "line"))
}
# The clock runs ahead of nobody by more than this: far less than what counts as a loss.
AHEAD_S = 0.05
# Most of the work is to look: three times as often costs half as much again.
LOOK_EVERY_S = 0.003
# A machine that is busy takes longer; what is held up for a tenth of a second is half a second late.
FASTEST = 5.0
# A clock that stands for so long is stuck: it goes on, and whoever was behind is told late.
DEADLOCK_S = 60.0


class SharedClock:
    """Seconds that all who have mapped the file agree on."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(b"".join(_DOUBLE.pack(math.inf if offset else 0.0) for offset in SLOTS.values()))
        with path.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), 8 * len(SLOTS))

        self.speed = FASTEST

    def now(self) -> float:
        """The time."""
        return float(_DOUBLE.unpack_from(self._shared, 0)[0])

    def hold(self, name: str, at: float) -> None:
        """Let the clock go no further than AHEAD_S behind `at`; math.inf: as far as it likes."""
        _DOUBLE.pack_into(self._shared, SLOTS[name], at)

    def wait(self, name: str, at: float) -> None:
        """Return once it is `at`. Until the next call the clock waits for what is done then."""
        self.hold(name, at)
        while self.now() < at:
            _sleep(LOOK_EVERY_S)

    def run(self, ended: threading.Event) -> None:
        """Let the time pass, `speed` times as fast as the real one at most."""
        held = [offset for offset in SLOTS.values() if offset]
        before_s = moved_s = _now()
        while not ended.wait(LOOK_EVERY_S):
            now_s = _now()
            limit = min(_DOUBLE.unpack_from(self._shared, offset)[0] for offset in held) + AHEAD_S
            if now_s - moved_s > DEADLOCK_S:
                limit = math.inf
            at = self.now()
            if at < limit:
                _DOUBLE.pack_into(self._shared, 0, min(at + (now_s - before_s) * self.speed, limit))
                moved_s = now_s
            before_s = now_s


def install(clock: SharedClock) -> None:
    """From now on the time of this process is that of the clock."""
    monotonic_0, wall_0, clock_0 = time.monotonic(), time.time(), clock.now()
    time.monotonic = lambda: monotonic_0 + clock.now() - clock_0
    time.time = lambda: wall_0 + clock.now() - clock_0
    select = selectors.EpollSelector.select

    def select_by_the_clock(self: Any, timeout: float | None = None) -> Any:
        """The clock goes on when the loop has nothing left to do."""
        until = math.inf if timeout is None else clock.now() + timeout
        while not (events := select(self, 0.0)) and (timeout is None or timeout > 0.0):
            clock.hold("loop", at := clock.now())
            if at >= until or (events := select(self, LOOK_EVERY_S)):
                break
        return events

    # A thread that sleeps may be the one whom the clock waits for.
    time.sleep = lambda seconds: _sleep(seconds / FASTEST)
    selectors.EpollSelector.select = select_by_the_clock  # type: ignore[method-assign]

"""How long retries wait: one table, and one counter to follow it."""

from __future__ import annotations

import msgspec


class Retry(msgspec.Struct, frozen=True):
    """The wait after a failed try: `first_s`, then twice as long each time, up to `most_s`.
    `at_once`: the first retry does not wait."""

    first_s: float
    most_s: float
    at_once: bool = False

    def wait_s(self, tries: int) -> float:
        """Return the wait after `tries` failed tries in a row, of which there was at least one."""
        doubled = tries - 2 if self.at_once else tries - 1
        if doubled < 0:
            return 0.0
        # More doublings exceed any wait of the table, and would overflow a float.
        return float(min(self.first_s * 2.0 ** min(doubled, 32), self.most_s))


# A source whose peer is away. A loose plug is back in a moment, and a retry is cheap.
SOURCE = Retry(0.25, 5.0)
# A crashed part of the daemon. A driver who replugs his adapter waits at most 10 s.
PART = Retry(0.25, 10.0, at_once=True)
# The sound player. A clip that comes in tries sooner.
PLAYER = Retry(0.1, 5.0, at_once=True)
# The journal and DuckDB on a disk that fails.
DISK = Retry(1.0, 1.0)
# A job that failed or lacks a model rests while other jobs run.
JOB = Retry(5.0, 80.0)


class Backoff:
    """Counts the failed tries of one thing and tells the wait after each."""

    def __init__(self, retry: Retry) -> None:
        self._retry = retry
        self._tries = 0

    def next_s(self) -> float:
        """Count one failed try and return how long to wait now."""
        self._tries += 1
        return self._retry.wait_s(self._tries)

    def reset(self) -> None:
        """A try went well: the next failure waits as the first one does."""
        self._tries = 0

"""The interface of every live source: streams of readings with the source's own stamps, and its health."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol, TypeVar

import msgspec

from pitwall.contract.backoff import SOURCE, Backoff
from pitwall.contract.status import SourceState
from pitwall.telemetry.sample import Channel


class SourceError(Exception):
    """A source that is configured wrongly: says which URI or file and line, what is wrong and what to do.

    Only for what a person must mend. A peer that is away is no error: the source says so in its health and
    tries again.
    """


class SourceAbsentError(SourceError):
    """Nothing is wrong with how it is configured, but this machine lacks what it needs: an extra, a file."""


class SourceHealth(msgspec.Struct):
    """Holds what a source knows of itself; it overwrites this one record. `last_received_s` is monotonic.
    `timed`: its readings come when they are made; not so those of a recording at another speed."""

    uri: str
    state: SourceState = "starting"
    readings: int = 0
    shed: int = 0
    errors: int = 0
    reconnects: int = 0
    last_received_s: float | None = None
    last_error: str = ""
    details: dict[str, int] = {}  # counters of its own, such as unknown CAN ids or bad checksums
    timed: bool = True


class Inbox(Protocol):
    """Where a source puts what it reads. Both calls return at once; nothing here blocks or raises."""

    def stream(self, channels: Sequence[Channel], *, group: str, latency_s: float) -> int:
        """Register a fixed set of channels that arrive together (a CAN message, a GNSS epoch); gives its id.

        Asking again with the same `group` of this source gives the same id. `latency_s` is how old a reading
        is at its stamp by nature of the sensor (CAN 0, GNSS 0.042); another one holds from then on.
        """
        ...

    def put(
        self,
        stream: int,
        source_s: float | None,
        received_s: float,
        values: tuple[float | None, ...],
    ) -> None:
        """Hand over one reading. `source_s` is the source's own stamp in seconds (any epoch, None: it has
        no clock), `received_s` when its bytes came in (monotonic). Both are mapped to session time."""
        ...


class Source(Protocol):
    """A live source. `run` goes on until cancelled, reconnecting by itself, and leaves nothing behind."""

    health: SourceHealth

    async def run(self, inbox: Inbox) -> None:
        """Read for ever. Raises only SourceError (a person must mend it) and CancelledError."""
        ...


Options = Mapping[str, object]
"""A source's own table in `pitwall.toml`, already plain values; unknown keys are a SourceError."""


T = TypeVar("T")

# A connection that is not there after so long is tried anew.
CONNECT_S = 5.0
# No receiver is silent for so long; a peer that vanished without a word is noticed by this.
SILENT_S = 10.0


async def keep_connected(health: SourceHealth, connection: Callable[[], Awaitable[str]]) -> None:
    """Run `connection` again and again until cancelled, with waits between.

    It returns why it ended, or raises OSError (TimeoutError is one). A try that brought no reading counts as
    a failed one, so that a peer that hangs up at once is not asked a thousand times a second.
    """
    backoff = Backoff(SOURCE)
    while True:
        readings = health.readings
        try:
            why = await connection()
        except OSError as error:
            why = str(error) or type(error).__name__
            health.errors += 1
        health.state, health.last_error = "down", why
        if health.readings > readings:
            backoff.reset()
        await asyncio.sleep(backoff.next_s())
        health.reconnects += 1


async def within(seconds: float, what: str, wanted: Awaitable[T]) -> T:
    """`wanted`, or TimeoutError that says in words that there was no `what` for so long."""
    try:
        async with asyncio.timeout(seconds):
            return await wanted
    except TimeoutError:
        raise TimeoutError(f"no {what} for {seconds:.0f} s") from None


def received(health: SourceHealth, now_s: float) -> None:
    """Note one reading at the monotonic time `now_s`."""
    health.readings += 1
    health.last_received_s = now_s
    health.state = "up"


def count(health: SourceHealth, what: str, more: int = 1) -> None:
    """Count `what` in the details."""
    health.details[what] = health.details.get(what, 0) + more


def fault(health: SourceHealth, what: str, more: int = 1) -> None:
    """Count an error of the kind `what`."""
    health.errors += more
    count(health, what, more)


class Allowance:
    """A bucket that fills with `rate_per_s` up to `burst`; time is the caller's."""

    def __init__(self, rate_per_s: float, burst: float) -> None:
        self._rate_per_s, self._burst = rate_per_s, burst
        self._level, self._at_s = burst, 0.0

    def take(self, amount: float, now_s: float) -> bool:
        """Return whether `amount` is allowed at `now_s`; only then it is taken."""
        self._fill(now_s)
        if self._level < amount:
            return False
        self._level -= amount
        return True

    def owe(self, amount: float, now_s: float) -> float:
        """Take `amount` in any case; the seconds to wait until it is made good, 0 within the allowance."""
        self._fill(now_s)
        self._level -= amount
        return max(0.0, -self._level / self._rate_per_s)

    def _fill(self, now_s: float) -> None:
        if now_s > self._at_s:
            self._level = min(self._burst, self._level + (now_s - self._at_s) * self._rate_per_s)
        self._at_s = now_s

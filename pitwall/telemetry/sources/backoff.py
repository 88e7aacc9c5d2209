"""What all sources do alike: connect again and again, wait, count into their health record."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from pitwall.contract.backoff import SOURCE, Backoff
from pitwall.telemetry.sources.base import SourceHealth

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

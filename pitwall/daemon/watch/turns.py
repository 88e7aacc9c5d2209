"""Looks that come round: all on one grid of time, so that one wake-up of the processor serves them all."""

from __future__ import annotations

import asyncio

# Whatever looks in the daemon looks so often, or at a multiple of it: a loss is known in under half a second.
TURN_S = 0.2


def until_turn_s(every_s: float = TURN_S) -> float:
    """Seconds to the next multiple of `every_s` on the loop's clock; where that is now, to the next one."""
    left_s = every_s - asyncio.get_running_loop().time() % every_s
    return left_s if left_s > every_s / 8 else left_s + every_s


async def next_turn(every_s: float = TURN_S) -> None:
    """Sleep until then."""
    await asyncio.sleep(until_turn_s(every_s))

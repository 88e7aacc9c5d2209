"""The daemon's memory over weeks: what is there after the start stays, code that only starts is let go of.

A phone ends the largest programs first. Where the system has no such call (not Linux, not glibc) it goes
without.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc

from pitwall.store.process_memory import let_go_of_code, resident_bytes

# <malloc.h>
M_ARENA_MAX = -8
# One for the loop, one for all who write: each arena more keeps a few MB that nobody uses.
ARENAS = 2
# What comes and goes by itself while nothing happens.
GROWN_BYTES = 4_000_000


def keep_small() -> None:
    """Call before the first thread is started."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)


def settle() -> None:
    """Call when everything is up: what is here now stays, so the collector need not look at it again and
    stop the loop for that. Code that only the start needed is let go of: once, for a page that comes back
    from a phone's flash in the middle of a drive could cost a callout."""
    gc.collect()
    gc.freeze()
    let_go_of_code()


def grown(since_bytes: int) -> bool:
    """Whether this process holds so much more than after the last `tidy` that another is worth its time."""
    return (resident_bytes() or 0) > since_bytes + GROWN_BYTES


def tidy() -> int:
    """Call while the car stands: what was freed goes back to the system, code that ran for a while is let go
    of. Nobody waits for a callout then. Bytes that are held afterwards."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    let_go_of_code()
    return resident_bytes() or 0


def unsettle() -> None:
    """Call at the end: what was kept from the collector is cleared away like the rest.

    DuckDB's binding prints what of it still lives when the interpreter has gone; after this nothing does.
    """
    gc.unfreeze()
    gc.collect()

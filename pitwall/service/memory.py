"""The daemon's memory over weeks: what is there after the start stays, code that only starts is let go of.

A phone ends the largest programs first. Where the system has no such call (not Linux, not glibc) it goes
without.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import re
from pathlib import Path

# <malloc.h>, <sys/mman.h>
M_ARENA_MAX, MADV_DONTNEED = -8, 4
# One for the loop, one for all who write: each arena more keeps a few MB that nobody uses.
ARENAS = 2
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_CODE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) r-xp \S+ \S+ \d+ +/")


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


def tidy() -> None:
    """Call while the car stands: what was freed goes back to the system, code that ran for a while is let go
    of. Nobody waits for a callout then."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    let_go_of_code()


def unsettle() -> None:
    """Call at the end: what was kept from the collector is cleared away like the rest."""
    gc.unfreeze()


def resident_bytes() -> int | None:
    """Memory of this process that is in RAM; None where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES
    except (OSError, IndexError, ValueError):
        return None


def let_go_of_code() -> None:
    """Unmap the code of all programs and libraries, of which half only ran once: what runs again comes back
    from the page cache, at a microsecond a page. Code is never written to, so nothing is lost."""
    with contextlib.suppress(OSError, AttributeError):
        madvise = ctypes.CDLL(None).madvise
        madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        for line in Path("/proc/self/maps").read_text().splitlines():
            if found := _CODE.match(line):
                start, end = int(found[1], 16), int(found[2], 16)
                madvise(start, end - start, MADV_DONTNEED)

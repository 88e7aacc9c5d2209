"""Root enters every folder: what a test is to be refused, it is refused without that privilege."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

# <linux/capability.h>: the version with two words of each set, and CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH.
_VERSION = 0x20080522
_OVERRIDE = (1 << 1) | (1 << 2)


@contextmanager
def without_privileges() -> Iterator[None]:
    """In this thread, and those that it starts meanwhile, permissions hold for root too."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    head = (ctypes.c_uint32 * 2)(_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()

    def call(what: str) -> None:
        if getattr(libc, what)(head, sets) != 0:
            raise OSError(ctypes.get_errno(), what)

    call("capget")
    effective = sets[0]
    sets[0] = effective & ~_OVERRIDE
    call("capset")
    try:
        yield
    finally:
        sets[0] = effective
        call("capset")

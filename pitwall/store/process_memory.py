"""The memory of this process: a phone ends the largest programs first."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

# <sys/mman.h>
MADV_DONTNEED = 4
_STATM, _PAGE_BYTES = Path("/proc/self/statm"), os.sysconf("SC_PAGE_SIZE")
_MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \d+ +(/.*)")
_CHANGED = re.compile(r"Anonymous: +([1-9]\d*) kB")


def drop_code_pages(of: str = "") -> None:
    """Unmap code and constants of libraries; they come back from the page cache when used."""
    import ctypes  # a command never comes here

    with contextlib.suppress(OSError, AttributeError):
        madvise = ctypes.CDLL(None).madvise
        madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        found: re.Match[str] | None = None
        for line in Path("/proc/self/smaps").read_text().splitlines():
            if "-" in line[:17]:
                found = _MAPPING.match(line)
            elif _CHANGED.match(line):
                found = None
            elif found and line.startswith("VmFlags:") and found[3] in ("r-xp", "r--p") and of in found[4]:
                start, end = int(found[1], 16), int(found[2], 16)
                madvise(start, end - start, MADV_DONTNEED)


def address_space_bytes() -> int:
    """Return what this process has mapped. OSError."""
    return int(_STATM.read_text("ascii").split()[0]) * _PAGE_BYTES


def resident_bytes() -> int | None:
    """Return what of it is in RAM, if known."""
    try:
        return int(_STATM.read_text().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError, ValueError):
        return None

"""Keep what was worked out of a session, with a stamp of all that it came from.

Nothing here is needed: a file that is damaged or old is made again."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable
from contextlib import suppress
from functools import cache

import msgspec

from pitwall.config import PACKAGE, Home, beneath
from pitwall.store.files import folder_stamp, replace_file

# This many of one kind stay, 30 MB at most.
MOST_KEPT = 200


@cache
def program_stamp() -> str:
    """Digest the program: the interpreter, and its files."""
    files = folder_stamp((PACKAGE,), "**/*.py") + folder_stamp((PACKAGE / "words",), "*.txt")
    return f"{zlib.crc32(repr((sys.version, msgspec.__version__, files)).encode()):08x}"


def stamp_of(seen: Iterable[object]) -> str:
    """Digest what a result depends on, and the program."""
    digest = zlib.crc32(program_stamp().encode())
    for each in seen:
        digest = zlib.crc32(each if isinstance(each, bytes) else repr(each).encode(), digest)
    return f"{digest:08x}"


def find_kept(home: Home, session: str, kind: str, stamp: str) -> bytes | None:
    """Return what was kept of a session under this stamp."""
    with suppress(OSError):
        found = beneath(home.would, f"{session}.{kind}").read_bytes()
        if found[:8] == stamp.encode() and found[8:16] == _check(found[16:]):
            return found[16:]
    return None


def keep(home: Home, session: str, kind: str, stamp: str, made: bytes) -> None:
    """Keep it; the oldest of its kind give way. Never raises for a disk."""
    with suppress(OSError):
        home.would.mkdir(mode=0o700, exist_ok=True)
        replace_file(beneath(home.would, f"{session}.{kind}"), stamp.encode() + _check(made) + made)
        kept = sorted(home.would.glob(f"*.{kind}"), key=lambda path: path.stat().st_mtime_ns)
        for old in kept[:-MOST_KEPT]:
            old.unlink(missing_ok=True)


def _check(made: bytes) -> bytes:
    return f"{zlib.crc32(made):08x}".encode()


def forget_kept(home: Home, session: str) -> None:
    """Delete all that was kept of a session. OSError."""
    for path in home.would.glob(f"{session}.*"):
        path.unlink(missing_ok=True)

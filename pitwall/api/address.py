"""Where the daemon of a home listens: told to commands beside it, who send it the token."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager

from pitwall.config import Home
from pitwall.store.files import write_line
from pitwall.store.lock import holder

ADDRESS_FILE = "address"


@contextmanager
def told_address(home: Home, pid: int, address: str) -> Iterator[None]:
    """While the block runs, `address_of` finds it. A folder that can't be written costs only that."""
    path = home.root / ADDRESS_FILE
    with contextlib.suppress(OSError):
        write_line(path, f"{pid} {address}")
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            write_line(path, "")


def address_of(home: Home) -> str:
    """`http://HOST:PORT` of the daemon that holds this home, "" where there is none with an API.

    What a killed one left does not count: its port may be another program's by now.
    """
    try:
        pid, _, address = (home.root / ADDRESS_FILE).read_text("ascii").strip().partition(" ")
    except (OSError, UnicodeDecodeError):
        return ""
    return address if pid and pid == holder(home.root) else ""

"""Every connection this process opens: anything but loopback is a failure where it happens."""

from __future__ import annotations

import sys
from typing import Any

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def _loopback_only(event: str, args: tuple[Any, ...]) -> None:
    if event == "socket.connect" and isinstance(args[1], tuple) and args[1][0] not in _LOOPBACK:
        raise AssertionError(f"a connection to {args[1]} was tried")
    if event == "socket.getaddrinfo" and args[0] not in (*_LOOPBACK, None):
        raise AssertionError(f"the name {args[0]} was looked up")


# Imported once in a process, so hooked once: an audit hook can't be taken away again.
sys.addaudithook(_loopback_only)

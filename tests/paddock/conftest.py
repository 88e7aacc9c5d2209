"""A paddock over a scripted model server: real ADK, real HTTP, loopback only."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from opened_paddock import Open, opened_paddock

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def _loopback_only(event: str, args: tuple[Any, ...]) -> None:
    """Every connection this process opens: anything but loopback is a failure where it happens."""
    if event == "socket.connect" and isinstance(args[1], tuple) and args[1][0] not in _LOOPBACK:
        raise AssertionError(f"a connection to {args[1]} was tried")
    if event == "socket.getaddrinfo" and args[0] not in (*_LOOPBACK, None):
        raise AssertionError(f"the name {args[0]} was looked up")


sys.addaudithook(_loopback_only)


@pytest.fixture
def paddock() -> Open:
    """`async with paddock(script, **options) as (crew, server)`."""
    return opened_paddock

"""A paddock over a scripted model server: real ADK, real HTTP, loopback only."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from model_server import ModelServer, Script, serving
from pit_facts import TOOLBOX

from pitwall.intercom.settings import ModelSettings
from pitwall.paddock.model import open_model
from pitwall.paddock.orchestrator import PitwallOrchestrator

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def _loopback_only(event: str, args: tuple[Any, ...]) -> None:
    """Every connection this process opens: anything but loopback is a failure where it happens."""
    if event == "socket.connect" and isinstance(args[1], tuple) and args[1][0] not in _LOOPBACK:
        raise AssertionError(f"a connection to {args[1]} was tried")
    if event == "socket.getaddrinfo" and args[0] not in (*_LOOPBACK, None):
        raise AssertionError(f"the name {args[0]} was looked up")


sys.addaudithook(_loopback_only)

Opened = tuple[PitwallOrchestrator, ModelServer]
Open = Callable[..., AbstractAsyncContextManager[Opened]]


def composed(agent: str, question: str) -> str:
    return f"Composed for {agent}."


@asynccontextmanager
async def _paddock(
    script: Script, *, kind: str = "gemini", toolbox: dict[str, Any] | None = None, **options: Any
) -> AsyncIterator[Opened]:
    async with serving(script) as server:
        base = server.url if kind == "gemini" else f"{server.url}/v1"
        settings = ModelSettings(kind=kind, name="gemini-3.5-flash", base_url=base, api_key="k")  # type: ignore[arg-type]
        async with open_model(settings) as model:
            crew = PitwallOrchestrator(model, toolbox or TOOLBOX, **{"compose": composed, **options})
            try:
                yield crew, server
            finally:
                await crew.aclose()


@pytest.fixture
def paddock() -> Open:
    """`async with paddock(script, **options) as (crew, server)`."""
    return _paddock

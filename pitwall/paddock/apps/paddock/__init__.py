"""The App as `adk run`, `adk web`, `adk api_server` and `adk eval` look for it."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """Find `agent` for `adk eval`, which runs this file alone, under another name."""
    if name == "agent":
        return import_module("pitwall.paddock.apps.paddock.agent")
    raise AttributeError(name)

"""Plain tool functions as an agent's tools: off the event loop, and only those that exist."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from google.adk.tools.function_tool import FunctionTool

ToolFunction = Callable[..., Any]
Toolbox = Mapping[str, ToolFunction]


def tools_for(names: Iterable[str], toolbox: Toolbox) -> list[FunctionTool]:
    """ADK tools of the named functions, in that order. KeyError names a tool that nobody supplies.

    The functions' own names, docstrings and annotations are what a model is shown.
    """
    return [FunctionTool(_off_loop(name, toolbox[name])) for name in names]


def _off_loop(name: str, function: ToolFunction) -> ToolFunction:
    """A tool that reads a database must not hold up the stream: it runs in a thread."""
    if inspect.iscoroutinefunction(function):
        return function

    @functools.wraps(function)
    async def in_thread(*args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(function, *args, **kwargs)

    in_thread.__name__ = name
    return in_thread

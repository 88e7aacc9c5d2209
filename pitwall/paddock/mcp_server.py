"""The reading tools for any assistant that speaks the Model Context Protocol.

The SDK's own class of tools ignores an unknown argument, so that "lap 4" would become the whole
session: here that is an error."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, get_type_hints

import mcp_types
import msgspec
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from pitwall import __version__
from pitwall.analysis.tool_kit import Result, ToolFunction
from pitwall.config import Home
from pitwall.paddock.composed import reading_tools
from pitwall.paddock.roster import result_told

_INSTRUCTIONS = (
    "The stored drives of one driver. Code computes every figure: quote them, compute none. `told` is a "
    "result in words. tell_figure answers most questions, query_pitwall_db reads tables. Nothing is written."
)


async def serve(home: Home, not_now: Callable[[], Awaitable[str]]) -> None:
    """Answer until stdin ends. `not_now` tells why nothing may be read at the moment, or ""."""
    toolbox = reading_tools(home)
    accepted = {name: _arguments(name, function) for name, function in toolbox.items()}
    one_at_a_time = asyncio.Lock()

    async def listed(_context: Any, _params: Any) -> Any:
        return mcp_types.ListToolsResult(tools=[_listed(accepted[name], toolbox[name]) for name in toolbox])

    async def called(_context: Any, params: Any) -> Any:
        name = params.name
        if name not in toolbox:
            return _refused(f"{name[:60]!r} is no tool", f"call one of {', '.join(toolbox)}")
        try:
            given = msgspec.convert(params.arguments or {}, accepted[name], strict=False)
        except msgspec.ValidationError as error:
            return _refused(f"{name} can't be called so: {error}", "see its schema")
        async with one_at_a_time:
            if why := await not_now():
                return _refused(why, "ask again later")
            result = await asyncio.to_thread(toolbox[name], **msgspec.structs.asdict(given))
        if "error" in result:
            return _refused(result["error"], result["what_to_do"])
        sentence = result_told(name, result, home.words)
        return _content({**result, "told": sentence} if sentence else result)

    server: Server[Any] = Server(
        "pitwall",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )
    async with stdio_server() as (received, sent):
        await server.run(received, sent, server.create_initialization_options())


def _arguments(name: str, function: ToolFunction) -> type[msgspec.Struct]:
    hints = get_type_hints(function)
    fields = [
        (each.name, hints[each.name], *(() if each.default is each.empty else (each.default,)))
        for each in inspect.signature(function).parameters.values()
    ]
    return msgspec.defstruct(name, fields, forbid_unknown_fields=True, kw_only=True)


def _listed(accepted: type[msgspec.Struct], function: ToolFunction) -> Any:
    _, schemas = msgspec.json.schema_components([accepted])
    return mcp_types.Tool(
        name=accepted.__name__,
        description=inspect.getdoc(function),
        input_schema=schemas[accepted.__name__],
        annotations=mcp_types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )


def _refused(error: str, what_to_do: str) -> Any:
    return _content({"error": error, "what_to_do": what_to_do}, is_error=True)


def _content(result: Result, is_error: bool = False) -> Any:
    """JSON as text, which every assistant reads; what is no number in JSON becomes null."""
    text = msgspec.json.encode(result).decode()
    return mcp_types.CallToolResult(
        content=[mcp_types.TextContent(type="text", text=text)], is_error=is_error
    )

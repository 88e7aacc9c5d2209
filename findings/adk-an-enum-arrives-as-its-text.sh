#!/usr/bin/env bash
# A tool that an agent calls says by an Enum what it takes: Phase.ENTRY or Phase.EXIT. google-adk 2.13.0 reads that, and
# tells the model the two texts it may choose from. The model chooses "entry", and the function is called with the
# text, not with Phase.ENTRY: `phase is Phase.ENTRY` is false, and it answers for the exit, without an error. A date is
# declared as one and comes as text as well, and bool, int and list[int] take what the model wrote ("false" is true).
# Only models of pydantic are made from what came. The tool of an mcp 2.3.0 server, from the same function, has the Enum.
# Guess before the run: Phase.ENTRY, since the declaration was made from the Enum, or an error.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --no-compile --target "$dir" google-adk==2.13.0 mcp==2.3.0
found=$(cd "$dir" && PYTHONPATH=$dir python3 -W ignore - <<'P'
import asyncio
import enum

from google.adk.tools import FunctionTool
from mcp.server import MCPServer


class Phase(enum.Enum):
    ENTRY = "entry"
    EXIT = "exit"


def lost(phase: Phase) -> str:
    """Tell where the time was lost."""
    return f"{'0.31 s at the entry' if phase is Phase.ENTRY else '0.04 s at the exit'}, asked by {phase!r}"


def marked(laps: list[int], only_valid: bool) -> str:
    """Tell which laps are marked."""
    return f"{laps} {'valid' if only_valid else 'all'}"


async def main() -> None:
    tool = FunctionTool(lost)
    print("told the model", tool._get_declaration().parameters_json_schema["$defs"]["Phase"]["enum"])
    print("adk", await tool.run_async(args={"phase": "entry"}, tool_context=None))
    marks = {"laps": ["3", "4"], "only_valid": "false"}
    print("adk", await FunctionTool(marked).run_async(args=marks, tool_context=None))
    server = MCPServer("drive")
    server.tool()(lost)
    server.tool()(marked)
    print("mcp", (await server.call_tool("lost", {"phase": "entry"})).content[0].text)
    print("mcp", (await server.call_tool("marked", marks)).content[0].text)


asyncio.run(main())
P
)
echo "$found"
[ "$found" = "told the model ['entry', 'exit']
adk 0.04 s at the exit, asked by 'entry'
adk ['3', '4'] valid
mcp 0.31 s at the entry, asked by <Phase.ENTRY: 'entry'>
mcp [3, 4] all" ] || { echo "this has changed" >&2; exit 1; }

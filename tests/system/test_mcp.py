"""`pitwall mcp`: the reading tools as the SDK's own client sees them, over pipes to a real process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pitwall.config import Home
from pitwall.paddock.composed import reading_tools

pytestmark = pytest.mark.skipif(find_spec("mcp") is None, reason="the extra mcp is not installed")

COMMAND = [sys.executable, "-m", "pitwall"]
WITHIN_S = 60.0
# Each tool with what it can't do without, and some of what it tells then.
ASKED: dict[str, tuple[dict[str, Any], str]] = {
    "query_pitwall_db": ({"sql": "SELECT count(*) AS laps FROM laps WHERE kind = 'flying'"}, "laps"),
    "lap_delta": ({"lap": "3", "against": 5}, "1.287 s slower"),
    "corner_history": ({"corner": "seven"}, "Turn 7"),
    "audio_script_context": ({"corner": "turn_7"}, "can_say"),
    "tell_figure": ({"measure": "speed", "laps": ["4"]}, "Top speed in lap 4: 182 km/h."),
    "reference_lap_comparison": ({"session": "2025"}, "No other session"),
}
# Each call that is none, and the words of its refusal.
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("save_voice_scripts", {"corner_name": "turn_7"}, "is no tool"),
    ("tell_figure", {"measure": "speed", "lap": 4}, "unknown field `lap`"),
    ("tell_figure", {"measure": "joy"}, "Invalid enum value 'joy'"),
    ("tell_figure", {"measure": "speed", "laps": ["1; DROP"]}, "scope.laps[0]"),
    ("lap_delta", {}, "missing required field `lap`"),
    ("lap_delta", {"lap": 99}, "lap 99 is not in this session"),
    ("corner_history", {"corner": "turn 99"}, "is no corner of Sonoma"),
    ("query_pitwall_db", {"sql": "DELETE FROM laps"}, "DELETE is not allowed"),
    ("highlights", {"session": "1999"}, "is no session"),
]


@asynccontextmanager
async def speaking(home: Home) -> AsyncIterator[Any]:
    """The SDK's client of a server on this home. It takes long to load, and most workers need it not."""
    import mcp

    server = mcp.StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "mcp"], env={"PITWALL_HOME": str(home.root)}
    )
    async with mcp.Client(server, read_timeout_seconds=WITHIN_S) as client:
        yield client


async def answer(client: Any, name: str, given: dict[str, Any]) -> tuple[bool, str]:
    """Whether it was refused, and the text; every answer is one object in JSON."""
    result = await client.call_tool(name, given)
    [content] = result.content
    assert isinstance(json.loads(content.text), dict)
    return result.is_error, content.text


def files(home: Home) -> dict[str, tuple[int, int]]:
    """All of a home but what is worked out of it again where it is missing."""
    return {
        str(path.relative_to(home.root)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in home.root.rglob("*")
        if home.would not in path.parents and path not in (home.root, home.would)
    }


async def test_an_assistant_finds_the_reading_tools_asks_each_and_changes_nothing(
    demo_imported: Path,
) -> None:
    home = Home(demo_imported)
    before = files(home)
    async with speaking(home) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert listed.keys() == reading_tools(home).keys()
        assert all(tool.annotations.read_only_hint and tool.description for tool in listed.values())
        asked = {name: ({}, "session") for name in listed} | ASKED
        for name, (given, told) in asked.items():
            assert set(listed[name].input_schema.get("required", ())) <= given.keys()
            refused, text = await answer(client, name, given)
            assert not refused, text
            assert told in text
        for name, given, words in REFUSED:
            refused, text = await answer(client, name, given)
            assert refused, text
            assert words in json.loads(text)["error"]
            assert json.loads(text)["what_to_do"]
    assert files(home) == before


def test_nothing_but_the_protocol_is_on_stdout_and_a_closed_stdin_ends_it(home: Home) -> None:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    call = {"name": "query_pitwall_db", "arguments": {"sql": "SELECT 1"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "this is no message",
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
    ]
    with subprocess.Popen(
        [*COMMAND, "--verbose", "mcp"], env={"PITWALL_HOME": str(home.root)}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        answers: dict[Any, Any] = {}
        while 2 not in answers and (line := process.stdout.readline()):
            message = json.loads(line)
            answers[message.get("id")] = message
        rest, told = process.communicate(timeout=WITHIN_S)
    assert answers[1]["result"]["serverInfo"]["name"] == "pitwall"
    # The home is empty: that is an answer like any other.
    assert not answers[2]["result"]["isError"], answers[2]
    assert (rest, process.returncode) == ("", 0), told
    assert "Traceback" not in told

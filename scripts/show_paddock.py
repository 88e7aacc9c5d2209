"""Prints what the paddock says of a recording: debrief, brief, ten questions, with their events.

    python scripts/show_paddock.py [RECORDING]

Once offline, composed; once over a model server on this machine that speaks Gemini's protocol, whose "model"
calls each agent's own tools and tells what came back. Every answer goes the driver's way: `pitwall ask`.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(_ROOT / "tests" / "paddock"))

from model_server import Asked, Reply, serving  # noqa: E402
from pit_facts import answered  # noqa: E402

from pitwall.paddock.roster import DUTIES  # noqa: E402

_PITWALL = [sys.executable, "-m", "pitwall"]
_RECORDING = _ROOT.parent / "shared" / "recordings" / "sonoma-m3-vbox.csv"
# Ten questions, and what the scripted model tells the tools of each.
QUESTIONS: dict[str, dict[str, Any]] = {
    "what was my top speed": {},
    "have I got any quicker": {},
    "where do I lose the most against my best lap": {"lap": 8},
    "why was lap 7 slower vs lap 6": {"lap": 7, "against": 6},
    "how do I get through the carousel": {"corner": "carousel"},
    "does it understeer or is it me": {},
    "was that a moment in turn 4": {},
    "what lap time is in reach as a target": {},
    "which corners am I not consistent in": {},
    "I am stuck and getting frustrated": {},
}
_PIPELINE = {
    "HighlightFinderAgent": ["highlights"],
    "TelemetryAgent": ["agent_telemetry", "reference_lap_comparison"],
    "PedagogyAgent": ["reference_lap_comparison"],
}
_TAKES = {"lap_delta": ("lap", "against"), "corner_history": ("corner",)}


def model(asked: Asked) -> Reply:
    """The scripted model: its tools one after the other, then every fact that it is shown, in turn."""
    typed = asked.schema or "set_model_response" in asked.tools
    wanted = _PIPELINE.get(asked.agent, []) if typed else [DUTIES[asked.agent].answers_from]
    wanted = [name for name in wanted if name in asked.tools]
    done = [name for name in asked.called if name != "set_model_response"]
    if len(done) < len(wanted):
        name = wanted[len(done)]
        return Reply(calls=[(name, _arguments(name, asked.text))])
    return answered(asked)


def _arguments(tool: str, text: str) -> dict[str, Any]:
    given = next((values for question, values in QUESTIONS.items() if f"Question: {question}" in text), {})
    return {name: given[name] for name in _TAKES.get(tool, ()) if name in given}


async def _pitwall(words: Iterable[str], environment: dict[str, str]) -> str:
    process = await asyncio.create_subprocess_exec(
        *_PITWALL, *words, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate()
    if process.returncode:
        raise SystemExit(f"pitwall {' '.join(words)}: {err.decode()}")
    return out.decode()


def shown(lines: Iterable[str]) -> str:
    """The events in a line, pieces of text counted, then the answer."""
    events = [json.loads(line) for line in lines if line]
    names: list[str] = []
    for event in events:
        kind = event["event"]
        if kind == "token" and names and names[-1].startswith("token"):
            names[-1] = f"token×{int(names[-1].partition('×')[2] or 1) + 1}"
            continue
        told = event.get("tool") or (event.get("agent") if kind in ("routed", "agent_active") else "")
        if kind in ("progress", "error"):
            told = f"“{event['text']}”"
        names.append(f"{kind} {told}".strip() + ("" if event.get("ok", True) else " failed"))
    answer = events[-1]["answer"]
    calls = f", {answer['model_calls']} model calls" if answer["model_calls"] else ""
    head = f"[{answer['tier']}, {answer['verdict']}{calls}, {answer['took_s']} s]"
    return f"  events: {' · '.join(names)}\n  {head}\n" + re.sub(
        r"^", "  ", answer["text"], flags=re.MULTILINE
    )


async def _told(environment: dict[str, str]) -> None:
    for words in (["debrief"], ["debrief", "--next"], *(["ask", question] for question in QUESTIONS)):
        print("> pitwall " + " ".join(f'"{word}"' if " " in word else word for word in words))
        print(shown((await _pitwall([*words, "--json"], environment)).splitlines()), "\n")


async def main(recording: Path) -> None:
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "PITWALL_HOME": home}
        await _pitwall(["import", str(recording)], environment)
        print(f"# {recording.name}, offline\n")
        await _told(environment)
        print(f"# {recording.name}, over a model\n")
        async with serving(model) as server:
            reached = {
                "PITWALL_PADDOCK_MODEL_KIND": "gemini",
                "PITWALL_PADDOCK_MODEL_BASE_URL": server.url,
                "PITWALL_PADDOCK_MODEL_API_KEY": "scripted",
            }
            await _told({**environment, **reached})


if __name__ == "__main__":
    if {"-h", "--help"} & set(sys.argv):
        sys.exit(__doc__)
    asyncio.run(main(Path(sys.argv[1]) if len(sys.argv) > 1 else _RECORDING))

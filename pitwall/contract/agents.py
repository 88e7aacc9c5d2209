"""The names of all agents, so that routes and commands check them without loading the paddock."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import msgspec

# The table of agents; only names are read here. `parts` work in pipelines alone.
_TABLE = Path(__file__).resolve().parent.parent / "paddock" / "agents.toml"
_HEAD = re.compile(r"^\[(?:agents|pipelines)\.(\w+)\]$", re.MULTILINE)

AGENTS: tuple[str, ...] = tuple(sorted(_HEAD.findall(_TABLE.read_text(encoding="utf-8"))))

# The names in the API's document; synonyms such as "gold_lap" are accepted too.
Intent = Annotated[str, msgspec.Meta(min_length=1, max_length=40, extra_json_schema={"enum": list(AGENTS)})]

# Agents by what a caller may call them: "GoldLapAgent", "goldlapagent", "gold_lap", "gold lap".
_NAMED = {name.lower(): name for name in AGENTS} | {
    name.lower().removesuffix("agent").removesuffix("pipeline"): name for name in AGENTS
}


def named(intent: str) -> str | None:
    """Return the agent that an intent names outright, None for an unknown one."""
    return _NAMED.get(intent.lower().replace("_", "").replace(" ", "").replace("-", ""))


def plain_name(agent: str) -> str:
    """Return an agent's name as a person types it: "gold_lap" for GoldLapAgent."""
    words = re.findall("[A-Z][a-z]+", agent.removesuffix("Agent").removesuffix("Pipeline"))
    return "_".join(words).lower()


def unknown(intent: str) -> str:
    """Return what to say of an intent that names nobody."""
    return f"no agent is called {intent!r}; name one of: {', '.join(map(plain_name, AGENTS))}"

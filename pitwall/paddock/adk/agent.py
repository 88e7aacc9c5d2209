"""An application of ADK to learn from: `adk run pitwall/paddock/adk`, or `adk web pitwall/paddock`.

`root_agent` hands a question to one of the specialists, who look at the sessions of `PITWALL_HOME` with the
reading tools. Nothing is written. Here a model speaks freely, so that one sees what it does; a driver hears
the points of `pitwall ask` instead, whose facts code tells.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.google_llm import Gemini

from pitwall.analysis.tool_kit import Toolbox
from pitwall.config import Home
from pitwall.contract.settings import ModelSettings
from pitwall.paddock.adk.crew import adk_agent
from pitwall.paddock.composed import reading_tools
from pitwall.paddock.roster import DUTIES, NARRATIVE, working_instruction

if TYPE_CHECKING:
    root_agent: LlmAgent

_OPENING = (
    "You are Pitwall, the crew chief. You answer nothing yourself: hand each question to the specialist "
    "whose description fits it best."
)
_CLOSING = "Answer in a few plain sentences. Use no figure that no tool gave you."


def team(model: BaseLlm, toolbox: Toolbox) -> LlmAgent:
    """The root agent with every specialist that has tools, each with those of them that only read."""
    specialists = [
        adk_agent(
            duty.name,
            duty.description,
            model,
            toolbox,
            [tool for tool in dict.fromkeys(duty.tools) if tool in toolbox],
            f"{working_instruction(duty.name)}\n\n{_CLOSING}",
        )
        for duty in DUTIES.values()
        if duty.tools and duty.name != NARRATIVE
    ]
    root = adk_agent("Pitwall", "Hands a question to a specialist.", model, toolbox, (), _OPENING)
    return root.clone(update={"sub_agents": specialists})


@cache
def _root() -> LlmAgent:
    home = Home(Path(os.environ.get("PITWALL_HOME") or "~/.local/share/pitwall").expanduser())
    # ADK's own settings count for the model: GOOGLE_API_KEY, GOOGLE_GEMINI_BASE_URL.
    return team(Gemini(model=ModelSettings().name), reading_tools(home))


def __getattr__(name: str) -> Any:
    """`root_agent` is made when it is asked for: importing this opens no home."""
    if name == "root_agent":
        return _root()
    raise AttributeError(name)

"""The paddock's App over the home's sessions, for ADK's own commands.

ADK's settings choose the model (GOOGLE_API_KEY, GOOGLE_GEMINI_BASE_URL). Nothing is written."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from google.adk.agents import BaseAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.google_llm import Gemini

from pitwall.config import Home
from pitwall.contract.settings import ModelSettings
from pitwall.paddock.adk.orchestrator import CrewChief
from pitwall.paddock.composed import reading_tools, with_home

if TYPE_CHECKING:
    app: App
    root_agent: BaseAgent


def app_over(home: Home, model: BaseLlm) -> App:
    """The App over a home that is opened for each call alone."""
    opened = with_home(home)
    chief = CrewChief(
        model,
        reading_tools(home),
        compose=lambda agent, question: opened(lambda composed: composed(agent, question)),
        context=lambda agent, question: opened(lambda composed: composed.sections(agent, question)),
    )
    return chief.app()


@cache
def _app() -> App:
    home = Home(Path(os.environ.get("PITWALL_HOME") or "~/.local/share/pitwall").expanduser())
    return app_over(home, Gemini(model=ModelSettings().name))


def __getattr__(name: str) -> Any:
    """Make `app` and `root_agent` when they are asked for: importing this opens no home."""
    if name in ("app", "root_agent"):
        return _app() if name == "app" else _app().root_agent
    raise AttributeError(name)

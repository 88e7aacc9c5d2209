"""A paddock over a scripted model server: real ADK, real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from model_server import ModelServer, Script, serving, settings_of
from pit_facts import TOOLBOX

from pitwall.contract.events import Answer
from pitwall.paddock.adk.model_client import open_model
from pitwall.paddock.adk.orchestrator import CrewChief

# On a loaded machine no answer is composed because the time was up, where a test does not ask for that.
TIME = {"answer_s": 120.0, "brief_s": 120.0}
Opened = tuple[CrewChief, ModelServer]
Open = Callable[..., AbstractAsyncContextManager[Opened]]


def composed(agent: str, question: str) -> str:
    return f"Composed for {agent}."


@asynccontextmanager
async def opened_paddock(
    script: Script, *, kind: str = "gemini", toolbox: dict[str, Any] | None = None, **options: Any
) -> AsyncIterator[Opened]:
    async with serving(script) as server, open_model(settings_of(server.url, kind)) as model:
        crew = CrewChief(model, toolbox or TOOLBOX, **{"compose": composed, **TIME, **options})
        try:
            yield crew, server
        finally:
            await crew.aclose()


async def answer(
    crew: CrewChief, question: str = "where do I lose time", intent: str = "GoldLapAgent", **options: Any
) -> Answer:
    async with await crew.ask(question, intent=intent, **options) as stream:
        return await stream.answer()

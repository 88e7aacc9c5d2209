"""Runs one question against a fake model, since ADK imports half of its modules on the first run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from pitwall.paddock.adk.orchestrator import PitwallOrchestrator
from pitwall.paddock.roster import DUTIES


class _Echo(BaseLlm):
    """Answers at once, without any wire."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        content = types.Content(role="model", parts=[types.Part(text="[calm] Hello.")])
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=1, candidates_token_count=1)
        yield LlmResponse(content=content, usage_metadata=usage, partial=False)


def warm_up() -> None:
    """Run it through the real agents, on a loop of its own: for a thread beside the one that answers."""
    asyncio.run(_greet())


async def _greet() -> None:
    names = {tool for duty in DUTIES.values() for tool in duty.tools}
    crew = PitwallOrchestrator(_Echo(model="echo"), dict.fromkeys(names, _nothing), compose=_composed)
    # Small talk: no tool is asked for.
    await crew.run("hello")
    await crew.aclose()


def _nothing() -> dict[str, str]:
    """No tool."""
    return {}


def _composed(agent: str, question: str) -> str:
    return ""

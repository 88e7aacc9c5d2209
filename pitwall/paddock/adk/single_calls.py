"""Calls of the model outside questions: one typed reply, and a first run against a fake model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents.invocation_context import LlmCallsLimitExceededError
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from msgspec import DecodeError
from pydantic import ValidationError

from pitwall.analysis.tool_kit import Toolbox
from pitwall.paddock.adk.app import Engine
from pitwall.paddock.adk.crew import adk_agent
from pitwall.paddock.adk.model_client import causes, rest_after, sentence
from pitwall.paddock.adk.orchestrator import CrewChief
from pitwall.paddock.adk.plugins import ModelLoops
from pitwall.paddock.adk.translator import Translator
from pitwall.paddock.controller.resources import JobWaits, ModelRequest, UnusableReply
from pitwall.paddock.roster import DUTIES
from pitwall.paddock.runs import Run

# Errors of the reply, which may go better when asked again. All others are the server's or the
# network's.
_REPLY_AT_FAULT = (ValidationError, DecodeError, ModelLoops, LlmCallsLimitExceededError)


class AdkCaller:
    """A `ModelCaller`. The caller that opened the model closes it."""

    def __init__(self, model: BaseLlm) -> None:
        self._model, self._engine = model, Engine()

    async def __call__(self, request: ModelRequest) -> dict[str, Any]:
        name, description = request.agent, DUTIES[request.agent].description
        agent = adk_agent(name, description, self._model, {}, (), request.instruction, schema=request.schema)
        # The controller puts a timeout around this call, and nobody watches the tokens.
        run = Run(request.prompt, asyncio.get_running_loop().time(), emit=lambda _event: None)
        try:
            reply = await self._engine.run(
                lambda turn, own: turn.ask(agent, own.prompt), run, Translator(name, run), max_model_calls=1
            )
        except Exception as error:
            at_fault = any(isinstance(one, _REPLY_AT_FAULT) for one in causes(error))
            if at_fault:
                raise UnusableReply(sentence(error)) from error
            raise JobWaits(sentence(error), rest_after(error)) from error
        if not isinstance(reply, dict):
            raise UnusableReply(
                f"The model declined ({run.declined})." if run.declined else "The model said nothing."
            )
        return reply


class _Echo(BaseLlm):
    """Answers at once, without any wire."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        content = types.Content(role="model", parts=[types.Part(text="[calm] Hello.")])
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=1, candidates_token_count=1)
        yield LlmResponse(content=content, usage_metadata=usage, partial=False)


def warm_up() -> None:
    """Run the real agents once, on a loop of its own: for a thread."""

    async def greet() -> None:
        toolbox: Toolbox = {tool: lambda: {} for duty in DUTIES.values() for tool in duty.tools}
        crew = CrewChief(_Echo(model="echo"), toolbox, compose=lambda _agent, _question: "")
        await crew.run("hello")
        await crew.aclose()

    asyncio.run(greet())

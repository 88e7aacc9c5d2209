"""One typed reply of the model through ADK: no tools, no memory, one request."""

from __future__ import annotations

import asyncio
from typing import Any

from google.adk import Workflow
from google.adk.agents.invocation_context import LlmCallsLimitExceededError
from google.adk.models.base_llm import BaseLlm
from google.adk.workflow import START
from msgspec import DecodeError
from pydantic import ValidationError

from pitwall.paddock.adk.crew import adk_agent
from pitwall.paddock.adk.engine import Engine
from pitwall.paddock.adk.problems import causes, sentence
from pitwall.paddock.adk.translate import Translator
from pitwall.paddock.adk.validator import ModelLoops
from pitwall.paddock.controller.resources import JobWaits, ModelRequest, UnusableReply
from pitwall.paddock.roster import DUTIES
from pitwall.paddock.runs import Run

# Errors of the reply, which may go better when asked again (a tool call where there are no tools is one).
# All other errors are the server's or the network's.
_REPLY_AT_FAULT = (ValidationError, DecodeError, ModelLoops, LlmCallsLimitExceededError)


class AdkCaller:
    """A `ModelCaller`. Whoever opened the model closes it."""

    def __init__(self, model: BaseLlm) -> None:
        self._model, self._engine = model, Engine()

    async def __call__(self, request: ModelRequest) -> dict[str, Any]:
        name, description = request.agent, DUTIES[request.agent].description
        agent = adk_agent(name, description, self._model, {}, (), request.instruction, schema=request.schema)
        runner = self._engine.runner(Workflow(name=f"{name}Form", edges=[(START, agent)]))
        # The controller puts a timeout around this call, and nobody watches the tokens.
        run = Run(request.prompt, asyncio.get_running_loop().time(), emit=lambda _event: None)
        try:
            reply = await self._engine.run(runner, run, Translator(name, run), max_model_calls=1)
        except Exception as error:
            at_fault = any(isinstance(one, _REPLY_AT_FAULT) for one in causes(error))
            raise (UnusableReply if at_fault else JobWaits)(sentence(error)) from error
        finally:
            await runner.close()
        if not isinstance(reply, dict):
            raise UnusableReply(
                f"The model declined ({run.declined})." if run.declined else "The model said nothing."
            )
        return reply

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

from pitwall.paddock.controller.resources import JobWaits, ModelRequest, UnusableReply
from pitwall.paddock.crew import adk_agent
from pitwall.paddock.engine import Engine
from pitwall.paddock.problems import causes, sentence
from pitwall.paddock.roster import DUTIES, Duty
from pitwall.paddock.runs import Run
from pitwall.paddock.translate import Translator
from pitwall.paddock.validator import ModelLoops

# What is the reply's fault and may go better when asked again (a call where there are no tools among it);
# all else is the server's or the network's.
_REPLY_AT_FAULT = (ValidationError, DecodeError, ModelLoops, LlmCallsLimitExceededError)


class AdkCaller:
    """`controller.resources.ModelCaller` over a model that somebody else opened and closes."""

    def __init__(self, model: BaseLlm) -> None:
        self._model, self._engine = model, Engine()

    async def __call__(self, ask: ModelRequest) -> dict[str, Any]:
        duty = Duty(name=ask.agent, description=DUTIES[ask.agent].description)
        agent = adk_agent(duty, self._model, {}, ask.instruction, schema=ask.schema)
        runner = self._engine.runner(Workflow(name=f"{ask.agent}Form", edges=[(START, agent)]))
        # The controller's timeout is around this call; nobody watches the JSON grow.
        run = Run(ask.prompt, asyncio.get_running_loop().time(), emit=lambda _event: None)
        try:
            reply = await self._engine.run(runner, run, Translator(ask.agent, run), max_model_calls=1)
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

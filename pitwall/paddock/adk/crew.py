"""Builds ADK's agents and workflows: one workflow for each name that a question can be routed to."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Iterable
from typing import Any

import msgspec
from google.adk import Workflow
from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.tools.function_tool import FunctionTool
from google.adk.workflow import START, JoinNode
from google.genai import types
from pydantic import BaseModel

from pitwall.analysis.tool_kit import Toolbox, ToolFunction
from pitwall.paddock.adk.nodes import AgentNode, DataNode, NarrativeNode
from pitwall.paddock.forms import PointsForm
from pitwall.paddock.roster import DUTIES, NARRATIVE, PIPELINES, DataPart, Duty, instruction
from pitwall.paddock.runs import Runs

# Low, so that facts are told alike each time, but not zero, for natural sentences.
_TEMPERATURE = 0.2
# What OpenAI's dialect is asked for as well: an answer and the thoughts before it.
_MOST_TOKENS = 4_096


def build_agent(duty: Duty, model: BaseLlm, toolbox: Toolbox, part: DataPart | None = None) -> LlmAgent:
    """An agent with its prompt and tools, calling mode AUTO; typed where it is part of a pipeline.

    KeyError names a tool that `toolbox` lacks.
    """
    return adk_agent(
        duty.name,
        duty.description,
        model,
        toolbox,
        duty.tools,
        instruction(duty.name, typed=part is not None, tools=bool(duty.tools)),
        schema=PointsForm if part else None,
        key=part.key if part else None,
    )


def adk_agent(
    name: str,
    description: str,
    model: BaseLlm,
    toolbox: Toolbox,
    tools: Iterable[str],
    text: str,
    *,
    schema: type[BaseModel] | None = None,
    key: str | None = None,
) -> LlmAgent:
    """An agent with `text` as its whole prompt; `schema`: the form of its answer. KeyError as above."""
    return LlmAgent(
        name=name,
        model=model,
        description=description,
        # A function, so that ADK does not take braces in a prompt for places to fill.
        instruction=lambda _ctx: text,
        tools=list(tools_for(tools, toolbox)),
        output_schema=schema,
        output_key=key,
        generate_content_config=types.GenerateContentConfig(
            temperature=_TEMPERATURE, max_output_tokens=_MOST_TOKENS
        ),
    )


def build_workflow(
    name: str, model: BaseLlm, toolbox: Toolbox, runs: Runs, *, fetched: bool = False
) -> Workflow:
    """The workflow that answers for an agent's or a pipeline's name. KeyError: no such name, or tool.

    `fetched`: code gives a pipeline's data agents all that they need, so they have no tools.
    """
    if name not in PIPELINES:
        duty = DUTIES[name]
        agent = build_agent(duty, model, toolbox)
        return Workflow(
            name=f"{name}Desk",
            edges=[(START, AgentNode(name=f"{name}Node", agent=agent, duty=duty, runs=runs))],
        )
    data = tuple(_data_node(part, model, toolbox, runs, fetched) for part in PIPELINES[name].parts)
    narrative = NarrativeNode(
        name="NarrativeNode", agent=build_agent(DUTIES[NARRATIVE], model, toolbox), runs=runs
    )
    return Workflow(name=name, edges=[(START, data, JoinNode(name="Findings"), narrative)])


def _data_node(part: DataPart, model: BaseLlm, toolbox: Toolbox, runs: Runs, fetched: bool) -> DataNode:
    duty = DUTIES[part.agent]
    if fetched:
        duty = msgspec.structs.replace(duty, rules=())
    agent = build_agent(duty, model, toolbox, part)
    return DataNode(name=f"{part.agent}Node", agent=agent, duty=duty, part=part, runs=runs)


def tools_for(names: Iterable[str], toolbox: Toolbox) -> list[FunctionTool]:
    """ADK tools of the named functions, in that order. KeyError: a tool is missing.

    The model is shown the functions' names, docstrings and annotations.
    """
    return [FunctionTool(_off_loop(name, toolbox[name])) for name in names]


def _off_loop(name: str, function: ToolFunction) -> ToolFunction:
    """Run a tool in a thread, so that reading the database does not block the stream."""
    if inspect.iscoroutinefunction(function):
        return function

    @functools.wraps(function)
    async def in_thread(*args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(function, *args, **kwargs)

    in_thread.__name__ = name
    return in_thread

"""What a run's plugin does: it cuts long events, and checks each call."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

import msgspec
from google.adk.agents.context import Context
from google.adk.agents.invocation_context import InvocationContext, LlmCallsLimitExceededError
from google.adk.events import Event as AdkEvent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.genai import types

from pitwall.contract.events import ToolCall
from pitwall.paddock.context import MAX_TEXT_CHARS, cut
from pitwall.paddock.model_text import LoopGuard, arguments_key, as_result, clean
from pitwall.paddock.points import MOST_ANSWER_CHARS
from pitwall.paddock.roster import EFFECTS
from pitwall.paddock.runs import Run, Runs

# What a model names a result by.
_NAMES = ("query_id", "fact")


def shortened(content: types.Content) -> types.Content:
    """`content` with each text and each tool's answer over 5,000 characters cut."""
    return types.Content(role=content.role, parts=[_cut_part(part) for part in content.parts or []])


def _cut_part(part: types.Part) -> types.Part:
    if part.function_response is None:
        text = part.text or ""
        return part if len(text) <= MAX_TEXT_CHARS else part.model_copy(update={"text": cut(text)})
    whole = msgspec.json.encode(clean(part.function_response.response)).decode()
    if len(whole) <= MAX_TEXT_CHARS:
        return part
    held = part.function_response.response or {}
    names = {name: held[name] for name in _NAMES if name in held}
    shorter = part.function_response.model_copy(update={"response": {**names, "result": cut(whole)}})
    return part.model_copy(update={"function_response": shorter})


# ADK's own tool for typed answers of models that can't use a schema and tools at once.
ANSWER_TOOL = "set_model_response"
# The same call gives the same result: more are a loop.
_SAME_CALLS, _SAME_REFUSED = 2, 2


# A model that declines a request for one of these declines it again.
_DECLINES = frozenset(("SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "RECITATION", "SPII"))
_NO_CHANGE = {"what_to_do": "say what there is; nothing was changed"}


class ModelLoops(Exception):
    """The model repeats itself and is stopped."""


class UnknownTool(ModelLoops):
    """The model calls tools that do not exist, or in no way that can be read, and is stopped."""


class NoAnswer(Exception):
    """What came is nothing of a model's, such as a web page."""


class ToolValidator(BasePlugin):
    """Records tools and model calls of each invocation, and forces the calls a node asks for."""

    def __init__(self, runs: Runs) -> None:
        super().__init__(name="tool_validator")
        self._runs = runs

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> types.Content | None:
        self._runs.begin(invocation_context.session.id, invocation_context.invocation_id)
        return None

    async def on_event_callback(
        self, *, invocation_context: InvocationContext, event: AdkEvent
    ) -> AdkEvent | None:
        """What a session keeps is short; who asked has the whole."""
        if event.partial or event.content is None:
            return None
        return event.model_copy(update={"content": shortened(event.content)})

    async def before_model_callback(
        self, *, callback_context: Context, llm_request: LlmRequest
    ) -> LlmResponse | None:
        run = self._runs.of(callback_context.invocation_id)
        agent = callback_context.agent_name
        # Before ADK's own limit, which knows no agents and counts the call that it refuses.
        if not run.may_call(agent):
            raise LlmCallsLimitExceededError(f"{agent} may make no more model calls")
        run.calls_of[agent] += 1
        if run.before_call is not None:
            try:
                await run.before_call()
            except BaseException:
                run.calls_of[agent] -= 1
                raise
        shown = _declared(llm_request)
        if not run.change and shown & EFFECTS:
            shown -= EFFECTS
            _show(llm_request, shown)
        wanted = tuple(name for name in run.forced.get(agent, ()) if name in shown)
        if wanted and not run.succeeded[agent].intersection(wanted):
            _force(llm_request, wanted)
            # A call is forced once only, also where it fails.
            run.forced.pop(agent)
        return None

    async def after_model_callback(
        self, *, callback_context: Context, llm_response: LlmResponse
    ) -> LlmResponse | None:
        run = self._runs.of(callback_context.invocation_id)
        # ADK calls an answer without text that was too long an error too.
        if llm_response.error_code and llm_response.finish_reason != types.FinishReason.MAX_TOKENS:
            run.declined = str(llm_response.error_code)
            if run.declined in _DECLINES:
                run.declined_by.add(callback_context.agent_name)
            if run.declined == "MALFORMED_FUNCTION_CALL" and not llm_response.partial:
                self._unknown_tool(run, callback_context.agent_name, "no readable call")
        key = callback_context.branch or callback_context.agent_name
        finish = llm_response.finish_reason
        if finish is not None:
            run.cut[callback_context.agent_name] = "" if finish == types.FinishReason.STOP else finish.name
        guard = run.guards.setdefault(key, LoopGuard())
        parts = llm_response.content.parts or [] if llm_response.content else []
        if not (parts or finish or llm_response.error_code):
            raise NoAnswer("an answer without content, end or error")
        text = "".join(part.text or "" for part in parts)
        # A streamed answer comes once more as a whole, which is not a repeat.
        if text and llm_response.partial is not False:
            run.written[key] += len(text)
            # First: to look for repeats in a piece of 1 MB takes seconds.
            if run.written[key] > MOST_ANSWER_CHARS:
                raise ModelLoops("the model wrote on and on and was stopped")
            if guard.feed(text):
                raise ModelLoops("the model repeated itself three times and was stopped")
        return None

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: Context
    ) -> dict[str, Any] | None:
        if tool.name == ANSWER_TOOL:
            return None
        run = self._runs.of(tool_context.invocation_id)
        if type(tool) is BaseTool:
            # ADK puts this in place of an unknown tool. One call may be a slip, which an error
            # mends.
            self._unknown_tool(run, tool_context.agent_name, tool.name)
        if tool.name in EFFECTS and not run.change:
            return {"error": f"{tool.name} was refused: the driver did not ask for a change", **_NO_CHANGE}
        if tool.name in EFFECTS and run.elsewhere(str(tool_args.get("corner_name", ""))):
            asked = ", ".join(run.corners) or "no corner"
            return {"error": f"{tool.name} was refused: the driver asked for {asked}", **_NO_CHANGE}
        same = (tool_context.agent_name, tool.name, arguments_key(tool_args))
        run.calls[same] += 1
        run.started[_call_id(tool_context)] = _begun(tool, tool_args, tool_context)
        # A refusal may be of the moment, so it is tried once more; then the model is stopped.
        refused = run.refused[*same, run.attempts.get(tool_context.agent_name, 1)]
        if refused >= _SAME_REFUSED:
            raise ModelLoops(f"{tool.name} was called with the same arguments again and again")
        if run.calls[same] > _SAME_CALLS:
            return {"error": f"{tool.name} was already called with these arguments; use what it returned"}
        return None

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: Context, result: Any
    ) -> dict[str, Any] | None:
        if tool.name == ANSWER_TOOL:
            return None
        run, agent = self._runs.of(tool_context.invocation_id), tool_context.agent_name
        shown = as_result(result)
        refused = "error" in shown
        if refused:
            run.refused[agent, tool.name, arguments_key(tool_args), run.attempts.get(agent, 1)] += 1
            if tool.name in EFFECTS:
                run.take_up(agent, tool.name, shown)
        else:
            run.succeeded[agent].add(tool.name)
            shown = run.take_up(agent, tool.name, shown)
            run.results[agent].append((tool.name, shown))
        self._note(run, tool, tool_args, tool_context, "refused" if refused else "ok")
        return shown

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: Context, error: BaseException
    ) -> dict[str, Any] | None:
        run = self._runs.of(tool_context.invocation_id)
        gone = isinstance(error, asyncio.CancelledError)
        self._note(run, tool, tool_args, tool_context, "cancelled" if gone else "failed")
        return {"error": f"{tool.name} failed: {error or 'no reason was given'}"}

    def _unknown_tool(self, run: Run, agent: str, name: str) -> None:
        run.unknown_tools[agent] += 1
        if run.unknown_tools[agent] > 1:
            raise UnknownTool(name)

    def _note(
        self, run: Run, tool: BaseTool, tool_args: dict[str, Any], tool_context: Context, status: Any
    ) -> None:
        begun = run.started.pop(_call_id(tool_context), None) or _begun(tool, tool_args, tool_context)
        latency_s = round(asyncio.get_running_loop().time() - begun[0], 4)
        run.audit.append(msgspec.structs.replace(begun[1], status=status, latency_s=latency_s))


def _begun(tool: BaseTool, tool_args: dict[str, Any], tool_context: Context) -> tuple[float, ToolCall]:
    call = ToolCall(
        agent=tool_context.agent_name,
        tool=tool.name,
        arguments=tuple(tool_args),
        status="cancelled",
        latency_s=0.0,
    )
    return asyncio.get_running_loop().time(), call


def _call_id(tool_context: Context) -> str:
    return f"{tool_context.invocation_id}/{tool_context.branch}/{tool_context.function_call_id}"


def _offered(request: LlmRequest) -> list[list[types.FunctionDeclaration]]:
    tools = (tool for tool in request.config.tools or [] if isinstance(tool, types.Tool))
    return [tool.function_declarations or [] for tool in tools]


def _declared(request: LlmRequest) -> set[str]:
    return {one.name or "" for each in _offered(request) for one in each}


def _show(request: LlmRequest, names: Collection[str]) -> None:
    """Leave only these tools in what the model is shown."""
    kept = [[one for one in each if one.name in names] for each in _offered(request)]
    request.config.tools = [types.Tool(function_declarations=each) for each in kept if each]


def _force(request: LlmRequest, names: tuple[str, ...]) -> None:
    request.config.tool_config = types.ToolConfig(
        function_calling_config=types.FunctionCallingConfig(
            mode=types.FunctionCallingConfigMode.ANY, allowed_function_names=[*names]
        )
    )
    # OpenAI's dialect knows "some tool" only: showing no other tool says the same to every server.
    _show(request, names)

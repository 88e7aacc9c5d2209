"""Shortens the requests of long runs: code summarises old events and cuts long texts.

ADK's EventsCompactionConfig has a model write the summary after the answer, and leaves long results whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from google.adk.agents.context import Context
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from pitwall.paddock.clean import clean
from pitwall.paddock.context import MAX_TEXT_CHARS, cut

COMPACT_OVER = 30
KEPT = 10
# The limit also where calls must stay with their results.
HARD_LIMIT = 50
# The length of one line of the summary.
_LINE_CHARS = 160


class Compaction(BasePlugin):
    """Applies `compact` to every request of every agent; the session's own events stay as they are."""

    def __init__(self) -> None:
        super().__init__(name="compaction")

    async def before_model_callback(
        self, *, callback_context: Context, llm_request: LlmRequest
    ) -> LlmResponse | None:
        llm_request.contents = compact(llm_request.contents)
        return None


def compact(contents: Sequence[types.Content]) -> list[types.Content]:
    """`contents` with texts over 5,000 characters cut; over 30, the first, a summary, the last 10.

    A tool's answer is never parted from its call: the kept tail begins earlier where it would be, but
    never so early that more than 50 remain.
    """
    # The first is the prompt: built within a budget of its own, and cut block by block.
    held = [content if number == 0 else _cut(content) for number, content in enumerate(contents)]
    if len(held) <= COMPACT_OVER:
        return held
    start = len(held) - KEPT
    while start > 1 and _answers(held[start]):
        start -= 1
    start = max(start, len(held) - HARD_LIMIT + 2)
    summary = types.Content(role="user", parts=[types.Part(text=_summary(held[1:start]))])
    return [held[0], summary, *held[start:]]


def _answers(content: types.Content) -> bool:
    return any(part.function_response for part in content.parts or [])


def _summary(old: Sequence[types.Content]) -> str:
    lines = []
    for content in old:
        for part in content.parts or []:
            if part.function_call:
                lines.append(f"called {part.function_call.name} {_line(part.function_call.args)}")
            elif part.function_response:
                lines.append(
                    f"{part.function_response.name} returned {_line(part.function_response.response)}"
                )
            elif part.text:
                lines.append(f"{content.role}: {' '.join(part.text.split())[:_LINE_CHARS]}")
    return cut(f"Summary of {len(old)} earlier events:\n" + "\n".join(lines))


def _line(value: Any) -> str:
    return msgspec.json.encode(clean(value)).decode()[:_LINE_CHARS]


def _cut(content: types.Content) -> types.Content:
    return types.Content(role=content.role, parts=[_cut_part(part) for part in content.parts or []])


def _cut_part(part: types.Part) -> types.Part:
    if part.function_response is None:
        text = part.text or ""
        return part if len(text) <= MAX_TEXT_CHARS else part.model_copy(update={"text": cut(text)})
    whole = msgspec.json.encode(clean(part.function_response.response)).decode()
    if len(whole) <= MAX_TEXT_CHARS:
        return part
    shorter = part.function_response.model_copy(update={"response": {"result": cut(whole)}})
    return part.model_copy(update={"function_response": shorter})

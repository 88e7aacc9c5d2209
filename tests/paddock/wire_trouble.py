"""What a model's server may do wrong, in either dialect: replies for scripts, and what is then said."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from long_runs import some
from model_server import Reply

KINDS = ("gemini", "openai")
# Tests that wait a budget out, or cost much: one dialect in every run, the other in the long one.
LONG_KINDS = some(KINDS, 1)
LOOP = "The brake comes up too early at the tyre wall and the nose washes wide, so wait for the apex. " * 12
BUSY = "The model is busy: too many requests. (HTTP 429)"
FAILED = "The model's server failed. (HTTP 503)"

# A server that does this to every request: name -> (reply, a part of the sentence for the driver).
ALWAYS: dict[str, tuple[Reply, str]] = {
    "429": (Reply(status=429), BUSY),
    "503": (Reply(status=503), FAILED),
    "malformed": (Reply(raw="data: {not json\r\n\r\n"), "could not be used"),
    "cut": (Reply(text="half an answer", cut=True), "The connection to the model broke off."),
    "looping": (Reply(text=LOOP * 20, pieces=100), "The model repeated itself and was stopped."),
}


def _streamed(piece: dict[str, Any], end: str = "") -> Reply:
    return Reply(raw=f"data: {json.dumps(piece)}\r\n\r\n{end}")


def _chunk(delta: dict[str, Any], reason: str) -> Reply:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    base = {"id": "c", "created": 1, "model": "scripted", "object": "chat.completion.chunk"}
    return _streamed({**base, "choices": [choice]}, "data: [DONE]\n\n")


_CALL = {
    "index": 0,
    "id": "call_1",
    "type": "function",
    "function": {"name": "progress", "arguments": "{not"},
}

# The model declines, in each dialect's own way.
DECLINED: dict[str, Reply] = {
    "gemini": _streamed({"promptFeedback": {"blockReason": "SAFETY"}}),
    "openai": _chunk({"refusal": "I can't help with that."}, "content_filter"),
}
# A tool call that is no call: Gemini's server says so, an OpenAI-compatible one passes it on.
MALFORMED_CALL: dict[str, Reply] = {
    "gemini": _streamed({"candidates": [{"index": 0, "finishReason": "MALFORMED_FUNCTION_CALL"}]}),
    "openai": _chunk({"tool_calls": [_CALL]}, "tool_calls"),
}


def in_dialects(troubles: Iterable[str], first: int) -> list[Any]:
    """(kind, trouble): each in Gemini's dialect, and in the other what that says in its own way. The first
    few in every run."""
    named = list(troubles)
    own = [each for each in named if each in ("declined", "a call that is none")]
    return some([("gemini", each) for each in named] + [("openai", each) for each in own], first)


# What goes well when it is asked again.
PASSING = ("429", "503", "a tool that is none", "a call that is none")


def passing(name: str, kind: str) -> Reply:
    """One of PASSING in this dialect."""
    if name.isdigit():
        return Reply(status=int(name))
    return MALFORMED_CALL[kind] if name == "a call that is none" else Reply(calls=[("telepathy", {})])

"""A model's side of the wire, scripted: Gemini's and OpenAI's dialects over real HTTP."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from pitwall.contract.settings import ModelSettings

_AGENT = re.compile(r"You are (\w+)")


@dataclass
class Asked:
    """One request as it arrived, whichever dialect it was in."""

    system: str
    texts: list[str]
    called: list[str]
    results: list[tuple[str, dict[str, Any]]]
    tools: list[str]
    mode: str
    allowed: list[str]
    stream: bool
    schema: bool
    body: dict[str, Any]
    started_s: float = 0.0
    ended_s: float = 0.0
    dropped: bool = False

    @property
    def agent(self) -> str:
        found = _AGENT.search(self.system)
        return found[1] if found else ""

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


@dataclass
class Reply:
    """What to answer. `status` not 200: an error, to come back after `rest_s`; `raw`: this body instead;
    `cut`: hang up half-way; `finish`: why the server ended the answer, in its own dialect."""

    text: str = ""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    status: int = 200
    rest_s: int = 0
    wait_s: float = 0.0
    pace_s: float = 0.0
    raw: str | None = None
    cut: bool = False
    finish: str = ""
    pieces: int = 4


Script = Callable[[Asked], Reply]


@dataclass
class ModelServer:
    """A running server: its address, and every request in the order of arrival."""

    script: Script
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    open_requests: int = 0
    all_gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def gone(self) -> None:
        """Wait until no request is open; a request that stays is an error, not a hanging test."""
        async with asyncio.timeout(30):
            await self.all_gone.wait()

    def of(self, agent: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.agent == agent]


def settings_of(url: str, kind: str = "gemini") -> ModelSettings:
    """The settings of a model at this address, in one of the dialects."""
    base = url if kind == "gemini" else f"{url}/v1"
    return ModelSettings(kind=kind, name="gemini-3.5-flash", base_url=base, api_key="k")  # type: ignore[arg-type]


@asynccontextmanager
async def serving(script: Script) -> AsyncIterator[ModelServer]:
    """Both dialects on one loopback port, until the block ends."""
    server = ModelServer(script)
    server.all_gone.set()

    async def gemini(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        stream = request.path.endswith(":streamGenerateContent")
        return await _answer(server, request, _from_gemini(body, stream), _GEMINI)

    async def openai(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        return await _answer(server, request, _from_openai(body), _OPENAI)

    app = web.Application()
    app.router.add_post("/v1beta/models/{call:.+}", gemini)
    app.router.add_post("/v1/chat/completions", openai)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    server.url = f"http://{host}:{port}"
    try:
        yield server
    finally:
        await runner.cleanup()


@dataclass
class _Dialect:
    whole: Callable[[Reply], dict[str, Any]]
    pieces: Callable[[Reply], list[dict[str, Any]]]
    problem: Callable[[int], dict[str, Any]]
    end: bytes


async def _answer(
    server: ModelServer, request: web.Request, asked: Asked, dialect: _Dialect
) -> web.StreamResponse:
    asked.started_s = time.monotonic()
    server.asked.append(asked)
    server.open_requests += 1
    server.all_gone.clear()
    server.arrived.set()
    try:
        return await _reply(server.script(asked), request, asked, dialect)
    except (asyncio.CancelledError, ConnectionError):
        asked.dropped = True
        raise
    finally:
        asked.ended_s = time.monotonic()
        server.open_requests -= 1
        if not server.open_requests:
            server.all_gone.set()


async def _reply(reply: Reply, request: web.Request, asked: Asked, dialect: _Dialect) -> web.StreamResponse:
    if reply.wait_s:
        await asyncio.sleep(reply.wait_s)
    if reply.status != 200:
        text = json.dumps(dialect.problem(reply.status)) if reply.raw is None else reply.raw
        rest = {"Retry-After": str(reply.rest_s)} if reply.rest_s else {}
        return web.Response(text=text, status=reply.status, content_type="application/json", headers=rest)
    if reply.raw is not None:
        kind = "text/event-stream" if asked.stream else "application/json"
        return web.Response(text=reply.raw, content_type=kind)
    if not asked.stream:
        if reply.cut and request.transport is not None:
            request.transport.close()
        return web.json_response(dialect.whole(reply))
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    pieces = dialect.pieces(reply)
    for number, piece in enumerate(pieces):
        if reply.cut and number == len(pieces) // 2 and request.transport is not None:
            request.transport.close()
            return response
        await response.write(b"data: " + json.dumps(piece).encode() + b"\r\n\r\n")
        if reply.pace_s:
            await asyncio.sleep(reply.pace_s)
    await response.write(dialect.end)
    return response


def _cuts(text: str, pieces: int) -> list[str]:
    size = max(1, -(-len(text) // max(1, pieces)))
    return [text[at : at + size] for at in range(0, len(text), size)]


def _from_gemini(body: dict[str, Any], stream: bool) -> Asked:
    parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
    config = body.get("toolConfig", {}).get("functionCallingConfig", {})
    return Asked(
        system="".join(part.get("text", "") for part in body.get("systemInstruction", {}).get("parts", [])),
        texts=[part["text"] for part in parts if "text" in part],
        called=[part["functionCall"]["name"] for part in parts if "functionCall" in part],
        results=[
            (part["functionResponse"]["name"], part["functionResponse"]["response"])
            for part in parts
            if "functionResponse" in part
        ],
        tools=[one["name"] for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])],
        mode=config.get("mode", "AUTO"),
        allowed=config.get("allowedFunctionNames", []),
        stream=stream,
        schema=any(
            key in body.get("generationConfig", {}) for key in ("responseSchema", "responseJsonSchema")
        ),
        body=body,
    )


def _gemini(parts: list[dict[str, Any]], finish: str = "") -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    return {"candidates": [candidate], "usageMetadata": usage}


def _gemini_calls(reply: Reply) -> list[dict[str, Any]]:
    return [{"functionCall": {"name": name, "args": args}} for name, args in reply.calls]


def _gemini_pieces(reply: Reply) -> list[dict[str, Any]]:
    texts = [_gemini([{"text": piece}]) for piece in _cuts(reply.text, reply.pieces)]
    return [*texts, _gemini(_gemini_calls(reply) or [{"text": ""}], reply.finish or "STOP")]


_GEMINI = _Dialect(
    whole=lambda reply: _gemini(
        ([{"text": reply.text}] if reply.text else []) + _gemini_calls(reply), reply.finish or "STOP"
    ),
    pieces=_gemini_pieces,
    problem=lambda status: {"error": {"code": status, "message": f"scripted {status}", "status": "SCRIPTED"}},
    end=b"",
)


def _from_openai(body: dict[str, Any]) -> Asked:
    messages = body.get("messages", [])
    names = {call["id"]: call["function"]["name"] for one in messages for call in one.get("tool_calls") or []}
    choice = body.get("tool_choice") or "auto"
    return Asked(
        system="\n".join(_content(one) for one in messages if one["role"] in ("system", "developer")),
        texts=[
            _content(one) for one in messages if one["role"] in ("user", "assistant") and one.get("content")
        ],
        called=list(names.values()),
        results=[
            (names.get(one["tool_call_id"], ""), json.loads(one["content"]))
            for one in messages
            if one["role"] == "tool"
        ],
        tools=[tool["function"]["name"] for tool in body.get("tools") or []],
        mode={"required": "ANY", "none": "NONE"}.get(choice, "AUTO") if isinstance(choice, str) else "ANY",
        allowed=[],
        stream=bool(body.get("stream")),
        schema=(body.get("response_format") or {}).get("type", "text") != "text",
        body=body,
    )


def _content(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


_BASE = {"id": "c", "created": 1, "model": "scripted"}
_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def _openai_calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "index": number,
            "id": f"call_{time.monotonic_ns()}_{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(args)},
        }
        for number, (name, args) in enumerate(reply.calls)
    ]


def _openai_finish(reply: Reply) -> str:
    return reply.finish or ("tool_calls" if reply.calls else "stop")


def _openai_whole(reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = _openai_calls(reply)
    choice = {"index": 0, "message": message, "finish_reason": _openai_finish(reply)}
    return {**_BASE, "object": "chat.completion", "choices": [choice], "usage": _USAGE}


def _openai_pieces(reply: Reply) -> list[dict[str, Any]]:
    deltas: list[dict[str, Any]] = [{"content": piece} for piece in _cuts(reply.text, reply.pieces)]
    if reply.calls:
        deltas.append({"tool_calls": _openai_calls(reply)})
    chunks = [
        {**_BASE, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}
        for delta in deltas
    ]
    stop = {"index": 0, "delta": {}, "finish_reason": _openai_finish(reply)}
    return [*chunks, {**_BASE, "object": "chat.completion.chunk", "choices": [stop], "usage": _USAGE}]


_OPENAI = _Dialect(
    whole=_openai_whole,
    pieces=_openai_pieces,
    problem=lambda status: {"error": {"message": f"scripted {status}", "type": "scripted"}},
    end=b"data: [DONE]\n\n",
)

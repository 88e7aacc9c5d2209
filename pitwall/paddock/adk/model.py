"""Opens the model and its HTTP client for the life of a worker."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
from google.adk.models.base_llm import BaseLlm as BaseLlm  # those outside this room name it too
from google.adk.models.google_llm import Gemini
from google.genai import types

from pitwall.contract.settings import ModelSettings, model_trouble
from pitwall.paddock.adk.problems import retry_after_s

if TYPE_CHECKING:
    from openai import AsyncOpenAI

# One retry after a short pause, since the deadline is 8 or 15 s.
_ATTEMPTS = 2
_PAUSE_S = 0.4
_RETRIED = [429, 500, 502, 503, 504]
# A server that wants to be left alone for longer than this is not asked again for the same answer.
_LONGEST_PAUSE_S = 1.0
# The limit for connecting. Only the run's deadline limits reading, since a model may think for long.
_CONNECT_S = 3.0


class ServerRests(Exception):
    """The server answered with an error and said when to come back: see `problems.rest_after`."""

    def __init__(self, response: httpx.Response) -> None:
        super().__init__(f"HTTP {response.status_code}")
        self.status_code, self.headers = response.status_code, response.headers


class ModelProblem(Exception):
    """The model can't be set up: says which setting is wrong and what to do."""


@asynccontextmanager
async def open_model(settings: ModelSettings) -> AsyncIterator[BaseLlm | None]:
    """The model for this event loop, closed with all its connections at the end; None for kind `none`.

    ModelProblem where a needed setting or package is missing.
    """
    if settings.kind == "none":
        yield None
        return
    trouble = model_trouble(settings)
    if trouble:
        raise ModelProblem(trouble)
    if settings.kind == "gemini":
        # Our own client: the SDK would else subclass aiohttp's where installed, which aiohttp deprecates.
        async with httpx.AsyncClient(
            event_hooks={"request": [_reached_soon], "response": [_left_alone]}
        ) as client:
            yield _gemini(settings, client)
        return
    async with _openai_client(settings) as wire:
        from google.adk.integrations.openai import OpenAILlm

        yield OpenAILlm(model=settings.name, client=wire, max_tokens=settings.max_answer_tokens)


async def _reached_soon(request: httpx.Request) -> None:
    # Here, for Google's SDK takes a client's own limits away from each request.
    request.extensions["timeout"] = httpx.Timeout(None, connect=_CONNECT_S).as_dict()


async def _left_alone(response: httpx.Response) -> None:
    # Google's SDK knows no Retry-After and would ask again at once.
    if response.status_code in _RETRIED and retry_after_s(response.headers) > _LONGEST_PAUSE_S:
        raise ServerRests(response)


def _gemini(settings: ModelSettings, client: httpx.AsyncClient) -> Gemini:
    options = types.HttpOptions(
        base_url=settings.base_url or None,
        httpx_async_client=client,
        retry_options=types.HttpRetryOptions(
            attempts=_ATTEMPTS, initial_delay=_PAUSE_S, max_delay=_PAUSE_S, http_status_codes=_RETRIED
        ),
    )
    if settings.project:
        client_kwargs = {"vertexai": True, "project": settings.project, "location": settings.location}
        return Gemini(model=settings.name, client_kwargs={**client_kwargs, "http_options": options})
    return Gemini(model=settings.name, client_kwargs={"api_key": settings.api_key, "http_options": options})


def _openai_client(settings: ModelSettings) -> AsyncOpenAI:
    try:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout
    except ImportError as error:
        raise ModelProblem(f"paddock.model: openai needs the extra `paddock` ({error.name})") from None

    async def left_alone(response: Any) -> None:
        # OpenAI's client waits out a Retry-After of two minutes; this is its own way of being told not to.
        if retry_after_s(response.headers) > _LONGEST_PAUSE_S:
            response.headers["x-should-retry"] = "false"

    return AsyncOpenAI(
        # Local servers take any key, the client refuses to have none.
        api_key=settings.api_key or "none",
        base_url=settings.base_url,
        max_retries=_ATTEMPTS - 1,
        timeout=Timeout(None, connect=_CONNECT_S),
        http_client=DefaultAsyncHttpxClient(event_hooks={"response": [left_alone]}),
    )

"""The model for the life of a worker, and its errors and those of the way to it as sentences."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import httpx
from google.adk.agents.invocation_context import LlmCallsLimitExceededError
from google.adk.models.base_llm import BaseLlm as BaseLlm  # those outside this room name it too
from google.adk.models.google_llm import Gemini
from google.genai import types
from pydantic import ValidationError

from pitwall.contract.settings import ModelSettings, model_trouble
from pitwall.paddock.adk.plugins import ModelLoops, UnknownTool

if TYPE_CHECKING:
    from openai import AsyncOpenAI


# A failing server is not asked again within this; one that names a day of next year, within an
# hour.
LEAST_REST_S, MOST_REST_S = 1.0, 3600.0

# The question was refused as it was sent: the next one may do.
_OF_THE_QUESTION = {400, 413, 422}

log = logging.getLogger("pitwall")

_REFUSED_KEY = "The model refused the key: check paddock.model in the settings."
# Google answers a wrong key with this, and with the status of a wrong question.
_INVALID_KEY = "API_KEY_INVALID"
_BY_STATUS: tuple[tuple[range, str], ...] = (
    (range(401, 404), _REFUSED_KEY),
    (range(404, 405), "The model's server does not know this model: check paddock.model.name."),
    (range(429, 430), "The model is busy: too many requests."),
    (range(400, 500), "The model refused the question as it was sent."),
    (range(500, 600), "The model's server failed."),
)
_BY_KIND: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((UnknownTool,), "The model called a tool that does not exist."),
    ((ModelLoops,), "The model repeated itself and was stopped."),
    ((LlmCallsLimitExceededError,), "The model went on calling tools without answering and was stopped."),
    ((ValidationError,), "The model's answer was not in the form it was asked for."),
    ((ConnectionRefusedError,), "The model can't be reached."),
    ((asyncio.TimeoutError,), "The model took too long."),
)
# By name, since one client uses httpx and the other a fork with the same names.
_UNREACHED = ("ConnectError", "ConnectTimeout")
_BROKEN_OFF = ("TransportError", "APIConnectionError")


def sentence(error: BaseException) -> str:
    """The sentence for the first known error in the chain of causes."""
    chain = list(causes(error))
    for one in chain:
        status = getattr(one, "status_code", None) or getattr(one, "code", None)
        for statuses, text in _BY_STATUS:
            if isinstance(status, int) and status in statuses:
                return f"{_REFUSED_KEY if _INVALID_KEY in str(one) else text} (HTTP {status})"
    # Before the kinds: a timeout is the cause where a server can't be reached.
    if _any_named(chain, _UNREACHED):
        return "The model can't be reached."
    for one in chain:
        for kinds, text in _BY_KIND:
            if isinstance(one, kinds):
                return text
    if _any_named(chain, _BROKEN_OFF):
        return "The connection to the model broke off."
    # The message may hold the driver's words or a key in an address, so only the type is logged.
    log.warning("a model's answer could not be used: %s", type(chain[-1]).__name__)
    return "The model's answer could not be used; the log has the reason."


def model_is_away(error: BaseException) -> bool:
    """Return whether the server or the way to it failed, as it would for the next question."""
    chain = list(causes(error))
    for one in chain:
        status = getattr(one, "status_code", None) or getattr(one, "code", None)
        if isinstance(status, int) and status >= 400:
            return True
    return _any_named(chain, (*_UNREACHED, *_BROKEN_OFF, "ConnectionError"))


def rest_after(error: BaseException) -> float:
    """How long the model is best left alone, s; 0 where model and way work."""
    statuses = {getattr(one, "status_code", None) or getattr(one, "code", None) for one in causes(error)}
    late = any(isinstance(one, TimeoutError) for one in causes(error))
    if statuses & _OF_THE_QUESTION or not (late or model_is_away(error)):
        return 0.0
    waits = (retry_after_s(_headers(one)) for one in causes(error))
    return max(LEAST_REST_S, *waits)


def _headers(error: BaseException) -> Mapping[str, str] | None:
    found: Mapping[str, str] | None = getattr(getattr(error, "response", error), "headers", None)
    return found


def retry_after_s(headers: Mapping[str, str] | None) -> float:
    """The seconds of a `Retry-After`, 0 where there is none. A date counts from now."""
    wait = (headers or {}).get("retry-after", "").strip()
    if wait.isdecimal():
        return min(float(wait), MOST_REST_S)
    with contextlib.suppress(ValueError):
        return min(max(0.0, parsedate_to_datetime(wait).timestamp() - time.time()), MOST_REST_S)
    return 0.0


def _any_named(chain: Sequence[BaseException], names: Sequence[str]) -> bool:
    return any(kind.__name__ in names for one in chain for kind in type(one).__mro__)


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error and everything that led to it, the nearest first."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop(0)
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        # ADK's DynamicNodeFailError keeps what failed in `error`.
        inner = getattr(one, "error", None)
        waiting += [inner if isinstance(inner, BaseException) else None, one.__cause__, one.__context__]


# One retry after a short pause, since the deadline is 8 or 15 s.
_ATTEMPTS = 2
_PAUSE_S = 0.4
_RETRIED = [429, 500, 502, 503, 504]
# A server that wants to be left alone for longer than this is not asked again for the same answer.
_LONGEST_PAUSE_S = 1.0
# For connecting. The run's deadline limits reading, since a model may think for long.
_CONNECT_S = 3.0


class ServerRests(Exception):
    """The server answered with an error and said when to come back: see `rest_after`."""

    def __init__(self, response: httpx.Response) -> None:
        super().__init__(f"HTTP {response.status_code}")
        self.status_code, self.headers = response.status_code, response.headers


class ModelProblem(Exception):
    """The model can't be set up: says which setting is wrong and what to do."""


@asynccontextmanager
async def open_model(settings: ModelSettings) -> AsyncIterator[BaseLlm | None]:
    """The model for this event loop, None for kind `none`. ModelProblem."""
    if settings.kind == "none":
        yield None
        return
    trouble = model_trouble(settings)
    if trouble:
        raise ModelProblem(trouble)
    if settings.kind == "gemini":
        # Else the SDK would subclass aiohttp's client where installed, which aiohttp deprecates.
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
        # OpenAI's client waits out a Retry-After of two minutes; this is how it is stopped.
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

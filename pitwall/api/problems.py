"""Answer refusals and crashes in JSON: what is wrong, and what to do."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler

from pitwall.api.live import Crowded
from pitwall.contract.problems import SESSIONS_LISTED, Problem, Refused
from pitwall.store.errors import NotExportableError, StoreError, UnknownSessionError
from pitwall.store.jobs import UnknownJobError

log = logging.getLogger("pitwall.api")

ROUTES_LISTED = "pitwall/api/routes.py lists every route"
_PLAIN: Mapping[int, tuple[str, str]] = {
    404: ("there is nothing at this address", ROUTES_LISTED),
    405: ("this address does not take this method", "use one of those in the Allow header"),
    413: ("the body is larger than this route takes", "send less, or in several parts"),
}
_UNEXPECTED = Problem(
    "the daemon made a mistake in answering this", "it is in the daemon's log; the drive goes on; report it"
)


def problem_response(status: int, problem: Problem, headers: Mapping[str, str] | None = None) -> web.Response:
    """Answer a refused request."""
    return web.Response(
        status=status, body=msgspec.json.encode(problem), content_type="application/json", headers=headers
    )


def no_token() -> web.Response:
    """Answer a client that must show the token and has not."""
    problem = Problem(
        "the token is missing or wrong", "send Authorization: Bearer TOKEN, from PITWALL_HOME/token"
    )
    return problem_response(401, problem, {"WWW-Authenticate": 'Bearer realm="pitwall"'})


def no_http(status: int, said: str) -> web.Response:
    """Answer what can't be read: `said` is the parser's sentence, a colon, and what was sent."""
    why, _, sent = said.partition(":")
    if "authorization" in sent.lower():
        return no_token()
    what = Problem(
        f"this is no HTTP request: {why.lower() or 'it can not be read'}",
        "send HTTP/1.1, headers in plain text",
    )
    return problem_response(status, what)


@web.middleware
async def problems(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn a handler's error into a Problem; cut off a stream that has begun."""
    try:
        return await handler(request)
    except ConnectionError:
        raise  # he is gone: there is nobody to answer
    except Exception as error:
        response = _answer_to(error)
        if response is None:
            log.exception("%s %s", request.method, request.rel_url.raw_path)
            response = problem_response(500, _UNEXPECTED)
        if request.writer.output_size:
            # A second head would count as a part of what was begun.
            log.warning("%s %s was cut off: %s", request.method, request.rel_url.raw_path, error)
            raise ConnectionResetError("cut off in the middle") from error
        return response


def _answer_to(error: Exception) -> web.Response | None:
    """Return the answer to a refusal, None to a mistake of ours."""
    match error:
        case Refused():
            return problem_response(error.status, error.problem, error.headers)
        case UnknownSessionError():
            return problem_response(404, Problem(str(error), SESSIONS_LISTED))
        case UnknownJobError():
            return problem_response(404, Problem(str(error), "GET /jobs lists the last ones"))
        case NotExportableError():
            return problem_response(409, Problem(str(error), "GET /sessions/{session} shows what it has"))
        case StoreError():
            again = Problem(str(error), "try again; /status shows how the store is")
            return problem_response(503, again, {"Retry-After": "1"})
        case Crowded():
            return problem_response(429, Problem(str(error), "close one of them"), {"Retry-After": "5"})
        case web.HTTPException():
            what, to_do = _PLAIN.get(error.status, (error.reason, ROUTES_LISTED))
            allow = error.headers.get("Allow")
            return problem_response(error.status, Problem(what, to_do), {"Allow": allow} if allow else None)
    return None

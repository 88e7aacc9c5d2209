"""Refusals: one sentence of what is wrong and one of what to do, as JSON, never a traceback."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler

from pitwall.api.live import Crowded
from pitwall.api.types import Problem
from pitwall.store.errors import StoreError, UnknownSessionError
from pitwall.store.jobs import UnknownJobError

log = logging.getLogger("pitwall.api")

_PLAIN: Mapping[int, tuple[str, str]] = {
    404: ("there is nothing at this address", "GET /openapi.json lists every route"),
    405: ("this address does not take this method", "use one of those in the Allow header"),
    413: ("the body is larger than this route takes", "send less, or in several parts"),
}
_UNEXPECTED = Problem(
    "the daemon made a mistake in answering this", "it is in the daemon's log; the drive goes on; report it"
)


class Refused(Exception):
    """A request that is answered with a Problem. `retry_after_s` becomes a Retry-After header."""

    def __init__(
        self, status: int, error: str, what_to_do: str, *, retry_after_s: float | None = None
    ) -> None:
        super().__init__(error)
        self.status, self.problem = status, Problem(error, what_to_do)
        self.headers: dict[str, str] = {}
        if retry_after_s is not None:
            self.headers["Retry-After"] = str(max(1, math.ceil(retry_after_s)))


def problem_response(status: int, problem: Problem, headers: Mapping[str, str] | None = None) -> web.Response:
    """The answer to a request that was refused."""
    return web.Response(
        status=status, body=msgspec.json.encode(problem), content_type="application/json", headers=headers
    )


@web.middleware
async def problems(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn whatever a handler raises into a Problem."""
    try:
        return await handler(request)
    except Refused as refused:
        return problem_response(refused.status, refused.problem, refused.headers)
    except UnknownSessionError as error:
        return problem_response(404, Problem(str(error), "GET /sessions lists them; `last` is the newest"))
    except UnknownJobError as error:
        return problem_response(404, Problem(str(error), "GET /jobs lists the last ones"))
    except StoreError as error:
        return problem_response(
            503, Problem(str(error), "try again; /status shows how the store is"), {"Retry-After": "1"}
        )
    except Crowded as error:
        return problem_response(429, Problem(str(error), "close one of them"), {"Retry-After": "5"})
    except web.HTTPException as error:
        what, to_do = _PLAIN.get(error.status, (error.reason, "GET /openapi.json tells what is taken"))
        allow = error.headers.get("Allow")
        return problem_response(error.status, Problem(what, to_do), {"Allow": allow} if allow else None)
    except ConnectionError:
        raise  # he is gone: there is nobody to answer
    except Exception:
        log.exception("%s %s", request.method, request.path)
        return problem_response(500, _UNEXPECTED)

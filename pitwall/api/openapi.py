"""Make the OpenAPI 3.1 document from the route table and the types that decode the requests."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from pitwall import __version__
from pitwall.api.call import JSON, MSGPACK, PARAMETERS
from pitwall.api.routes import EVENTS, NOTHING, Route
from pitwall.contract.problems import Problem

# Any route: a request that is none, no token, a wrong Host or Origin.
ALWAYS = (400, 401, 403)
WITH_BODY = (408, 413, 415)
REASONS: Mapping[int, str] = {
    200: "The answer",
    201: "Made",
    204: "Accepted",
    400: "The request is malformed; the error names the field",
    401: "The token is missing or wrong",
    403: "A wrong Host, or a page of another origin",
    404: "There is no such thing",
    408: "The body came too slowly",
    409: "It contradicts itself or the rules, or this is not the moment",
    413: "The body is too large",
    415: "Not in this content type or encoding",
    422: "It names what there is not, or does not fit together",
    429: "Too much at once; Retry-After tells when",
    503: "The store can't answer now; Retry-After tells when",
    507: "There is no room for it on the disk",
}
_SCHEMA_AS = {JSON: "schema", EVENTS: "x-event"}
_PARAMETER = re.compile(r"{(\w+)}")
_REF = "#/components/schemas/{name}"


def openapi(routes: Sequence[Route]) -> dict[str, Any]:
    """Make the document of these routes."""
    types: list[Any] = [Problem]
    for route in routes:
        types += [each for each in (route.answer, route.body) if each is not None]
    schemas, components = msgspec.json.schema_components(types, ref_template=_REF)
    schema_of = {repr(each): schema for each, schema in zip(types, schemas, strict=True)}
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Pitwall",
            "version": __version__,
            "description": "The racing coach's loopback API. SI units; `t` is session time in seconds.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The line in PITWALL_HOME/token",
                }
            },
        },
    }


def _operation(route: Route, schema_of: Mapping[str, Any]) -> dict[str, Any]:
    name = "_".join([route.method.lower(), *re.findall(r"\w+", route.path)])
    operation: dict[str, Any] = {"operationId": name, "summary": route.summary}
    parameters = [*_path_parameters(route), *_query_parameters(route)]
    if parameters:
        operation["parameters"] = parameters
    if route.body is not None:
        schema = {"schema": schema_of[repr(route.body)]}
        operation["requestBody"] = {"required": True, "content": {JSON: schema, MSGPACK: schema}}
    if route.takes:
        binary = {"schema": {"type": "string", "format": "binary"}}
        operation["requestBody"] = {"required": True, "content": {route.takes: binary}}
    if route.path == "/health":
        operation["security"] = []
    operation["responses"] = _responses(route, schema_of)
    return operation


def _responses(route: Route, schema_of: Mapping[str, Any]) -> dict[str, Any]:
    good: dict[str, Any] = {"description": REASONS[route.status]}
    content = {
        # OpenAPI has no word for the messages of a stream.
        media: {_SCHEMA_AS[media]: schema_of[repr(route.answer)]} if media in _SCHEMA_AS else {}
        for media in route.media
        if media != NOTHING
    }
    if content:
        good["content"] = content
    problems = {*ALWAYS, *route.problems, *(WITH_BODY if route.body is not None or route.takes else ())}
    if route.path == "/health":
        problems.discard(401)
    bad = {
        str(status): {
            "description": REASONS[status],
            "content": {JSON: {"schema": schema_of[repr(Problem)]}},
        }
        for status in sorted(problems)
    }
    return {str(route.status): good, **bad}


def _path_parameters(route: Route) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "pattern": f"^{PARAMETERS[name]}$"},
        }
        for name in _PARAMETER.findall(route.path)
    ]


def _query_parameters(route: Route) -> list[dict[str, Any]]:
    _, components = msgspec.json.schema_components([route.query], ref_template=_REF)
    known = components[route.query.__name__]
    return [
        {"name": name, "in": "query", "required": name in known.get("required", ()), "schema": schema}
        for name, schema in known["properties"].items()
    ]

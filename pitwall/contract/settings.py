"""`[paddock]` of the settings: which model answers, on what terms. Sent in the worker's hello."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec

_MAX_ANSWER_TOKENS = 2048
_Seconds = Annotated[float, msgspec.Meta(ge=0.1, le=3600.0)]


class ModelSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`gemini` needs a key (or project and location for Vertex), `openai` a base_url ending in
    /v1; for Gemini that is a proxy."""

    kind: Literal["none", "gemini", "openai"] = "none"
    name: str = "gemini-3.5-flash"
    base_url: str = ""
    api_key: str = ""
    project: str = ""
    location: str = ""
    max_answer_tokens: Annotated[int, msgspec.Meta(ge=64, le=65_536)] = _MAX_ANSWER_TOKENS


class PaddockSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`metered`: jobs may use paid data.

    The budgets count from the request (the map, figures). `idle_s`: an idle worker ends after it.
    `rest_s`: pause after a late or failed model, longer with each failure.
    """

    model: ModelSettings = ModelSettings()
    metered: bool = False
    brief_s: _Seconds = 8.0
    answer_s: _Seconds = 15.0
    analysis_s: _Seconds = 120.0
    idle_s: _Seconds = 900.0
    rest_s: _Seconds = 10.0


# Why no model was asked: for the driver, in the answer's `why`.
NOT_SET = "No model is set."
NO_CONNECTION = "There is no connection to the model."


def model_trouble(model: ModelSettings) -> str:
    """Return why no model can be asked on these terms, and what to set."""
    if model.kind == "gemini":
        if model.project and not model.location:
            return "paddock.model: project needs a location too, such as europe-west4"
        if not model.project and not model.api_key:
            return "paddock.model: gemini needs api_key, or project and location for Vertex"
    if model.base_url and not model.base_url.startswith(("http://", "https://")):
        return "paddock.model.base_url is no address: it must begin with http:// or https://"
    if model.kind == "openai" and not model.base_url:
        return "paddock.model: openai needs base_url, such as http://127.0.0.1:8080/v1"
    return ""


def endpoint_of(model: ModelSettings) -> tuple[str, int] | None:
    """Return the host and port of the model's server, None if no server is set."""
    if model.kind == "none" or model_trouble(model):
        return None
    if not model.base_url:
        return "aiplatform.googleapis.com" if model.project else "generativelanguage.googleapis.com", 443
    url = urlsplit(model.base_url)
    return (url.hostname, url.port or (443 if url.scheme == "https" else 80)) if url.hostname else None

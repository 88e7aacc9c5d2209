"""Typed replies of models: the common base, and the points of data agents."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


def _without_defaults(schema: dict[str, Any]) -> None:
    for held in schema.get("properties", {}).values():
        held.pop("default", None)


class AnswerForm(BaseModel):
    """A typed reply. Its schema shows no defaults: OpenAI's strict mode refuses them."""

    # Models add keys of their own. These are dropped.
    model_config = ConfigDict(extra="ignore", json_schema_extra=_without_defaults)


class PointForm(AnswerForm):
    """A point: the id of a fact, the advice that fits it, and in a line why it matters."""

    fact: str
    advice: str = ""
    reason: str = ""


class PointsForm(AnswerForm):
    """The points that a data agent hands on: the facts that matter, the most useful first."""

    points: list[PointForm] = Field(default_factory=list)

"""A typed answer as a model's server is shown it: what every form that a model fills in has in common."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


def _without_defaults(schema: dict[str, Any]) -> None:
    for held in schema.get("properties", {}).values():
        held.pop("default", None)


class AnswerForm(BaseModel):
    """A key that is left out has its default; the schema does not tell it: OpenAI's strict mode, in which ADK
    sends every form, refuses a schema that does."""

    # Models add keys of their own: they are dropped, not a reason to lose the rest.
    model_config = ConfigDict(extra="ignore", json_schema_extra=_without_defaults)

"""Typed replies of models: the common base, and the findings that a narrative is checked against."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


def _without_defaults(schema: dict[str, Any]) -> None:
    for held in schema.get("properties", {}).values():
        held.pop("default", None)


class AnswerForm(BaseModel):
    """A typed reply. A missing key has its default, but the schema holds no defaults: OpenAI's strict mode,
    in which ADK sends every form, refuses them."""

    # Models add keys of their own. These are dropped.
    model_config = ConfigDict(extra="ignore", json_schema_extra=_without_defaults)


class HighlightForm(AnswerForm):
    """One thing that went well, with what shows it."""

    what: str
    corner: str = ""
    lap: int | None = None
    gain_s: float | None = None


class HighlightsData(AnswerForm):
    """HighlightFinderAgent's findings, the best first."""

    highlights: list[HighlightForm] = Field(default_factory=list)


class FindingForm(AnswerForm):
    """Where time was lost against the reference, and what the telemetry shows there."""

    corner: str
    what: str
    loss_s: float | None = None
    brake_delta_m: float | None = None
    min_speed_delta_kph: float | None = None
    laps: list[int] = Field(default_factory=list)


class TelemetryData(AnswerForm):
    """TelemetryAgent's findings, the largest loss first."""

    best_lap: int | None = None
    best_lap_time_s: float | None = None
    findings: list[FindingForm] = Field(default_factory=list)


class FocusForm(AnswerForm):
    """One thing to work on: where, by which landmark, what to do with the brake release, and why."""

    corner: str
    landmark: str = ""
    do: str
    brake_release: str = ""
    why: str = ""


class PedagogyData(AnswerForm):
    """PedagogyAgent's plan: at most three things, in the order to teach them."""

    focus: list[FocusForm] = Field(default_factory=list)
    question: str = ""


# By the state key that they are kept under.
SCHEMAS: dict[str, type[BaseModel]] = {
    "highlights_data": HighlightsData,
    "telemetry_data": TelemetryData,
    "pedagogy_data": PedagogyData,
}

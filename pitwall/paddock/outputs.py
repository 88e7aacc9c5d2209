"""What the data agents hand to the narrative: typed, so that a narrative can be checked against it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Output(BaseModel):
    # Models add keys of their own: they are dropped, not a reason to lose the findings.
    model_config = ConfigDict(extra="ignore")


class Highlight(_Output):
    """One thing that went well, with what shows it."""

    what: str
    corner: str = ""
    lap: int | None = None
    gain_s: float | None = None


class HighlightsData(_Output):
    """HighlightFinderAgent's findings, the best first."""

    highlights: list[Highlight] = Field(default_factory=list)


class Finding(_Output):
    """Where time was lost against the reference, and what the telemetry shows there."""

    corner: str
    what: str
    loss_s: float | None = None
    brake_delta_m: float | None = None
    min_speed_delta_kph: float | None = None
    laps: list[int] = Field(default_factory=list)


class TelemetryData(_Output):
    """TelemetryAgent's findings, the largest loss first."""

    best_lap: int | None = None
    best_lap_time_s: float | None = None
    findings: list[Finding] = Field(default_factory=list)


class Focus(_Output):
    """One thing to work on: where, by which landmark, what to do with the brake release, and why."""

    corner: str
    landmark: str = ""
    do: str
    brake_release: str = ""
    why: str = ""


class PedagogyData(_Output):
    """PedagogyAgent's plan: at most three things, in the order to teach them."""

    focus: list[Focus] = Field(default_factory=list)
    question: str = ""


# By the state key that they are kept under.
SCHEMAS: dict[str, type[BaseModel]] = {
    "highlights_data": HighlightsData,
    "telemetry_data": TelemetryData,
    "pedagogy_data": PedagogyData,
}

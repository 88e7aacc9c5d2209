"""TelemetryAgent answers questions about anything recorded: laps, times, speeds and signals."""

from __future__ import annotations

from pitwall.paddock.agents import Duty, ToolResult, ToolRule
from pitwall.words.language import Language


def _composed(result: ToolResult, words: Language) -> str:
    if not result["best_lap"]:
        return words.say("no timed lap")
    top = words.say("top speed", speed=result["top_speed_kmh"]) if result["top_speed_kmh"] else ""
    return words.say(
        "overview",
        where=result["track_name"] or words.say("this session"),
        count=result["flying_laps"],
        time=result["best_lap_s"],
        lap=result["best_lap"],
        top=top,
    )


AGENT = Duty(
    name="TelemetryAgent",
    description="Answers questions about anything recorded: laps, times, speeds and signals.",
    opening=(
        "You are TelemetryAgent, the data engineer on the pit wall. You answer any question about what "
        "was recorded: laps, times, speeds, signals, sessions."
    ),
    rules=(
        ToolRule(
            'a figure, a count, a list, "how many", "when", "how fast"',
            "query_pitwall_db",
            "give the figure first, then what it means",
            ", one SELECT",
        ),
        ToolRule(
            "a session as a whole, its laps, which signals there are",
            "agent_telemetry",
            "say what was measured and what was not",
        ),
        ToolRule("why a lap was slow", "lap_delta", "name the corner with the largest loss"),
        ToolRule("one corner over several laps", "corner_history", "say the trend"),
    ),
    closing="Describe a signal that has no confidence as not measured; never guess it.",
    composed=_composed,
    composed_from="agent_telemetry",
    asked_for="any figure",
)

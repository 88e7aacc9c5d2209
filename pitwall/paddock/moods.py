"""The emotion a composed answer is spoken with: by who speaks, and what the facts say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pitwall.analysis.report import DebriefFacts
from pitwall.paddock.emotions import DEFAULT

Result = Mapping[str, Any]
BRIEF_MOOD = "focused"
COURTESY_MOOD = "calm"
PASSES_MOOD = "focused"


def debrief_mood(facts: DebriefFacts) -> str:
    """Calm where something went wrong, proud of a best, else glad of what came good."""
    if facts.incidents:
        return "calm"
    kinds = {each.kind for each in facts.highlights}
    if "personal best" in kinds:
        return "proud"
    return "encouraging" if kinds else "focused"


def mood_of(agent: str, results: Mapping[str, Result]) -> str:
    """One of the twelve for an agent's answer from its tools' results; neutral where a tool refused."""
    if any("error" in result for result in results.values()):
        return DEFAULT
    chosen = _MOODS.get(agent, DEFAULT)
    if isinstance(chosen, str):
        return chosen
    return next((chosen(result) for result in results.values()), DEFAULT)


def _progress(result: Result) -> str:
    if result["trend"] == "faster" or (len(result["sessions"]) > 1 and (result["gained_s"] or 0.0) > 0.0):
        return "proud"
    return "encouraging"


def _gold(result: Result) -> str:
    compared = result.get("comparison")
    return "excited" if compared is not None and compared["delta_s"] < 0.0 else "focused"


_MOODS: dict[str, str | Callable[[Result], str]] = {
    "GoldLapAgent": _gold,
    "WeatherAdaptationAgent": "serious",
    "SessionPlannerAgent": "focused",
    "IncidentReviewAgent": lambda result: "calm" if result["count"] else "encouraging",
    "RacePaceAgent": lambda result: (
        "concerned" if any(one["fades"] for one in result["stints"]) else "focused"
    ),
    "GoalSettingAgent": "encouraging",
    "MentalMapAgent": "focused",
    "CornerCoachAgent": lambda result: "focused" if result["opportunity"] else "encouraging",
    "LapComparisonAgent": lambda result: "encouraging" if result["delta_s"] < 0.0 else "focused",
    "ProgressTrackerAgent": _progress,
    "SetupAdvisorAgent": lambda result: DEFAULT if result["balance"] == "unknown" else "curious",
    "MindsetCoachAgent": "sympathetic",
}

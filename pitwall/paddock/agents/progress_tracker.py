"""ProgressTrackerAgent says whether the driver gets faster over laps and sessions."""

from __future__ import annotations

from pitwall.paddock.agents import ALWAYS, Duty, ToolResult, ToolRule
from pitwall.words.language import Language


def _composed(result: ToolResult, words: Language) -> str:
    count, best_s = len(result["sessions"]), result["personal_best_s"]
    if count < 2:
        return words.say("one session", track=result["track_name"], best=best_s)
    gained_s = result["gained_s"]
    return words.say(
        "progress quicker" if gained_s >= 0 else "progress slower",
        count=count,
        track=result["track_name"],
        best=best_s,
        by=abs(gained_s),
        trend=words.term("trend", result["trend"]),
    )


def _mood(result: ToolResult) -> str:
    if result["trend"] == "faster" or (len(result["sessions"]) > 1 and (result["gained_s"] or 0.0) > 0.0):
        return "proud"
    return "encouraging"


AGENT = Duty(
    name="ProgressTrackerAgent",
    description="Says whether the driver gets faster over laps and sessions.",
    opening=(
        "You are ProgressTrackerAgent. You say whether the driver gets faster, over laps and over sessions."
    ),
    rules=(
        ToolRule(ALWAYS, "progress", "gain, plateau or loss, over which sessions"),
        ToolRule("in which corner", "corner_history", "name the one that moved most"),
    ),
    closing=(
        "A plateau is normal before a step: say what usually breaks it only where the results point at it."
    ),
    keywords="progress-, faster, plateau-",
    rank=10,
    composed=_composed,
    composed_from="progress",
    mood=_mood,
    of_driver=True,
)

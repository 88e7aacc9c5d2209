"""RacePaceAgent looks at stints: pace over laps and tyre degradation."""

from __future__ import annotations

from pitwall.paddock.agents import ALWAYS, MOST_NAMED, Duty, ToolResult, ToolRule
from pitwall.words.language import Language


def _composed(result: ToolResult, words: Language) -> str:
    if not result["stints"]:
        return words.say("no timed lap")
    stint = max(result["stints"], key=lambda each: len(each["laps"]))
    shows_spread = len(stint["laps"]) >= MOST_NAMED
    said = words.say(
        "longest stint",
        laps=stint["laps"],
        best=stint["best_s"],
        usual=stint["median_s"],
        spread=words.say("spread", spread=stint["range_s"]) if shows_spread else "",
    )
    slope = stint["slope_s_per_lap"]
    if slope is None:
        return f"{said} {words.say('fading unknown')}"
    verdict = "it fades" if stint["fades"] else "it quickens" if stint["quickens"] else "no trend"
    return f"{said} {words.say(verdict, slope=slope)}"


AGENT = Duty(
    name="RacePaceAgent",
    description="Looks at stints: pace over laps and tyre degradation.",
    opening=(
        "You are RacePaceAgent. You look at stints: pace over laps, tyre degradation, consistency under load."
    ),
    rules=(
        ToolRule(ALWAYS, "race_pace", "give pace and its trend, with how sure the trend is"),
        ToolRule("what changed in one corner", "corner_history", "say where the tyre shows first"),
    ),
    closing="A trend over few laps is a guess: say so.",
    keywords="race, stint, stints, tyre, tyres, tire, tires",
    rank=4,
    composed=_composed,
    composed_from="race_pace",
    mood=lambda result: "concerned" if any(one["fades"] for one in result["stints"]) else "focused",
    asked_for="own figures",
)

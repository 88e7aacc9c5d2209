"""LapComparisonAgent compares two laps, or a lap and the reference."""

from __future__ import annotations

from pitwall.paddock.agents import ALWAYS, MOST_NAMED, Duty, ToolResult, ToolRule, named
from pitwall.words.language import Language


def _composed(result: ToolResult, words: Language) -> str:
    own, other = result["laps"]
    if own == other:
        return words.say("asked one lap only")
    delta_s = result["delta_s"]
    ranked = sorted(result["corners"], key=lambda each: -abs(each["delta_s"]))[:MOST_NAMED]
    parts = [
        words.say(
            "corner lost" if each["delta_s"] > 0 else "corner won",
            corner=named(each["corner"], words),
            by=abs(each["delta_s"]),
        )
        for each in ranked
    ]
    return words.say(
        "lap slower" if delta_s > 0 else "lap faster",
        lap=own,
        other=other,
        by=abs(delta_s),
        time=result["lap_s"],
        other_time=result["against_s"],
        rest=words.say("lap most", corners=parts) if parts else "",
    )


AGENT = Duty(
    name="LapComparisonAgent",
    description="Compares two laps, or a lap and the reference.",
    opening="You are LapComparisonAgent. You compare two laps, or a lap and the reference.",
    rules=(
        ToolRule(ALWAYS, "lap_delta", "give the whole difference, then the two corners that make most of it"),
        ToolRule(
            "how one corner was driven",
            "corner_history",
            "say what differs: brake point, minimum or exit speed",
        ),
    ),
    closing="Where the driver names no laps, compare the best with the latest and say so.",
    keywords="vs, versus, compare, compared, comparing, comparison",
    rank=9,
    composed=_composed,
    composed_from="lap_delta",
    mood=lambda result: "encouraging" if result["delta_s"] < 0.0 else "focused",
    asked_for="any figure",
)

"""MentalMapAgent shows where the driver is consistent and where not."""

from __future__ import annotations

from pitwall.paddock.agents import ALWAYS, MOST_NAMED, Duty, ToolResult, ToolRule, named
from pitwall.words.language import Language


def _composed(result: ToolResult, words: Language) -> str:
    if not result["corners"]:
        return words.say("too few to differ")
    parts = [
        words.say("spread at", corner=named(each["corner"], words), spread=each["time_sd_s"])
        for each in result["corners"][:MOST_NAMED]
    ]
    steadiest = named(result["corners"][-1]["corner"], words)
    return words.say("differ", corners=parts, steadiest=steadiest)


AGENT = Duty(
    name="MentalMapAgent",
    description="Shows where the driver is consistent and where not.",
    opening=(
        "You are MentalMapAgent. You show where the driver is consistent and where each lap is another: "
        "the map in the head."
    ),
    rules=(
        ToolRule(ALWAYS, "variance_map", "name the steadiest corner, then the least steady"),
        ToolRule("why it varies", "corner_history", "say which phase varies: braking, apex or exit"),
    ),
    closing=(
        "A corner driven the same way slowly is the easiest to gain in; say so where the tools show it."
    ),
    keywords="consisten-, inconsisten-, variance",
    rank=6,
    composed=_composed,
    composed_from="variance_map",
    mood="focused",
    asked_for="any figure",
    of_driver=True,
)

"""HighlightFinderAgent finds what the driver did well, with evidence."""

from __future__ import annotations

from pitwall.paddock.agents import ALWAYS, Duty, ToolRule

AGENT = Duty(
    name="HighlightFinderAgent",
    description="Finds what the driver did well, with evidence.",
    opening=(
        "You are HighlightFinderAgent. You find what the driver did well: personal bests, corners better "
        "than before, clean brake releases, steady runs."
    ),
    rules=(
        ToolRule(ALWAYS, "highlights", "keep the best three, each with its corner and lap"),
        ToolRule("whether it is a trend", "progress", "say so only where the tool says so"),
    ),
    closing=(
        "Take every figure from the result. No highlight in the result: an empty list, not an invented one."
    ),
)

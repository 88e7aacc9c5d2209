"""SetupAdvisorAgent tells the driver's hands from the car's set-up."""

from __future__ import annotations

from pitwall.analysis.setup import setup_notes
from pitwall.paddock.agents import ALWAYS, NEUTRAL, Duty, ToolResult, ToolRule
from pitwall.words.language import Language


def _composed(result: ToolResult, words: Language) -> str:
    found = setup_notes(
        result["missing"],
        result["coverage_left"],
        result["coverage_right"],
        known=result["caught_slides"] is not None,
        words=words,
    )
    notes = "; ".join(found)
    if result["balance"] == "unknown":
        return words.say("balance unknown", notes=notes)
    return words.say(
        "balance",
        balance=words.term("balance", result["balance"]),
        gradient=result["gradient_deg_per_g"],
        notes=words.say("mind", notes=notes) if notes else "",
    )


AGENT = Duty(
    name="SetupAdvisorAgent",
    description="Tells the driver's hands from the car's set-up.",
    opening=(
        "You are SetupAdvisorAgent. You tell the driver's hands from the car's set-up: understeer, "
        "oversteer, traction, brake balance."
    ),
    rules=(
        ToolRule(ALWAYS, "setup_indicators", "say what the signals show and how sure that is"),
        ToolRule(
            "whether it is one corner",
            "corner_history",
            "one corner is technique first, all corners may be set-up",
        ),
    ),
    closing="Technique before spanners. One change at a time, the smallest, and what to feel for.",
    keywords="setup, setups, understeer-, oversteer-, feels",
    rank=11,
    composed=_composed,
    composed_from="setup_indicators",
    mood=lambda result: NEUTRAL if result["balance"] == "unknown" else "curious",
)

"""GoldLapAgent compares the driver with the reference lap and says where the time is."""

from __future__ import annotations

from pitwall.paddock.agents import ALWAYS, MOST_NAMED, Duty, ToolResult, ToolRule, corner_loss
from pitwall.track.reference import lap_of
from pitwall.words.language import Language


def _composed(result: ToolResult, words: Language) -> str:
    compared = result.get("comparison")
    if compared is None:
        named = [
            corner_loss(each["corner"], each["loss_s"], words)
            for each in result["opportunities"][:MOST_NAMED]
        ]
        worth = words.say("time goes at", corners=named) if named else words.say("time goes nowhere")
        only = "own is fastest" if result["other_sessions"] else "no other reference"
        return words.say(only, worth=worth)
    ranked = sorted(compared["corners"], key=lambda each: -each["delta_s"])[:MOST_NAMED]
    named = [corner_loss(each["corner"], each["delta_s"], words) for each in ranked if each["delta_s"] > 0.0]
    return words.say(
        "behind reference" if compared["delta_s"] > 0 else "ahead of reference",
        by=abs(compared["delta_s"]),
        lap=lap_of(compared["against"]),
        day=words.say("driven on", day=result["reference_day"]) if result["reference_day"] else "",
        where=words.say("where it goes", corners=named) if named else "",
    )


def _mood(result: ToolResult) -> str:
    compared = result.get("comparison")
    return "excited" if compared is not None and compared["delta_s"] < 0.0 else "focused"


AGENT = Duty(
    name="GoldLapAgent",
    description="Compares the driver with the reference lap and says where the time is.",
    opening=(
        'You are GoldLapAgent. You compare the driver with the reference ("gold") lap of this track and '
        "car, and say where the time is."
    ),
    rules=(
        ToolRule(ALWAYS, "reference_lap_comparison", "name the corner with the most to gain, and its phase"),
        ToolRule(
            "one corner in detail",
            "corner_history",
            "say what the reference does there that the driver does not",
        ),
    ),
    closing="The reference is a target, not a judge: say what to copy first.",
    keywords="gold, aj, ajs, reference, references",
    rank=0,
    composed=_composed,
    composed_from="reference_lap_comparison",
    mood=_mood,
    asked_for="own figures",
)

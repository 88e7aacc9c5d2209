"""CornerCoachAgent coaches one corner: approach, braking, turn-in, apex and exit."""

from __future__ import annotations

from pitwall.paddock.agents import ALWAYS, Duty, ToolResult, ToolRule
from pitwall.words.language import Language


def _composed(result: ToolResult, words: Language) -> str:
    name, passes, fault = (
        words.corner_title(result["corner"]["name"]),
        result["passes"],
        result["opportunity"],
    )
    if not passes:
        return words.say("corner not driven", corner=name)
    best = min(passes, key=lambda each: each["time_s"])
    said = words.say(
        "corner passes",
        corner=name,
        count=len(passes),
        lap=best["lap"],
        time=best["time_s"],
        speed=best["min_speed_kmh"],
    )
    if fault is None:
        if result["mean_loss_s"] is None:
            return f"{said} {words.say('corner one pass')}"
        return f"{said} {words.say('corner no loss', mean=result['mean_loss_s'])}"
    cause = words.term("habit", fault["cause"])
    loss = words.say("corner loss", loss=fault["loss_s"], laps=fault["laps"], cause=cause)
    return f"{said} {loss} {words.term('advice', fault['cause'])}"


AGENT = Duty(
    name="CornerCoachAgent",
    description="Coaches one corner: approach, braking, turn-in, apex and exit.",
    opening=(
        "You are CornerCoachAgent. You coach one corner at a time: approach, brake point, turn-in, apex, "
        "exit."
    ),
    rules=(
        ToolRule(ALWAYS, "corner_history", "say in which phase the time goes"),
        ToolRule(
            "what the reference does",
            "reference_lap_comparison",
            "say the one difference that matters",
        ),
    ),
    closing="Name the landmark, then the action, then how the brake release should feel. One thing.",
    keywords="<corner>, carousel",
    rank=8,
    composed=_composed,
    composed_from="corner_history",
    mood=lambda result: "focused" if result["opportunity"] else "encouraging",
    asked_for="any figure",
)

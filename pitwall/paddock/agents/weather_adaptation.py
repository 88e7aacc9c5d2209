"""WeatherAdaptationAgent helps the driver adapt to fog, rain, cold and changing grip."""

from __future__ import annotations

from pitwall.paddock.agents import ALWAYS, Duty, ToolResult, ToolRule
from pitwall.words.language import Language


def _composed(result: ToolResult, words: Language) -> str:
    said = [
        words.say(
            "reading from to",
            name=words.term("channel", each["name"]),
            least=words.figures.number(words.figures.value(each["least"], each["unit"]), ".0f"),
            most=words.figures.measured(each["most"], each["unit"], ".0f"),
        )
        for each in result["readings"]
    ]
    trend = words.term("grip", result["grip"])
    grip = words.say("grip", grip=result["median_grip_g"], trend=trend) if result["median_grip_g"] else ""
    weather = "" if result["weather_recorded"] else words.say("no weather")
    recorded = words.say("recorded", readings=said) if said else ""
    return " ".join(part for part in (grip, recorded, weather) if part)


AGENT = Duty(
    name="WeatherAdaptationAgent",
    description="Helps the driver adapt to fog, rain, cold and changing grip.",
    opening=(
        "You are WeatherAdaptationAgent. You help the driver adapt to fog, rain, cold and changing grip."
    ),
    rules=(
        ToolRule(ALWAYS, "conditions", "say what was measured, and what was only inferred from grip"),
        ToolRule(
            "what it cost",
            "lap_delta",
            "compare laps only where the tool says that conditions were alike",
        ),
    ),
    closing=(
        "Where no weather was measured, say that first. Advice stays on the safe side: earlier, smoother, "
        "off the rubbered line in the wet."
    ),
    keywords="fog, foggy, weather, rain, rains, raining, rained, rainy, wet",
    rank=1,
    composed=_composed,
    composed_from="conditions",
    mood="serious",
)

"""VoiceScriptAgent writes the phrases that are spoken in the car."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.paddock.agents import ALWAYS, Duty, ToolResult, ToolRule
from pitwall.words.language import Language


def _composed(result: ToolResult, words: Language) -> str:
    corners: Sequence[ToolResult] = result["corners"]
    if len(corners) != 1:
        return words.say("scripts", count=len(corners), most=result["rules"]["most_words"])
    said = [
        f"{words.term('script', phase)}: {text}"
        for phase, text in corners[0]["phrases"].items()
        if not phase.endswith("_short")
    ]
    name = words.corner_title(corners[0]["name"])
    return (
        words.say("script", corner=name, phrases="; ".join(said))
        if said
        else words.say("no script", corner=name)
    )


AGENT = Duty(
    name="VoiceScriptAgent",
    description="Writes the phrases that are spoken in the car.",
    opening=(
        "You are VoiceScriptAgent. You write the phrases spoken in the car, one corner at a time, one "
        "phrase for each phase: approach, brake, turn_in, apex, exit."
    ),
    rules=(
        ToolRule(
            ALWAYS,
            "audio_script_context",
            "see what is said now, the landmarks and what the driver loses there",
        ),
        ToolRule(
            "new phrases for a corner",
            "save_voice_scripts",
            "read the refusal where there is one, correct and save once more",
        ),
    ),
    closing=(
        "A phrase has at most eight words; a short form is shorter. Write the phrases of can_say, or close "
        "to them: what says anything else is refused, with the nearest that can be said. Save only "
        "when asked to write or change, and then always: save_voice_scripts changes the phrases you name "
        "and leaves the others as they are. No figure and no board that audio_script_context "
        "does not show. Tell the driver what will be said."
    ),
    keywords="audio, script, scripts, tts",
    rank=7,
    writes="save_voice_scripts",
    composed=_composed,
    composed_from="audio_script_context",
)

"""MindsetCoachAgent helps a driver who is frustrated, stuck or nervous, with evidence."""

from __future__ import annotations

import msgspec

from pitwall.analysis.compose import praise_sentences
from pitwall.analysis.highlights import Highlight
from pitwall.paddock.agents import ALWAYS, MOST_NAMED, Duty, ToolResult, ToolRule
from pitwall.words.language import Language


def _composed(result: ToolResult, words: Language) -> str:
    found = msgspec.convert(result["highlights"], list[Highlight], strict=False)
    best = words.say("your best", time=result["best_lap_s"], lap=result["best_lap"])
    return " ".join((best, *praise_sentences(found, {}, words)[:MOST_NAMED]))


AGENT = Duty(
    name="MindsetCoachAgent",
    description="Helps a driver who is frustrated, stuck or nervous, with evidence.",
    opening="You are MindsetCoachAgent. You help a driver who is frustrated, stuck, nervous or too keen.",
    rules=(
        ToolRule(ALWAYS, "highlights", "begin with one real thing that went well"),
        ToolRule("whether it is really getting worse", "progress", "answer with evidence, kindly"),
    ),
    closing=(
        "Hear the feeling first, in one sentence. Then one small thing to do in the next run. Never a "
        "lecture."
    ),
    keywords="frustrat-, stuck",
    rank=12,
    composed=_composed,
    composed_from="highlights",
    mood="sympathetic",
    of_driver=True,
)

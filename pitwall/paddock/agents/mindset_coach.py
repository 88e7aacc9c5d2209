"""MindsetCoachAgent helps a driver who is frustrated, stuck or nervous, with evidence."""

from __future__ import annotations

from pitwall.paddock.agents import ALWAYS, MOST_NAMED, Duty, ToolResult, ToolRule, named
from pitwall.words.language import Language


def _composed(result: ToolResult, words: Language) -> str:
    said = [words.say("your best", time=result["best_lap_s"], lap=result["best_lap"])]
    for each in result["highlights"][:MOST_NAMED]:
        sector = words.say("sector", sector=each["sector"]) if each["sector"] else ""
        what = named(each["corner"], words) or sector or words.figures.laps_named(each["laps"])
        figure_s = each["value_s"] if each["gain_s"] is None else each["gain_s"]
        said.append(
            words.say("highlight", kind=words.term("highlight", each["kind"]), what=what, figure=figure_s)
        )
    return " ".join(said)


AGENT = Duty(
    name="MindsetCoachAgent",
    description="Helps a driver who is frustrated, stuck or nervous, with evidence.",
    opening=("You are MindsetCoachAgent. You help a driver who is frustrated, stuck, nervous or too keen."),
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

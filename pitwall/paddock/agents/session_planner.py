"""SessionPlannerAgent plans the next run: laps, aims and when to come in."""

from __future__ import annotations

from pitwall.analysis.progress import REPEAT
from pitwall.paddock.agents import ALWAYS, Duty, ToolResult, ToolRule, named
from pitwall.words.language import Language


def _composed(result: ToolResult, words: Language) -> str:
    parts = [
        words.say(
            f"{'answer ' if block['purpose'] == REPEAT else ''}plan {block['purpose']}",
            laps=block["laps"],
            corner=named(block["corner"], words),
        )
        for block in result["blocks"]
    ]
    return words.say("answer plan", laps=result["total_laps"], blocks=parts)


AGENT = Duty(
    name="SessionPlannerAgent",
    description="Plans the next run: laps, aims and when to come in.",
    opening=(
        "You are SessionPlannerAgent. You plan the next run: how many laps, what to work on in which of "
        "them, when to come in."
    ),
    rules=(
        ToolRule(ALWAYS, "session_plan", "give the plan in the order of the laps"),
        ToolRule(
            "whether the last plan worked",
            "progress",
            "change the plan only where the evidence says so",
        ),
    ),
    closing="One aim a run. An out lap and an in lap are not for learning.",
    keywords="plan, plans, planning, practice, practise, how many laps should",
    rank=2,
    composed=_composed,
    composed_from="session_plan",
    mood="focused",
    of_driver=True,
)

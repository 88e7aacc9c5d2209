"""GoalSettingAgent sets targets a driver can reach."""

from __future__ import annotations

from pitwall.analysis.progress import LEAST_GAIN_S
from pitwall.paddock.agents import ALWAYS, Duty, ToolResult, ToolRule, named
from pitwall.words.language import Language


def _composed(result: ToolResult, words: Language) -> str:
    best_s = result["best_s"]
    if result["theoretical_best_s"] is None:
        return words.say("no pieces", best=best_s)
    if result["next_target_s"] is None:
        usual_s, target_s = result["usual_s"], result["usual_target_s"]
        said = words.say("no more in pieces", best=best_s)
        if usual_s is None or usual_s - best_s < LEAST_GAIN_S:
            return said
        return f"{said} {words.say('usual first', usual=usual_s, target=target_s)}"
    where = [named(piece, words) for piece in result["from_pieces"]]
    return words.say(
        "goals",
        best=best_s,
        target=result["next_target_s"],
        theory=result["theoretical_best_s"],
        where=words.say("found at", corners=where) if where else "",
    )


AGENT = Duty(
    name="GoalSettingAgent",
    description="Sets targets a driver can reach.",
    opening=("You are GoalSettingAgent. You set targets a driver can reach: a lap time, a corner, a habit."),
    rules=(
        ToolRule(ALWAYS, "goal_targets", "give one target for the next run and one for the day"),
        ToolRule("whether it is realistic", "progress", "weigh it against what was gained before"),
    ),
    closing="A target is a thing to do, then a time. Never promise a time no tool gave.",
    keywords="target-, goal, goals, pb, pbs",
    rank=5,
    composed=_composed,
    composed_from="goal_targets",
    mood="encouraging",
    asked_for="own figures",
    of_driver=True,
)

"""A model that analyses laps of a real session as it is told, and claims what the tools really gave."""

from __future__ import annotations

import re
from typing import Any

from model_server import Asked, Reply
from staged_opened import claim, form, scripted
from trajectories import Call

QUESTION = "why was lap 3 slower than lap 2"
# Stage by stage: what its worker calls, the criterion's tool and field, and what it then says.
STAGES: list[tuple[str, list[Call], str, str]] = [
    (
        "By how much lap 3 was slower",
        [("lap_delta", {"lap": 3, "against": 2})],
        "delta_s",
        "Slower by {delta_s}.",
    ),
    (
        "How turn 7 was driven in all laps",
        [("corner_history", {"corner": "turn_7"}), ("race_pace", {})],
        "passes",
        "In lap 3 turn 7 took {passes[1][time_s]}, in lap 4 {passes[2][time_s]}.",
    ),
    (
        "Whether lap 3 stands out",
        [("variance_map", {})],
        "corners",
        "",
    ),
]


def planned(asked: Asked) -> Reply:
    stages = [
        {
            "goal": goal,
            "tools": [name for name, _arguments in calls],
            "criteria": [{"statement": f"{field} is known", "tool": calls[0][0], "field": field}],
        }
        for goal, calls, field, _text in STAGES
    ]
    return form(asked, {"stages": stages})


def working(asked: Asked) -> Reply:
    """One call after the other, then a claim made of what the first of them returned."""
    (calls, text) = next((calls, text) for _goal, calls, _field, text in STAGES if calls[0][0] in asked.tools)
    done = [name for name in asked.called if name != "set_model_response"]
    if len(done) < len(calls):
        return Reply(calls=[calls[len(done)]])
    result: dict[str, Any] = dict(asked.results)[calls[0][0]]
    return form(asked, {"claims": [claim(text.format(**result), result["query_id"])]})


def summing(asked: Asked) -> Reply:
    found = re.findall(r"^- (.+) \[(Q\d+)\]$", asked.text, re.MULTILINE)
    return form(asked, {"claims": [claim(text, query) for text, query in found], "emotion": "focused"})


REAL = scripted(PlanMakerAgent=planned, StageWorkerAgent=working, SummaryAgent=summing)

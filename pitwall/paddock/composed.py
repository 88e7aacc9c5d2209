"""The tier that needs no model: each agent's facts, asked for by code, told in fixed sentences."""

from __future__ import annotations

import re
from typing import Any

from pitwall.analysis.compose import ANSWER_TOOLS, compose_answer, compose_brief, compose_debrief
from pitwall.analysis.places import find_corners
from pitwall.analysis.port import Facts
from pitwall.analysis.report import Report, brief_facts, debrief_facts
from pitwall.analysis.tool_kit import ToolRefused
from pitwall.analysis.tools import Tools
from pitwall.paddock.roster import BRIEF, DEBRIEF
from pitwall.track.model import Track

_LAPS = re.compile(r"\blaps?\s+(\d{1,3})\b|\b(?:vs|versus|against|and|to|than)\.?\s+(?:lap\s+)?(\d{1,3})\b")
# "the last corner before the pits" is the longest that anyone calls a corner.
_MOST_WORDS = 6


class Composed:
    """`composed(agent, question)` is the answer as text; any thread may call it. StoreError: no data."""

    def __init__(self, tools: Tools, facts: Facts) -> None:
        self._tools, self._facts = tools, facts

    def __call__(self, agent: str, question: str) -> str:
        try:
            return self._told(agent, question)
        except ToolRefused as refused:
            return f"That can't be answered: {refused.error}. What would help: {refused.what_to_do}."

    def _told(self, agent: str, question: str) -> str:
        if agent == DEBRIEF:
            return compose_debrief(debrief_facts(self._tools.report()))
        if agent == BRIEF:
            return compose_brief(brief_facts(self._tools.report(), self._facts))
        table = self._tools.table()
        results = {
            name: table[name](**self._arguments(name, question)) for name in ANSWER_TOOLS.get(agent, ())
        }
        return compose_answer(agent, results)

    def _arguments(self, tool: str, question: str) -> dict[str, Any]:
        """What the question says of the laps or the corner that a tool must be told."""
        if tool == "lap_delta":
            return laps_in(question, self._tools.report())
        if tool == "corner_history":
            report = self._tools.report()
            return {"corner": corner_in(question, self._facts.track(report.track), report)}
        return {}


def laps_in(question: str, report: Report) -> dict[str, Any]:
    """The laps a question compares; else the last flying lap, against the best."""
    named = [int(one or other) for one, other in _LAPS.findall(question.lower())]
    flying = [lap.number for lap in report.laps if lap.kind == "flying" and lap.time_s is not None]
    known = [lap for lap in dict.fromkeys(named) if lap in {one.number for one in report.laps}]
    if not known:
        others = [lap for lap in flying if lap != report.reference_lap]
        return {"lap": (others or flying or [0])[-1]}
    return {"lap": known[0], "against": known[1]} if len(known) > 1 else {"lap": known[0]}


def corner_in(question: str, track: Track | None, report: Report) -> str:
    """The id of the corner a question names; else of the one with the most time to gain."""
    words = re.findall(r"[\w']+", question.lower())
    for length in range(min(_MOST_WORDS, len(words)), 0, -1):
        for at in range(len(words) - length + 1):
            found = find_corners(track, " ".join(words[at : at + length])) if track else []
            # A bare number is a lap or a speed as often as a corner.
            if len(found) == 1 and not (length == 1 and words[at].isdigit()):
                return found[0].id
    return report.opportunities[0].corner if report.opportunities else ""

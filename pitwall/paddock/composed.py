"""The answers that need no model: code gets each agent's facts and puts them into fixed sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from pitwall.analysis.compose import ANSWER_TOOLS, compose_answer, compose_brief, compose_debrief
from pitwall.analysis.compose_answer import compose_passes
from pitwall.analysis.figures import figures
from pitwall.analysis.places import find_corners
from pitwall.analysis.port import Facts
from pitwall.analysis.recorded import (
    compose_lap_times,
    compose_reading,
    extreme_named,
    reading_sql,
    signal_named,
    untold,
)
from pitwall.analysis.report import DebriefFacts, Report, brief_facts, debrief_facts
from pitwall.analysis.tool_kit import ToolRefused
from pitwall.analysis.tools import Tools
from pitwall.paddock.emotions import DEFAULT
from pitwall.paddock.question_kind import asks_for_change, courtesy
from pitwall.paddock.roster import BRIEF, DEBRIEF, DUTIES
from pitwall.store.sqlanswer import Refusal
from pitwall.track.model import Track
from pitwall.words.language import Language

Result = Mapping[str, Any]

_TELEMETRY, _CORNER, _LAPS = "TelemetryAgent", "CornerCoachAgent", "LapComparisonAgent"
# For these agents a lap number names a driven lap; for a planner it may be a future one.
_ABOUT_LAPS = frozenset((_TELEMETRY, _CORNER, _LAPS, "IncidentReviewAgent", "GoldLapAgent", "RacePaceAgent"))
# Words of questions that the overview of a session answers.
_OVERVIEW = frozenset((
    "lap", "laps", "best", "fastest", "quickest", "time", "times", "session", "overview", "summary", "day",
    "today", "went", "go",
))  # fmt: skip
_TIMES = frozenset(("time", "times", "timed", "quick", "slow", "fast", "long", "about", "was"))
_LOSSES = frozenset(("lose", "loses", "losing", "lost", "loss", "losses", "slowest"))


# "Compare 3 vs 2": two numbers set against each other are laps, even where nothing says so.
_AGAINST = re.compile(r"(?<![\d.:])(\d{1,3})\s+(?:vs\.?|versus|against)\s+(\d{1,3})(?![\d.:])")
# "The last corner before the pits" is the longest that anyone calls a corner.
_MOST_WORDS = 6

BRIEF_MOOD = "focused"
COURTESY_MOOD = "calm"
PASSES_MOOD = "focused"


class Composed:
    """`composed(agent, question)`: the answer, its emotion tag first. Any thread may call it. StoreError."""

    def __init__(self, tools: Tools, facts: Facts) -> None:
        self._tools, self._facts, self._words = tools, facts, facts.words

    def __call__(self, agent: str, question: str) -> str:
        try:
            text, mood = self._answer(agent, question)
            return f"[{mood}] {text}"
        except ToolRefused as refused:
            retold = self._words.retold
            return self._words.say("refused", error=retold(refused.error), help=retold(refused.what_to_do))

    def _answer(self, agent: str, question: str) -> tuple[str, str]:
        """The answer and its emotion; first, where no data tells of what was asked for, that."""
        said, mood = self._told(agent, question)
        words = re.findall(r"[a-z]+", question.lower())
        what = untold(words, ()) and untold(words, self._channels())
        if not what or agent in (DEBRIEF, BRIEF):
            return said, mood
        return self._words.say("untold", what=self._words.term("untold", what), rest=said), mood

    def _channels(self) -> list[str]:
        """The names of all channels that were ever recorded."""
        answer = self._facts.sql("SELECT name FROM signal_registry")
        return [] if isinstance(answer, Refusal) else [str(row[0]) for row in answer.rows]

    def _told(self, agent: str, question: str) -> tuple[str, str]:
        if agent == DEBRIEF:
            facts = debrief_facts(self._tools.report())
            return compose_debrief(facts, self._words), debrief_mood(facts)
        if agent == BRIEF:
            return compose_brief(brief_facts(self._tools.report(), self._facts), self._words), BRIEF_MOOD
        if greeting := courtesy(question, self._words):
            return greeting, COURTESY_MOOD
        laps = laps_named(question) if agent in _ABOUT_LAPS else []
        if laps:
            _known(laps, self._tools.report(), self._words)
        if laps and agent in (_TELEMETRY, _CORNER, _LAPS) and (told := self._passes(question, laps)):
            return told, PASSES_MOOD
        if agent == _TELEMETRY:
            return self._telemetry(question, laps), DEFAULT
        results = self._results(agent, question)
        told = compose_answer(agent, results, self._words)
        if DUTIES[agent].writes and asks_for_change(question):
            told = f"{self._words.say('no scripts without model')} {told}"
        return told, mood_of(agent, results)

    def _results(self, agent: str, question: str) -> dict[str, Any]:
        table = self._tools.table()
        return {name: table[name](**self._arguments(name, question)) for name in ANSWER_TOOLS.get(agent, ())}

    def _passes(self, question: str, laps: list[int]) -> str:
        """One corner in the named laps, "" where the question names no corner."""
        corner = corner_named(question, self._facts.track(self._tools.report().track))
        if not corner:
            return ""
        return compose_passes(self._tools.table()["corner_history"](corner=corner), laps, self._words)

    def _telemetry(self, question: str, laps: list[int]) -> str:
        """A signal, lap times, or the overview; it says so where this is not quite what was asked."""
        words = re.findall(r"[a-z]+", question.lower())
        recorded = signal_named(words)
        table = self._tools.table()
        if recorded is not None:
            extreme = extreme_named(words)
            sql = reading_sql(recorded, extreme, self._tools.report().session, laps)
            rows = table["query_pitwall_db"](sql=sql)
            if "error" not in rows:
                return compose_reading(recorded, extreme, laps, rows, self._words)
        if not laps and _LOSSES.intersection(words):
            return compose_answer("GoldLapAgent", self._results("GoldLapAgent", question), self._words)
        overview = table["agent_telemetry"]()
        if "error" in overview:
            return compose_answer(_TELEMETRY, {"agent_telemetry": overview}, self._words)
        if {"lap", "times"} <= set(words):
            laps = laps or list(overview["laps"])
        if laps:
            told = compose_lap_times(laps, overview, self._words)
            fits = recorded is None and bool(_TIMES.intersection(words))
            return told if fits else f"{self._words.say('only times')} {told}"
        told = compose_answer(_TELEMETRY, {"agent_telemetry": overview}, self._words)
        fits = recorded is None and bool(_OVERVIEW.intersection(words))
        return told if fits else f"{self._words.say('only overview')} {told}"

    def _arguments(self, tool: str, question: str) -> dict[str, Any]:
        """The laps or the corner of the question, as arguments of a tool."""
        if tool == "lap_delta":
            return laps_in(question, self._tools.report())
        if tool == "audio_script_context":
            return {"corner": corner_named(question, self._facts.track(self._tools.report().track))}
        if tool == "corner_history":
            report = self._tools.report()
            return {"corner": corner_in(question, self._facts.track(report.track), report)}
        return {}


def laps_in(question: str, report: Report) -> dict[str, Any]:
    """The laps that a question compares; else the last flying lap against the best."""
    named = laps_named(question)
    if named:
        return {"lap": named[0], "against": named[1]} if len(named) > 1 else {"lap": named[0]}
    flying = [lap.number for lap in report.laps if lap.kind == "flying" and lap.time_s is not None]
    others = [lap for lap in flying if lap != report.reference_lap]
    return {"lap": (others or flying or [0])[-1]}


def corner_in(question: str, track: Track | None, report: Report) -> str:
    """The id of the corner a question names; else of the one with the most time to gain."""
    return corner_named(question, track) or (report.opportunities[0].corner if report.opportunities else "")


def _known(laps: list[int], report: Report, words: Language) -> None:
    """ToolRefused where a lap is named that the session does not have."""
    have = [lap.number for lap in report.laps]
    strange = [words.say("lap", lap=lap) for lap in laps if lap not in have]
    if strange:
        flying = [str(lap.number) for lap in report.laps if lap.kind == "flying"] or [
            str(lap) for lap in have
        ]
        these = words.say("ask about laps", count=len(flying), laps=flying)
        raise ToolRefused(
            words.say("unknown lap", laps=strange), these if flying else words.say("ask about another")
        )


def laps_named(question: str) -> list[int]:
    """The numbers of the laps that a question names, each once, in its order."""
    named = [int(each.readings[0][0]) for each in figures(question) if each.kind == "lap"]
    if not named and (against := _AGAINST.search(question.lower())):
        named = [int(against[1]), int(against[2])]
    return list(dict.fromkeys(named))


def corner_named(question: str, track: Track | None) -> str:
    """The id of the one corner that a question names, "" where it names none."""
    words = re.findall(r"[\w']+", question.lower())
    for length in range(min(_MOST_WORDS, len(words)), 0, -1):
        for at in range(len(words) - length + 1):
            found = find_corners(track, " ".join(words[at : at + length])) if track else []
            # A bare number is a lap or a speed as often as a corner.
            if len(found) == 1 and not (length == 1 and words[at].isdigit()):
                return found[0].id
    return ""


def debrief_mood(facts: DebriefFacts) -> str:
    """Calm where something went wrong, proud of a best, else glad of what came good."""
    if facts.incidents:
        return "calm"
    kinds = {each.kind for each in facts.highlights}
    if "personal best" in kinds:
        return "proud"
    return "encouraging" if kinds else "focused"


def mood_of(agent: str, results: Mapping[str, Result]) -> str:
    """One of the twelve for an agent's answer from its tools' results; neutral where a tool refused."""
    if any("error" in result for result in results.values()):
        return DEFAULT
    chosen = _MOODS.get(agent, DEFAULT)
    if isinstance(chosen, str):
        return chosen
    return next((chosen(result) for result in results.values()), DEFAULT)


def _progress(result: Result) -> str:
    if result["trend"] == "faster" or (len(result["sessions"]) > 1 and (result["gained_s"] or 0.0) > 0.0):
        return "proud"
    return "encouraging"


def _gold(result: Result) -> str:
    compared = result.get("comparison")
    return "excited" if compared is not None and compared["delta_s"] < 0.0 else "focused"


_MOODS: dict[str, str | Callable[[Result], str]] = {
    "GoldLapAgent": _gold,
    "WeatherAdaptationAgent": "serious",
    "SessionPlannerAgent": "focused",
    "IncidentReviewAgent": lambda result: "calm" if result["count"] else "encouraging",
    "RacePaceAgent": lambda result: (
        "concerned" if any(one["fades"] for one in result["stints"]) else "focused"
    ),
    "GoalSettingAgent": "encouraging",
    "MentalMapAgent": "focused",
    "CornerCoachAgent": lambda result: "focused" if result["opportunity"] else "encouraging",
    "LapComparisonAgent": lambda result: "encouraging" if result["delta_s"] < 0.0 else "focused",
    "ProgressTrackerAgent": _progress,
    "SetupAdvisorAgent": lambda result: DEFAULT if result["balance"] == "unknown" else "curious",
    "MindsetCoachAgent": "sympathetic",
}

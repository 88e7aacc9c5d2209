"""All agents and pipelines by name, from the table `agents.toml`, and their prompts."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from pitwall.analysis.compose_words import corner_name
from pitwall.paddock.points import PointFacts, take_up_losses
from pitwall.paddock.tellers import MOODS, NEUTRAL, TELLERS, ToolResult
from pitwall.words.language import ENGLISH, Language

NARRATIVE = "NarrativeAgent"
DEBRIEF, BRIEF = "DebriefPipeline", "BriefPipeline"
# The entry of a tool that must have succeeded before an answer counts.
ALWAYS = "always"
_TABLE = ("| the driver asks | call | then |", "|---|---|---|")


class ToolRule(msgspec.Struct, frozen=True, array_like=True):
    """A row of a decision table; `how` stands behind the tool's name."""

    asked: str
    tool: str
    then: str
    how: str = ""


class Duty(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An agent of `agents.toml`. `asked_for`: the figures that a driver wants of it."""

    name: str
    description: str
    opening: str
    closing: str
    rules: tuple[ToolRule, ...] = ()
    keywords: str = ""
    writes: str = ""
    answers_from: str = ""
    mood: str = NEUTRAL
    asked_for: Literal["any figure", "own figures", "own subject"] = "own subject"
    of_driver: bool = False

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools of the decision table, in its order."""
        return tuple(rule.tool for rule in self.rules)

    @property
    def requires(self) -> tuple[tuple[str, ...], ...]:
        """Groups of tools, of each of which one must have succeeded."""
        figure = tuple({QUERY_TOOL} & {*self.tools})
        always = tuple((rule.tool, *figure) for rule in self.rules if rule.asked == ALWAYS)
        return always or ((self.tools,) if self.rules else ())

    def required(self, change: bool) -> tuple[tuple[str, ...], ...]:
        """The groups for a question that asks for a change, or for none."""
        return (*self.requires, (self.writes,)) if change and self.writes else self.requires

    @property
    def of_figures(self) -> bool:
        """Return whether a driver wants figures of this agent."""
        return self.asked_for != "own subject"

    def mood_of(self, result: ToolResult) -> str:
        """Return the composed answer's emotion; neutral where the tool refused."""
        if "error" in result:
            return NEUTRAL
        return MOODS[self.answers_from](result) if self.answers_from in MOODS else self.mood


class DataPart(msgspec.Struct, frozen=True, array_like=True):
    """An agent's place in a pipeline: state key, what it gives, its kinds of facts."""

    agent: str
    key: Literal["highlights_data", "telemetry_data", "pedagogy_data"]
    gives: str
    kinds: tuple[str, ...]


class Pipeline(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Data agents that work at once, and a narrative made of what they found."""

    name: str
    keywords: str
    parts: tuple[DataPart, ...]


class StagedAgent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An agent of a staged analysis."""

    description: str
    prompt: str


_FILE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("agents.toml").read_text(encoding="utf-8"))
DUTIES: dict[str, Duty] = {
    name: msgspec.convert({"name": name, **row}, Duty)
    for name, row in (_FILE["agents"] | _FILE["parts"]).items()
}
PIPELINES: dict[str, Pipeline] = {
    name: msgspec.convert({"name": name, **row}, Pipeline) for name, row in _FILE["pipelines"].items()
}


def speaker_of(agent: str) -> str:
    """Return who speaks where this agent is asked: in a pipeline its narrator."""
    return NARRATIVE if agent in PIPELINES else agent


STAGED: dict[str, StagedAgent] = msgspec.convert(_FILE["staged"], dict[str, StagedAgent])
PROMPTS: dict[str, str] = _FILE["prompts"]
# Each agent's keywords; of two agents' the upper row's wins.
KEYWORDS: dict[str, str] = {
    name: row["keywords"]
    for name, row in (_FILE["agents"] | _FILE["pipelines"]).items()
    if row.get("keywords")
}
# The tool in which a model makes a query.
QUERY_TOOL = "tell_figure"
# The tools that change something, only where the driver's own question asked for that.
EFFECTS = frozenset(duty.writes for duty in DUTIES.values() if duty.writes)


def answer_of(agent: str, results: Mapping[str, ToolResult], words: Language = ENGLISH) -> str:
    """An agent's answer without a model from its tools' results; a refusal as it is."""
    teller = TELLERS.get(DUTIES[agent].answers_from)
    said = []
    for result in results.values():
        if "error" in result:
            said.append(refusal(result, words))
        elif teller is not None:
            said.append(teller(result, words))
    return " ".join(part for part in said if part) or words.say("nothing stored")


def refusal(result: ToolResult, words: Language = ENGLISH) -> str:
    """A tool's refusal and what to do, for the driver."""
    help_ = result["what_to_do"] if "what_to_do" in result else words.say("ask again")
    return words.say("refused", error=result["error"], help=help_)


def result_told(tool: str, result: ToolResult, words: Language) -> str:
    """A tool's result in words, "" where code has none for it."""
    if "error" in result:
        return refusal(result, words) if tool in EFFECTS else ""
    if isinstance(sentence := result.get("told"), str):
        return sentence
    if tool in EFFECTS:
        changed = "; ".join(f"{key}: {text}" for key, text in result.get("changed", {}).items())
        corner = corner_name(str(result.get("corner", "")), {})
        return words.say("saved script", corner=corner, phrases=changed) if changed else ""
    teller = TELLERS.get(tool)
    # A result without what its teller looks for is shown to the model, and not said.
    with suppress(KeyError, TypeError, ValueError, IndexError, AttributeError):
        return teller(result, words) if teller else ""
    return ""


def take_up(facts: PointFacts, tool: str, result: dict[str, Any]) -> dict[str, Any]:
    """The result as a model is shown it, with the id of its sentence under `fact`."""
    sentence = result_told(tool, result, facts.words)
    # What was changed, or was not, is said whatever the model does.
    fact = facts.add(sentence, certain=tool in EFFECTS)
    take_up_losses(facts, result.get("opportunities"))
    # A query has nothing else to choose by.
    shown = {key: value for key, value in result.items() if key != "told" or tool == QUERY_TOOL}
    return {**shown, "fact": fact} if fact else shown


@cache
def instruction(agent: str, typed: bool = False, tools: bool = True) -> str:
    """An agent's prompt: its part, its table, the common way of working, spoken or typed."""
    duty, form = DUTIES[agent], PROMPTS["typed" if typed else "spoken"]
    rows = (f"| {rule.asked} | {rule.tool}{rule.how} | {rule.then} |" for rule in duty.rules)
    table = ["\n".join((*_TABLE, *rows))] if duty.rules and tools else []
    if agent != NARRATIVE:
        form = f"{PROMPTS['common' if tools else 'fetched'].rstrip()}\n{form}"
    return "\n\n".join((duty.opening, *table, duty.closing, form))

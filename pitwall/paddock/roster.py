"""All agents and pipelines by name, found in the folder `agents`, and their prompts."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module, resources
from pkgutil import iter_modules
from typing import Any

from pitwall.analysis.compose_words import corner_name
from pitwall.paddock import agents
from pitwall.paddock.agents import Duty, Pipeline, ToolResult, parts
from pitwall.paddock.points import PointFacts, take_up_losses
from pitwall.words.language import ENGLISH, Language

NARRATIVE = "NarrativeAgent"
DEBRIEF, BRIEF = "DebriefPipeline", "BriefPipeline"
# The limit for a description.
MAX_DESCRIPTION_WORDS = 30
_TABLE = ("| the driver asks | call | then |", "|---|---|---|")


def _found() -> dict[str, Duty | Pipeline]:
    folders = (agents, parts)
    modules = [
        import_module(f"{folder.__name__}.{module.name}")
        for folder in folders
        for module in iter_modules(folder.__path__)
        if not module.ispkg
    ]
    return {module.AGENT.name: module.AGENT for module in modules}


_ALL = _found()
DUTIES: dict[str, Duty] = {name: each for name, each in _ALL.items() if isinstance(each, Duty)}
PIPELINES: dict[str, Pipeline] = {name: each for name, each in _ALL.items() if isinstance(each, Pipeline)}
# Each agent's keywords; of two agents' the upper row's wins.
KEYWORDS: dict[str, str] = {
    each.name: each.keywords for each in sorted(_ALL.values(), key=lambda one: one.rank) if each.keywords
}
# The agents that answer without a model from a result of one tool.
COMPOSED = tuple(name for name, duty in DUTIES.items() if duty.composed is not None)
# The tools that change something. They run only where the driver's own question asked for that.
EFFECTS = frozenset(duty.writes for duty in DUTIES.values() if duty.writes)


def answer_of(agent: str, results: Mapping[str, ToolResult], words: Language = ENGLISH) -> str:
    """An agent's answer without a model from the results of its tools. A refusal is told as it is."""
    said = []
    for result in results.values():
        if "error" in result:
            said.append(refusal(result, words))
        elif (composed := DUTIES[agent].composed) is not None:
            said.append(composed(result, words))
    return " ".join(part for part in said if part) or words.say("nothing stored")


def refusal(result: ToolResult, words: Language = ENGLISH) -> str:
    """What a tool refused and what to do, for the driver."""
    help_ = words.retold(result["what_to_do"]) if "what_to_do" in result else words.say("ask again")
    return words.say("refused", error=words.retold(result["error"]), help=help_)


_TELLERS = {duty.composed_from: duty.composed for duty in DUTIES.values() if duty.composed is not None}


def result_told(tool: str, result: ToolResult, words: Language) -> str:
    """A tool's result in words, "" where code has none for it: what a query in SQL gave may be anything."""
    if "error" in result:
        return refusal(result, words) if tool in EFFECTS else ""
    if isinstance(told := result.get("told"), str):
        return told
    if tool in EFFECTS:
        changed = "; ".join(f"{key}: {text}" for key, text in result.get("changed", {}).items())
        corner = corner_name(str(result.get("corner", "")), {}, words)
        return words.say("saved script", corner=corner, phrases=changed) if changed else ""
    teller = _TELLERS.get(tool)
    # A result without what its teller looks for is shown to the model, and not told.
    with suppress(KeyError, TypeError, ValueError, IndexError, AttributeError):
        return teller(result, words) if teller else ""
    return ""


def take_up(facts: PointFacts, tool: str, result: dict[str, Any]) -> dict[str, Any]:
    """The result as a model is shown it, with the id of what can be told of it under `fact`."""
    told = result_told(tool, result, facts.words)
    # What was changed, or was not, is told whatever the model does.
    fact = facts.add(told, certain=tool in EFFECTS)
    take_up_losses(facts, result.get("opportunities"))
    shown = {key: value for key, value in result.items() if key != "told"}
    return {**shown, "fact": fact} if fact else shown


@cache
def instruction(agent: str, typed: bool = False, tools: bool = True) -> str:
    """An agent's prompt: its own part, then the common way of working, spoken or as typed findings. Without
    `tools` the table of when to call which is left out."""
    own = working_instruction(agent, tools=tools)
    form = prompt("typed" if typed else "spoken")
    if agent == NARRATIVE:
        return f"{own}\n\n{form}"
    return f"{own}\n\n{prompt('common' if tools else 'fetched').rstrip()}\n{form}"


def working_instruction(agent: str, *, tools: bool = True) -> str:
    """An agent's own part of its prompt, with its decision table where it has tools."""
    duty = DUTIES[agent]
    rows = (f"| {rule.asked} | {rule.tool}{rule.how} | {rule.then} |" for rule in duty.rules)
    table = ["\n".join((*_TABLE, *rows))] if duty.rules and tools else []
    return "\n\n".join((duty.opening, *table, duty.closing))


def prompt(name: str) -> str:
    """One file of the folder of prompts, by its name without the ending."""
    return resources.files("pitwall.paddock").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")

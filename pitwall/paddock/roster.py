"""All agents and pipelines by name, found in the folder `agents`, and their prompts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module, resources
from pkgutil import iter_modules

from pitwall.paddock import agents
from pitwall.paddock.agents import Duty, Pipeline, ToolResult, parts
from pitwall.paddock.question_reading import QuestionReading
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


def owner_of(agent: str, reading: QuestionReading) -> str:
    """The agent whose matter it is what was read, where the words chose `agent`."""
    taking = (name for name, duty in DUTIES.items() if duty.takes is not None and duty.takes(agent, reading))
    return next(taking, agent)


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


@cache
def instruction(agent: str, typed: bool = False, tools: bool = True) -> str:
    """An agent's prompt: its own part, then the common way of working, spoken or as typed findings. Without
    `tools` the table of when to call which is left out."""
    duty = DUTIES[agent]
    rows = (f"| {rule.asked} | {rule.tool}{rule.how} | {rule.then} |" for rule in duty.rules)
    table = ["\n".join((*_TABLE, *rows))] if duty.rules and tools else []
    own = "\n\n".join((duty.opening, *table, duty.closing))
    if agent == NARRATIVE:
        return own
    if not tools:
        return "\n".join((own, "", prompt("fetched").rstrip(), prompt("typed")))
    return "\n".join((own, "", prompt("common").rstrip(), prompt("typed" if typed else "spoken")))


def prompt(name: str) -> str:
    """One file of the folder of prompts, by its name without the ending."""
    return resources.files("pitwall.paddock").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")

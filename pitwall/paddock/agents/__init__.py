"""The agents, one file each: what one is for, its tools, routing words, prompt and answer without a model.

A file is named after its agent: `corner_coach.py` holds CornerCoachAgent, `debrief_pipeline.py` holds
DebriefPipeline. `parts/` holds those that nobody asks by name, since they only work in a pipeline. `roster`
finds them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from pitwall.analysis.compose_words import corner_name
from pitwall.analysis.port import Facts
from pitwall.analysis.tools import Tools
from pitwall.words.language import Language

ToolResult = Mapping[str, Any]
# The entry of a tool that must have succeeded before an answer counts.
ALWAYS = "always"
# A list read aloud is over after three.
MOST_NAMED = 3
NEUTRAL = "neutral"


class ToolRule(msgspec.Struct, frozen=True):
    """One row of an agent's decision table: what the driver asks, the tool to call, and what to do with its
    result. `how` stands behind the tool's name."""

    asked: str
    tool: str
    then: str
    how: str = ""


class Duty(msgspec.Struct, frozen=True, kw_only=True):
    """One agent.

    `opening` and `closing` stand around the decision table in its prompt. Of two agents' `keywords` those of
    the lower `rank` win; `frustrat-` is any word that begins so. `writes`: the tool that must have succeeded
    where a change was asked for. `composed` makes the answer without a model from the result of
    `composed_from`, which is also fetched for the model; `mood` is that answer's emotion. `asked_for`:
    whether the driver wants any figure of this agent, figures of its own subject, or no figure.
    `of_driver`: to this agent the driver matters more than the last session.
    """

    name: str
    description: str
    opening: str
    closing: str
    rules: tuple[ToolRule, ...] = ()
    keywords: str = ""
    rank: int = 99
    writes: str = ""
    composed: Callable[[ToolResult, Language], str] | None = None
    composed_from: str = ""
    mood: str | Callable[[ToolResult], str] = NEUTRAL
    asked_for: Literal["any figure", "own figures", "own subject"] = "own subject"
    of_driver: bool = False

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools of the decision table, in its order."""
        return tuple(rule.tool for rule in self.rules)

    @property
    def requires(self) -> tuple[tuple[str, ...], ...]:
        """Groups of tools, of each of which one must have succeeded: what is always called, else any tool."""
        always = tuple((rule.tool,) for rule in self.rules if rule.asked == ALWAYS)
        return always or ((self.tools,) if self.rules else ())

    def required(self, change: bool) -> tuple[tuple[str, ...], ...]:
        """What must have succeeded for a question that asks for a change, or for none."""
        return (*self.requires, (self.writes,)) if change and self.writes else self.requires

    def mood_of(self, result: ToolResult) -> str:
        """One of the twelve emotions for the composed answer; neutral where the tool refused."""
        if "error" in result:
            return NEUTRAL
        return self.mood if isinstance(self.mood, str) else self.mood(result)


class DataPart(msgspec.Struct, frozen=True):
    """An agent's place in a pipeline: the state key its typed findings are kept under (their type stands in
    `forms.PointsForm`), what it gives, and the tools whose results code puts into its prompt."""

    agent: str
    key: Literal["highlights_data", "telemetry_data", "pedagogy_data"]
    gives: str
    fetches: tuple[str, ...]


class Pipeline(msgspec.Struct, frozen=True, kw_only=True):
    """Data agents that work at once, and a narrative made of what they found. `composed` gives the answer
    without a model, and its emotion. For `keywords` and `rank` see Duty."""

    name: str
    keywords: str
    rank: int
    parts: tuple[DataPart, ...]
    composed: Callable[[Tools, Facts], tuple[str, str]]


def named(corner: str, words: Language) -> str:
    """A corner of a tool's result as it is told, "" for none."""
    return corner_name(corner, {}, words)


def corner_loss(corner: str, loss_s: float, words: Language) -> str:
    """A corner and what it costs, for a list."""
    return words.say("corner loss short", corner=named(corner, words), loss=loss_s)

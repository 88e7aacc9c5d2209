"""The state of an analysis, its limits, and its agents' forms.

ADK's ResumabilityConfig is experimental and goes on from events; a job goes on from what a stage
has proved."""

from __future__ import annotations

from typing import Any

import msgspec
from pydantic import Field

from pitwall.paddock.reply_forms import AnswerForm

# Model calls for the summary: one, and one more where it is wrong.
SUMMARY_CALLS = 2
# The share of the time that is kept for the summary.
SUMMARY_SHARE = 0.2
# A stage that needs more calls than this does not come to an end.
STAGE_CALLS = 14
PLAN_CALLS_A_ROUND = 5


# The most rounds of planning, stages in all, works on one stage, and changes of the plan.
ROUNDS, STAGES, WORKS, CHANGES = 3, 5, 2, 2


class Criterion(msgspec.Struct, frozen=True):
    """Where `tool` is named, code checks that one of its results holds something in `field`."""

    statement: str
    tool: str = ""
    field: str = ""


class Stage(msgspec.Struct, frozen=True):
    """A stage as it was accepted: tools that exist, a bounded number of criteria."""

    goal: str
    tools: tuple[str, ...]
    criteria: tuple[Criterion, ...] = ()


class Claim(msgspec.Struct, frozen=True):
    """The results of the queries of these ids, in code's words."""

    text: str
    queries: tuple[str, ...]


class StageDone(msgspec.Struct, frozen=True):
    """A stage's findings. `goal`, `unmet` and `open` are a model's words: never for a driver."""

    goal: str
    claims: tuple[Claim, ...]
    unmet: tuple[str, ...] = ()
    open: str = ""
    tools: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


class StageQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A successful call of a tool. `fields`: the keys and columns that hold something."""

    id: str
    tool: str
    arguments: dict[str, Any]
    shown: str = ""
    told: str = ""
    fields: tuple[str, ...] = ()


class AnalysisState(msgspec.Struct, kw_only=True):
    """An analysis. `stages`: those to come; `changes`: of the plan; `whole`: results by query."""

    question: str
    session: str
    stages: list[Stage] = msgspec.field(default_factory=list)
    done: list[StageDone] = msgspec.field(default_factory=list)
    queries: list[StageQuery] = msgspec.field(default_factory=list)
    changes: int = 0
    retried: bool = False
    whole: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)


class CriterionForm(AnswerForm):
    """A thing a stage must show. With `tool` (and a `field` of its result) code alone can check
    it."""

    statement: str
    tool: str = ""
    field: str = ""


class StageForm(AnswerForm):
    """A step of the plan: what to find out, with which tools, and what shows that it was found."""

    goal: str
    tools: list[str]
    criteria: list[CriterionForm] = Field(default_factory=list)


class PlanForm(AnswerForm):
    """PlanMakerAgent's stages, in the order to work on them."""

    stages: list[StageForm]


class PlanReviewForm(AnswerForm):
    """PlanReviewerAgent's objections; none means that the plan is sound."""

    problems: list[str]


class ConfirmationForm(AnswerForm):
    """PlanConfirmAgent's word: `exit` true means go to work with this plan."""

    exit: bool
    reason: str


class ClaimForm(AnswerForm):
    """The ids of the queries whose results answer the question."""

    queries: list[str]


class FindingsForm(AnswerForm):
    """StageWorkerAgent's findings; where there are none, `open` explains."""

    claims: list[ClaimForm]
    open: str = ""


class JudgementForm(AnswerForm):
    """The judgement of one criterion, by its number, and the queries that show it."""

    criterion: int
    met: bool
    queries: list[str] = Field(default_factory=list)


class StageReviewForm(AnswerForm):
    """StageReviewerAgent's judgement; `problems` go back to the worker, `rethink` calls for
    reflection."""

    judgements: list[JudgementForm]
    rethink: bool = False
    problems: list[str] = Field(default_factory=list)


class ReflectionForm(AnswerForm):
    """ReflectionAgent's word on the stages that remain: with `change`, `stages` replaces them
    all."""

    change: bool
    reason: str
    stages: list[StageForm] = Field(default_factory=list)


class SummaryForm(AnswerForm):
    """SummaryAgent's answer, claim by claim in the order to tell them."""

    claims: list[ClaimForm]
    emotion: str = ""

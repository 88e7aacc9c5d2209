"""What the agents of the staged analysis fill in: typed, and nothing in it is believed unchecked."""

from __future__ import annotations

from pydantic import Field

from pitwall.paddock.forms import AnswerForm


class CriterionForm(AnswerForm):
    """One thing a stage must show. With `tool` (and a `field` of its result) code alone can check it."""

    statement: str
    tool: str = ""
    field: str = ""


class StageForm(AnswerForm):
    """One step of the plan: what to find out, with which tools, and what shows that it was found out."""

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
    """The ids of queries whose results are to be told, and a remark on driving in general."""

    queries: list[str]
    comment: str = ""


class FindingsForm(AnswerForm):
    """StageWorkerAgent's findings; none where the data does not say, which `open` then explains."""

    claims: list[ClaimForm]
    open: str = ""


class JudgementForm(AnswerForm):
    """Whether one criterion, by its number, is met, and which queries show it."""

    criterion: int
    met: bool
    queries: list[str] = Field(default_factory=list)


class StageReviewForm(AnswerForm):
    """StageReviewerAgent's judgement of a stage; `problems` go back to the worker, `rethink` calls for a word
    on the stages that remain."""

    judgements: list[JudgementForm]
    rethink: bool = False
    problems: list[str] = Field(default_factory=list)


class ReflectionForm(AnswerForm):
    """ReflectionAgent's word on the stages that remain: with `change`, `stages` replaces them all."""

    change: bool
    reason: str
    stages: list[StageForm] = Field(default_factory=list)


class SummaryForm(AnswerForm):
    """SummaryAgent's answer, claim by claim in the order to tell them."""

    claims: list[ClaimForm]
    emotion: str = ""

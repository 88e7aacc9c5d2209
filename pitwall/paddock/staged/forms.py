"""What the agents of the staged analysis fill in: typed, and nothing in it is believed unchecked."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Form(BaseModel):
    # Models add keys of their own: they are dropped, not a reason to lose the rest.
    model_config = ConfigDict(extra="ignore")


class CriterionForm(_Form):
    """One thing a stage must show. With `tool` (and a `field` of its result) code alone can check it."""

    statement: str
    tool: str = ""
    field: str = ""


class StageForm(_Form):
    """One step of the plan: what to find out, with which tools, and what shows that it was found out."""

    goal: str
    tools: list[str]
    criteria: list[CriterionForm] = Field(default_factory=list)


class PlanForm(_Form):
    """PlanMakerAgent's stages, in the order to work on them."""

    stages: list[StageForm]


class PlanReviewForm(_Form):
    """PlanReviewerAgent's objections; none means that the plan is sound."""

    problems: list[str]


class ConfirmationForm(_Form):
    """PlanConfirmAgent's word: `exit` true means go to work with this plan."""

    exit: bool
    reason: str


class ClaimForm(_Form):
    """One or two sentences, and the ids of the queries that show them."""

    text: str
    queries: list[str]


class FindingsForm(_Form):
    """StageWorkerAgent's findings; none where the data does not say, which `open` then explains."""

    claims: list[ClaimForm]
    open: str = ""


class JudgementForm(_Form):
    """Whether one criterion, by its number, is met, and which queries show it."""

    criterion: int
    met: bool
    queries: list[str] = Field(default_factory=list)


class StageReviewForm(_Form):
    """StageReviewerAgent's judgement of a stage; `problems` go back to the worker."""

    judgements: list[JudgementForm]
    problems: list[str] = Field(default_factory=list)


class ReflectionForm(_Form):
    """ReflectionAgent's word on the stages that remain: with `change`, `stages` replaces them all."""

    change: bool
    reason: str
    stages: list[StageForm] = Field(default_factory=list)


class SummaryForm(_Form):
    """SummaryAgent's answer, claim by claim in the order to tell them."""

    claims: list[ClaimForm]
    emotion: str = ""

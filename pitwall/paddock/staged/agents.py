"""The seven agents of the staged analysis as a table, and how one of them is built and asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from google.adk.agents import LlmAgent
from google.adk.agents.context import Context
from google.adk.events import Event, EventActions
from google.adk.models.base_llm import BaseLlm
from pydantic import BaseModel

from pitwall.paddock.crew import adk_agent
from pitwall.paddock.nodes import enforced
from pitwall.paddock.problems import sentence
from pitwall.paddock.roster import Duty, prompt
from pitwall.paddock.runs import Run
from pitwall.paddock.staged.forms import (
    ConfirmationForm,
    FindingsForm,
    PlanForm,
    PlanReviewForm,
    ReflectionForm,
    StageReviewForm,
    SummaryForm,
)
from pitwall.paddock.toolbox import Toolbox

MAKER, REVIEWER, CONFIRM = "PlanMakerAgent", "PlanReviewerAgent", "PlanConfirmAgent"
WORKER, STAGE_REVIEWER, REFLECTION = "StageWorkerAgent", "StageReviewerAgent", "ReflectionAgent"
SUMMARY = "SummaryAgent"

_DESCRIPTIONS: dict[str, str] = {
    MAKER: "Plans the stages in which a hard question is answered from the recordings.",
    REVIEWER: "Finds what is wrong with a plan before work begins.",
    CONFIRM: "Says whether to go to work with a plan, and why.",
    WORKER: "Works on one stage with tools; each claim names the queries behind it.",
    STAGE_REVIEWER: "Judges a stage's claims against its criteria and the evidence.",
    REFLECTION: "Says whether the stages that remain should change after what was found.",
    SUMMARY: "Answers the question from what the stages found, claim by claim with queries.",
}
NAMES = frozenset(_DESCRIPTIONS)

Form = TypeVar("Form", bound=BaseModel)


@dataclass(frozen=True)
class StagedAgent:
    """An agent and its duty: what `filled` asks."""

    duty: Duty
    agent: LlmAgent


class AgentFactory:
    """Builds the agents for one model and the analysis' own toolbox."""

    def __init__(self, model: BaseLlm, toolbox: Toolbox) -> None:
        self._model, self._toolbox = model, toolbox

    def member(self, name: str, form: type[BaseModel], tools: Sequence[str] = ()) -> StagedAgent:
        """One agent that answers with a `form`; where it has tools, one of them must have succeeded."""
        duty = Duty(
            name=name,
            description=_DESCRIPTIONS[name],
            tools=tuple(tools),
            requires=(tuple(tools),) if tools else (),
        )
        text = f"{prompt(name).rstrip()}\n\n{prompt('staged')}"
        return StagedAgent(duty, adk_agent(duty, self._model, self._toolbox, text, schema=form))

    def maker(self) -> StagedAgent:
        return self.member(MAKER, PlanForm)

    def reviewer(self) -> StagedAgent:
        return self.member(REVIEWER, PlanReviewForm)

    def confirm(self) -> StagedAgent:
        return self.member(CONFIRM, ConfirmationForm)

    def worker(self, tools: Sequence[str]) -> StagedAgent:
        return self.member(WORKER, FindingsForm, tools)

    def stage_reviewer(self) -> StagedAgent:
        return self.member(STAGE_REVIEWER, StageReviewForm)

    def reflection(self) -> StagedAgent:
        return self.member(REFLECTION, ReflectionForm)

    def summary(self) -> StagedAgent:
        return self.member(SUMMARY, SummaryForm)


async def ask_form(ctx: Context, run: Run, member: StagedAgent, form: type[Form], shown: str) -> Form:
    """What the agent fills in. ValidationError where three times there was no such form, else what ADK
    raises where the model fails."""
    output = await enforced(ctx, run, member.agent, member.duty, shown)
    return form.model_validate(output or {})


async def ask_optional_form(
    ctx: Context, run: Run, member: StagedAgent, form: type[Form], shown: str, without: str
) -> Form | None:
    """The same where it can be done without: None where it fails, and `without` is told with the reason."""
    try:
        return await ask_form(ctx, run, member, form, shown)
    # Whatever a model, its server or ADK throws.
    except Exception as error:
        run.tell(f"{without}: {sentence(error)}")
        return None


def routed(where: str, output: object) -> Event:
    """A node's output, and which edge of the graph is taken next."""
    return Event(output=output, actions=EventActions(route=where))

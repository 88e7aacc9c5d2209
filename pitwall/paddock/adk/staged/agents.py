"""The seven agents of the staged analysis as a table, and how one of them is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from google.adk.agents.context import Context
from google.adk.models.base_llm import BaseLlm
from pydantic import BaseModel

from pitwall.analysis.tool_kit import Toolbox
from pitwall.paddock.adk.crew import adk_agent
from pitwall.paddock.adk.nodes import enforced
from pitwall.paddock.adk.problems import sentence
from pitwall.paddock.roster import prompt
from pitwall.paddock.runs import Run

PLAN_MAKER, PLAN_REVIEWER, PLAN_CONFIRM = "PlanMakerAgent", "PlanReviewerAgent", "PlanConfirmAgent"
STAGE_WORKER, STAGE_REVIEWER, REFLECTION = "StageWorkerAgent", "StageReviewerAgent", "ReflectionAgent"
SUMMARY = "SummaryAgent"

DESCRIPTIONS: dict[str, str] = {
    PLAN_MAKER: "Plans the stages in which a hard question is answered from the recordings.",
    PLAN_REVIEWER: "Finds what is wrong with a plan before work begins.",
    PLAN_CONFIRM: "Says whether to go to work with a plan, and why.",
    STAGE_WORKER: "Works on one stage with tools; each claim names the queries behind it.",
    STAGE_REVIEWER: "Judges a stage's claims against its criteria and the evidence.",
    REFLECTION: "Says whether the stages that remain should change after what was found.",
    SUMMARY: "Answers the question from what the stages found, claim by claim with queries.",
}
NAMES = frozenset(DESCRIPTIONS)

Form = TypeVar("Form", bound=BaseModel)


class AgentFactory:
    """Builds and asks the agents, with one model and the analysis' own toolbox."""

    def __init__(self, model: BaseLlm, toolbox: Toolbox) -> None:
        self._model, self._toolbox = model, toolbox

    async def ask(
        self, ctx: Context, run: Run, name: str, form: type[Form], shown: str, tools: Sequence[str] = ()
    ) -> Form:
        """The form that the agent fills in; where it has tools, one of them must have succeeded.

        ValidationError where three replies had the wrong form, else what ADK raises where the model fails.
        """
        text = f"{prompt(name).rstrip()}\n\n{prompt('staged')}"
        agent = adk_agent(name, DESCRIPTIONS[name], self._model, self._toolbox, tools, text, schema=form)
        output = await enforced(ctx, run, agent, (tuple(tools),) if tools else (), shown)
        return form.model_validate(output or {})

    async def ask_optional(
        self,
        ctx: Context,
        run: Run,
        name: str,
        form: type[Form],
        shown: str,
        failure: str,
        tools: Sequence[str] = (),
    ) -> Form | None:
        """As `ask`, but None where it fails; `failure` is then shown with the reason."""
        try:
            return await self.ask(ctx, run, name, form, shown, tools)
        # A model, its server and ADK may raise anything.
        except Exception as error:
            run.show_progress(f"{failure}: {sentence(error)}")
            return None

"""The plan: made, reviewed, confirmed, and improved in rounds. A failing round keeps the best plan so far."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

from google.adk import Workflow
from google.adk.agents.context import Context
from google.adk.events import Event
from google.adk.workflow import START, Node

from pitwall.paddock.adk.staged.agents import PLAN_CONFIRM, PLAN_MAKER, PLAN_REVIEWER
from pitwall.paddock.adk.staged.analysis_run import (
    AnalysisRun,
    blocks,
    problems_shown,
    stages_shown,
    tools_shown,
)
from pitwall.paddock.adk.staged.checks import accepted
from pitwall.paddock.adk.staged.forms import ConfirmationForm, PlanForm, PlanReviewForm
from pitwall.paddock.adk.staged.state import Stage
from pitwall.paddock.runs import Run, Runs


@dataclass
class PlanProgress:
    """The current plan and the best one so far: the one with the fewest problems, the later of two alike."""

    stages: list[Stage] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    best: list[Stage] = field(default_factory=list)
    fewest: int = 0
    rounds: int = 0

    def keep_best(self) -> None:
        """Compare the current plan with the best one, once all its problems are known."""
        if self.stages and (not self.best or len(self.problems) <= self.fewest):
            self.best, self.fewest = self.stages, len(self.problems)


class _Planning(Node):
    """Fails only where the first plan can't be made."""

    rerun_on_resume: bool = True
    analysis: AnalysisRun
    plan: PlanProgress
    runs: Runs

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        run = self.runs.of(ctx.invocation_id)
        while await self._make(ctx, run) and await self._review(ctx, run) and await self._another(ctx, run):
            pass
        count = len(self.plan.best)
        run.show_progress(f"The plan has {count} stage{'s' if count != 1 else ''}.")
        yield Event(output=count)

    async def _make(self, ctx: Context, run: Run) -> bool:
        """Make the plan, or improve it; False where it can't be improved."""
        plan, analysis = self.plan, self.analysis
        plan.rounds += 1
        run.show_progress("Making a plan." if plan.rounds == 1 else f"Mending the plan, round {plan.rounds}.")
        shown = blocks(
            analysis.head,
            f"Session: {analysis.state.session}. At most {analysis.budgets.stages} stages.",
            tools_shown(analysis.tools),
            f"Your last plan:\n{stages_shown(plan.stages)}" if plan.stages else "",
            problems_shown("What is wrong with it:", plan.problems),
        )
        form: PlanForm | None
        if plan.best:
            failure = "The plan could not be made better"
            form = await analysis.agents.ask_optional(ctx, run, PLAN_MAKER, PlanForm, shown, failure)
        else:
            form = await analysis.agents.ask(ctx, run, PLAN_MAKER, PlanForm, shown)
        if form is None:
            return False
        plan.stages, plan.problems = accepted(form.stages, analysis.tools, analysis.budgets.stages)
        return True

    async def _review(self, ctx: Context, run: Run) -> bool:
        """Add the reviewer's problems to those that code found; False where there was no review."""
        plan, failure = self.plan, "The plan could not be reviewed"
        form = await self.analysis.agents.ask_optional(
            ctx, run, PLAN_REVIEWER, PlanReviewForm, self._reviewable(), failure
        )
        if form is None:
            # A plan without a review does not replace a reviewed one.
            plan.best = plan.best or plan.stages
            return False
        plan.problems += [problem for problem in form.problems if problem.strip()]
        plan.keep_best()
        return True

    async def _another(self, ctx: Context, run: Run) -> bool:
        """Whether there is another round. A plan without problems, or one that the agent confirms, ends the
        planning."""
        plan, most = self.plan, self.analysis.budgets.rounds
        if not plan.stages:
            return plan.rounds < most
        if not plan.problems:
            # Neither code nor the reviewer found anything wrong: there is nothing to weigh.
            return False
        form = await self.analysis.agents.ask_optional(
            ctx, run, PLAN_CONFIRM, ConfirmationForm, self._reviewable(), "The plan could not be confirmed"
        )
        if form is None:
            return False
        if form.exit:
            plan.best = plan.stages
            return False
        if plan.rounds >= most:
            run.show_progress(
                f"The plan was not confirmed in {most} rounds ({form.reason}): the best one is used."
            )
            return False
        plan.problems = [*plan.problems, form.reason]
        return True

    def _reviewable(self) -> str:
        return blocks(
            self.analysis.head,
            tools_shown(self.analysis.tools),
            f"Plan:\n{stages_shown(self.plan.stages)}",
            problems_shown("Problems:", self.plan.problems),
        )


def plan_workflow(analysis: AnalysisRun, plan: PlanProgress, runs: Runs) -> Workflow:
    """Fills in `plan.best`, which stays empty where no plan could be worked on."""
    node = _Planning(name="PlanNode", analysis=analysis, plan=plan, runs=runs)
    return Workflow(name="Planning", edges=[(START, node)])

"""The plan: made, reviewed, confirmed, and made better in a loop that may fail without failing the whole."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

from google.adk import Workflow
from google.adk.agents.context import Context
from google.adk.events import Event
from google.adk.workflow import START, Node

from pitwall.paddock.runs import Run, Runs
from pitwall.paddock.staged.agents import StagedAgent, ask_form, ask_optional_form, routed
from pitwall.paddock.staged.analysis_run import AnalysisRun, blocks, problems_shown, stages_shown, tools_shown
from pitwall.paddock.staged.checks import accepted
from pitwall.paddock.staged.forms import ConfirmationForm, PlanForm, PlanReviewForm
from pitwall.paddock.staged.state import Stage


@dataclass
class PlanProgress:
    """The plan in hand and the best one so far: that with the fewest problems, the later of two alike."""

    stages: list[Stage] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    best: list[Stage] = field(default_factory=list)
    fewest: int = 0
    rounds: int = 0

    def judged(self) -> None:
        """All that is wrong with the plan in hand is known now."""
        if self.stages and (not self.best or len(self.problems) <= self.fewest):
            self.best, self.fewest = self.stages, len(self.problems)


class _PlanNode(Node):
    rerun_on_resume: bool = True
    desk: AnalysisRun
    draft: PlanProgress
    member: StagedAgent
    runs: Runs


class _Make(_PlanNode):
    """Makes the plan, or mends it. Fails only while there is no plan at all."""

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        run, draft = self.runs.of(ctx.invocation_id), self.draft
        draft.rounds += 1
        run.tell("Making a plan." if draft.rounds == 1 else f"Mending the plan, round {draft.rounds}.")
        shown = blocks(
            self.desk.head,
            f"Session: {self.desk.state.session}. At most {self.desk.budgets.stages} stages.",
            tools_shown(self.desk.tools),
            f"Your last plan:\n{stages_shown(draft.stages)}" if draft.stages else "",
            problems_shown("What is wrong with it:", draft.problems),
        )
        ask = (ctx, run, self.member, PlanForm, shown)
        form = await (
            ask_optional_form(*ask, "The plan could not be made better") if draft.best else ask_form(*ask)
        )
        if form is None:
            yield routed("settled", "kept")
            return
        draft.stages, draft.problems = accepted(form.stages, self.desk.tools, self.desk.budgets.stages)
        yield routed("review", "made")


class _Review(_PlanNode):
    """Adds the reviewer's problems to those that code found."""

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        run, draft = self.runs.of(ctx.invocation_id), self.draft
        shown = _reviewable(self.desk, draft)
        form = await ask_optional_form(
            ctx, run, self.member, PlanReviewForm, shown, "The plan could not be reviewed"
        )
        if form is None:
            # A plan that nobody reviewed replaces none that was.
            draft.best = draft.best or draft.stages
            yield routed("settled", "kept")
            return
        draft.problems += [problem for problem in form.problems if problem.strip()]
        draft.judged()
        yield routed("confirm", "reviewed")


class _Confirm(_PlanNode):
    """Asks whether to go to work; the number of rounds has the last word."""

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        run, draft = self.runs.of(ctx.invocation_id), self.draft
        route = "settled"
        if draft.stages:
            route = await self._asked(ctx, run)
        elif draft.rounds < self.desk.budgets.rounds:
            route = "again"
        yield routed(route, route)

    async def _asked(self, ctx: Context, run: Run) -> str:
        draft, most = self.draft, self.desk.budgets.rounds
        shown = _reviewable(self.desk, draft)
        form = await ask_optional_form(
            ctx, run, self.member, ConfirmationForm, shown, "The plan could not be confirmed"
        )
        if form is None:
            return "settled"
        if form.exit:
            # Confirmed as it is: no earlier plan is better than that.
            draft.best = draft.stages
            return "settled"
        if draft.rounds >= most:
            run.tell(f"The plan was not confirmed in {most} rounds ({form.reason}): the best one is used.")
            return "settled"
        draft.problems = [*draft.problems, form.reason]
        return "again"


class _Settled(Node):
    """The end of the planning, whichever way it was come by."""

    draft: PlanProgress
    runs: Runs

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        count = len(self.draft.best)
        self.runs.of(ctx.invocation_id).tell(f"The plan has {count} stage{'s' if count != 1 else ''}.")
        yield Event(output=count)


def plan_workflow(desk: AnalysisRun, draft: PlanProgress, runs: Runs) -> Workflow:
    """The loop as a graph; what it came to stands in `draft.best`, empty where no plan could be worked on."""

    def shared(member: StagedAgent) -> dict[str, Any]:
        return {"desk": desk, "draft": draft, "runs": runs, "member": member}

    make = _Make(name="PlanMake", **shared(desk.team.maker()))
    review = _Review(name="PlanReview", **shared(desk.team.reviewer()))
    confirm = _Confirm(name="PlanConfirm", **shared(desk.team.confirm()))
    settled = _Settled(name="PlanSettled", draft=draft, runs=runs)
    return Workflow(
        name="Planning",
        edges=[
            (START, make),
            (make, {"review": review, "settled": settled}),
            (review, {"confirm": confirm, "settled": settled}),
            (confirm, {"again": make, "settled": settled}),
        ],
    )


def _reviewable(desk: AnalysisRun, draft: PlanProgress) -> str:
    return blocks(
        desk.head,
        tools_shown(desk.tools),
        f"Plan:\n{stages_shown(draft.stages)}",
        problems_shown("Problems:", draft.problems),
    )

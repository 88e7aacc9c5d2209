"""One stage: work with tools, checks and a review of the claims, once more; then a look at the plan."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

from google.adk import Workflow
from google.adk.agents.context import Context
from google.adk.events import Event
from google.adk.workflow import START, Node

from pitwall.paddock.adk.staged.agents import REFLECTION, STAGE_REVIEWER, STAGE_WORKER
from pitwall.paddock.adk.staged.analysis_run import (
    AnalysisRun,
    blocks,
    claims_shown,
    done_shown,
    earlier_shown,
    evidence_shown,
    problems_shown,
    stages_shown,
    tools_shown,
)
from pitwall.paddock.adk.staged.checks import accepted, checked, unmet
from pitwall.paddock.adk.staged.forms import FindingsForm, JudgementForm, ReflectionForm, StageReviewForm
from pitwall.paddock.adk.staged.state import Claim, Stage, StageDone
from pitwall.paddock.runs import Run, Runs

_OPEN_CHARS = 300


@dataclass
class StageProgress:
    """One stage while it is worked on; this survives a failure. `worked`: the worker gave findings."""

    stage: Stage
    claims: tuple[Claim, ...] = ()
    open: str = ""
    works: int = 0
    worked: bool = False
    faults: list[str] = field(default_factory=list)
    judgements: list[JudgementForm] = field(default_factory=list)
    rethink: bool = False

    def done(self, analysis: AnalysisRun) -> StageDone:
        """The finished stage. A criterion that was not judged counts as not shown."""
        return StageDone(self.stage.goal, self.claims, self.unmet(analysis), self.open)

    def unmet(self, analysis: AnalysisRun) -> tuple[str, ...]:
        asked = list(analysis.queries.touched.values())
        return unmet(self.stage.criteria, asked, self.judgements, analysis.queries)


class _StageNode(Node):
    """Fails where the first work finds nothing; a second work that fails keeps the first findings."""

    rerun_on_resume: bool = True
    analysis: AnalysisRun
    progress: StageProgress
    runs: Runs

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        run, progress, most = self.runs.of(ctx.invocation_id), self.progress, self.analysis.budgets.works
        while await self._work(ctx, run) and await self._review(ctx, run):
            if progress.faults and progress.works < most:
                run.show_progress(f"Back to work on this stage: {progress.faults[0]}")
                continue
            await self._reflect(ctx, run)
            break
        yield Event(output=len(progress.claims))

    async def _work(self, ctx: Context, run: Run) -> bool:
        """Get findings; False where the first findings could not be mended."""
        progress, analysis = self.progress, self.analysis
        progress.works += 1
        again = progress.works > 1
        earlier = earlier_shown(analysis.state.queries)
        if again:
            # They stand under "Evidence" now.
            run.results[STAGE_WORKER].clear()
        else:
            run.fetched(STAGE_WORKER, await analysis.fetched(progress.stage))
        queries = analysis.queries.touched.values()
        shown = blocks(
            analysis.head,
            f"Session: {analysis.state.session}",
            f"Your stage:\n{stages_shown([progress.stage])}",
            done_shown(analysis.state.done) if analysis.state.done else "",
            evidence_shown(queries) if again else earlier,
            f"Your last findings:\n{claims_shown(progress.claims)}" if again else "",
            problems_shown("What is wrong with them:", progress.faults),
        )
        ask, tools = (ctx, run, STAGE_WORKER, FindingsForm, shown), progress.stage.tools
        form: FindingsForm | None
        if progress.worked:
            form = await analysis.agents.ask_optional(*ask, "The findings could not be mended", tools)
        else:
            form = await analysis.agents.ask(*ask, tools)
        if form is None:
            return False
        claims, progress.faults = checked(form.claims, analysis.queries)
        # Of mended findings nothing may stand: then the first ones are kept.
        progress.claims = claims or progress.claims
        progress.open, progress.worked = " ".join(form.open.split())[:_OPEN_CHARS], True
        return True

    async def _review(self, ctx: Context, run: Run) -> bool:
        """Add the reviewer's problems and the unmet criteria; False where there was no review."""
        progress, analysis = self.progress, self.analysis
        criteria = [f"{number}. {one.statement}" for number, one in enumerate(progress.stage.criteria, 1)]
        shown = blocks(
            f"Question: {analysis.state.question}",
            f"Stage:\n{stages_shown([progress.stage])}",
            "\n".join(["Criteria by number:", *criteria]),
            f"Findings:\n{claims_shown(progress.claims)}",
            f"Open: {progress.open}" if progress.open else "",
            evidence_shown(analysis.queries.touched.values()),
        )
        failure = "The findings could not be reviewed"
        form = await analysis.agents.ask_optional(ctx, run, STAGE_REVIEWER, StageReviewForm, shown, failure)
        if form is None:
            return False
        progress.judgements, progress.rethink = form.judgements, form.rethink
        progress.faults += [problem for problem in form.problems if problem.strip()]
        progress.faults += [f"not shown yet: {statement}" for statement in progress.unmet(analysis)]
        return True

    async def _reflect(self, ctx: Context, run: Run) -> None:
        """Let the agent change the stages that remain, as often as the budget allows, where the stage did not
        end as it was planned: the reviewer says so, or something was not found."""
        analysis, state, progress = self.analysis, self.analysis.state, self.progress
        as_planned = progress.claims and not progress.open and not progress.unmet(analysis)
        if as_planned and not progress.rethink:
            return
        # The first stage is the one that was just worked on.
        stage, rest = state.stages[0], state.stages[1:]
        if not rest or state.changes >= analysis.budgets.changes:
            return
        shown = blocks(
            f"Question: {state.question}",
            done_shown([*state.done, progress.done(analysis)]),
            f"Stages that remain:\n{stages_shown(rest)}",
            tools_shown(analysis.tools),
        )
        failure = "The plan stays as it is"
        form = await analysis.agents.ask_optional(ctx, run, REFLECTION, ReflectionForm, shown, failure)
        if form is None or not form.change:
            return
        most = max(0, analysis.budgets.stages - len(state.done) - 1)
        stages, _problems = accepted(form.stages, analysis.tools, most)
        # A list in which no stage can be worked on is a mistake, not a wish to stop.
        if form.stages and not stages:
            return
        state.stages, state.changes = [stage, *stages], state.changes + 1
        run.show_progress(f"The plan was changed, {len(stages)} to go: {form.reason}")


def stage_workflow(analysis: AnalysisRun, progress: StageProgress, runs: Runs) -> Workflow:
    """Fills in `progress`, and may change the stages that remain in the state."""
    node = _StageNode(name="StageNode", analysis=analysis, progress=progress, runs=runs)
    return Workflow(name="Stage", edges=[(START, node)])

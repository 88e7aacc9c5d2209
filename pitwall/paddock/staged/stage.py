"""One stage: worked on with tools, its claims checked, reviewed, mended once; then the rest reconsidered."""

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
from pitwall.paddock.staged.analysis_run import (
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
from pitwall.paddock.staged.checks import accepted, checked, unmet
from pitwall.paddock.staged.forms import FindingsForm, JudgementForm, ReflectionForm, StageReviewForm
from pitwall.paddock.staged.state import Claim, Stage, StageDone

_OPEN_CHARS = 300


@dataclass
class StageProgress:
    """One stage on its way; what is here survives a failure. `worked`: findings came, be they empty."""

    stage: Stage
    claims: tuple[Claim, ...] = ()
    open: str = ""
    works: int = 0
    worked: bool = False
    faults: list[str] = field(default_factory=list)
    judgements: list[JudgementForm] = field(default_factory=list)

    def done(self, desk: AnalysisRun) -> StageDone:
        """The stage as finished; a criterion that nobody came to judge counts as not shown."""
        return StageDone(self.stage.goal, self.claims, self.unmet(desk), self.open)

    def unmet(self, desk: AnalysisRun) -> tuple[str, ...]:
        asked = list(desk.ledger.touched.values())
        return unmet(self.stage.criteria, asked, self.judgements, desk.ledger)


class _StageNode(Node):
    rerun_on_resume: bool = True
    desk: AnalysisRun
    bench: StageProgress
    member: StagedAgent
    runs: Runs


class _Work(_StageNode):
    """Fails where nothing was found yet; a second work that fails leaves the first."""

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        run, bench, desk = self.runs.of(ctx.invocation_id), self.bench, self.desk
        bench.works += 1
        again = bench.works > 1
        shown = blocks(
            desk.head,
            f"Session: {desk.state.session}",
            f"Your stage:\n{stages_shown([bench.stage])}",
            done_shown(desk.state.done) if desk.state.done else "",
            evidence_shown(desk.ledger.touched.values()) if again else earlier_shown(desk.state.queries),
            f"Your last findings:\n{claims_shown(bench.claims)}" if again else "",
            problems_shown("What is wrong with them:", bench.faults),
        )
        ask = (ctx, run, self.member, FindingsForm, shown)
        form = await (
            ask_optional_form(*ask, "The findings could not be mended") if bench.worked else ask_form(*ask)
        )
        if form is None:
            yield routed("settled", "kept")
            return
        claims, bench.faults = checked(form.claims, desk.ledger, desk.state.question)
        # Mended findings may come with less that stands than the first had.
        bench.claims = claims or bench.claims
        bench.open, bench.worked = " ".join(form.open.split())[:_OPEN_CHARS], True
        yield routed("review", len(claims))


class _Review(_StageNode):
    """The reviewer's word and the criteria; back to work where something is wrong and may be mended."""

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        run, bench, desk = self.runs.of(ctx.invocation_id), self.bench, self.desk
        shown = blocks(
            f"Question: {desk.state.question}",
            f"Stage:\n{stages_shown([bench.stage])}",
            "Criteria by number:\n"
            + "\n".join(f"{number}. {one.statement}" for number, one in enumerate(bench.stage.criteria, 1)),
            f"Findings:\n{claims_shown(bench.claims)}",
            f"Open: {bench.open}" if bench.open else "",
            evidence_shown(desk.ledger.touched.values()),
        )
        form = await ask_optional_form(
            ctx, run, self.member, StageReviewForm, shown, "The findings could not be reviewed"
        )
        if form is None:
            yield routed("settled", "kept")
            return
        bench.judgements = form.judgements
        bench.faults += [problem for problem in form.problems if problem.strip()]
        bench.faults += [f"not shown yet: {statement}" for statement in bench.unmet(desk)]
        again = bool(bench.faults) and bench.works < desk.budgets.works
        if again:
            run.tell(f"Back to work on this stage: {bench.faults[0]}")
        yield routed("again" if again else "reflect", len(bench.faults))


class _Reflect(_StageNode):
    """May change the stages that remain, as often as the budget allows; else leaves them."""

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        run, desk = self.runs.of(ctx.invocation_id), self.desk
        # The first of them is the one at hand.
        rest = desk.state.stages[1:]
        if rest and desk.state.changes < desk.budgets.changes:
            await self._reconsider(ctx, run, rest)
        yield Event(output="reflected")

    async def _reconsider(self, ctx: Context, run: Run, rest: list[Stage]) -> None:
        desk, stage = self.desk, self.bench.stage
        done = [*desk.state.done, self.bench.done(desk)]
        shown = blocks(
            f"Question: {desk.state.question}",
            done_shown(done),
            f"Stages that remain:\n{stages_shown(rest)}",
            tools_shown(desk.tools),
        )
        form = await ask_optional_form(
            ctx, run, self.member, ReflectionForm, shown, "The plan stays as it is"
        )
        if form is None or not form.change:
            return
        stages, _problems = accepted(form.stages, desk.tools, max(0, desk.room() - 1))
        # A list of which nothing can be worked on is a mistake, not a wish to stop.
        if form.stages and not stages:
            return
        desk.state.stages, desk.state.changes = [stage, *stages], desk.state.changes + 1
        run.tell(f"The plan was changed, {len(stages)} to go: {form.reason}")


class _Settled(Node):
    """The end of the stage, whichever way it was come by."""

    bench: StageProgress

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        yield Event(output=len(self.bench.claims))


def stage_workflow(desk: AnalysisRun, bench: StageProgress, runs: Runs) -> Workflow:
    """One stage as a graph; what it came to stands in `bench`, and the stages after it in the state."""

    def shared(member: StagedAgent) -> dict[str, Any]:
        return {"desk": desk, "bench": bench, "runs": runs, "member": member}

    work = _Work(name="StageWork", **shared(desk.team.worker(bench.stage.tools)))
    review = _Review(name="StageReview", **shared(desk.team.stage_reviewer()))
    reflect = _Reflect(name="StageReflect", **shared(desk.team.reflection()))
    settled = _Settled(name="StageSettled", bench=bench)
    return Workflow(
        name="Staging",
        edges=[
            (START, work),
            (work, {"review": review, "settled": settled}),
            (review, {"again": work, "reflect": reflect, "settled": settled}),
            (reflect, settled),
        ],
    )

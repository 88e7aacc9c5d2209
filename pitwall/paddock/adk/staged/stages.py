"""The steps of an analysis: the plan and its review, one stage of work, the summary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pitwall.paddock.adk.app import AgentTurn
from pitwall.paddock.adk.staged.analysis_run import (
    PLAN_CONFIRM,
    PLAN_MAKER,
    PLAN_REVIEWER,
    REFLECTION,
    STAGE_REVIEWER,
    STAGE_WORKER,
    SUMMARY,
    AnalysisRun,
    blocks,
    claims_shown,
    done_shown,
    evidence_shown,
    found_shown,
    problems_shown,
    stages_shown,
    tools_shown,
)
from pitwall.paddock.adk.staged.evidence import QueryLog, accepted, called_as, checked, unmet
from pitwall.paddock.adk.staged.state import (
    CHANGES,
    ROUNDS,
    STAGES,
    Claim,
    ConfirmationForm,
    FindingsForm,
    JudgementForm,
    PlanForm,
    PlanReviewForm,
    ReflectionForm,
    Stage,
    StageDone,
    StageReviewForm,
    SummaryForm,
)
from pitwall.paddock.model_text import DEFAULT, EMOTIONS
from pitwall.paddock.runs import Run


@dataclass
class Planning:
    """The current plan and the best so far: fewest problems, the later of two alike."""

    analysis: AnalysisRun
    stages: list[Stage] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    best: list[Stage] = field(default_factory=list)
    fewest: int = 0
    rounds: int = 0

    async def run(self, turn: AgentTurn, run: Run) -> int:
        """Make a plan and have it reviewed, round by round."""
        while (
            await self._make(turn, run) and await self._review(turn, run) and await self._another(turn, run)
        ):
            pass
        count = len(self.best)
        run.show_progress(f"The plan has {count} stage{'s' if count != 1 else ''}.")
        return count

    def _keep_best(self) -> None:
        """Compare the current plan with the best one, once all its problems are known."""
        if self.stages and (not self.best or len(self.problems) <= self.fewest):
            self.best, self.fewest = self.stages, len(self.problems)

    async def _make(self, turn: AgentTurn, run: Run) -> bool:
        """Make the plan, or improve it; False where it can't be improved."""
        analysis = self.analysis
        self.rounds += 1
        run.show_progress("Making a plan." if self.rounds == 1 else f"Mending the plan, round {self.rounds}.")
        shown = blocks(
            analysis.head,
            f"Session: {analysis.state.session}. At most {STAGES} stages.",
            tools_shown(analysis.tools),
            f"Your last plan:\n{stages_shown(self.stages)}" if self.stages else "",
            problems_shown("What is wrong with it:", self.problems),
        )
        form: PlanForm | None
        if self.best:
            failure = "The plan could not be made better"
            form = await analysis.ask_optional(turn, run, PLAN_MAKER, PlanForm, shown, failure)
        else:
            form = await analysis.ask(turn, run, PLAN_MAKER, PlanForm, shown)
        if form is None:
            return False
        self.stages, self.problems = accepted(form.stages, analysis.tools, STAGES)
        return True

    async def _review(self, turn: AgentTurn, run: Run) -> bool:
        """Add the reviewer's problems to those that code found; False where there was no review."""
        failure = "The plan could not be reviewed"
        form = await self.analysis.ask_optional(
            turn, run, PLAN_REVIEWER, PlanReviewForm, self._reviewable(), failure
        )
        if form is None:
            # A plan without a review does not replace a reviewed one.
            self.best = self.best or self.stages
            return False
        self.problems += [problem for problem in form.problems if problem.strip()]
        self._keep_best()
        return True

    async def _another(self, turn: AgentTurn, run: Run) -> bool:
        """Return whether there is another round: not after a plan that is sound or confirmed."""
        most = ROUNDS
        if not self.stages:
            return self.rounds < most
        if not self.problems:
            # Nobody found anything wrong.
            return False
        form = await self.analysis.ask_optional(
            turn, run, PLAN_CONFIRM, ConfirmationForm, self._reviewable(), "The plan could not be confirmed"
        )
        if form is None:
            return False
        if form.exit:
            self.best = self.stages
            return False
        if self.rounds >= most:
            run.show_progress(f"The plan was not confirmed in {most} rounds: the best one is used.")
            return False
        self.problems = [*self.problems, form.reason]
        return True

    def _reviewable(self) -> str:
        return blocks(
            self.analysis.head,
            tools_shown(self.analysis.tools),
            f"Plan:\n{stages_shown(self.stages)}",
            problems_shown("Problems:", self.problems),
        )


_OPEN_CHARS, _MOST_NAMED = 300, 3


@dataclass
class StageWork:
    """A stage while it is worked on. `works`: how often before; `worked`: it gave findings."""

    analysis: AnalysisRun
    stage: Stage
    claims: tuple[Claim, ...] = ()
    open: str = ""
    works: int = 0
    worked: bool = False
    faults: list[str] = field(default_factory=list)
    judgements: list[JudgementForm] = field(default_factory=list)
    rethink: bool = False

    def done(self) -> StageDone:
        """The finished stage. A criterion that was not judged counts as not shown."""
        asked = tuple(self.analysis.queries.touched)
        return StageDone(self.stage.goal, self.claims, self._unmet(), self.open, self.stage.tools, asked)

    def _unmet(self) -> tuple[str, ...]:
        queries = self.analysis.queries
        return unmet(self.stage.criteria, list(queries.touched.values()), self.judgements, queries)

    async def work(self, turn: AgentTurn, run: Run) -> bool:
        """Get findings; False where the first findings could not be mended."""
        analysis = self.analysis
        self.works += 1
        again = self.works > 1
        if again:
            # They stand under "Evidence" now.
            run.results[STAGE_WORKER].clear()
        else:
            run.fetched(STAGE_WORKER, await analysis.fetched(self.stage))
        queries = analysis.queries.touched.values()
        shown = blocks(
            analysis.head,
            f"Session: {analysis.state.session}",
            f"Your stage:\n{stages_shown([self.stage])}",
            found_shown(run.turns),
            evidence_shown(queries) if again else "",
            f"Your last findings:\n{claims_shown(self.claims)}" if again else "",
            problems_shown("What is wrong with them:", self.faults),
        )
        ask, tools = (turn, run, STAGE_WORKER, FindingsForm, shown), self.stage.tools
        form: FindingsForm | None
        if self.worked:
            form = await analysis.ask_optional(*ask, "The findings could not be mended", tools)
        else:
            form = await analysis.ask(*ask, tools)
        if form is None:
            return False
        claims, self.faults = checked(form.claims, analysis.queries)
        # Of mended findings nothing may stand: then the first ones are kept.
        self.claims = claims or self.claims
        self.open, self.worked = " ".join(form.open.split())[:_OPEN_CHARS], True
        return True

    async def review(self, turn: AgentTurn, run: Run) -> bool:
        """Add the reviewer's problems and the unmet criteria; False where there was no review."""
        analysis = self.analysis
        criteria = [f"{number}. {one.statement}" for number, one in enumerate(self.stage.criteria, 1)]
        shown = blocks(
            f"Question: {analysis.state.question}",
            f"Stage:\n{stages_shown([self.stage])}",
            "\n".join(["Criteria by number:", *criteria]),
            f"Findings:\n{claims_shown(self.claims)}",
            f"Open: {self.open}" if self.open else "",
            evidence_shown(analysis.queries.touched.values()),
        )
        failure = "The findings could not be reviewed"
        form = await analysis.ask_optional(turn, run, STAGE_REVIEWER, StageReviewForm, shown, failure)
        if form is None:
            return False
        self.judgements, self.rethink = form.judgements, form.rethink
        self.faults += [problem for problem in form.problems if problem.strip()]
        self.faults += [f"not shown yet: {statement}" for statement in self._unmet()]
        return True

    async def reflect(self, turn: AgentTurn, run: Run) -> bool:
        """Let the agent change the stages that remain; whether it did."""
        analysis, state, rest = self.analysis, self.analysis.state, self.analysis.state.stages
        shown = blocks(
            f"Question: {state.question}",
            found_shown(run.turns),
            f"Stages that remain:\n{stages_shown(rest)}",
            tools_shown(analysis.tools),
        )
        failure = "The plan stays as it is"
        form = await analysis.ask_optional(turn, run, REFLECTION, ReflectionForm, shown, failure)
        if form is None or not form.change:
            return False
        most = max(0, STAGES - len(state.done))
        stages, _problems = accepted(form.stages, analysis.tools, most)
        # A list in which no stage can be worked on is a mistake, not a wish to stop.
        if form.stages and not stages:
            return False
        state.stages, state.changes = stages, state.changes + 1
        run.show_progress(f"The plan was changed, {len(stages)} to go.")
        return True

    @property
    def needs_reflection(self) -> bool:
        """Return whether the stage did not end as planned, and the plan may still change."""
        state = self.analysis.state
        as_planned = self.claims and not self.open and not self._unmet()
        return bool(state.stages) and state.changes < CHANGES and (self.rethink or not as_planned)

    @property
    def needs_review(self) -> bool:
        """Return whether there is something to judge: code may have shown every criterion."""
        of_code = all(one.tool for one in self.stage.criteria) and self.stage.criteria
        return not (of_code and self.claims and not (self.faults or self.open or self._unmet()))


_MOST_CLAIMS = 8


@dataclass
class Summary:
    """The claims of the summary that stand. `faults`: what was wrong with the last ones."""

    analysis: AnalysisRun
    claims: tuple[Claim, ...] = ()
    emotion: str = DEFAULT
    faults: Sequence[str] = ()

    async def run(self, turn: AgentTurn, run: Run) -> int:
        """Ask for the summary, and keep the claims that stand."""
        analysis = self.analysis
        again = problems_shown("What was wrong with your last answer:", self.faults)
        shown = blocks(analysis.head, done_shown(analysis.state.done), again)
        form = await analysis.ask(turn, run, SUMMARY, SummaryForm, shown)
        claims, self.faults = checked(form.claims[:_MOST_CLAIMS], analysis.queries)
        if claims:
            self.claims = claims
            self.emotion = form.emotion if form.emotion in EMOTIONS else DEFAULT
        return len(claims)


def text_of(claims: Sequence[Claim], missing: Sequence[str], queries: QueryLog) -> str:
    """The claims with their query ids, what is missing, and the cited queries."""
    sentences = " ".join(
        f"{claim.text.rstrip().rstrip('.')} [{', '.join(claim.queries)}]." for claim in claims
    )
    listed = [f"[{query.id}] {called_as(query)}" for query in queries.known(cited_queries(claims))]
    return blocks(
        sentences,
        problems_shown("Not in this answer:", missing),
        "\n".join(["Queries:", *listed]),
    )


def tools_named(stage: Stage | StageDone) -> str:
    """A stage by its tools, as a driver reads of it: its goal and criteria are a model's words."""
    return ", ".join(stage.tools[:_MOST_NAMED]) + (" and others" if len(stage.tools) > _MOST_NAMED else "")


def not_shown(done: Iterable[StageDone]) -> list[str]:
    """Finished stages with unmet criteria. Another run would not work on them."""
    return [
        f"{tools_named(stage)}: not shown: {len(stage.unmet)} of what was looked for"
        for stage in done
        if stage.unmet
    ]


def all_claims(done: Iterable[StageDone]) -> tuple[Claim, ...]:
    """Everything that the stages found, in order, each claim once."""
    return tuple(dict.fromkeys(claim for stage in done for claim in stage.claims))


def cited_queries(claims: Iterable[Claim]) -> list[str]:
    """The ids that claims cite, in order, each once."""
    return list(dict.fromkeys(one for claim in claims for one in claim.queries))

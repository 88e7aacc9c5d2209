"""StagedAnalysis: plans, works on stages and answers within a budget. After any failure, the findings so far
are the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from google.adk import Workflow
from google.adk.models.base_llm import BaseLlm

from pitwall.analysis.tool_kit import Toolbox
from pitwall.contract.events import Answer, Error, Event, Routed, Verdict
from pitwall.paddock.adk.engine import Engine, Translator
from pitwall.paddock.adk.model_client import calls_are_spent, model_is_away, rest_after, sentence
from pitwall.paddock.adk.orchestrator import PitwallOrchestrator
from pitwall.paddock.adk.staged.analysis_run import AgentFactory, AnalysisRun, StageArguments
from pitwall.paddock.adk.staged.evidence import QueryLog, fit_checkpoint
from pitwall.paddock.adk.staged.stages import (
    Planning,
    StageWork,
    Summary,
    all_claims,
    cited_queries,
    missing_of,
    not_shown,
    step_workflow,
    text_of,
    tools_named,
)
from pitwall.paddock.adk.staged.state import (
    PLAN_CALLS_A_ROUND,
    STAGE_CALLS,
    SUMMARY_CALLS,
    SUMMARY_SHARE,
    AnalysisState,
    Budgets,
    Stage,
    checkpoint,
    resumed,
)
from pitwall.paddock.fallback import FallbackAnswer
from pitwall.paddock.intents import route
from pitwall.paddock.model_text import DEFAULT
from pitwall.paddock.offline import AnswerStream
from pitwall.paddock.roster import EFFECTS, STAGED
from pitwall.paddock.runs import Run

ANALYSIS = "StagedAnalysis"
Save = Callable[[str], Awaitable[None]]

# The share of the time for stages that planning may take. A plan that takes longer is used as it is.
_PLAN_SHARE = 0.4
# One stage may take this many times its even share of the time.
_STAGE_STRETCH = 1.5
# Neither a stage nor the summary begins with less time than this.
_LEAST_S = 0.5
# The model may fail so often in a row.
_MOST_FAILURES = 2
_OUT_OF_TIME = "The time for this analysis was up."
_OUT_OF_CALLS = "The budget of model calls for this analysis was spent."
_BROKEN_OFF = "The analysis was broken off."


class StagedAnalysis(PitwallOrchestrator):
    """Answers hard questions in stages; several at once."""

    def __init__(
        self,
        model: BaseLlm,
        toolbox: Toolbox,
        *,
        budgets: Budgets | None = None,
        arguments: StageArguments | None = None,
        **common: Any,
    ) -> None:
        """`arguments`: what code calls a stage's tools with, so that its worker needs one call. `common`: see
        PitwallOrchestrator."""
        # An analysis only reads.
        reading = {name: one for name, one in toolbox.items() if name not in EFFECTS}
        super().__init__(model, reading, **common)
        self._limits, self._arguments = budgets or Budgets(), arguments

    async def stream(
        self,
        question: str,
        *,
        session: str = "last",
        checkpoint: str = "",
        save: Save | None = None,
        budgets: Budgets | None = None,
        age_s: float = 0.0,
    ) -> AnswerStream:
        """Start an analysis that was asked for `age_s` ago. ValueError: the question is empty.

        `save` is awaited with a checkpoint after the plan and after every stage. `checkpoint` is the last of
        these; its finished stages are not done again. The answer's `missing` names the stages that another
        run could still do. Criteria that finished stages did not show stand in its text only.
        """
        if not question.strip():
            raise ValueError("the question is empty: ask something")
        started = asyncio.get_running_loop().time() - age_s
        limits = budgets or self._limits
        known = resumed(checkpoint, question, session) if checkpoint else None
        state = known or AnalysisState(question=question, session=session)
        unread = bool(checkpoint) and not known
        return AnswerStream(lambda emit: self._analysed(state, limits, started, save, emit, unread))

    async def _analysed(
        self,
        state: AnalysisState,
        budgets: Budgets,
        started: float,
        save: Save | None,
        emit: Callable[[Event], None],
        unread: bool,
    ) -> Answer:
        emit(Routed(ANALYSIS, "named"))
        # The fallback is the answer of the specialist for this question.
        agent = route(state.question, self._track).agent

        def best(whole: Run, fallback: FallbackAnswer) -> Awaitable[Answer]:
            if unread:
                whole.show_progress("What was saved of this analysis can't be used: it begins anew.")
            return self._staged(state, budgets, whole, agent, save, fallback)

        return await self._within(budgets.seconds, ANALYSIS, agent, state.question, started, emit, best)

    async def _staged(
        self,
        state: AnalysisState,
        budgets: Budgets,
        whole: Run,
        agent: str,
        save: Save | None,
        fallback: FallbackAnswer,
    ) -> Answer:
        queries = QueryLog(state, budgets.tool_calls, self._words)
        try:
            async with asyncio.timeout_at(whole.deadline):
                built = await self._prompt(agent, state.question)
                head, left_out = built.text, built.left_out
        # Without these facts the tools may still find them.
        except Exception:
            head, left_out = f"Question: {state.question}", ("the facts of the session",)
        agents = AgentFactory(self._model, queries.toolbox(self._toolbox))
        analysis = AnalysisRun(state, queries, agents, budgets, self._toolbox, head, self._arguments)
        steps = _Steps(self._engine, analysis, whole, save)
        await steps.plan()
        await steps.stages()
        found = all_claims(state.done)
        if not found:
            why = steps.reason() or "The analysis found nothing that can be shown."
            whole.emit(Error(why))
            return msgspec.structs.replace(await fallback.answer(whole, why), rest_s=steps.rest_s)
        summary = await steps.summary()
        missing = missing_of(state, steps.failed, steps.why)
        # The summary orders what was found; what it leaves out is told below it.
        cited = {*cited_queries(summary.claims)}
        found = (*summary.claims, *(claim for claim in found if not cited.issuperset(claim.queries)))
        return Answer(
            text=text_of(found, [*not_shown(state.done), *missing], queries),
            emotion=summary.emotion,
            agent=ANALYSIS,
            tier="paddock",
            verdict=steps.verdict(),
            missing=tuple(missing),
            rest_s=steps.rest_s,
            left_out=tuple(left_out),
            audit=tuple(whole.audit),
            model_calls=whole.model_calls,
        )


class _Steps:
    """The steps of one analysis. Each is a run of ADK with its own budget, saved when it is done."""

    def __init__(self, engine: Engine, analysis: AnalysisRun, whole: Run, save: Save | None) -> None:
        self._engine, self._analysis, self._whole, self._save = engine, analysis, whole, save
        self.failed: list[tuple[Stage, str]] = []
        self._timed_out = self._model_is_away = False
        # The model's failures in a row, and how long it is best left alone after the last.
        self._failures, self.rest_s = 0, 0.0
        # Why nothing more can be done, "" while there is no reason.
        self.why = ""
        # A share of what is left now, so that a resumed analysis has time for its summary too.
        self._stages_end = whole.deadline - whole.remaining_s() * SUMMARY_SHARE

    async def plan(self) -> None:
        """Make the stages, unless the checkpoint has them; in the worst case one stage with every tool."""
        state, budgets = self._analysis.state, self._analysis.budgets
        if state.planned:
            done, count = len(state.done), len(state.done) + len(state.stages)
            self._whole.show_progress(f"Going on: {done} of {count} stages are done.")
            return
        plan, runs = Planning(self._analysis), self._engine.runs
        now = asyncio.get_running_loop().time()
        until = now + (self._stages_end - now) * _PLAN_SHARE
        calls = PLAN_CALLS_A_ROUND * budgets.rounds
        problem = await self._step(step_workflow("Planning", plan.run, runs), until, calls)
        if problem and self._failures and not plan.best and not self.why:
            problem = await self._step(step_workflow("Planning", plan.run, runs), until, calls)
        if problem and not plan.best and not self.why:
            self._whole.show_progress(
                f"No plan came of it ({problem}): the question is looked at as a whole."
            )
        whole_question = Stage(state.question, tuple(self._analysis.tools))
        state.stages = plan.best or plan.stages or [whole_question]
        # Where the model could not be asked at all, the next run asks it for a plan.
        if not self.why:
            state.planned = True
            await self._save_checkpoint()

    async def stages(self) -> None:
        """Work on the stages until all are done or nothing more can be done."""
        state = self._analysis.state
        while state.stages and not self.why:
            left_s = self._stages_end - asyncio.get_running_loop().time()
            if left_s < _LEAST_S:
                self._timed_out, self.why = True, _OUT_OF_TIME
                self._whole.verdicts[ANALYSIS] = "TIMEOUT"
                return
            await self._stage(state.stages[0], left_s)

    async def _stage(self, stage: Stage, left_s: float) -> None:
        analysis, state = self._analysis, self._analysis.state
        number = len(state.done) + len(self.failed) + 1
        self._whole.show_progress(
            f"Stage {number} of {number + len(state.stages) - 1}: {tools_named(stage)}."
        )
        analysis.queries.begin_stage()
        work = StageWork(analysis, stage)
        share_s = min(left_s, left_s / len(state.stages) * _STAGE_STRETCH)
        until = asyncio.get_running_loop().time() + share_s
        graph = step_workflow("Stage", work.run, self._engine.runs)
        problem = await self._step(graph, until, STAGE_CALLS)
        if self._failures and not work.worked and not self.why:
            # One answer of a busy server is no reason to give up: this stage is begun once more.
            return
        state.stages.pop(0)
        if work.worked:
            state.retried = state.retried or work.works > 1
            state.done.append(work.done())
        else:
            self.failed.append((stage, problem))
            self._whole.emit(Error(f"Stage {number} came to nothing: {problem}"))
        await self._save_checkpoint()

    async def summary(self) -> Summary:
        """The model's summary; empty where the model gave none."""
        summary = Summary(self._analysis)
        if not self._model_is_away and self._whole.remaining_s() >= _LEAST_S:
            graph = step_workflow("Summary", summary.run, self._engine.runs)
            problem = await self._step(graph, self._whole.deadline, SUMMARY_CALLS, reserve=0)
            if problem and not summary.claims:
                self._whole.show_progress(
                    f"There is no summary ({problem}): the findings are told as they are."
                )
        return summary

    def reason(self) -> str:
        """Why nothing was found."""
        return self.why or (self.failed[-1][1] if self.failed else "")

    def verdict(self) -> Verdict:
        """Every claim has its evidence, so the verdict is about time and attempts."""
        if self._timed_out:
            return "TIMEOUT"
        if self._model_is_away:
            return "ESCALATED"
        return "RETRY_SUCCEEDED" if self._analysis.state.retried else "PASSED"

    async def _step(self, graph: Workflow, until: float, calls: int, reserve: int = SUMMARY_CALLS) -> str:
        """Run one graph; "" or why it stopped early. Sets `why` where nothing more can be done."""
        state, whole = self._analysis.state, self._whole
        left = self._analysis.budgets.model_calls - whole.model_calls - reserve
        if left <= 0:
            self.why = self.why or _OUT_OF_CALLS
            return _OUT_OF_CALLS
        most = min(calls, left)
        run = Run(state.question, until, whole.emit)
        runner = self._engine.runner(graph)
        problem, failures = "", 0
        try:
            async with asyncio.timeout_at(until):
                await self._engine.run(
                    runner, run, Translator(ANALYSIS, run, frozenset(STAGED)), max_model_calls=most
                )
        except TimeoutError:
            problem, self._timed_out = "The model took too long.", True
            whole.verdicts[ANALYSIS] = "TIMEOUT"
        # A model, its server and ADK may raise anything. The findings so far are kept.
        except Exception as error:
            problem = sentence(error)
            if model_is_away(error):
                failures, self.rest_s = self._failures + 1, rest_after(error)
                if failures >= _MOST_FAILURES:
                    self._model_is_away, self.why = True, problem
            elif most == left and calls_are_spent(error):
                problem = self.why = _OUT_OF_CALLS
        else:
            self.rest_s = 0.0
        finally:
            self._failures = failures
            await runner.close()
            whole.calls_of.update(run.calls_of)
            whole.audit += run.tool_calls()
            state.retried = state.retried or "RETRY_SUCCEEDED" in run.verdicts.values()
        return problem

    async def _save_checkpoint(self) -> None:
        """Save the state, with the failed stages among those still to do."""
        if self._save is None:
            return
        state = self._analysis.state
        again = [stage for stage, _problem in self.failed]
        saved = msgspec.structs.replace(state, stages=[*again, *state.stages])
        try:
            await self._save(checkpoint(fit_checkpoint(saved)))
        # The findings are still in memory, so the analysis goes on.
        except Exception as error:
            self._whole.emit(Error(f"This step of the analysis could not be saved: {_reason(error)}."))


def partial_answer(saved: str) -> Answer | None:
    """Return what the analysis of this checkpoint could answer now, None where nothing was found yet."""
    state = msgspec.json.decode(saved, type=AnalysisState)
    found = all_claims(state.done)
    if not found:
        return None
    missing = missing_of(state, [], _BROKEN_OFF)
    return Answer(
        text=text_of(found, [*not_shown(state.done), *missing], QueryLog(state, 0)),
        emotion=DEFAULT,
        agent=ANALYSIS,
        tier="paddock",
        verdict="PASSED",
        missing=tuple(missing),
    )


def _reason(error: Exception) -> str:
    return str(error).rstrip(".") or "the reason is not known"

"""An analysis being worked through: each step a run of ADK within the budgets, and saved when it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
from google.adk import Workflow

from pitwall.contract.events import Error, Verdict
from pitwall.paddock.engine import Engine
from pitwall.paddock.problems import calls_are_spent, model_is_away, sentence
from pitwall.paddock.runs import Run
from pitwall.paddock.staged.agents import NAMES
from pitwall.paddock.staged.analysis_run import AnalysisRun
from pitwall.paddock.staged.budgets import PLAN_CALLS_A_ROUND, STAGE_CALLS, SUMMARY_CALLS, SUMMARY_SHARE
from pitwall.paddock.staged.evidence import fit_checkpoint
from pitwall.paddock.staged.planning import PlanProgress, plan_workflow
from pitwall.paddock.staged.stage import StageProgress, stage_workflow
from pitwall.paddock.staged.state import Stage, checkpoint
from pitwall.paddock.staged.summary import Summary, missing_of, summary_workflow
from pitwall.paddock.translate import Translator

ANALYSIS = "StagedAnalysis"
Save = Callable[[str], Awaitable[None]]

# Of the time for stages: a plan that takes longer is used as far as it got.
_PLAN_SHARE = 0.4
# One stage may take this much more than its even share; the next ones have the less.
_STAGE_STRETCH = 1.5
# Stages are not begun for less than this, nor is a summary.
_LEAST_S = 0.5
_OUT_OF_TIME = "The time for this analysis was up."
_OUT_OF_CALLS = "The budget of model calls for this analysis was spent."


class Steps:
    """One analysis being worked through, step by step, each step a run of ADK with budgets of its own."""

    def __init__(self, engine: Engine, desk: AnalysisRun, whole: Run, save: Save | None) -> None:
        self._engine, self._desk, self._whole, self._save = engine, desk, whole, save
        self._failed: list[tuple[Stage, str]] = []
        self._timed_out = self._model_is_away = False
        self.why = ""
        # The summary's part of what is left now, so that a resumed analysis has it too.
        self._stages_end = whole.deadline - whole.remaining_s() * SUMMARY_SHARE

    async def plan(self) -> None:
        """Fill in the stages, unless the checkpoint has them; at worst one stage with every tool."""
        state, budgets = self._desk.state, self._desk.budgets
        if state.planned:
            self._whole.tell(
                f"Going on: {len(state.done)} of {len(state.done) + len(state.stages)} stages are done."
            )
            return
        draft = PlanProgress()
        now = asyncio.get_running_loop().time()
        until = now + (self._stages_end - now) * _PLAN_SHARE
        calls = PLAN_CALLS_A_ROUND * budgets.rounds
        graph = plan_workflow(self._desk, draft, self._engine.runs)
        problem = await self._step(graph, until, calls)
        if problem and not draft.best and not self.why:
            self._whole.tell(f"No plan came of it ({problem}): the question is looked at as a whole.")
        state.stages = draft.best or draft.stages or [_whole_question(self._desk)]
        # A model that could not be asked at all is asked for a plan when it is back.
        if not self.why:
            state.planned = True
            await self._keep()

    async def stages(self) -> None:
        """Work on what remains until it is done, or something stops the whole."""
        state = self._desk.state
        while state.stages and not self.why:
            left_s = self._stages_end - asyncio.get_running_loop().time()
            if left_s < _LEAST_S:
                self._timed_out, self.why = True, _OUT_OF_TIME
                self._whole.verdicts[ANALYSIS] = "TIMEOUT"
                return
            await self._stage(state.stages[0], left_s)

    async def _stage(self, stage: Stage, left_s: float) -> None:
        state, desk = self._desk.state, self._desk
        number = len(state.done) + len(self._failed) + 1
        of = number + len(state.stages) - 1
        self._whole.tell(f"Stage {number} of {of}: {stage.goal}")
        desk.ledger.begin()
        bench = StageProgress(stage)
        share = min(left_s, left_s / len(state.stages) * _STAGE_STRETCH)
        until = asyncio.get_running_loop().time() + share
        problem = await self._step(stage_workflow(desk, bench, self._engine.runs), until, STAGE_CALLS)
        state.stages.pop(0)
        if bench.worked:
            state.retried = state.retried or bench.works > 1
            state.done.append(bench.done(desk))
        else:
            self._failed.append((stage, problem))
            self._whole.emit(Error(f"Stage {number} came to nothing: {problem}"))
        await self._keep()

    async def summary(self) -> Summary:
        """The model's telling of it, or as far as that came."""
        summary = Summary()
        if not self._model_is_away and self._whole.remaining_s() >= _LEAST_S:
            graph = summary_workflow(self._desk, summary, self._engine.runs)
            problem = await self._step(graph, self._whole.deadline, SUMMARY_CALLS, reserve=0)
            if problem and not summary.claims:
                self._whole.tell(f"There is no summary ({problem}): the findings are told as they are.")
        return summary

    def reason(self) -> str:
        """Why nothing was found: what stopped the whole, else the last stage."""
        return self.why or (self._failed[-1][1] if self._failed else "")

    def missing(self) -> list[str]:
        """What the answer has to do without, each with its reason."""
        return missing_of(self._desk.state, self._failed, self.why)

    def verdict(self) -> Verdict:
        """Every claim has its evidence; what took several attempts, or was not done in time, is told."""
        if self._timed_out:
            return "TIMEOUT"
        return "RETRY_SUCCEEDED" if self._desk.state.retried else "PASSED"

    async def _step(self, graph: Workflow, until: float, calls: int, reserve: int = SUMMARY_CALLS) -> str:
        """Run one graph; "" or why it broke off. `why` is set where nothing more can be done."""
        state, whole = self._desk.state, self._whole
        left = self._desk.budgets.model_calls - whole.model_calls - reserve
        if left <= 0:
            self.why = self.why or _OUT_OF_CALLS
            return _OUT_OF_CALLS
        most = min(calls, left)
        run = Run(state.question, until, whole.emit)
        runner = self._engine.runner(graph)
        problem = ""
        try:
            async with asyncio.timeout_at(until):
                await self._engine.run(runner, run, Translator(ANALYSIS, run, NAMES), max_model_calls=most)
        except TimeoutError:
            problem, self._timed_out = "The model took too long.", True
            whole.verdicts[ANALYSIS] = "TIMEOUT"
        # Whatever a model, its server or ADK throws: what was found so far is kept.
        except Exception as error:
            problem = sentence(error)
            if model_is_away(error):
                self._model_is_away, self.why = True, problem
            elif most == left and calls_are_spent(error):
                problem = self.why = _OUT_OF_CALLS
        finally:
            await runner.close()
            whole.calls_of.update(run.calls_of)
            whole.audit += run.trail()
            state.retried = state.retried or "RETRY_SUCCEEDED" in run.verdicts.values()
        return problem

    async def _keep(self) -> None:
        """Save a checkpoint: what failed stands in it among what is still to do."""
        if self._save is None:
            return
        state = self._desk.state
        again = [stage for stage, _problem in self._failed]
        kept = msgspec.structs.replace(state, stages=[*again, *state.stages])
        try:
            await self._save(checkpoint(fit_checkpoint(kept)))
        # The findings are still here: an analysis is not given up for its copy.
        except Exception as error:
            self._whole.emit(Error(f"This step of the analysis could not be saved ({type(error).__name__})."))


def _whole_question(desk: AnalysisRun) -> Stage:
    return Stage(desk.state.question, tuple(desk.tools))

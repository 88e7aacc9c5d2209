"""StagedAnalysis: plans, works and tells under a budget; whatever fails, what was found is the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import msgspec
from google.adk.models.base_llm import BaseLlm

from pitwall.contract.events import Answer, Error, Event, Routed
from pitwall.paddock.answer_stream import AnswerStream
from pitwall.paddock.context import build_prompt
from pitwall.paddock.emotions import DEFAULT
from pitwall.paddock.engine import Engine
from pitwall.paddock.fallback import Composer, FallbackAnswer, LocalModel
from pitwall.paddock.intents import route
from pitwall.paddock.offline import NO_MODEL, Recorder, deliver, record_cancelled
from pitwall.paddock.orchestrator import ContextSource
from pitwall.paddock.runs import Run
from pitwall.paddock.staged.agents import AgentFactory
from pitwall.paddock.staged.analysis_run import AnalysisRun
from pitwall.paddock.staged.budgets import Budgets
from pitwall.paddock.staged.evidence import QueryLog
from pitwall.paddock.staged.state import AnalysisState, resumed
from pitwall.paddock.staged.steps import ANALYSIS, Save, Steps
from pitwall.paddock.staged.summary import missing_of, not_shown, plain_claims, text_of
from pitwall.paddock.toolbox import Toolbox
from pitwall.paddock.validator import BeforeCall
from pitwall.track.model import Track

# An analysis looks and changes nothing.
_WRITING = frozenset(("save_voice_scripts",))
# The composed answer is got ready when this much of the budget is gone; the last bit is for handing over.
_COMPOSE_AT = 0.6
_RESERVE = 0.05
_BROKEN_OFF = "The analysis was broken off."


class StagedAnalysis:
    """Answers hard questions in stages; several at once may be on their way.

    `toolbox`, `compose`, `local`, `context`, `track`, `record` and `before_call` are those of
    PitwallOrchestrator. `model` None: every answer is composed.
    """

    def __init__(
        self,
        model: BaseLlm | None,
        toolbox: Toolbox,
        *,
        compose: Composer,
        local: LocalModel | None = None,
        context: ContextSource | None = None,
        track: Track | None = None,
        record: Recorder | None = None,
        budgets: Budgets | None = None,
        before_call: BeforeCall | None = None,
    ) -> None:
        self._model = model
        self._toolbox = {name: one for name, one in toolbox.items() if name not in _WRITING}
        self._compose, self._local = compose, local
        self._context, self._record, self._track = context, record, track
        self._budgets = budgets or Budgets()
        self._engine = Engine(before_call)

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
        """Begin; the events come out of the stream. `age_s`: so long ago it was asked. ValueError: empty.

        `save` is awaited with the checkpoint after the plan and after every stage; `checkpoint` is the last
        of these, and no stage in it is worked on again. The answer's `missing` names the stages that another
        run could still do; criteria that finished stages did not show stand in its text only.
        """
        if not question.strip():
            raise ValueError("the question is empty: ask something")
        started = asyncio.get_running_loop().time() - age_s
        limits = budgets or self._budgets
        known = resumed(checkpoint, question, session) if checkpoint else None
        state = known or AnalysisState(question=question, session=session)
        return AnswerStream(
            lambda emit: self._answer(state, limits, started, save, emit, bool(checkpoint) and not known)
        )

    async def _answer(
        self,
        state: AnalysisState,
        budgets: Budgets,
        started: float,
        save: Save | None,
        emit: Callable[[Event], None],
        unread: bool,
    ) -> Answer:
        emit(Routed(ANALYSIS, "named"))
        stop = started + budgets.seconds
        # What answers fallback is the specialist that would have been asked.
        agent = route(state.question, self._track).agent
        fallback = FallbackAnswer(self._compose, self._local, agent, state.question, stop)
        fallback.prepare_after(budgets.seconds * _COMPOSE_AT if self._model is not None else 0.0)
        whole = Run(state.question, stop - budgets.seconds * _RESERVE, emit)
        if unread:
            whole.tell("What was saved of this analysis can't be used: it begins anew.")
        try:
            answer = await self._staged(state, budgets, whole, agent, save, fallback)
        except asyncio.CancelledError:
            await record_cancelled(ANALYSIS, whole, started, self._record)
            raise
        finally:
            await fallback.close()
        return await deliver(answer, started, emit, self._record)

    async def _staged(
        self,
        state: AnalysisState,
        budgets: Budgets,
        whole: Run,
        agent: str,
        save: Save | None,
        fallback: FallbackAnswer,
    ) -> Answer:
        ledger = QueryLog(state, budgets.tool_calls)
        if self._model is None:
            return await self._unasked(state, ledger, fallback)
        try:
            async with asyncio.timeout_at(whole.deadline):
                head, left_out = await self._head(agent, state.question)
        # Facts that can't be read are missed, the tools may still find them.
        except Exception:
            head, left_out = f"Question: {state.question}", ("the facts of the session",)
        team = AgentFactory(self._model, ledger.toolbox(self._toolbox))
        desk = AnalysisRun(state, ledger, team, budgets, self._toolbox, head)
        steps = Steps(self._engine, desk, whole, save)
        await steps.plan()
        await steps.stages()
        found = plain_claims(state.done)
        if not found:
            why = steps.reason() or "The analysis found nothing that can be shown."
            whole.emit(Error(why))
            return await fallback.answer(whole, why)
        summary = await steps.summary()
        missing = steps.missing()
        return Answer(
            text=text_of(summary.claims or found, [*not_shown(state.done), *missing], ledger),
            emotion=summary.emotion,
            agent=ANALYSIS,
            tier="paddock",
            verdict=steps.verdict(),
            missing=tuple(missing),
            left_out=tuple(left_out),
            audit=tuple(whole.audit),
            model_calls=whole.model_calls,
        )

    async def _unasked(self, state: AnalysisState, ledger: QueryLog, fallback: FallbackAnswer) -> Answer:
        """What an earlier run had found, else the composed answer."""
        return _plain(state, ledger, NO_MODEL) or await fallback.answer(None, NO_MODEL)

    async def _head(self, agent: str, question: str) -> tuple[str, Sequence[str]]:
        sections = await asyncio.to_thread(self._context, agent, question) if self._context else ()
        built = build_prompt(question, sections)
        return built.text, built.left_out


def partial_answer(saved: str) -> Answer | None:
    """What the analysis of this checkpoint could answer if nothing more came, None: nothing was found yet."""
    state = msgspec.json.decode(saved, type=AnalysisState)
    return _plain(state, QueryLog(state, 0), _BROKEN_OFF)


def _plain(state: AnalysisState, ledger: QueryLog, why: str) -> Answer | None:
    """The findings as they are; the rest is missing for that reason."""
    found = plain_claims(state.done)
    if not found:
        return None
    missing = missing_of(state, [], why)
    return Answer(
        text=text_of(found, [*not_shown(state.done), *missing], ledger),
        emotion=DEFAULT,
        agent=ANALYSIS,
        tier="paddock",
        verdict="PASSED",
        missing=tuple(missing),
    )

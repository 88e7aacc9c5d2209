"""The analysis of a hard question as the work of a job: its items are the stages and the summary."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack

import msgspec
from google.adk.agents.invocation_context import LlmCallsLimitExceededError
from google.adk.models.base_llm import BaseLlm

from pitwall.analysis.tool_kit import Toolbox
from pitwall.contract.events import Answer, ToolCall, Verdict
from pitwall.contract.jobs import JobResult
from pitwall.paddock.adk.app import AgentTurn, Engine
from pitwall.paddock.adk.model_client import causes, model_is_away, rest_after, sentence
from pitwall.paddock.adk.orchestrator import ContextSource
from pitwall.paddock.adk.staged.analysis_run import AnalysisRun, StageArguments, stage_shown
from pitwall.paddock.adk.staged.evidence import QueryLog
from pitwall.paddock.adk.staged.stages import (
    Planning,
    StageWork,
    Summary,
    all_claims,
    cited_queries,
    not_shown,
    text_of,
    tools_named,
)
from pitwall.paddock.adk.staged.state import (
    PLAN_CALLS_A_ROUND,
    ROUNDS,
    STAGE_CALLS,
    SUMMARY_CALLS,
    SUMMARY_SHARE,
    WORKS,
    AnalysisState,
    Claim,
    Stage,
    StageDone,
    StageQuery,
)
from pitwall.paddock.adk.translator import Translator
from pitwall.paddock.context import build_prompt
from pitwall.paddock.controller.resources import JobFailed, JobWaits, UnusableReply
from pitwall.paddock.controller.running_job import (
    TOO_LONG,
    BudgetSpent,
    Checkpoint,
    JobItem,
    RunMeter,
    RunningJob,
)
from pitwall.paddock.controller.work import JobWork
from pitwall.paddock.intents import route
from pitwall.paddock.model_text import DEFAULT, shown
from pitwall.paddock.roster import EFFECTS, STAGED
from pitwall.paddock.runs import Run
from pitwall.store.errors import StoreError
from pitwall.track.model import Track
from pitwall.words.language import ENGLISH, Language

ANALYSIS = "StagedAnalysis"
_SUMMARY = "summary"
# The mean length of a call's request. All together must not be longer, however few the calls.
_CALL_CHARS = 5_000

# The share of the time that planning may take; then the plan is used as it is.
_PLAN_SHARE = 0.4
# One step of a stage may take this many times the stage's even share of the time.
_STAGE_STRETCH = 1.5
# Neither a stage nor the summary begins with less time than this.
_LEAST_S = 0.5
_OUT_OF_TIME = "The time for this analysis was up."
_OUT_OF_CALLS = "The budget of model calls for this analysis was spent."
_BROKEN_OFF = "The analysis was broken off."
_NOTHING = "The analysis found nothing that can be shown."


class Notes(msgspec.Struct):
    """What an analysis keeps in its checkpoint with its items."""

    queries: list[StageQuery] = []
    changes: int = 0
    retried: bool = False
    sent_chars: int = 0
    # The ADK session of the analysis, as `Engine.events` gives it.
    events: list[str] = []


class SummaryDraft(msgspec.Struct, frozen=True):
    """The claims of the summary that stand, and the mood."""

    claims: tuple[Claim, ...] = ()
    emotion: str = DEFAULT


class AnalysisWork(JobWork):
    """The work of an analysis. `head`: the question with its facts."""

    most_attempts = WORKS

    def __init__(
        self,
        model: BaseLlm,
        toolbox: Toolbox,
        question: str,
        session: str,
        head: str,
        *,
        arguments: StageArguments | None = None,
        words: Language = ENGLISH,
    ) -> None:
        self._model, self._toolbox, self._arguments = model, toolbox, arguments
        self._head, self._words = head, words
        self._state = AnalysisState(question=question, session=session)
        self._work: StageWork | None = None
        self._faults: Sequence[str] = ()
        self.audit: list[ToolCall] = []
        # What had no room in the prompts.
        self.left_out: tuple[str, ...] = ()
        self.timed_out = False
        self._engine = Engine()
        self._open = AsyncExitStack()
        self._session_id = ""
        self._events: list[str] = []
        self._sent_chars = 0

    async def aclose(self) -> None:
        """Close the analysis' ADK session."""
        await self._open.aclose()
        await self._engine.aclose()

    async def plan(self, running: RunningJob) -> Sequence[JobItem]:
        """The stages of the plan; else the whole question as one stage with every tool."""
        self._restore(running.state)
        plans: list[Planning] = []

        async def made(turn: AgentTurn, run: Run, analysis: AnalysisRun) -> int:
            plans.append(Planning(analysis))
            return await plans[-1].run(turn, run)

        share = _PLAN_SHARE * (1.0 - SUMMARY_SHARE)
        try:
            await self._step(running, "Plan", made, share, PLAN_CALLS_A_ROUND * ROUNDS)
        except UnusableReply as bad:
            if not plans or not plans[-1].best:
                why = f"No plan came of it ({bad}): the question is looked at as a whole."
                running.show_progress(why)
        whole = Stage(self._state.question, tuple(self._toolbox))
        plan = plans[-1] if plans else None
        stages = (plan.best or plan.stages if plan else None) or [whole]
        return [*_items(stages), JobItem(id=_SUMMARY)]

    async def execute(self, running: RunningJob) -> str:
        """Findings of a stage, or the summary's claims. UnusableReply."""
        state = self._restore(running.state)
        if running.state.current == _SUMMARY:
            return await self._summarized(running)
        self._work = None

        async def work(turn: AgentTurn, run: Run, analysis: AnalysisRun) -> bool:
            self._work = self._stage_work(running.state.item, analysis)
            worked = await self._work.work(turn, run)
            run.said = stage_shown(self._work.done())
            return worked

        await self._step(running, "Stage", work, self._stage_share(running), STAGE_CALLS)
        state.retried = state.retried or running.state.item.attempts > 0
        return self._kept(running)

    async def verify(self, running: RunningJob) -> tuple[str, Sequence[str]]:
        """What reviewer and criteria find wrong with the findings, until the last attempt."""
        item = running.state.item
        last = item.attempts >= WORKS
        if item.id == _SUMMARY:
            return item.draft, () if last else self._faults
        self._restore(running.state)

        async def review(turn: AgentTurn, run: Run, analysis: AnalysisRun) -> bool:
            self._work = self._stage_work(item, analysis)
            return await self._work.review(turn, run)

        self._work = self._stage_work(item, self._analysis(self._toolbox))
        if self._work.needs_review:
            try:
                await self._step(running, "Stage", review, self._stage_share(running), STAGE_CALLS)
            except UnusableReply as bad:
                running.show_progress(f"The findings could not be reviewed: {bad}")
        return self._kept(running), () if last else self._work.faults

    async def reflect(self, running: RunningJob, state: Checkpoint) -> Checkpoint:
        """Let the agent change the stages that remain, where a stage did not end as planned."""
        self._restore(state)
        work, item = self._work, state.item
        if item.state != "committed" or work is None or not work.needs_reflection:
            return state

        async def reflected(turn: AgentTurn, run: Run, analysis: AnalysisRun) -> bool:
            return await StageWork(analysis, work.stage).reflect(turn, run)

        changes = self._state.changes
        try:
            await self._step(running, "Reflection", reflected, self._stage_share(running), STAGE_CALLS)
        except UnusableReply as bad:
            running.show_progress(f"The plan stays as it is: {bad}")
        state = msgspec.structs.replace(running.state, notes=self._notes())
        if self._state.changes == changes:
            return state
        done = [one for one in state.items if one.state != "open"]
        items = (*done, *_items(self._state.stages, len(done) + 1), JobItem(id=_SUMMARY))
        return msgspec.structs.replace(state, items=items)

    def trimmed(self, running: RunningJob, state: Checkpoint) -> Checkpoint:
        """Give up the open stages where there is only room for the summary."""
        out_of_time = running.seconds_left() * (1.0 - SUMMARY_SHARE) < _LEAST_S
        if not (out_of_time or self._calls_left(running, state) <= SUMMARY_CALLS):
            return state
        self.timed_out = self.timed_out or out_of_time
        why = _OUT_OF_TIME if out_of_time else _OUT_OF_CALLS
        items = tuple(
            msgspec.structs.replace(one, state="given_up", outcome=why)
            if one.state == "open" and one.id != _SUMMARY
            else one
            for one in state.items
        )
        return msgspec.structs.replace(state, items=items)

    def begins(self, state: Checkpoint) -> str:
        """The sentence for a stage that begins."""
        if state.current == _SUMMARY:
            return ""
        stages = [one for one in state.items if one.id != _SUMMARY]
        number = 1 + sum(one.state != "open" for one in stages)
        return f"Stage {number} of {len(stages)}: {tools_named(_stage(state.item))}."

    def again(self, item: JobItem) -> str:
        """The sentence for an item that is worked on again, without a model's words."""
        return "The summary is asked for again." if item.id == _SUMMARY else "Back to work on this stage."

    def result(self, state: Checkpoint) -> JobResult:
        """The answer that was found, as far as the analysis came."""
        answer = self.answer(state, state.why or _BROKEN_OFF)
        return JobResult(answer=answer, why="" if answer else _NOTHING)

    def told(self, state: Checkpoint, why: str, rest_s: float) -> Answer:
        """The answer so far; without a text where nothing was found."""
        answer = self.answer(state, why) or Answer(
            text="",
            emotion=DEFAULT,
            agent=ANALYSIS,
            tier="rule",
            verdict="TIMEOUT" if self.timed_out else "SKIPPED_NO_REQUIREMENTS",
            why=why or _NOTHING,
            audit=tuple(self.audit),
            model_calls=state.used.model_calls,
        )
        text = shown(answer.text)
        return msgspec.structs.replace(answer, text=text, rest_s=rest_s, left_out=self.left_out)

    def answer(self, state: Checkpoint, why: str) -> Answer | None:
        """The answer that a checkpoint holds, None for nothing. `why`: of what was not reached."""
        found = answer_of(state, self._words, why)
        if found is None:
            return None
        verdict: Verdict = "TIMEOUT" if self.timed_out else found.verdict
        return msgspec.structs.replace(found, verdict=verdict, audit=tuple(self.audit))

    def _restore(self, state: Checkpoint) -> AnalysisState:
        own = self._state
        if not self._session_id:
            known = _notes_of(state)
            own.queries, own.changes, own.retried = known.queries, known.changes, known.retried
            self._sent_chars, self._events = known.sent_chars, known.events
        own.done = list(_done(state))
        own.stages = [
            _stage(one)
            for one in state.items
            if one.state == "open" and one.id not in (_SUMMARY, state.current)
        ]
        return own

    def _notes(self) -> str:
        own = self._state
        notes = Notes(own.queries, own.changes, own.retried, self._sent_chars, self._events)
        return msgspec.json.encode(notes).decode()

    def _analysis(self, toolbox: Toolbox) -> AnalysisRun:
        queries = QueryLog(self._state, self._words)
        return AnalysisRun(self._state, queries, self._model, toolbox, self._head, self._arguments)

    def _stage_work(self, item: JobItem, analysis: AnalysisRun) -> StageWork:
        draft = msgspec.json.decode(item.draft, type=StageDone) if item.draft else StageDone("", ())
        analysis.queries.begin_stage(draft.asked)
        faults = list(item.problems) if item.problems else []
        if self._work is not None and not faults:
            faults = self._work.faults
        return StageWork(
            analysis, _stage(item), draft.claims, draft.open, item.attempts, bool(item.draft), faults
        )

    def _kept(self, running: RunningJob) -> str:
        """The current stage's findings as JSON; the queries go into the notes."""
        running.state = msgspec.structs.replace(running.state, notes=self._notes())
        return msgspec.json.encode(self._work.done() if self._work else StageDone("", ())).decode()

    async def _summarized(self, running: RunningJob) -> str:
        if not all_claims(self._state.done):
            outcomes = [one.outcome for one in running.state.items if one.outcome]
            raise JobFailed(outcomes[-1] if outcomes else _NOTHING)
        made: list[Summary] = []

        async def summarize(turn: AgentTurn, run: Run, analysis: AnalysisRun) -> int:
            made.append(Summary(analysis, faults=running.state.item.problems))
            return await made[-1].run(turn, run)

        before = running.state.item.draft
        try:
            await self._step(running, "Summary", summarize, 1.0, SUMMARY_CALLS, reserve=0)
        except (UnusableReply, JobWaits) as failed:
            running.show_progress(f"There is no summary ({failed}): the findings stand as they are.")
            self._faults = ()
            return before or msgspec.json.encode(SummaryDraft()).decode()
        self._faults = made[-1].faults
        draft = SummaryDraft(made[-1].claims, made[-1].emotion)
        return msgspec.json.encode(draft).decode() if draft.claims or not before else before

    def _calls_left(self, running: RunningJob, state: Checkpoint) -> int:
        """How many more calls the budget has, by number and by length."""
        most = running.budget.model_calls
        by_length = (most * _CALL_CHARS - self._sent_chars) // _CALL_CHARS
        return min(most - state.used.model_calls, by_length)

    def _stage_share(self, running: RunningJob) -> float:
        """The share of the time left that a step of the current stage may take."""
        left = max(1, len(self._state.stages) + 1)
        return (1.0 - SUMMARY_SHARE) * min(1.0, _STAGE_STRETCH / left)

    async def _step(
        self,
        running: RunningJob,
        name: str,
        step: Callable[[AgentTurn, Run, AnalysisRun], Awaitable[int]],
        share: float,
        calls: int,
        reserve: int = SUMMARY_CALLS,
    ) -> None:
        """Run one step in the App within its share of time and calls. JobWaits, UnusableReply."""
        left = self._calls_left(running, running.state) - reserve
        # Half of the calls are for work on the plan.
        calls = min(calls, left // 2) if name == "Plan" else calls
        if left <= 0:
            raise UnusableReply(_OUT_OF_CALLS, final=True)
        call = await running.begin_run(running.state.current or name, tool_calls=0)
        meter = RunMeter(running, call, running.budget.tool_calls - running.state.used.tool_calls)
        analysis = self._analysis(meter.toolbox(self._toolbox))
        loop = asyncio.get_running_loop()
        until = loop.time() + running.seconds_left() * share
        run = Run(f"{name}: {self._state.question}", until, running.emit)
        run.before_call = meter.model_call
        why = ""
        if not self._session_id:
            self._session_id = await self._open.enter_async_context(self._engine.session(events=self._events))
        try:
            async with asyncio.timeout_at(until):
                await self._engine.run(
                    lambda turn, own: step(turn, own, analysis),
                    run,
                    Translator(ANALYSIS, run, frozenset(STAGED)),
                    max_model_calls=min(calls, left),
                    session_id=self._session_id,
                )
        except TimeoutError:
            why, self.timed_out = TOO_LONG, True
            raise UnusableReply(TOO_LONG, final=True) from None
        # A model, its server and ADK may raise anything.
        except Exception as error:
            why = sentence(error)
            for one in causes(error):
                if isinstance(one, StoreError | BudgetSpent):
                    raise one from None
                if isinstance(one, LlmCallsLimitExceededError) and left < calls:
                    why = _OUT_OF_CALLS
            if meter.spent is not None:
                raise meter.spent from None
            if model_is_away(error):
                # What came to nothing counts as a call alone.
                run.sent_chars = 0
                raise JobWaits(why, rest_after(error)) from error
            raise UnusableReply(why, final=True) from error
        finally:
            self._sent_chars += run.sent_chars
            self._events = await self._engine.events(self._session_id)
            self.audit += run.tool_calls()
            self._state.retried = self._state.retried or "RETRY_SUCCEEDED" in run.verdicts.values()
            running.end_call(call, "failed" if why else "answered", why)
            running.state = msgspec.structs.replace(running.state, notes=self._notes())


def _items(stages: Sequence[Stage], first: int = 1) -> Iterator[JobItem]:
    for number, stage in enumerate(stages, first):
        yield JobItem(id=f"stage {number}", facts=msgspec.json.encode(stage).decode())


def _stage(item: JobItem) -> Stage:
    return msgspec.json.decode(item.facts, type=Stage)


def _notes_of(state: Checkpoint) -> Notes:
    return msgspec.json.decode(state.notes, type=Notes) if state.notes else Notes()


def _done(state: Checkpoint) -> Iterator[StageDone]:
    for one in state.items:
        if one.id != _SUMMARY and one.state == "committed":
            yield msgspec.json.decode(one.draft, type=StageDone)


def answer_of(state: Checkpoint, words: Language, why: str) -> Answer | None:
    """The answer that a checkpoint holds, None for nothing. `why`: of stages not reached."""
    done = list(_done(state))
    found = all_claims(done)
    if not found:
        return None
    notes = _notes_of(state)
    log = QueryLog(AnalysisState(question="", session="", queries=notes.queries), words)
    drafts = [one.draft for one in state.items if one.id == _SUMMARY and one.draft]
    summary = msgspec.json.decode(drafts[0], type=SummaryDraft) if drafts else SummaryDraft()
    missing = [
        f"{tools_named(_stage(one))}: {one.outcome or why}"
        for one in state.items
        if one.id != _SUMMARY and one.state != "committed"
    ]
    # The summary orders what was found; what it leaves out stands below it.
    cited = {*cited_queries(summary.claims)}
    shown = (*summary.claims, *(claim for claim in found if not cited.issuperset(claim.queries)))
    return Answer(
        text=text_of(shown, [*not_shown(done), *missing], log),
        emotion=summary.emotion,
        agent=ANALYSIS,
        tier="paddock",
        verdict="RETRY_SUCCEEDED" if notes.retried else "PASSED",
        missing=tuple(missing),
        model_calls=state.used.model_calls,
    )


async def opened_work(
    model: BaseLlm,
    toolbox: Toolbox,
    question: str,
    session: str,
    *,
    context: ContextSource,
    track: Track | None = None,
    arguments: StageArguments | None = None,
    words: Language = ENGLISH,
) -> AnalysisWork:
    """The work on a question, which only reads. `context` gives its prompts' facts."""
    try:
        sections = await asyncio.to_thread(context, route(question, track).agent, question)
        built = build_prompt(question, sections)
        head, left_out = built.text, built.left_out
    except Exception:
        head, left_out = f"Question: {question}", ("the facts of the session",)
    reading = {name: one for name, one in toolbox.items() if name not in EFFECTS}
    work = AnalysisWork(model, reading, question, session, head, arguments=arguments, words=words)
    work.left_out = left_out
    return work

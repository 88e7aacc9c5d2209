"""Answers the questions and works on the jobs that the worker is sent; loads the model and its framework in
the background, once the model can be reached."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pitwall.analysis.tool_kit import Toolbox, ToolRefused
from pitwall.analysis.tools import Tools
from pitwall.contract.events import Answer, Event
from pitwall.contract.messages import AskRun, Hello, JobRun
from pitwall.contract.settings import NO_CONNECTION, NOT_SET, ModelSettings
from pitwall.paddock.composed import Composed
from pitwall.paddock.context import Section, sections
from pitwall.paddock.fallback import LocalModel
from pitwall.paddock.offline import AnswerStream, OfflineOrchestrator
from pitwall.paddock.records import RemoteFacts, VoiceScriptTool, profile_session
from pitwall.paddock.roster import BRIEF, DEBRIEF, DUTIES
from pitwall.paddock.runs import CancelledRun, audit_rows
from pitwall.store.errors import StoreError
from pitwall.track.model import Track

if TYPE_CHECKING:
    from pitwall.paddock.adk.model_client import BaseLlm
    from pitwall.paddock.controller.resources import CallMeter, JobPort, JobQuestion, OpenAnswer, Save

log = logging.getLogger("pitwall")

# The share of the remaining budget that a first question may wait for the model's software to load.
_LOADING_SHARE = 0.5
# Nobody waits for a job, so it may wait longer for the model.
_LOADING_FOR_JOBS_S = 60.0
_INTENTS = {"brief": BRIEF, "debrief": DEBRIEF}
_DEFAULT_PROMPTS = {"brief": "Brief me for the next run.", "debrief": "Debrief this session."}

# The limits of an analysis that a job sets.
_LIMITS = ("seconds", "model_calls", "tool_calls")

# Called with the checkpoint of a staged analysis and what it could answer so far.
KeepProgress = Callable[[str, Answer | None], Awaitable[None]]


class QuestionRefused(Exception):
    """A question can't be answered as it was asked. The message says why."""


@dataclass(frozen=True)
class QuestionSubject:
    """The session that a question is about: tools to which "last" means this session, and its track."""

    session: str
    tools: Tools
    track: Track | None


class WorkerService:
    """Use as `async with`, with `models.run` as a task beside it. Several runs may go on at once."""

    def __init__(self, hello: Hello, facts: RemoteFacts) -> None:
        self._settings, self._facts = hello.settings, facts
        self._cache = Path(hello.home) / "cache" / "litert"
        self._local_file = Path(hello.settings.local_model).expanduser()
        self._tools, self._script_tool = Tools(facts), VoiceScriptTool(facts)
        self.models = ModelLoader(hello.settings.model, hello.connected)
        self._local: LocalModel | None = None
        self._save_power = hello.spare
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> WorkerService:
        if self._settings.local_model:
            from pitwall.paddock.litert import LiteRtLm

            engine = LiteRtLm(self._local_file, self._cache)
            self._local = await self._stack.enter_async_context(engine)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def save_power(self, now: bool) -> None:
        """Do not ask the model on this machine from the next question on, or ask it again."""
        self._save_power = now

    @asynccontextmanager
    async def answering(self, asked: AskRun, keep: KeepProgress) -> AsyncIterator[AnswerStream]:
        """The stream of one answer, closed with all that was opened for it. QuestionRefused, StoreError.

        `keep` is called with the progress of a staged analysis: see `messages.Saved`.
        """
        loop = asyncio.get_running_loop()
        started = loop.time() - asked.age_s
        budget_s = self._budget_s(asked)
        subject = await asyncio.to_thread(self._subject, asked.session)
        model, why = None, asked.why
        if not why:
            model, why = await self._model(subject, (started + budget_s - loop.time()) * _LOADING_SHARE)
        async with AsyncExitStack() as stack:
            try:
                age_s = loop.time() - started
                stream = await self._begin(stack, asked, subject, model, why, age_s, keep)
            except ValueError as error:
                raise QuestionRefused(str(error)) from None
            yield await stack.enter_async_context(stream)

    async def probe(self, within_s: float) -> Answer:
        """Return what the model says when it is asked for one word: an answer of its tier if it spoke."""
        model, why = await self.models.get(within_s)
        if model is not None:
            from pitwall.paddock.adk.single_calls import asked_for_a_word

            return await asked_for_a_word(model, within_s)
        return Answer(text="", emotion="", agent="", tier="rule", verdict="TIMEOUT", why=why)

    async def work(self, job: JobRun, port: JobPort, emit: Callable[[Event], None]) -> None:
        """Continue a job until it ends or has to wait; `emit` then gets the reason. StoreError: not saved."""
        from pitwall.paddock.controller.phases import continue_job
        from pitwall.paddock.controller.resources import JobResources

        resources = JobResources(
            records=self._facts,
            toolbox=self._script_tool.with_tools(self._tools),
            profile=partial(profile_session, self._facts),
        )
        model: BaseLlm | None = None
        if job.kind != "profile":
            model, _why = await self.models.get(_LOADING_FOR_JOBS_S)
        if model is not None:
            from pitwall.paddock.adk.single_calls import AdkCaller

            resources.caller = AdkCaller(model)
            resources.open_answer = self._open_answer_for(job.job, model)
        await continue_job(job, resources, port, emit)

    async def _model(self, subject: QuestionSubject, within_s: float) -> tuple[BaseLlm | None, str]:
        """As `models.get`. The session's report is read meanwhile: every tier needs it."""

        def read() -> None:
            # The answer itself will report what is wrong.
            with suppress(ToolRefused, StoreError):
                subject.tools.report()

        reading = asyncio.create_task(asyncio.to_thread(read))
        try:
            return await self.models.get(within_s)
        finally:
            # The thread finishes by itself, and the tools keep what it read.
            reading.cancel()
            await asyncio.wait({reading})

    async def _begin(
        self,
        stack: AsyncExitStack,
        asked: AskRun,
        subject: QuestionSubject,
        model: BaseLlm | None,
        why: str,
        age_s: float,
        keep: KeepProgress,
    ) -> AnswerStream:
        """Start the answer. ValueError: the prompt is empty, or the intent names no agent."""
        prompt = asked.prompt.strip() or _DEFAULT_PROMPTS.get(asked.kind, "")
        options = self._options(subject, job=None)
        if asked.composed:
            options["compose"] = lambda _agent, _question: asked.composed
        budgets: dict[str, Any] = {"brief_s": self._settings.brief_s, "answer_s": self._budget_s(asked)}
        intent = _INTENTS.get(asked.kind, asked.intent)
        if model is None:
            # Nothing of ADK is loaded without a model. Composed answers need no prompt, so no context either.
            del options["context"]
            offline = OfflineOrchestrator(why=why, **options, **budgets)
            stack.push_async_callback(offline.aclose)
            return await offline.ask(prompt, intent=intent, turns=asked.turns, age_s=age_s)
        if asked.kind != "analyze":
            toolbox = self._script_tool.with_tools(subject.tools)
            return await self._asked(
                stack, model, toolbox, subject, prompt, {**options, **budgets},
                intent=intent, turns=asked.turns, age_s=age_s,
            )  # fmt: skip
        from pitwall.paddock.adk.staged.analysis import partial_answer
        from pitwall.paddock.controller.answer_jobs import checkpoint_with

        async def save(text: str) -> None:
            await keep(checkpoint_with(text), partial_answer(text))

        return await self._analysed(
            model, Composed(subject.tools, self._facts).toolbox(), subject, prompt, options,
            {"seconds": self._settings.analysis_s}, save=save, age_s=age_s,
        )  # fmt: skip

    def _open_answer_for(self, job: str, model: BaseLlm) -> OpenAnswer:
        @asynccontextmanager
        async def open_answer(
            question: JobQuestion, meter: CallMeter, save: Save
        ) -> AsyncIterator[AnswerStream]:
            subject = await asyncio.to_thread(self._subject, question.session)
            toolbox = meter.toolbox(self._script_tool.with_tools(subject.tools))
            options = {**self._options(subject, job=job), "before_call": meter.model_call}
            async with AsyncExitStack() as stack:
                if question.staged:
                    limits = {name: getattr(question, name) for name in _LIMITS}
                    stream = await self._analysed(
                        model, toolbox, subject, question.text, options, limits,
                        save=save, checkpoint=question.checkpoint,
                    )  # fmt: skip
                else:
                    options |= {"brief_s": question.seconds, "answer_s": question.seconds}
                    stream = await self._asked(
                        stack, model, toolbox, subject, question.text, options,
                        intent=question.intent, turns=question.turns,
                    )  # fmt: skip
                yield await stack.enter_async_context(stream)

        return open_answer

    async def _asked(
        self,
        stack: AsyncExitStack,
        model: BaseLlm,
        toolbox: Toolbox,
        subject: QuestionSubject,
        text: str,
        options: dict[str, Any],
        **question: Any,
    ) -> AnswerStream:
        """The model's answer to a question, closed with `stack`."""
        from pitwall.paddock.adk.orchestrator import PitwallOrchestrator

        fetch = Composed(subject.tools, self._facts).fetched
        orchestrator = PitwallOrchestrator(model, toolbox, fetch=fetch, **options)
        stack.push_async_callback(orchestrator.aclose)
        return await orchestrator.ask(text, **question)

    async def _analysed(
        self,
        model: BaseLlm,
        toolbox: Toolbox,
        subject: QuestionSubject,
        text: str,
        options: dict[str, Any],
        limits: dict[str, Any],
        **question: Any,
    ) -> AnswerStream:
        """An analysis in stages, within `limits` (the fields of its Budgets)."""
        from pitwall.paddock.adk.staged.analysis import StagedAnalysis
        from pitwall.paddock.adk.staged.state import Budgets

        arguments = Composed(subject.tools, self._facts).arguments
        staged = StagedAnalysis(model, toolbox, arguments=arguments, **options)
        return await staged.stream(text, session=subject.session, budgets=Budgets(**limits), **question)

    def _subject(self, session: str) -> QuestionSubject:
        """For a thread. QuestionRefused: there is no such session."""
        try:
            row = self._tools.session(session)
        except ToolRefused as refused:
            # Where nothing is recorded yet, the composed answer says so.
            if session == "last":
                return QuestionSubject("last", self._tools, None)
            raise QuestionRefused(f"{refused.error}: {refused.what_to_do}") from None
        track = self._facts.track(row.track) if row.track else None
        return QuestionSubject(row.id, self._tools.about(row), track)

    def _options(self, subject: QuestionSubject, job: str | None) -> dict[str, Any]:
        """Return what orchestrators and the staged analysis have in common."""

        def record(answer: Answer | CancelledRun) -> None:
            self._facts.put_trail(audit_rows(answer, time.time(), job))

        def context(agent: str, question: str) -> list[Section]:
            first = agent in DUTIES and DUTIES[agent].of_driver
            return sections(subject.tools, self._facts, question, subject.session, driver_first=first)

        return {
            "compose": Composed(subject.tools, self._facts),
            "context": context,
            "local": None if self._save_power else self._local,
            "track": subject.track,
            "record": record,
            "words": self._facts.words,
        }

    def _budget_s(self, asked: AskRun) -> float:
        by_kind = {"brief": self._settings.brief_s, "analyze": self._settings.analysis_s}
        return by_kind.get(asked.kind, self._settings.answer_s)


STILL_LOADING = "The model's software was still being loaded."


class ModelLoader:
    """`run` is a task that loads the model, and closes it when cancelled. `get` waits for the model."""

    def __init__(self, settings: ModelSettings, connected: bool) -> None:
        self._settings = settings
        self._connected = asyncio.Event()
        self._loaded = asyncio.Event()
        self._model: BaseLlm | None = None
        self._problem = ""
        self.connected(connected)

    def connected(self, now: bool) -> None:
        """Note whether the model can be reached. A loaded model stays loaded."""
        if now:
            self._connected.set()
        else:
            self._connected.clear()

    async def get(self, within_s: float) -> tuple[BaseLlm | None, str]:
        """The model and "", or None and a sentence that says why there is none now."""
        if self._settings.kind == "none":
            return None, NOT_SET
        if not self._connected.is_set():
            return None, NO_CONNECTION
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, within_s)):
                await self._loaded.wait()
        if not self._loaded.is_set():
            return None, STILL_LOADING
        return self._model, f"The model can't be used: {self._problem}." if self._problem else ""

    async def run(self) -> None:
        """Load the model once there is a connection; keep it open until cancelled."""
        if self._settings.kind == "none":
            return
        await self._connected.wait()
        async with AsyncExitStack() as stack:
            try:
                self._model, self._problem = await self._open(stack)
            except ImportError as error:
                self._problem = f"{error.name or error} is missing, install pitwall[paddock]"
            # A framework may raise anything when it is imported. The other tiers must go on answering.
            except Exception:
                log.exception("the model can't be used")
                self._problem = "its software failed to load, the log has the details"
            self._loaded.set()
            await asyncio.get_running_loop().create_future()

    async def _open(self, stack: AsyncExitStack) -> tuple[BaseLlm | None, str]:
        # In a thread, since imports take seconds and must not delay an answer without the model.
        await asyncio.to_thread(_import_framework)
        from pitwall.paddock.adk.model_client import ModelProblem, open_model

        try:
            return await stack.enter_async_context(open_model(self._settings)), ""
        except ModelProblem as problem:
            return None, str(problem)


def _import_framework() -> None:
    """Import everything that a first request needs."""
    # The imported objects stay for good. Without the garbage collector the import takes a fifth less time.
    gc.disable()
    try:
        from pitwall.paddock.adk.single_calls import warm_up

        try:
            warm_up()
        except Exception:
            log.exception("the model's software was not warmed up")
    finally:
        gc.freeze()
        gc.enable()

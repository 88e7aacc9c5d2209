"""Answer the worker's questions and jobs; load model and framework in the background."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from pitwall.contract.events import Answer, Event
from pitwall.contract.jobs import AnalysisInput
from pitwall.contract.messages import AskRun, Hello, JobRun
from pitwall.contract.questions import NAMED
from pitwall.contract.settings import NOT_SET, ModelSettings
from pitwall.paddock.offline import AnswerStream, OfflineOrchestrator
from pitwall.paddock.records import RemoteRecords, SessionDesk
from pitwall.paddock.runs import CancelledRun, audit_rows

if TYPE_CHECKING:
    from pitwall.analysis.tool_kit import Toolbox
    from pitwall.paddock.adk.model_client import BaseLlm
    from pitwall.paddock.controller.resources import JobPort
    from pitwall.paddock.controller.running_job import RunMeter
    from pitwall.paddock.controller.work import JobWork
    from pitwall.track.model import Track

log = logging.getLogger("pitwall")

# The share of the budget that a first question may wait for the model's software.
_LOADING_SHARE = 0.5
_LOADING_FOR_JOBS_S = 60.0


class QuestionRefused(Exception):
    """A question can't be answered as it was asked. The message says why."""


class WorkerService:
    """Serve several runs at once, while `models.run` runs as a task."""

    def __init__(self, hello: Hello, records: RemoteRecords) -> None:
        self._settings, self._records = hello.settings, records
        self.models = ModelLoader(hello.settings.model)

    @asynccontextmanager
    async def answering(self, asked: AskRun) -> AsyncIterator[AnswerStream]:
        """The stream of one answer. QuestionRefused."""
        loop = asyncio.get_running_loop()
        started = loop.time() - asked.age_s
        seconds = self._settings.brief_s if asked.kind == "brief" else self._settings.answer_s
        model, why = await self.models.get((started + seconds - loop.time()) * _LOADING_SHARE)
        desk = await asyncio.to_thread(self._records.about, asked.session)
        options = {**self._options(desk, None), "answer_s": seconds, "brief_s": self._settings.brief_s}
        if asked.composed:
            options["compose"] = lambda _agent, _question: asked.composed
        orchestrator = self._orchestrator(model, desk.toolbox(), desk, why, options)
        async with _answers(orchestrator, asked, loop.time() - started) as stream:
            yield stream

    async def work(self, job: JobRun, port: JobPort, emit: Callable[[Event], None]) -> None:
        """Continue a job until it ends or waits; `emit` then gets the reason. StoreError."""
        from pitwall.paddock.controller.phases import continue_job
        from pitwall.paddock.controller.work import JobResources

        desk = SessionDesk(self._records, None)
        resources = JobResources(records=self._records, toolbox=desk.toolbox())
        within_s = 0.0 if job.kind == "fleet_push" else _LOADING_FOR_JOBS_S
        model, resources.why = await self.models.get(within_s)
        if model is not None:
            from pitwall.paddock.adk.single_calls import AdkCaller

            resources.caller = AdkCaller(model)
            resources.open_answer = partial(self._answered, model, job.job)
            resources.open_analysis = partial(self._analysed, model)
        await continue_job(job, resources, port, emit)

    @asynccontextmanager
    async def _answered(
        self, model: BaseLlm, job: str, asked: AskRun, seconds: float, meter: RunMeter
    ) -> AsyncIterator[AnswerStream]:
        """The stream of a job's answer. QuestionRefused."""
        desk = await asyncio.to_thread(self._records.about, asked.session)
        times = {"answer_s": seconds, "brief_s": seconds}
        options = {**self._options(desk, job), **times, "before_call": meter.model_call}
        orchestrator = self._orchestrator(model, meter.toolbox(desk.toolbox()), desk, "", options)
        async with _answers(orchestrator, asked) as stream:
            yield stream

    async def _analysed(self, model: BaseLlm, given: AnalysisInput) -> JobWork:
        from pitwall.paddock.adk.staged.analysis import opened_work

        desk = await asyncio.to_thread(self._records.about, given.session)
        return await opened_work(
            model,
            desk.toolbox(),
            given.question,
            "last" if desk.row is None else desk.row.id,
            context=desk.sections,
            track=self._track(desk),
            arguments=desk.arguments,
            words=self._records.words,
        )

    def _orchestrator(
        self,
        model: BaseLlm | None,
        toolbox: Toolbox,
        desk: SessionDesk,
        why: str,
        options: dict[str, Any],
    ) -> OfflineOrchestrator:
        if model is None:
            # Nothing of ADK is loaded without a model.
            return OfflineOrchestrator(why=why, **options)
        from pitwall.paddock.adk.orchestrator import CrewChief

        return CrewChief(model, toolbox, fetch=desk.fetched, context=desk.sections, **options)

    def _options(self, desk: SessionDesk, job: str | None) -> dict[str, Any]:
        def record(answer: Answer | CancelledRun) -> None:
            self._records.put_trail(audit_rows(answer, time.time(), job))

        return {
            "compose": desk,
            "track": self._track(desk),
            "record": record,
            "words": self._records.words,
        }

    def _track(self, desk: SessionDesk) -> Track | None:
        row = desk.row
        return self._records.track(row.track) if row is not None and row.track else None


@asynccontextmanager
async def _answers(
    orchestrator: OfflineOrchestrator, asked: AskRun, age_s: float = 0.0
) -> AsyncIterator[AnswerStream]:
    text = asked.prompt.strip() or NAMED.get(asked.kind, "")
    intent = asked.kind if asked.kind in NAMED else asked.intent
    try:
        try:
            stream = await orchestrator.ask(text, intent=intent, turns=asked.turns, age_s=age_s)
        except ValueError as error:
            raise QuestionRefused(str(error)) from None
        async with stream:
            yield stream
    finally:
        await orchestrator.aclose()


STILL_LOADING = "The model's software was still being loaded."


class ModelLoader:
    """`run` loads the model, and closes it when cancelled. `get` waits for it."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._loaded = asyncio.Event()
        self._model: BaseLlm | None = None
        self._problem = ""

    async def get(self, within_s: float) -> tuple[BaseLlm | None, str]:
        """The model and "", or None and a sentence that says why there is none now."""
        if self._settings.kind == "none":
            return None, NOT_SET
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, within_s)):
                await self._loaded.wait()
        if not self._loaded.is_set():
            return None, STILL_LOADING
        return self._model, f"The model can't be used: {self._problem}." if self._problem else ""

    async def run(self) -> None:
        """Load the model and keep it open until cancelled."""
        if self._settings.kind == "none":
            return
        async with AsyncExitStack() as stack:
            try:
                self._model, self._problem = await self._open(stack)
            except ImportError as error:
                self._problem = f"{error.name or error} is missing, install pitwall[paddock]"
            # A framework may raise anything when imported. The other tiers must go on answering.
            except Exception:
                log.exception("the model can't be used")
                self._problem = "its software failed to load, the log has the details"
            self._loaded.set()
            await asyncio.get_running_loop().create_future()

    async def _open(self, stack: AsyncExitStack) -> tuple[BaseLlm | None, str]:
        await asyncio.to_thread(_import_framework)
        from pitwall.paddock.adk.model_client import ModelProblem, open_model

        try:
            return await stack.enter_async_context(open_model(self._settings)), ""
        except ModelProblem as problem:
            return None, str(problem)


def _import_framework() -> None:
    # The imported objects stay for good: without the collector the import takes a fifth less time.
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

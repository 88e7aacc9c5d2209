"""The worker's desk: takes what is asked, about which session, and gives it to the best tier there is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pitwall.analysis import prompt_facts
from pitwall.analysis.tool_kit import ToolRefused
from pitwall.analysis.tools import Tools
from pitwall.contract.events import Answer, Event
from pitwall.contract.messages import AskRun, Hello, JobRun
from pitwall.paddock.answer_stream import AnswerStream
from pitwall.paddock.audit import CancelledRun, audit_rows
from pitwall.paddock.composed import Composed
from pitwall.paddock.context import Section
from pitwall.paddock.fallback import LocalModel
from pitwall.paddock.model_loader import ModelLoader
from pitwall.paddock.offline import OfflineOrchestrator
from pitwall.paddock.profile_job import profile_session
from pitwall.paddock.remote_facts import RemoteFacts
from pitwall.paddock.roster import BRIEF, DEBRIEF
from pitwall.store.errors import StoreError
from pitwall.track.model import Track

if TYPE_CHECKING:
    from google.adk.models.base_llm import BaseLlm

    from pitwall.paddock.controller.resources import JobPort, JobQuestion, Meter, Save

# Of what is left of the budget: so long a first question waits for the framework to be loaded.
_LOADING_SHARE = 0.5
# Nobody waits for a job: it may begin when the model is there.
_LOADING_FOR_JOBS_S = 60.0
_INTENTS = {"brief": BRIEF, "debrief": DEBRIEF}
_SAID_FOR = {"brief": "Brief me for the next run.", "debrief": "Debrief this session."}

Keep = Callable[[str, Answer | None], Awaitable[None]]


class RunRefused(Exception):
    """What was asked can't be answered as it was asked: a sentence."""


@dataclass(frozen=True)
class QuestionSubject:
    """What a question is about: tools to which "last" means its session, and that session's track."""

    session: str
    tools: Tools
    track: Track | None


class WorkerService:
    """`async with` it, and run `models.run` beside; several questions and jobs may be on their way."""

    def __init__(self, hello: Hello, facts: RemoteFacts) -> None:
        self._settings, self._facts = hello.settings, facts
        self._cache = Path(hello.home) / "cache" / "litert"
        self._local_file = Path(hello.settings.local_model).expanduser()
        self._tools = Tools(facts)
        self.models = ModelLoader(hello.settings.model, hello.connected)
        self._local: LocalModel | None = None
        self._spare = hello.spare
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> WorkerService:
        if self._settings.local_model:
            from pitwall.paddock.litert import LiteRtLm

            engine = LiteRtLm(self._local_file, self._cache)
            self._local = await self._stack.enter_async_context(engine)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def spare(self, now: bool) -> None:
        """Leave the model on this machine alone from the next question on, or ask it again."""
        self._spare = now

    @asynccontextmanager
    async def answering(self, asked: AskRun, keep: Keep) -> AsyncIterator[AnswerStream]:
        """The stream of one answer; all of it is closed at the end. NotAnswerable, StoreError.

        `keep` is awaited with how far a staged analysis has come: see `messages.Saved`.
        """
        loop = asyncio.get_running_loop()
        started = loop.time() - asked.age_s
        budget_s = self._budget_s(asked)
        subject = await asyncio.to_thread(self._about, asked.session)
        model, why = await self._model(subject, (started + budget_s - loop.time()) * _LOADING_SHARE)
        async with AsyncExitStack() as stack:
            try:
                age_s = loop.time() - started
                stream = await self._begin(stack, asked, subject, model, why, age_s, keep)
            except ValueError as error:
                raise RunRefused(str(error)) from None
            yield await stack.enter_async_context(stream)

    async def work(self, job: JobRun, port: JobPort, emit: Callable[[Event], None]) -> None:
        """Go on with a job until it has ended, or can't go on now, which is shown. StoreError: not kept."""
        from pitwall.paddock.controller.kinds import continue_job
        from pitwall.paddock.controller.resources import JobResources

        facts, toolbox = self._facts, self._tools.table()
        model: BaseLlm | None = None
        if job.kind != "profile":
            model, _why = await self.models.get(_LOADING_FOR_JOBS_S)
        if model is None:
            resources = JobResources(facts=facts, toolbox=toolbox, profile=self._profile)
        else:
            from pitwall.paddock.controller.caller import AdkCaller

            answering = self._answering_for(job.job, model)
            resources = JobResources(
                facts=facts,
                toolbox=toolbox,
                profile=self._profile,
                caller=AdkCaller(model),
                answering=answering,
            )
        await continue_job(job, resources, port, emit)

    async def _model(self, subject: QuestionSubject, within_s: float) -> tuple[BaseLlm | None, str]:
        """As `models.get`; while that waits the session is read already: whoever answers will need it."""

        def read() -> None:
            # What is wrong with it, the answer itself will say.
            with suppress(ToolRefused, StoreError):
                subject.tools.report()

        reading = asyncio.create_task(asyncio.to_thread(read))
        try:
            return await self.models.get(within_s)
        finally:
            # The thread goes on, and what it read is kept.
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
        keep: Keep,
    ) -> AnswerStream:
        """Begin to answer. ValueError: it is empty, or names an agent that there is not."""
        prompt = asked.prompt.strip() or _SAID_FOR.get(asked.kind, "")
        given = self._given(subject, job=None)
        if asked.kind == "analyze" and model is not None:
            from pitwall.paddock.controller.answers import checkpoint_with
            from pitwall.paddock.staged.analysis import StagedAnalysis, partial_answer
            from pitwall.paddock.staged.budgets import Budgets

            async def save(text: str) -> None:
                await keep(checkpoint_with(text), partial_answer(text))

            staged = StagedAnalysis(model, subject.tools.table(), **given)
            budgets = Budgets(seconds=self._settings.analysis_s)
            return await staged.stream(
                prompt, session=subject.session, save=save, budgets=budgets, age_s=age_s
            )
        answer_s = self._budget_s(asked)
        crew = _crew(model, why, subject, brief_s=self._settings.brief_s, answer_s=answer_s, **given)
        stack.push_async_callback(crew.aclose)
        intent = _INTENTS.get(asked.kind, asked.intent)
        return await crew.ask(prompt, intent=intent, turns=asked.turns, age_s=age_s)

    def _answering_for(self, job: str, model: BaseLlm) -> Any:
        """`controller.resources.OpenAnswer` for one job."""

        @asynccontextmanager
        async def answering(question: JobQuestion, meter: Meter, save: Save) -> AsyncIterator[AnswerStream]:
            from pitwall.paddock.orchestrator import PitwallOrchestrator
            from pitwall.paddock.staged.analysis import StagedAnalysis
            from pitwall.paddock.staged.budgets import Budgets

            subject = await asyncio.to_thread(self._about, question.session)
            toolbox = meter.toolbox(subject.tools.table())
            given = {**self._given(subject, job=job), "before_call": meter.model_call}
            async with AsyncExitStack() as stack:
                if question.staged:
                    stream = await StagedAnalysis(model, toolbox, **given).stream(
                        question.text,
                        session=subject.session,
                        checkpoint=question.checkpoint,
                        save=save,
                        budgets=Budgets(
                            seconds=question.seconds,
                            model_calls=question.model_calls,
                            tool_calls=question.tool_calls,
                        ),
                    )
                else:
                    crew = PitwallOrchestrator(
                        model, toolbox, brief_s=question.seconds, answer_s=question.seconds, **given
                    )
                    stack.push_async_callback(crew.aclose)
                    stream = await crew.ask(question.text, intent=question.intent, turns=question.turns)
                yield await stack.enter_async_context(stream)

        return answering

    def _about(self, session: str) -> QuestionSubject:
        """For a thread. NotAnswerable: there is no such session."""
        try:
            row = self._tools.session(session)
        except ToolRefused as refused:
            # Nothing recorded yet is an answer, and the composer gives it.
            if session == "last":
                return QuestionSubject("last", self._tools, None)
            raise RunRefused(f"{refused.error}: {refused.what_to_do}") from None
        track = self._facts.track(row.track) if row.track else None
        return QuestionSubject(row.id, self._tools.about(row), track)

    def _given(self, subject: QuestionSubject, job: str | None) -> dict[str, Any]:
        """What everybody who answers is given."""

        def record(answer: Answer | CancelledRun) -> None:
            self._facts.put_trail(audit_rows(answer, time.time(), job))

        def context(agent: str, question: str) -> list[Section]:
            found = prompt_facts.sections(subject.tools, self._facts, agent, question, subject.session)
            return [Section(title=each.title, text=each.text, rank=each.rank) for each in found]

        return {
            "compose": Composed(subject.tools, self._facts),
            "context": context,
            "local": None if self._spare else self._local,
            "track": subject.track,
            "record": record,
        }

    def _profile(self, session: str) -> object:
        return profile_session(self._facts, session)

    def _budget_s(self, asked: AskRun) -> float:
        by_kind = {"brief": self._settings.brief_s, "analyze": self._settings.analysis_s}
        return by_kind.get(asked.kind, self._settings.answer_s)


def _crew(model: BaseLlm | None, why: str, subject: QuestionSubject, **given: Any) -> OfflineOrchestrator:
    """Who answers: without a model nothing of ADK is loaded."""
    if model is None:
        # Composed sentences are made from the same facts: there is no prompt to put them into.
        return OfflineOrchestrator(
            why=why, **{name: held for name, held in given.items() if name != "context"}
        )
    from pitwall.paddock.orchestrator import PitwallOrchestrator

    return PitwallOrchestrator(model, subject.tools.table(), **given)

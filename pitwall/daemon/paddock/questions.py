"""A question on its way: how it is answered, and what was said before it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from pitwall.contract.events import Answer, Content, Done, Error, Event, Progress, Routed
from pitwall.contract.jobs import AT_ONCE, JobResult
from pitwall.contract.messages import AskRun, Turn
from pitwall.contract.problems import SESSIONS_LISTED, Refused
from pitwall.contract.questions import NAMED, Asked
from pitwall.contract.settings import NOT_SET, PaddockSettings
from pitwall.daemon.paddock.breaker import ModelBreaker
from pitwall.daemon.paddock.jobs import JobRunner
from pitwall.daemon.paddock.worker import RunEvents, WorkerFailed, WorkerProcess
from pitwall.store import queries
from pitwall.store.conversations import keep_turns, recent_turns
from pitwall.store.errors import StoreError, UnknownSessionError
from pitwall.store.jobs import Job
from pitwall.store.store import Store

if TYPE_CHECKING:
    from pitwall.daemon.paddock.rule_tier import RuleTier

log = logging.getLogger("pitwall")

# The share of an analysis' time that is kept for telling it.
_RESERVE = 0.05


class Asking(RunEvents):
    """The events of a question; `job`: the analysis that was begun for it. Refused."""

    def __init__(self) -> None:
        super().__init__()
        self.job = ""
        self.goes_on = False

    def put_off(self) -> list[str]:
        """Let a begun analysis go on as a job; return the sentence, if there is one."""
        self.goes_on = bool(self.job)
        return [f"It goes on as job {self.job} in the paddock."] if self.job else []

    def stop(self, last: Event | Refused) -> None:
        """End it with this."""
        if isinstance(last, Refused):
            self.end(last)
        elif not self.over.is_set():
            self.put(last)
            self.end()


class Answering:
    """Answers in composed sentences, then in the model's, on one event loop."""

    def __init__(
        self,
        store: Store,
        settings: PaddockSettings,
        worker: WorkerProcess,
        breaker: ModelBreaker,
        jobs: JobRunner,
        rule_tier: Callable[[], Awaitable[RuleTier]],
    ) -> None:
        self._store, self._settings, self._worker = store, settings, worker
        self._breaker, self._jobs, self._rule_tier = breaker, jobs, rule_tier
        self.on_their_way: dict[Asking, asyncio.Task[None]] = {}
        self.answered: Counter[str] = Counter()

    @asynccontextmanager
    async def asking(self, asked: Asked) -> AsyncIterator[AsyncIterator[Event]]:
        """Answer while the block runs."""
        events = Asking()
        task = asyncio.create_task(self._answer(asked, events), name=f"paddock: {asked.kind}")
        self.on_their_way[events] = task
        try:
            yield events
        finally:
            del self.on_their_way[events]
            task.cancel()
            await asyncio.wait({task})

    async def job_ended(self, job: Job) -> None:
        """Keep its answer with the conversation."""
        if job.state == "done" and (answer := msgspec.json.decode(job.result, type=JobResult).answer):
            given = msgspec.json.decode(job.input, type=dict[str, Any])
            question = given.get("question") or NAMED.get(job.kind, "")
            await self._keep(given.get("session", "last"), question, answer)
            self._breaker.answered()

    async def _answer(self, asked: Asked, events: Asking) -> None:
        """Answer in composed sentences at once, then in the model's, if they hold."""
        started_s = asyncio.get_running_loop().time()
        composed: Answer | None = None
        try:
            asked, turns = await asyncio.to_thread(self._prepared, asked)
            rules = await self._rule_tier()
            chosen = await rules.routed(asked)
            events.put(Routed(chosen.agent, chosen.stage))
            composed = await rules.answer(asked, chosen.agent, turns)
            why = NOT_SET if is_small_talk(asked) else self._breaker.why_not()
            # What is asked exactly is answered by code alone.
            if asked.query is not None or why:
                why = "" if is_small_talk(asked) else why
                answer = self._timed(msgspec.structs.replace(composed, why=why), started_s)
                rules.record(answer)
                await self._tell(asked, answer, events)
            else:
                events.put(Content(chosen.agent, composed.text, provisional=True))
                if asked.kind == "analyze":
                    await self._analyse(asked, composed, started_s, events)
                else:
                    await self._improve(asked, composed, turns, started_s, events)
        except UnknownSessionError as unknown:
            events.stop(Refused(404, str(unknown), SESSIONS_LISTED))
        except Refused as refused:
            events.stop(refused)
        except (WorkerFailed, StoreError) as failed:
            log.info("the paddock: %s", failed)
            sentence = " ".join([str(failed), *events.put_off()])
            if composed is None or events.goes_on:
                again = Refused(503, sentence, "ask again; /status shows how it is", retry_after_s=1.0)
                events.stop(Error(sentence) if events.goes_on else again)
                return
            events.put(Error(sentence))
            failing = msgspec.structs.replace(composed, why=str(failed))
            await self._tell(asked, self._timed(failing, started_s), events)
            events.end()
        except Exception:  # a bug in here must not leave the driver waiting
            log.exception("the paddock: %s", asked.kind)
            events.stop(Error("Something went wrong in answering this; it is in the log. Ask again."))
        else:
            events.end()

    async def _improve(
        self,
        asked: Asked,
        composed: Answer,
        turns: tuple[Turn, ...],
        started_s: float,
        events: Asking,
    ) -> None:
        loop = asyncio.get_running_loop()

        def request(run: int) -> AskRun:
            return AskRun(
                run=run,
                kind=asked.kind,
                prompt=asked.question,
                intent=composed.agent,
                session=asked.session,
                turns=turns,
                age_s=loop.time() - started_s,
                composed=f"[{composed.emotion}] {composed.text}",
            )

        try:
            async with aclosing(self._worker.run(request)) as worked:
                self._breaker.asked(events)
                async for event in worked:
                    if isinstance(event, Routed):
                        continue
                    self._breaker.spoke(events)
                    if isinstance(event, Done):
                        await self._done(asked, event, events)
                    events.put(event)
        finally:
            self._breaker.spoke(events)

    async def _analyse(self, asked: Asked, composed: Answer, started_s: float, events: Asking) -> None:
        """Work on it as a job, with a budget that ends before the time is up."""
        until_s = started_s + self._settings.analysis_s
        left_s = (until_s - asyncio.get_running_loop().time()) * (1.0 - _RESERVE)
        budget = msgspec.structs.replace(AT_ONCE, seconds=max(0.0, left_s))
        given = {"question": asked.question.strip(), "session": asked.session}
        found, why = None, "The time for this analysis was up."
        try:
            async with self._jobs.working("analysis", given, budget, lambda: events.goes_on) as (job, worked):
                self._breaker.asked(events)
                sentences: list[str] = []
                try:
                    async with asyncio.timeout_at(until_s):
                        async for event in worked:
                            self._breaker.spoke(events)
                            events.job = job
                            why = event.text if isinstance(event, Error) else why
                            if isinstance(event, Done):
                                found = event.answer
                            else:
                                events.put(event)
                    if found is not None and found.rest_s:
                        sentences = events.put_off()
                except TimeoutError:
                    sentences = events.put_off()
                except WorkerFailed:
                    events.put_off()
                    raise
                for sentence in sentences:
                    events.put(Progress(sentence))
        finally:
            self._breaker.spoke(events)
        events.job = ""
        if found is None:
            found = msgspec.structs.replace(composed, why=why)
        elif not found.text:
            events.put(Error(found.why))
            text, emotion, agent = composed.text, composed.emotion, composed.agent
            found = msgspec.structs.replace(found, text=text, emotion=emotion, agent=agent)
        await self._tell(asked, self._timed(found, started_s), events)

    async def _tell(self, asked: Asked, answer: Answer, events: Asking) -> None:
        events.put(Content(answer.agent, answer.text))
        await self._done(asked, Done(answer), events)
        events.put(Done(answer))

    def _timed(self, answer: Answer, started_s: float) -> Answer:
        took_s = round(asyncio.get_running_loop().time() - started_s, 3)
        return msgspec.structs.replace(answer, took_s=took_s)

    def _prepared(self, asked: Asked) -> tuple[Asked, tuple[Turn, ...]]:
        """Return the question with its session's id, and the turns before it."""
        session = self._session_of(asked)
        question = asked.question or NAMED.get(asked.kind, "")
        turns = asked.turns
        if turns is None:
            about = "" if session == "last" else session
            turns = recent_turns(self._store, about, time.time()) if asked.kind == "ask" else ()
        return msgspec.structs.replace(asked, session=session, question=question), turns

    def _session_of(self, asked: Asked) -> str:
        if asked.track:
            rows = [row for row in queries.sessions(self._store) if row.track == asked.track]
            last = queries.last_driven(rows)
            if last is None:
                raise UnknownSessionError(f"nothing was driven at {asked.track[:64]!a} yet")
            return last.id
        try:
            return queries.resolve_driven(self._store, asked.session)
        except UnknownSessionError:
            # Nothing recorded yet is an answer, of the worker.
            if asked.session == "last":
                return "last"
            raise

    async def _done(self, asked: Asked, done: Done, events: Asking) -> None:
        """Keep what was said; where a lower tier spoke, promise the better answer if wanted."""
        answer = done.answer
        self.answered[answer.tier] += 1
        self._breaker.took(answer)
        # What code answers alone has no better answer.
        told_by_code = asked.query is not None or is_small_talk(asked)
        if asked.later and answer.tier != "paddock" and not told_by_code:
            if self._settings.model.kind == "none":
                events.put(Progress("No better answer will come: no model is set."))
            else:
                later = {"question": asked.question, "intent": asked.intent, "session": asked.session}
                job = await self._jobs.add("answer", later)
                events.put(Progress(f"The better answer will come as job {job.id}."))
        await self._keep(asked.session, asked.question, answer)

    async def _keep(self, session: str, question: str, answer: Answer) -> None:
        session = "" if session == "last" else session
        try:
            await asyncio.to_thread(keep_turns, self._store, session, question, answer)
        except StoreError as error:
            # The answer is the driver's even so.
            log.warning("what was said could not be kept: %s", error)


def is_small_talk(asked: Asked) -> bool:
    """Return whether nothing is asked."""
    from pitwall.paddock.question_kind import is_small_talk as is_  # with its words: when the first one asks

    return asked.kind in ("ask", "analyze") and is_(asked.question)

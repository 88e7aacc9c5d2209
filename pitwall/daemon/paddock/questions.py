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
from pitwall.contract.jobs import JobResult
from pitwall.contract.messages import AskRun, Saved, Turn
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


class Asking(RunEvents):
    """The events of a question; `saved`: of an unfinished analysis. Refused."""

    def __init__(self, asked: Asked) -> None:
        super().__init__()
        self.asked = asked
        self.saved: Saved | None = None

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
        events = Asking(asked)
        task = asyncio.create_task(self._answer(asked, events), name=f"paddock: {asked.kind}")
        self.on_their_way[events] = task
        try:
            yield events
        finally:
            del self.on_their_way[events]
            task.cancel()
            await asyncio.wait({task})
            await self._keep_found(events)

    async def job_ended(self, job: Job) -> None:
        """Keep its answer with the conversation."""
        if job.state == "done" and (answer := msgspec.json.decode(job.result, type=JobResult).answer):
            given = msgspec.json.decode(job.input, type=dict[str, Any])
            question = given.get("question") or NAMED.get(job.kind, "")
            await self._keep(given.get("session", "last"), question, answer)
            self._breaker.answered()

    async def tell_stopped(self, events: Asking, why: str, again: str) -> None:
        """Say why a question is stopped; an analysis goes on as a job."""
        job = await self._put_off(events)
        events.stop(Error(" ".join([why, *(_goes_on(job) or [again])]).strip()))

    async def _answer(self, asked: Asked, events: Asking) -> None:
        """Answer in composed sentences at once, then in the model's, if they hold."""
        started_s = asyncio.get_running_loop().time()
        composed: Answer | None = None
        try:
            asked, turns = await asyncio.to_thread(self._prepared, asked)
            events.asked = asked
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
                await self._improve(asked, composed, turns, started_s, events)
        except UnknownSessionError as unknown:
            events.stop(Refused(404, str(unknown), SESSIONS_LISTED))
        except Refused as refused:
            events.stop(refused)
        except (WorkerFailed, StoreError) as failed:
            log.info("the paddock: %s", failed)
            job = await self._put_off(events)
            sentence = " ".join([str(failed), *_goes_on(job)])
            if composed is None or job:
                again = Refused(503, sentence, "ask again; /status shows how it is", retry_after_s=1.0)
                events.stop(Error(sentence) if job else again)
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
                    if isinstance(event, Saved):
                        events.saved = event
                        continue
                    if isinstance(event, Done):
                        if asked.kind == "analyze" and event.answer.rest_s:
                            for sentence in _goes_on(await self._put_off(events, unstarted=True)):
                                events.put(Progress(sentence))
                        events.saved = None
                        await self._done(asked, event, events)
                    events.put(event)
        finally:
            self._breaker.spoke(events)

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

    async def _put_off(self, events: Asking, *, unstarted: bool = False) -> str:
        """Make a job of an analysis that can't go on; return its id, or ""."""
        saved, asked = events.saved, events.asked
        if saved is None and not unstarted:
            return ""
        events.saved = None
        given = {"question": asked.question.strip(), "session": asked.session}
        try:
            job = await self._jobs.add("analysis", given, "" if saved is None else saved.checkpoint)
        except (ValueError, StoreError) as error:
            log.warning("a stopped analysis could not be kept as a job: %s", error)
            events.saved = saved
            return ""
        return job.id

    async def _keep_found(self, events: Asking) -> None:
        if events.saved is not None and events.saved.answer is not None:
            await self._keep(events.asked.session, events.asked.question, events.saved.answer)


def is_small_talk(asked: Asked) -> bool:
    """Return whether nothing is asked."""
    from pitwall.paddock.question_kind import is_small_talk as is_  # with its words: when the first one asks

    return asked.kind in ("ask", "analyze") and is_(asked.question)


def _goes_on(job: str) -> list[str]:
    return [f"It goes on as job {job} in the paddock."] if job else []

"""Decides when the paddock may be asked, in the daemon and in a command without one, and runs its parts.

It owns the worker process. Nothing of it runs while the car moves.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import msgspec

from pitwall.contract import agents
from pitwall.contract.events import Answer, Content, Done, Error, Event, Progress, Routed
from pitwall.contract.jobs import JobResult
from pitwall.contract.messages import AskRun, Hello, JobKind, ProbeRun, Saved, Turn
from pitwall.contract.problems import SESSIONS_LISTED, Refused
from pitwall.contract.questions import MOST_QUESTION_CHARS, Asked
from pitwall.contract.settings import NO_CONNECTION, NOT_SET, PaddockSettings, model_trouble
from pitwall.contract.status import PaddockStatus
from pitwall.daemon.paddock.calls import CallTable
from pitwall.daemon.paddock.jobs import MODEL_KINDS, OFFLINE_KINDS, PUSH_KINDS, JobRunner, UnknownTrackError
from pitwall.daemon.paddock.pushing import FleetPusher
from pitwall.daemon.paddock.questions import Asking, keep_turns, recent_turns
from pitwall.daemon.paddock.reach import LocalTier, ModelBreaker, ModelReach
from pitwall.daemon.paddock.worker import WorkerFailed, WorkerProcess
from pitwall.daemon.watch import TURN_S, next_turn
from pitwall.store import queries
from pitwall.store.errors import StoreError, UnknownSessionError
from pitwall.store.jobs import Job
from pitwall.store.store import Store

if TYPE_CHECKING:
    from pitwall.daemon.paddock.rule_tier import RuleTier

log = logging.getLogger("pitwall")

MOST_AT_ONCE = 4
# A run is stopped within a second of the car's moving off: this is how long it may go unseen.
LOOK_EVERY_S = TURN_S
# A session that goes on is read again first; until then nobody knows whether the car stands.
SETTLED_WITHIN_S = 2.0
# Of that second: so long what is stopped may take to end by itself, and then the worker.
IN_ORDER_S, WORKER_ENDS_S = 0.4, 0.3
MOVING = "the car is moving: ask in the paddock"
STOPPED, AGAIN = "The car is moving: the answer was stopped.", "Ask again in the paddock."
ENDING = "The daemon is ending: the answer was stopped."
_BRIEF = "Brief me for my next run."
_DEBRIEF = "Debrief my last run."


# Whatever of these waits may run as soon as the car stands.
_UNASKED = (*OFFLINE_KINDS, *PUSH_KINDS)

# Session time (none here), what kind of news, and the news: see `api.live.LiveEvent`.
News = Callable[[float | None, str, str], None]


class PaddockPart:
    """`run` is supervised. `parked` tells whether the car stands in the paddock, once `settled` is set.

    `scripts_changed(track)` is told of each voice script that an agent wrote, `news` of each job that has
    ended. Is an `api.port.CoachPort`.
    """

    def __init__(
        self,
        store: Store,
        settings: PaddockSettings,
        *,
        parked: Callable[[], bool],
        scripts_changed: Callable[[str], None],
        settled: asyncio.Event | None = None,
        reach: ModelReach | None = None,
        news: News = lambda t, kind, detail: None,
    ) -> None:
        self._store, self._settings = store, settings
        self._stands, self._settled, self._news = parked, settled, news
        self.reach = reach or ModelReach(settings.model, self._reach_changed)
        model = settings.model.name if settings.model.kind != "none" else ""
        self._worker = WorkerProcess(
            self._hello, CallTable(store, scripts_changed=scripts_changed, model=model)
        )
        self.local = LocalTier(settings.local_model, self._worker.spare)
        # Loaded with all that answers as soon as the car stands: a start on the track does without.
        self._rules: RuleTier | None = None
        self._breaker = ModelBreaker(settings.rest_s, settings.answer_s)
        self._on_their_way: dict[Asking, asyncio.Task[None]] = {}
        self._ending = False
        self._answered: Counter[str] = Counter()
        self.jobs = JobRunner(
            store, self._worker, self._may_run, self._job_ended, FleetPusher(store, self.reach.may_push)
        )

    @asynccontextmanager
    async def asking(self, asked: Asked) -> AsyncIterator[AsyncIterator[Event]]:
        """Answer while the block runs: leaving it ends the run. Refused where it may not be asked now, or in
        the iterator where it can't be begun; UnknownSessionError."""
        if self._settled is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._settled.wait(), SETTLED_WITHIN_S)
        self._admit(asked)
        events = Asking(asked)
        task = asyncio.create_task(self._answer(asked, events), name=f"paddock: {asked.kind}")
        self._on_their_way[events] = task
        try:
            yield events
        finally:
            del self._on_their_way[events]
            task.cancel()
            await asyncio.wait({task})
            await self._keep_found(events)

    async def run(self) -> None:
        """The gate, the model's reach and the jobs, until cancelled; then nothing of it is left."""
        self._ending = False
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.reach.run(), name="paddock: reach")
                tasks.create_task(self.jobs.run(), name="paddock: jobs")
                tasks.create_task(self._watch_the_car(), name="paddock: gate")
                tasks.create_task(self._learn_early(), name="paddock: words")
                tasks.create_task(self._try_again(), name="paddock: model")
        finally:
            await self.aclose()

    def status(self) -> PaddockStatus:
        """As /status shows it."""
        worker, model = self._worker, self._settings.model
        return PaddockStatus(
            worker=worker.state,
            pid=worker.pid,
            worker_starts=worker.started,
            model="" if model.kind == "none" else model.name,
            local_model=bool(self._settings.local_model),
            trouble=model_trouble(model),
            answering=len(self._on_their_way),
            answered=dict(self._answered),
            job=self.jobs.running,
            doing=self.jobs.doing,
            jobs_waiting=self.jobs.waiting,
            jobs_held=dict(self.jobs.held),
            jobs_ended=dict(self.jobs.ended),
            last_error=worker.last_error,
        )

    async def add_job(self, kind: JobKind, given: Mapping[str, Any]) -> Job:
        """A new job, waiting. Refused (422) where its input is wrong; UnknownSessionError, StoreError."""
        try:
            return await self.jobs.add(kind, given)
        except ValueError as error:
            raise Refused(422, str(error), "mend it and send it again; nothing was begun") from None
        except UnknownTrackError as error:
            raise Refused(404, str(error), "GET /tracks lists them; nothing was begun") from None

    async def cancel_job(self, job: str) -> Job:
        """End a job that has not ended. UnknownJobError, StoreError."""
        return await self.jobs.cancel(job)

    async def next_run(self, session: str) -> str:
        """The one thing for the next run, "" where there is none or it was said. StoreError, Refused."""
        return await (await self._rule_tier()).next_run(session)

    @property
    def model_rests(self) -> str:
        """Why nobody waits for the model now, "" while it works."""
        return self._breaker.why(asyncio.get_running_loop().time())

    def stands(self) -> bool:
        """Return whether the car stands in the paddock; not before that is known. From any thread."""
        return (self._settled is None or self._settled.is_set()) and self._stands()

    def _admit(self, asked: Asked) -> None:
        if self._ending or (self._settled is not None and not self._settled.is_set()):
            raise Refused(503, "the daemon is starting or ending", "ask again", retry_after_s=2.0)
        if not self.stands():
            raise Refused(409, MOVING, "stop in the paddock, then ask again")
        length = len(asked.question.strip())
        if asked.kind in ("ask", "analyze") and not 0 < length <= MOST_QUESTION_CHARS:
            what = f"the question has {length} characters: more than {MOST_QUESTION_CHARS}"
            raise Refused(
                422, what if length else "the question is empty", "ask something shorter than a page"
            )
        if asked.intent is not None and agents.named(asked.intent) is None:
            raise Refused(422, agents.unknown(asked.intent), "leave the intent out, and the question decides")
        if len(self._on_their_way) >= MOST_AT_ONCE:
            raise Refused(
                429, f"{MOST_AT_ONCE} questions are being answered", "wait for one of them", retry_after_s=5.0
            )

    async def _answer(self, asked: Asked, events: Asking) -> None:
        """Answer in composed sentences at once, then in the model's, if they come in time and hold."""
        started_s = asyncio.get_running_loop().time()
        composed: Answer | None = None
        # What was last seen of the connection may be old: the next question, if not this one, knows better.
        self.reach.want()
        try:
            asked, turns = await asyncio.to_thread(self._prepared, asked)
            events.asked = asked
            rules = await self._rule_tier()
            chosen = await rules.routed(asked)
            await events.put(Routed(chosen.agent, chosen.stage))
            composed = await rules.answer(asked, chosen.agent, turns)
            why = await self._why_not(asked)
            # What is asked exactly is answered by code alone.
            if asked.query is not None or (why and not self._improves(asked)):
                answer = msgspec.structs.replace(composed, why="" if is_small_talk(asked.question) else why)
                rules.record(self._timed(answer, started_s))
                await self._tell(asked, self._timed(answer, started_s), events)
            else:
                await events.put(Content(chosen.agent, composed.text, provisional=True))
                await self._improve(asked, composed, turns, why, started_s, events)
        except UnknownSessionError as unknown:
            events.end(Refused(404, str(unknown), SESSIONS_LISTED))
        except Refused as refused:
            events.end(refused)
        except (WorkerFailed, StoreError) as failed:
            log.info("the paddock: %s", failed)
            job = await self._put_off(events)
            sentence = " ".join([str(failed), *_goes_on(job)])
            if composed is None or job:
                again = Refused(503, sentence, "ask again; /status shows how it is", retry_after_s=1.0)
                events.end(Error(sentence) if job else again)
                return
            await events.put(Error(sentence))
            failing = msgspec.structs.replace(composed, why=str(failed))
            await self._tell(asked, self._timed(failing, started_s), events)
            await events.close()
        except Exception:  # a bug in here must not leave the driver waiting
            log.exception("the paddock: %s", asked.kind)
            events.end(Error("Something went wrong in answering this; it is in the log. Ask again."))
        else:
            await events.close()

    async def _why_not(self, asked: Asked) -> str:
        """Why the paddock's model is not asked this now, "" where it is."""
        model = self._settings.model
        if model.kind == "none" or is_small_talk(asked.question):
            return NOT_SET
        if trouble := model_trouble(model):
            return f"The model can't be used: {trouble}."
        if not await self.reach.known():
            return NO_CONNECTION
        return self.model_rests

    def _improves(self, asked: Asked) -> bool:
        """Return whether a model on this machine may improve the composed words."""
        return (
            bool(self._settings.local_model) and not self.local.spared and not is_small_talk(asked.question)
        )

    async def _improve(
        self,
        asked: Asked,
        composed: Answer,
        turns: tuple[Turn, ...],
        why: str,
        started_s: float,
        events: Asking,
    ) -> None:
        """Hand on what the worker makes of it. WorkerFailed."""
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
                why=why,
            )

        try:
            async with aclosing(self._worker.run(request)) as worked:
                if not why:
                    self._breaker.asked(events, loop.time())
                async for event in worked:
                    if isinstance(event, Routed):
                        continue
                    self._breaker.spoke(events)
                    if isinstance(event, Saved):
                        events.saved = event
                        continue
                    if isinstance(event, Done):
                        if asked.kind == "analyze" and event.answer.rest_s:
                            for sentence in _goes_on(await self._put_off(events, anew=True)):
                                await events.put(Progress(sentence))
                        events.saved = None
                        await self._done(asked, event, events)
                    await events.put(event)
        finally:
            self._breaker.spoke(events)

    async def _tell(self, asked: Asked, answer: Answer, events: Asking) -> None:
        """An answer that no worker gives."""
        await events.put(Content(answer.agent, answer.text))
        await self._done(asked, Done(answer), events)
        await events.put(Done(answer))

    def _timed(self, answer: Answer, started_s: float) -> Answer:
        took_s = round(asyncio.get_running_loop().time() - started_s, 3)
        return msgspec.structs.replace(answer, took_s=took_s)

    def _prepared(self, asked: Asked) -> tuple[Asked, tuple[Turn, ...]]:
        """The question with its session's full id, and the turns before it. UnknownSessionError."""
        session = self._session_of(asked)
        question = asked.question or (_BRIEF if asked.kind == "brief" else _DEBRIEF)
        turns = asked.turns
        if turns is None:
            turns = recent_turns(self._store, time.time()) if asked.kind == "ask" else ()
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
            # Nothing recorded yet is an answer, and the worker gives it.
            if asked.session == "last":
                return "last"
            raise

    async def _done(self, asked: Asked, done: Done, events: Asking) -> None:
        """Keep what was said; where a lower tier spoke, promise the better answer if it is wanted."""
        answer = done.answer
        self._answered[answer.tier] += 1
        self.local.answered(answer, time.monotonic())
        self._breaker.took(answer, asyncio.get_running_loop().time())
        if asked.later and answer.tier != "paddock":
            if self._settings.model.kind == "none":
                await events.put(Progress("No better answer will come: no model is set."))
            else:
                later = {"question": asked.question, "intent": asked.intent, "session": asked.session}
                job = await self.jobs.add("answer", later)
                await events.put(Progress(f"The better answer will come as job {job.id}."))
        await self._keep(asked.session, asked.question, answer)

    async def _keep(self, session: str, question: str, answer: Answer) -> None:
        session = "" if session == "last" else session
        try:
            await asyncio.to_thread(keep_turns, self._store, session, question, answer)
        except StoreError as error:
            # The answer is the driver's even where it can't be kept.
            log.warning("what was said could not be kept: %s", error)

    async def _put_off(self, events: Asking, *, anew: bool = False) -> str:
        """An analysis that can't go on now becomes a job that goes on from where it was; its id, or "".
        `anew`: also where nothing of it was done yet."""
        saved, asked = events.saved, events.asked
        if saved is None and not anew:
            return ""
        events.saved = None
        given = {"question": asked.question.strip(), "session": asked.session}
        try:
            job = await self.jobs.add("analysis", given, "" if saved is None else saved.checkpoint)
        except (ValueError, StoreError) as error:
            log.warning("a stopped analysis could not be kept as a job: %s", error)
            events.saved = saved
            return ""
        return job.id

    async def _keep_found(self, events: Asking) -> None:
        """Who asked for an analysis has gone: what it had found is not lost, and nothing more is paid for."""
        if events.saved is not None and events.saved.answer is not None:
            await self._keep(events.asked.session, events.asked.question, events.saved.answer)

    async def _job_ended(self, job: Job) -> None:
        """Its answer, if it is one, belongs to the conversation; whoever looks on hears that it is there."""
        if job.state == "done" and (answer := msgspec.json.decode(job.result, type=JobResult).answer):
            given = msgspec.json.decode(job.input, type=dict[str, Any])
            question = given.get("question") or (_BRIEF if job.kind == "brief" else _DEBRIEF)
            await self._keep(given.get("session", "last"), question, answer)
            self._breaker.answered()
        self._news(None, "job", f"{job.id} {job.kind} {job.state}")

    async def _watch_the_car(self) -> None:
        """Nothing of the paddock's goes on while the car moves: within a second, not even the worker."""
        stood = False
        while True:
            stands = self.stands()
            if stands != stood:
                stood = stands
                self.reach.in_paddock(stands)
                self.jobs.look()
                if not stands:
                    await self._stop(STOPPED, AGAIN)
                self._start_early()
            await next_turn(LOOK_EVERY_S)

    async def _learn_early(self) -> None:
        while not self.stands():
            await next_turn(LOOK_EVERY_S)
        await self._rule_tier()

    async def _rule_tier(self) -> RuleTier:
        """Return who answers without a model, with all that the first question would wait for."""
        if self._rules is None:
            made = await asyncio.to_thread(self._load_rule_tier)
            self._rules = self._rules or made
        return self._rules

    def _load_rule_tier(self) -> RuleTier:
        from pitwall.daemon.paddock.rule_tier import RuleTier, learn_to_read

        learn_to_read()
        return RuleTier(self._store)

    def _start_early(self) -> None:
        """The worker takes seconds to start: it is there before the first question."""
        if self.stands() and self.reach.reachable and not self._ending:
            self._worker.start_soon()

    def _probe(self, run: int) -> ProbeRun:
        return ProbeRun(run=run, within_s=self._settings.answer_s)

    async def _try_again(self) -> None:
        """Ask a model that was late or failed for one word now and then, until it answers."""
        loop = asyncio.get_running_loop()
        while True:
            await self._breaker.failed()
            if loop.time() < self._breaker.due_s or not (self.stands() and self.reach.reachable):
                await next_turn(LOOK_EVERY_S)
                continue
            # Whatever else comes of it, the next try is a pause away.
            found = Answer(
                text="", emotion="", agent="", tier="rule", verdict="TIMEOUT", rest_s=self._settings.rest_s
            )
            with suppress(WorkerFailed):
                async with aclosing(self._worker.run(self._probe)) as worked:
                    async for event in worked:
                        found = event.answer if isinstance(event, Done) else found
            self._breaker.took(found, loop.time())

    async def aclose(self) -> None:
        """For who does not `run` it: end what is on its way, and the worker."""
        self._ending = True
        await self._stop(ENDING)

    async def _stop(self, why: str, again: str = "") -> None:
        """End whatever is on its way, telling those who wait why, and the worker."""
        stopped = dict(self._on_their_way)
        for task in stopped.values():
            task.cancel()
        async with asyncio.TaskGroup() as telling:
            for events in stopped:
                telling.create_task(self._tell_stopped(events, why, again))
            # Ended in order they still tell what they used; what takes longer is ended with the worker.
            with suppress(TimeoutError):
                async with asyncio.timeout(IN_ORDER_S):
                    await self._ended(stopped.values())
            if self._rules is not None:
                self._rules.stop()
            await self._worker.aclose(WORKER_ENDS_S)
            await self._ended(stopped.values())
            if self._rules is not None:
                await self._rules.close()

    async def _ended(self, stopped: Collection[asyncio.Task[None]]) -> None:
        if stopped:
            await asyncio.wait(stopped)
        await self.jobs.stopped()

    async def _tell_stopped(self, events: Asking, why: str, again: str) -> None:
        job = await self._put_off(events)
        events.end(Error(" ".join([why, *(_goes_on(job) or [again])]).strip()))

    def _may_run(self) -> Collection[JobKind]:
        if self._ending or not self.stands():
            return ()
        model = self._settings.model
        if model.kind == "none" or model_trouble(model):
            return _UNASKED
        if self.reach.may_run_jobs(self._settings.metered):
            return (*_UNASKED, *MODEL_KINDS)
        if self.jobs.waiting:
            self.reach.want()
        return _UNASKED

    def _reach_changed(self, _: str) -> None:
        self._worker.connected(self.reach.reachable)
        self._start_early()
        self.jobs.look()

    def _hello(self) -> Hello:
        return Hello(
            home=str(self._store.home.root),
            settings=self._settings,
            connected=self.reach.reachable,
            spare=self.local.spared,
            language=self._store.home.words.code,
            units=self._store.home.words.units,
        )


def is_small_talk(question: str) -> bool:
    """Return whether nothing is asked here."""
    from pitwall.paddock.question_kind import is_small_talk as is_  # with its words: when the first one asks

    return is_(question)


def _goes_on(job: str) -> list[str]:
    return [f"It goes on as job {job} in the paddock."] if job else []

"""Decide when the paddock may be asked, never while the car moves; own its worker process and parts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from pitwall.contract import agents
from pitwall.contract.events import Error, Event
from pitwall.contract.messages import Hello, JobKind
from pitwall.contract.problems import Refused
from pitwall.contract.questions import MOST_QUESTION_CHARS, Asked
from pitwall.contract.settings import PaddockSettings, model_trouble
from pitwall.contract.status import PaddockStatus
from pitwall.daemon.paddock.breaker import ModelBreaker
from pitwall.daemon.paddock.calls import CallTable
from pitwall.daemon.paddock.jobs import MODEL_KINDS, OFFLINE_KINDS, PUSH_KINDS, JobRunner, UnknownTrackError
from pitwall.daemon.paddock.questions import Answering
from pitwall.daemon.paddock.worker import WorkerProcess
from pitwall.daemon.watch import TURN_S, next_turn
from pitwall.store.jobs import Job
from pitwall.store.store import Store

if TYPE_CHECKING:
    from pitwall.daemon.paddock.rule_tier import RuleTier

MOST_AT_ONCE = 4
# A run is stopped within a second of the car's moving off.
LOOK_EVERY_S = TURN_S
# A session that goes on is read again first.
SETTLED_WITHIN_S = 2.0
# Of that second, what is stopped may use this, and then the worker.
IN_ORDER_S, WORKER_ENDS_S = 0.4, 0.3
MOVING = "the car is moving"
STOPPED, AGAIN = "The car is moving: the answer was stopped.", "Ask again in the paddock."
ENDING = "The daemon is ending: the answer was stopped."

# These run as soon as the car stands.
_UNASKED = (*OFFLINE_KINDS, *PUSH_KINDS)

# Session time, kind, news: see `api.live.LiveEvent`.
News = Callable[[float | None, str, str], None]


class PaddockPart:
    """`run` is supervised. `parked`: the car stands. An `api.port.CoachPort`."""

    def __init__(
        self,
        store: Store,
        settings: PaddockSettings,
        *,
        parked: Callable[[], bool],
        scripts_changed: Callable[[str], None],
        settled: asyncio.Event | None = None,
        news: News = lambda t, kind, detail: None,
    ) -> None:
        self._store, self._settings = store, settings
        self._stands, self._settled, self._news = parked, settled, news
        self.breaker = ModelBreaker(settings.model, settings.rest_s, settings.answer_s)
        model = settings.model.name if settings.model.kind != "none" else ""
        self._calls = CallTable(store, scripts_changed=scripts_changed, model=model)
        self._worker = WorkerProcess(self._hello, self._calls)
        self._rules: RuleTier | None = None
        self._ending = False
        self.jobs = JobRunner(
            store,
            self._worker,
            self._may_run,
            self._job_ended,
            self.breaker.may_push,
            self.breaker.failed,
        )
        self._answering = Answering(store, settings, self._worker, self.breaker, self.jobs, self._rule_tier)

    @asynccontextmanager
    async def asking(self, asked: Asked) -> AsyncIterator[AsyncIterator[Event]]:
        """Answer while the block runs. Refused, UnknownSessionError."""
        if self._settled is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._settled.wait(), SETTLED_WITHIN_S)
        self._admit(asked)
        async with self._answering.asking(asked) as events:
            yield events

    async def run(self) -> None:
        """Run the gate and the jobs until cancelled."""
        self._ending = False
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.jobs.run(), name="paddock: jobs")
                tasks.create_task(self._watch_the_car(), name="paddock: gate")
                tasks.create_task(self._learn_early(), name="paddock: words")
        finally:
            await self.aclose()

    def status(self) -> PaddockStatus:
        """Return the paddock's state."""
        worker, model = self._worker, self._settings.model
        return PaddockStatus(
            worker=worker.state,
            pid=worker.pid,
            worker_starts=worker.started,
            model="" if model.kind == "none" else model.name,
            trouble=model_trouble(model),
            answering=len(self._answering.on_their_way),
            answered=dict(self._answering.answered),
            job=self.jobs.running,
            doing=self.jobs.doing,
            jobs_waiting=self.jobs.waiting,
            jobs_held=dict(self.jobs.held),
            jobs_ended=dict(self.jobs.ended),
            last_error=worker.last_error,
        )

    async def add_job(self, kind: JobKind, given: Mapping[str, Any]) -> Job:
        """Add a waiting job. Refused (422, 404); UnknownSessionError, StoreError."""
        try:
            return await self.jobs.add(kind, given)
        except ValueError as error:
            raise Refused(422, str(error), "mend it and send it again; nothing was begun") from None
        except UnknownTrackError as error:
            raise Refused(404, str(error), "GET /tracks lists them; nothing was begun") from None

    async def cancel_job(self, job: str) -> Job:
        """End a job. UnknownJobError, StoreError."""
        return await self.jobs.cancel(job)

    async def next_run(self, session: str) -> str:
        """Return the one thing for the next run, "" for none. StoreError, Refused."""
        return await (await self._rule_tier()).next_run(session)

    def stands(self) -> bool:
        """Return whether the car is known to stand in the paddock. From any thread."""
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
        if len(self._answering.on_their_way) >= MOST_AT_ONCE:
            raise Refused(
                429, f"{MOST_AT_ONCE} questions are being answered", "wait for one of them", retry_after_s=5.0
            )

    async def _job_ended(self, job: Job) -> None:
        await self._answering.job_ended(job)
        self._news(None, "job", f"{job.id} {job.kind} {job.state}")

    async def _watch_the_car(self) -> None:
        """Stop all within a second of the car's moving off."""
        before = (False, False)
        while True:
            now = (self.stands(), not self.breaker.why_not())
            if now != before:
                stands, stood, before = now[0], before[0], now
                self.jobs.look()
                if stood and not stands:
                    await self._stop(STOPPED, AGAIN)
                self._start_early()
            await next_turn(LOOK_EVERY_S)

    async def _learn_early(self) -> None:
        while not self.stands():
            await next_turn(LOOK_EVERY_S)
        await self._rule_tier()
        from pitwall.daemon.paddock.rule_tier import learn_to_read

        await asyncio.to_thread(learn_to_read)

    async def _rule_tier(self) -> RuleTier:
        if self._rules is None:
            made = await asyncio.to_thread(lambda: self._calls.rules)
            self._rules = self._rules or made
        return self._rules

    def _start_early(self) -> None:
        if self.stands() and not self.breaker.why_not() and not self._ending:
            self._worker.start_soon()

    async def aclose(self) -> None:
        """End what is on its way, and the worker."""
        self._ending = True
        await self._stop(ENDING)

    async def _stop(self, why: str, again: str = "") -> None:
        stopped = dict(self._answering.on_their_way)
        for events, task in stopped.items():
            events.stop(Error(" ".join([why, *(events.put_off() or [again])]).strip()))
            task.cancel()
        # Ended in order they still report what they used.
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

    def _may_run(self) -> Collection[JobKind]:
        if self._ending or not self.stands():
            return ()
        return (*_UNASKED, *MODEL_KINDS) if self.breaker.may_run_jobs(self._settings.metered) else _UNASKED

    def _hello(self) -> Hello:
        home = self._store.home
        return Hello(
            home=str(home.root), settings=self._settings, units=home.words.units, bike=home.words.bike
        )

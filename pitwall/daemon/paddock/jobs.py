"""Runs the waiting jobs, one at a time, when there is time and what each kind needs."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from pitwall.contract.agents import named, unknown
from pitwall.contract.events import Error, Event, Progress
from pitwall.contract.jobs import (
    AnswerInput,
    Budget,
    FleetPushInput,
    JobResult,
    ScriptsInput,
    SessionInput,
    checked_input,
    progress,
)
from pitwall.contract.messages import JobKind, JobRun, JobState
from pitwall.daemon.paddock.worker import WorkerFailed, WorkerProcess
from pitwall.helpers.backoff import JOB
from pitwall.store import jobs, queries
from pitwall.store.errors import StoreError
from pitwall.store.jobs import Job
from pitwall.store.readers import Reader, read_cancellable
from pitwall.store.store import Store

log = logging.getLogger("pitwall")

# These need only the paddock.
OFFLINE_KINDS: tuple[JobKind, ...] = ("profile",)
# A push finds out whether its lake can be reached.
NO_NETWORK = "waiting for a network that is not paid for"
PUSH_KINDS: tuple[JobKind, ...] = ("fleet_push",)
MODEL_KINDS: tuple[JobKind, ...] = ("answer", "brief", "debrief", "analysis", "voice_scripts")
# A worker that dies this often in a row at one place of a job will die there again.
MOST_FAILURES = 8
# Another command's work is found this late at most.
LOOK_EVERY_S = 30.0


class UnknownTrackError(Exception):
    """A job for an unknown track."""


Gate = Callable[[], Collection[JobKind]]
Ended = Callable[[Job], Awaitable[None]]


class JobRunner:
    """`run` until cancelled. `may_run()`: the kinds that may run now; `look` when it changed.
    `ended` gets each job that has ended, `model_failed` the rest in s that a model needs.
    `may_push(metered)`: over the network."""

    def __init__(
        self,
        store: Store,
        worker: WorkerProcess,
        may_run: Gate,
        ended: Ended | None = None,
        may_push: Callable[[bool], bool] = lambda metered: True,
        model_failed: Callable[[float], None] = lambda rest_s: None,
    ) -> None:
        self._may_push, self._model_failed = may_push, model_failed
        self._store, self._worker, self._may_run, self._tell_ended = store, worker, may_run, ended
        self._news = asyncio.Event()
        self._job: Job | None = None
        self._task: asyncio.Task[None] | None = None
        self._failures: Counter[str] = Counter()
        self._waits: Counter[str] = Counter()
        # Until when a job is left alone, loop time.
        self._rests: dict[str, float] = {}
        self._changes = 0
        self.waiting = 0
        self.doing = ""
        # Why a begun job waits again.
        self.held: dict[str, str] = {}
        self.ended: Counter[str] = Counter()

    @property
    def running(self) -> str:
        """Return the id of the running job, if any."""
        return self._job.id if self._job is not None else ""

    async def add(self, kind: JobKind, given: Mapping[str, Any]) -> Job:
        """Add a waiting job. ValueError, StoreError."""
        job = await asyncio.to_thread(self._create, kind, given)
        self._news.set()
        return job

    @asynccontextmanager
    async def working(
        self, kind: JobKind, given: Mapping[str, Any], budget: Budget, goes_on: Callable[[], bool]
    ) -> AsyncIterator[tuple[str, AsyncIterator[Event]]]:
        """The id and the events of a job that somebody waits for, with this budget. Left before its
        end it is cancelled, or waits where it `goes_on`. ValueError, StoreError, WorkerFailed."""
        job = await asyncio.to_thread(self._create, kind, given, "running")
        known = msgspec.structs.replace(checked_input(kind, msgspec.json.decode(job.input)), budget=budget)
        at_once = msgspec.structs.replace(job, input=msgspec.json.encode(known).decode())
        try:
            async with aclosing(self._worker.run(partial(_request, at_once))) as events:
                yield job.id, events
        finally:
            end = jobs.put_back if goes_on() else jobs.cancel
            # Also where the waiter is cancelled once more.
            await asyncio.shield(asyncio.ensure_future(asyncio.to_thread(end, self._store, job.id)))
            self._news.set()

    async def cancel(self, job: str) -> Job:
        """End a job; what it committed stays. UnknownJobError, StoreError."""
        await asyncio.to_thread(jobs.cancel, self._store, job)
        if self.running == job and self._task is not None:
            self._task.cancel()
        self._news.set()
        return await asyncio.to_thread(jobs.get, self._store, job)

    async def profile(self, session: str) -> None:
        """Have a session judged that ended or was made again."""
        if await asyncio.to_thread(self._wants_profile, session):
            await self.add("profile", {"session": session})

    def look(self) -> None:
        """Look again: the car stopped or moved, the connection came or went."""
        self._rests.clear()
        self._changes += 1
        self._news.set()
        self._stop_forbidden()

    async def stopped(self) -> None:
        """Wait until nothing of a stopped job is left."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def run(self) -> None:
        """Take one after the other, for ever."""
        await self.begin()
        loop = asyncio.get_running_loop()
        while True:
            self._news.clear()
            self._rests = {job: until for job, until in self._rests.items() if until > loop.time()}
            changes, done = self._changes, await self.step(self._rests)
            tries = self._failures[done] + self._waits[done]
            if tries and changes == self._changes:
                self._rests[done] = loop.time() + JOB.wait_s(tries)
            if not done:
                look_s = min((until - loop.time() for until in self._rests.values()), default=LOOK_EVERY_S)
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(look_s, LOOK_EVERY_S)):
                        await self._news.wait()

    async def begin(self) -> None:
        """Let what ran when a daemon was killed wait again."""
        for job in await asyncio.to_thread(jobs.put_back_all, self._store):
            log.info("job %s was broken off and waits again", job)

    async def step(self, but: Collection[str] = ()) -> str:
        """Run the next job until it ends or must stop; return its id, "" for none."""
        self.waiting = await asyncio.to_thread(jobs.count, self._store, "waiting")
        kinds = list(self._may_run())
        job = await asyncio.to_thread(jobs.next_waiting, self._store, kinds, but) if kinds else None
        if job is None:
            return ""
        if not await asyncio.to_thread(jobs.begin, self._store, job.id):
            return job.id
        self._job = job
        self._task = asyncio.create_task(self._work(job), name=f"paddock: job {job.id}")
        try:
            # It may have been forbidden meanwhile.
            self._stop_forbidden()
            await asyncio.wait({self._task})
        finally:
            self._task.cancel()
            await asyncio.wait({self._task})
            try:
                again = await asyncio.to_thread(jobs.put_back, self._store, job.id)
                now = await asyncio.to_thread(jobs.get, self._store, job.id)
            finally:
                self._task = self._job = None
                self.doing = ""
        if not again:
            del self._failures[job.id], self._waits[job.id]
            self.held.pop(job.id, None)
            log.info("job %s (%s): %s", job.id, job.kind, now.state)
            if self._tell_ended is not None:
                try:
                    await self._tell_ended(now)
                except Exception:
                    log.exception("job %s", job.id)
            self.ended[now.state] += 1
        return job.id

    async def _work(self, job: Job) -> None:
        try:
            if job.kind in OFFLINE_KINDS:
                await self._profile(job)
            elif waits := await self._push_waits(job):
                self.doing = waits
            else:
                async with aclosing(self._worker.run(partial(_request, job))) as events:
                    async for event in events:
                        self.doing = event.text if isinstance(event, Progress | Error) else self.doing
                        if isinstance(event, Error):
                            self._model_failed(event.rest_s)
            why = ""
        except (WorkerFailed, StoreError) as failed:
            why = str(failed)
        except Exception:
            log.exception("job %s", job.id)
            why = "Something went wrong in this job; the log has the reason."
        now = await asyncio.to_thread(jobs.get, self._store, job.id)
        if now.state != "running":
            return
        if progress(now.checkpoint) != progress(job.checkpoint):
            del self._failures[job.id], self._waits[job.id]
        if not why:
            self._waits[job.id] += 1
            self.held[job.id] = self.doing
            log.info("job %s (%s) waits: %s", job.id, job.kind, self.doing)
            return
        self._failures[job.id] += 1
        self.held[job.id] = why
        log.warning("job %s (%s) did not come to its end: %s", job.id, job.kind, why)
        if self._failures[job.id] >= MOST_FAILURES:
            result = JobResult(why=f"given up after {MOST_FAILURES} tries: {why}")
            text = msgspec.json.encode(result).decode()
            await asyncio.to_thread(jobs.finish, self._store, job.id, "failed", text)

    async def _push_waits(self, job: Job) -> str:
        """Return why a push can't begin now: a folder that is made in place of a card fills the phone."""
        if job.kind not in PUSH_KINDS:
            return ""
        given = msgspec.json.decode(job.input, type=FleetPushInput)
        if not given.is_folder:
            return "" if self._may_push(given.metered) else NO_NETWORK
        return "" if await asyncio.to_thread(Path(given.lake).is_dir) else f"{given.lake} is not there"

    async def _profile(self, job: Job) -> None:
        session = msgspec.json.decode(job.input, type=SessionInput).session
        why = await read_cancellable(
            self._store, partial(profile_session, session=session, store=self._store)
        )
        result = JobResult(why=why) if why else JobResult(done={session: "kept"})
        text = msgspec.json.encode(result).decode()
        await asyncio.to_thread(jobs.finish, self._store, job.id, "failed" if why else "done", text)

    def _stop_forbidden(self) -> None:
        if self._job is not None and self._task is not None and self._job.kind not in self._may_run():
            self._task.cancel()

    def _create(self, kind: JobKind, given: Mapping[str, Any], state: JobState = "waiting") -> Job:
        known = checked_input(kind, given)
        if isinstance(known, AnswerInput) and known.intent is not None and named(known.intent) is None:
            raise ValueError(unknown(known.intent))
        if isinstance(known, ScriptsInput):
            from pitwall.drive.prepare import known_tracks

            tracks, _ = known_tracks(self._store.home)
            if known.track not in tracks:
                raise UnknownTrackError(
                    f"there is no track {known.track}; there are: {', '.join(sorted(tracks))}"
                )
        elif isinstance(known, FleetPushInput):
            found = tuple(queries.resolve_session(self._store, each) for each in known.sessions)
            known = msgspec.structs.replace(known, sessions=found)
        elif known.session != "last" or queries.sessions(self._store):
            # The last one may be another when it runs.
            session = queries.resolve_driven(self._store, known.session)
            known = msgspec.structs.replace(known, session=session)
        return jobs.create(self._store, kind, msgspec.json.encode(known).decode(), state)

    def _wants_profile(self, session: str) -> bool:
        # Its last laps may be on their way.
        self._store.flush()
        if not any(lap.kind == "flying" for lap in queries.laps(self._store, session)):
            return False
        given = msgspec.json.encode(SessionInput(session=session)).decode()
        known = jobs.listed(self._store)
        return not any((job.kind, job.state, job.input) == ("profile", "waiting", given) for job in known)


def _request(job: Job, run: int) -> JobRun:
    return JobRun(run=run, job=job.id, kind=job.kind, input=job.input, checkpoint=job.checkpoint)


def profile_session(reader: Reader, session: str, store: Store) -> str:
    """Judge a session: events, lessons, view; return "", or why not. Idempotent."""
    # With all that judges a drive.
    from pitwall.analysis.lessons import changed_lessons
    from pitwall.analysis.port import Facts
    from pitwall.analysis.report import events_of
    from pitwall.analysis.session_view import judged_drive
    from pitwall.analysis.tool_kit import JudgedSession, ToolKit, ToolRefused, judged_session
    from pitwall.api.judged import keep_view
    from pitwall.store.lessons import put_lessons, put_profile_events

    facts = Facts(reader)
    try:
        row = ToolKit(facts).session(session)
    except ToolRefused as refused:
        return refused.error
    # An open one is judged when it is closed: now half its laps would be all.
    if row.closed_utc_s is None:
        put_lessons(store, changed_lessons(facts))
        return ""
    judged = judged_drive(facts, row)
    put_profile_events(store, row.id, events_of(judged.drive, judged.report, facts), row.closed_utc_s)
    put_lessons(store, changed_lessons(facts))
    facts.kept(row, "judged", JudgedSession, lambda: judged_session(judged.drive, judged.report, facts))
    keep_view(reader, row, facts.cues(row.id), judged=judged)
    return ""

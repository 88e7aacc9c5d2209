"""A job in this process: real facts, a real jobs table, and the real ADK over a scripted server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from model_server import ModelServer, Script, serving, settings_of
from stored_facts import WritableStoreFacts, all_tools

from pitwall.contract.events import Event
from pitwall.contract.jobs import JobResult
from pitwall.contract.messages import JobKind, JobRun, JobState
from pitwall.paddock.adk.model_client import open_model
from pitwall.paddock.adk.single_calls import AdkCaller
from pitwall.paddock.controller.phases import run_job
from pitwall.paddock.controller.running_job import Checkpoint
from pitwall.paddock.controller.work import JobResources
from pitwall.paddock.runs import AgentEvent
from pitwall.store import jobs
from pitwall.store.jobs import Job
from pitwall.store.store import Store
from pitwall.track.model import Track


class CountedFacts(WritableStoreFacts):
    """The facts of a store; remembers what was written."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.saved: list[str] = []
        self.fail_with: OSError | None = None

    def save_script(self, track: Track, corner: str, script: Any, through: str, batch: str) -> str:
        if self.fail_with is not None:
            raise self.fail_with
        path = super().save_script(track, corner, script, through, batch)
        self.saved.append(corner)
        return path


@dataclass
class StorePort:
    """`JobPort` over the jobs table; remembers every checkpoint and what was audited. `before` sees each
    checkpoint before it is kept."""

    store: Store
    job: str
    states: list[Checkpoint] = field(default_factory=list)
    audited: list[AgentEvent] = field(default_factory=list)
    before: Callable[[Checkpoint], None] = lambda state: None

    async def checkpoint(self, text: str) -> None:
        state = msgspec.json.decode(text, type=Checkpoint)
        self.before(state)
        await asyncio.to_thread(jobs.checkpoint, self.store, self.job, text)
        self.states.append(state)

    async def finish(self, state: JobState, result: str) -> None:
        await asyncio.to_thread(jobs.finish, self.store, self.job, state, result)

    async def audit(self, row: AgentEvent) -> None:
        self.audited.append(row)


@dataclass
class JobWorld:
    """One store, one model server, and any number of jobs one after the other, with all they audited."""

    store: Store
    server: ModelServer
    resources: JobResources
    facts: CountedFacts
    events: list[Event] = field(default_factory=list)
    audited: list[AgentEvent] = field(default_factory=list)

    def add(self, kind: JobKind, **given: Any) -> Job:
        return jobs.create(self.store, kind, json.dumps(given))

    async def go_on(self, job: Job, **port_options: Any) -> StorePort:
        """One run of a job as the daemon does it: begun, and put back where it did not end."""
        assert jobs.begin(self.store, job.id)
        now = jobs.get(self.store, job.id)
        port = StorePort(self.store, job.id, audited=self.audited, **port_options)
        run = JobRun(run=1, job=now.id, kind=now.kind, input=now.input, checkpoint=now.checkpoint)
        try:
            await run_job(run, self.resources, port, self.events.append)
        finally:
            jobs.put_back(self.store, job.id)
        return port

    async def ended(self, job: Job) -> tuple[JobState, JobResult]:
        """Run it once; how it ended."""
        await self.go_on(job)
        return self.outcome(job)

    def outcome(self, job: Job) -> tuple[JobState, JobResult]:
        now = jobs.get(self.store, job.id)
        return now.state, msgspec.json.decode(now.result, type=JobResult)

    def checkpoint(self, job: Job) -> Checkpoint:
        return msgspec.json.decode(jobs.get(self.store, job.id).checkpoint, type=Checkpoint)


@asynccontextmanager
async def job_world(
    store: Store, script: Script, *, kind: str = "gemini", **options: Any
) -> AsyncIterator[JobWorld]:
    """Everything a job needs over an open store, with a model that answers by `script`."""
    facts = CountedFacts(store)
    async with serving(script) as server, open_model(settings_of(server.url, kind)) as model:
        assert model is not None
        given = {"caller": AdkCaller(model), **options}
        resources = JobResources(records=facts, toolbox=all_tools(facts), **given)
        yield JobWorld(store, server, resources, facts)

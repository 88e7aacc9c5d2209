"""The seven phases of a job as a table, and the loop that runs them and saves each result."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import msgspec

from pitwall.contract.events import Error, Event
from pitwall.contract.jobs import (
    FleetPushInput,
    JobResult,
    Phase,
    ScriptsInput,
    WorkInput,
    checked_input,
)
from pitwall.contract.messages import JobKind, JobRun
from pitwall.paddock.controller.answer_jobs import AnswerWork
from pitwall.paddock.controller.resources import (
    JobFailed,
    JobPort,
    JobResources,
    JobWaits,
    UnusableReply,
)
from pitwall.paddock.controller.running_job import (
    CALL_S,
    MOST_ATTEMPTS,
    BudgetSpent,
    Checkpoint,
    JobItem,
    RunningJob,
    decide,
    decoded,
)
from pitwall.paddock.controller.script_jobs import VoiceScriptWork


class JobWork(Protocol):
    """The work of a kind of job in its own phases. Each phase may raise BudgetSpent and JobWaits."""

    async def discover(self, running: RunningJob) -> Sequence[JobItem]:
        """The items, each with its facts. JobFailed where they can't be known."""
        ...

    async def plan(self, running: RunningJob) -> Sequence[str]:
        """The ids of the items in the order in which to do them."""
        ...

    async def execute(self, running: RunningJob) -> str:
        """A draft of the current item. UnusableReply."""
        ...

    async def verify(self, running: RunningJob) -> Sequence[str]:
        """The problems of the current item's draft; none: it may be committed."""
        ...

    async def commit(self, running: RunningJob) -> str:
        """Write the current item's draft unless that was done already; the outcome."""
        ...

    def result(self, state: Checkpoint) -> JobResult:
        """The result of a job that has ended."""
        ...


def work_of(kind: JobKind, given: WorkInput) -> JobWork:
    """The work of a job of this kind."""
    if isinstance(given, ScriptsInput):
        return VoiceScriptWork(given)
    return AnswerWork(kind, given)


async def _discover(running: RunningJob, work: JobWork) -> Checkpoint:
    items = tuple(await work.discover(running))
    return msgspec.structs.replace(running.state, items=items, phase="plan")


async def _plan(running: RunningJob, work: JobWork) -> Checkpoint:
    order = {name: place for place, name in enumerate(await work.plan(running))}
    items = tuple(sorted(running.state.items, key=lambda item: order[item.id]))
    return decide(msgspec.structs.replace(running.state, items=items), running.budget)


async def _execute(running: RunningJob, work: JobWork) -> Checkpoint:
    done, many = sum(item.state != "open" for item in running.state.items), len(running.state.items)
    if many > 1:
        running.show_progress(f"{running.state.current}: {done + 1} of {many}.")
    problems: tuple[str, ...] = ()
    try:
        draft = await work.execute(running)
    except UnusableReply as bad:
        draft, problems = "", (str(bad),)
    attempts = running.state.item.attempts + 1
    state = running.state.with_item(draft=draft, attempts=attempts, problems=problems)
    return msgspec.structs.replace(state, phase="reflect" if problems else "verify")


async def _verify(running: RunningJob, work: JobWork) -> Checkpoint:
    problems = tuple(await work.verify(running))
    state = running.state.with_item(problems=problems)
    return msgspec.structs.replace(state, phase="reflect" if problems else "commit")


async def _commit(running: RunningJob, work: JobWork) -> Checkpoint:
    outcome = await work.commit(running)
    state = running.state.with_item(state="committed", outcome=outcome)
    return msgspec.structs.replace(state, phase="reflect")


async def _reflect(running: RunningJob, work: JobWork) -> Checkpoint:
    """Count the iteration. An item that was not committed is tried again or given up."""
    state, item = running.state, running.state.item
    since_commit = 0
    if item.state != "committed":
        since_commit = state.used.since_commit + 1
        why = "; ".join(item.problems)
        if item.attempts >= MOST_ATTEMPTS:
            running.show_progress(f"{item.id} was given up: {why}")
            state = state.with_item(state="given_up", outcome=why)
        else:
            running.show_progress(f"{item.id} is asked again: {why}")
    used = msgspec.structs.replace(
        state.used, iterations=state.used.iterations + 1, since_commit=since_commit
    )
    return msgspec.structs.replace(state, used=used, phase="decide")


async def _decide(running: RunningJob, work: JobWork) -> Checkpoint:
    return decide(running.state, running.budget)


PHASES: dict[Phase, Callable[[RunningJob, JobWork], Awaitable[Checkpoint]]] = {
    "discover": _discover,
    "plan": _plan,
    "execute": _execute,
    "verify": _verify,
    "commit": _commit,
    "reflect": _reflect,
    "decide": _decide,
}


async def continue_job(
    job: JobRun, resources: JobResources, port: JobPort, emit: Callable[[Event], None]
) -> None:
    """As `run_job`; where the job has to wait, `emit` gets an error event with the reason."""
    try:
        await run_job(job, resources, port, emit)
    except JobWaits as waits:
        emit(Error(str(waits)))


async def run_job(job: JobRun, resources: JobResources, port: JobPort, emit: Callable[[Event], None]) -> None:
    """Continue a job until it has ended and `port.finish` has stored that.

    JobWaits: it can't go on now, and continues at its checkpoint later. StoreError: progress can't be saved.
    Cancelled, it stops at once, after a write that has begun; what it used is saved.
    """
    try:
        given = checked_input(job.kind, msgspec.json.decode(job.input))
        if isinstance(given, FleetPushInput):
            raise ValueError("a push into a lake is no work of the paddock's worker")
        work, state = work_of(job.kind, given), decoded(job.checkpoint, CALL_S)
    except ValueError as error:
        await port.finish("failed", _json(JobResult(why=str(error))))
        return
    running = RunningJob(job.job, state, given.budget, resources, port, emit)
    try:
        await _run_phases(running, work)
    except asyncio.CancelledError:
        await running.stopped()
        raise
    state = running.state
    result = msgspec.structs.replace(work.result(state), why=state.why, used=state.used, ledger=state.ledger)
    await port.finish(state.end or "failed", _json(result))


async def _run_phases(running: RunningJob, work: JobWork) -> None:
    while not running.state.end:
        try:
            following = await PHASES[running.state.phase](running, work)
        except BudgetSpent as spent:
            following = running.state.ended("BUDGET_EXHAUSTED", str(spent))
        except JobFailed as failed:
            following = running.state.ended("failed", str(failed))
        await running.save(following)


def _json(result: JobResult) -> str:
    return msgspec.json.encode(result).decode()

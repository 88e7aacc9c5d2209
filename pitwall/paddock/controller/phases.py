"""The seven phases of a job as a table; the loop that runs them and saves each result."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec

from pitwall.contract.events import Done, Error, Event
from pitwall.contract.jobs import (
    AnalysisInput,
    FleetPushInput,
    JobResult,
    Phase,
    ScriptsInput,
    checked_input,
)
from pitwall.contract.messages import JobRun
from pitwall.paddock.controller.answer_jobs import ANSWER, answer, answered
from pitwall.paddock.controller.push_jobs import push
from pitwall.paddock.controller.resources import JobFailed, JobPort, JobWaits, UnusableReply
from pitwall.paddock.controller.running_job import (
    CALL_S,
    BudgetSpent,
    Checkpoint,
    RunningJob,
    decide,
    decoded,
)
from pitwall.paddock.controller.script_jobs import VoiceScriptWork
from pitwall.paddock.controller.work import JobResources, JobWork
from pitwall.paddock.runs import audit_rows
from pitwall.store.errors import StoreError


async def _discover(running: RunningJob, work: JobWork) -> Checkpoint:
    items = tuple(await work.discover(running))
    return msgspec.structs.replace(running.state, items=items, phase="plan")


async def _plan(running: RunningJob, work: JobWork) -> Checkpoint:
    items = tuple(await work.plan(running))
    return decide(work.trimmed(running, msgspec.structs.replace(running.state, items=items)), running.budget)


async def _execute(running: RunningJob, work: JobWork) -> Checkpoint:
    if not running.state.item.attempts and (sentence := work.begins(running.state)):
        running.show_progress(sentence)
    problems: tuple[str, ...] = ()
    final = False
    try:
        draft = await work.execute(running)
    except UnusableReply as bad:
        draft, problems, final = "", (str(bad),), bad.final
    attempts = work.most_attempts if final else running.state.item.attempts + 1
    state = running.state.with_item(draft=draft, attempts=attempts, problems=problems)
    return msgspec.structs.replace(state, phase="reflect" if problems else "verify")


async def _verify(running: RunningJob, work: JobWork) -> Checkpoint:
    draft, problems = await work.verify(running)
    state = running.state.with_item(draft=draft, problems=tuple(problems))
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
        if item.attempts >= work.most_attempts:
            running.show_progress(f"{item.id} was given up: {why}")
            state = state.with_item(state="given_up", outcome=why)
        else:
            running.show_progress(work.again(item))
    used = msgspec.structs.replace(
        state.used, iterations=state.used.iterations + 1, since_commit=since_commit
    )
    running.state = msgspec.structs.replace(state, used=used)
    state = await work.reflect(running, running.state)
    return msgspec.structs.replace(state, phase="decide")


async def _decide(running: RunningJob, work: JobWork) -> Checkpoint:
    return decide(work.trimmed(running, running.state), running.budget)


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
        emit(Error(str(waits), waits.rest_s))


async def run_job(job: JobRun, resources: JobResources, port: JobPort, emit: Callable[[Event], None]) -> None:
    """Continue a job until `port.finish` has stored its end. JobWaits, StoreError."""
    try:
        given = checked_input(job.kind, msgspec.json.decode(job.input))
        state = decoded(job.checkpoint, CALL_S)
    except ValueError as error:
        await port.finish("failed", _json(JobResult(why=str(error))))
        return
    if isinstance(given, FleetPushInput):
        pushed = await push(given, resources.records, emit)
        await port.finish("failed" if pushed.why or pushed.given_up else "done", _json(pushed))
        return
    running = RunningJob(job.job, state, given.budget, port, emit)
    work: JobWork | None = None
    if isinstance(given, ScriptsInput):
        work = VoiceScriptWork(given, resources)
    elif isinstance(given, AnalysisInput):
        if resources.open_analysis is None:
            raise JobWaits(resources.why)
        if any(item.id == ANSWER for item in state.items):
            # An earlier version kept an analysis otherwise: it is begun again.
            running.state = Checkpoint(used=state.used, ledger=state.ledger)
        work = await resources.open_analysis(given)

    async def tell(why: str, rest_s: float = 0.0) -> None:
        if work is None or (said := work.told(running.state, why, rest_s)) is None:
            return
        said = msgspec.structs.replace(said, took_s=round(running.seconds(), 3))
        trail = audit_rows(said, time.time(), job.job)
        # The driver gets the answer even without an audit trail.
        with suppress(StoreError, OSError):
            await asyncio.to_thread(resources.records.put_trail, trail)
        emit(Done(said))

    if work is not None:
        try:
            await run_phases(running, work)
        except JobWaits as waits:
            await tell(str(waits), waits.rest_s)
            raise
    elif not isinstance(given, ScriptsInput | AnalysisInput):
        await ending(running, answer(running, job.kind, given, resources.open_answer))
    state = running.state
    result = answered(state) if work is None else work.result(state)
    result = msgspec.structs.replace(
        result, why=state.why or result.why, used=state.used, ledger=state.ledger
    )
    await port.finish(state.end or "failed", _json(result))
    await tell(state.why)


async def run_phases(running: RunningJob, work: JobWork) -> None:
    """Run the phases until the work has ended, and save each result. JobWaits, StoreError."""

    async def phases() -> None:
        while not running.state.end:
            await running.save(await PHASES[running.state.phase](running, work))

    try:
        await ending(running, phases())
    finally:
        await work.aclose()


async def ending(running: RunningJob, work: Awaitable[None]) -> None:
    """Await the work and save how it ended."""
    try:
        await work
    except BudgetSpent as spent:
        await running.save(running.state.ended("BUDGET_EXHAUSTED", str(spent)))
    except JobFailed as failed:
        await running.save(running.state.ended("failed", str(failed)))
    except asyncio.CancelledError:
        await running.stopped()
        raise


def _json(result: JobResult) -> str:
    return msgspec.json.encode(result).decode()

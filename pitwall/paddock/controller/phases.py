"""The seven phases of a job that writes, as a table; the loop that runs them and saves each result."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import msgspec

from pitwall.contract.events import Error, Event
from pitwall.contract.jobs import (
    FleetPushInput,
    JobResult,
    Phase,
    ScriptsInput,
    checked_input,
)
from pitwall.contract.messages import JobRun
from pitwall.paddock.controller.answer_jobs import answer, answered
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
    RunningJob,
    decide,
    decoded,
)
from pitwall.paddock.controller.script_jobs import VoiceScriptWork


async def _discover(running: RunningJob, work: VoiceScriptWork) -> Checkpoint:
    items = tuple(await work.discover(running))
    return msgspec.structs.replace(running.state, items=items, phase="plan")


async def _plan(running: RunningJob, work: VoiceScriptWork) -> Checkpoint:
    order = {name: place for place, name in enumerate(await work.plan(running))}
    items = tuple(sorted(running.state.items, key=lambda item: order[item.id]))
    return decide(msgspec.structs.replace(running.state, items=items), running.budget)


async def _execute(running: RunningJob, work: VoiceScriptWork) -> Checkpoint:
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


async def _verify(running: RunningJob, work: VoiceScriptWork) -> Checkpoint:
    problems = tuple(await work.verify(running))
    state = running.state.with_item(problems=problems)
    return msgspec.structs.replace(state, phase="reflect" if problems else "commit")


async def _commit(running: RunningJob, work: VoiceScriptWork) -> Checkpoint:
    outcome = await work.commit(running)
    state = running.state.with_item(state="committed", outcome=outcome)
    return msgspec.structs.replace(state, phase="reflect")


async def _reflect(running: RunningJob, work: VoiceScriptWork) -> Checkpoint:
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


async def _decide(running: RunningJob, work: VoiceScriptWork) -> Checkpoint:
    return decide(running.state, running.budget)


PHASES: dict[Phase, Callable[[RunningJob, VoiceScriptWork], Awaitable[Checkpoint]]] = {
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
    """Continue a job until it has ended and `port.finish` has stored that.

    JobWaits: it can't go on now, and continues at its checkpoint later. StoreError: progress can't be saved.
    Cancelled, it stops at once, after a write that has begun; what it used is saved.
    """
    try:
        given = checked_input(job.kind, msgspec.json.decode(job.input))
        if isinstance(given, FleetPushInput):
            raise ValueError("a push into a lake is no work of the paddock's worker")
        state = decoded(job.checkpoint, CALL_S)
    except ValueError as error:
        await port.finish("failed", _json(JobResult(why=str(error))))
        return
    running = RunningJob(job.job, state, given.budget, resources, port, emit)
    work = VoiceScriptWork(given) if isinstance(given, ScriptsInput) else None
    try:
        if work is not None:
            await _run_phases(running, work)
        elif not isinstance(given, ScriptsInput):
            await answer(running, job.kind, given)
    except BudgetSpent as spent:
        await running.save(running.state.ended("BUDGET_EXHAUSTED", str(spent)))
    except JobFailed as failed:
        await running.save(running.state.ended("failed", str(failed)))
    except asyncio.CancelledError:
        await running.stopped()
        raise
    state = running.state
    result = answered(state) if work is None else work.result(state)
    result = msgspec.structs.replace(result, why=state.why, used=state.used, ledger=state.ledger)
    await port.finish(state.end or "failed", _json(result))


async def _run_phases(running: RunningJob, work: VoiceScriptWork) -> None:
    while not running.state.end:
        await running.save(await PHASES[running.state.phase](running, work))


def _json(result: JobResult) -> str:
    return msgspec.json.encode(result).decode()

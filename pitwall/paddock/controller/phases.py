"""The seven phases as a table, and the loop that goes from one to the next, keeping each result."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import msgspec

from pitwall.contract.events import Event
from pitwall.contract.job_inputs import checked_input
from pitwall.contract.jobs import Budget, JobResult, Phase
from pitwall.contract.messages import JobRun
from pitwall.paddock.controller.checkpoint import MOST_ATTEMPTS, Checkpoint, JobItem, decoded
from pitwall.paddock.controller.deciding import BudgetSpent, decide, ended
from pitwall.paddock.controller.resources import JobFailed, JobPort, JobResources, UnusableReply
from pitwall.paddock.controller.running_job import CALL_S, RunningJob


class JobWork(Protocol):
    """What a kind of job does in the phases that are its own. Each may raise BudgetSpent and JobWaits."""

    async def discover(self, running: RunningJob) -> Sequence[JobItem]:
        """What there is to do, each with its facts. JobFailed where that can't be known."""
        ...

    async def plan(self, running: RunningJob) -> Sequence[str]:
        """The ids of the items in the order in which they are to be done."""
        ...

    async def execute(self, running: RunningJob) -> str:
        """A draft of the current item. Misshapen."""
        ...

    async def verify(self, running: RunningJob) -> Sequence[str]:
        """What is wrong with the current item's draft; nothing: it may be committed."""
        ...

    async def commit(self, running: RunningJob) -> str:
        """Write the current item's draft unless it lies there already; where it went."""
        ...

    def result(self, state: Checkpoint) -> JobResult:
        """What came of the job, once it has ended."""
        ...


async def _discover(running: RunningJob, work: JobWork) -> Checkpoint:
    items = tuple(await work.discover(running))
    return msgspec.structs.replace(running.state, items=items, phase="plan")


async def _plan(running: RunningJob, work: JobWork) -> Checkpoint:
    order = {name: place for place, name in enumerate(await work.plan(running))}
    items = tuple(sorted(running.state.items, key=lambda item: order[item.id]))
    # The first item is chosen, and the budget asked, as after every iteration.
    return decide(msgspec.structs.replace(running.state, items=items), running.budget)


async def _execute(running: RunningJob, work: JobWork) -> Checkpoint:
    done, many = sum(item.state != "open" for item in running.state.items), len(running.state.items)
    if many > 1:
        running.tell(f"{running.state.current}: {done + 1} of {many}.")
    try:
        draft = await work.execute(running)
    except UnusableReply as bad:
        state = running.state.with_item(
            draft="", attempts=running.state.item.attempts + 1, problems=(str(bad),)
        )
        return msgspec.structs.replace(state, phase="reflect")
    state = running.state.with_item(draft=draft, attempts=running.state.item.attempts + 1, problems=())
    return msgspec.structs.replace(state, phase="verify")


async def _verify(running: RunningJob, work: JobWork) -> Checkpoint:
    problems = tuple(await work.verify(running))
    state = running.state.with_item(problems=problems)
    return msgspec.structs.replace(state, phase="reflect" if problems else "commit")


async def _commit(running: RunningJob, work: JobWork) -> Checkpoint:
    outcome = await work.commit(running)
    state = running.state.with_item(state="committed", outcome=outcome)
    return msgspec.structs.replace(state, phase="reflect")


async def _reflect(running: RunningJob, work: JobWork) -> Checkpoint:
    """What the iteration came to: committed, to be tried again with the reason shown, or given up."""
    state, item = running.state, running.state.item
    if item.state == "committed":
        since_commit = 0
    else:
        since_commit = state.used.since_commit + 1
        why = "; ".join(item.problems)
        if item.attempts >= MOST_ATTEMPTS:
            running.tell(f"{item.id} was given up: {why}")
            state = state.with_item(state="given_up", outcome=why)
        else:
            running.tell(f"{item.id} is asked again: {why}")
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


async def run_job(
    job: JobRun,
    works: Callable[[JobRun], JobWork],
    resources: JobResources,
    port: JobPort,
    emit: Callable[[Event], None],
) -> None:
    """Go on with a job until it has ended and `port.finish` has kept that.

    JobWaits: it can't go on now, and goes on at its checkpoint later. StoreError: its progress can't be kept.
    Cancelled it stops at once, and a write that has begun is seen to its end first; what it used is kept.
    """
    try:
        budget: Budget = checked_input(job.kind, msgspec.json.decode(job.input)).budget
        work, state = works(job), decoded(job.checkpoint, CALL_S)
    except ValueError as error:
        await port.finish("failed", _json(JobResult(why=str(error))))
        return
    running = RunningJob(job.job, state, budget, resources, port, emit)
    try:
        await _to_its_end(running, work)
    except asyncio.CancelledError:
        await running.stopped()
        raise
    state = running.state
    result = msgspec.structs.replace(work.result(state), why=state.why, used=state.used, ledger=state.ledger)
    await port.finish(state.end or "failed", _json(result))


async def _to_its_end(running: RunningJob, work: JobWork) -> None:
    while not running.state.end:
        try:
            following = await PHASES[running.state.phase](running, work)
        except BudgetSpent as spent:
            following = ended(running.state, "BUDGET_EXHAUSTED", str(spent))
        except JobFailed as failed:
            following = ended(running.state, "failed", str(failed))
        await running.save(following)


def _json(result: JobResult) -> str:
    return msgspec.json.encode(result).decode()

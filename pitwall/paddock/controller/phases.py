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
from pitwall.paddock.controller.checkpoint import MOST_ATTEMPTS, Checkpoint, Item, decoded
from pitwall.paddock.controller.deciding import BudgetSpent, decide, ended
from pitwall.paddock.controller.means import JobFailed, JobPort, Means, Misshapen
from pitwall.paddock.controller.working import CALL_S, Working


class Work(Protocol):
    """What a kind of job does in the phases that are its own. Each may raise BudgetSpent and JobWaits."""

    async def discover(self, working: Working) -> Sequence[Item]:
        """What there is to do, each with its facts. JobFailed where that can't be known."""
        ...

    async def plan(self, working: Working) -> Sequence[str]:
        """The ids of the items in the order in which they are to be done."""
        ...

    async def execute(self, working: Working) -> str:
        """A draft of the current item. Misshapen."""
        ...

    async def verify(self, working: Working) -> Sequence[str]:
        """What is wrong with the current item's draft; nothing: it may be committed."""
        ...

    async def commit(self, working: Working) -> str:
        """Write the current item's draft unless it lies there already; where it went."""
        ...

    def result(self, state: Checkpoint) -> JobResult:
        """What came of the job, once it has ended."""
        ...


async def _discover(working: Working, work: Work) -> Checkpoint:
    items = tuple(await work.discover(working))
    return msgspec.structs.replace(working.state, items=items, phase="plan")


async def _plan(working: Working, work: Work) -> Checkpoint:
    order = {name: place for place, name in enumerate(await work.plan(working))}
    items = tuple(sorted(working.state.items, key=lambda item: order[item.id]))
    # The first item is chosen, and the budget asked, as after every iteration.
    return decide(msgspec.structs.replace(working.state, items=items), working.budget)


async def _execute(working: Working, work: Work) -> Checkpoint:
    done, many = sum(item.state != "open" for item in working.state.items), len(working.state.items)
    if many > 1:
        working.tell(f"{working.state.current}: {done + 1} of {many}.")
    try:
        draft = await work.execute(working)
    except Misshapen as bad:
        state = working.state.with_item(
            draft="", attempts=working.state.item.attempts + 1, problems=(str(bad),)
        )
        return msgspec.structs.replace(state, phase="reflect")
    state = working.state.with_item(draft=draft, attempts=working.state.item.attempts + 1, problems=())
    return msgspec.structs.replace(state, phase="verify")


async def _verify(working: Working, work: Work) -> Checkpoint:
    problems = tuple(await work.verify(working))
    state = working.state.with_item(problems=problems)
    return msgspec.structs.replace(state, phase="reflect" if problems else "commit")


async def _commit(working: Working, work: Work) -> Checkpoint:
    outcome = await work.commit(working)
    state = working.state.with_item(state="committed", outcome=outcome)
    return msgspec.structs.replace(state, phase="reflect")


async def _reflect(working: Working, work: Work) -> Checkpoint:
    """What the iteration came to: committed, to be tried again with the reason shown, or given up."""
    state, item = working.state, working.state.item
    if item.state == "committed":
        since_commit = 0
    else:
        since_commit = state.used.since_commit + 1
        why = "; ".join(item.problems)
        if item.attempts >= MOST_ATTEMPTS:
            working.tell(f"{item.id} was given up: {why}")
            state = state.with_item(state="given_up", outcome=why)
        else:
            working.tell(f"{item.id} is asked again: {why}")
    used = msgspec.structs.replace(
        state.used, iterations=state.used.iterations + 1, since_commit=since_commit
    )
    return msgspec.structs.replace(state, used=used, phase="decide")


async def _decide(working: Working, work: Work) -> Checkpoint:
    return decide(working.state, working.budget)


PHASES: dict[Phase, Callable[[Working, Work], Awaitable[Checkpoint]]] = {
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
    works: Callable[[JobRun], Work],
    means: Means,
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
    working = Working(job.job, state, budget, means, port, emit)
    try:
        await _to_its_end(working, work)
    except asyncio.CancelledError:
        await working.stopped()
        raise
    state = working.state
    result = msgspec.structs.replace(work.result(state), why=state.why, used=state.used, ledger=state.ledger)
    await port.finish(state.end or "failed", _json(result))


async def _to_its_end(working: Working, work: Work) -> None:
    while not working.state.end:
        try:
            following = await PHASES[working.state.phase](working, work)
        except BudgetSpent as spent:
            following = ended(working.state, "BUDGET_EXHAUSTED", str(spent))
        except JobFailed as failed:
            following = ended(working.state, "failed", str(failed))
        await working.save(following)


def _json(result: JobResult) -> str:
    return msgspec.json.encode(result).decode()

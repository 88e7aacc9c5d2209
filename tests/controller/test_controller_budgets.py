"""Every budget holds before it would be exceeded, over restarts too, and keeps what was committed."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from job_world import job_world
from long_runs import some
from model_server import Asked, Reply
from scripted_writer import corner_of, obedient_writer, written

from pitwall.contract.jobs import Budget, ModelCall, Used, progress
from pitwall.paddock.controller.resources import JobWaits
from pitwall.paddock.controller.running_job import (
    CALL_S,
    Checkpoint,
    JobItem,
    decide,
    decoded,
    encoded,
)
from pitwall.store.store import Store

OPEN, DONE = JobItem(id="turn_2"), JobItem(id="turn_1", state="committed")


def never_right(asked: Asked) -> Reply:
    return written(corner_of(asked), exit="<speak>")


def after_good(number: int, then: Any) -> Any:
    """So many corners are written well, the rest by `then`."""

    def script(asked: Asked) -> Reply:
        good = {**dict.fromkeys(["turn_1", "turn_2", "turn_3", "turn_3a", "turn_4"][:number])}
        return obedient_writer(asked) if corner_of(asked) in good else then(asked)

    return script


@pytest.mark.parametrize(
    ("budget", "calls", "written_corners"),
    some(
        [
            ({"model_calls": 3}, 3, 3),
            ({"model_calls": 0}, 0, 0),
            ({"iterations": 2}, 2, 2),
            ({"iterations": 0}, 0, 0),
            ({"tool_calls": 4}, 5, 4),
            ({"seconds": 0.0}, 0, 0),
        ],
        2,
    ),
)
async def test_a_job_never_exceeds_what_it_may_use(
    store: Store, budget: dict[str, Any], calls: int, written_corners: int
) -> None:
    async with job_world(store, obedient_writer) as world:
        state, result = await world.ended(world.add("voice_scripts", track="sonoma", budget=budget))
    assert (state, len(world.server.asked), len(world.facts.saved)) == (
        "BUDGET_EXHAUSTED",
        calls,
        written_corners,
    )
    assert sorted(result.done) == sorted(world.facts.saved), "what was committed is kept and told"
    assert "used up" in result.why
    for name, most in budget.items():
        assert getattr(result.used, name) <= most or name == "seconds"


async def test_a_model_call_ends_with_the_time_of_the_job(store: Store) -> None:
    async with job_world(store, lambda asked: Reply(wait_s=600)) as world:
        job = world.add("voice_scripts", track="sonoma", budget={"seconds": 2.0})
        state, result = await world.ended(job)
        await world.server.gone()
    assert (state, world.facts.saved) == ("BUDGET_EXHAUSTED", [])
    assert "the time for this job is used up" in result.why
    # A slow machine may have no time left before the first call.
    assert {call.state for call in result.ledger} <= {"failed"}


async def test_iterations_that_commit_nothing_end_it(store: Store) -> None:
    async with job_world(store, after_good(2, never_right)) as world:
        job = world.add("voice_scripts", track="sonoma", budget={"stagnation": 4})
        state, result = await world.ended(job)
    assert (state, world.facts.saved) == ("STAGNATED", ["turn_1", "turn_2"])
    assert result.why == "4 iterations in a row committed nothing"
    assert (len(world.server.asked), list(result.given_up)) == (2 + 4, ["turn_3"])


async def test_a_budget_is_one_over_all_restarts(store: Store) -> None:
    """A server that fails each time: every try counts, and the job ends instead of trying for ever."""
    async with job_world(store, lambda asked: Reply(status=400)) as world:
        job = world.add("voice_scripts", track="sonoma", budget={"model_calls": 4})
        for _ in range(4):
            with pytest.raises(JobWaits):
                await world.go_on(job)
        state, result = await world.ended(job)
    assert (state, len(world.server.asked)) == ("BUDGET_EXHAUSTED", 4)
    assert [call.state for call in result.ledger] == ["failed"] * 4


def test_deciding_knows_four_ends() -> None:
    given_up = JobItem(id="turn_2", state="given_up", outcome="the phrases were too long")
    assert decide(Checkpoint(items=(DONE, given_up)), Budget()).end == "done"
    failed = decide(Checkpoint(items=(given_up,)), Budget())
    assert (failed.end, failed.why) == ("failed", "the phrases were too long")
    assert decide(Checkpoint(), Budget()).why == "there was nothing to do"
    spent = decide(Checkpoint(items=(OPEN,), used=Used(iterations=80)), Budget())
    assert (spent.end, spent.why) == ("BUDGET_EXHAUSTED", "the iterations are used up (80 of 80)")
    stuck = decide(Checkpoint(items=(OPEN,), used=Used(since_commit=6)), Budget())
    assert stuck.end == "STAGNATED"


def test_a_call_that_was_lost_with_its_process_counts_in_full() -> None:
    begun = ModelCall(number=2, phase="execute", item="turn_1", state="begun")
    before = Checkpoint(
        phase="execute",
        used=Used(model_calls=2, seconds=10.0),
        ledger=(msgspec.structs.replace(begun, number=1, state="answered"), begun),
    )
    after = decoded(encoded(before), CALL_S)
    assert [call.state for call in after.ledger] == ["answered", "lost"]
    assert (after.used.model_calls, after.used.seconds) == (2, 10.0 + CALL_S)
    assert decoded(encoded(after), CALL_S) == after, "counted once, however often it is resumed"


@pytest.mark.parametrize("text", ["{", "[]", '{"phase": "dance"}', '{"version": 2}'])
def test_a_checkpoint_that_is_none_of_ours_is_told(text: str) -> None:
    with pytest.raises(ValueError, match="checkpoint"):
        decoded(text, CALL_S)


def test_progress_is_the_place_and_not_what_was_used() -> None:
    """The daemon tells a job that dies at one place for ever from one that comes further each time."""
    here = Checkpoint(phase="execute", items=(OPEN,), current="turn_2")
    begun = ModelCall(number=1, phase="execute", item="turn_2", state="begun")
    tried = here.having_used(model_calls=3).with_call(begun)
    assert progress(encoded(tried)) == progress(encoded(here)) != progress("")
    for further in (here.with_item(draft="{}"), msgspec.structs.replace(here, phase="verify")):
        assert progress(encoded(further)) != progress(encoded(here))
    assert progress("no checkpoint") == ("", "", b"")

"""The staged analysis where it lives: in the worker, for somebody who waits. As a job: tests/coach_api."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from model_server import serving
from staged_real_script import QUESTION, REAL
from worker_rig import gemini, rigged

from pitwall.config import Home
from pitwall.contract.events import Done
from pitwall.contract.jobs import AT_ONCE
from pitwall.daemon.paddock.jobs import JobRunner
from pitwall.store import jobs
from pitwall.store.store import Store

# A model that asks each tool once more has no calls left for the last stage.
TOLD = re.compile(
    r"Lap 3 was .+ slower than lap 2 .+ \[Q\d\]\. .+ \[Q\d\]\..+The budget of model calls", re.DOTALL
)


@pytest.fixture
def driven(sonoma_driven: Path, tmp_path: Path) -> Iterator[Store]:
    """An open store with one session, the test's own."""
    with Store(Home(Path(shutil.copytree(sonoma_driven, tmp_path / "home")))) as store:
        store.open()
        yield store


@pytest.mark.long
@pytest.mark.recordings
async def test_asked_for_at_once_it_is_answered_by_the_worker_over_real_facts(driven: Store) -> None:
    given = {"question": QUESTION}
    async with serving(REAL) as server, rigged(driven, gemini(server.url)) as rig:
        runner = JobRunner(driven, rig.worker, lambda: ())
        async with runner.working("analysis", given, AT_ONCE, lambda: False) as (job, worked):
            [done] = [event async for event in worked if isinstance(event, Done)]
    assert TOLD.match(done.answer.text), done.answer.text
    assert jobs.get(driven, job).state == "done"
    driven.flush()
    kept = driven.cursor().execute("SELECT kind, agent FROM agent_events ORDER BY ALL").fetchall()
    # Four results were fetched by code, and those of the stages that were worked on asked for once more.
    assert kept == [("answer", "StagedAnalysis"), *[("tool", "StageWorkerAgent")] * 6]

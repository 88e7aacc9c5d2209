"""The staged analysis where it lives: in the worker, asked for, and as a job that outlives its worker."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from model_server import Asked, Reply, serving
from staged_real_script import QUESTION, REAL
from worker_rig import WITHIN_S, gemini, rigged

from pitwall.config import Home
from pitwall.contract.events import AgentActive, Done, Routed
from pitwall.contract.jobs import JobResult
from pitwall.daemon.paddock.jobs import MODEL_KINDS, JobRunner
from pitwall.store import jobs
from pitwall.store.store import Store

TOLD = re.compile(r"Lap 3 was .+ slower than lap 2 .+ \[Q\d\]\. .+ \[Q\d\]\. .+ \[Q\d\]\.\n", re.DOTALL)


@pytest.fixture
def driven(sonoma_driven: Path, tmp_path: Path) -> Iterator[Store]:
    """An open store with one session, the test's own."""
    with Store(Home(Path(shutil.copytree(sonoma_driven, tmp_path / "home")))) as store:
        store.open()
        yield store


@pytest.mark.long
@pytest.mark.recordings
async def test_asked_for_at_once_it_is_answered_by_the_worker_over_real_facts(driven: Store) -> None:
    async with serving(REAL) as server, rigged(driven, gemini(server.url), analysis_s=WITHIN_S) as rig:
        events = await rig.events(QUESTION, kind="analyze")
    done = events[-1]
    assert isinstance(done, Done)
    assert TOLD.match(done.answer.text), done.answer.text
    assert events[0] == Routed("StagedAnalysis", "named")
    assert AgentActive("SummaryAgent") in events
    driven.flush()
    kept = driven.cursor().execute("SELECT kind, agent FROM agent_events ORDER BY ALL").fetchall()
    # Four results were fetched by code, and all asked for once more by this model.
    assert kept == [("answer", "StagedAnalysis"), *[("tool", "StageWorkerAgent")] * 8]


@pytest.mark.long
@pytest.mark.recordings
async def test_as_a_job_it_outlives_its_worker_and_repeats_no_finished_stage(driven: Store) -> None:
    killed: list[str] = []
    pids: list[int] = []

    def deadly(asked: Asked) -> Reply:
        # In the second stage, and again when all that is left is to tell it.
        place = "stage 2" if "corner_history" in asked.tools else asked.agent
        if place in ("stage 2", "SummaryAgent") and place not in killed:
            killed.append(place)
            os.kill(pids[-1], signal.SIGKILL)
            return Reply(wait_s=WITHIN_S)
        return REAL(asked)

    def script(asked: Asked) -> Reply:
        assert rig.worker.pid is not None
        pids.append(rig.worker.pid)
        return deadly(asked)

    job = jobs.create(driven, "analysis", json.dumps({"question": QUESTION}))
    async with serving(script) as server, rigged(driven, gemini(server.url)) as rig:
        runner = JobRunner(driven, rig.worker, lambda: MODEL_KINDS)
        async with asyncio.timeout(WITHIN_S):
            while await runner.step():
                pass
        await server.gone()
    ended = jobs.get(driven, job.id)
    assert (ended.state, killed) == ("done", ["stage 2", "SummaryAgent"])
    answer = msgspec.json.decode(ended.result, type=JobResult).answer
    assert answer is not None
    assert (answer.tier, answer.missing, bool(TOLD.match(answer.text))) == ("paddock", (), True)
    assert len(server.of("PlanMakerAgent")) == 1
    first = [asked for asked in server.of("StageWorkerAgent") if "lap_delta" in asked.tools]
    assert len(first) == 2, "its call and its findings, once"
    assert server.of("StageReviewerAgent") == [], "code has shown all that each stage was to show"
    assert len(server.of("SummaryAgent")) == 2

"""The worker as a process: started when asked, told, cancelled, killed, ended; nothing of it is left."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from long_runs import some
from model_server import Asked, Reply, serving
from pit_facts import answered
from worker_rig import (
    KEY,
    WITHIN_S,
    ended,
    exists,
    gemini,
    libraries,
    rigged,
)

from pitwall.config import Home
from pitwall.contract.events import Answer, Content, Done, Routed, Token
from pitwall.daemon.paddock.jobs import OFFLINE_KINDS, JobRunner
from pitwall.daemon.paddock.worker import RunEvents, RunRefused
from pitwall.store import jobs, queries
from pitwall.store.store import Store


async def test_a_composed_answer_loads_no_framework(driven: Store) -> None:
    async with rigged(driven) as rig:
        events = await rig.events("how is my carousel")
        assert rig.worker.pid is not None
        loaded = libraries(rig.worker.pid)
    assert isinstance(events[0], Routed)
    assert events[0].agent == "CornerCoachAgent"
    assert isinstance(events[-1], Done)
    assert isinstance(events[-2], Content)
    answer = events[-1].answer
    assert (answer.tier, answer.why) == ("rule", "No model is set.")
    assert "Carousel" in answer.text
    assert "_duckdb" in loaded
    assert "pydantic" not in loaded


REFUSED = [
    ({"prompt": "x", "session": "no-such"}, "is no session"),
    ({"prompt": "x", "intent": "ShoutingAgent"}, "no agent is called"),
    ({"prompt": "  "}, "the question is empty"),
]


async def test_what_cannot_be_answered_is_refused_and_the_worker_is_well(driven: Store) -> None:
    async with rigged(driven) as rig:
        for given, what in REFUSED:
            with pytest.raises(RunRefused, match=what):
                await rig.events(**given)
        assert (await rig.answer("how consistent am I")).agent == "MentalMapAgent"
        assert rig.worker.started == 1


@pytest.mark.parametrize(
    ("stub", "what"),
    some(
        [
            ("", "google.adk is missing, install pitwall[paddock]"),
            (
                "raise RuntimeError('half an installation')",
                "its software failed to load, the log has the details",
            ),
        ],
        1,
    ),
)
@pytest.mark.long
async def test_without_the_framework_all_is_composed(
    driven: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stub: str, what: str
) -> None:
    """As on a phone without the extra, or with a broken one: another `google` comes first."""
    (tmp_path / "google").mkdir()
    (tmp_path / "google" / "__init__.py").write_text(stub)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    async with rigged(driven, gemini("http://127.0.0.1:9")) as rig:
        answer = await rig.answer("any incident")
    assert (answer.tier, answer.why) == ("rule", f"The model can't be used: {what}.")
    assert answer.agent == "IncidentReviewAgent"


@pytest.mark.long
async def test_what_libraries_print_is_for_the_log_bounded_and_without_the_key(
    driven: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    (tmp_path / "google").mkdir()
    noise = f"for line in range(3000): print('noise', line, {KEY!r})"
    (tmp_path / "google" / "__init__.py").write_text(noise)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    async with rigged(driven, gemini("http://127.0.0.1:9")) as rig:
        assert (await rig.answer("any incident")).tier == "rule"
    lines = [record for record in caplog.records if "noise" in record.getMessage()]
    assert 100 < len(lines) <= 500
    assert {record.levelno for record in lines} == {logging.DEBUG}
    assert KEY not in caplog.text


async def test_a_worker_that_died_idle_is_no_ones_failure(driven: Store) -> None:
    async with rigged(driven) as rig:
        await rig.answer("hello")
        assert rig.worker.pid is not None
        os.kill(rig.worker.pid, signal.SIGKILL)
        # Asked before its end was noticed.
        assert rig.worker.state == "ready"
        assert (await rig.answer("hello")).text
        assert rig.worker.started == 2


async def test_an_idle_worker_ends_and_comes_back(driven: Store) -> None:
    async with rigged(driven, idle_s=0.1) as rig:
        await rig.answer("hello")
        pid = rig.worker.pid
        assert pid is not None
        await ended(pid)
        assert (await rig.answer("hello")).text
        assert rig.worker.started == 2
        assert rig.worker.last_error == ""


async def test_a_profile_job_needs_neither_model_nor_network(driven: Store) -> None:
    session = queries.sessions(driven)[0].id
    job, gone = (
        jobs.create(driven, "profile", json.dumps({"session": each})).id for each in (session, "gone")
    )
    async with rigged(driven) as rig, asyncio.timeout(WITHIN_S):
        runner = JobRunner(driven, rig.worker, lambda: OFFLINE_KINDS)
        assert [await runner.step(), await runner.step()] == [job, gone]
        assert rig.worker.state == "none", "nor a process"
    assert jobs.get(driven, job).state == "done"
    assert jobs.get(driven, gone).state == "failed"
    assert "'gone' is no session" in jobs.get(driven, gone).result
    kinds = driven.cursor().execute("SELECT DISTINCT kind FROM driver_events WHERE session = ?", [session])
    assert ("profile.driven",) in kinds.fetchall()


async def test_a_slow_reader_is_spared_tokens_and_gets_the_answer() -> None:
    events = RunEvents()
    said = Answer(text="It is told.", emotion="calm", agent="TelemetryAgent", tier="rule", verdict="PASSED")
    answer = Done(said)
    for number in range(5_000):
        events.put(Token("TelemetryAgent", f"{number} "))
    events.put(answer)
    events.end()
    rest = [event async for event in events]
    assert rest[-1] == answer
    assert [event.text for event in rest[:-1] if isinstance(event, Token)][:3] == ["0 ", "1 ", "2 "]
    assert 100 < len(rest) < 1_000


FOLDERS = [str(folder) for folder in Path(__file__).parents[:2]]
OWNER = """
import asyncio, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from worker_rig import gemini, rigged
from pitwall.config import Home
from pitwall.contract.settings import ModelSettings, PaddockSettings
from pitwall.store.store import Store

async def main():
    store = Store(Home(Path(sys.argv[1])))
    store.open()
    async with rigged(store, ModelSettings(), idle_s=600.0) as rig:
        await rig.answer("hello")
        print(rig.worker.pid, flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.parametrize("stuck", [False, True])
async def test_a_killed_owner_leaves_no_worker(empty: Store, stuck: bool) -> None:
    home = Home(empty.home.root.parent / "other")
    owner = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        OWNER,
        str(home.root),
        *FOLDERS,
        stdout=subprocess.PIPE,
    )
    assert owner.stdout is not None
    async with asyncio.timeout(WITHIN_S):
        pid = int(await owner.stdout.readline())
        assert exists(pid)
        if stuck:
            # It can notice nothing until it goes on.
            os.kill(pid, signal.SIGSTOP)
        owner.kill()
        await owner.wait()
        if stuck:
            assert exists(pid)
            os.kill(pid, signal.SIGCONT)
        await ended(pid)


async def test_the_terminals_interrupt_does_not_reach_it(empty: Store) -> None:
    async with rigged(empty) as rig:
        await rig.answer("hello")
        pid = rig.worker.pid
        assert pid is not None
        assert os.getpgid(pid) == pid != os.getpgrp()
        os.kill(pid, signal.SIGINT)
        assert (await rig.answer("hello")).text
        assert rig.worker.pid == pid


@pytest.mark.long
async def test_a_script_that_an_agent_wrote_is_told_so_that_it_is_rendered(driven: Store) -> None:
    phrases = {"brake": "Brake at the board"}
    steps = [
        ("save_voice_scripts", {"corner_name": "turn 7", "phrases": {"brake": "Brake " * 9}}),
        ("save_voice_scripts", {"corner_name": "turn 7", "phrases": phrases}),
    ]

    def writing(asked: Asked) -> Reply:
        return Reply(calls=[steps[len(asked.called)]]) if len(asked.called) < 2 else answered(asked)

    async with serving(writing) as server, rigged(driven, gemini(server.url)) as rig:
        answer = await rig.answer("write the audio for turn 7")
        assert rig.scripts == ["sonoma"]
    # What there is to go by was fetched before the model was asked.
    assert [call.status for call in answer.audit] == ["ok", "refused", "ok"]
    assert "Saved for Turn 7: brake: Brake at the board." in answer.text
    written = json.loads((driven.home.audio_cache / "turn_7.json").read_text())
    assert written["brake"] == phrases["brake"]
    assert {"approach", "turn_in", "apex", "exit", "exit_short"} < written.keys()

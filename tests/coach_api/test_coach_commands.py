"""pitwall ask, brief, debrief, analyze, jobs: typed by a driver, with the daemon running and without."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import loopback  # noqa: F401
import msgspec
import pytest
from asked_daemon import alive, coached, model_lines, write_model
from long_runs import some
from model_server import ModelServer, Reply, Script, serving
from pit_facts import obedient
from running_daemon import ROOT, Daemon
from typed import typed
from until import until

from pitwall.api.token import address_of
from pitwall.cli import main
from pitwall.config import Home
from pitwall.contract.events import Answer
from pitwall.contract.jobs import JobResult
from pitwall.store import jobs
from pitwall.store.store import Store

QUESTION = "how many laps did I do?"
COMPOSED = "(composed on this machine: no model is set)"

# A loaded machine needs half a minute to load a model's framework.
WITHIN_S = 120.0


def started(home: Home, *words: str, **keywords: Any) -> subprocess.Popen[bytes]:
    """`pitwall WORDS` on this home."""
    return subprocess.Popen(
        [sys.executable, "-m", "pitwall", *words],
        env={**os.environ, "PITWALL_HOME": str(home.root), "COLUMNS": "100"},
        cwd=ROOT,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **keywords},
    )


def printed(home: Home, *words: str, code: int = 0) -> tuple[str, str]:
    """What it prints: (standard output, standard error)."""
    # A command has a loop of its own, which a thread with a loop can't have.
    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(typed, home, *words, environment={"COLUMNS": "100"}).result()
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


def worker_of(pid: int) -> int | None:
    """The worker that a process owns."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for child in map(int, children):
        if b"pitwall.paddock.worker" in Path(f"/proc/{child}/cmdline").read_bytes():
            return child
    return None


@pytest.mark.long
async def test_without_a_daemon_it_answers_by_itself_and_leaves_nothing_running(coach_home: Home) -> None:
    out, err = printed(coach_home, "ask", "--later", *QUESTION.split())
    assert len(out.strip()) > 20
    assert "pitwall: No better answer will come: no model is set.\n" in err
    assert COMPOSED not in out, "in a pipe the answer is alone"
    assert COMPOSED in err
    for words in (["debrief", "--next", "--track", "sonoma"], ["debrief"], ["debrief", "2025"]):
        assert len(printed(coach_home, *words)[0]) > 100
    assert worker_of(os.getpid()) is None
    # Nobody holds the home any more: the next one opens it.
    assert "kind" in printed(coach_home, "sessions", "--replays", "--json")[0]


async def test_json_is_one_event_a_line(coach_home: Home) -> None:
    out, _ = printed(coach_home, "ask", QUESTION, "--intent", "gold_lap", "--json")
    events = [json.loads(line) for line in out.splitlines()]
    assert (events[0]["event"], events[0]["agent"]) == ("routed", "GoldLapAgent")
    assert events[-1]["event"] == "done"
    assert events[-1]["answer"]["text"] == events[-2]["text"]


async def test_with_the_daemon_it_is_the_daemon_that_answers(coach_home: Home) -> None:
    (coach_home.root / "pitwall.toml").write_text('[audio]\nplayer = "text"\n[api]\nport = 0\n')
    with Daemon(coach_home) as daemon:
        _, alone = printed(coach_home, "ask", QUESTION)
        assert COMPOSED in alone
        paddock = daemon.status()["paddock"]
        assert paddock["answered"] == {"rule": 1}
        made = json.loads(
            printed(coach_home, "jobs", "add", "voice-scripts", "--track", "sonoma", "--json")[0]
        )
        as_listed = json.loads(printed(coach_home, "jobs", "--json")[0])
        assert as_listed == [made] == daemon.ask("/jobs")[1]
        assert "voice-scripts  waiting" in printed(coach_home, "jobs", made["id"])[0]
        assert "runs the jobs by itself" in printed(coach_home, "jobs", "run", code=2)[1]
        assert (
            json.loads(printed(coach_home, "jobs", "--cancel", made["id"], "--json")[0])["state"]
            == "cancelled"
        )
        assert daemon.end() == 0
    assert paddock["pid"] is None
    assert address_of(coach_home) == ""


WRONG = [
    (["ask", QUESTION, "--intent", "Nobody"], "no agent is called 'Nobody'"),
    (["ask", "x" * 2001], "question"),
    (["ask", " "], "question"),
    (["ask", QUESTION, "--session", "1999"], "there is no session '1999'"),
    (["debrief", "--next", "--track", "monza"], "nothing was driven at 'monza' yet"),
    (["jobs", "nosuch"], "there is no job 'nosuch'"),
    (["jobs", "../sessions"], "job"),
    (["jobs", "--cancel", "nosuch"], "there is no job 'nosuch'"),
    (["jobs", "add", "laundry"], "name what to add: pitwall jobs add brief"),
    (["jobs", "add", "voice-scripts", "--track", "monza"], "there is no track monza"),
    (["jobs", "add", "analysis"], "question"),
]


@pytest.mark.parametrize("running", [True, False], ids=["with the daemon", "alone"])
async def test_what_can_not_be_done_is_one_line(
    coach_home: Home, running: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    async with coached(coach_home) if running else nullcontext():
        for words, what in WRONG:
            assert await off_the_loop(main, ["--home", str(coach_home.root), *words]) == 2
            err = capsys.readouterr().err
            assert what in err
            assert len(err.strip().splitlines()) == 1


async def test_beside_another_command_it_answers_and_keeps_nothing(coach_home: Home) -> None:
    # What a killed daemon left behind must not be given the token.
    (coach_home.root / "address").write_text("1 http://127.0.0.1:9\n")
    with Store(coach_home) as store:
        store.open()
        out, err = printed(coach_home, "ask", QUESTION)
    assert len(out.strip()) > 20
    assert "another pitwall" in err
    assert "nothing can be kept" in err


@asynccontextmanager
async def modelled(home: Home, script: Script) -> AsyncIterator[ModelServer]:
    async with serving(script) as server:
        write_model(home, server.url)
        yield server


async def off_the_loop(work: Callable[..., Any], *given: Any, **keywords: Any) -> Any:
    return await asyncio.to_thread(work, *given, **keywords)


@pytest.mark.long
async def test_a_model_answers_a_command_and_is_not_marked(coach_home: Home) -> None:
    async with modelled(coach_home, obedient):
        out, err = await off_the_loop(printed, coach_home, "ask", QUESTION)
    assert out.strip()
    assert err == ""


@pytest.mark.parametrize("running", some([False, True], 1), ids=["alone", "with the daemon"])
@pytest.mark.long
async def test_ctrl_c_ends_the_run_and_everything_that_it_started(coach_home: Home, running: bool) -> None:
    async with modelled(coach_home, lambda _: Reply(text="[calm] never", wait_s=3600.0)) as server:
        if running:
            async with coached(coach_home, model_lines(server.url)) as (service, _):
                probed = len(server.asked)
                process = started(coach_home, "ask", QUESTION)
                await until(lambda: len(server.asked) > probed)
                await interrupted(process)
                await server.gone()
                await until(lambda: service.paddock.status().answering == 0)
        else:
            process = started(coach_home, "ask", QUESTION)
            await until(lambda: bool(server.asked))
            worker = worker_of(process.pid)
            assert worker is not None
            await interrupted(process)
            await server.gone()
            assert not alive(worker)


async def interrupted(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    _, err = await off_the_loop(process.communicate, timeout=WITHIN_S)
    assert process.returncode == 130, err
    assert b"Traceback" not in err


async def test_a_terminal_sees_who_works_on_it_and_then_the_answer_with_its_marks(coach_home: Home) -> None:
    ours, theirs = pty.openpty()
    process = started(coach_home, "ask", QUESTION, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    while piece := read_terminal(ours):
        seen += piece
    os.close(ours)
    assert process.wait(WITHIN_S) == 0
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen.decode())
    assert "the paddock starting" in text or "TelemetryAgent" in text
    assert text.rstrip().endswith(COMPOSED)


def read_terminal(fd: int) -> bytes:
    try:
        return os.read(fd, 4096)
    except OSError:  # how a terminal ends on Linux
        return b""


@pytest.mark.long
async def test_a_model_that_is_away_is_told_with_the_facts_and_a_job_waits_for_it(coach_home: Home) -> None:
    write_model(coach_home, "http://127.0.0.1:9")
    out, err = printed(coach_home, "ask", QUESTION, "--later")
    assert len(out.strip().splitlines()) == 1
    assert "pitwall: (composed on this machine: the model can't be reached)\n" in err
    [job] = json.loads(printed(coach_home, "jobs", "--json")[0])
    assert f"pitwall: The better answer will come as job {job['id']}.\n" in err
    tried = printed(coach_home, "jobs", "run", code=1)[1]
    assert f"{job['id']} waits: The model can't be reached." in tried


@pytest.mark.parametrize("running", [True, False], ids=["with the daemon", "alone"])
async def test_a_jobs_answer_is_shown_with_its_marks(coach_home: Home, running: bool) -> None:
    """One that no tool backs says so first, wherever it is shown."""
    answer = Answer(
        text="You were quicker.", emotion="calm", agent="NarrativeAgent", tier="paddock",
        verdict="ESCALATED", unverified=True, missing=("the highlights",),
    )  # fmt: skip
    with Store(coach_home) as store:
        store.open()
        job = jobs.create(store, "debrief").id
        jobs.begin(store, job)
        jobs.finish(store, job, "done", msgspec.json.encode(JobResult(answer=answer)).decode())
    if running:
        async with coached(coach_home):
            out, _ = await off_the_loop(printed, coach_home, "jobs", job)
    else:
        out, _ = printed(coach_home, "jobs", job)
    assert out.splitlines()[1:] == [
        "Unverified: You were quicker.",
        "(unverified: the answer used none of the data that it needs)",
        "(without: the highlights)",
    ]


@pytest.mark.long
async def test_jobs_run_runs_what_waits(coach_home: Home) -> None:
    assert "waiting for a model: 1" in (
        printed(coach_home, "jobs", "add", "debrief")[1] + printed(coach_home, "jobs", "run")[1]
    )
    async with modelled(coach_home, obedient):
        out, _ = await off_the_loop(printed, coach_home, "jobs", "run")
        assert "debrief  done" in out
        [job] = json.loads((await off_the_loop(printed, coach_home, "jobs", "--json"))[0])
        assert job["result"]["answer"]["tier"] == "paddock"
        assert job["result"]["answer"]["text"][:20] in out
        assert (await off_the_loop(printed, coach_home, "jobs", "run"))[0] == ""

"""Jobs in DuckDB: durable when a call returns, moved only from the state a move needs; wrong inputs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from pitwall.config import Home
from pitwall.contract.jobs import checked_input
from pitwall.contract.messages import JobKind
from pitwall.store import jobs
from pitwall.store.errors import StoreError
from pitwall.store.store import Store


def test_a_job_waits_runs_and_ends(store: Store) -> None:
    made = jobs.create(store, "voice_scripts", '{"track": "sonoma"}')
    assert (made.state, made.kind, made.input, made.checkpoint) == (
        "waiting",
        "voice_scripts",
        '{"track": "sonoma"}',
        "",
    )
    assert jobs.next_waiting(store) == made
    assert jobs.begin(store, made.id)
    assert not jobs.begin(store, made.id), "a job runs once at a time"
    jobs.checkpoint(store, made.id, '{"phase": "plan"}')
    assert jobs.get(store, made.id).checkpoint == '{"phase": "plan"}'
    jobs.finish(store, made.id, "done", '{"written": 3}')
    jobs.finish(store, made.id, "done", '{"written": 3}')
    ended = jobs.get(store, made.id)
    assert (ended.state, ended.result, ended.checkpoint) == ("done", '{"written": 3}', "")
    assert not jobs.cancel(store, made.id), "what has ended can't be cancelled"
    assert jobs.next_waiting(store) is None
    assert jobs.listed(store) == [ended]


def test_a_cancelled_job_stays_so_whatever_its_worker_still_says(store: Store) -> None:
    made = jobs.create(store, "analysis")
    jobs.begin(store, made.id)
    assert jobs.cancel(store, made.id)
    with pytest.raises(StoreError, match="is cancelled: its checkpoint was not kept"):
        jobs.checkpoint(store, made.id, "{}")
    with pytest.raises(StoreError, match="is cancelled: its result was not kept"):
        jobs.finish(store, made.id, "done", "{}")
    assert not jobs.put_back(store, made.id)
    assert not jobs.begin(store, made.id)
    assert jobs.get(store, made.id).state == "cancelled"


def test_the_job_left_alone_the_longest_is_next(store: Store) -> None:
    first, second, profile = (jobs.create(store, kind) for kind in ("brief", "answer", "profile"))
    assert jobs.begin(store, first.id)
    assert jobs.put_back(store, first.id)
    assert jobs.listed(store)[0].id == profile.id
    assert jobs.next_waiting(store) == second
    assert jobs.next_waiting(store, ("profile",)) == profile
    assert jobs.next_waiting(store, ("debrief",)) is None
    assert jobs.count(store, "waiting") == 3
    assert jobs.next_waiting(store, but=[]) == second
    assert jobs.next_waiting(store, but={second.id}) == profile
    assert jobs.next_waiting(store, but=[first.id, second.id, profile.id]) is None


@pytest.mark.parametrize("given", ["", "[1]", "null", "{", '{"a": "' + "x" * 40_000 + '"}'])
def test_an_input_that_is_no_small_object_is_refused(store: Store, given: str) -> None:
    with pytest.raises(ValueError, match=r"JSON object|more than a job keeps"):
        jobs.create(store, "answer", given)
    assert jobs.listed(store) == []


def test_what_makes_no_sense_is_refused(store: Store) -> None:
    nonsense: Any = "dance"
    with pytest.raises(ValueError, match="'dance' is no kind of job: use brief"):
        jobs.create(store, nonsense)
    with pytest.raises(jobs.UnknownJobError, match="no job 'nobody'"):
        jobs.begin(store, "nobody")
    made = jobs.create(store, "brief")
    with pytest.raises(ValueError, match="running is no end"):
        jobs.finish(store, made.id, "running", "{}")
    with pytest.raises(StoreError, match="is waiting: its checkpoint was not kept"):
        jobs.checkpoint(store, made.id, "{}")


_KILLED = """
import os, signal, sys
from pathlib import Path
from pitwall.config import Home
from pitwall.contract.jobs import checked_input
from pitwall.contract.messages import JobKind
from pitwall.store import jobs
from pitwall.store.store import Store
store = Store(Home(Path(sys.argv[1])))
store.open()
made = jobs.create(store, "voice_scripts", '{"track": "sonoma"}')
jobs.begin(store, made.id)
jobs.checkpoint(store, made.id, '{"phase": "commit"}')
print(made.id, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_answered_is_there_after_kill_9(home: Home) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(home.root)], capture_output=True, text=True, check=False
    )
    assert done.returncode == -9, done.stderr
    with Store(home) as store:
        store.open()
        job = jobs.get(store, done.stdout.strip())
        assert (job.state, job.checkpoint) == ("running", '{"phase": "commit"}')
        assert jobs.put_back_all(store) == [job.id]
        assert jobs.put_back_all(store) == []
        again = jobs.next_waiting(store)
        assert again is not None
        assert again.checkpoint == '{"phase": "commit"}'


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("answer", {}, "an answer job needs: question"),
        ("voice_scripts", {"wish": "shorter"}, "a voice_scripts job needs: track"),
        ("brief", {"sesion": "last"}, "a brief job does not take: sesion; it takes: session, budget"),
        ("analysis", {"question": 7}, "an analysis job: question: Expected str, got int"),
        ("analysis", {"question": " "}, "an analysis job: question: Expected str matching regex "),
        ("debrief", {"budget": {"seconds": -1}}, "a debrief job: budget.seconds: Expected float >= 0.0"),
        ("debrief", ["last"], "the input of a debrief job must be an object with: session, budget"),
    ],
)
def test_a_wrong_input_is_named_in_a_sentence(kind: JobKind, given: Any, said: str) -> None:
    with pytest.raises(ValueError, match=r"^an? |^the input ") as refused:
        checked_input(kind, given)
    assert str(refused.value).startswith(said)

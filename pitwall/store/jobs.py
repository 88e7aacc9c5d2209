"""Durable jobs of the paddock: their input, progress and result.

Every change is committed when its function returns. A change requires a state, so a cancelled job
stays cancelled whatever its worker reports. Times are unix seconds.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection, Sequence
from typing import get_args

import msgspec

from pitwall.contract.messages import JobKind, JobState
from pitwall.store.errors import StoreError
from pitwall.store.home_journal import TABLES, RowChange
from pitwall.store.queries import Readable, Writable, rows

# As fits a phone's screen.
MOST_LISTED = 50
# A question is a few thousand characters; DuckDB has 32 MB for all.
MAX_INPUT_BYTES = 32_768
MAX_CHECKPOINT_BYTES = 1_000_000

_COLUMNS = TABLES["jobs"]
_READ = ", ".join(f"coalesce({name}, '')" if name in ("checkpoint", "result") else name for name in _COLUMNS)
# One thread at a time.
_CHANGING = threading.Lock()


class UnknownJobError(StoreError):
    """There is no such job."""


class Job(msgspec.Struct, frozen=True):
    """A job. `input`, `checkpoint` and `result`: JSON as text; "" if none."""

    id: str
    kind: JobKind
    state: JobState
    created_utc_s: float
    updated_utc_s: float
    input: str
    checkpoint: str = ""
    result: str = ""


def create(store: Writable, kind: JobKind, given: str = "{}", state: JobState = "waiting") -> Job:
    """Create a job. `given`: its input, a JSON object. ValueError, StoreError."""
    _checked_object(given, MAX_INPUT_BYTES)
    if kind not in get_args(JobKind):
        raise ValueError(f"{kind!r} is no kind of job: use {', '.join(get_args(JobKind))}")
    now = time.time()
    number = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now)) + f"-{os.urandom(3).hex()}"
    job = Job(number, kind, state, now, now, given)
    with _CHANGING:
        _write(store, job)
    return job


def get(store: Readable, job: str) -> Job:
    """Return a job by its id. UnknownJobError."""
    found = _jobs(store, "WHERE id = ?", [job])
    if not found:
        raise UnknownJobError(f"there is no job {job[:60]!r}; `pitwall jobs` lists them")
    return found[0]


def listed(store: Readable) -> list[Job]:
    """Return the last jobs, the newest first."""
    return _jobs(store, "ORDER BY created_utc_s DESC, id DESC LIMIT ?", [MOST_LISTED])


def next_waiting(
    store: Readable, kinds: Sequence[JobKind] = get_args(JobKind), but: Collection[str] = ()
) -> Job | None:
    """Return the waiting job of these kinds untouched the longest. `but`: ids to skip."""
    rest = (
        "WHERE state = 'waiting' AND list_contains(?, kind) AND NOT list_contains(?::VARCHAR[], id) "
        "ORDER BY updated_utc_s, id LIMIT 1"
    )
    found = _jobs(store, rest, [list(kinds), list(but)])
    return found[0] if found else None


def count(store: Readable, state: JobState) -> int:
    """Return how many jobs are in this state."""
    return len(_ids_in(store, state))


def begin(store: Writable, job: str) -> bool:
    """Run a waiting job; False if it is not waiting."""
    return _change(store, job, ("waiting",), state="running")


def put_back(store: Writable, job: str) -> bool:
    """Let a running job wait again; False if it is not running."""
    return _change(store, job, ("running",), state="waiting")


def put_back_all(store: Writable) -> list[str]:
    """Let jobs that ran when the last daemon ended wait again; return their ids."""
    held = _ids_in(store, "running")
    return [job for job in held if put_back(store, job)]


def cancel(store: Writable, job: str) -> bool:
    """Cancel a job; False if it had ended. The caller ends its run. UnknownJobError."""
    return _change(store, job, ("waiting", "running"), state="cancelled")


def checkpoint(store: Writable, job: str, text: str) -> None:
    """Save where the job continues, a JSON object. ValueError; StoreError: not running."""
    _checked_object(text, MAX_CHECKPOINT_BYTES)
    if not _change(store, job, ("running",), checkpoint=text):
        raise StoreError(f"job {job} is {get(store, job).state}: its checkpoint was not kept")


def finish(store: Writable, job: str, state: JobState, result: str) -> None:
    """Save the job's end and its result, a JSON object; idempotent. StoreError."""
    if state in ("waiting", "running"):
        raise ValueError(f"{state} is no end of a job")
    _checked_object(result, MAX_CHECKPOINT_BYTES)
    done = _change(store, job, ("running",), state=state, result=result, checkpoint="")
    if not done and get(store, job).state != state:
        raise StoreError(f"job {job} is {get(store, job).state}: its result was not kept")


def _change(store: Writable, job: str, needed: Sequence[JobState], **changed: str) -> bool:
    with _CHANGING:
        found = get(store, job)
        if found.state in needed:
            _write(store, msgspec.structs.replace(found, updated_utc_s=time.time(), **changed))
        return found.state in needed


def _write(store: Writable, job: Job) -> None:
    row = msgspec.structs.asdict(job)
    store.change(
        RowChange.over("jobs", "id", row | {name: row[name] or None for name in ("checkpoint", "result")})
    )
    store.commit(f"job {job.id}")


def _ids_in(store: Readable, state: JobState) -> list[str]:
    return [job.id for job in _jobs(store, "WHERE state = ? ORDER BY created_utc_s, id", [state])]


def _jobs(store: Readable, rest: str, values: list[object]) -> list[Job]:
    return [Job(*row) for row in rows(store, f"SELECT {_READ} FROM jobs {rest}", values)]  # noqa: S608


def _checked_object(text: str, most: int) -> None:
    if len(text.encode()) > most:
        raise ValueError(f"{len(text.encode())} bytes are more than a job keeps ({most})")
    try:
        msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeError) as error:
        raise ValueError(f"must be a JSON object: {error}") from None

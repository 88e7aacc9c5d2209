"""Messages between the daemon and its worker.

A frame: four bytes of length, big-endian, then one message as msgpack.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from pitwall.contract.events import Event
from pitwall.contract.settings import PaddockSettings

RunKind = Literal["ask", "brief", "debrief", "analyze"]
JobKind = Literal["brief", "debrief", "answer", "analysis", "voice_scripts", "profile", "fleet_push"]
JobState = Literal[
    "waiting", "running", "done", "failed", "cancelled", "BUDGET_EXHAUSTED", "STAGNATED"
]  # fmt: skip


class Turn(msgspec.Struct, frozen=True):
    """An earlier turn of the conversation; `role` is driver or coach."""

    role: str
    text: str


# Daemon to worker.


class Hello(msgspec.Struct, frozen=True, kw_only=True, tag="hello"):
    """The first message. `home`: PITWALL_HOME; `bike`: in a motorcycle's words."""

    home: str
    settings: PaddockSettings
    units: str = "metric"
    bike: bool = False


class AskRun(msgspec.Struct, frozen=True, kw_only=True, tag="ask"):
    """Answer this. Events come back under `run`; the last is `done`, unless it is cancelled or
    fails.

    `session`: a full id, or "last". `age_s`: how much of the budget was gone when sent. `composed`:
    the answer if the model gives none, its emotion tag first.
    """

    run: int
    kind: RunKind
    prompt: str
    intent: str | None = None
    session: str = "last"
    turns: tuple[Turn, ...] = ()
    age_s: float = 0.0
    composed: str = ""


class JobRun(msgspec.Struct, frozen=True, kw_only=True, tag="job"):
    """Continue a job. `input` and `checkpoint` are JSON objects as text, or "".

    It reports by the calls `job.checkpoint` and `job.finish`, each answered when durable. If it
    can't continue now, it says why in an `error` event and is gone without `job.finish`: it waits.
    """

    run: int
    job: str
    kind: JobKind
    input: str
    checkpoint: str = ""


class Cancel(msgspec.Struct, frozen=True, tag="cancel"):
    """End a run: nothing more comes of it but `gone`."""

    run: int


class Reply(msgspec.Struct, frozen=True, tag="reply"):
    """A call's result, msgpack of the type that the call's name stands for."""

    call: int
    body: bytes


class CallFailed(msgspec.Struct, frozen=True, tag="call_failed"):
    """A call failed. `kind`: `store` (StoreError), `os` (OSError), `refused` (never try again)."""

    call: int
    kind: Literal["store", "os", "refused"]
    text: str


class Bye(msgspec.Struct, frozen=True, tag="bye"):
    """End in order. The end of the stream means the same: no worker outlives its daemon."""


ToWorker = Hello | AskRun | JobRun | Cancel | Reply | CallFailed | Bye

# Worker to daemon.


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """The worker can take runs. `model`: of its name, "" if all is composed."""

    model: str
    took_s: float


class RunEvent(msgspec.Struct, frozen=True, tag="event"):
    """An event of a run, in order."""

    run: int
    event: Event


class Gone(msgspec.Struct, frozen=True, tag="gone"):
    """A run has ended: done, cancelled, or failed (`error`). `refused`: asking again gives the
    same."""

    run: int
    error: str = ""
    refused: bool = False


class Call(msgspec.Struct, frozen=True, tag="call"):
    """Ask the daemon. `arguments`: msgpack array. The names: `daemon/paddock/calls.py`."""

    call: int
    name: str
    arguments: bytes


FromWorker = Ready | RunEvent | Gone | Call


class Due(msgspec.Struct, frozen=True):
    """A session that may need pushing: its driver's pseudonym and name, and a digest of its
    rows."""

    session: str
    driver: str
    name: str
    source: str

"""What a job may spend, what it spent, and what came of it: the JSON of `jobs.result`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from pitwall.contract.events import Answer
from pitwall.contract.messages import JobKind, JobState

Phase = Literal["discover", "plan", "execute", "verify", "commit", "reflect", "decide"]
CallState = Literal["begun", "answered", "misshapen", "failed", "lost"]

_Count = Annotated[int, msgspec.Meta(ge=0, le=10_000)]


class Budget(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a job may use over all its restarts. `stagnation`: iterations in a row that committed nothing.

    Thirteen corners of three calls each fit twice; whoever asks may give less.
    """

    iterations: _Count = 80
    model_calls: _Count = 240
    tool_calls: _Count = 240
    seconds: Annotated[float, msgspec.Meta(ge=0.0, le=86_400.0)] = 3_600.0
    stagnation: _Count = 6


class Used(msgspec.Struct, frozen=True, kw_only=True):
    """What a job has used so far; `since_commit` are the iterations since it last committed something."""

    iterations: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    seconds: float = 0.0
    since_commit: int = 0


class ModelCall(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the ledger of model calls: written when it begins, and again when its reply is there.

    `lost`: it was stopped, or the process ended before the reply was written down. `calls`: how many it
    stands for, those of a whole run where agents with tools work. `why`: what was wrong with the reply.
    """

    number: int
    phase: Phase
    item: str
    state: CallState
    calls: int = 1
    seconds: float = 0.0
    why: str = ""


class JobResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a job. `done` maps an item (a corner) to where it went, `given_up` to the reason.

    `why` is a sentence where it did not come to its end; what was committed before stays.
    """

    why: str = ""
    answer: Answer | None = None
    done: dict[str, str] = {}
    given_up: dict[str, str] = {}
    used: Used = Used()
    ledger: tuple[ModelCall, ...] = ()


class _Place(msgspec.Struct, frozen=True):
    phase: str = ""
    current: str = ""
    items: msgspec.Raw = msgspec.Raw(b"[]")


def progress(checkpoint: str) -> tuple[str, str, bytes]:
    """Where a checkpoint stands, without what was used on the way: equal where a job came no further."""
    try:
        place = msgspec.json.decode(checkpoint or "{}", type=_Place)
    except (msgspec.DecodeError, UnicodeError):
        return "", "", b""
    return place.phase, place.current, bytes(place.items)


class JobRow(msgspec.Struct, frozen=True, kw_only=True):
    """One durable job, as `pitwall jobs --json` and /jobs give it. `result`: what came of it, None so far."""

    id: str
    kind: JobKind
    state: JobState
    created_utc_s: float
    updated_utc_s: float
    input: dict[str, Any]
    result: dict[str, Any] | None = None

"""Each kind of job: its input, its budget, the use of that, and its result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from pitwall.contract.agents import Intent
from pitwall.contract.events import Answer
from pitwall.contract.messages import JobKind, JobState, Turn

Phase = Literal["discover", "plan", "execute", "verify", "commit", "reflect", "decide"]
CallState = Literal["begun", "answered", "misshapen", "failed", "lost"]

_Count = Annotated[int, msgspec.Meta(ge=0, le=10_000)]


class Budget(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A job's limits over all its restarts. `stagnation`: iterations in a row that committed
    nothing. Thirteen corners of three calls each fit twice."""

    iterations: _Count = 80
    model_calls: _Count = 240
    tool_calls: _Count = 240
    seconds: Annotated[float, msgspec.Meta(ge=0.0, le=86_400.0)] = 3_600.0
    stagnation: _Count = 6


class Used(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what a job has used so far; `since_commit`: iterations since it committed something."""

    iterations: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    seconds: float = 0.0
    since_commit: int = 0


class ModelCall(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the ledger of model calls, written when it begins and with its reply.

    `lost`: ended before the reply was written. `calls`: those of a whole run if agents use tools.
    `why`: what was wrong with the reply.
    """

    number: int
    phase: Phase
    item: str
    state: CallState
    calls: int = 1
    seconds: float = 0.0
    why: str = ""


class JobResult(msgspec.Struct, frozen=True, kw_only=True):
    """`done` maps an item (a corner) to where it went, `given_up` to the reason. `why`: why the
    job did not finish."""

    why: str = ""
    answer: Answer | None = None
    done: dict[str, str] = {}
    given_up: dict[str, str] = {}
    there: int = 0
    used: Used = Used()
    ledger: tuple[ModelCall, ...] = ()


class _Place(msgspec.Struct, frozen=True):
    phase: str = ""
    current: str = ""
    items: msgspec.Raw = msgspec.Raw(b"[]")


def progress(checkpoint: str) -> tuple[str, str, bytes]:
    """Return a checkpoint without its usage: equal if a job made no progress."""
    try:
        place = msgspec.json.decode(checkpoint or "{}", type=_Place)
    except (msgspec.DecodeError, UnicodeError):
        return "", "", b""
    return place.phase, place.current, bytes(place.items)


class JobRow(msgspec.Struct, frozen=True, kw_only=True):
    """A durable job, as `pitwall jobs --json` and /jobs give it. `result`: None so far."""

    id: str
    kind: JobKind
    state: JobState
    created_utc_s: float
    updated_utc_s: float
    input: dict[str, Any]
    result: dict[str, Any] | None = None


_Id = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$")]
_Question = Annotated[str, msgspec.Meta(min_length=1, max_length=2_000, pattern=r"\S")]


class SessionInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of a brief, a debrief, a profile: the session's id, or "last"."""

    session: _Id = "last"
    budget: Budget = Budget()


class AnswerInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to be answered again by the paddock's model, as it was asked."""

    question: _Question
    intent: Intent | None = None
    session: _Id = "last"
    turns: tuple[Turn, ...] = ()
    budget: Budget = Budget()


# One run may take 48 model calls, and one that was broken off may repeat a stage.
_ANALYSIS = Budget(model_calls=480, tool_calls=480)
# Of one that somebody waits for: four stages make seven calls, with objections twelve.
AT_ONCE = Budget(model_calls=12, tool_calls=40, seconds=120.0)


class AnalysisInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A hard question, worked on in stages."""

    question: _Question
    session: _Id = "last"
    budget: Budget = _ANALYSIS


class ScriptsInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Voice scripts for all corners of a track. `wish`: how they shall be, in the driver's
    words."""

    track: _Id
    wish: Annotated[str, msgspec.Meta(max_length=500)] = ""
    budget: Budget = Budget()


class FleetPushInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sessions to push into a lake, none: all drives. `lake`: a folder's whole path, or
    s3://BUCKET/PREFIX. `metered`: also over a paid network; `again`: also of forgotten drivers."""

    lake: Annotated[
        str, msgspec.Meta(min_length=1, max_length=500, extra_json_schema={"pattern": "^(/|[a-z0-9]+://)"})
    ]
    sessions: tuple[_Id, ...] = ()
    car_class: Annotated[str, msgspec.Meta(max_length=40)] = ""
    metered: bool = False
    again: bool = False

    @property
    def is_folder(self) -> bool:
        """Return whether the lake is a folder of this machine, and no bucket."""
        return "://" not in self.lake

    def __post_init__(self) -> None:
        # The daemon was started in a folder of its own, which is not the asker's.
        if self.is_folder and not self.lake.startswith("/"):
            raise ValueError("lake: name a folder by its path from the root, or s3://BUCKET/PREFIX")


# What the paddock's worker does, and what is done without it.
WorkInput = SessionInput | AnswerInput | AnalysisInput | ScriptsInput
JobInput = WorkInput | FleetPushInput
INPUTS: Mapping[JobKind, type[JobInput]] = {
    "brief": SessionInput,
    "debrief": SessionInput,
    "profile": SessionInput,
    "answer": AnswerInput,
    "analysis": AnalysisInput,
    "voice_scripts": ScriptsInput,
    "fleet_push": FleetPushInput,
}


def checked_input(kind: JobKind, given: Mapping[str, Any]) -> JobInput:
    """Return the input of a job of this kind. ValueError says what is missing or wrong."""
    fields = msgspec.structs.fields(INPUTS[kind])
    known = ", ".join(field.name for field in fields)
    job = f"{'an' if kind in ('answer', 'analysis') else 'a'} {kind} job"
    if not isinstance(given, Mapping):
        raise ValueError(f"the input of {job} must be an object with: {known}")
    if missing := [field.name for field in fields if field.required and field.name not in given]:
        raise ValueError(f"{job} needs: {', '.join(missing)}; it takes: {known}")
    if unknown := [str(name) for name in given if name not in INPUTS[kind].__struct_fields__]:
        raise ValueError(f"{job} does not take: {', '.join(unknown)}; it takes: {known}")
    try:
        found: JobInput = msgspec.convert(given, INPUTS[kind])
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$.")
        where = f"{path.rstrip('`')}: " if path else ""
        raise ValueError(f"{job}: {where}{what}; it takes: {known}".replace("`", "")) from None
    return found

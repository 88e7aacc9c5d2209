"""What each kind of job is given: checked where a job is made, read where it is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from pitwall.contract.agents import Intent
from pitwall.contract.jobs import Budget
from pitwall.contract.messages import JobKind, Turn

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


class AnalysisInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A hard question, worked on in stages."""

    question: _Question
    session: _Id = "last"
    budget: Budget = _ANALYSIS


class ScriptsInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Voice scripts for all corners of a track. `wish`: how they shall be, in the driver's words."""

    track: _Id
    wish: Annotated[str, msgspec.Meta(max_length=500)] = ""
    budget: Budget = Budget()


class FleetPushInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sessions to be pushed into a lake, none: all that are drives of their own. `metered`: also where the
    network is paid for; `again`: also of drivers who were forgotten there."""

    lake: Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
    sessions: tuple[_Id, ...] = ()
    car_class: Annotated[str, msgspec.Meta(max_length=40)] = ""
    metered: bool = False
    again: bool = False


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
    """The input of a job of this kind. ValueError: a sentence that names what is missing or wrong."""
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

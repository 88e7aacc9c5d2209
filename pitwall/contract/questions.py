"""Requests to the paddock over the API: questions, briefs, debriefs, and durable jobs."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import msgspec

from pitwall.contract.agents import Intent
from pitwall.contract.changes import SESSION_NAME
from pitwall.contract.jobs import AnalysisInput, AnswerInput, FleetPushInput, ScriptsInput, SessionInput
from pitwall.contract.messages import RunKind, Turn

# A question typed in a car park has some hundred characters; this is a page.
MOST_QUESTION_CHARS = 2_000
MOST_TURNS = 6

Question = Annotated[str, msgspec.Meta(min_length=1, max_length=MOST_QUESTION_CHARS, pattern=r"\S")]
SessionName = Annotated[
    str, msgspec.Meta(pattern=SESSION_NAME, description="A session's name or id, its beginning, or `last`")
]
TrackName = Annotated[str, msgspec.Meta(pattern=r"^([A-Za-z0-9][A-Za-z0-9_-]{0,63})?$")]


class GivenTurn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An earlier turn, as the client tells it."""

    role: Literal["driver", "coach"]
    text: Annotated[str, msgspec.Meta(max_length=8_000)]


class CoachAsk(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question. `intent`: names the agent; `turns`: instead of the last minutes' turns; `later`:
    if a lower tier answers, make a job for the better answer. `query`: the exact question;
    `question` is then its title."""

    question: Question
    intent: Intent | None = None
    session: SessionName = "last"
    turns: Annotated[tuple[GivenTurn, ...], msgspec.Meta(max_length=MOST_TURNS)] | None = None
    later: bool = False
    query: Query | None = None


class CoachBrief(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Before a run: from the last session, or the last one on this track, or the one named."""

    session: SessionName = "last"
    track: TrackName = ""
    later: bool = False


class CoachDebrief(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """After a run."""

    session: SessionName = "last"
    later: bool = False


class CoachAnalyze(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A hard question, worked on in stages."""

    question: Question
    session: SessionName = "last"


# What is sent to /coach/KIND.
BODIES: dict[RunKind, type[CoachAsk | CoachBrief | CoachDebrief | CoachAnalyze]] = {
    "ask": CoachAsk, "brief": CoachBrief, "debrief": CoachDebrief, "analyze": CoachAnalyze,
}  # fmt: skip


# What is asked where only the kind is named, which is also its intent.
NAMED = {"brief": "Brief me for the next run.", "debrief": "Debrief this session."}


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Any of the four, as the paddock and the commands use it. `turns` None: the last ones."""

    kind: RunKind
    question: str = ""
    intent: str | None = None
    session: str = "last"
    track: str = ""
    turns: tuple[Turn, ...] | None = None
    later: bool = False
    query: Query | None = None


class _New(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Work to be done when there is time and a connection."""


class NewBrief(_New, frozen=True, kw_only=True, tag="brief"):
    """A brief by the paddock's model, to be read later."""

    input: SessionInput = SessionInput()


class NewDebrief(_New, frozen=True, kw_only=True, tag="debrief"):
    """A debrief by the paddock's model, to be read later."""

    input: SessionInput = SessionInput()


class NewProfile(_New, frozen=True, kw_only=True, tag="profile"):
    """Holds what a session tells of its driver, worked out again. Needs no model."""

    input: SessionInput = SessionInput()


class NewAnswer(_New, frozen=True, kw_only=True, tag="answer"):
    """A question that the paddock's model shall answer when it can be reached."""

    input: AnswerInput


class NewAnalysis(_New, frozen=True, kw_only=True, tag="analysis"):
    """A hard question, worked on in stages when the model can be reached."""

    input: AnalysisInput


class NewScripts(_New, frozen=True, kw_only=True, tag="voice_scripts"):
    """Voice scripts for all corners of a track."""

    input: ScriptsInput


class NewFleetPush(_New, frozen=True, kw_only=True, tag="fleet_push"):
    """Sessions copied into a lake. Needs no model, and the token: a page may not ask for it."""

    input: FleetPushInput


NewJob = NewBrief | NewDebrief | NewProfile | NewAnswer | NewAnalysis | NewScripts | NewFleetPush


Which = Literal["", "min", "max", "mean", "median", "sum", "spread", "trend"]
Group = Literal["", "lap", "corner", "sector", "straight"]
Mark = Annotated[str, msgspec.Meta(max_length=40)]
LAP_PATTERN = (
    r"[1-9]\d{0,3}|(best|worst|last|first)(:[1-9]\d?)?|in|out|all|flying|"
    r"(top|bottom|lasts|firsts):[1-9]\d?|halves:[12]|span:\d{1,4}-\d{1,4}|stint:-?[1-9]\d?|"
    r"times:\d{1,4}(\.\d+)?-\d{1,4}(\.\d+)?"
)
# A mark of one lap alone.
ONE_LAP = re.compile(r"\d+|(?:best|worst|last|first)(?::\d+)?")
LapName = Annotated[str, msgspec.Meta(max_length=40, pattern=f"^({LAP_PATTERN})$")]
PlaceName = Annotated[
    str,
    msgspec.Meta(
        max_length=40, pattern=r"^([\w-]+(/(entry|apex|exit))?|sector:(-1|\d{1,2})|(straight|after):[\w-]+)$"
    ),
]


class Scope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Laps x places x session. `laps`: "4", "best", "worst", "last", "first" (with ":2" the second
    best), "in", "out", "all", "flying", "top:3", "bottom:3", "lasts:3", "firsts:3", "halves:2",
    "span:2-4", "stint:2" (-1 the last), "times:0-118" (s); () for the flying laps, of peaks all. `places`:
    "turn_7", "turn_7/entry" (apex, exit), "sector:2", "straight:turn_7" (before it;
    "after:turn_7"), "straight:main", "straight:back", "straight:longest"; () for the lap.
    `session`: "" for the one asked about, "previous", or an id."""

    laps: Annotated[tuple[LapName, ...], msgspec.Meta(max_length=40)] = ()
    places: Annotated[tuple[PlaceName, ...], msgspec.Meta(max_length=40)] = ()
    session: Mark = ""


class Query(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A question. `measure`: a row of `ask.measures` or a topic of `ask.tell`. `which`: the
    statistic over the laps' values; with a `group` one for each, ranked by `order`. `against`: a
    lap mark, or "mean". `units`: those of the answer, "" for the driver's own."""

    measure: Mark
    scope: Scope = Scope()
    which: Which = ""
    group: Group = ""
    order: Literal["", "min", "max"] = ""
    against: Annotated[str, msgspec.Meta(max_length=40, pattern=f"^(|mean|{LAP_PATTERN})$")] = ""
    units: Literal["", "metric", "imperial"] = ""

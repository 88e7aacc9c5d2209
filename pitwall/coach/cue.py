"""Cues and what became of them: the types, the modes of speaking, and the ledger as JSON."""

from __future__ import annotations

from typing import Literal

import msgspec

Phase = Literal["approach", "brake", "turn_in", "apex", "exit"]
PHASES: tuple[Phase, ...] = ("approach", "brake", "turn_in", "apex", "exit")
Tier = Literal["rule", "litert", "paddock"]
Outcome = Literal[
    "spoken", "held then spoken", "expired", "superseded", "suppressed", "shed", "noted", "not heard"
]
"""`noted`: nobody was to hear it; the ledger tells when it was, as a mark that the driver set."""
# "not heard": it was played while sound did not reach the driver, see `drive.degradation`.
SPOKEN: frozenset[Outcome] = frozenset(("spoken", "held then spoken"))
PLAYED: frozenset[Outcome] = SPOKEN | {"not heard"}
# Until when a driver wants nothing said but danger: see `drive.controls.HushUntil`.
Hush = Literal["lap ended", "place proved", "session", "over"]
# What the pit wall may say to a driver; `words.en.FIXED` has the words, under "crew_WORD". "line":
# its own.
CrewWord = Literal["box", "box_now", "push", "save_fuel", "yellow", "red", "traffic", "target", "line"]
# These are said at once, in a corner and under braking too.
AT_ONCE: frozenset[CrewWord] = frozenset(("box_now", "red"))
Mode = Literal["learn", "coach", "numbers", "quiet"]
"""`learn`: a new track, corner by corner. `coach`: what costs time. `numbers`: lap times, deltas at
sectors and speeds at the apex. `quiet`: dangers and lost sources only."""

LapTimes = Literal["all", "best", "never"]
"""Which lap times are said: all, those that are the best or better than the last, none."""

SAFETY, TECHNIQUE, STRATEGY = 3, 2, 1
# In older ledgers: a corner that lost time without a cause that could be named.
TIME_LOST = "time_lost"


class Cue(msgspec.Struct, frozen=True, kw_only=True):
    """Something a coach wants said. `phase` is one of PHASES, or the category of a message that
    belongs to no corner (`safety`, `status`, `praise`, `strategy`, `mark`); `corner` is "" for
    those.

    `concept` is the advice (see `concepts`), "" where the cue is none. `action_m` is the track
    distance of what the driver is to do (None: no place, say it when it is free); the clip of
    `text`, else of `text_short`, must end before it. `reason` carries the numbers behind it;
    `loss_s` is what the advice says that the corner loses a lap, seconds. `clip_s`: how long `text`
    sounds, where no script has it and it was rendered by itself.
    """

    id: int
    t: float
    lap: int
    corner: str
    phase: str
    text: str
    concept: str = ""
    text_short: str = ""
    tier: Tier = "rule"
    priority: int = TECHNIQUE
    action_m: float | None = None
    reason: str = ""
    loss_s: float | None = None
    clip_s: float | None = None


class CueIds:
    """The numbers of cues, from 1 on."""

    def __init__(self) -> None:
        self._last = 0

    def __next__(self) -> int:
        self._last += 1
        return self._last


def crew_reason(id_: str, by: str) -> str:
    """Return the reason of a cue from the pit wall: the ledger says who, and for which message."""
    return f"crew message {id_}, by {by}"


def crew_message(line: LedgerLine) -> str:
    """Return the id of the crew's message that this line is the end of, "" where it is none."""
    _, found, rest = line.reason.partition("crew message ")
    return rest.partition(",")[0] if found else ""


class Callout(msgspec.Struct, frozen=True):
    """A cue that is to sound now. `cut` means: stop whatever is playing first."""

    cue: int
    t: float
    text: str
    clip_s: float
    cut: bool


class LedgerLine(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what became of one cue. `t` is when it was decided (a spoken cue: when its clip
    started).

    `action_distance_m`: metres from the car to the action point at `t`. `time_in_hand_s`: from the
    clip's end to the moment the car really reached the action point (predicted where it never did).
    None where a cue has no action point or was not spoken and nothing was predicted. `loss_s`: what
    the advice says that the corner loses a lap; None where it is none, and in ledgers that were
    kept before there was this field.
    """

    cue: int
    t: float
    lap: int
    corner: str
    phase: str
    text: str
    tier: str
    priority: int
    outcome: Outcome
    reason: str
    action_distance_m: float | None
    clip_s: float | None
    time_in_hand_s: float | None
    predicted_in_hand_s: float | None = None
    lead_s: float | None = None
    concept: str = ""
    loss_s: float | None = None

    @property
    def why(self) -> str:
        """Return `reason`; of a call that nobody heard, only why not."""
        return self.reason.rpartition("; ")[2] if self.outcome == "not heard" else self.reason


# Milliseconds for times, decimetres for places: finer than any fix, coarse enough to be read.
DECIMALS = {
    "t": 3,
    "action_distance_m": 1,
    "clip_s": 3,
    "time_in_hand_s": 3,
    "predicted_in_hand_s": 3,
    "lead_s": 3,
    "loss_s": 3,
}
_ENCODER = msgspec.json.Encoder()


def ledger_row(line: LedgerLine) -> dict[str, str | int | float | None]:
    """A line with its numbers rounded, keys in the order of LedgerLine."""
    row: dict[str, str | int | float | None] = {}
    for name in line.__struct_fields__:
        value = getattr(line, name)
        # Adding 0.0 turns -0.0 into 0.0: they print differently and mean the same.
        row[name] = round(value, DECIMALS[name]) + 0.0 if name in DECIMALS and value is not None else value
    return row


def ledger_json(line: LedgerLine) -> bytes:
    """A line of JSON without a newline, the same bytes for the same line."""
    return _ENCODER.encode(ledger_row(line))

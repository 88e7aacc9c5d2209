"""Define what a path is given from outside the data: a struct a kind, and its journal form.

A control's detail is the text of its only field, or a JSON object. Older journals have "FIRST:
SECOND" in place of an object.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from pitwall.coach.cue import CrewWord, Hush, Mode
from pitwall.telemetry.recordings.journal import ControlRecord
from pitwall.track.lap import Mark
from pitwall.track.model import Gate
from pitwall.words.forms import Level

Kind = Literal[
    "words", "silence", "unheard", "delay", "behind", "mode", "hush", "crew", "again", "gate", "track",
    "unknown", "laps", "mark", "reference", "memory", "forecast", "lost", "back", "tick", "sources", "lag",
    # These change nothing on the path.
    "restart", "clock", "over",
]  # fmt: skip
# What stands in place of a forecast where there is none.
NO_FORECAST = "none"


class Control(msgspec.Struct, frozen=True):
    """An input from outside the data. `kind` is its name in a journal."""

    kind: ClassVar[Kind]


class WordsReady(Control, frozen=True):
    """The clips of a track ("": of none) are ready, for this level (None: the session's own)."""

    kind = "words"
    track: str
    level: Level | None = None


class NoWords(Control, frozen=True):
    """There are no clips, as after a restart."""

    kind = "silence"


class Unheard(Control, frozen=True):
    """Nobody heard what was said from this second on."""

    kind = "unheard"
    since_t: float


class HeardLater(Control, frozen=True):
    """Sound takes so long to the ear from now on."""

    kind = "delay"
    delay_s: float


class Behind(Control, frozen=True):
    """Data comes this late; 0: in time."""

    kind = "behind"
    behind_s: float


class SetMode(Control, frozen=True):
    """The coach speaks in this mode."""

    kind = "mode"
    mode: Mode


class HushUntil(Control, frozen=True):
    """Nothing is said but danger, for two laps, until the place is proved, or for the session."""

    kind = "hush"
    until: Hush


class SayAgain(Control, frozen=True):
    """The driver wants to hear the last callout again."""

    kind = "again"


class CrewSays(Control, frozen=True):
    """The crew says this; `target_s` goes with "target", `line` and `clip_s` with "line"."""

    kind = "crew"
    id: str
    says: CrewWord
    by: str
    target_s: float | None = None
    line: str = ""
    clip_s: float | None = None


class TimeAt(Control, frozen=True):
    """Time laps at this start line."""

    kind = "gate"
    gate: Gate


class OnTrack(Control, frozen=True):
    """This track is driven."""

    kind = "track"
    track: str


class TrackUnknown(Control, frozen=True):
    """No known track is here."""

    kind = "unknown"


class LapsEnded(Control, frozen=True):
    """A logger without positions ended its laps at these times."""

    kind = "laps"
    times_t: list[float]


class MarkLap(Control, frozen=True):
    """A person says this of the running lap, or of the lap that many seconds ago."""

    kind = "mark"
    mark: Mark
    ago_s: float = 0.0


class CompareWith(Control, frozen=True):
    """Compare with this stored lap, SESSION:LAP."""

    kind = "reference"
    lap: str


class Remember(Control, frozen=True):
    """What is known from earlier days: a `Memory` as JSON."""

    kind = "memory"
    memory: str


class ForecastBy(Control, frozen=True):
    """The network of this digest times calls from now on; "none: REASON" without one."""

    kind = "forecast"
    network: str


class Lost(Control, frozen=True):
    """A row of the degradation table that the daemon watches."""

    kind = "lost"
    name: str
    reason: str = ""


class Back(Control, frozen=True):
    """It is lost no more."""

    kind = "back"
    name: str


class SourceClocks(Control, frozen=True):
    """How the sources' clocks are mapped; a receiver's reset clock breaks the lap."""

    kind = "sources"
    note: str


class FixesLate(Control, frozen=True):
    """The receiver's fixes are so much later than the car's own signals."""

    kind = "lag"
    lag_s: float


class Tick(Control, frozen=True):
    """Time went on without a sample."""

    kind = "tick"


_KINDS: dict[str, type[Control]] = {each.kind: each for each in Control.__subclasses__()}


def record_of(t: float, given: Control) -> ControlRecord:
    """Return the control as a journal record."""
    names = given.__struct_fields__
    if not names:
        return ControlRecord(t, given.kind)
    value: object = getattr(given, names[0]) if len(names) == 1 else given
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return ControlRecord(t, given.kind, text)


def control_of(record: ControlRecord) -> Control | None:
    """Decode a record's control; None for an unknown kind or value. ValueError if damaged."""
    kind, detail = _KINDS.get(record.kind), record.detail
    if kind is None:
        return None
    fields = msgspec.structs.fields(kind)
    given: dict[str, object] = {}
    try:
        if len(fields) > 1:
            if detail.startswith("{"):
                return msgspec.json.decode(detail, type=kind)
            first, _, second = detail.partition(": ")
            given[fields[0].name] = first
            if second:
                given[fields[1].name] = second
        elif fields:
            text = fields[0].type in (str, Mode, Hush)
            given[fields[0].name] = detail if text else msgspec.json.decode(detail)
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError:
        return None


def control(t: float, kind: Kind, detail: str = "") -> ControlRecord:
    """Return the journal record of a control of a known kind."""
    return ControlRecord(t, kind, detail)

"""Results of lap timing: laps, corner passes, the car's place; and a person's marks on laps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

import msgspec

LapKind = Literal["out", "flying", "in", "broken", "traffic", "yellow"]
"""Only a flying lap is evidence. `traffic` and `yellow` were flying to the timer; a person said otherwise."""
Mark = Literal["traffic", "yellow", "mark", "clear"]
"""`mark` notes the moment and leaves the lap as it is; `clear` takes back what was said of the lap."""
MARKS: dict[str, Mark] = {mark: mark for mark in get_args(Mark)}
MARKED = "marked by a person"
PositionStatus = Literal["on", "off", "pit", "reckoned", "lost"]


class Position(msgspec.Struct, gc=False):
    """Where the car is. `distance_m`: along the centreline from the gate, in [0, length);
    `offset_m`: across it, positive left. `carried_m`: how far the car came since a new fix that was
    late. `reckoned`: carried on from speed; `lost`: without meaning."""

    t: float
    distance_m: float
    offset_m: float
    status: PositionStatus
    carried_m: float = 0.0


class Lap(msgspec.Struct, frozen=True):
    """A lap; `time_s` None for the first and last piece; `reason`: why it is not flying."""

    number: int
    kind: LapKind
    start_t: float
    end_t: float
    time_s: float | None
    sectors_s: tuple[float | None, ...] = ()
    reason: str = ""


class LapMark(msgspec.Struct, frozen=True):
    """A person's mark on the lap of second `t` of the session: lap numbers may change."""

    t: float
    mark: Mark


def as_marked(lap: Lap, marks: Iterable[LapMark]) -> Lap:
    """Return the lap as last marked; one that is not flying stays."""
    said = [each.mark for each in marks if lap.start_t <= each.t < lap.end_t and each.mark != "mark"]
    if not said:
        return lap
    if lap.kind in ("traffic", "yellow"):
        lap = msgspec.structs.replace(lap, kind="flying", reason="")
    mark = said[-1]
    if lap.kind != "flying" or mark not in ("traffic", "yellow"):
        return lap
    return msgspec.structs.replace(lap, kind=mark, reason=MARKED)


class CornerPass(msgspec.Struct, frozen=True):
    """A drive through one corner, m/s. `brake_m`: where braking began (track distance);
    `time_s`: from entry to exit."""

    lap: int
    corner: str
    entry_t: float
    exit_t: float
    time_s: float
    entry_speed_mps: float
    min_speed_mps: float
    min_speed_m: float
    exit_speed_mps: float
    brake_m: float | None

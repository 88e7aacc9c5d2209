"""Changes a person may make to stored sessions, their messages, and notes of a day."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

# Letters of any language, but not like an option, a path or SESSION:LAP.
SESSION_NAME = r"^[^\s/\\:.\-][^/\\:\x00-\x1f\x7f]{0,127}$"
_TRACK = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"
_DATE = r"^([0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?)?$"

SessionText = Annotated[str, msgspec.Meta(min_length=1, max_length=128, description="A session's name or id")]
Name = Annotated[str, msgspec.Meta(pattern=SESSION_NAME, max_length=60)]
TagText = Annotated[str, msgspec.Meta(pattern=r"^[^\s,](.{0,38}[^\s,])?$")]
LapWord = Literal["traffic", "yellow", "clear"]
Sessions = Annotated[tuple[SessionText, ...], msgspec.Meta(max_length=100)]


class _Change(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="change"):
    """A change that a person asks for."""


class Rename(_Change, frozen=True, kw_only=True, tag="rename"):
    """Give a session a name; None takes it back."""

    session: SessionText
    name: Name | None


class Tag(_Change, frozen=True, kw_only=True, tag="tag"):
    """Add tags to a session and remove others."""

    session: SessionText
    add: Annotated[tuple[TagText, ...], msgspec.Meta(max_length=20)] = ()
    remove: Annotated[tuple[TagText, ...], msgspec.Meta(max_length=20)] = ()


class Redate(_Change, frozen=True, kw_only=True, tag="date"):
    """Say when a session was driven, `2025-05-17` or `2025-05-17 14:03` in UTC, or ""."""

    session: SessionText
    driven: Annotated[str, msgspec.Meta(pattern=_DATE)]


class MarkLaps(_Change, frozen=True, kw_only=True, tag="mark"):
    """Mark laps as driven in traffic or under yellow: no evidence. `clear` undoes it."""

    session: SessionText
    laps: Annotated[
        tuple[Annotated[int, msgspec.Meta(ge=0)], ...], msgspec.Meta(min_length=1, max_length=100)
    ]
    mark: LapWord


class Describe(_Change, frozen=True, kw_only=True, tag="describe"):
    """Note what a session was driven with. `from_lap`: of the stint that begins there; 0: of the
    whole session, whose stints stay."""

    session: SessionText
    conditions: Conditions
    from_lap: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0


class SetAim(_Change, frozen=True, kw_only=True, tag="aim"):
    """Set the lap time to reach on a track; None takes it back."""

    track: Annotated[str, msgspec.Meta(pattern=_TRACK)]
    aim: Aim | None


class Match(_Change, frozen=True, kw_only=True, tag="match"):
    """Measure sessions again; none named: those measured with other tracks. `track` is forced:
    an id, "" for no track; "auto" undoes it."""

    sessions: Sessions = ()
    track: Annotated[str, msgspec.Meta(pattern=rf"^$|{_TRACK}")] | None = None


class Delete(_Change, frozen=True, kw_only=True, tag="delete"):
    """Move sessions to the trash."""

    sessions: Annotated[tuple[SessionText, ...], msgspec.Meta(min_length=1, max_length=100)]


class Restore(_Change, frozen=True, kw_only=True, tag="restore"):
    """Take sessions out of the trash; by their ids."""

    sessions: Annotated[tuple[SessionText, ...], msgspec.Meta(min_length=1, max_length=100)]


class EmptyTrash(_Change, frozen=True, kw_only=True, tag="empty"):
    """Delete for good what is in the trash."""


Change = Rename | Tag | Redate | MarkLaps | Describe | SetAim | Match | Delete | Restore | EmptyTrash


class Working(msgspec.Struct, frozen=True, tag="working", tag_field="event"):
    """A plain sentence about what is being done."""

    text: str


class Changed(msgspec.Struct, frozen=True, tag="changed", tag_field="event"):
    """The last event: everything was done. `sessions`: their ids now."""

    sessions: tuple[str, ...]
    lines: tuple[str, ...]


class NotChanged(msgspec.Struct, frozen=True, tag="not_changed", tag_field="event"):
    """The last event: why it could not be done, or not all of it."""

    text: str


ChangeEvent = Working | Changed | NotChanged


Sky = Literal["", "dry", "damp", "wet"]
Pressure = Annotated[float, msgspec.Meta(ge=0.3, le=6.0)]
Degrees = Annotated[float, msgspec.Meta(ge=-40.0, le=90.0)]
Line = Annotated[str, msgspec.Meta(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
Wheels = tuple[Pressure, Pressure, Pressure, Pressure]


class StintNote(msgspec.Struct, frozen=True):
    """What was noted of a part of a session, from this lap on."""

    from_lap: Annotated[int, msgspec.Meta(ge=0, le=10_000)]
    conditions: Conditions


class Conditions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`pressures_bar`: cold, front left, front right, rear left, rear right. `fuel_l`: at the
    start. Empty or None: not noted. `stints`: of parts of the session, in order."""

    car: Line = ""
    tyres: Line = ""
    pressures_bar: Wheels | None = None
    weather: Sky = ""
    air_c: Degrees | None = None
    track_c: Degrees | None = None
    fuel_l: Annotated[float, msgspec.Meta(ge=0.0, le=300.0)] | None = None
    setup: Line = ""
    notes: Annotated[str, msgspec.Meta(max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""
    stints: tuple[StintNote, ...] = ()

    def with_stint(self, from_lap: int, noted: Conditions) -> Conditions:
        """Return these with what was noted from a lap on, 0: of the whole session."""
        stints = [each for each in self.stints if each.from_lap != from_lap]
        if not from_lap:
            return msgspec.structs.replace(noted, stints=self.stints)
        noted = msgspec.structs.replace(noted, stints=())
        stints += [StintNote(from_lap, noted)] if noted != Conditions() else []
        return msgspec.structs.replace(self, stints=tuple(sorted(stints, key=lambda each: each.from_lap)))


class Aim(msgspec.Struct, frozen=True):
    """The lap time that a driver wants to reach, s, and until when: a day, a month, or ""."""

    time_s: Annotated[float, msgspec.Meta(ge=5.0, le=3600.0)]
    by: Annotated[str, msgspec.Meta(pattern=r"^([0-9]{4}-[0-9]{2}(-[0-9]{2})?)?$")] = ""

"""What a driver notes of a session: tyres, weather, fuel, set-up; and the lap time he aims at."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

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
    """`pressures_bar`: cold, front left, front right, rear left, rear right. `air_c`,
    `track_c`: temperatures; `fuel_l`: litres at the start. Empty or None: not noted. `stints`: what was
    noted of parts of the session, in their order."""

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
        """Return these with that noted from a lap on, 0: of the whole session. Nothing noted: taken back."""
        stints = [each for each in self.stints if each.from_lap != from_lap]
        if not from_lap:
            return msgspec.structs.replace(noted, stints=self.stints)
        noted = msgspec.structs.replace(noted, stints=())
        stints += [StintNote(from_lap, noted)] if noted != Conditions() else []
        return msgspec.structs.replace(self, stints=tuple(sorted(stints, key=lambda each: each.from_lap)))


class Aim(msgspec.Struct, frozen=True):
    """The lap time that a driver wants to reach on a track, seconds, and until when: a day or a
    month, "" for no date."""

    time_s: Annotated[float, msgspec.Meta(ge=5.0, le=3600.0)]
    by: Annotated[str, msgspec.Meta(pattern=r"^([0-9]{4}-[0-9]{2}(-[0-9]{2})?)?$")] = ""


def joined_conditions(all_of: list[Conditions]) -> Conditions:
    """Return one for sessions that become one: of each field the first that was noted; all notes."""
    first = {
        name: next(
            (value for value in (getattr(each, name) for each in all_of) if value not in ("", None, ())), None
        )
        for name in Conditions.__struct_fields__
    }
    notes = " ".join(dict.fromkeys(each.notes for each in all_of if each.notes))
    return Conditions(
        **{name: each for name, each in first.items() if each is not None} | {"notes": notes[:1000]}
    )

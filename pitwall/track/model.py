"""A circuit as it stands in `track_data/<id>.json`; distances are metres along the centreline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from pitwall.telemetry.outside import clean_fields

# Of an open course: the way back from finish to start, as a share of the run; long enough that no
# call for the start is near the finish.
WAY_BACK_SHARE = 0.9


class Gate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The start line from a to b, crossed in the direction `heading_deg`. `finish`: a run's end
    line elsewhere."""

    a_lat_deg: float
    a_lon_deg: float
    b_lat_deg: float
    b_lon_deg: float
    heading_deg: float
    finish: Gate | None = None

    @property
    def middle(self) -> tuple[float, float]:
        """Return the place between a and b, in degrees."""
        return (self.a_lat_deg + self.b_lat_deg) / 2.0, (self.a_lon_deg + self.b_lon_deg) / 2.0


class Landmark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something a driver can see or feel: bridge, wall, board, crest, bump, tyres, sign."""

    kind: str
    name: str
    distance_m: float | None = None

    def __post_init__(self) -> None:
        clean_fields(self, "kind", "name")


class Corner(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A corner. `id` names its voice script; `number` is the official one.

    With `exit_m` < `entry_m` it lies across the gate. `brake_m`: None without braking. `sureness`:
    0..1 by the builder; 1 if a person wrote or checked it.
    """

    id: str
    name: str
    number: str = ""
    nicknames: tuple[str, ...] = ()
    direction: Literal["left", "right"]
    entry_m: float
    apex_m: float
    exit_m: float
    brake_m: float | None = None
    landmarks: tuple[Landmark, ...] = ()
    sureness: float = 1.0

    def __post_init__(self) -> None:
        clean_fields(self, "name", "number", "nicknames")


def moved_corner(corner: Corner, moved: Callable[[float], float]) -> Corner:
    """Return a corner and its landmarks, each place in metres as `moved` gives it."""
    replace = msgspec.structs.replace
    return replace(
        corner,
        entry_m=moved(corner.entry_m),
        apex_m=moved(corner.apex_m),
        exit_m=moved(corner.exit_m),
        brake_m=None if corner.brake_m is None else moved(corner.brake_m),
        landmarks=tuple(
            mark if mark.distance_m is None else replace(mark, distance_m=moved(mark.distance_m))
            for mark in corner.landmarks
        ),
    )


Direction = Literal["clockwise", "anticlockwise", "open"]
"""Which way round a circuit is driven; `open`: a course with a finish of its own."""


class Track(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A circuit. `centreline`: (lat_deg, lon_deg, elevation_m) from the gate on, without repeating
    the first point; `speed_mps`: a typical pace at each (may be empty).

    An open course has a gate with a finish, where its centreline ends. `length_m`, by which all
    distances wrap, is then the run and a way back without a line: the finish is never near the
    start.
    """

    id: str
    name: str
    country: str = ""
    direction: Direction
    length_m: float
    gate: Gate
    centreline: tuple[tuple[float, float, float], ...]
    speed_mps: tuple[float, ...] = ()
    corners: tuple[Corner, ...] = ()
    sectors_m: tuple[float, ...] = ()
    pit_lane: tuple[tuple[float, float], ...] = ()
    sources: tuple[str, ...] = ()
    notes: str = ""

    def __post_init__(self) -> None:
        clean_fields(self, "name", "country")

    @property
    def has_finish(self) -> bool:
        """Return whether this is an open course, with a start and a finish apart."""
        return self.gate.finish is not None

    @property
    def lap_m(self) -> float:
        """Return how far a lap goes, metres: once around, or to the finish."""
        return self.length_m / (1.0 + WAY_BACK_SHARE) if self.has_finish else self.length_m

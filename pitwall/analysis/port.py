"""The one way in which analysis gets at data: over a store in this process, or over the daemon's RPC."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from pitwall.store.lessons import Lesson
from pitwall.store.queries import SessionRow
from pitwall.store.sqlgate import Answer, Refusal
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.model import Track


class DriverEvent(msgspec.Struct, frozen=True):
    """One row of `driver_events`. `detail` is JSON for the kinds that begin with "profile."."""

    session: str
    t: float
    kind: str
    detail: str


class Facts(Protocol):
    """Stored sessions to look at. Every call may take a while and may raise StoreError; none is async.

    `session` is a full id wherever it is asked for.
    """

    def sessions(self) -> list[SessionRow]:
        """All sessions in the order in which they were driven."""
        ...

    def laps(self, session: str) -> list[Lap]:
        """The laps of one session in order."""
        ...

    def corner_passes(self, session: str) -> list[CornerPass]:
        """Every drive through a corner, in order."""
        ...

    def frames(self, session: str) -> Iterator[tuple[Frame, Position | None]]:
        """Every frame of the session with its place, in order of time, each once."""
        ...

    def events(self, session: str) -> list[DriverEvent]:
        """The session's driver events in order of time; where `session` is empty those of every session that
        counts: no replay, and no drive twice."""
        ...

    def track(self, track_id: str) -> Track | None:
        """The track as it is known now, None for an unknown id."""
        ...

    def scripts(self, track: Track) -> dict[str, dict[str, str]]:
        """What is spoken there now: corner id -> key of a script file -> text."""
        ...

    def sql(self, sql: str) -> Answer | Refusal:
        """One bounded SELECT; a refusal is a value."""
        ...

    def save_script(self, track: Track, corner: str, script: Mapping[str, str]) -> str:
        """Write a script that was checked, whole or not at all; its path. OSError where that fails."""
        ...

    def put_events(self, session: str, events: Sequence[DriverEvent]) -> None:
        """Replace the session's events of the kinds "profile.*" by these."""
        ...

    def lessons(self) -> list[Lesson]:
        """All lessons about all drivers, the retired too."""
        ...

    def put_lessons(self, found: Sequence[Lesson]) -> None:
        """Write these, each over its older self; durable when it returns."""
        ...

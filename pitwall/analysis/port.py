"""Reads for analysis. It writes nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

import _duckdb as duckdb
import msgspec

from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.contract.changes import Aim
from pitwall.store import edits, lessons, queries
from pitwall.store.conversations import ToldBefore, told_before
from pitwall.store.errors import StoreError
from pitwall.store.kept import find_kept, keep, stamp_of
from pitwall.store.lessons import DriverEvent, Lesson
from pitwall.store.queries import Columns, Readable, SessionRow
from pitwall.store.sqlanswer import Refusal, SqlAnswer
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.library import find_track
from pitwall.track.model import Track
from pitwall.words.language import Language

T = TypeVar("T")


class DriveFacts(Protocol):
    """The source that a drive is loaded from; `session` is a full id. StoreError."""

    def laps(self, session: str) -> list[Lap]:
        """Return the laps of one session in order."""
        ...

    def corner_passes(self, session: str) -> list[CornerPass]:
        """Return every drive through a corner, in order."""
        ...

    def columns(self, session: str) -> Iterator[Columns]:
        """Yield its frames with their places by column, in order, a piece at a time."""
        ...

    def track(self, track_id: str) -> Track | None:
        """Return today's track, None for an unknown id."""
        ...


class Facts:
    """The stored sessions of an open store, also as `DriveFacts`."""

    def __init__(self, store: Readable) -> None:
        self._store = store

    def sessions(self) -> list[SessionRow]:
        """Return all sessions in driving order."""
        return queries.sessions(self._store)

    def laps(self, session: str) -> list[Lap]:
        return queries.laps(self._store, session)

    def corner_passes(self, session: str) -> list[CornerPass]:
        return queries.corner_passes(self._store, session)

    def frames(self, session: str) -> Iterator[tuple[Frame, Position | None]]:
        """Return every frame of the session with its place, in order of time."""
        whole = Lap(0, "broken", float("-inf"), float("inf"), None)
        try:
            yield from queries.lap_trace(self._store, session, whole)
        except duckdb.Error as error:
            raise StoreError(f"session {session} can't be read: {error}") from error

    def columns(
        self, session: str, from_t: float = -math.inf, to_t: float = math.inf
    ) -> Iterator[queries.Columns]:
        try:
            yield from queries.measured_columns(self._store, session, from_t, to_t)
        except duckdb.Error as error:
            raise StoreError(f"session {session} can't be read: {error}") from error

    def events(self, session: str) -> list[DriverEvent]:
        """Return driver events in order of time; for "" of all that count."""
        return lessons.driver_events(self._store, session)

    def track(self, track_id: str) -> Track | None:
        return track_in(self._store.home, track_id)

    @property
    def words(self) -> Language:
        """Return the reader's language and units."""
        return self._store.home.words

    def scripts(self, track: Track) -> dict[str, dict[str, str]]:
        """Return what is spoken there now: corner id -> key of a script file -> text."""
        return scripts_in(self._store.home, track)

    def sql(self, sql: str) -> SqlAnswer | Refusal:
        """Run a bounded SELECT; a refusal is a value."""
        return self._store.ask(sql)

    def signal_ranges(self, session: str, words: Sequence[str], *span: float) -> list[queries.SignalRange]:
        """List the session's other channels whose names hold one of these words."""
        return queries.signal_ranges(self._store, session, words, *span)

    def cues(self, session: str) -> list[LedgerLine]:
        """Return the ledger of one session in the order it was written."""
        return queries.cues(self._store, session)

    def aim(self, track: str) -> Aim | None:
        """Return the lap time that the driver wants to reach on a track."""
        return edits.aim_of(self._store, track) if track else None

    def lessons(self) -> list[Lesson]:
        """Return all drivers' lessons, retired ones too."""
        return lessons.lessons(self._store)

    def kept(self, session: SessionRow, kind: str, form: type[T], make: Callable[[], T]) -> T:
        """Return what was worked out of a session, kept while what it came from is the same."""
        track = session.track
        seen = (
            session, self.laps(session.id), self.corner_passes(session.id), self.cues(session.id),
            self.aim(track), [row for row in self.sessions() if row.track == track],
            self.track(track) if track else None,
        )  # fmt: skip
        home = self._store.home
        stamp = stamp_of((home.words.units, msgspec.msgpack.encode(seen)))
        if (found := find_kept(home, session.id, kind, stamp)) is not None:
            return msgspec.msgpack.decode(found, type=form)
        made = make()
        if session.closed_utc_s is not None:
            keep(home, session.id, kind, stamp, msgspec.msgpack.encode(made))
        return made

    def told_before(self) -> list[ToldBefore]:
        """Return what was asked about the sessions and answered, the newest first."""
        return told_before(self._store)


def track_in(home: Home, track_id: str) -> Track | None:
    """Return the track as its file says now; None where the file is bad or missing."""
    return find_track(home.layers("track_data"), track_id)


def scripts_in(home: Home, track: Track) -> dict[str, dict[str, str]]:
    """Return what the script files say: corner id -> key of a script file -> text."""
    from pitwall.coach.scripts import load_scripts  # with all that checks a phrase, which few questions need

    return load_scripts(home.layers("audio_cache"), track, home.words).texts()

"""Facts from a store in the same process, for reading only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import duckdb

from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.store import lessons, queries
from pitwall.store.errors import StoreError
from pitwall.store.lessons import DriverEvent, Lesson
from pitwall.store.queries import SessionRow
from pitwall.store.reading import Readable
from pitwall.store.sqlanswer import Refusal, SqlAnswer
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.library import find_track
from pitwall.track.model import Track
from pitwall.words.language import Language


class StoreFacts:
    """`pitwall.analysis.port.Facts` over an open store."""

    def __init__(self, store: Readable) -> None:
        self._store = store

    def sessions(self) -> list[SessionRow]:
        return queries.sessions(self._store)

    def laps(self, session: str) -> list[Lap]:
        return queries.laps(self._store, session)

    def corner_passes(self, session: str) -> list[CornerPass]:
        return queries.corner_passes(self._store, session)

    def frames(self, session: str) -> Iterator[tuple[Frame, Position | None]]:
        whole = Lap(0, "broken", float("-inf"), float("inf"), None)
        try:
            yield from queries.lap_trace(self._store, session, whole)
        except duckdb.Error as error:
            raise StoreError(f"session {session} can't be read: {error}") from error

    def columns(self, session: str) -> Iterator[queries.Columns]:
        try:
            yield from queries.measured_columns(self._store, session)
        except duckdb.Error as error:
            raise StoreError(f"session {session} can't be read: {error}") from error

    def events(self, session: str) -> list[DriverEvent]:
        return lessons.driver_events(self._store, session)

    def track(self, track_id: str) -> Track | None:
        return track_in(self._store.home, track_id)

    @property
    def words(self) -> Language:
        return self._store.home.words

    def scripts(self, track: Track) -> dict[str, dict[str, str]]:
        return scripts_in(self._store.home, track)

    def sql(self, sql: str) -> SqlAnswer | Refusal:
        return self._store.ask(sql)

    def signal_ranges(self, session: str, words: Sequence[str]) -> list[queries.SignalRange]:
        return queries.signal_ranges(self._store, session, words)

    def cues(self, session: str) -> list[LedgerLine]:
        return queries.cues(self._store, session)

    def lessons(self) -> list[Lesson]:
        return lessons.lessons(self._store)


def track_in(home: Home, track_id: str) -> Track | None:
    """The track as its file says now; None where the file is bad or missing."""
    return find_track(home.layers("track_data"), track_id)


def scripts_in(home: Home, track: Track) -> dict[str, dict[str, str]]:
    """Return what the script files say for this track now: corner id -> key of a script file -> text."""
    from pitwall.coach.scripts import load_scripts  # with all that checks a phrase, which few questions need

    return load_scripts(home.layers("audio_cache"), track, home.words).texts()

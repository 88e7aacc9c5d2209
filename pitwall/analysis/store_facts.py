"""Facts from a store in the same process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

import duckdb
import msgspec

from pitwall.analysis.port import DriverEvent
from pitwall.coach.scripts import load_scripts, script_path
from pitwall.config import Home
from pitwall.store import lessons, queries
from pitwall.store.errors import StoreError
from pitwall.store.files import replace_file
from pitwall.store.lessons import Lesson
from pitwall.store.queries import SessionRow
from pitwall.store.reading import Writable
from pitwall.store.sqlgate import Answer, Refusal, ask
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.library import TrackError, load_tracks
from pitwall.track.model import Track

_OWN = "profile.%"


class StoreFacts:
    """`pitwall.analysis.port.Facts` over an open store."""

    def __init__(self, store: Writable) -> None:
        self._store = store
        # Two writers of one corner: the second waits, neither file is a mixture.

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

    def events(self, session: str) -> list[DriverEvent]:
        sql = (
            "SELECT session, t, kind, detail FROM driver_events WHERE session = $1 OR ($1 = '' AND session "
            "NOT IN (SELECT id FROM sessions WHERE kind = 'replay' OR same_as <> '')) "
            "ORDER BY session, t, kind, detail"
        )
        with closing(self._store.cursor()) as cursor:
            try:
                return [DriverEvent(*row) for row in cursor.execute(sql, [session]).fetchall()]
            except duckdb.Error as error:
                raise StoreError(f"driver events can't be read: {error}") from error

    def track(self, track_id: str) -> Track | None:
        return track_in(self._store.home, track_id)

    def scripts(self, track: Track) -> dict[str, dict[str, str]]:
        return scripts_in(self._store.home, track)

    def sql(self, sql: str) -> Answer | Refusal:
        return ask(self._store, sql)

    def save_script(self, track: Track, corner: str, script: Mapping[str, str]) -> str:
        path = script_path(self._store.home.audio_cache, corner, track)
        content = msgspec.json.format(msgspec.json.encode(script), indent=2) + b"\n"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(path, content)
        return str(path)

    def put_events(self, session: str, events: Sequence[DriverEvent]) -> None:
        self._store.put("DELETE FROM driver_events WHERE session = ? AND kind LIKE ?", [session, _OWN])
        for event in events:
            self._store.put(
                "INSERT INTO driver_events VALUES (?, ?, ?, ?)",
                [event.session, event.t, event.kind, event.detail],
            )
        if not self._store.flush():
            raise StoreError("the driver events can't be written now: the database keeps failing")

    def lessons(self) -> list[Lesson]:
        return lessons.lessons(self._store)

    def put_lessons(self, found: Sequence[Lesson]) -> None:
        lessons.put_lessons(self._store, found)


def track_in(home: Home, track_id: str) -> Track | None:
    """The track as its file says now; a bad file is as good as none."""
    problems: list[TrackError] = []
    return load_tracks(home.layers("track_data"), problems).get(track_id)


def scripts_in(home: Home, track: Track) -> dict[str, dict[str, str]]:
    """What the files say is spoken there: corner id -> key of a script file -> text."""
    loaded = load_scripts(home.layers("audio_cache"), track)
    return {
        corner: {
            key: text
            for phase, phrase in by_phase.items()
            for key, text in ((phase, phrase.text), (f"{phase}_short", phrase.short))
            if text
        }
        for corner, by_phase in loaded.corners.items()
    }

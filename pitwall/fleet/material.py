"""What a phone's store tells of one closed session: rows, and files for what is
large."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec

from pitwall.coach.cue import LedgerLine
from pitwall.contract.fleet import Due
from pitwall.fleet.names import key_of, pseudonym
from pitwall.store import driver_events, lessons, queries
from pitwall.store.driver_events import DriverEvent
from pitwall.store.errors import NotExportableError
from pitwall.store.handover import write_parquet
from pitwall.store.lessons import Lesson
from pitwall.store.queries import TRACE_COLUMNS, SessionRow
from pitwall.store.reading import Readable, rows
from pitwall.track.lap import CornerPass, Lap

_FRAMES = (
    f"SELECT lap, lap_kind, seq, {', '.join(TRACE_COLUMNS)} FROM frames "  # noqa: S608
    "LEFT JOIN (SELECT session, lap, any_value(kind) AS lap_kind FROM laps GROUP BY session, lap) "
    "USING (session, lap) WHERE session = ? ORDER BY t, seq"
)
_SIGNALS = (
    "SELECT s.t, r.name, r.unit, r.label, r.source, s.value FROM signals s "
    "JOIN signal_registry r ON r.id = s.signal WHERE s.session = ? "
    "ORDER BY r.name, r.source, r.label, s.t, s.seq"
)
_SOURCE = (
    "SELECT s.place_stamp, s.journal_crc, s.journal_last_seq, s.last_seq, s.track, s.complete, "
    "s.driver, s.vehicle, s.start_utc_s, s.app_version, e.driven_utc_s, e.tags, e.track, e.marks, "
    "(SELECT count(*) FROM cues c WHERE c.session = s.id), "
    "(SELECT count(*) FROM driver_events d WHERE d.session = s.id), "
    "(SELECT count(*) FROM corner_passes p WHERE p.session = s.id) "
    "FROM sessions s LEFT JOIN session_edits e ON e.session = s.id WHERE s.id = ?"
)


# A new way of making rows out of the same store makes sessions new; DuckDB has 32 MB for everything.
MADE_BY, ROWS_AT_ONCE = 1, 32_768


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """One session as its phone has it. `lessons` are those that it is evidence for. `frames_file` and
    `signals_file` are Parquet files that the reader takes away."""

    row: SessionRow
    place_stamp: str
    source: str
    laps: tuple[Lap, ...]
    passes: tuple[CornerPass, ...]
    cues: tuple[LedgerLine, ...]
    events: tuple[DriverEvent, ...]
    lessons: tuple[Lesson, ...]
    frames_file: str
    signals_file: str


def source_of(store: Readable, session: str) -> str:
    """A digest of what a session's rows are made from: the same means that there is nothing new to push."""
    found = rows(store, _SOURCE, [session])
    return hashlib.sha256(repr((MADE_BY, found)).encode()).hexdigest()[:32]


def due(store: Readable, sessions: Iterable[SessionRow]) -> list[Due]:
    """These sessions with their pseudonyms and digests. StoreError."""
    key = key_of(store.home)
    return [Due(row.id, pseudonym(key, row.driver), row.driver, source_of(store, row.id)) for row in sessions]


def gather(store: Readable, session: str) -> Material:
    """Take it. NotExportableError where it is still being driven; StoreError."""
    row = queries.session(store, session)
    if row.closed_utc_s is None:
        raise NotExportableError(f"session {row.id} is still being driven; push it when it is over")
    [(stamp,)] = rows(store, "SELECT place_stamp FROM sessions WHERE id = ?", [row.id])
    evidence = [
        lesson for lesson in lessons.lessons(store) if any(each.session == row.id for each in lesson.evidence)
    ]
    source = source_of(store, row.id)
    laps, passes = queries.laps(store, row.id), queries.corner_passes(store, row.id)
    cues, events = queries.cues(store, row.id), driver_events.driver_events(store, row.id)
    frames = write_parquet(store, _FRAMES, [row.id], ROWS_AT_ONCE, "uncompressed")
    try:
        signals = write_parquet(store, _SIGNALS, [row.id], ROWS_AT_ONCE, "uncompressed")
    except BaseException:
        frames.unlink(missing_ok=True)
        raise
    return Material(
        row=row,
        place_stamp=stamp or "",
        source=source,
        laps=tuple(laps),
        passes=tuple(passes),
        cues=tuple(cues),
        events=tuple(events),
        lessons=tuple(sorted(evidence, key=lambda each: each.id)),
        frames_file=str(frames),
        signals_file=str(signals),
    )

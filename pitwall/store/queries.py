"""Reads the store for others: sessions, laps, corner passes, cues, and a lap's frames."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import _duckdb as duckdb
import msgspec

from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.contract.changes import Conditions
from pitwall.store.errors import StoreError, UnknownSessionError
from pitwall.store.home_journal import RowChange
from pitwall.store.rows import CUE_COLUMNS, LAP_COLUMNS, PASS_COLUMNS
from pitwall.store.schema import FRAME_FIELDS
from pitwall.store.sqlanswer import Refusal, SqlAnswer
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.signals import CANONICAL, SIGNALS
from pitwall.track.lap import CornerPass, Lap, Position

# As many as fit on a phone's screen.
_CANDIDATES = 8
_FETCH_ROWS = 2_000
# A piece of a session that is sorted at once, seconds; at most this many pieces.
_SORTED_S, _MOST_SORTS = 600.0, 100
DAY_UNKNOWN = "day not known"
# Columns of a frame with its place.
TRACE_COLUMNS = (*FRAME_FIELDS, "distance_m", "offset_m", "status")
# What analysis and the charts look at.
MEASURED_COLUMNS = (
    "t", "distance_m", "offset_m", "status", "speed_mps", "heading_deg", "g_lat", "g_long", "yaw_rate_dps",
    "steering_deg", "brake_bar", "brake_pct", "throttle_pct", "coolant_c", "oil_temp_c", "lat_deg", "lon_deg",
    "gear", "rpm", "g_from_gps",
)  # fmt: skip
# A piece of a session: MEASURED_COLUMNS -> as many values; None: not measured.
Columns = Mapping[str, Sequence[Any]]


# The end of the venue of what the simulator writes.
SIMULATED = "(SIMULATED)"


class SessionRow(msgspec.Struct, frozen=True):
    """A session for a listing. Times are unix seconds; `best_lap_s`: the fastest flying lap.

    `start_utc_s`: by the recording; `driven_utc_s`: by a person, else the same; None if the day is
    unknown. `time_of_day_s`: the clock at second 0 if the recording lacks its zone: both times are
    then local. `complete`: all rows are here. `same_as`: the session that is the same drive in
    another file.
    """

    id: str
    kind: str
    source_name: str
    source_digest: str
    track: str
    format: str
    start_utc_s: float | None
    created_utc_s: float
    closed_utc_s: float | None
    samples: int
    complete: bool
    laps: int
    best_lap_s: float | None
    driver: str
    vehicle: str
    venue: str
    app_version: str
    notes: str
    driven_utc_s: float | None = None
    time_of_day_s: float | None = None
    name: str = ""
    tags: tuple[str, ...] = ()
    same_as: str = ""
    conditions: Conditions = Conditions()

    @property
    def shown(self) -> str:
        """The name with the id."""
        return f"{self.name} ({self.id})" if self.name else self.id

    @property
    def order_utc_s(self) -> float:
        """Return the order of sessions: when driven, else when stored."""
        return self.created_utc_s if self.driven_utc_s is None else self.driven_utc_s

    def is_same_drive(self, other: SessionRow) -> bool:
        """Return whether both are of one drive: a replay or a second file of it."""
        same_file = bool(self.source_digest) and self.source_digest == other.source_digest
        return same_file or (self.same_as or self.id) == (other.same_as or other.id)

    @property
    def counts(self) -> bool:
        """Return whether it is a drive of its own."""
        return self.kind != "replay" and not self.same_as

    @property
    def simulated(self) -> bool:
        """Return whether nobody drove it."""
        return SIMULATED in self.venue

    def counts_with(self, other: SessionRow) -> bool:
        """Return whether it counts for another session: real ones for real ones."""
        return self.counts and self.simulated == other.simulated


def real_ones(rows: Sequence[SessionRow]) -> list[SessionRow]:
    """Return the real sessions; without one, the simulated ones."""
    return [row for row in rows if not row.simulated] or [*rows]


class SignalRange(msgspec.Struct, frozen=True):
    """A recorded signal over the session, in `unit`."""

    name: str
    unit: str
    first: float
    last: float
    least: float
    most: float


_DRIVEN = "coalesce(e.driven_utc_s, s.start_utc_s)"
_SESSIONS = f"""
SELECT s.id, s.kind, s.source_name, s.source_digest, s.track, s.format, s.start_utc_s, s.created_utc_s,
  s.closed_utc_s, s.samples, s.complete, coalesce(l.laps, 0), l.best_s,
  s.driver, s.vehicle, s.venue, s.app_version, s.notes,
  {_DRIVEN}, s.time_of_day_s, coalesce(e.name, ''), coalesce(e.tags, []), s.same_as,
  coalesce(e.conditions, '{{}}')
FROM sessions s LEFT JOIN session_edits e ON e.session = s.id LEFT JOIN (
  SELECT session, count(*) FILTER (kind = 'flying') AS laps, min(time_s) FILTER (kind = 'flying') AS best_s
  FROM laps GROUP BY session
) l ON l.session = s.id"""  # noqa: S608
_TAGS_AT, _VEHICLE_AT = map(SessionRow.__struct_fields__.index, ("tags", "vehicle"))
_NAMES = (
    f"SELECT s.id, coalesce(e.name, ''), s.kind <> 'replay' AND s.same_as = '', {_DRIVEN}, s.created_utc_s "  # noqa: S608
    "FROM sessions s LEFT JOIN session_edits e ON e.session = s.id "
    f"ORDER BY coalesce({_DRIVEN}, s.created_utc_s), s.id"
)
_RANGES = """
SELECT r.name, r.unit, arg_min(s.value, s.t), arg_max(s.value, s.t), min(s.value), max(s.value)
FROM signals s JOIN signal_registry r ON r.id = s.signal
WHERE s.session = ? AND regexp_matches(lower(r.name), ?) AND s.t BETWEEN ? AND ?
GROUP BY r.name, r.unit ORDER BY r.name"""


def sessions(store: Readable) -> list[SessionRow]:
    """Return all sessions in the order in which they were driven."""
    found = []
    for row in rows(store, _SESSIONS, []):
        values = list(row)
        values[_TAGS_AT] = tuple(values[_TAGS_AT])
        values[-1] = msgspec.json.decode(values[-1], type=Conditions)
        values[_VEHICLE_AT] = values[-1].car or values[_VEHICLE_AT]
        found.append(SessionRow(*values))
    return sorted(found, key=lambda row: (row.order_utc_s, row.id))


def session(store: Readable, wanted: str) -> SessionRow:
    """Return the session of a name, an id, its beginning, or "last". UnknownSessionError."""
    found = resolve_session(store, wanted)
    return next(row for row in sessions(store) if row.id == found)


def _last(drives: Sequence[tuple[float | None, float, str]]) -> str:
    newest = max(drives, key=lambda drive: (drive[1], drive[2]))
    dated = [(driven_s, known) for driven_s, _, known in drives if driven_s is not None]
    return newest[2] if newest[0] is None or not dated else max(dated)[1]


def resolve_session(store: Readable, wanted: str) -> str:
    """Return the id of a full id, a name, a beginning, or "last". UnknownSessionError."""
    every = rows(store, _NAMES, [])
    if not every:
        raise UnknownSessionError("there are no sessions yet; record or import one first")
    all_named = [(known, name, counts) for known, name, counts, _, _ in every]
    shown = [f"{name} ({known})" if name else known for known, name, _ in all_named]
    if wanted == "last":
        drives = [(driven_s, created_s, known) for known, _, counts, driven_s, created_s in every if counts]
        return str(_last(drives) if drives else every[-1][0])
    named = [known for known, name, _ in all_named if wanted and wanted.casefold() == name.casefold()]
    for found in ([known for known, _, _ in all_named if known == wanted], named):
        if found:
            return str(found[0])
    begun = [(known, counts) for known, _, counts in all_named if wanted and known.startswith(wanted)]
    # A replay's id begins with the id of what was replayed.
    found = [known for known, counts in begun if counts] or [known for known, _ in begun]
    if len(found) == 1:
        return str(found[0])
    if found:
        raise UnknownSessionError(f"{wanted!r} is the beginning of several sessions: {_some(found)}")
    raise UnknownSessionError(f"there is no session {wanted!r}; there are: {_some(shown)}")


def last_heard(rows: Sequence[SessionRow]) -> str:
    """Return the id of the replay that was driven after all else, else ""."""
    newest = max(rows, key=lambda row: row.created_utc_s, default=None)
    return newest.id if newest is not None and newest.kind == "replay" else ""


def last_driven(rows: Sequence[SessionRow]) -> SessionRow | None:
    """Return the last driven session with a flying lap; a replay only without another."""
    own = [row for row in rows if row.counts] or rows
    own = [row for row in own if row.best_lap_s is not None] or own
    drives = [(row.driven_utc_s, row.created_utc_s, row.id) for row in own]
    return next((row for row in own if row.id == _last(drives)), None) if own else None


def resolve_driven(store: Readable, wanted: str) -> str:
    """As `resolve_session`; "last" is the last with a flying lap."""
    last = last_driven(sessions(store)) if wanted == "last" else None
    return last.id if last is not None else resolve_session(store, wanted)


def when_driven(row: SessionRow) -> str:
    """Return when a session was driven, in UTC, if known; a clock of unknown zone is "local"."""
    if row.driven_utc_s is not None:
        local = " local" if row.time_of_day_s is not None and row.driven_utc_s == row.start_utc_s else ""
        return time.strftime("%Y-%m-%d %H:%M", time.gmtime(row.driven_utc_s)) + local
    if row.time_of_day_s is None:
        return DAY_UNKNOWN
    return f"{time.strftime('%H:%M', time.gmtime(row.time_of_day_s))}, {DAY_UNKNOWN}"


def laps(store: Readable, session: str) -> list[Lap]:
    """Return the laps in order."""
    columns = ", ".join(LAP_COLUMNS[1:])
    sql = f"SELECT {columns} FROM laps WHERE session = ? ORDER BY start_t, lap"  # noqa: S608
    return [
        Lap(number, kind, start_t, end_t, time_s, tuple(sectors_s), reason)
        for number, kind, start_t, end_t, time_s, sectors_s, reason in rows(store, sql, [session])
    ]


def corner_passes(store: Readable, session: str) -> list[CornerPass]:
    """Return every drive through a corner, in order."""
    columns = ", ".join(PASS_COLUMNS[1:])
    sql = f"SELECT {columns} FROM corner_passes WHERE session = ? ORDER BY entry_t, lap"  # noqa: S608
    return [CornerPass(*row) for row in rows(store, sql, [session])]


def signal_ranges(
    store: Readable, session: str, words: Sequence[str], from_t: float = -math.inf, to_t: float = math.inf
) -> list[SignalRange]:
    """Return the other channels whose names hold one of these words, by name, between two times."""
    if not words:
        return []
    found = rows(store, _RANGES, [session, "|".join(map(re.escape, words)), from_t, to_t])
    return [SignalRange(*row) for row in found]


def cues(store: Readable, session: str) -> list[LedgerLine]:
    """Return the ledger in order."""
    names = CUE_COLUMNS[1:]
    sql = f"SELECT {', '.join(names)} FROM cues WHERE session = ? ORDER BY t, cue"  # noqa: S608
    return [LedgerLine(**dict(zip(names, row, strict=True))) for row in rows(store, sql, [session])]


def lap_trace(
    store: Readable, session: str, lap: Lap, *, around_s: float = 0.0
) -> Iterator[tuple[Frame, Position | None]]:
    """Yield a lap's frames with their places, and `around_s` seconds around. Constant memory."""
    sql = (
        f"SELECT {', '.join(TRACE_COLUMNS)} FROM frames WHERE session = ? "  # noqa: S608
        "AND t >= coalesce((SELECT max(t) FROM frames WHERE session = ? AND t < ?), -1e300) "
        "AND t <= coalesce((SELECT min(t) FROM frames WHERE session = ? AND t > ?), 1e300) ORDER BY t, seq"
    )
    values = [session, session, lap.start_t - around_s, session, lap.end_t + around_s]
    with closing(store.cursor()) as cursor:
        cursor.execute(sql, values)
        while rows := cursor.fetchmany(_FETCH_ROWS):
            yield from map(placed_frame, rows)


class SignalName(msgspec.Struct, frozen=True):
    """A signal and its unit."""

    name: str
    unit: str


# A lap's signal is thinned out to this many readings a second.
SIGNAL_HZ = 20


def signal_names(store: Readable, session: str) -> list[SignalName]:
    """List what a session recorded: canonical signals, then the source's own."""
    names = [signal.name for signal in CANONICAL]
    asked = ", ".join(f"count({name})" for name in names)
    [counts] = rows(store, f"SELECT {asked} FROM frames WHERE session = ?", [session])  # noqa: S608
    found = [SignalName(name, SIGNALS[name].unit) for name, count in zip(names, counts, strict=True) if count]
    sql = (
        "SELECT DISTINCT r.name, r.unit FROM signal_registry r "
        "WHERE r.id IN (SELECT DISTINCT signal FROM signals WHERE session = ?) ORDER BY r.name"
    )
    return [*found, *(SignalName(*row) for row in rows(store, sql, [session]) if row[0] not in names)]


def lap_signal(store: Readable, session: str, lap: Lap, name: str) -> list[tuple[float, float]]:
    """Return a signal in a lap as (s since its start, value), thinned out."""
    if name in SIGNALS:
        source = f"SELECT t, {name} AS value FROM frames WHERE session = ?"  # noqa: S608
        values = [session]
    else:
        source = (
            "SELECT t, value FROM signals WHERE session = ? AND signal IN "
            "(SELECT id FROM signal_registry WHERE name = ?)"
        )
        values = [session, name]
    sql = (
        f"SELECT max(t) - ?, arg_max(value, t) FROM ({source}) WHERE value IS NOT NULL AND t BETWEEN ? AND ? "  # noqa: S608
        "GROUP BY floor(t * ?) ORDER BY 1"
    )
    return rows(store, sql, [lap.start_t, *values, lap.start_t, lap.end_t, SIGNAL_HZ])


def measured_columns(
    store: Readable, session: str, from_t: float = -math.inf, to_t: float = math.inf
) -> Iterator[Columns]:
    """Yield a session's frames by column, in order of time, some minutes at a time."""
    names = ", ".join(MEASURED_COLUMNS)
    sql = f"SELECT {names} FROM frames WHERE session = ? AND t >= ? AND t {{}} ? ORDER BY t, seq"  # noqa: S608
    ends = "SELECT min(t), max(t) FROM frames WHERE session = ? AND t BETWEEN ? AND ?"
    with closing(store.cursor()) as cursor:
        begin, end = cursor.execute(ends, [session, from_t, to_t]).fetchall()[0]
        while begin is not None:
            cut = begin + max(_SORTED_S, (end - begin) / _MOST_SORTS)
            last = cut >= end
            cursor.execute(sql.format("<=" if last else "<"), [session, begin, end if last else cut])
            while rows := cursor.fetchmany(_FETCH_ROWS):
                yield dict(zip(MEASURED_COLUMNS, zip(*rows, strict=True), strict=True))
            begin = None if last else cut


def placed_frame(row: tuple[Any, ...]) -> tuple[Frame, Position | None]:
    """Return a row of TRACE_COLUMNS as a frame with its place."""
    frame = Frame(*row[: len(FRAME_FIELDS)])
    distance_m, offset_m, status = row[len(FRAME_FIELDS) :]
    return frame, Position(frame.t, distance_m, offset_m, status) if status is not None else None


def _some(ids: list[str]) -> str:
    more = len(ids) - _CANDIDATES
    return ", ".join(ids[-_CANDIDATES:]) + (f" and {more} more" if more > 0 else "")


class Readable(Protocol):
    """The store, or what stands before it to stop its readers."""

    @property
    def home(self) -> Home: ...

    @property
    def handover(self) -> Path:
        """The only folder that the open database may write to."""
        ...

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a connection of its own; close it soon. StoreError if the store is not open."""
        ...

    def ask(self, sql: str, stopped: Callable[[], bool] = ...) -> SqlAnswer | Refusal:
        """Return a bounded SELECT, see `sqlgate`; `stopped`: nobody waits any more. StoreError."""
        ...


class Writable(Readable, Protocol):
    """The store for somebody who also keeps something in it: see `Store`."""

    def put(self, sql: str, values: list[object]) -> None: ...

    def change(self, *changes: RowChange, then: Sequence[tuple[str, list[object]]] = ()) -> None: ...

    def flush(self) -> bool: ...

    def commit(self, what: str) -> None: ...


def rows(store: Readable, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
    """Return all rows of one statement. StoreError if the database can't be read."""
    with closing(store.cursor()) as cursor:
        try:
            return cursor.execute(sql, list(values)).fetchall()
        except duckdb.Error as error:
            raise StoreError(f"{store.home.database} can't be read: {error}") from error

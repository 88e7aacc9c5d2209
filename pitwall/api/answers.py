"""Answer the listing commands with --json and their routes, one function for both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from pitwall.coach.cue import LedgerLine, ledger_row
from pitwall.config import Home
from pitwall.contract.jobs import JobRow
from pitwall.contract.problems import Refused
from pitwall.store import jobs as stored_jobs
from pitwall.store import lessons as stored_lessons
from pitwall.store import queries
from pitwall.store.jobs import Job
from pitwall.store.lessons import Lesson
from pitwall.store.queries import Readable, SignalName
from pitwall.telemetry.survey import Survey
from pitwall.track.lap import CornerPass, Lap, LapKind
from pitwall.track.library import known_tracks
from pitwall.track.model import Corner, Direction, Gate, Track

if TYPE_CHECKING:
    from pitwall.drive.prepare import Located  # the whole path, which a list of laps need not load


class LapRow(msgspec.Struct, frozen=True):
    """A lap as `pitwall laps --json` and /sessions/{session}/laps give it."""

    lap: int
    kind: LapKind
    time_s: float | None
    start_t: float
    end_t: float
    sectors_s: tuple[float | None, ...]
    reason: str


class TrackRow(msgspec.Struct, frozen=True, kw_only=True):
    """A known track without its lines, as `pitwall track list --json` and /tracks give it."""

    id: str
    name: str
    layout: str
    country: str
    direction: Direction
    length_m: float
    gate: Gate
    corners: tuple[Corner, ...]
    sectors_m: tuple[float, ...]
    sources: tuple[str, ...]
    notes: str


class Inspection(msgspec.Struct, frozen=True, kw_only=True):
    """A recording's contents, and how credible its signals are, as `pitwall inspect --json`."""

    format: str
    file: str
    start_utc_s: float | None
    track: str | None
    gate: Gate | None
    gate_source: str
    notes: tuple[str, ...]
    survey: Survey


class LapTrace(msgspec.Struct, frozen=True):
    """The frames of one lap and one more at either end, in canonical units."""

    session: str
    lap: LapRow
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


class SqlQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A SELECT over the store's tables."""

    sql: Annotated[str, msgspec.Meta(min_length=1, max_length=20_000)]


class ScriptWritten(msgspec.Struct, frozen=True):
    """A saved voice script: spoken from the next start, or once the daemon has rendered it."""

    track: str
    corner: str
    script: dict[str, str]


class PageLink(msgspec.Struct, frozen=True):
    """A link to the page, good once and for `valid_s`; `path` follows the daemon's address."""

    path: str
    valid_s: float


# A season of one driver has some dozens.
MOST_LESSONS = 200


def laps(store: Readable, wanted: str) -> list[LapRow]:
    """List a session's laps in order. UnknownSessionError."""
    return [lap_row(lap) for lap in queries.laps(store, queries.resolve_session(store, wanted))]


def lap_row(lap: Lap) -> LapRow:
    """Return a lap with its time first."""
    return LapRow(lap.number, lap.kind, lap.time_s, lap.start_t, lap.end_t, lap.sectors_s, lap.reason)


def signals(store: Readable, wanted: str) -> list[SignalName]:
    """List what a session recorded. UnknownSessionError."""
    return queries.signal_names(store, queries.resolve_session(store, wanted))


def corners(store: Readable, wanted: str) -> list[CornerPass]:
    """List every drive through a corner in a session, in order. UnknownSessionError."""
    return queries.corner_passes(store, queries.resolve_session(store, wanted))


def ledger(store: Readable, wanted: str) -> list[LedgerLine]:
    """List what became of a session's cues, rounded as by `pitwall replay --json`."""
    lines = queries.cues(store, queries.resolve_session(store, wanted))
    return [msgspec.convert(ledger_row(line), LedgerLine) for line in lines]


def jobs(store: Readable) -> list[JobRow]:
    """List the last jobs, the newest first."""
    return [job_row(job) for job in stored_jobs.listed(store)]


def job(store: Readable, wanted: str) -> JobRow:
    """Return a job by its id. UnknownJobError."""
    return job_row(stored_jobs.get(store, wanted))


def lessons(store: Readable, words: str = "", *, retired: bool = False) -> list[Lesson]:
    """List the drivers' lessons: the best match of `words` first, else the newest."""
    from pitwall.analysis.recall import search  # few ask, and it brings SQLite along

    found = [lesson for lesson in stored_lessons.lessons(store) if lesson.active or retired]
    return search(found, words, most=MOST_LESSONS)


def find_track(home: Home, wanted: str) -> Track:
    """Find a known track by its id. Refused (404)."""
    known, _ = known_tracks(home)
    if wanted not in known:
        have = ", ".join(sorted(known)) or "none"
        raise Refused(404, f"there is no track {wanted}; there are: {have}", "GET /tracks lists them")
    return known[wanted]


def no_corner(track_id: str, corner: str, have: list[str]) -> Refused:
    """Make the refusal of an unknown corner."""
    return Refused(404, f"{corner} is no corner of {track_id}", f"its corners: {', '.join(have) or 'none'}")


def tracks(home: Home) -> tuple[list[TrackRow], tuple[str, ...]]:
    """Return the known tracks by id without their lines, and what is wrong with unusable files."""
    found, problems = known_tracks(home)
    return [track_row(found[name]) for name in sorted(found)], problems


def track_row(track: Track) -> TrackRow:
    """Return the track without its centreline."""
    from pitwall.track.circuits import layout_name  # with all that makes tracks

    names = [
        field.name for field in msgspec.structs.fields(TrackRow) if field.name not in ("layout", "length_m")
    ]
    return TrackRow(
        layout=layout_name(track), length_m=track.lap_m, **{name: getattr(track, name) for name in names}
    )


def inspection(prepared: Located, found: Survey) -> Inspection:
    """Summarise a located recording in one pass over it."""
    venue, info = prepared.venue, prepared.recording.info
    return Inspection(
        format=found.format,
        file=found.path,
        start_utc_s=info.start_utc_s,
        track=venue.track.id if venue.track else None,
        gate=venue.gate,
        gate_source=venue.gate_source,
        notes=prepared.notes,
        survey=found,
    )


def job_row(job: Job) -> JobRow:
    """Show a stored job to people and programs; its checkpoint is the worker's own."""
    return JobRow(
        id=job.id,
        kind=job.kind,
        state=job.state,
        created_utc_s=job.created_utc_s,
        updated_utc_s=job.updated_utc_s,
        input=msgspec.json.decode(job.input),
        result=msgspec.json.decode(job.result) if job.result else None,
    )

"""Lessons about drivers, each with its evidence, and what each session showed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

import msgspec

from pitwall.store.home_journal import TABLES, RowChange
from pitwall.store.queries import SIMULATED, Readable, Writable, rows

LessonKind = Literal["fault", "cured", "trouble", "habit"]

_COLUMNS = TABLES["lessons"]


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What one session says about a lesson. `shows` False: against it.

    `laps`: that show it; `seconds`: lost a lap (gained, if cured), None if it is not about time.
    `instead`: the cause seen in its place. `dated` False: `at_utc_s` gives only the order.
    """

    session: str
    at_utc_s: float
    laps: tuple[int, ...]
    seconds: float | None = None
    corners: tuple[str, ...] = ()
    shows: bool = True
    instead: str = ""
    dated: bool = True


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """Something learned about a driver. `active`: no newer evidence contradicts it.

    Times are sessions': `created_utc_s` of the one that proved it, `updated_utc_s` of the last.
    `words`: further names of its place.
    """

    id: str
    kind: LessonKind
    driver: str
    track: str
    corner: str
    cause: str
    text: str
    words: str
    evidence: tuple[Evidence, ...]
    active: bool
    created_utc_s: float
    updated_utc_s: float
    retired_why: str = ""


def lessons(store: Readable) -> list[Lesson]:
    """Return all lessons, the newest evidence first. StoreError."""
    sql = (
        f"SELECT {', '.join(_COLUMNS)} FROM lessons WHERE kind <> '' "  # noqa: S608
        "ORDER BY updated_utc_s DESC, id"
    )
    found = []
    for row in rows(store, sql, []):
        held = dict(zip(_COLUMNS, row, strict=True))
        evidence = msgspec.json.decode(held["evidence"], type=tuple[Evidence, ...])
        found.append(msgspec.convert(held | {"evidence": evidence, "active": held["verified"]}, Lesson))
    return found


def put_lessons(store: Writable, found: Sequence[Lesson]) -> None:
    """Write these over their older selves; durable. StoreError."""
    for lesson in found:
        row = msgspec.structs.asdict(lesson) | {
            "evidence": msgspec.json.encode(lesson.evidence).decode(),
            "verified": lesson.active,
        }
        store.change(RowChange.over("lessons", "id", {name: row[name] for name in _COLUMNS}))
    if found:
        store.commit("the lessons")


def forget_session(store: Writable, session: str) -> None:
    """Take a session out of every lesson."""
    known = lessons(store)
    left = [without(lesson, {session}) for lesson in known]
    put_lessons(store, [lesson for lesson, before in zip(left, known, strict=True) if lesson != before])


def without(lesson: Lesson, sessions: Collection[str]) -> Lesson:
    """Return the lesson without these sessions' evidence."""
    kept = tuple(each for each in lesson.evidence if each.session not in sessions)
    return msgspec.structs.replace(lesson, evidence=kept)


# The event that keeps what the paddock said for the next run.
NEXT_RUN = "next run"


class DriverEvent(msgspec.Struct, frozen=True):
    """A row of `driver_events`. `detail` is JSON for "profile." kinds."""

    session: str
    t: float
    kind: str
    detail: str


def driver_events(store: Readable, session: str) -> list[DriverEvent]:
    """Return a session's events in order of time; for "" of all drives that count. StoreError."""
    sql = (
        "SELECT session, t, kind, detail FROM driver_events WHERE session = $1 OR ($1 = '' AND session "
        "NOT IN (SELECT id FROM sessions WHERE kind = 'replay' OR same_as <> '' OR contains(venue, $2) AND "
        "EXISTS (FROM sessions WHERE kind <> 'replay' AND NOT contains(venue, $2)))) "
        "ORDER BY session, t, kind, detail"
    )
    return [DriverEvent(*row) for row in rows(store, sql, [session, SIMULATED])]


def unjudged(store: Readable) -> list[str]:
    """Return the live sessions that are over, with a timed lap and no profile. StoreError."""
    sql = (
        "SELECT id FROM sessions s WHERE kind = 'live' AND closed_utc_s IS NOT NULL AND track <> '' "
        "AND same_as = '' AND id IN (SELECT session FROM laps WHERE kind = 'flying' AND time_s IS NOT NULL) "
        "AND id NOT IN (SELECT session FROM driver_events WHERE kind LIKE 'profile.%') ORDER BY id"
    )
    return [str(row[0]) for row in rows(store, sql, [])]


class Focus(msgspec.Struct, frozen=True, kw_only=True):
    """What a session was about: what was called most, `called` times, else what cost most, s."""

    corner: str
    action: str
    called: int = 0
    loss_s: float = 0.0


class _Fault(msgspec.Struct, frozen=True):
    corner: str
    cause: str
    loss_s: float


def focuses(store: Readable) -> dict[str, Focus]:
    """Return what each session was about, by its id. StoreError."""
    found: dict[str, Focus] = {}
    faults = "SELECT session, detail FROM driver_events WHERE kind = 'profile.fault'"
    for session, detail in rows(store, faults, []):
        fault = msgspec.json.decode(detail, type=_Fault)
        if session not in found or fault.loss_s > found[session].loss_s:
            found[session] = Focus(corner=fault.corner, action=fault.cause, loss_s=fault.loss_s)
    called = (
        "SELECT session, corner, concept, count(*) AS called FROM cues WHERE corner <> '' AND concept <> '' "
        "AND action_distance_m IS NOT NULL AND outcome IN ('spoken', 'held then spoken') GROUP BY ALL "
        "ORDER BY called, min(t) DESC"
    )
    for session, corner, action, count in rows(store, called, []):
        found[session] = Focus(corner=corner, action=action, called=count)
    return found


def put_profile_events(
    store: Writable, session: str, events: Sequence[DriverEvent], closed_utc_s: float | None = None
) -> None:
    """Replace the session's "profile.*" events, if it was last closed at `closed_utc_s`."""
    still = "FROM sessions WHERE id = ? AND (closed_utc_s = ? OR ? IS NULL)"
    when: list[object] = [session, closed_utc_s, closed_utc_s]
    gone = f"DELETE FROM driver_events WHERE session IN (SELECT id {still}) AND kind LIKE 'profile.%'"  # noqa: S608
    store.put(gone, when)
    for event in events:
        row = msgspec.structs.astuple(event)
        store.put(f"INSERT INTO driver_events SELECT ?, ?, ?, ? {still}", [*row, *when])
    store.commit("what a session showed of its driver")

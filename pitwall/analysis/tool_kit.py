"""Share among tools: sessions, corners and laps by name, cached reports, and refusals as values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import wraps
from threading import Lock
from typing import Any, ParamSpec

import msgspec

from pitwall.analysis.compose_words import plain
from pitwall.analysis.drive import Drive, load_drive
from pitwall.analysis.places import find_corners
from pitwall.analysis.port import Facts
from pitwall.analysis.report import MeasuredConditions, Report, find_conditions, make_report
from pitwall.store.errors import StoreError
from pitwall.store.queries import SessionRow, last_driven
from pitwall.track.model import Corner, Track
from pitwall.track.reference import ReferenceLap

# One question uses several tools on one or two sessions.
KEPT_REPORTS = 3
MOST_NAMED = 8

Result = dict[str, Any]
ToolFunction = Callable[..., Any]
Toolbox = Mapping[str, ToolFunction]
P = ParamSpec("P")


class ToolRefused(Exception):
    """A tool can't answer."""

    def __init__(self, error: str, what_to_do: str) -> None:
        super().__init__(error)
        self.error, self.what_to_do = error, what_to_do


def tool(function: Callable[P, Result]) -> Callable[P, Result]:
    """Return a refusal as the tool's result: a model can put it right."""

    @wraps(function)
    def answered(*args: P.args, **kwargs: P.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except ToolRefused as refused:
            return {"error": refused.error, "what_to_do": refused.what_to_do}
        except StoreError as error:
            return {"error": str(error), "what_to_do": "say that the stored data can't be read now"}

    return answered


class JudgedSession(msgspec.Struct, frozen=True):
    """What is worked out of a session, and kept on the disk."""

    report: Report
    conditions: MeasuredConditions


class _Kept(msgspec.Struct):
    drive: Drive | None = None
    judged: JudgedSession | None = None


class ToolKit:
    """Facts with a memory of the last reports. May be used from several threads."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._default = "last"
        self._as_found: SessionRow | None = None
        self._lock = Lock()
        self._reports: dict[tuple[SessionRow, tuple[float, ...]], _Kept] = {}

    def about(self, row: SessionRow) -> ToolKit:
        """Bind to one question: "last" is this session, without later recordings."""
        other = copy(self)
        other._default, other._as_found = row.id, row
        return other

    def reading(self, facts: Facts) -> ToolKit:
        """Share the memory with a reader of `facts` over the same records."""
        other = copy(self)
        other.facts = facts
        return other

    def session(self, wanted: str) -> SessionRow:
        """Find the session of an id, its beginning, a name, or "last". ToolRefused."""
        rows = self.facts.sessions()
        last = last_driven(rows)
        if last is None:
            raise ToolRefused("there are no sessions yet", "record or import one first")
        # A model may send null for an optional argument.
        wanted = str(wanted or "").strip() or "last"
        if wanted == "last":
            wanted = self._default
        if wanted == "last":
            return last
        found = (
            [row for row in rows if row.id == wanted]
            or [row for row in rows if row.name.casefold() == wanted.casefold()]
            or [row for row in rows if row.id.startswith(wanted) and row.counts]
            or [row for row in rows if row.id.startswith(wanted)]
        )
        if len(found) != 1:
            names = ", ".join(row.id for row in (found or rows)[-MOST_NAMED:])
            what = "is the beginning of several sessions" if found else "is no session"
            raise ToolRefused(f"{wanted[:60]!r} {what}", f"use one of: {names}; or last")
        return found[0]

    def driven(self, wanted: str) -> Drive:
        """Return a session's data, from memory where nothing came since."""
        with self._lock:
            return self._drive(*self._kept(wanted))

    def known(self, wanted: str) -> JudgedSession:
        """Return what is worked out of a session."""
        with self._lock:
            return self._judged(*self._kept(wanted))

    def judged(self, wanted: str) -> tuple[Drive, Report]:
        """Return a session and its report."""
        with self._lock:
            row, kept = self._kept(wanted)
            return self._drive(row, kept), self._judged(row, kept).report

    def _drive(self, row: SessionRow, kept: _Kept) -> Drive:
        kept.drive = kept.drive or load_drive(self.facts, row)
        return kept.drive

    def _judged(self, row: SessionRow, kept: _Kept) -> JudgedSession:
        def judge() -> JudgedSession:
            drive = self._drive(row, kept)
            return judged_session(drive, make_report(drive, self.facts), self.facts)

        kept.judged = kept.judged or self.facts.kept(row, "judged", JudgedSession, judge)
        return kept.judged

    def _kept(self, wanted: str) -> tuple[SessionRow, _Kept]:
        row = self.session(wanted)
        if self._as_found is not None and self._as_found.id == row.id:
            row = self._as_found
        # A later session may hold the personal best that this one's highlights compare with.
        key = (row, tuple(each.order_utc_s for each in self.facts.sessions()))
        if key not in self._reports:
            for older in [each for each in self._reports if each[0].id == row.id]:
                del self._reports[older]
            while len(self._reports) >= KEPT_REPORTS:
                del self._reports[next(iter(self._reports))]
            self._reports[key] = _Kept()
        return row, self._reports[key]

    def track(self, track_id: str) -> Track:
        """Find a known track. ToolRefused."""
        track = self.facts.track(track_id) if track_id else None
        if track is None:
            raise ToolRefused(
                f"no track {track_id[:60]!r} is known" if track_id else "this session's track is not known",
                "ask about lap times and pace, which need no corners; or name a session on a known track",
            )
        return track

    def corner(self, track: Track, words: str) -> Corner:
        """Find the one corner that these words name. ToolRefused for none or several."""
        found = find_corners(track, str(words))
        if len(found) == 1:
            return found[0]
        names = ", ".join(f"{corner.id} ({corner.name})" for corner in found or track.corners)
        what = "could be several corners" if found else f"is no corner of {track.name}"
        raise ToolRefused(f"{str(words)[:60]!r} {what}", f"use one of: {names}")


def judged_session(drive: Drive, report: Report, facts: Facts) -> JudgedSession:
    """Return what is kept of a session that was judged. StoreError."""
    return JudgedSession(report, find_conditions(drive, facts))


def head(drive: Drive) -> Result:
    """Return what every result says of itself."""
    reference = drive.reference()
    return {
        "session": drive.id,
        "track": drive.session.track,
        "laps": [lap.number for lap in drive.flying],
        "reference": None if reference is None else reference.label,
    }


def lap_number(wanted: object) -> int:
    """Parse a lap's number, however a model writes it. ToolRefused."""
    text = str(wanted).strip().lower().removeprefix("lap").strip()
    if not text.isdecimal():
        raise ToolRefused(f"{str(wanted)[:60]!r} is no lap number", "give the number of a lap, such as 4")
    return int(text)


def flying_needed(drive: Drive) -> None:
    """Raise ToolRefused where the session has no timed flying lap."""
    if not drive.flying:
        reasons = "; ".join(dict.fromkeys(lap.reason for lap in drive.laps if lap.reason)) or "no lap at all"
        raise ToolRefused(f"this session has no timed flying lap ({reasons})", "ask about another session")


# Older sessions are often of another driver or car.
MOST_SESSIONS = 6


def earlier_passes(kit: ToolKit, corner: str, drive: Drive) -> list[dict[str, Any]]:
    """Return earlier sessions' best passes of one corner on the same track."""
    found = []
    for row in others_here(kit, drive)[-MOST_SESSIONS:]:
        flying = {lap.number for lap in kit.facts.laps(row.id) if lap.kind == "flying"}
        own = [p for p in kit.facts.corner_passes(row.id) if p.corner == corner and p.lap in flying]
        if own:
            best = min(own, key=lambda each: each.time_s)
            found.append(
                {
                    "session": row.id,
                    "passes": len(own),
                    "best_lap": best.lap,
                    "best_time_s": best.time_s,
                    "best_min_speed_mps": best.min_speed_mps,
                }
            )
    return [plain(each) for each in found]


def others_here(kit: ToolKit, drive: Drive) -> list[SessionRow]:
    """Return the other drives on this track."""
    return [
        row
        for row in kit.facts.sessions()
        if row.track == drive.session.track
        and row.counts_with(drive.session)
        and not row.is_same_drive(drive.session)
    ]


def gold_lap(kit: ToolKit, drive: Drive, wanted: str) -> ReferenceLap | None:
    """Find the lap SESSION:LAP, else the fastest of all other sessions here."""
    wanted = str(wanted or "").strip()
    if wanted:
        name, _, number = wanted.rpartition(":")
        if not name or not number.isdigit():
            raise ToolRefused(f"{wanted[:60]!r} names no lap", "write SESSION:LAP")
        other = kit.driven(name)
        if other.session.track != drive.session.track:
            raise ToolRefused(f"{name} was driven on another track", "name a lap on the same track")
        return lap_by_place(other, int(number))
    rows = [
        row
        for row in kit.facts.sessions()
        if row.track == drive.session.track
        and row.best_lap_s is not None
        and (row.counts_with(drive.session) or row.id == drive.id)
    ]
    fastest = min(rows, key=lambda row: row.best_lap_s or 0.0, default=None)
    if fastest is None or fastest.id == drive.id:
        return drive.reference()
    return kit.driven(fastest.id).reference()


def lap_by_place(drive: Drive, number: int) -> ReferenceLap:
    """Return a lap of this session by place. ToolRefused where it was not timed or has holes."""
    if number in drive.curves:
        return drive.curves[number]
    lap = drive.lap(number)
    have = ", ".join(str(each) for each in sorted(drive.curves)) or "none"
    what = "was not timed or has holes" if lap is not None else "is not in this session"
    raise ToolRefused(f"lap {number} {what}", f"laps that can be compared: {have}")

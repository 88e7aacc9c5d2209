"""Change sessions, for the session commands and for their route: one function for both."""

from __future__ import annotations

import time
from calendar import timegm
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from pitwall.analysis.compare import outings_of
from pitwall.analysis.lessons import changed_lessons
from pitwall.analysis.port import Facts
from pitwall.analysis.profile import PREFIX, redated
from pitwall.analysis.report import profile_events
from pitwall.config import Home, beneath
from pitwall.contract.changes import (
    Change,
    Changed,
    Delete,
    Describe,
    EmptyTrash,
    MarkLaps,
    Match,
    Redate,
    Rename,
    Restore,
    SetAim,
    Tag,
)
from pitwall.contract.problems import UserError
from pitwall.drive.learning import learn_track
from pitwall.drive.prepare import keep_circuits, known_tracks, opened
from pitwall.drive.rebuild import match_again, out_of_date, rebuilder, still_placed
from pitwall.drive.replay import Imported, import_file
from pitwall.store import queries
from pitwall.store.edits import SessionEdit, edit_of, put_aim, put_edit
from pitwall.store.errors import StoreError
from pitwall.store.export import read_bundle
from pitwall.store.lessons import forget_session, put_lessons, put_profile_events
from pitwall.store.queries import Readable, SessionRow
from pitwall.store.same_drive import mark_same_drive, stood_for_by
from pitwall.store.session import MARK_LAP
from pitwall.store.store import Store, recover
from pitwall.telemetry.recordings.base import Recording, StoredGate
from pitwall.track.lap import Lap, LapMark, as_marked

Tell = Callable[[str], None]
Pause = Callable[[], None]


def apply(store: Store, change: Change, tell: Tell = lambda _: None, pause: Pause = lambda: None) -> Changed:
    """Apply a change; `tell` gets a sentence a longer step, `pause` may wait. StoreError."""
    work = _Changes(store, tell, pause)
    match change:
        case Rename():
            return work.rename(change)
        case Tag():
            return work.tag(change)
        case Redate():
            return work.redate(change)
        case MarkLaps():
            return work.mark(change)
        case Describe():
            return work.describe(change)
        case SetAim():
            put_aim(store, change.track, change.aim)
            return Changed((), (f"{change.track}: noted",))
        case Match():
            return work.match(change)
        case Delete():
            return work.delete(work.rows(change.sessions))
        case Restore():
            return work.restore(change.sessions)
        case EmptyTrash():
            gone = store.empty_trash()
            store.give_room_back()
            return Changed((), (f"{len(gone)} sessions were deleted for good",))


def import_recording(
    store: Store,
    path: Path,
    *,
    name: str = "",
    gate: StoredGate | None = None,
    progress: Callable[[int], None] | None = None,
    pause: Pause = lambda: None,
    second: Path | None = None,
    home: Home | None = None,
    open_: Callable[[Path, Home], Recording] = opened,
) -> Imported:
    """Store a recording, or measure a stored one again. RecordingError, StoreError."""
    bundle = read_bundle(path) if path.is_file() else None
    if bundle is not None:
        keep_circuits(store.home, {track.id: track for track in bundle.tracks})
    imported = import_file(
        path, home or store.home, store, name=name, gate=gate, progress=progress, second=second, open_=open_
    )
    if imported.known:
        if imported.session not in out_of_date(store, known_tracks(store.home)[0]):
            return imported
        again = match_sessions(store, [imported.session], pause=pause)
        return msgspec.structs.replace(imported, notes=(*imported.notes, *again.lines))
    if bundle is None:
        imported = _learn(store, imported, pause)
    outings = outings_of(queries.laps(store, imported.session))
    notes = list(imported.notes)
    if len(outings) > 1:
        laps = ", ".join(f"{first} to {last}" if last > first else f"{first}" for first, last in outings)
        notes.append(f"{len(outings)} outings: laps {laps}")
    if bundle is not None:
        notes += _Changes(store, lambda _: None, pause).take_edit(imported.session, bundle.edit)
    return msgspec.structs.replace(imported, notes=tuple(notes))


def _learn(store: Store, imported: Imported, pause: Pause) -> Imported:
    try:
        learned = learn_track(store.home, store, imported.session, pause)
        # Most drives add nothing: then no track file is read for them.
        if learned and imported.session in out_of_date(store, known_tracks(store.home)[0]):
            _Changes(store, lambda _: None, pause).match_all([imported.session], coached=True)
            laps = queries.laps(store, imported.session)
            times_s = [lap.time_s for lap in laps if lap.kind == "flying" and lap.time_s is not None]
            flying = sum(lap.kind == "flying" for lap in laps)
            imported = msgspec.structs.replace(imported, flying=flying, best_s=min(times_s, default=None))
    except UserError as error:  # the drive itself is whole
        learned = (f"nothing was learned of the track: {error}",)
    return msgspec.structs.replace(imported, notes=(*imported.notes, *learned))


def match_sessions(store: Store, sessions: Sequence[str], pause: Pause = lambda: None) -> Changed:
    """Measure these sessions again with today's tracks, by their ids. StoreError."""
    return _Changes(store, lambda _: None, pause).match_all(sessions)


def judge_all(store: Store, tell: Tell = lambda _: None) -> None:
    """Judge the unjudged sessions: nobody does so at an import's end."""
    facts = Facts(store)
    judged = {event.session for event in facts.events("") if event.kind.startswith(PREFIX)}
    timed = (row for row in facts.sessions() if row.counts and row.track and row.best_lap_s is not None)
    waiting = [row for row in timed if row.id not in judged]
    for number, row in enumerate(waiting, 1):
        tell(f"judging session {row.id}, {number} of {len(waiting)}")
        put_profile_events(store, row.id, profile_events(facts, row))
    put_lessons(store, changed_lessons(facts))


class _Changes:
    def __init__(self, store: Store, tell: Tell, pause: Pause) -> None:
        self._store, self._tell, self._pause = store, tell, pause
        self._facts = Facts(store)

    def rows(self, wanted: Sequence[str]) -> list[SessionRow]:
        """Return the named sessions, none of them still open. StoreError."""
        found = {row.id: row for row in (queries.session(self._store, each) for each in wanted)}
        for row in found.values():
            if row.closed_utc_s is None:
                raise StoreError(f"session {row.id} is going on; ask again when it is over")
        return list(found.values())

    def rename(self, change: Rename) -> Changed:
        row = queries.session(self._store, change.session)
        name = change.name or ""
        for other in queries.sessions(self._store) if name else ():
            if other.id != row.id and name.casefold() == other.name.casefold():
                raise StoreError(f"session {other.id} has the name {other.name!r}; choose another one")
        if not name.isprintable():
            raise StoreError("a name is made of letters, digits and signs that can be shown")
        if name.casefold() == "last" or any(
            other.id.startswith(name) for other in queries.sessions(self._store) if name
        ):
            raise StoreError(f"{name!r} looks like a session's id; choose another name")
        put_edit(self._store, msgspec.structs.replace(edit_of(self._store, row.id), name=name))
        line = f"session {row.id} is {name!r} now" if name else f"session {row.id} has no name any more"
        return Changed((row.id,), (line,))

    def take_edit(self, session: str, said: SessionEdit) -> tuple[str, ...]:
        """Apply what was said of a session in another home; the name, if it is free."""
        put_edit(self._store, msgspec.structs.replace(said, session=session, name=""))
        notes: tuple[str, ...] = ()
        if said.name:
            try:
                self.rename(Rename(session=session, name=said.name))
            except StoreError as error:
                notes = (f"its name {said.name!r} was left out: {error}",)
        if said.marks or said.track is not None:
            self.match_all([session])
        return notes

    def tag(self, change: Tag) -> Changed:
        row = queries.session(self._store, change.session)
        kept = [tag for tag in row.tags if tag not in change.remove]
        tags = tuple(dict.fromkeys([*kept, *change.add]))
        put_edit(self._store, msgspec.structs.replace(edit_of(self._store, row.id), tags=tags))
        return Changed((row.id,), (f"session {row.shown}: {', '.join(tags) or 'no tags'}",))

    def describe(self, change: Describe) -> Changed:
        row = queries.session(self._store, change.session)
        edit = edit_of(self._store, row.id)
        noted = edit.conditions.with_stint(change.from_lap, change.conditions)
        put_edit(self._store, msgspec.structs.replace(edit, conditions=noted))
        return Changed((row.id,), (f"session {row.shown}: noted",))

    def redate(self, change: Redate) -> Changed:
        [row] = self.rows([change.session])
        driven_utc_s = _driven_utc_s(change.driven, row)
        put_edit(
            self._store, msgspec.structs.replace(edit_of(self._store, row.id), driven_utc_s=driven_utc_s)
        )
        row = queries.session(self._store, row.id)
        events = redated(self._facts.events(row.id), row.order_utc_s, dated=row.driven_utc_s is not None)
        put_profile_events(self._store, row.id, events)
        self._compare(row.id)
        put_lessons(self._store, changed_lessons(self._facts))
        return Changed((row.id,), (f"session {row.shown}: driven {queries.when_driven(row)}",))

    def mark(self, change: MarkLaps) -> Changed:
        [row] = self.rows([change.session])
        found = named_laps(self._store, row.id, change.laps)
        said = [LapMark((lap.start_t + lap.end_t) / 2.0, change.mark) for lap in found]
        edit = edit_of(self._store, row.id)
        now = [as_marked(lap, said) for lap in found]
        edit = msgspec.structs.replace(edit, marks=(*edit.marks, *said))
        put_edit(self._store, edit, [(MARK_LAP, [lap.kind, lap.reason, row.id, lap.number]) for lap in now])
        self.judge(row.id)
        return Changed((row.id,), tuple(f"lap {lap.number}: {lap.kind}" for lap in now))

    def match(self, change: Match) -> Changed:
        tracks, _ = known_tracks(self._store.home)
        rows = self.rows(change.sessions)
        if change.track is not None:
            track = None if change.track == "auto" else change.track
            if track and track not in tracks:
                raise StoreError(f"there is no track {track}; there are: {', '.join(sorted(tracks))}")
            if not rows:
                raise StoreError("name the session that was driven there")
            for row in rows:
                put_edit(self._store, msgspec.structs.replace(edit_of(self._store, row.id), track=track))
        changed = [row.id for row in rows] or [
            session
            for session in out_of_date(self._store, tracks)
            if not still_placed(self._store.home, self._store, session, tracks)
        ]
        return self.match_all(changed)

    def match_all(self, sessions: Sequence[str], *, coached: bool = False) -> Changed:
        lines = []
        for session in sessions:
            before = queries.session(self._store, session)
            self._tell(f"session {session} is measured again")
            try:
                track = match_again(
                    self._store.home, self._store, session, pause=self._pause, coached=coached
                )
            except StoreError as error:
                if len(sessions) == 1:
                    raise
                lines.append(str(error))
                continue
            self.judge(session)
            row = queries.session(self._store, session)
            same = "still " if track == before.track else ""
            lines.append(f"session {row.shown}: {same}{track or 'unknown track'}, {row.laps} laps")
        return Changed(tuple(sessions), tuple(lines) or ("every session is measured with today's tracks",))

    def delete(self, rows: Sequence[SessionRow]) -> Changed:
        for row in rows:
            freed = stood_for_by(self._store, row.id)
            self._store.delete(row.id)
            forget_session(self._store, row.id)
            for session in freed:
                self.judge(session)
        put_lessons(self._store, changed_lessons(self._facts))
        ids = tuple(row.id for row in rows)
        return Changed(
            ids, tuple(f"session {row.shown} is in the trash until that is emptied" for row in rows)
        )

    def restore(self, wanted: Sequence[str]) -> Changed:
        there = self._store.trash()
        found = [
            next((each for each in there if each == one), "")
            or next((each for each in there if each.startswith(one)), one)
            for one in wanted
        ]
        for session in found:
            self._store.restore(session)
            self._rebuild(session, "was restored")
            self.judge(session)
        return Changed(tuple(found), tuple(f"session {each} is back" for each in found))

    def _rebuild(self, session: str, why: str) -> None:
        self._tell(f"session {session} is measured")
        self._store.pend(beneath(self._store.home.journals, f"{session}.pwj"), why)
        for line in recover(self._store, rebuilder(self._store.home, self._store, self._pause), [session]):
            if any(item.session == session for item in self._store.pending):
                raise StoreError(line)

    def judge(self, session: str) -> None:
        """Judge again the driver of a session that was measured again."""
        self._compare(session)
        forget_session(self._store, session)
        row = queries.session(self._store, session)
        if row.counts and row.track and row.best_lap_s is not None:
            self._tell(f"session {session} is judged")
            put_profile_events(self._store, row.id, profile_events(self._facts, row))
        put_lessons(self._store, changed_lessons(self._facts))

    def _compare(self, session: str) -> None:
        """Find again which other sessions are the same drive."""
        freed = stood_for_by(self._store, session)
        self._store.put("UPDATE sessions SET same_as = '' WHERE id = ? OR same_as = ?", [session, session])
        self._store.flush()
        for each in (session, *freed):
            mark_same_drive(self._store, each)


def named_laps(store: Readable, session: str, numbers: Sequence[int]) -> list[Lap]:
    """Return the laps of these numbers. StoreError where one is missing."""
    found = {lap.number: lap for lap in queries.laps(store, session)}
    for number in numbers:
        if number not in found:
            have = ", ".join(str(each) for each in found) or "none"
            raise StoreError(f"there is no lap {number} in session {session}; there are: {have}")
    return [found[number] for number in dict.fromkeys(numbers)]


def _driven_utc_s(driven: str, row: SessionRow) -> float | None:
    """Parse the moment that a person gives. A day alone keeps the recording's time of day."""
    if not driven:
        return None
    day, _, clock = driven.replace("T", " ").partition(" ")
    try:
        day_s = timegm(time.strptime(day, "%Y-%m-%d"))
        if clock:
            at = time.strptime(clock, "%H:%M:%S" if clock.count(":") == 2 else "%H:%M")
            return float(day_s + at.tm_hour * 3600 + at.tm_min * 60 + at.tm_sec)
    except ValueError:
        raise StoreError(f"{driven!r} is no date: write 2025-05-17, or 2025-05-17 14:03 (UTC)") from None
    if row.time_of_day_s is not None:
        return day_s + row.time_of_day_s
    return day_s + (row.start_utc_s or 0.0) % 86_400.0

"""Measure a session again from its journal: after a kill, a lost database, or on other tracks.

Samples, laps and passes are made again; cues stay those of the journal, for they were said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from pitwall.config import Home, beneath
from pitwall.drive.controls import control
from pitwall.drive.journal import feed_again, is_live, locate_recording, records
from pitwall.drive.prepare import (
    NOT_PLACED,
    DriveSettings,
    known_tracks,
    place_stamp,
    rounded_place,
    track_digest,
)
from pitwall.drive.recording import Recorder, findings_of
from pitwall.drive.reference import stored_reference
from pitwall.drive.replay import coached_recorder, keep_said
from pitwall.drive.session import DriveSession, Supplies
from pitwall.store.edits import edit_of
from pitwall.store.errors import StoreError
from pitwall.store.queries import Readable, rows
from pitwall.store.same_drive import mark_same_drive
from pitwall.store.session import SessionWriter
from pitwall.store.store import Rebuild, Store
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.journal import SUFFIX, JournalRecording
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap

Pause = Callable[[], None]


def _no_pause() -> None:
    """Never wait: nobody drives meanwhile."""


def rebuilder(home: Home, store: Store, pause: Pause = _no_pause) -> Rebuild:
    """Make the function that `store.recover` calls for each journal without rows."""
    return partial(_measure, home, store, pause=pause)


def out_of_date(store: Readable, tracks: Mapping[str, Track]) -> list[str]:
    """List closed sessions measured with other tracks than are near there, the newest first."""
    sql = (
        "SELECT id, lat_deg, lon_deg, place_stamp FROM sessions WHERE closed_utc_s IS NOT NULL "
        "ORDER BY created_utc_s DESC, id"
    )
    stamps: dict[tuple[float | None, float | None], str] = {}
    found = []
    for session, lat_deg, lon_deg, stamp in rows(store, sql, []):
        # Sessions of one paddock begin within some metres of each other: one look serves all.
        here = rounded_place(lat_deg, lon_deg)
        if here not in stamps:
            stamps[here] = place_stamp(tracks, *here)
        if stamp != stamps[here] and beneath(store.home.journals, session + SUFFIX).is_file():
            found.append(str(session))
    return found


def still_placed(home: Home, store: Store, session: str, tracks: Mapping[str, Track]) -> bool:
    """Return whether today's tracks place a session as before: then its rows are right."""
    [(track, lat_deg, lon_deg, stamp)] = rows(
        store, "SELECT track, lat_deg, lon_deg, place_stamp FROM sessions WHERE id = ?", [session]
    )
    same = not track or (track in tracks and f"{track}={track_digest(tracks[track])}" in stamp.split())
    if not stamp or stamp == NOT_PLACED or not same:
        return False
    try:
        recording = JournalRecording(beneath(home.journals, session + SUFFIX), numbered=True)
        found = locate_recording(recording, tracks, edit_of(store, session).track).venue.track
    except RecordingError:
        return False
    if track != (found.id if found is not None else ""):
        return False
    store.put(
        "UPDATE sessions SET place_stamp = ? WHERE id = ?", [place_stamp(tracks, lat_deg, lon_deg), session]
    )
    return True


def match_again(
    home: Home, store: Store, session: str, *, pause: Pause = _no_pause, coached: bool = False
) -> str:
    """Measure a session again with today's tracks or the chosen one; return the track's id."""
    path = beneath(home.journals, session + SUFFIX)
    try:
        recording = JournalRecording(path, numbered=True)
    except RecordingError as error:
        raise StoreError(f"session {session} can't be matched again: {error}") from error
    writer = store.resume(session)
    track = _measure(home, store, recording, writer, pause, coached)
    writer.close()
    store.pending = [item for item in store.pending if item.session != session]
    # Its laps changed: of two files of one drive the other may now stand for it.
    mark_same_drive(store, session)
    return track


def _measure(
    home: Home,
    store: Store,
    recording: JournalRecording,
    writer: SessionWriter,
    pause: Pause,
    coached: bool = False,
) -> str:
    tracks, _ = known_tracks(home)

    def reference_of(name: str, track: Track | None) -> ReferenceLap | None:
        try:
            # A replay was begun here, by a person who named its lap.
            kind = recording.meta.kind
            return stored_reference(store, name, track, given=name if kind == "replay" else "")
        except StoreError:
            return None

    begun_t, edit = 0.0 if is_live(recording) else None, edit_of(store, writer.id)
    place = locate_recording(recording, tracks, edit.track)
    if coached and not is_live(recording):
        recorder = coached_recorder(home, tracks, place.venue.track, writer, edit.marks)
    else:
        supplies = Supplies(tracks, reference_of=reference_of)
        drive = DriveSession(supplies, DriveSettings(), begun_t=begun_t, coached=False, edited=edit.marks)
        recorder = Recorder(drive, writer)
        recorder.hold_ledger()
    drive = recorder.path
    controls, late = list(place.controls), recording.last_control("lag")
    if late:
        controls.append(control(0.0, "lag", late))
    feed_again(recorder, records(recording, controls, without=place.without, ledger=True), pause)
    recorder.finish()
    if drive.mode is None:
        recorder.release_ledger()
    else:
        keep_said(store, writer.id, recorder)
    if is_live(recording):
        writer.notes = findings_of(drive)  # an import keeps its own in its journal
    return drive.track.id if drive.track is not None else ""

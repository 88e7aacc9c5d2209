"""A session as one file that another phone imports whole: its journal, what a person said of it, its tracks.

A zip archive of `journal.pwj` and `bundle.json`. Whoever reads recordings reads it as the journal in it.
"""

from __future__ import annotations

import secrets
import zipfile
from pathlib import Path

import msgspec

from pitwall.store.edits import SessionEdit, edit_of
from pitwall.store.errors import NotExportableError, StoreError
from pitwall.store.reading import Readable
from pitwall.telemetry.recordings.journal import SUFFIX
from pitwall.telemetry.recordings.text import BUNDLE_JOURNAL, BUNDLE_TOLD
from pitwall.track.library import find_problem
from pitwall.track.model import Track

BUNDLE_SUFFIX = ".pitwall"
VERSION = 1
# Tracks of a session and its edits: some hundred kilobytes each.
MOST_TOLD_BYTES = 16 << 20
# A session is driven on one.
MOST_TRACKS = 4


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """What a bundle holds beside the journal. `tracks` are those that the session was measured with."""

    pitwall_bundle: int
    session: str
    edit: SessionEdit
    tracks: tuple[Track, ...] = ()


def make_bundle(store: Readable, session: str, tracks: tuple[Track, ...]) -> Path:
    """Write a closed session's bundle as a new file in the folder for files to hand over. StoreError."""
    journal = store.home.journals / (session + SUFFIX)
    made = store.handover / f"{secrets.token_hex(8)}{BUNDLE_SUFFIX}"
    told = Bundle(pitwall_bundle=VERSION, session=session, edit=edit_of(store, session), tracks=tracks)
    try:
        if not journal.is_file():
            raise NotExportableError(f"session {session} has no journal: there is no recording to send")
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(journal, BUNDLE_JOURNAL)
            archive.writestr(BUNDLE_TOLD, msgspec.json.encode(told))
    except (OSError, ValueError) as error:
        made.unlink(missing_ok=True)
        raise StoreError(f"the bundle of session {session} can't be written: {error}") from error
    return made


def read_bundle(path: Path) -> Bundle | None:
    """What a bundle tells beside its journal; None where the file is none. StoreError where it is damaged or
    of a newer program."""
    try:
        if not zipfile.is_zipfile(path):
            return None
        with zipfile.ZipFile(path) as archive:
            if BUNDLE_TOLD not in archive.namelist():
                return None
            with archive.open(BUNDLE_TOLD) as file:
                encoded = file.read(MOST_TOLD_BYTES + 1)
        if len(encoded) > MOST_TOLD_BYTES:
            raise StoreError(f"{path}: {BUNDLE_TOLD} is over {MOST_TOLD_BYTES >> 20} MiB: no bundle of ours")
        told = msgspec.json.decode(encoded, type=Bundle)
    except (OSError, ValueError, RuntimeError, NotImplementedError, EOFError, zipfile.BadZipFile) as error:
        raise StoreError(f"{path}: its {BUNDLE_TOLD} can't be read ({error}): export it again") from error
    if told.pitwall_bundle != VERSION:
        raise StoreError(f"{path} is of a newer Pitwall (bundle version {told.pitwall_bundle}): renew yours")
    if len(told.tracks) > MOST_TRACKS:
        raise StoreError(
            f"{path}: {len(told.tracks)} tracks are in it, {MOST_TRACKS} at most: no bundle of ours"
        )
    for track in told.tracks:
        problem = find_problem(track)
        if problem is not None:
            wrong = f"{problem[0]}: {problem[1]}"
            raise StoreError(f"{path}: the track {track.id!r} in it can't be used, {wrong}")
    return told

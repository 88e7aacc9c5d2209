"""Copy a session out of the home: journal, frames (Parquet), or a bundle for a friend.

A bundle is a zip archive of `journal.pwj` and `bundle.json`: the journal as far as it is near its
track, a person's notes on it, its tracks. Any reader of recordings reads its journal.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, Any, Literal

import _duckdb as duckdb
import msgspec

from pitwall.config import Home, beneath
from pitwall.store.edits import SessionEdit, edit_of
from pitwall.store.errors import NotExportableError, StoreError, first_line
from pitwall.store.files import CHUNK, checksum, sync_path
from pitwall.store.queries import TRACE_COLUMNS, Readable, rows
from pitwall.store.rows import LAP_COLUMNS, PASS_COLUMNS
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.journal import (
    HEADER,
    SUFFIX,
    BatchRecord,
    EndRecord,
    JournalRecording,
    SampleRecord,
    SessionMeta,
    encode_record,
)
from pitwall.telemetry.recordings.text import BUNDLE_ABOUT, BUNDLE_JOURNAL
from pitwall.track.library import find_problem, find_track
from pitwall.track.model import Track
from pitwall.track.near import NearTrack

_ROW_GROUP = 10_000
# Of each frame: its session and lap, and what was measured.
FILE_COLUMNS = ("session", "lap", "lap_kind", "sector", *TRACE_COLUMNS)
Table = Literal["frames", "laps", "passes", "signals"]
# What is in each other file (PARQUET.md).
_TABLES: dict[Table, str] = {
    "laps": f"SELECT {', '.join(LAP_COLUMNS)} FROM laps WHERE session = ? ORDER BY start_t, lap",  # noqa: S608
    "passes": f"SELECT {', '.join(PASS_COLUMNS)} FROM corner_passes WHERE session = ? ORDER BY entry_t, lap",  # noqa: S608
    "signals": "SELECT s.session, s.t, r.name, r.unit, r.label, r.source, s.value FROM signals s "
    "JOIN signal_registry r ON r.id = s.signal WHERE s.session = ? ORDER BY s.t, s.seq, r.name",
}


def copy_journal(home: Home, session: str, folder: Path) -> Path:
    """Copy a closed session's journal, synced; return the path. StoreError."""
    journal, copy = beneath(home.journals, session + SUFFIX), beneath(folder, session + SUFFIX)
    try:
        if not journal.is_file():
            raise StoreError(f"session {session} has no journal: there is no recording to copy")
        if copy.exists():
            if checksum(copy) == checksum(journal):
                return copy
            raise StoreError(f"{copy} is there already and is something else; name another folder")
    except OSError as error:
        raise StoreError(f"{error.filename or copy} can't be written: {error.strerror or error}") from error
    place_whole(journal, copy)
    return copy


def place_whole(source: Path, target: Path) -> None:
    """Put a checked copy of a file in its place, synced, or leave the file there. StoreError."""
    fresh = target.with_name(f".{target.name}.new")
    try:
        with source.open("rb") as original, fresh.open("wb") as copy:
            shutil.copyfileobj(original, copy, CHUNK)
            copy.flush()
            os.fsync(copy.fileno())
        if checksum(fresh) != checksum(source):
            raise StoreError(f"the copy of {source.name} is not what was copied; try another disk")
        fresh.replace(target)
        sync_path(target.parent)
    except OSError as error:
        raise StoreError(f"{error.filename or target} can't be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)


def make_frames(store: Readable, session: str) -> Path:
    """Write a session's frames (FILE_COLUMNS) to a new file in the handover folder. StoreError."""
    ends = [f"(distance_m >= {end_m!r})::INTEGER" for end_m in _sector_ends_m(store, session)]
    sector = f"{' + '.join(['1', *ends]) if ends else 'NULL::INTEGER'} AS sector"
    columns = ", ".join(sector if each == "sector" else each for each in FILE_COLUMNS)
    return _written(
        store,
        session,
        f"SELECT {columns} FROM frames f "  # noqa: S608
        "LEFT JOIN (SELECT session, lap, any_value(kind) AS lap_kind FROM laps GROUP BY ALL) "
        "USING (session, lap) WHERE session = ? ORDER BY t, seq",
    )


def write_parquet(
    store: Readable, select: str, values: Sequence[Any], rows_a_group: int, compression: str = "snappy"
) -> Path:
    """Write what a SELECT gives to a new file in the handover folder. StoreError."""
    made = store.handover / f"{os.urandom(8).hex()}.parquet"
    quoted = str(made).replace("'", "''")
    try:
        with closing(store.cursor()) as cursor:
            cursor.execute(
                f"COPY ({select}) TO '{quoted}' "
                f"(FORMAT parquet, COMPRESSION {compression}, ROW_GROUP_SIZE {rows_a_group})",
                list(values),
            )
    except duckdb.Error as error:
        made.unlink(missing_ok=True)
        raise StoreError(f"session {values[0]} can't be written as Parquet: {first_line(error)}") from error
    return made


def make_table(store: Readable, session: str, table: Table) -> Path:
    """Return one of a session's tables as a Parquet file. StoreError."""
    return make_frames(store, session) if table == "frames" else _written(store, session, _TABLES[table])


def _sector_ends_m(store: Readable, session: str) -> tuple[float, ...]:
    [(track,)] = rows(store, "SELECT track FROM sessions WHERE id = ?", [session]) or [("",)]
    known = find_track(store.home.layers("track_data"), track)
    return known.sectors_m if known is not None else ()


def _written(store: Readable, session: str, select: str) -> Path:
    return write_parquet(store, select, [session], _ROW_GROUP, "zstd")


BUNDLE_SUFFIX = ".pitwall"
VERSION = 1
# Tracks and edits: some hundred kilobytes each.
MOST_ABOUT_BYTES = 16 << 20
# A session is driven on one.
MOST_TRACKS = 4


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """What a bundle has but the journal. `tracks`: that the session was measured with."""

    pitwall_bundle: int
    session: str
    edit: SessionEdit
    tracks: tuple[Track, ...] = ()


def make_bundle(store: Readable, session: str, tracks: tuple[Track, ...]) -> Path:
    """Write a closed session's bundle to the handover folder. StoreError."""
    journal = beneath(store.home.journals, session + SUFFIX)
    made = store.handover / f"{os.urandom(8).hex()}{BUNDLE_SUFFIX}"
    bundle = Bundle(pitwall_bundle=VERSION, session=session, edit=edit_of(store, session), tracks=tracks)
    try:
        if not journal.is_file():
            raise NotExportableError(f"session {session} has no journal: there is no recording to send")
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open(BUNDLE_JOURNAL, "w") as copy:
                write_shared_journal(journal, copy, NearTrack(tracks[0]) if tracks else None)
            archive.writestr(BUNDLE_ABOUT, msgspec.json.encode(bundle))
    except (OSError, ValueError, RecordingError, NotExportableError) as error:
        made.unlink(missing_ok=True)
        if isinstance(error, NotExportableError):
            raise
        raise StoreError(f"the bundle of session {session} can't be written: {error}") from error
    return made


def write_shared_journal(journal: Path, copy: IO[bytes], near: NearTrack | None) -> None:
    """Write a journal without names and samples away from the track. NotExportableError."""
    recording = JournalRecording(journal)
    places = {
        stream.id: tuple(names.index(name) for name in ("lat_deg", "lon_deg"))
        for stream in recording.info.streams
        if {"lat_deg", "lon_deg"} <= set(names := [channel.name for channel in stream.channels])
    }
    copy.write(HEADER)
    is_near, written, samples = near is None, 0, 0
    for _, record in recording.records():
        if isinstance(record, SampleRecord):
            if near is not None and (at := places.get(record.stream)) is not None:
                is_near = near.keeps(record.values[at[0]], record.values[at[1]])
            if not is_near:
                continue
            samples += 1
        elif isinstance(record, BatchRecord):
            continue  # it counts samples, of which some may lack
        elif isinstance(record, SessionMeta):
            record = msgspec.structs.replace(record, source_name="", driver="", vehicle="")
        elif isinstance(record, EndRecord):
            record = msgspec.structs.replace(record, samples=samples)
        copy.write(encode_record(written, record))
        written += 1
    if not samples:
        raise NotExportableError(f"session {recording.meta.id} was never near its track: nothing goes along")


def read_bundle(path: Path) -> Bundle | None:
    """Return a bundle's notes on its journal; None if the file is none. StoreError."""
    try:
        if not zipfile.is_zipfile(path):
            return None
        with zipfile.ZipFile(path) as archive:
            if BUNDLE_ABOUT not in archive.namelist():
                return None
            with archive.open(BUNDLE_ABOUT) as file:
                encoded = file.read(MOST_ABOUT_BYTES + 1)
        if len(encoded) > MOST_ABOUT_BYTES:
            raise StoreError(
                f"{path}: {BUNDLE_ABOUT} is over {MOST_ABOUT_BYTES >> 20} MiB: no bundle of ours"
            )
        bundle = msgspec.json.decode(encoded, type=Bundle)
    except (OSError, ValueError, RuntimeError, NotImplementedError, EOFError, zipfile.BadZipFile) as error:
        raise StoreError(f"{path}: its {BUNDLE_ABOUT} can't be read ({error}): export it again") from error
    if bundle.pitwall_bundle != VERSION:
        raise StoreError(f"{path} is of a newer Pitwall (bundle {bundle.pitwall_bundle}): renew yours")
    if len(bundle.tracks) > MOST_TRACKS:
        raise StoreError(
            f"{path}: {len(bundle.tracks)} tracks are in it, {MOST_TRACKS} at most: no bundle of ours"
        )
    for track in bundle.tracks:
        problem = find_problem(track)
        if problem is not None:
            wrong = f"{problem[0]}: {problem[1]}"
            raise StoreError(f"{path}: the track {track.id!r} in it can't be used, {wrong}")
    return bundle

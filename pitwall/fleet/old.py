"""Convert a lake of version 1 or 2 (a manifest, a file a table), once, into session objects."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, cast

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pitwall.coach.cue import LedgerLine
from pitwall.fleet.lake import FRAMES, MOST_ROWS, SessionFacts, forgotten_path, make_object
from pitwall.fleet.push import TrackShelf
from pitwall.fleet.storage import DamagedFileError, LakeError, Storage
from pitwall.store.errors import first_line
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.near import NearTrack

MANIFEST = "manifest"
# What a lake of version 1 and 2 had besides its manifest.
FOLDERS = ("frames", "signals", "laps", "corner_passes", "cues", "events", "lessons")
# Where an entry of version 1 does not name a simulator, its vehicle ends like this.
SIMULATED = "(simulated)"
Entry = dict[str, Any]


class TurnedOver(msgspec.Struct, frozen=True, kw_only=True):
    """How many sessions were converted, and why each other one was not. With one of these the old
    files stay, and the next try goes on."""

    sessions: int
    failed: tuple[str, ...]


def is_old(storage: Storage) -> bool:
    """Return whether a lake of version 1 or 2 lies there."""
    return bool(storage.listed(MANIFEST))


def turn_over(storage: Storage, tracks: TrackShelf) -> TurnedOver:
    """Make an object of each session of an old lake; if all are made, delete the old files.
    LakeError."""
    entries, failed, done = _entries(storage), list[str](), 0
    marks = {each.path for each in storage.listed("forgotten")}
    for entry, folded in entries:
        if forgotten_path(entry["driver"]) in marks:
            continue
        try:
            path, content = _object_of(storage, tracks, entry, folded)
            storage.put(path, content)
            done += 1
        except DamagedFileError as error:
            failed.append(str(error))
        except (LakeError, KeyError, TypeError, ValueError, OSError, pa.ArrowException) as error:
            failed.append(
                f"session {entry.get('session')} of the old lake can't be turned over: {first_line(error)}"
            )
    if not failed:
        # The manifest first: without it nobody mistakes what is left for a lake.
        tables = {path.rpartition("/month=")[0] for path, _, _ in storage.listed("sessions")}
        for folder in (MANIFEST, *FOLDERS, *sorted(tables - {""})):
            storage.delete_folder(folder)
    return TurnedOver(sessions=done, failed=tuple(failed))


def _entries(storage: Storage) -> list[tuple[Entry, dict[str, str]]]:
    """Yield each session's last pushed state, with the folded file of each table and its rows."""
    found: dict[tuple[str, str], tuple[tuple[float, int], Entry, dict[str, str]]] = {}
    for file in storage.listed(MANIFEST):
        try:
            read = msgspec.json.decode(storage.read(file.path))
            if read["pitwall_fleet"] > 2:
                raise LakeError(f"{file.path} is of a newer Pitwall: renew yours")
            many = {row["table"]: row["path"] for row in read["files"]} if "entries" in read else {}
            for entry in read.get("entries", [read]):
                key, order = (
                    (entry["driver"], entry["session"]),
                    (entry["pushed_utc_s"], read.get("number", -1)),
                )
                if key not in found or order > found[key][0]:
                    found[key] = (order, entry, many)
        except (KeyError, TypeError, AttributeError, msgspec.DecodeError) as error:
            raise DamagedFileError(
                f"{storage.url}/{file.path}", f"can't be read: {first_line(error)}"
            ) from error
    return [(entry, many) for _, (_, entry, many) in sorted(found.items())]


def _object_of(
    storage: Storage, tracks: TrackShelf, entry: Entry, folded: dict[str, str]
) -> tuple[str, bytes]:
    paths = {row["table"]: row["path"] for row in entry["files"]}

    def rows(table: str, columns: Collection[str] = ()) -> list[dict[str, Any]]:
        path = folded.get(table) or paths.get(table)
        if path is None:
            return []
        read = _read(storage, path)
        own = pc.and_(pc.equal(read["driver"], entry["driver"]), pc.equal(read["session"], entry["session"]))
        found = read.filter(own)
        wanted = [name for name in found.schema.names if not columns or name in columns]
        return cast(list[dict[str, Any]], found.select(wanted).to_pylist())

    [session] = rows("sessions")
    simulated = session.get("simulated")
    facts = SessionFacts(
        driver=entry["driver"],
        session=entry["session"],
        track=entry["track"],
        driven_utc_s=session["driven_utc_s"],
        car_class=entry["car_class"],
        conditions=entry["conditions"],
        simulated=session["vehicle"].endswith(SIMULATED) if simulated is None else simulated,
        app_version=session["app_version"],
        laps=tuple(
            Lap(row["lap"], row["lap_kind"], row["start_t"], row["end_t"], row["time_s"],
                tuple(row["sectors_s"]), row["reason"])
            for row in rows("laps")
        ),
        passes=tuple(CornerPass(**row) for row in rows("corner_passes", CornerPass.__struct_fields__)),
        calls=tuple(
            LedgerLine(**{**row, "text": "", "reason": ""})
            for row in rows("cues", LedgerLine.__struct_fields__)
        ),
    )  # fmt: skip
    near = NearTrack(tracks.get(facts.track)) if facts.track else None
    return make_object(facts, _frames(storage, paths.get("frames")), near)


def _frames(storage: Storage, path: str | None) -> Iterator[pa.RecordBatch]:
    if path is not None:
        yield from _read(storage, path).select(FRAMES.names).to_batches()


def _read(storage: Storage, path: str) -> pa.Table:
    try:
        file = pq.ParquetFile(pa.BufferReader(storage.read(path)))
        if file.metadata.num_rows > MOST_ROWS:
            raise DamagedFileError(f"{storage.url}/{path}", f"has {file.metadata.num_rows} rows")
        return file.read(use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise DamagedFileError(f"{storage.url}/{path}", f"can't be read: {first_line(error)}") from error

"""Sessions of a lake, and their tracks, as analysis reads a phone's store: the same functions serve both."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pitwall.analysis.drive import Moments
from pitwall.config import shipped
from pitwall.drive.prepare import world_circuits
from pitwall.fleet.lake import Lake
from pitwall.fleet.manifest import Entry
from pitwall.fleet.schema import Table
from pitwall.fleet.storage import DamagedFileError, LakeError, Storage
from pitwall.store.errors import first_line
from pitwall.store.queries import Columns, SessionRow
from pitwall.track.circuits import CircuitError
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.library import TrackError, load_tracks
from pitwall.track.model import Track


class TrackShelf:
    """Reads each track once. `layers`: folders of track files, the first that has a track wins."""

    def __init__(self, layers: Sequence[Path] = ()) -> None:
        self.layers = tuple(layers) or (shipped("track_data"),)
        problems: list[TrackError] = []
        self._known: dict[str, Track] = dict(load_tracks(list(self.layers), problems))

    def get(self, track_id: str) -> Track:
        """LakeError where nobody knows it: an analysis without its track would be silently empty."""
        found = self._known.get(track_id)
        if found is None:
            try:
                circuits = world_circuits()
                circuit = circuits.get(track_id)
                found = None if circuit is None else circuits.track(circuit)
            except CircuitError as error:
                raise LakeError(str(error)) from error
            if found is None:
                raise LakeError(
                    f"the track {track_id!r} is not known here: copy its file into track_data of the home"
                )
            self._known[track_id] = found
        return found


# What of a session's small tables its analysis needs.
NEEDED: tuple[Table, ...] = ("sessions", "laps", "corner_passes")


class SessionWork(msgspec.Struct, frozen=True):
    """A session to be analysed, wherever that happens: its entry, and the file of its rows of each table."""

    entry: Entry
    files: dict[str, str]


def works_of(lake: Lake, entries: Sequence[Entry]) -> list[SessionWork]:
    """The work that these entries are, in their order."""
    files: dict[tuple[str, str], dict[str, str]] = {entry.key: {} for entry in entries}
    for entry in entries:
        for row in entry.files:
            files[entry.key][row.table] = row.path
    for table in NEEDED:
        for source in lake.sources(table, entries):
            for key in source.folded:
                files[key][table] = source.path
    return [SessionWork(entry, files[entry.key]) for entry in entries]


class LakeFacts:
    """`pitwall.analysis.port.DriveFacts` of one session of a lake. LakeError where a file can't be read."""

    def __init__(self, storage: Storage, work: SessionWork, tracks: TrackShelf) -> None:
        self._storage, self._work, self._tracks = storage, work, tracks
        self._known: dict[str, pa.Table] = {}

    def session(self) -> SessionRow:
        [row] = self._rows("sessions")
        own, driven_utc_s = self._work.entry, row["driven_utc_s"]
        return SessionRow(
            id=own.session,
            kind=row["kind"],
            source_name="",
            source_digest="",
            track=own.track,
            format=row["format"],
            start_utc_s=driven_utc_s,
            created_utc_s=driven_utc_s or 0.0,
            closed_utc_s=None,
            samples=row["frames"],
            complete=row["complete"],
            laps=len(self._rows("laps")),
            best_lap_s=own.best_lap_s,
            driver=own.driver,
            vehicle=row["vehicle"],
            venue="",
            app_version=row["app_version"],
            notes="",
            driven_utc_s=driven_utc_s,
        )

    def laps(self, session: str) -> list[Lap]:
        found = [
            Lap(row["lap"], row["lap_kind"], row["start_t"], row["end_t"], row["time_s"],
                tuple(row["sectors_s"]), row["reason"])
            for row in self._rows("laps")
        ]  # fmt: skip
        return sorted(found, key=lambda lap: (lap.start_t, lap.number))

    def corner_passes(self, session: str) -> list[CornerPass]:
        names = CornerPass.__struct_fields__
        found = [CornerPass(*(row[name] for name in names)) for row in self._rows("corner_passes")]
        return sorted(found, key=lambda each: (each.entry_t, each.lap))

    def columns(self, session: str) -> Iterator[Columns]:
        """Those that an analysis looks at; a page's are of the phone."""
        if "frames" in self._work.files:
            yield self._columns(Moments.__struct_fields__)

    def track(self, track_id: str) -> Track | None:
        return self._tracks.get(track_id)

    def _rows(self, table: Table) -> list[dict[str, Any]]:
        """This session's rows of a small table; a folded file holds others' too."""
        path = self._work.files.get(table)
        if path is None:
            return []
        if table not in self._known:
            entry = self._work.entry
            own = (pc.field("driver") == entry.driver) & (pc.field("session") == entry.session)
            alone = any(row.path == path for row in entry.files)
            self._known[table] = self._read(path, None) if alone else self._read(path, None).filter(own)
        rows: list[dict[str, Any]] = self._known[table].to_pylist()
        return rows

    def _columns(self, names: Sequence[str]) -> dict[str, Sequence[Any]]:
        rows = self._read(self._work.files["frames"], names)
        return {name: _column(rows[name]) for name in names}

    def _read(self, path: str, columns: Sequence[str] | None) -> pa.Table:
        try:
            with self._storage.fs.open_input_file(path) as file:
                # One session is too little for a second thread, and the other processes have their own.
                parquet = pq.ParquetFile(file)
                return parquet.read(None if columns is None else list(columns), use_threads=False)
        except (OSError, pa.ArrowException) as error:
            raise DamagedFileError(
                f"{self._storage.url}/{path}", f"can't be read: {first_line(error)}"
            ) from error


def _column(column: pa.ChunkedArray) -> Sequence[Any]:
    """A column's values, None where there is none; numbers of which none is missing as an array."""
    if column.null_count == len(column):
        return [None] * len(column)
    if pa.types.is_string(column.type):
        words = column.combine_chunks().dictionary_encode()
        known = np.array([*words.dictionary.to_pylist(), None], dtype=object)
        return cast(list[Any], known[pc.fill_null(words.indices, len(known) - 1).to_numpy()].tolist())
    if not pa.types.is_floating(column.type):
        return cast(list[Any], column.to_pylist())
    if not column.null_count:
        return array("d", column.to_numpy().astype(np.float64, copy=False).tobytes())
    valid = pc.is_valid(column).to_numpy(zero_copy_only=False)
    numbers = pc.fill_null(column, 0.0).to_numpy().astype(np.float64, copy=False).astype(object)
    numbers[~valid] = None
    return cast(list[Any], numbers.tolist())

"""A session written into the lake, and the lake read as it is at one moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import _duckdb as duckdb
import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from pitwall.fleet.manifest import (
    Entry,
    FileRow,
    LakeFile,
    LakeManifest,
    file_rows,
    live_entries,
    read_manifest,
    sources,
)
from pitwall.fleet.material import Material
from pitwall.fleet.schema import (
    FORGOTTEN,
    TABLES,
    VERSION,
    Table,
    entry_path,
    file_path,
    forgotten_path,
    schema_of,
)
from pitwall.fleet.storage import DamagedFileError, FolderStorage, LakeError, Storage, open_storage, sha256_of
from pitwall.fleet.tables import Digest, Pusher, car_class, conditions, place_of, tables_of
from pitwall.store.errors import first_line

T = TypeVar("T")
# A push that was broken off goes on within this time, or copies its files anew: they are cleared away.
LEAVINGS_S = 86_400.0


def make_files(material: Material, told: Pusher, folder: Path) -> Entry:
    """Write a session's tables as Parquet files `TABLE.parquet` into an empty folder; the entry that will
    name them. The material's own files are taken away. LakeError."""
    digest, rows = Digest(), dict.fromkeys(TABLES, 0)
    try:
        for table, batches in tables_of(material, told):
            with ExitStack() as stack:
                writer: pq.ParquetWriter | None = None
                for batch in batches:
                    if not batch.num_rows:
                        continue
                    writer = writer or stack.enter_context(parquet_writer(folder / f"{table}.parquet", table))
                    writer.write_batch(batch, row_group_size=batch.num_rows)
                    digest.add(table, batch)
                    rows[table] += batch.num_rows
    except (OSError, pa.ArrowException) as error:
        raise LakeError(f"session {material.row.id} can't be written to {folder}: {error}") from error
    finally:
        for made in (material.frames_file, material.signals_file):
            Path(made).unlink(missing_ok=True)
    place, content = place_of(material, told.driver), digest.hexdigest()
    return Entry(
        pitwall_fleet=VERSION,
        driver=place.driver,
        session=place.session,
        track=place.track,
        date=place.date,
        car_class=car_class(material, told),
        conditions=conditions(material),
        content=content,
        source=material.source,
        pushed_utc_s=time.time(),
        flying_laps=sum(lap.kind == "flying" for lap in material.laps),
        best_lap_s=material.row.best_lap_s,
        simulated=material.row.simulated,
        files=tuple(
            file_row(folder / f"{table}.parquet", table, file_path(table, place, content), rows[table])
            for table in TABLES
            if rows[table]
        ),
    )


def put_entry(storage: Storage, entry: Entry, folder: Path) -> int:
    """Copy the files of `folder` into the lake, those that are there whole not again, then the entry: only
    then is the session there for readers. How many bytes went over. LakeError."""

    def copy() -> int:
        sent = 0
        for row in entry.files:
            found = storage.found(row.path)
            # An old leaving may be cleared away in this very moment.
            if found is None or found.size != row.bytes or time.time() - found.written_utc_s > LEAVINGS_S / 2:
                storage.put(row.path, folder / f"{row.table}.parquet")
                sent += row.bytes
        return sent

    sent = copy()
    storage.put_bytes(entry_path(entry.place, entry.content), msgspec.json.encode(entry))
    # A file that an older, broken-off push left may have been cleared away while nothing named it.
    return sent + copy()


def parquet_writer(path: Path, table: Table) -> pq.ParquetWriter:
    """A writer of one of the lake's files: floats by their bytes' places, words by a dictionary, zstd."""
    schema = schema_of(table)
    by_bytes = [field.name for field in schema if pa.types.is_floating(field.type)]
    by_steps = [field.name for field in schema if pa.types.is_integer(field.type)]
    writer = pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        use_dictionary=[field.name for field in schema if pa.types.is_string(field.type)],
        column_encoding=dict.fromkeys(by_bytes, "BYTE_STREAM_SPLIT")
        | dict.fromkeys(by_steps, "DELTA_BINARY_PACKED"),
        store_schema=False,
    )
    writer.add_key_value_metadata(schema.metadata)
    return writer


def file_row(made: Path, table: Table, path: str, rows: int) -> FileRow:
    """Return what an entry says of a file that was made here."""
    digest, size = sha256_of(FolderStorage(made.parent), made.name)
    return FileRow(table=table, path=path, rows=rows, bytes=size, sha256=digest)


class Lake:
    """Holds what a reader found in a lake at one moment. It does not change; `open_lake` again for what is
    new.

    `entries`: each session once, in its newest state, by (driver, session). `damaged`: a sentence for each
    file that can't be read, by its path; such a file is left out, and the rest answers.
    """

    def __init__(self, storage: Storage, manifest: LakeManifest, forgotten: Callable[[str], bool]) -> None:
        self.storage, self.manifest = storage, manifest
        self.entries = {
            key: entry for key, entry in live_entries(manifest).items() if not forgotten(entry.driver)
        }
        self.damaged: dict[str, str] = dict(manifest.damaged)
        # Whether a simulator drove an entry that does not say it itself, as far as somebody asked.
        self.simulated: dict[tuple[str, str], bool] = {}
        self._rows = {path: row.rows for path, row in file_rows(manifest).items()}

    def chosen(
        self, *, track: str | None = None, driver: str | None = None, sessions: Collection[str] | None = None
    ) -> list[Entry]:
        """The entries of these, in the order in which they were driven, then by driver and session."""
        found = [
            entry
            for entry in self.entries.values()
            if (track is None or entry.track == track)
            and (driver is None or entry.driver == driver)
            and (sessions is None or entry.session in sessions)
        ]
        return sorted(found, key=lambda each: each.order)

    def sources(self, table: Table, chosen: Sequence[Entry] | None = None) -> list[LakeFile]:
        """The files that hold a table's rows of these entries (None: of all), without the damaged ones."""
        entries = list(self.entries.values()) if chosen is None else chosen
        return [each for each in sources(self.manifest, entries, table) if each.path not in self.damaged]

    def attach(
        self, con: duckdb.DuckDBPyConnection, table: Table, chosen: Sequence[Entry] | None = None
    ) -> None:
        """Make a table's rows of these entries (None: of all) a view of its name of a DuckDB connection, in
        the columns of the newest schema, whatever the files' versions. duckdb.Error where a file is damaged:
        see `ask`."""
        found = self.sources(table, chosen)
        whole = [each.path for each in found if each.take is None]
        partly = [each for each in found if each.take is not None]
        con.register(f"{table}_none", schema_of(table).empty_table())
        parts = [f"SELECT * FROM {table}_none"]  # noqa: S608
        folder = self.storage.folder
        if folder is None:
            # DuckDB reads buckets only with an extension that would have to be fetched.
            if whole:
                con.register(f"{table}_whole", self._dataset(table, whole))
                parts.append(f"SELECT * FROM {table}_whole")  # noqa: S608
            if partly:
                con.register(f"{table}_partly", pa.concat_tables(self._taken(table, each) for each in partly))
                parts.append(f"SELECT * FROM {table}_partly")  # noqa: S608
        else:
            if whole:
                parts.append(f"SELECT * FROM {self._read_parquet(whole)}")  # noqa: S608
            if partly:
                taken = [(str(folder / each.path), *key) for each in partly for key in each.take or ()]
                columns = zip(("filename", "driver", "session"), zip(*taken, strict=True), strict=True)
                con.register(f"{table}_taken", pa.table({column: list(values) for column, values in columns}))
                read = self._read_parquet([each.path for each in partly], ", filename = true")
                parts.append(
                    f"SELECT * EXCLUDE (filename) FROM {read} SEMI JOIN {table}_taken "  # noqa: S608
                    "USING (filename, driver, session)"
                )
        con.execute(f"CREATE OR REPLACE TEMP VIEW {table} AS {' UNION ALL BY NAME '.join(parts)}")

    def ask(
        self,
        con: duckdb.DuckDBPyConnection,
        tables: Collection[Table],
        question: Callable[[duckdb.DuckDBPyConnection], T],
        chosen: Sequence[Entry] | None = None,
    ) -> T:
        """Return what `question` answers over the views of these tables. Where a file turns out to be
        damaged, it is left out and named in `damaged`, and the question is asked again."""
        for last in (False, True):
            try:
                for table in tables:
                    self.attach(con, table, chosen)
                return question(con)
            except (duckdb.Error, OSError, pa.ArrowException):
                if last or not self.find_damaged(tables, chosen):
                    raise
        raise AssertionError  # the second try answers or raises

    def read(self, table: Table, chosen: Sequence[Entry] | None = None) -> pa.Table:
        """A table's rows of these entries in memory, in the newest schema. LakeError."""
        return pa.concat_tables([schema_of(table).empty_table(), *self.tables(table, chosen)])

    def tables(self, table: Table, chosen: Sequence[Entry] | None = None) -> Iterator[pa.Table]:
        """The same file by file. The rows of a session stand in the order in which they were pushed."""
        return (self._taken(table, each) for each in self.sources(table, chosen))

    def find_damaged(
        self, tables: Collection[Table] = TABLES, chosen: Sequence[Entry] | None = None
    ) -> list[str]:
        """Read every file of these tables to its end; the sentences on those that can't be, which are left
        out from now on. For when a query over all of them failed."""
        found: list[str] = []
        for table in tables:
            for each in self.sources(table, chosen):
                try:
                    self._taken(table, each)
                except LakeError as error:
                    self.damaged[each.path] = str(error)
                    found.append(str(error))
        return found

    def _read_parquet(self, paths: Sequence[str], more: str = "") -> str:
        """DuckDB's own reading. Files of several versions make it open each of them first."""
        folder = str(self.storage.folder).replace("'", "''")
        mixed = len({entry.pitwall_fleet for entry in self.entries.values()}) > 1
        quoted = ", ".join(f"'{folder}/{path}'" for path in paths)
        return f"read_parquet([{quoted}], union_by_name = {mixed}, hive_partitioning = false{more})"

    def _dataset(self, table: Table, paths: Sequence[str]) -> ds.Dataset:
        return ds.dataset(list(paths), schema=schema_of(table), format="parquet", filesystem=self.storage.fs)

    def _taken(self, table: Table, source: LakeFile) -> pa.Table:
        """The rows of one file that count. LakeError names the file."""
        try:
            dataset = self._dataset(table, [source.path])
            if (count := dataset.count_rows()) > (most := self._rows[source.path]):
                raise DamagedFileError(f"{self.storage.url}/{source.path}", f"has {count} rows for {most}")
            rows = dataset.to_table()
        except (OSError, pa.ArrowException) as error:
            raise DamagedFileError(
                f"{self.storage.url}/{source.path}", f"can't be read: {first_line(error)}"
            ) from error
        if source.take is None:
            return rows
        taken = pa.array([f"{driver}/{session}" for driver, session in source.take])
        keys = pc.binary_join_element_wise(rows.column("driver"), rows.column("session"), "/")
        return rows.filter(pc.is_in(keys, value_set=taken))


def open_lake(url: str | Storage) -> Lake:
    """Read the manifest of the lake at `url` (see `open_storage`): one moment of it. LakeError."""
    storage = open_storage(url) if isinstance(url, str) else url
    manifest = read_manifest(storage)
    # Listed last: who was forgotten meanwhile is not shown.
    marks = {found.path for found in storage.listed(FORGOTTEN)}
    return Lake(storage, manifest, lambda driver: forgotten_path(driver) in marks)

"""Checks a lake against its manifest, by checksums and digests; copies checked sessions into another."""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from pitwall.fleet.lake import Lake, file_row, open_lake, parquet_writer, put_entry
from pitwall.fleet.manifest import Entry, FileRow, file_rows
from pitwall.fleet.schema import COMPACTED, META_TABLE, META_VERSION, TABLES, file_path, schema_of
from pitwall.fleet.storage import DamagedFileError, LakeError, Storage, sha256_of
from pitwall.fleet.tables import Digest
from pitwall.store.errors import first_line


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what was looked at, and what is wrong: a sentence for each damaged file, by its path;
    `unnamed` are files of pushes that were broken off, which nobody reads."""

    sessions: int
    files: int
    bytes: int
    damaged: dict[str, str]
    unnamed: int


def verify(storage: Storage) -> Verified:
    """Read every file that the lake needs. LakeError where the lake itself can't be read."""
    lake = open_lake(storage)
    wrong = dict(lake.manifest.damaged)
    needed = needed_files(lake)
    size = 0
    for row in needed.values():
        if why := wrong_file(storage, row):
            wrong[row.path] = why
        size += row.bytes
    lake.damaged.update(wrong)
    for entry in lake.entries.values():
        paths = {each.path for table in TABLES for each in lake.sources(table, [entry])}
        whole = paths >= {row.path for row in entry.files if row.table not in COMPACTED}
        if (
            whole
            and not any(row.path in wrong for row in entry.files)
            and digest_of(lake, entry) != entry.content
        ):
            path = next((row.path for row in entry.files), entry.session)
            wrong.setdefault(
                path, f"{storage.url}: the rows of session {entry.session} are not what was pushed"
            )
    named = set(needed) | set(wrong)
    unnamed = sum(
        found.path not in named and found.path.partition("/")[0] in TABLES for found in storage.listed("")
    )
    return Verified(sessions=len(lake.entries), files=len(needed), bytes=size, damaged=wrong, unnamed=unnamed)


def needed_files(lake: Lake) -> dict[str, FileRow]:
    """Every file that somebody reads, by its path."""
    known = file_rows(lake.manifest)
    return {source.path: known[source.path] for table in TABLES for source in lake.sources(table)}


def digest_of(lake: Lake, entry: Entry) -> str:
    """The digest of a session's rows as the lake has them now. LakeError."""
    digest = Digest()
    for table in TABLES:
        # What a later version added was not there when it was pushed.
        columns = schema_of(table, entry.pitwall_fleet).names
        for rows in lake.tables(table, [entry]):
            for batch in rows.select(columns).to_batches():
                digest.add(table, batch)
    return digest.hexdigest()


def wrong_file(storage: Storage, row: FileRow) -> str:
    """A sentence on a file whose checksum, size, columns or rows are not those of its push, else ""."""
    why = _wrong_file(storage, row)
    return str(DamagedFileError(f"{storage.url}/{row.path}", why)) if why else ""


def _wrong_file(storage: Storage, row: FileRow) -> str:
    """Return what is wrong with a file, "" where nothing is."""
    try:
        digest, size = sha256_of(storage, row.path)
        if (digest, size) != (row.sha256, row.bytes):
            return f"is not what was pushed ({size} bytes for {row.bytes}, its checksum differs)"
        with pq.ParquetFile(storage.fs.open_input_file(row.path)) as file:
            meta = file.metadata.metadata or {}
            version = int(meta.get(META_VERSION, b"0"))
            if meta.get(META_TABLE) != row.table.encode() or not file.schema_arrow.equals(
                schema_of(row.table, version)
            ):
                return "has not the columns of its version"
            if file.metadata.num_rows != row.rows:
                return f"has {file.metadata.num_rows} rows for {row.rows}"
    except (OSError, ValueError, pa.ArrowException, LakeError) as error:
        return f"can't be read ({first_line(error)})"
    return ""


class Pulled(msgspec.Struct, frozen=True, kw_only=True):
    """How many sessions were copied, how many were there already, and a sentence for each that can't be."""

    sessions: int
    there: int
    bytes: int
    damaged: tuple[str, ...]


def pull(
    storage: Storage,
    target: Storage,
    *,
    track: str | None = None,
    driver: str | None = None,
    sessions: Collection[str] | None = None,
) -> Pulled:
    """Copy what the target lacks, each session checked against its digest. LakeError where a lake can't be
    read."""
    lake = open_lake(storage)
    there = {key: entry.content for key, entry in open_lake(target).entries.items()}
    chosen = lake.chosen(track=track, driver=driver, sessions=sessions)
    lacking = [entry for entry in chosen if there.get(entry.key) != entry.content]
    copied = sent = 0
    wrong = list(lake.damaged.values())
    for entry in lacking:
        try:
            sent += _copy(lake, entry, target)
            copied += 1
        except LakeError as error:
            wrong.append(f"session {entry.session}: {error}")
    return Pulled(sessions=copied, there=len(chosen) - len(lacking), bytes=sent, damaged=tuple(wrong))


def _copy(lake: Lake, entry: Entry, target: Storage) -> int:
    if digest_of(lake, entry) != entry.content:
        raise LakeError("its rows are not what was pushed; push it again")
    files: list[FileRow] = []
    with tempfile.TemporaryDirectory(prefix="pitwall-pull-") as folder:
        for table in TABLES:
            rows = lake.read(table, [entry])
            if not rows.num_rows:
                continue
            made = Path(folder) / f"{table}.parquet"
            with parquet_writer(made, table) as writer:
                writer.write_table(rows.cast(schema_of(table)))
            files.append(file_row(made, table, file_path(table, entry.place, entry.content), rows.num_rows))
        return put_entry(target, msgspec.structs.replace(entry, files=tuple(files)), Path(folder))

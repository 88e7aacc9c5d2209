"""Sessions copied from one lake into another, such as a coach's own folder: the same entries, each put
last."""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from pathlib import Path

import msgspec

from pitwall.fleet.lake import Lake, file_row, open_lake, parquet_writer, put_entry
from pitwall.fleet.manifest import Entry, FileRow
from pitwall.fleet.schema import TABLES, file_path, schema_of
from pitwall.fleet.storage import LakeError, Storage
from pitwall.fleet.verify import digest_of


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

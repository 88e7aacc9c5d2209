"""Many small files made one: the tables of a track and month in a file each, and what nobody needs taken
away.

Whoever reads meanwhile reads on: the new files are named by one new entry, and the old ones stay for GRACE_S.

A lake is checked against its manifest by checksums and digests, and checked sessions are copied into another.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from pitwall.fleet.lake import LEAVINGS_S, Lake, file_row, open_lake, parquet_writer, put_entry
from pitwall.fleet.manifest import Entry, FileRow, LakeManifest, ManyEntries, file_rows, named_files
from pitwall.fleet.schema import (
    COMPACTED,
    FORGOTTEN,
    MANIFEST,
    META_TABLE,
    META_VERSION,
    ROWS_A_GROUP,
    TABLES,
    Table,
    compacted_path,
    file_path,
    forgotten_path,
    many_path,
    schema_of,
)
from pitwall.fleet.storage import FRESH, DamagedFileError, LakeError, Storage, sha256_of
from pitwall.fleet.tables import Digest
from pitwall.store.errors import first_line

# The longest query ends before what it reads goes.
GRACE_S = 3_600.0
# Fewer new sessions than this are not worth a new file of a month, unless it is asked for.
FEWEST_NEW = 2

Group = tuple[str, str]


class Compacted(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what `compact` did: how many groups and sessions it folded, how many files it took away, and a
    sentence for each file that could not be read."""

    groups: int
    sessions: int
    deleted: int
    damaged: tuple[str, ...]


def compact(storage: Storage, *, grace_s: float = GRACE_S) -> Compacted:
    """Fold what is new, then take away what was folded or given up longer than `grace_s` ago. LakeError."""
    lake = open_lake(storage)
    groups = sessions = 0
    for group, entries in _groups(lake.entries.values()).items():
        new = _new(lake.manifest, group, entries)
        if new >= FEWEST_NEW:
            folded = fold(lake, group, entries)
            groups, sessions = groups + 1, sessions + folded
    deleted = clear(storage, grace_s)
    return Compacted(groups=groups, sessions=sessions, deleted=deleted, damaged=tuple(lake.damaged.values()))


def _groups(entries: Iterable[Entry]) -> dict[Group, list[Entry]]:
    found: dict[Group, list[Entry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda each: each.order):
        found[entry.track, entry.place.month].append(entry)
    return found


def _new(manifest: LakeManifest, group: Group, entries: Sequence[Entry]) -> int:
    """How many of these are not in the group's newest folded entry."""
    latest = latest_many(manifest, group)
    known = {each.state for each in latest.entries} if latest else set()
    return sum(each.state not in known for each in entries)


def latest_many(manifest: LakeManifest, group: Group) -> ManyEntries | None:
    """The folded entry of a track and month that counts."""
    own = [each for each in manifest.manys.values() if (each.track, each.month) == group]
    return max(own, key=lambda each: each.number, default=None)


def fold(lake: Lake, group: Group, entries: Sequence[Entry], *, give_up: bool = False) -> int:
    """Write the tables of these entries, all of one group, as a file each, and the entry that names them; how
    many were folded. One with a damaged file is left as it is, and named in `lake.damaged`. LakeError;
    `give_up`: the rows of a damaged folded file are given up, its sessions wait for their next push."""
    # What can be read may still be no longer what was pushed.
    known = file_rows(lake.manifest)
    for path in {each.path for table in COMPACTED for each in lake.sources(table, entries)}:
        if why := wrong_file(lake.storage, known[path]):
            lake.damaged[path] = why
    whole = [each for each in entries if not any(row.path in lake.damaged for row in each.files)]
    latest = latest_many(lake.manifest, group)
    if latest is not None and any(row.path in lake.damaged for row in latest.files):
        if not give_up:
            raise LakeError(
                f"{lake.storage.url}: a folded file of {group[0] or 'no track'} {group[1]} is damaged: "
                f"{'; '.join(lake.damaged.values())}"
            )
        # No home has this source: a push finds its session lacking.
        lost = {each.state for each in latest.entries}
        whole = [msgspec.structs.replace(each, source="") if each.state in lost else each for each in whole]
    files: list[FileRow] = []
    with tempfile.TemporaryDirectory(prefix="pitwall-fold-") as folder:
        for table in COMPACTED:
            made = Path(folder) / f"{table}.parquet"
            count = _write(made, table, lake, whole)
            if count:
                row = file_row(made, table, "", count)
                path = compacted_path(table, *group, row.sha256[:32])
                lake.storage.put(path, made)
                files.append(msgspec.structs.replace(row, path=path))
    many = ManyEntries(
        number=max((each.number for each in lake.manifest.manys.values()), default=0) + 1,
        track=group[0],
        month=group[1],
        entries=tuple(whole),
        files=tuple(files),
    )
    encoded = msgspec.json.encode(many)
    digest = hashlib.sha256(encoded).hexdigest()[:32]
    path = many_path(*group, many.number, digest)
    lake.storage.put_bytes(path, encoded)
    gone = {entry.driver for entry in whole if lake.storage.found(forgotten_path(entry.driver))}
    if gone:
        for each in (path, *(row.path for row in files)):
            lake.storage.delete(each)
        raise LakeError(f"{lake.storage.url}: a driver was forgotten meanwhile; run `fleet compact` again")
    return len(whole)


def _write(made: Path, table: Table, lake: Lake, entries: Sequence[Entry]) -> int:
    """All rows of a table, in row groups that are worth reading; how many."""
    count = 0
    with ExitStack() as stack:
        writer: pq.ParquetWriter | None = None
        for rows in _in_groups(lake.tables(table, entries)):
            writer = writer or stack.enter_context(parquet_writer(made, table))
            writer.write_table(rows.cast(schema_of(table)), row_group_size=ROWS_A_GROUP)
            count += rows.num_rows
    return count


def _in_groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(each.num_rows for each in waiting) >= ROWS_A_GROUP:
            yield pa.concat_tables(waiting)
            waiting = []
    if sum(each.num_rows for each in waiting):
        yield pa.concat_tables(waiting)


def clear(storage: Storage, grace_s: float) -> int:
    """Take away entries that are folded or replaced by newer states, and files that nothing needs: what was
    needed until less than `grace_s` ago stays, and leavings of a push for LEAVINGS_S. How many went.
    LakeError."""
    now = time.time()
    lake = open_lake(storage)
    manifest = lake.manifest
    listed = storage.listed("")
    written = {found.path: found.written_utc_s for found in listed}

    def settled(path: str, than_s: float = grace_s) -> bool:
        """It is there, and has been for so long."""
        return now - written.get(path, now) >= than_s

    by_number = sorted(manifest.manys.items(), key=lambda each: -each[1].number)
    kept: dict[Group, str] = {}
    gone: set[str] = set()
    for path, many in by_number:
        newest = kept.setdefault((many.track, many.month), path)
        if path != newest and settled(newest):
            gone.add(path)
    # An entry may go when its folded self, or the newer state of its session, has been there for long enough.
    folded = {
        entry.state for path in kept.values() if settled(path) for entry in manifest.manys[path].entries
    }
    states = {(entry.key, entry.content): path for path, entry in manifest.ones.items()}
    for path, many in by_number:
        if path not in gone:
            states |= {(entry.key, entry.content): path for entry in many.entries}

    def replaced(entry: Entry) -> bool:
        newest = lake.entries[entry.key]
        return newest.content != entry.content and settled(states[newest.key, newest.content])

    for path, entry in manifest.ones.items():
        if entry.state in folded or replaced(entry):
            gone.add(path)
    needed: set[str] = set()
    for path, entry in manifest.ones.items():
        if path not in gone:
            needed |= {row.path for row in entry.files}
    for path, many in manifest.manys.items():
        if path in gone:
            continue
        needed |= {row.path for row in many.files}
        for entry in many.entries:
            if not replaced(entry):
                small = not settled(path)
                needed |= {row.path for row in entry.files if small or row.table not in COMPACTED}
    known = named_files(manifest)
    for found in listed:
        top, name = found.path.partition("/")[0], found.path.rpartition("/")[2]
        fresh = name.startswith(".") and name.endswith(FRESH) and top in (MANIFEST, FORGOTTEN)
        loose = fresh or (top in TABLES and found.path not in needed)
        if loose and settled(found.path, grace_s if found.path in known else LEAVINGS_S):
            gone.add(found.path)
    # Entries first: none of them ever names what is gone.
    for path in sorted(gone, key=lambda path: not path.startswith(MANIFEST)):
        storage.delete(path)
    return len(gone)


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

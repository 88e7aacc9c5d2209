"""Which files make up the lake: one immutable entry for each session and each state of it, put last.

Writers need no lock: an entry's name is its content, so the same session pushed twice is one entry, and
whoever reads takes only what an entry names. `compact` folds the entries of a track and month into one of
many.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from pitwall.config import OutsideError, beneath, inside
from pitwall.fleet.schema import COMPACTED, MANIFEST, VERSION, FilePlace, Table
from pitwall.fleet.storage import LakeError, MissingFileError, Storage

# A session's rows in one file: 14 h of 60 frames a second, and of the other tables what no driver reaches.
MOST_ROWS: dict[str, int] = {"frames": 3_000_000, "signals": 60_000_000}
MOST_OTHER_ROWS = 100_000
# A compaction may take away what a listing named a moment ago.
_TRIES = 5


class FileRow(msgspec.Struct, frozen=True, kw_only=True):
    """A Parquet file: which table's rows, how many, its size in bytes and its SHA-256 in hex."""

    table: Table
    path: str
    rows: int
    bytes: int
    sha256: str


def most_rows(table: Table, sessions: int = 1) -> int:
    """How many rows a file of so many sessions may hold."""
    return MOST_ROWS.get(table, MOST_OTHER_ROWS) * sessions


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A state of one session. `content`: the digest of all its rows; `source`: what they were made from,
    so that a push knows without making them again whether there is anything new. `files`: a table without
    rows has none.
    """

    pitwall_fleet: int = VERSION
    driver: str
    session: str
    track: str
    date: datetime.date | None
    car_class: str
    conditions: str
    content: str
    source: str
    pushed_utc_s: float
    flying_laps: int
    best_lap_s: float | None
    files: tuple[FileRow, ...]
    # None in an entry of version 1.
    simulated: bool | None = None

    @property
    def place(self) -> FilePlace:
        """Return what its paths are made of."""
        return FilePlace(self.driver, self.session, self.track, self.date)

    @property
    def key(self) -> tuple[str, str]:
        """(driver, session): of several states of one session the newest counts."""
        return self.driver, self.session

    @property
    def order(self) -> tuple[str, str, str]:
        """By when it was driven, then by session and driver."""
        return str(self.date or ""), self.session, self.driver

    @property
    def state(self) -> tuple[str, str, str, float]:
        """Return what was pushed and when: a state whose folded rows were damaged may be pushed again."""
        return self.driver, self.session, self.content, self.pushed_utc_s


class ManyEntries(msgspec.Struct, frozen=True, kw_only=True):
    """The entries of one track and month, folded: `files` hold their rows of the tables in COMPACTED, while
    frames and signals stay where each entry names them. Of several the one with the highest number counts."""

    pitwall_fleet: int = VERSION
    number: int
    track: str
    month: str
    entries: tuple[Entry, ...]
    files: tuple[FileRow, ...]


class LakeManifest(msgspec.Struct, frozen=True):
    """Holds what a reader found: entries and folded entries by path, a sentence for each damaged file."""

    ones: dict[str, Entry]
    manys: dict[str, ManyEntries]
    damaged: dict[str, str]


def read_manifest(storage: Storage) -> LakeManifest:
    """All entries that are there now. LakeError."""
    for _ in range(_TRIES):
        # What is folded between two listings stands in one of them as an entry or as a folded one.
        names = {found.path for _ in range(2) for found in storage.listed(MANIFEST)}
        read, folders = LakeManifest({}, {}, {}), set[str]()
        gone = False
        for path in sorted(names):
            name = path.removeprefix(f"{MANIFEST}/")
            if not name.endswith(".json") or name.startswith("."):
                continue
            try:
                _take(read, storage, path, storage.read(path), folders)
            except MissingFileError:
                gone = True
        if not gone:
            return read
    raise LakeError(f"{storage.url}/{MANIFEST} keeps changing: is `fleet compact` running there? Try again")


def _check_files(storage: Storage, rows: Iterable[FileRow], folders: set[str], sessions: int = 1) -> None:
    """OutsideError where a file does not lie in the lake, in the folder of its table, ValueError where it has
    more rows than so many sessions can have: nobody opens it. `folders`: those that were looked at."""
    for row in rows:
        folder = inside(row.path, storage.url).rpartition("/")[0]
        if not f"{folder}/".startswith(f"{row.table}/"):
            raise OutsideError(row.path, f"{storage.url}/{row.table}")
        if storage.folder is not None and folder not in folders:
            beneath(storage.folder, folder)
            folders.add(folder)
        if row.rows > most_rows(row.table, sessions):
            raise ValueError(f"{row.path} has {row.rows} rows, more than {sessions} sessions can have")


def _take(read: LakeManifest, storage: Storage, path: str, content: bytes, folders: set[str]) -> None:
    try:
        if path.startswith(f"{MANIFEST}/one."):
            entry = msgspec.json.decode(content, type=Entry)
            _check_files(storage, entry.files, folders)
            read.ones[path] = entry
            version = entry.pitwall_fleet
        else:
            many = msgspec.json.decode(content, type=ManyEntries)
            _check_files(storage, many.files, folders, len(many.entries))
            for each in many.entries:
                _check_files(storage, each.files, folders)
            read.manys[path] = many
            version = many.pitwall_fleet
    except (msgspec.DecodeError, ValueError, OutsideError) as error:
        read.damaged[path] = f"{path} is damaged ({error}); push its session again, or restore it"
        return
    if version > VERSION:
        raise LakeError(
            f"{path} is of a newer Pitwall (lake version {version}, this one knows {VERSION}): renew yours"
        )


def named_files(manifest: LakeManifest) -> set[str]:
    """The entries that could be read, and every file that one of them names."""
    return {*manifest.ones, *manifest.manys, *file_rows(manifest)}


def file_rows(manifest: LakeManifest) -> dict[str, FileRow]:
    """Every file that an entry names, by its path."""
    manys = manifest.manys.values()
    rows = [row for many in manys for each in many.entries for row in each.files]
    rows += [row for entry in manifest.ones.values() for row in entry.files]
    rows += [row for many in manys for row in many.files]
    return {row.path: row for row in rows}


class LakeFile(msgspec.Struct, frozen=True):
    """A file to read. `take`: the (driver, session) of its rows that count, None where all do. `folded`: the
    sessions that were asked for, where the file was folded from those of several."""

    path: str
    take: tuple[tuple[str, str], ...] | None = None
    folded: tuple[tuple[str, str], ...] = ()


def live_entries(manifest: LakeManifest) -> dict[tuple[str, str], Entry]:
    """Each session once, in the state that was pushed last."""
    folded = [entry for many in manifest.manys.values() for entry in many.entries]
    by_push = sorted([*manifest.ones.values(), *folded], key=lambda each: (each.pushed_utc_s, each.content))
    return {entry.key: entry for entry in by_push}


def sources(manifest: LakeManifest, chosen: Sequence[Entry], table: Table) -> list[LakeFile]:
    """The files that hold this table's rows of these entries, each entry's in exactly one of them."""
    if table not in COMPACTED:
        return [LakeFile(row.path) for entry in chosen for row in entry.files if row.table == table]
    folded = {entry.state: path for path, entry in _by_number(manifest)}
    own: list[LakeFile] = []
    wanted: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for entry in chosen:
        path = folded.get(entry.state)
        if path is None:
            own += [LakeFile(row.path) for row in entry.files if row.table == table]
        else:
            wanted[path].add(entry.key)
    for path, keys in sorted(wanted.items()):
        many = manifest.manys[path]
        asked = tuple(sorted(keys))
        take = asked if len(keys) < len(many.entries) else None
        own += [LakeFile(row.path, take, asked) for row in many.files if row.table == table]
    return own


def _by_number(manifest: LakeManifest) -> Iterable[tuple[str, Entry]]:
    for path, many in sorted(manifest.manys.items(), key=lambda each: (each[1].number, each[0])):
        for entry in many.entries:
            yield path, entry

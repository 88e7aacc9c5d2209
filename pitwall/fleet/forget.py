"""A driver taken out of a lake: every file that holds a row of theirs, and the proof that nothing is left."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pitwall.fleet.compact import fold
from pitwall.fleet.lake import Lake, open_lake
from pitwall.fleet.manifest import named_files
from pitwall.fleet.schema import TABLES, forgotten_path
from pitwall.fleet.storage import LakeError, Storage


class Searched(msgspec.Struct, frozen=True, kw_only=True):
    """A search for what must be gone: in how many files and bytes it was looked for, as bytes and, in a
    Parquet file, in every value of every column of words; where it was found; and what could not be read."""

    where: str
    looked_for: tuple[str, ...]
    files: int
    bytes: int
    found: tuple[str, ...]
    unread: tuple[str, ...] = ()


class ForgottenInLake(msgspec.Struct, frozen=True, kw_only=True):
    """What was taken out of the lake, and the search after it. `given_up`: sessions of others that stood in a
    damaged file with theirs, as DRIVER/SESSION; until their next push their rows lack."""

    driver: str
    sessions: tuple[str, ...]
    files: int
    rewritten: int
    given_up: tuple[str, ...]
    proof: Searched


def forget_in_lake(storage: Storage, driver: str, also: Sequence[str] = ()) -> ForgottenInLake:
    """Take a driver out. From the first step on nothing of theirs is taken by a push, and readers of a new
    lake don't see them. Done again after a kill it goes on. `also`: words that are looked for too, such as
    the name. LakeError."""
    storage.put_bytes(
        forgotten_path(driver), msgspec.json.encode({"pitwall_forgotten": 1, "at_utc_s": round(time.time())})
    )
    lake = open_lake(storage)
    manifest = lake.manifest
    theirs = [entry for entry in manifest.ones.values() if entry.driver == driver]
    folded = {
        path: many
        for path, many in manifest.manys.items()
        if any(entry.driver == driver for entry in many.entries)
    }
    theirs += [entry for many in folded.values() for entry in many.entries if entry.driver == driver]
    rewritten = _fold_without(lake, driver, {(many.track, many.month) for many in folded.values()})
    gone = {path for path, entry in manifest.ones.items() if entry.driver == driver} | set(folded)
    gone |= {row.path for entry in theirs for row in entry.files}
    gone |= {row.path for many in folded.values() for row in many.files}
    # What a push that was broken off left, which no entry names.
    gone |= {
        found.path
        for found in storage.listed("")
        if f"/driver={driver}/" in found.path or f"/{driver}." in found.path or f"one.{driver}." in found.path
    }
    _delete(storage, gone)
    sessions = tuple(sorted({entry.session for entry in theirs}))
    left = open_lake(storage)
    others = {entry.session for entry in left.entries.values()}
    words = [driver, *(session for session in sessions if session not in others), *also]
    proof = search_lake(storage, words)
    # What a damaged entry named, and that entry: nobody can read who else stands in it.
    if loose := set(proof.found) - named_files(left.manifest):
        _delete(storage, loose)
        proof = search_lake(storage, words)
    return ForgottenInLake(
        driver=driver,
        sessions=sessions,
        files=len(gone | loose),
        rewritten=rewritten,
        given_up=tuple(f"{each.driver}/{each.session}" for each in left.entries.values() if not each.source),
        proof=proof,
    )


def _delete(storage: Storage, paths: Iterable[str]) -> None:
    """Delete these files, the manifest's entries before what they name."""
    for path in sorted(paths, key=lambda path: not path.startswith("manifest/")):
        storage.delete(path)


def _fold_without(lake: Lake, driver: str, groups: set[tuple[str, str]]) -> int:
    """The folded files of these groups written anew for everybody else."""
    others = [entry for entry in lake.entries.values() if entry.driver != driver]
    for group in sorted(groups):
        own = [entry for entry in others if (entry.track, entry.place.month) == group]
        if own:
            in_order = sorted(own, key=lambda each: (str(each.date or ""), each.session, each.driver))
            # What can't be read can't be parted: with a damaged file the rows of others in it go too.
            fold(lake, group, in_order, give_up=True)
            lake = open_lake(lake.storage)
    return len(groups)


# A shorter word stands by chance in a large file of numbers; in texts it is looked for as a word.
LEAST_BYTES = 6


def needles_of(words: Sequence[str]) -> tuple[list[str], list[bytes], re.Pattern[str]]:
    """What to look for: the words, those that are long enough to be looked for as bytes, and a pattern that
    finds any of them as a word of its own."""
    wanted = [word for word in dict.fromkeys(words) if len(word.strip()) > 1]
    either = "|".join(map(re.escape, wanted)) or r"(?!)"
    long_ones = [word.encode() for word in wanted if len(word.encode()) >= LEAST_BYTES]
    return wanted, long_ones, re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])", re.IGNORECASE)


def search_lake(storage: Storage, words: Sequence[str]) -> Searched:
    """Look for these words in every file of the lake. LakeError where it can't be listed."""
    wanted, needles, pattern = needles_of(words)
    found, unread = [], []
    listed = storage.listed("")
    size = 0
    for file in listed:
        size += file.size
        try:
            content = storage.read(file.path)
            if file.path.partition("/")[0] in TABLES:
                held = any(needle in content for needle in needles) or _values_hold(content, pattern)
            else:
                held = pattern.search(content.decode(errors="replace")) is not None
            if held or pattern.search(file.path):
                found.append(file.path)
        except (LakeError, OSError, pa.ArrowException) as error:
            unread.append(f"{file.path}: {error}")
    return Searched(
        where=storage.url,
        looked_for=tuple(wanted),
        files=len(listed),
        bytes=size,
        found=tuple(found),
        unread=tuple(unread),
    )


def _values_hold(content: bytes, pattern: re.Pattern[str]) -> bool:
    """Whether one of them stands in a column of words of a Parquet file, which is compressed."""
    with pq.ParquetFile(pa.BufferReader(content)) as file:
        names = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
        for batch in file.iter_batches(columns=names):
            for column in batch.columns:
                if any(pattern.search(value) for value in pc.unique(column).to_pylist() if value):
                    return True
    return False

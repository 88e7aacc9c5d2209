"""Build `derived/` from the lake's sessions, as plain Hive-partitioned Parquet that can be rebuilt.

`derived/TABLE/track=ID/part.parquet` holds a table's rows of a track and is replaced whole. The
tables: `sessions` (one row each), `laps`, `passes`, `calls`, `facts` (the analysis's findings). The
product's own functions analyse a session once."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import NamedTuple
from urllib.parse import quote

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pitwall.fleet.lake import (
    LakeError,
    Outcome,
    SessionObject,
    Storage,
    list_sessions,
    outcome_of,
    refuse_old,
)
from pitwall.fleet.push import TrackShelf
from pitwall.store.errors import first_line

DERIVED = "derived"
# A later number analyses everything again; a newer program's build is left alone.
BUILT_BY = 1
# Outcomes are kept after this many sessions: what a kill costs.
FLUSH_SESSIONS = 2_000
_S, _I, _F, _B = pa.string(), pa.int32(), pa.float64(), pa.bool_()
_KEYS = {"driver": _S, "session": _S, "object": _S}
TABLES: dict[str, pa.Schema] = {
    name: pa.schema(list((_KEYS | columns).items()))
    for name, columns in {
        "sessions": {
            "date": _S, "driven_utc_s": _F, "car_class": _S, "conditions": _S, "simulated": _B,
            "app_version": _S, "frames": _I, "laps": _I, "flying_laps": _I, "best_lap_s": _F, "failed": _S,
        },
        "laps": {
            "lap": _I, "lap_kind": _S, "start_t": _F, "end_t": _F, "time_s": _F, "sectors_s": pa.list_(_F),
            "at_pace": _B,
        },
        "passes": {
            "lap": _I, "at_pace": _B, "corner": _S, "entry_t": _F, "exit_t": _F, "time_s": _F,
            "entry_speed_mps": _F, "min_speed_mps": _F, "min_speed_m": _F, "exit_speed_mps": _F,
            "brake_m": _F, "loss_s": _F, "coast_s": _F, "peak_brake_bar": _F, "release_s": _F,
            "throttle_m": _F,
        },
        "calls": {
            "cue": _I, "t": _F, "lap": _I, "corner": _S, "concept": _S, "outcome": _S, "spoken": _B,
            "loss_s": _F, "next_loss_s": _F, "heeded": _B,
        },
        "facts": {"corner": _S, "phase": _S, "cause": _S, "loss_s": _F, "laps": _I, "judged_laps": _I},
        "trials": {"corner": _S, "called": _B, "before_s": _F, "after_s": _F},
    }.items()
}  # fmt: skip
META = b"pitwall_build"


PROCESSES = min(os.cpu_count() or 1, 8)
# A task: long enough to hand over cheaply, short enough to lose little with a process.
TASK_SESSIONS = 8


def _analysed(url: str, layers: Sequence[str], items: Sequence[SessionObject]) -> Iterator[Outcome]:
    if PROCESSES == 1 or len(items) <= 2:
        from pitwall.fleet.analyse import analyse_each

        yield from analyse_each(url, layers, items)
        return
    waiting = deque([*items[i : i + TASK_SESSIONS]] for i in range(0, len(items), TASK_SESSIONS))
    while waiting:
        pool, running = _pool(PROCESSES), dict[Future[list[Outcome]], list[SessionObject]]()
        try:
            while waiting or running:
                while waiting and len(running) < 2 * PROCESSES:
                    future = pool.submit(_task, url, layers, waiting[0])
                    running[future] = waiting.popleft()
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield from future.result()
                    del running[future]
        except BrokenProcessPool:
            # Nobody knows which session broke the pool: run all that were under way one by one.
            yield from _one_by_one(url, layers, [item for each in running.values() for item in each])
        finally:
            pool.shutdown(cancel_futures=True)


def _one_by_one(url: str, layers: Sequence[str], items: Sequence[SessionObject]) -> Iterator[Outcome]:
    pool = _pool(1)
    try:
        for item in items:
            try:
                yield from pool.submit(_task, url, layers, [item]).result()
            except BrokenProcessPool:
                yield outcome_of(item, None, 0, {}, "the process that analysed it died")
                pool = _pool(1)
    finally:
        pool.shutdown(cancel_futures=True)


def _pool(processes: int) -> ProcessPoolExecutor:
    # A fork would copy the locks of DuckDB's and Arrow's threads. No leak adds up over 50 tasks.
    return ProcessPoolExecutor(
        processes, mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=50
    )


def _task(url: str, layers: Sequence[str], items: Sequence[SessionObject]) -> list[Outcome]:
    from pitwall.fleet.analyse import analyse_each  # with all that analyses, which few questions need

    return list(analyse_each(url, layers, items))


class Built(msgspec.Struct, frozen=True, kw_only=True):
    """What a build did; and (driver, session, why) of each failure, earlier ones too."""

    analysed: int
    known: int
    seconds: float
    failed: tuple[tuple[str, str, str], ...]


class BuildProgress(NamedTuple):
    """Sessions done, of all that are to do, and in how many seconds."""

    done: int
    total: int
    elapsed_s: float


def build(
    storage: Storage,
    tracks: TrackShelf,
    *,
    again: bool = False,
    retry: bool = False,
    progress: Callable[[BuildProgress], None] = lambda seen: None,
) -> Built:
    """Bring `derived/` up to date. `again`: analyse all; `retry`: also what failed."""
    refuse_old(storage)
    begun_s = time.monotonic()
    items = {each.content: each for each in list_sessions(storage)}
    known, changed = _known(storage)
    gone = {each for each, row in known.items() if each not in items or again or (retry and row.failed)}
    changed |= {known[each].partition for each in gone}
    kept = {each: row.partition for each, row in known.items() if each not in gone}
    todo = [item for content, item in items.items() if content not in kept]
    failed = {items[content][:2]: known[content].failed for content in kept if known[content].failed}
    layers = [str(layer) for layer in tracks.layers]
    held: list[Outcome] = []
    for done, outcome in enumerate(_analysed(storage.address, layers, todo) if todo else (), 1):
        held.append(outcome)
        if why := outcome.rows["sessions"][0]["failed"]:
            failed[outcome.item[:2]] = why
        progress(BuildProgress(done, len(todo), time.monotonic() - begun_s))
        if len(held) == FLUSH_SESSIONS:
            _write(storage, held, {partition_of(each.track) for each in held}, kept)
            kept |= {each.item.content: partition_of(each.track) for each in held}
            held = []
    _write(storage, held, changed | {partition_of(each.track) for each in held}, kept)
    return Built(
        analysed=len(todo),
        known=len(items) - len(todo),
        seconds=time.monotonic() - begun_s,
        failed=tuple((*key, why) for key, why in sorted(failed.items())),
    )


class KnownSession(NamedTuple):
    """A session that was built: its partition, and why it failed, "" where it did not."""

    partition: str
    failed: str


def _known(storage: Storage) -> tuple[dict[str, KnownSession], set[str]]:
    """Return (content -> what was built of it, partitions to make again). LakeError."""
    found: dict[str, KnownSession] = {}
    stamps: dict[str, list[str]] = {}
    for path in partitions(storage):
        table, partition = path.split("/")[1:3]
        seen = stamps.setdefault(partition, [])
        try:
            rows = read_partition(storage, path, ["object", "failed"] if table == "sessions" else [])
        except LakeError:
            seen.append(path)
            continue
        number, _, stamp = (rows.schema.metadata or {}).get(META, b"0 ").decode().partition(" ")
        if int(number) > BUILT_BY:
            raise LakeError(f"{storage.url}/{path} was built by a newer Pitwall: renew yours")
        seen.append(stamp if int(number) == BUILT_BY else path)
        if table == "sessions":
            found |= {row["object"]: KnownSession(partition, row["failed"]) for row in rows.to_pylist()}
    mixed = {each for each, seen in stamps.items() if len(seen) < len(TABLES) or len(set(seen)) > 1}
    return {key: row for key, row in found.items() if row.partition not in mixed}, mixed


def partition_of(track: str) -> str:
    """Return a track's folder name."""
    return f"track={quote(track, safe='').replace('.', '%2E') or '__HIVE_DEFAULT_PARTITION__'}"


def partitions(storage: Storage) -> list[str]:
    """List all files of `derived/`."""
    return [each.path for each in storage.listed(DERIVED) if each.path.endswith("/part.parquet")]


def read_partition(storage: Storage, path: str, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a file of `derived/`, or these columns of it. LakeError where it is damaged."""
    try:
        with storage.fs.open_input_file(path) as opened, pq.ParquetFile(opened) as file:
            rows = file.read(columns, use_threads=False)
            return rows.replace_schema_metadata(file.metadata.metadata)
    except (OSError, pa.ArrowException) as error:
        raise LakeError(
            f"{storage.url}/{path} can't be read ({first_line(error)}): pitwall fleet build --again"
        ) from error


def _write(storage: Storage, outcomes: Sequence[Outcome], changed: set[str], kept: dict[str, str]) -> None:
    """Replace these partitions by what is `kept` (content -> partition) and these outcomes."""
    if not changed:
        return
    there, held = set(partitions(storage)), set(kept.values())
    still = pa.array(sorted(kept), pa.string())
    for partition in sorted(changed):
        own = [each for each in outcomes if partition_of(each.track) == partition]
        tables: dict[str, pa.Table] = {}
        for name, schema in TABLES.items():
            rows = [
                {**row, "driver": each.item.driver, "session": each.item.session, "object": each.item.content}
                for each in own
                for row in each.rows.get(name, ())
            ]
            parts = [pa.Table.from_pylist(rows, schema=schema)]
            if (path := f"{DERIVED}/{name}/{partition}/part.parquet") in there and partition in held:
                old = read_partition(storage, path)
                parts.append(old.filter(pc.is_in(old["object"], value_set=still)).cast(schema))
            # In the order of drivers and sessions, and in each as it was driven.
            tables[name] = _in_order(pa.concat_tables(parts))
        objects = tables["sessions"]["object"].to_pylist()
        stamp = f"{BUILT_BY} {hashlib.sha256(repr(objects).encode()).hexdigest()[:16]}"
        for name, table in tables.items():
            path = f"{DERIVED}/{name}/{partition}/part.parquet"
            if objects:
                storage.put(path, _encoded(table, stamp))
            else:
                storage.delete_folder(path.rpartition("/")[0])


def _in_order(table: pa.Table) -> pa.Table:
    table = table.append_column("row", pa.array(range(len(table)), pa.int64()))
    return table.sort_by([(name, "ascending") for name in ("driver", "session", "row")]).drop_columns("row")


def _encoded(table: pa.Table, stamp: str) -> bytes:
    made = pa.BufferOutputStream()
    with pq.ParquetWriter(made, table.schema, compression="zstd") as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({META: stamp})
    return bytes(made.getvalue().to_pybytes())

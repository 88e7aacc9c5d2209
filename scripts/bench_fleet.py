"""Benchmark of the fleet, as one JSON on standard output. Nothing here is a test.

A lake of simulated sessions is made first (seeded). `analysis`: sessions and CPU seconds a session, by
engine: processes of this machine, and with --spark a cluster of our own on loopback; `again_cpu_s` when all
is known. `growth`: answers in SQL over more and more sessions. `frames`: statistics of every corner over all
frames, and the most memory of a process that asks for them. The load average stands beside.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "fleet")]

from simulated_fleet import FleetSimulator  # noqa: E402

from pitwall.fleet import answers  # noqa: E402
from pitwall.fleet.lake import Lake, file_row, make_files, open_lake, parquet_writer, put_entry  # noqa: E402
from pitwall.fleet.schema import entry_path, schema_of  # noqa: E402
from pitwall.fleet.session_facts import TrackShelf, works_of  # noqa: E402
from pitwall.fleet.storage import open_storage  # noqa: E402
from pitwall.fleet.verdicts import (  # noqa: E402
    ProcessEngine,
    SessionEngine,
    Verdicts,
    analyse,
)

TRACK = "sonoma"


def make_lake(root: Path, sessions: int, rate_hz: float, laps: int) -> dict[str, Any]:
    """Sessions of 40 drivers on five tracks."""
    begun = time.process_time()
    simulator = FleetSimulator(seed=1, rate_hz=rate_hz, laps=laps)
    storage = open_storage(str(root))
    frames = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (material, told) in enumerate(simulator.sessions(sessions, Path(folder))):
            frames += material.row.samples
            made = Path(folder) / str(number)
            made.mkdir()
            put_entry(storage, make_files(material, told, made), made)
            shutil.rmtree(made)
    (root / "truth.json").write_text("{}")
    spent = time.process_time() - begun
    return {"sessions": sessions, "frames": frames, "cpu_s_per_session": round(spent / sessions, 4)}


def multiplied(root: Path, times: int) -> Path:
    """A lake beside it in which each session stands so many times, under ids of its own. Files are the same
    ones (hard links) but for the tables that advice joins: there copies of one id would be joined with each
    other, 10,000 times the work for a session that stands 100 times."""
    made = Path(tempfile.mkdtemp(prefix="many-", dir=root.parent))
    storage = open_storage(str(made))
    for entry in open_lake(str(root)).chosen():
        for number in range(times):
            files = []
            for row in entry.files:
                folder, name = row.path.rsplit("/", 1)
                path = f"{folder}/{number}-{name}"
                (made / folder).mkdir(parents=True, exist_ok=True)
                if row.table in ("cues", "corner_passes"):
                    rows = pq.ParquetFile(root / row.path).read()
                    ids = pa.array([f"{entry.session}-{number}"] * len(rows))
                    rows = rows.set_column(rows.schema.get_field_index("session"), "session", ids)
                    with parquet_writer(made / path, row.table) as writer:
                        writer.write_table(rows.cast(schema_of(row.table)))
                    files.append(file_row(made / path, row.table, path, row.rows))
                else:
                    os.link(root / row.path, made / path)
                    files.append(msgspec.structs.replace(row, path=path))
            own = msgspec.structs.replace(
                entry, session=f"{entry.session}-{number}", content=f"{number:06x}{entry.content[6:]}",
                files=tuple(files),
            )  # fmt: skip
            storage.put_bytes(entry_path(own.place, own.content), msgspec.json.encode(own))
    return made


def spent_s() -> float:
    """Processor time of this process and its children that have ended."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def measured(work: Callable[[], Any]) -> dict[str, Any]:
    """Wall time and processor time of one piece of work, with the load while it ran."""
    wall, cpu = time.monotonic(), spent_s()
    work()
    return {
        "wall_s": round(time.monotonic() - wall, 2),
        "cpu_s": round(spent_s() - cpu, 2),
        "load": [round(each, 1) for each in os.getloadavg()],
    }


def of_engine(lake: Lake, root: Path, engine: SessionEngine, most: int) -> dict[str, Any]:
    """The analysis of so many sessions from nothing, and again when all is known."""
    works = works_of(lake, lake.chosen()[:most])
    with tempfile.TemporaryDirectory() as folder:
        verdicts = Verdicts(Path(folder) / "verdicts.sqlite")
        found: dict[str, Any] = {}
        first = measured(lambda: found.update(failed=analyse(engine, str(root), [], works, verdicts)))
        again = measured(lambda: analyse(engine, str(root), [], works, verdicts))
    frames = sum(row.rows for work in works for row in work.entry.files if row.table == "frames")
    return {
        "sessions": len(works),
        "frames_per_session": frames // max(len(works), 1),
        "failed": len(found["failed"]),
        **first,
        "sessions_per_s": round(len(works) / first["wall_s"], 2) if first["wall_s"] else None,
        "cpu_s_per_session": round(first["cpu_s"] / len(works), 4),
        "again_cpu_s": again["cpu_s"],
    }


def of_memory(command: list[str]) -> int:
    """The most resident memory, in MB, of a python that does this."""
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
    return int(done.stdout.strip().splitlines()[-1])


def corner_frames(lake: Lake) -> dict[str, Any]:
    """Mean and least speed of each corner of a track over all frames: a CASE for the corners, keys written
    out."""
    track = TrackShelf().get(TRACK)
    cases = " ".join(
        f"WHEN distance_m BETWEEN {each.entry_m!r} AND {each.exit_m!r} THEN {i}"
        for i, each in enumerate(track.corners)
    )
    sql = f"""SELECT corner, count(*), avg(speed_mps), min(speed_mps), max(abs(g_lat)) FROM (
      SELECT CASE {cases} END AS corner, speed_mps, g_lat FROM frames WHERE status = 'on')
    WHERE corner IS NOT NULL GROUP BY corner ORDER BY corner"""
    with closing(duckdb.connect(":memory:", config={"threads": 2, "memory_limit": "128MB"})) as con:
        found: dict[str, Any] = {}
        cost = measured(
            lambda: found.update(rows=lake.ask(con, ("frames",), lambda con: con.execute(sql).fetchall()))
        )
        counted = lake.ask(
            con, ("frames",), lambda con: con.execute("SELECT count(*) FROM frames").fetchall()
        )
    most_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"frames": counted[0][0], "corners": len(found["rows"]), **cost, "most_mb": round(most_mb)}


def growth(lake: Lake, sizes: list[int]) -> list[dict[str, Any]]:
    """Leaderboard and advice over the first so many sessions."""
    found = []
    for size in sizes:
        part = Lake(lake.storage, lake.manifest, lambda driver: False)
        part.entries = {entry.key: entry for entry in lake.chosen()[:size]}
        board = measured(lambda part=part: answers.leaderboard(part, TRACK))  # type: ignore[misc]
        told = measured(lambda part=part: answers.advice(part))  # type: ignore[misc]
        found.append({"sessions": len(part.entries), "leaderboard": board, "advice": told})
    return found


def main() -> int:
    """Everything in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lake", type=Path, help="one that is there already (default: a new one)")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument(
        "--analyse", type=int, default=40, help="how many of them are analysed by each engine"
    )
    parser.add_argument("--times", type=int, default=1, help="each session so many times (hard links)")
    parser.add_argument("--rate", type=float, default=25.0)
    parser.add_argument("--laps", type=int, default=8)
    parser.add_argument("--spark", action="store_true", help="a cluster of one and of two workers too")
    given = parser.parse_args()
    result: dict[str, Any] = {"cores": os.cpu_count(), "load": os.getloadavg()}
    with tempfile.TemporaryDirectory() as folder:
        root = given.lake or Path(folder) / "lake"
        if given.lake is None:
            root.mkdir()
            result["made"] = make_lake(root, given.sessions, given.rate, given.laps)
        if given.times > 1:
            root = multiplied(root, given.times)
        lake = open_lake(str(root))
        result["analysis"] = {
            f"processes {count}": of_engine(lake, root, ProcessEngine(count), given.analyse)
            for count in (1, 2)
        }
        if given.spark:
            from fleet_cluster import Cluster

            from pitwall.fleet.spark import SECRET_VARIABLE, SparkEngine

            for workers in (1, 2):
                cluster = Cluster(workers)
                up = measured(cluster.start)
                os.environ[SECRET_VARIABLE] = cluster.secret
                try:
                    before_s = cluster.spent_s()
                    row = of_engine(lake, root, SparkEngine(cluster.address), given.analyse)
                    row["cpu_s"] = round(row["cpu_s"] + cluster.spent_s() - before_s, 2)
                    row["cpu_s_per_session"] = round(row["cpu_s"] / max(row["sessions"], 1), 4)
                finally:
                    cluster.stop()
                result["analysis"][f"spark {workers}"] = {"up_s": up["wall_s"], **row}
        sizes = sorted({min(size, len(lake.entries)) for size in (200, 2_000, 20_000)})
        result["growth"] = growth(lake, sizes)
        code = (
            "import sys; sys.path.insert(0, sys.argv[2]); from bench_fleet import *; "
            "corner_frames(open_lake(sys.argv[1])); "
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
        )
        result["frames"] = corner_frames(lake)
        result["frames"]["most_mb"] = of_memory(["-c", code, str(root), str(Path(__file__).parent)])
        if given.times > 1:
            shutil.rmtree(root)
    print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

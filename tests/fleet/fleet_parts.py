"""Sessions for the tests of the fleet: a real one in a lake, and invented ones that cost nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from pitwall.coach.cue import LedgerLine
from pitwall.fleet.lake import make_files, put_entry
from pitwall.fleet.manifest import Entry
from pitwall.fleet.material import Material, gather
from pitwall.fleet.schema import COLUMNS
from pitwall.fleet.storage import open_storage
from pitwall.fleet.tables import Pusher
from pitwall.store.lessons import DriverEvent
from pitwall.store.queries import TRACE_COLUMNS, SessionRow
from pitwall.store.store import Store
from pitwall.track.lap import CornerPass, Lap

DAY_S = 86_400.0
FRAMES = 20


class OneSession(NamedTuple):
    """The M3's session at Sonoma, in a lake of its own; `files`: what went there, by table."""

    store: Store
    session: str
    lake: Path
    entry: Entry
    files: Path


def put_session(store: Store, session: str, lake: str, told: Pusher, folder: Path) -> Entry:
    """Take a session out of a store, and put it into a lake."""
    entry = make_files(gather(store, session), told, folder)
    put_entry(open_storage(lake), entry, folder)
    return entry


def invented(number: int, folder: Path) -> Material:
    """Session `s-NUMBER`: two laps and a corner; each value tells the number. Tracks and months take
    turns."""
    utc_s = 1.75e9 + number * 10.0 * DAY_S
    row = SessionRow(
        id=f"s-{number}", kind="live", source_name="", source_digest="", track=f"track_{number % 2}",
        format="pitwall", start_utc_s=utc_s, created_utc_s=utc_s, closed_utc_s=utc_s + 100.0, samples=FRAMES,
        complete=True, laps=2, best_lap_s=60.0 + number, driver="", vehicle="M3", venue="", app_version="1",
        notes="", driven_utc_s=utc_s, tags=("wet",) if number % 3 == 0 else (),
    )  # fmt: skip
    laps = (Lap(0, "out", 0.0, 1.0, None), Lap(1, "flying", 1.0, 61.0 + number, 60.0 + number))
    each = CornerPass(
        lap=1, corner="turn_1", entry_t=5.0, exit_t=9.0, time_s=4.0 + number, entry_speed_mps=40.0,
        min_speed_mps=20.0 + number, min_speed_m=300.0, exit_speed_mps=30.0, brake_m=200.0, loss_s=0.1,
        brake_loss_s=0.1, mid_loss_s=0.0, exit_loss_s=0.0,
    )  # fmt: skip
    cue = LedgerLine(
        cue=1, t=5.0, lap=1, corner="turn_1", phase="brake", text=f"brake later {number}", tier="rule",
        priority=2, outcome="spoken", reason="", action_distance_m=100.0,
        clip_s=1.0, time_in_hand_s=1.0,
        concept="brake_later",
    )  # fmt: skip
    frames = {name: [None] * FRAMES for name in TRACE_COLUMNS} | {
        "lap": [1] * FRAMES,
        "lap_kind": ["flying"] * FRAMES,
        "seq": list(range(FRAMES)),
        "t": [at * 0.1 + number for at in range(FRAMES)],
        "speed_mps": [float(number)] * FRAMES,
        "fix_age_s": [0.0] * FRAMES,
        "g_from_gps": [False] * FRAMES,
    }
    types = {column.name: column.type for column in COLUMNS["frames"]}
    schema = pa.schema([(name, types[name]) for name in frames])
    empty = pa.table({column.name: pa.array([], column.type) for column in COLUMNS["signals"][4:]})
    return Material(
        row=row, place_stamp="", source=f"source-{number}", laps=laps, passes=(each,), cues=(cue,),
        events=(DriverEvent(row.id, 1.0, "note", str(number)),), lessons=(),
        frames_file=_file(folder, pa.table(frames, schema=schema)),
        signals_file=_file(folder, empty),
    )  # fmt: skip


def _file(folder: Path, table: pa.Table) -> str:
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".parquet", delete=False) as file:
        pq.write_table(table, file)
    return file.name


def put_invented(lake: str, driver: str, number: int, source: str = "", **changes: object) -> Entry:
    """Put an invented session into a lake; `changes`: its class of car, and fields of its row."""
    with tempfile.TemporaryDirectory() as folder:
        material = invented(number, Path(folder))
        told = Pusher(driver=driver, car_class=str(changes.pop("car_class", "gt4")))
        material = msgspec.structs.replace(material, row=msgspec.structs.replace(material.row, **changes))
        (Path(folder) / "made").mkdir()
        entry = make_files(material, told, Path(folder) / "made")
        put_entry(open_storage(lake), entry, Path(folder) / "made")
        return entry


def push_at_once(lake: str, homes: Path, specs: Sequence[str]) -> list[int]:
    """Push in a process for each spec (see pushing.py); how each ended."""
    words = [sys.executable, str(Path(__file__).parent / "pushing.py"), lake, str(homes), *specs]
    ended = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True)
    return [int(code) for code in json.loads(ended.stdout)]


def counted(con: duckdb.DuckDBPyConnection, table: str) -> list[tuple[object, ...]]:
    """(driver, session, rows) of a table that is attached."""
    sql = f"SELECT driver, session, count(*) FROM {table} GROUP BY driver, session ORDER BY driver, session"
    return con.execute(sql).fetchall()

"""Sessions for the tests of the fleet: a real one in a lake, and invented ones that cost nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from pitwall.coach.cue import LedgerLine
from pitwall.fleet.lake import FRAMES, SessionObject, list_sessions, open_storage, read_object
from pitwall.fleet.material import Material
from pitwall.fleet.push import TrackShelf, object_of
from pitwall.store.queries import SessionRow
from pitwall.store.store import Store
from pitwall.track.lap import CornerPass, Lap

DAY_S = 86_400.0
COUNT = 20
SHELF = TrackShelf([])
SONOMA = SHELF.get("sonoma")


class OneSession(NamedTuple):
    """The M3's session at Sonoma, in a lake of its own."""

    store: Store
    session: str
    lake: Path
    item: SessionObject


def invented(number: int, folder: Path) -> Material:
    """Session `s-NUMBER` at Sonoma: two laps and a corner; each value tells the number."""
    utc_s = 1.75e9 + number * 10.0 * DAY_S
    row = SessionRow(
        id=f"s-{number}", kind="live", source_name="her phone.vbo", source_digest="", track="sonoma",
        format="pitwall", start_utc_s=utc_s, created_utc_s=utc_s, closed_utc_s=utc_s + 100.0, samples=COUNT,
        complete=True, laps=2, best_lap_s=60.0 + number, driver="", vehicle="WBS1234 M3", venue="my venue",
        app_version="1", notes="a note", driven_utc_s=utc_s, name="a name",
        tags=("wet", "free words") if number % 3 == 0 else (),
    )  # fmt: skip
    laps = (Lap(0, "out", 0.0, 1.0, None), Lap(1, "flying", 1.0, 61.0 + number, 60.0 + number))
    each = CornerPass(
        lap=1, corner="turn_1", entry_t=5.0, exit_t=9.0, time_s=4.0 + number, entry_speed_mps=40.0,
        min_speed_mps=20.0 + number, min_speed_m=300.0, exit_speed_mps=30.0, brake_m=200.0,
    )  # fmt: skip
    cue = LedgerLine(
        cue=1, t=5.0, lap=1, corner="turn_1", phase="brake", text="said words", tier="rule", priority=2,
        outcome="spoken", reason="why words", action_distance_m=100.0, clip_s=1.0, time_in_hand_s=1.0,
        concept="brake_later",
    )  # fmt: skip
    lat, lon, _ = SONOMA.centreline[0]
    frames = {name: [None] * COUNT for name in FRAMES.names} | {
        "lap": [1] * COUNT, "t": [at * 0.1 + number for at in range(COUNT)], "lat_deg": [lat] * COUNT,
        "lon_deg": [lon] * COUNT, "speed_mps": [float(number)] * COUNT, "fix_age_s": [0.0] * COUNT,
        "g_from_gps": [False] * COUNT,
    }  # fmt: skip
    return Material(row=row, laps=laps, passes=(each,), cues=(cue,), frames_file=frames_file(frames, folder))


def frames_file(frames: dict[str, list[object]], folder: Path) -> str:
    """These columns as a file of frames."""
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".parquet", delete=False) as file:
        pq.write_table(pa.table(frames, schema=FRAMES), file)
    return file.name


def put_invented(lake: str, driver: str, number: int, **changes: object) -> str:
    """Put an invented session into a lake; `changes`: fields of its row. Its path."""
    with tempfile.TemporaryDirectory() as folder:
        material = invented(number, Path(folder))
        material = msgspec.structs.replace(material, row=msgspec.structs.replace(material.row, **changes))
        path, content = object_of(material, driver, "gt4", SHELF)
    open_storage(lake).put(path, content)
    return path


def push_at_once(lake: str, homes: Path, specs: Sequence[str]) -> list[int]:
    """Push in a process for each spec (see pushing.py); how each ended."""
    words = [sys.executable, str(Path(__file__).parent / "pushing.py"), lake, str(homes), *specs]
    ended = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True)
    return [int(code) for code in json.loads(ended.stdout)]


def check_readable(url: str) -> set[tuple[str, str]]:
    """Whatever sessions a reader sees are whole and there once; which."""
    storage = open_storage(url)
    items = list_sessions(storage)
    for item in items:
        facts, frames = read_object(storage, item)
        assert (facts.session, len(frames), len(facts.laps)) == (item.session, COUNT, 2)
    return {item[:2] for item in items}

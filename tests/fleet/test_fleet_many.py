"""Many processes push at once, are killed anywhere, and push again: the lake holds each session exactly
once."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import duckdb
import pytest
from fleet_parts import FRAMES, counted, push_at_once

from pitwall.fleet.compact import compact, verify
from pitwall.fleet.lake import open_lake
from pitwall.fleet.schema import Table
from pitwall.fleet.storage import open_storage

# Rows of an invented session, by table.
ROWS: dict[Table, int] = {
    "frames": FRAMES, "sessions": 1, "laps": 2, "corner_passes": 1, "cues": 1, "events": 1,
}  # fmt: skip
SESSIONS = 4
# A process that pushes three of them makes about as many calls.
CALLS = 45_000


def check_readable(url: str) -> set[tuple[str, str]]:
    """Whatever sessions a reader sees are whole and there once; which."""
    lake = open_lake(url)
    with duckdb.connect() as con:
        for table, count in ROWS.items():
            lake.attach(con, table)
            assert counted(con, table) == [(*key, count) for key in sorted(lake.entries)], table
    found = verify(open_storage(url))
    assert (found.damaged, found.sessions) == ({}, len(lake.entries))
    return set(lake.entries)


def check_pushed_at_once(lake: str, homes: Path, seed: int, drivers: int) -> None:
    """Two processes for each driver, half of whose sessions are the same. All are killed
    somewhere; then all go on to their end."""
    chance = random.Random(seed)
    spans = [(f"d-{at % drivers}", *((0, 3) if at < drivers else (1, SESSIONS))) for at in range(2 * drivers)]
    specs = [f"{driver}:{first}:{end}:{chance.randrange(1, CALLS)}" for driver, first, end in spans]
    ended = push_at_once(lake, homes, specs)
    assert set(ended) <= {0, -signal.SIGKILL}
    assert ended.count(-signal.SIGKILL) > drivers // 2
    check_readable(lake)
    compact(open_storage(lake), grace_s=0.0)
    check_readable(lake)
    specs = [f"{driver}:{first}:{end}:0" for driver, first, end in spans]
    assert push_at_once(lake, homes, specs) == [0] * len(specs)
    wanted = {(f"d-{driver}", f"s-{number}") for driver in range(drivers) for number in range(SESSIONS)}
    assert check_readable(lake) == wanted
    compact(open_storage(lake), grace_s=0.0)
    assert check_readable(lake) == wanted


@pytest.mark.long
def test_eight_processes_push_the_same_and_other_sessions_and_are_killed(tmp_path: Path) -> None:
    # Another seed: test_fleet_s3.py.
    check_pushed_at_once(str(tmp_path / "lake"), tmp_path, seed=1, drivers=4)

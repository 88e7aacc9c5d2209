"""kill -9 in the middle of a real-time replay, again and again: nothing that was durable is lost."""

from __future__ import annotations

import os
import random
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.config import Home, shipped
from pitwall.drive.rebuild import rebuilder
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store.store import Store, recover
from pitwall.telemetry.recordings.journal import JournalRecording
from pitwall.track.library import load_track

# Fifty by PITWALL_KILLS=50.
KILLS, GROUPS = int(os.environ.get("PITWALL_KILLS", "2")), 2
RATE_HZ = 100.0
# The map, figures: at most 100 ms are lost from the journal.
LOST_AT_MOST_S = 0.1
LONGEST_S = 1.5
TOLD = struct.Struct("<dd")  # its monotonic clock, seconds of the session driven


@pytest.fixture(scope="module")
def recording(made_once: Callable[..., Path]) -> Path:
    def drive(folder: Path) -> None:
        folder.mkdir()
        track = load_track(shipped("track_data") / "sonoma.json")
        simulate_to_file(track, SimulationPlan(laps=1, rate_hz=RATE_HZ), "journal", folder / "drive.pwj")

    return made_once("killed-replays", drive) / "drive.pwj"


@pytest.mark.parametrize("group", range(GROUPS))
@pytest.mark.long
def test_killed_in_real_time(group: int, recording: Path, home: Home) -> None:
    chance = random.Random(group)
    for _ in range(KILLS // GROUPS):
        due_t = _killed(recording, home, chance.uniform(0.0, LONGEST_S))
        with Store(home) as store:
            report = store.open()
            if not report.pending:
                assert due_t == 0.0, "killed before the journal's first write"
                continue
            [pending] = report.pending
            assert any(pending.session in line for line in report.lines)
            kept = [sample.t for sample in JournalRecording(pending.path).samples()]
            assert (kept[-1] if kept else 0.0) >= due_t
            assert recover(store, rebuilder(home, store)) != []
            assert store.flush()
            # DuckDB may have been ahead of the journal at the kill; of the journal nothing may be missing.
            rows = store.cursor().execute("SELECT t FROM frames WHERE session = ?", [pending.session])
            assert set(kept) <= {t for (t,) in rows.fetchall()}
        with Store(home) as store:
            assert store.open().lines == []


def _killed(recording: Path, home: Home, after_t: float) -> float:
    """Start a replay, kill it once it has driven `after_t`; what it had driven LOST_AT_MOST_S before its end.

    By the replay's own clock: a machine that stalls, and then catches up, stalls the journal as well.
    """
    script = Path(__file__).with_name("killed_replay.py")
    process = subprocess.Popen(
        [sys.executable, str(script), str(recording), str(home.root)], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    told: list[tuple[float, float]] = [(0.0, 0.0)]
    while told[-1][1] < after_t or told[-1][1] == 0.0:
        told.append(TOLD.unpack(process.stdout.read(TOLD.size)))
    process.kill()
    rest, _ = process.communicate()
    told += TOLD.iter_unpack(rest[: len(rest) - len(rest) % TOLD.size])
    end_s = told[-1][0]
    return max(t for at_s, t in told if at_s <= end_s - LOST_AT_MOST_S)

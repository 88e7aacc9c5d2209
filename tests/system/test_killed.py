"""kill -9 in the middle of a real-time replay, again and again: nothing that was durable is lost."""

from __future__ import annotations

import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from pitwall.config import Home, shipped
from pitwall.recover import rebuilder
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store.store import Store, recover
from pitwall.telemetry.recordings.journal import JournalRecording
from pitwall.track.library import load_track

KILLS, GROUPS = 50, 5
RATE_HZ = 100.0
# DESIGN.md section 6: at most 100 ms are lost from the journal.
LOST_AT_MOST_S = 0.1
LONGEST_S = 1.5
TOLD = struct.Struct("<d")


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("killed") / "drive.pwj"
    track = load_track(shipped("track_data") / "sonoma.json")
    simulate_to_file(track, SimulationPlan(laps=1, rate_hz=RATE_HZ), "journal", path)
    return path


@pytest.mark.parametrize("group", range(GROUPS))
def test_killed_in_real_time(group: int, recording: Path, home: Home) -> None:
    chance = random.Random(group)
    for _ in range(KILLS // GROUPS):
        told_t = _killed(recording, home, chance.uniform(0.0, LONGEST_S))
        with Store(home) as store:
            report = store.open()
            [pending] = report.pending
            assert any(pending.session in line for line in report.lines)
            kept = [sample.t for sample in JournalRecording(pending.path).samples()]
            assert told_t - (kept[-1] if kept else 0.0) <= LOST_AT_MOST_S
            assert recover(store, rebuilder(home)) != []
            assert store.flush()
            # DuckDB may have been ahead of the journal at the kill; of the journal nothing may be missing.
            rows = store.cursor().execute("SELECT t FROM frames WHERE session = ?", [pending.session])
            assert set(kept) <= {t for (t,) in rows.fetchall()}
        with Store(home) as store:
            assert store.open().lines == []


def _killed(recording: Path, home: Home, after_t: float) -> float:
    """Start a replay, kill it once it has driven `after_t`; the last place it told of."""
    script = Path(__file__).with_name("killed_replay.py")
    process = subprocess.Popen(
        [sys.executable, str(script), str(recording), str(home.root)], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    told_t = 0.0
    while told_t < after_t or told_t == 0.0:
        told_t = max(told_t, TOLD.unpack(process.stdout.read(TOLD.size))[0])
    process.kill()
    rest, _ = process.communicate()
    whole = rest[: len(rest) - len(rest) % TOLD.size]
    return max([told_t, *(value for (value,) in TOLD.iter_unpack(whole))])

"""Runs from a start to a finish: hillclimb and autocross."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.cli import main
from pitwall.config import Home
from pitwall.drive.replay import import_file
from pitwall.store.queries import laps
from pitwall.store.store import Store
from pitwall.telemetry.recordings import RecordingError
from pitwall.telemetry.recordings.base import StoredGate

METRE_DEG = 1.0 / 111_195.0  # of latitude on a sphere of 6,371 km, as `geometry.py` has it
START_M, FINISH_M = 100.0, 1100.0


def climb(path: Path, *runs_mps: float) -> Path:
    """A straight road driven north at each of these speeds, from a wait on the start line, and back at 9."""
    rows, t, s = [], 0.0, 0.0

    def row(step_m: float) -> None:
        nonlocal t, s
        t, s = t + 0.1, s + step_m
        course = 180 if step_m < 0 else 0
        lat_deg = 46.5 + s * METRE_DEG
        rows.append(f"{t:.2f},{lat_deg:.8f},7.5,{abs(step_m) * 36:.2f},{course}")

    for mps in runs_mps:
        while s < START_M - 1.0:
            row(0.5)
        for n in range(100):  # the receiver wanders over the line
            row(0.8 if n % 2 else -0.8)
        while s < 1300.0:
            row(mps * 0.1)
        while s > 0.0:
            row(-0.9)
    path.write_text(
        "Time (s),Latitude (deg),Longitude (deg),Speed (km/h),Heading (deg)\n" + "\n".join(rows) + "\n"
    )
    return path


def run_gate(start_m: float = START_M, finish_m: float = FINISH_M, lon_deg: float = 7.5) -> StoredGate:
    return StoredGate(
        46.5 + start_m * METRE_DEG, lon_deg, 46.5 + finish_m * METRE_DEG, lon_deg, "given", True
    )


def test_runs_are_timed_and_the_way_back_is_none(tmp_path: Path, home: Home) -> None:
    path = climb(tmp_path / "hill.csv", 20.0, 25.0)
    with Store(home) as store:
        store.open()
        session = import_file(path, home, store, gate=run_gate()).session
        driven = laps(store, session)
        assert [lap.kind for lap in driven] == ["out", "flying", "out", "flying", "in"]
        assert [lap.time_s for lap in driven if lap.kind == "flying"] == pytest.approx([50.0, 40.0], abs=0.15)
        with pytest.raises(RecordingError, match="finish is never passed nearer"):
            import_file(path, home, store, gate=run_gate(finish_m=5000.0))


def test_a_start_without_a_finish_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(tmp_path / "hill.csv"), "--start", "46.5,7.5"]) == 2
    assert "give --start and --finish" in capsys.readouterr().err

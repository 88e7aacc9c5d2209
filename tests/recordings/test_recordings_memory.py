"""A recording of any length is read in the same memory."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from pitwall.telemetry.recordings import open_recording

# What one pass may hold: some lines and the tables of the reader, not the file.
PEAK_BYTES = 2_000_000


@pytest.mark.parametrize(
    "name", ["sonoma-m3-vbox.csv", pytest.param("washington-racecapture.log", marks=pytest.mark.recordings)]
)
@pytest.mark.long
def test_memory_does_not_grow_with_the_file(drives: Path, name: str) -> None:
    assert (drives / name).stat().st_size > PEAK_BYTES * 0.8
    # In a process of its own: threads of other tests would count, and what is imported once.
    program = (
        "import sys, tracemalloc\n"
        "from pitwall.telemetry.recordings import open_recording\n"
        "next(iter(open_recording(sys.argv[1]).samples()))\n"
        "tracemalloc.start()\n"
        "for _ in open_recording(sys.argv[1]).samples(): pass\n"
        "print(tracemalloc.get_traced_memory()[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, drives / name], stdout=subprocess.PIPE, check=True, text=True
    )
    assert 0 < int(done.stdout) < PEAK_BYTES


def test_a_line_without_an_end_is_not_memory(tmp_path: Path) -> None:
    path = tmp_path / "endless.csv"
    rows = b"Time,Latitude,Longitude\n0.0,38.16,-122.45\n0.1,"
    path.write_bytes(rows + b"9" * 20_000_000 + b"\n0.2,38.16,-122.45\n" + b"\0" * 20_000_000)
    tracemalloc.start()
    try:
        recording = open_recording(path)
        t = [sample.t for sample in recording.samples()]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert t == [0.0, 0.2]
    assert [(finding.kind, finding.count) for finding in recording.findings()] == [("malformed_row", 1)]
    assert peak < PEAK_BYTES

"""A recording of any length is read in the same memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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

"""Some rounds of the fault machine, in a process of its own; `scripts/faults` runs more of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from running_daemon import ROOT

# Of rounds that broke something once, and others.
SEEDS = (1, 100)
WITHIN_S = 600
MACHINE = Path(__file__).with_name("fault_machine.py")


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_a_round_of_the_worst_day(seed: int) -> None:
    rooms = [str(ROOT), *(str(MACHINE.parents[1] / room) for room in ("", "service", "store"))]
    done = subprocess.run(
        [sys.executable, str(MACHINE), "--rounds", "1", "--seed", str(seed)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(rooms)},
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr

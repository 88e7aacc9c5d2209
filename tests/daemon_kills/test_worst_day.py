"""Some rounds of the fault machine, in a process of its own; `scripts/faults` runs more of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from long_runs import a_few
from running_daemon import ROOT

# kill -9 again and again, of a start too. What once cost 4,934 rows of 100,144 for good: killed on a full
# disk, started again while it was full, then freed. And one that once broke something.
ROUNDS = (
    ("--seed", "1", "--steps", "kill,kill a start,kill,kill"),
    ("--seed", "7", "--steps", "stop,full,kill,stop,free,stop", "--samples", "768", "--patience", "3"),
    ("--seed", "100"),
)  # fmt: skip
WITHIN_S = 600
MACHINE = Path(__file__).with_name("fault_machine.py")


@pytest.mark.long
@pytest.mark.parametrize("asked", a_few(((each,) for each in ROUNDS), 2), ids=lambda asked: asked[1])
def test_a_round_of_the_worst_day(asked: tuple[str, ...]) -> None:
    rooms = [str(ROOT), *(str(MACHINE.parents[1] / room) for room in ("", "service", "store"))]
    done = subprocess.run(
        [sys.executable, str(MACHINE), "--rounds", "1", *asked],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(rooms)},
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr

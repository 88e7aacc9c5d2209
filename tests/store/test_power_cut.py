"""Wherever the power is cut, the next start opens, and nothing that was acknowledged is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from power_cut import BATCHES, cut_off, traced

# `power_cut.py` tries every prefix; this is one of each kind of write, with luck.
EVERY = 9


@pytest.mark.long
def test_every_prefix_of_what_was_written_opens_and_has_what_was_acknowledged(tmp_path: Path) -> None:
    if shutil.which("strace") is None or subprocess.run(["strace", "-o", os.devnull, "true"]).returncode:
        pytest.skip("strace is not installed, or not permitted here")
    changes = traced(tmp_path)
    assert changes[-1].acked == BATCHES
    kinds = {(change.what, Path(change.path).name) for change in changes}
    assert {("write", name) for name in ("one.pwj", "pitwall.duckdb", "pitwall.duckdb.wal")} <= kinds
    wrong = [(shown, why) for shown, why in cut_off(tmp_path, changes, EVERY) if why]
    assert not wrong

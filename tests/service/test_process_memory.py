"""What is let go of is gone from memory, and runs again when it is wanted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# In a process of its own: how much code of the tests themselves lies in memory is nobody's figure.
PROGRAM = """
import duckdb
from pitwall.daemon.watch import limit_arenas, freeze_gc, trim_memory, unfreeze_gc
def code_kb():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssFile"))
limit_arenas()
con = duckdb.connect()
first = con.execute("SELECT sum(range) FROM range(10)").fetchall()
before = code_kb()
freeze_gc()
after = code_kb()
again = con.execute("SELECT sum(range) FROM range(10)").fetchall()
run = code_kb()
trim_memory()
tidied = code_kb()
assert again == con.execute("SELECT sum(range) FROM range(10)").fetchall() == first
unfreeze_gc()
print(before, after, run, tidied)
"""


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="Linux tells which pages are code")
def test_code_that_ran_is_let_go_of_and_runs_again() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    before_kb, after_kb, run_kb, tidied_kb = map(int, done.stdout.split())
    # DuckDB alone has started with more than ten megabytes; a query takes some of them.
    assert after_kb < before_kb - 10_000
    assert tidied_kb < run_kb - 1_000

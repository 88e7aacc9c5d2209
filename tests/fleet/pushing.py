"""Processes that push invented sessions at once and are killed somewhere: `pushing.py LAKE HOMES SPEC...`

A spec is DRIVER:FIRST:END:CALLS. The process kills itself with SIGKILL when it has called so many functions,
ours or C's, such as a write or a rename; with 0 it goes on to its end. Prints how each ended, as JSON: 0, or
the number of the signal, negative. They are forked before anything has threads: importing costs more than all
they do.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from pathlib import Path

from fleet_parts import SHELF, invented

from pitwall.config import Home
from pitwall.contract.messages import Due
from pitwall.fleet.lake import open_storage
from pitwall.fleet.push import not_there, push


def push_some(lake: str, home: Home, driver: str, first: int, end: int) -> None:
    """Push what the lake lacks of these."""
    storage = open_storage(lake)
    wanted = [Due(f"s-{number}", driver, "", f"source-{number}") for number in range(first, end)]
    for each in not_there(storage, home, wanted):
        number = int(each.session.removeprefix("s-"))
        push(storage, home, each, invented(number, home.root), "gt4", SHELF)


def begin(lake: str, homes: Path, spec: str) -> int:
    """Start one; its process id."""
    driver, first, end, calls = spec.split(":")
    if child := os.fork():
        return child
    try:
        kill_after(int(calls))
        home = Home(homes / driver)
        home.root.mkdir(parents=True, exist_ok=True)
        push_some(lake, home, driver, int(first), int(end))
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def kill_after(calls: int) -> None:
    """Kill this process at its so-manieth call or return; never with 0."""
    left = calls

    def count(frame: object, event: str, arg: object) -> None:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    if calls:
        sys.setprofile(count)


def main(lake: str, homes: str, *specs: str) -> None:
    """All at once."""
    children = [begin(lake, Path(homes), spec) for spec in specs]
    print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]))


if __name__ == "__main__":
    main(*sys.argv[1:])

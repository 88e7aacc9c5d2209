"""Read a file from outside in a process first, within a budget of rows, seconds and bytes."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from pitwall.config import CanNames, Home
from pitwall.contract.problems import UserError
from pitwall.drive.journal import records
from pitwall.drive.prepare import opened
from pitwall.helpers.child_process import end_program, start_program
from pitwall.store.errors import StoreError
from pitwall.store.process_memory import address_space_bytes
from pitwall.telemetry.recordings.base import ImportBudget

NICE = 15
LOOK_EVERY_S = 0.1


class VetRequest(msgspec.Struct, frozen=True):
    """The process's order. `can`: what says what the frames of a CAN log mean."""

    path: str
    root: str
    budget: ImportBudget
    can: CanNames


def vet(path: Path, home: Home, budget: ImportBudget, pause: Callable[[], bool]) -> None:
    """Read the file within the budget; `pause` may wait or raise. StoreError, OSError."""
    wanted = msgspec.json.encode(VetRequest(str(path), str(home.root), budget, home.can))
    process = start_program(
        (sys.executable, "-m", "pitwall.drive.vetting"), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    waits = False
    try:
        process.stdin.write(wanted)
        process.stdin.close()
        while process.poll() is None:
            if pause() != waits:
                waits = not waits
                process.send_signal(signal.SIGSTOP if waits else signal.SIGCONT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(LOOK_EVERY_S)
        output = process.stdout.read().decode()
        if output or process.returncode:
            # The kernel ends what runs too long, and DuckDB's or Python's code what finds no
            # memory.
            most = f"{budget.seconds(path):.0f} s of a processor or {budget.bytes >> 20} MiB of memory"
            raise StoreError(output or f"{path}: takes more than {most} to be read; split the recording")
    finally:
        end_program(process, 0.0)


def main() -> None:
    """Read what is wanted, in the process, and print why it can't be used; nothing if it can."""
    wanted = msgspec.json.decode(sys.stdin.buffer.read(), type=VetRequest)
    path, budget = Path(wanted.path), wanted.budget
    os.nice(NICE)
    most_s = int(budget.seconds(path)) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most_s, most_s))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):
        most = address_space_bytes() + budget.bytes
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    try:
        recording = opened(path, Home(Path(wanted.root), can=wanted.can))
        for _ in budget.bounded(records(recording), recording.info, path, time.thread_time()):
            pass
    except UserError as error:
        sys.stdout.write(str(error))


if __name__ == "__main__":
    main()

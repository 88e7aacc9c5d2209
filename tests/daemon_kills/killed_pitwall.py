"""`pitwall` as it is typed, but it kills itself: PITWALL_DIES=MOMENT:COUNT:SECONDS, so long after that moment
has come so often. SIGKILL from a thread of its own, so that it may hit anything."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
from functools import wraps
from typing import Any

MOMENTS = {
    "ready": ("pitwall.commands.run", "", "_ready"),
    "driving": ("pitwall.store.session", "SessionWriter", "keep"),
    "checkpoint": ("pitwall.store.database", "Database", "checkpoint"),
    "freezing": ("pitwall.daemon.sessions.checkpoints", "Checkpoints", "freeze"),
    "kept": ("pitwall.daemon.sessions.checkpoints", "Checkpoints", "keep"),
    "levelled": ("pitwall.daemon.sessions.continuing", "Continuing", "level"),
    "feeding": ("pitwall.daemon.sessions.continuing", "Continuing", "feed"),
}
# Small, so that a short drive has many.
CHECKPOINT_LOG_BYTES = 200_000
IDLE_S = 45.0


def main() -> int:
    moment, count, after_s = os.environ["PITWALL_DIES"].split(":")
    # The moment may not come: a drive of few rows has few checkpoints.
    die_after(IDLE_S)
    if moment == "start":
        die_after(float(after_s))
    else:
        watch(moment, int(count), float(after_s))
    from pitwall.cli import main as pitwall

    return pitwall()


def watch(moment: str, count: int, after_s: float) -> None:
    if moment == "checkpoint":
        importlib.import_module("pitwall.store.writer").CHECKPOINT_LOG_BYTES = CHECKPOINT_LOG_BYTES
    module_name, class_name, name = MOMENTS[moment]
    owner: Any = importlib.import_module(module_name)
    owner = getattr(owner, class_name) if class_name else owner
    wrapped, left = getattr(owner, name), count

    @wraps(wrapped)
    def counting(*args: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            die_after(after_s)
        return wrapped(*args, **named)

    setattr(owner, name, counting)


def die_after(seconds: float) -> None:
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL))
    timer.daemon = True
    timer.start()


if __name__ == "__main__":
    sys.exit(main())

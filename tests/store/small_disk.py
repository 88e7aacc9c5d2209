"""A real file system with little room, and how to fill it."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size_mb: int) -> Iterator[Path]:
    """A tmpfs of this size mounted on a new folder. Not permitted: skipped, but under CI=true a failure."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        if os.environ.get("CI") == "true":
            pytest.fail("CI has to be allowed to mount a tmpfs")
        pytest.skip("mounting is not permitted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Take every free byte, also while others write."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for chunk in (bytes(1 << 20), bytes(4096)):
            with contextlib.suppress(OSError):
                while True:
                    file.write(chunk)
    return filler

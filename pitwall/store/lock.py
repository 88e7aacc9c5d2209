"""One process a home: its files are checked and mended at the start, which two can't do at once."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from pitwall.store.errors import StoreError, StoreLockedError

LOCK_FILE = "pitwall.lock"


def holder(root: Path) -> str:
    """The process number of whoever took this home last, "" where nobody did or it is not known."""
    try:
        return (root / LOCK_FILE).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


class HomeLock:
    """Holds `<home>/pitwall.lock` until `release` or the end of the process, however it ends."""

    def __init__(self, root: Path) -> None:
        """StoreLockedError where another process holds it, StoreError where it can't be made."""
        self._path = root / LOCK_FILE
        try:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError(
                f"{self._path} can't be written: {error.strerror}; choose another PITWALL_HOME"
            ) from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            other = os.pread(self._fd, 20, 0).decode("ascii", "replace").strip()
            os.close(self._fd)
            raise StoreLockedError(
                f"another pitwall is using {root}"
                + (f" (process {other})" if other else "")
                + "; stop it first, or choose another PITWALL_HOME"
            ) from error
        try:
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, f"{os.getpid()}\n".encode(), 0)
        except OSError:
            # The number only helps people; a full disk must not keep the lock from working.
            return

    def release(self) -> None:
        """Let others in; the file stays, removing it would let two in."""
        os.close(self._fd)

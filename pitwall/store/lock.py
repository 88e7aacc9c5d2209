"""A process a home: its files are checked and mended at the start, which two can't do at once."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from pathlib import Path

import msgspec

from pitwall.config import Home
from pitwall.store.errors import NO_ROOM, StoreError, StoreLockedError, StoreReadOnlyError
from pitwall.store.files import write_line

LOCK_FILE = "pitwall.lock"
# What the system answers where nothing may be written.
READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)


def holder(root: Path) -> str:
    """Return the number of the process that last opened this home to write, if it lives."""
    try:
        number = (root / LOCK_FILE).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return number if number.isdigit() and Path(f"/proc/{number}").exists() else ""


def locked(root: Path) -> str:
    """Return the sentence that says who uses this home."""
    number = holder(root)
    return (
        f"another pitwall is using {root}"
        + (f" (process {number})" if number else "")
        + "; wait until it has ended or stop it, or choose another PITWALL_HOME"
    )


def read_only(home: Home) -> str:
    """Return why this home can't be written, "" if it can."""
    for path in (home.root, home.database, home.journals, home.root / LOCK_FILE):
        if path.exists() and not os.access(path, os.W_OK):
            mounted = os.statvfs(path).f_flag & os.ST_RDONLY
            return f"{path} can't be written: {os.strerror(errno.EROFS if mounted else errno.EACCES)}"
    return ""


def unusable(home: Home) -> str:
    """Return why this home can't keep a drive, "" if it can; a full disk may have room again."""
    import tempfile  # here and below: a command never comes here

    tried = home.root
    try:
        for tried in (home.root, home.journals):
            tried.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.scandir(tried).close()
            with tempfile.TemporaryFile(dir=tried):
                pass
        tried = home.root / LOCK_FILE
        os.close(os.open(tried, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        return "" if error.errno in NO_ROOM else f"{tried} can't be used: {error.strerror}"
    return ""


def fallback_home(home: Home) -> Home:
    """Return a home for a drive that can't be kept in its own, the same each time. OSError."""
    import shutil
    import tempfile

    other = msgspec.structs.replace(home, root=Path(tempfile.gettempdir()) / f"pitwall-{os.getuid()}")
    other.prepare()
    seen = other.root.stat()
    if other.root.is_symlink() or seen.st_uid != os.getuid() or seen.st_mode & 0o077:
        raise PermissionError(errno.EPERM, "it is somebody else's", str(other.root))
    for folder in (home.track_data, home.audio_cache, home.clips):
        with contextlib.suppress(OSError, shutil.Error):
            shutil.copytree(folder, other.root / folder.name, dirs_exist_ok=True)
    return other


class HomeLock:
    """Holds `<home>/pitwall.lock` until `release` or the end of the process."""

    def __init__(self, root: Path, *, to_read: bool = False) -> None:
        """`to_read`: shared with other readers. StoreLockedError, StoreReadOnlyError,
        StoreError."""
        self._path = root / LOCK_FILE
        self._fd = -1
        try:
            flags = os.O_RDONLY if to_read else os.O_RDWR | os.O_CREAT
            self._fd = os.open(self._path, flags | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if to_read:
                return  # nobody has locked this home yet, or nobody whom this user could disturb
            kind = StoreReadOnlyError if error.errno in READ_ONLY else StoreError
            raise kind(
                f"{self._path} can't be written: {error.strerror}; choose another PITWALL_HOME"
            ) from error
        try:
            fcntl.flock(self._fd, (fcntl.LOCK_SH if to_read else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._fd)
            raise StoreLockedError(locked(root)) from error
        if to_read:
            return
        try:
            write_line(self._path, str(os.getpid()))
        except OSError:
            # The number only helps people.
            return

    def release(self) -> None:
        """Let others in; the file stays: removing it would let two in."""
        if self._fd >= 0:
            os.close(self._fd)

"""The seal beside the database: what its file and its write-ahead log looked like when we last wrote them.

DuckDB reads blocks lazily, so a flipped byte may sleep for months. The main file changes only in a
checkpoint, and checkpoints are ours alone; the log only grows. So after one the seal holds the main file's
CRC, and after each commit one more line holds the log's length and CRC so far. Before a checkpoint the seal
is broken on purpose: a kill in the middle must not look like damage.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Literal

import msgspec

from pitwall.store.files import Stamp, checksum, replace_file, stamp

# Up to here the file is read whole at every start (a phone reads it in about half a second); above, an
# unchanged size and unchanged times are trusted, and DuckDB's own block checksums guard the rest.
TRUST_STAMP_ABOVE = 256 << 20

# The size of a main file that is damaged: no file has it.
CONDEMNED = -1

MainState = Literal["none", "whole", "unknown", "damaged"]
LogState = Literal["none", "whole", "unknown", "short", "damaged"]


class Verdict(msgspec.Struct, frozen=True):
    """Holds what the seal says of the two files. `unknown`: no seal to tell, DuckDB must read everything."""

    main: MainState
    log: LogState


class Seal:
    """Keeps `<database>.seal`. Methods raise OSError where the disk refuses."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._log = log_of(database)
        self.path = database.with_name(database.name + ".seal")
        self._log_size = self._log_crc = 0
        self._fd = -1
        self._condemned = False

    def condemn(self) -> None:
        """DuckDB found damage in the main file: the next start sets it aside, whatever comes until then."""
        self._close()
        self._replace(_line(f"main {CONDEMNED} 0 0 0"))
        self._condemned = True

    def break_(self) -> bytes:
        """Say that the main file is about to change; outlasts a power cut. Returns the seal as it was."""
        self._close()
        before = self.path.read_bytes() if self.path.exists() else b""
        self._replace(_line("broken"))
        return before

    def mend(self, before: bytes) -> None:
        """The main file did not change after all."""
        if before:
            self._replace(before)

    def seal_main(self) -> None:
        """Seal the main file as it is now. Only right after a checkpoint, with no log left."""
        self._close()
        before = stamp(self._database)
        crc, _ = checksum(self._database)
        self._replace(_line(f"main {before.size} {before.mtime_ns} {before.ctime_ns} {crc}"))
        self._log_size = self._log_crc = 0

    def seal_log(self) -> int:
        """Add what the log has grown by since the last call; returns its length in bytes."""
        try:
            size = self._log.stat().st_size
        except FileNotFoundError:
            size = 0
        if size < self._log_size:
            # Someone else checkpointed: the main file is not what was sealed any more.
            self.seal_main()
        if size == self._log_size or self._condemned:
            return size
        grown = size - self._log_size
        self._log_crc, read = checksum(self._log, self._log_size, self._log_crc, grown)
        self._log_size += read
        if self._fd < 0:
            self._fd = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.write(self._fd, _line(f"log {self._log_size} {self._log_crc}"))
        return size

    def _replace(self, content: bytes) -> None:
        """Write the seal anew, unless it condemns the file."""
        if not self._condemned:
            replace_file(self.path, content)

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        self._log_size = self._log_crc = 0

    close = _close


def log_of(database: Path) -> Path:
    """The write-ahead log beside this database."""
    return database.with_name(database.name + ".wal")


def inspect(database: Path) -> Verdict:
    """Compare the files with the seal. OSError where they can't be read."""
    seal = Seal(database)
    main_line, log_line = _read(seal.path)
    return Verdict(_main_state(database, main_line), _log_state(seal._log, log_line, main_line))


def _main_state(database: Path, line: list[str] | None) -> MainState:
    if not database.exists():
        return "none"
    if line is None:
        return "unknown"
    size, mtime_ns, ctime_ns, crc = (int(word) for word in line[1:])
    now = stamp(database)
    if now == Stamp(size, mtime_ns, ctime_ns) and size > TRUST_STAMP_ABOVE:
        return "whole"
    found, _ = checksum(database)
    return "whole" if now.size == size and found == crc else "damaged"


def _log_state(log: Path, line: list[str] | None, main_line: list[str] | None) -> LogState:
    if not log.exists():
        return "short" if line is not None and main_line is not None else "none"
    if line is None:
        return "unknown"
    size, crc = int(line[1]), int(line[2])
    found, read = checksum(log, length=size)
    if read < size:
        return "short"
    return "whole" if found == crc else "damaged"


def _line(text: str) -> bytes:
    return f"{text} #{zlib.crc32(text.encode()):08x}\n".encode()


def _read(path: Path) -> tuple[list[str] | None, list[str] | None]:
    """The main line and the last log line that are whole; a seal damaged before its end seals nothing."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return None, None
    main: list[str] | None = None
    log: list[str] | None = None
    for number, raw in enumerate(lines):
        text, _, mark = raw.decode("ascii", "replace").rpartition(" #")
        if mark != f"{zlib.crc32(text.encode()):08x}":
            if number >= len(lines) - 1:
                break
            return None, None
        words = text.split()
        if words[0] == "main":
            main = words
        elif words[0] == "log":
            log = words
    return main, log

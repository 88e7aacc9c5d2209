"""Safe file operations: set a file aside, write it whole or not at all, recognise it again."""

from __future__ import annotations

import os
import shutil
import threading
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import msgspec

# Large against Python's part, small for a phone.
CHUNK = 1 << 20
# A process number and an address, with room to spare.
LINE_BYTES = 256
# Two writers of one file would write into the same copy.
_REPLACING = threading.Lock()


class Stamp(msgspec.Struct, frozen=True, array_like=True):
    """How a file looks without reading it. `ctime_ns` can't be set by hand."""

    size: int
    mtime_ns: int
    ctime_ns: int


def stamp(path: Path) -> Stamp:
    """Return the file's stamp. OSError."""
    stat = path.stat()
    return Stamp(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


def stamp_list(path: Path) -> list[int]:
    """Return the stamp as the database keeps it."""
    return list(msgspec.structs.astuple(stamp(path)))


FolderStamp = tuple[tuple[str, int, int], ...]


def folder_stamp(folders: Iterable[Path], pattern: str) -> FolderStamp:
    """Return path, mtime_ns and size of the files of these folders."""
    stamps = []
    for path in sorted(path for folder in folders for path in folder.glob(pattern)):
        try:
            seen = path.stat()
        except OSError:  # it went in this very moment
            continue
        stamps.append((str(path), seen.st_mtime_ns, seen.st_size))
    return tuple(stamps)


def checksum(path: Path, start: int = 0, crc: int = 0, length: int | None = None) -> tuple[int, int]:
    """Return (CRC-32, bytes read) from `start`, at most `length` bytes, carried on from `crc`."""
    done = 0
    with path.open("rb", buffering=0) as file:
        file.seek(start)
        while length is None or done < length:
            chunk = file.read(CHUNK if length is None else min(CHUNK, length - done))
            if not chunk:
                break
            crc = zlib.crc32(chunk, crc)
            done += len(chunk)
    return crc, done


def sync_path(path: Path) -> None:
    """Make a file's bytes, or a folder's names, outlast a power cut. OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def create_private(path: Path) -> BinaryIO:
    """Open a new or emptied file that only its user may read. OSError."""
    return open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb")


def replace_file(path: Path, content: bytes) -> None:
    """Write the whole file or leave the old one. OSError."""
    fresh = path.with_name(path.name + ".new")
    with _REPLACING:
        with create_private(fresh) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        sync_path(path.parent)


def write_line(path: Path, line: str) -> None:
    """Keep a line in a file that is never cut: it can be written on a full disk too. OSError."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.pwrite(fd, line.encode().ljust(LINE_BYTES - 1) + b"\n", 0)
    finally:
        os.close(fd)


def free_name(folder: Path, name: str) -> Path:
    """Return a path that nothing has yet: the name, else with -2, -3 before its suffix."""
    stem, dot, suffix = name.partition(".")
    path, number = folder / name, 2
    while os.path.lexists(path):
        path = folder / f"{stem}-{number}{dot}{suffix}"
        number += 1
    return path


def set_aside(path: Path, folder: Path) -> Path:
    """Move a damaged file into the folder under a free name; return the path."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = free_name(folder, path.name)
    shutil.move(path, target)
    sync_path(folder)
    return target


def keep_bytes(path: Path, offset: int, length: int, folder: Path) -> Path:
    """Copy a stretch of a file into the folder as NAME.tail; return the path."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = free_name(folder, path.name + ".tail")
    try:
        with path.open("rb") as source, target.open("xb") as copy:
            source.seek(offset)
            copy.write(source.read(length))
            copy.flush()
            os.fsync(copy.fileno())
    except OSError:
        target.unlink(missing_ok=True)
        raise
    return target

"""Bytes and lines of a recording in constant memory: packed files, encodings, NULs, endless lines."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import shutil
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, cast

from pitwall.telemetry.recordings.base import RecordingError

# A longer line is damage and must not become memory.
MAX_LINE_CHARS = 64 * 1024
# The longest preamble seen has 4 KB.
HEAD_BYTES = 64 * 1024

# A bundle is another phone's session with its notes (`store/export.py`): read as its journal.
BUNDLE_JOURNAL, BUNDLE_ABOUT = "journal.pwj", "bundle.json"
SHEET = "[Content_Types].xml"
RACECHRONO_OWN = "export the session in RaceChrono, as CSV v3 or VBO"

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))

# This many bytes show whether characters have two.
WIDE_BYTES = 128

# What reading a damaged packed file may raise, besides OSError.
PACKED_ERRORS = (EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError)


# The most a packed recording holds: no text of numbers packs so well (zeros do). A small file may
# be anything.
MOST_UNPACKED_BYTES, MOST_PACKED_TIMES, SMALL_BYTES = 1 << 30, 200, 16 << 20


def _check_unpacked(path: Path, unpacked: int, packed: int) -> None:
    if unpacked > MOST_UNPACKED_BYTES or unpacked > max(MOST_PACKED_TIMES * packed, SMALL_BYTES):
        raise RecordingError(
            path,
            f"unpacks to {unpacked / 1e6:.0f} MB or more, from {packed / 1e6:.1f} MB",
            hint="no recording is so large; export it again",
        )


class _Gzip(gzip.GzipFile):
    """Stops when it turns out to hold too much."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._path, self._packed = path, path.stat().st_size

    def read(self, size: int | None = -1) -> bytes:
        """As its base. RecordingError."""
        most = max(min(MOST_PACKED_TIMES * self._packed, MOST_UNPACKED_BYTES), SMALL_BYTES)
        return self._bounded(super().read(most + 1 if size is None or size < 0 else size))

    def read1(self, size: int = -1) -> bytes:
        """As its base. RecordingError."""
        return self._bounded(super().read1(size))

    def _bounded(self, data: bytes) -> bytes:
        _check_unpacked(self._path, self.tell(), self._packed)
        return data


def open_bytes(path: Path) -> IO[bytes]:
    """Open a recording, perhaps packed alone in gzip or zip. RecordingError, OSError."""
    with path.open("rb") as file:
        start = file.read(4)
    if start.startswith(b"\x1f\x8b"):
        return cast("IO[bytes]", _Gzip(path))
    if start != b"PK\x03\x04":
        return path.open("rb")
    with zipfile.ZipFile(path) as archive:
        members = _members(path, archive)
        names = {each.filename: each for each in members}
        if set(names) == {BUNDLE_JOURNAL, BUNDLE_ABOUT}:
            return archive.open(names[BUNDLE_JOURNAL])
        if SHEET in names:
            raise RecordingError(path, "is a spreadsheet", hint="save the sheet as CSV", recognised=True)
        if _is_racechronos_own(names):
            what = "is a session of RaceChrono's own (.rcz)"
            raise RecordingError(path, what, hint=RACECHRONO_OWN, recognised=True)
        logs = _logs(members)
        if len(logs) != 1:
            what = f"is an archive of {len(members)} files"
            raise RecordingError(path, what, hint="name it to pitwall import, which reads it as a folder")
        return archive.open(logs[0])


def unpack_folder(path: Path, into: Path) -> bool:
    """Unpack an archive of several files into a folder; return whether it is one."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        members = _members(path, archive)
        names = {each.filename for each in members}
        if len(_logs(members)) < 2 or names & {BUNDLE_JOURNAL, SHEET} or _is_racechronos_own(names):
            return False
        _check_unpacked(path, sum(each.file_size for each in members), path.stat().st_size)
        for number, each in enumerate(members):
            plain = re.sub(r"[^\w. -]", "_", each.filename.rpartition("/")[2])[-80:]
            # Its name is kept: it tells when the files next to it began.
            folder = into / ("meta" if each.filename == "meta/time.csv" else f"{number:04d}")
            folder.mkdir(exist_ok=True)
            with archive.open(each) as packed, (folder / (plain or "file")).open("wb") as file:
                shutil.copyfileobj(packed, file)
    return True


def _members(path: Path, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    members = [
        each
        for each in archive.infolist()
        if not each.is_dir() and not re.search(r"(^|/)(__MACOSX/|\.)", each.filename)
    ]
    for each in members:
        _check_unpacked(path, each.file_size, each.compress_size)
    return members


def _logs(members: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    return [each for each in members if not each.filename.lower().endswith((".dbc", ".toml"))]


def _is_racechronos_own(names: Collection[str]) -> bool:
    return "session.json" in names and any(name.startswith("channel_") for name in names)


def read_whole(path: Path, most_bytes: int) -> bytes:
    """Return all of a recording, unpacked. RecordingError if it can't be read, or is larger."""
    try:
        with open_bytes(path) as file:
            data = file.read(most_bytes + 1)
    except (OSError, *PACKED_ERRORS) as error:
        raise RecordingError(path, f"can't be read: {error}", hint="copy the file again") from None
    if len(data) > most_bytes:
        raise RecordingError(path, f"is larger than {most_bytes >> 20} MB", hint="export a part of it")
    return data


def read_head(path: Path) -> bytes:
    """Return the first bytes of a file. RecordingError."""
    try:
        if path.is_dir():
            raise RecordingError(path, "is a directory", hint="name one recording file in it")
        if path.exists() and not path.is_file():
            raise RecordingError(path, "is not a regular file", hint="copy the recording to a file first")
        with open_bytes(path) as file:
            head = file.read(HEAD_BYTES)
    except FileNotFoundError:
        raise RecordingError(path, "no such file", hint="check the path") from None
    except PermissionError:
        raise RecordingError(path, "may not be read", hint="check the file's permissions") from None
    except (OSError, ValueError) as error:
        raise RecordingError(path, f"can't be read: {error}", hint="check the path and the disk") from None
    except PACKED_ERRORS as error:
        raise RecordingError(path, f"can't be unpacked: {error}", hint="unpack it yourself") from None
    if not head.strip(b"\0\r\n\t "):
        what = "is empty" if len(head) < HEAD_BYTES else "begins with nothing but blanks"
        raise RecordingError(path, what, hint="the logger may not have closed it; copy it again")
    return head


def encoding_of(head: bytes) -> str:
    """Return the encoding by byte-order mark, or NULs between ASCII letters; else UTF-8."""
    for bom, name in _BOMS:
        if head.startswith(bom):
            return name
    even, odd = head[:WIDE_BYTES:2], head[1:WIDE_BYTES:2]
    for letters, nuls, name in ((even, odd, "utf-16-le"), (odd, even, "utf-16-be")):
        if len(nuls) > 8 and not nuls.strip(b"\0") and letters.isascii() and b"\0" not in letters:
            return name
    return "utf-8"


def head_lines(head: bytes) -> list[str]:
    """Return a head's lines, the last perhaps cut off."""
    encoding = encoding_of(head)
    text = head.decode(encoding, "replace" if encoding.startswith("utf-16") else "surrogateescape")
    return [line.strip("\0") for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]


def label(text: str) -> str:
    """Return a name for people: bytes that were not UTF-8 are Latin-1."""
    raw = text.strip().encode("utf-8", "surrogateescape")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


@contextmanager
def reading(path: Path) -> Iterator[IO[bytes]]:
    """Open the file's bytes, unpacked. RecordingError."""
    try:
        with open_bytes(path) as file:
            yield file
    except OSError as error:
        raise RecordingError(path, f"reading broke off: {error}", hint="check the disk") from None
    except PACKED_ERRORS as error:
        raise RecordingError(path, f"unpacking broke off: {error}", hint="copy the file again") from None


def numbered_lines(path: Path, encoding: str) -> Iterator[tuple[int, str | None]]:
    """Yield (line number, line without end or NULs), None for one over MAX_LINE_CHARS."""
    errors = "replace" if encoding.startswith("utf-16") else "surrogateescape"
    try:
        with (
            reading(path) as raw,
            io.TextIOWrapper(raw, encoding=encoding, errors=errors, newline=None) as file,
        ):
            number = 0
            overlong = False
            for line in iter(partial(file.readline, MAX_LINE_CHARS), ""):
                ended = line[-1] == "\n"
                if overlong:
                    overlong = not ended
                    continue
                number += 1
                if not ended and len(line) >= MAX_LINE_CHARS:
                    overlong = True
                    # A preallocated tail of NULs is no row.
                    yield number, None if line.strip("\0") else ""
                else:
                    yield number, line.strip("\0\n")
    except UnicodeError as error:
        raise RecordingError(path, f"is not {encoding} text: {error}", hint="export it again") from None

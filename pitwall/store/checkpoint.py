"""Keep the state of the in-drive path, so that a start after a kill continues from it.

Without one the whole journal is read."""

from __future__ import annotations

import contextlib
import struct
import zlib
from pathlib import Path
from typing import TypeVar

import msgspec

from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.store.files import replace_file
from pitwall.store.journal_check import CheckedJournal
from pitwall.track.lap import CornerPass, Lap

_CRC = struct.Struct(">I")
# Half the size for 5 ms, in a thread.
_LEVEL = 1


class PathOutput(msgspec.Struct):
    """A path's output that is no sample's row; first fix in degrees, stamp of tracks near."""

    laps: list[Lap] = []
    passes: list[CornerPass] = []
    lines: dict[int, LedgerLine] = {}
    first_fix: tuple[float, float] | None = None
    stamp: str = ""


class DriveCheckpoint(msgspec.Struct, frozen=True, kw_only=True):
    """`journal` ends with the last record fed to the frozen `path`; `code`: who froze it."""

    session: str
    code: str
    journal: CheckedJournal
    made: PathOutput
    path: bytes


class _Checked(msgspec.Struct, frozen=True):
    session: str
    journal: CheckedJournal


_Kept = TypeVar("_Kept", DriveCheckpoint, _Checked)


def checkpoint_files(home: Home) -> tuple[Path, Path]:
    """Return the files of the last checkpoint and the one before."""
    return home.checkpoint, home.checkpoint.with_name(f"{home.checkpoint.name}-before")


def keep_checkpoint(home: Home, checkpoint: DriveCheckpoint) -> None:
    """Write it as the last one; keep the one before if that can be read. OSError."""
    last, before = checkpoint_files(home)
    if _read(last, DriveCheckpoint) is not None:
        last.replace(before)
    _write(last, checkpoint)
    # So a start without any of them need not check an hour's journal, 2 s, before the first fix.
    _write(_checked_file(home), _Checked(checkpoint.session, checkpoint.journal))


def find_checkpoints(home: Home) -> list[DriveCheckpoint]:
    """Return the checkpoints that can be read, the last first."""
    files = checkpoint_files(home)
    return [found for path in files if (found := _read(path, DriveCheckpoint)) is not None]


def _checked_file(home: Home) -> Path:
    return home.checkpoint.with_name(f"{home.checkpoint.name}-checked")


def _write(path: Path, kept: DriveCheckpoint | _Checked) -> None:
    packed = zlib.compress(msgspec.msgpack.encode(kept), _LEVEL)
    replace_file(path, _CRC.pack(zlib.crc32(packed)) + packed)


def _read(path: Path, kind: type[_Kept]) -> _Kept | None:
    try:
        content = path.read_bytes()
        (crc,) = _CRC.unpack_from(content)
        packed = content[_CRC.size :]
        if crc != zlib.crc32(packed):
            return None
        return msgspec.msgpack.decode(zlib.decompress(packed), type=kind)
    except (OSError, struct.error, zlib.error, msgspec.MsgspecError):
        return None


def forget_checkpoints(home: Home) -> None:
    """Remove all of them."""
    for path in (*checkpoint_files(home), _checked_file(home)):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def checked_before(home: Home) -> dict[str, CheckedJournal]:
    """Return what is known of journals, by session."""
    if (last := _read(_checked_file(home), _Checked)) is not None:
        return {last.session: last.journal}
    return {found.session: found.journal for found in reversed(find_checkpoints(home))}

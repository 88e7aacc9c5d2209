"""The checkpoint of the drive that goes on: what its journal holds up to a record, and how the
in-drive path stood there. A start soon after a kill goes on from it; without one the whole
journal is read."""

from __future__ import annotations

import struct
import zlib

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
    """Holds what a path has made that is no sample's row, and where it was driven: the first fix in
    degrees, and the stamp of the tracks near there."""

    laps: list[Lap] = []
    passes: list[CornerPass] = []
    lines: dict[int, LedgerLine] = {}
    first_fix: tuple[float, float] | None = None
    stamp: str = ""


class DriveCheckpoint(msgspec.Struct, frozen=True, kw_only=True):
    """`journal` ends with the last record that `path`, a frozen path, was fed. `code`: what
    program froze it; another one can't thaw it."""

    session: str
    code: str
    journal: CheckedJournal
    made: PathOutput
    path: bytes


def keep_checkpoint(home: Home, checkpoint: DriveCheckpoint) -> None:
    """Put it in the place of the last one. OSError where the disk refuses."""
    packed = zlib.compress(msgspec.msgpack.encode(checkpoint), _LEVEL)
    replace_file(home.checkpoint, _CRC.pack(zlib.crc32(packed)) + packed)


def find_checkpoint(home: Home) -> DriveCheckpoint | None:
    """The checkpoint that was kept last, None where there is none that can be used."""
    try:
        content = home.checkpoint.read_bytes()
        (crc,) = _CRC.unpack_from(content)
        packed = content[_CRC.size :]
        if crc != zlib.crc32(packed):
            return None
        return msgspec.msgpack.decode(zlib.decompress(packed), type=DriveCheckpoint)
    except (OSError, struct.error, zlib.error, msgspec.MsgspecError):
        return None


def checked_before(home: Home) -> dict[str, CheckedJournal]:
    """Return what is known of journals from the checkpoint, by session."""
    found = find_checkpoint(home)
    return {} if found is None else {found.session: found.journal}

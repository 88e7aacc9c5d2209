"""Logs of CAN frames of Vector (.asc, .blf) and PEAK (.trc), read by python-can (the extra `can`).

Their clocks are the local ones of whoever logged. python-can takes the times of an ASC whose head says
`timestamps relative` for times since the beginning; they are those since the line before.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from struct import error as StructError
from typing import IO, Any, cast

import msgspec

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.candump import (
    EXTENDED,
    CandumpRecording,
    Decoders,
    LoggedFrame,
    bus_library,
)
from pitwall.telemetry.recordings.text import PACKED_ERRORS, head_lines, open_bytes
from pitwall.telemetry.recordings.timeline import date_and_time
from pitwall.telemetry.session_clock import DAY_S

MISSING = 'pip install "pitwall[can]"'
# What a piece of a .blf may take, packed and unpacked: writers pack 128 KB at a time, zlib a thousandfold.
MOST_OBJECT_BYTES, MOST_UNPACKED_BYTES = 192 << 10, 4 << 20
# Where what is packed begins in a piece: behind how it is packed and how large it is.
_PACKED_AT, _ZLIB = 16, b"\x78"
# The head's date, and again where the measurement begins.
_ASC_DATE = re.compile(r"^(?:date|begin triggerblock)\s.*", re.IGNORECASE | re.MULTILINE)
_TRC_V1_0 = re.compile(r"\s*\d+\)\s+\d+(\.\d)?\s+[0-9A-F]{4,8}\s+\d\s")
_DAMAGE = (
    ValueError,
    LookupError,
    TypeError,
    OverflowError,
    ArithmeticError,
    StructError,
    NotImplementedError,
)


def form_of(head: bytes) -> str:
    """`asc`, `blf`, `trc` or "" where it is none of them."""
    if head.startswith(b"LOGG"):
        return "blf"
    lines = [line.strip() for line in head_lines(head)[:60]]
    if any(re.match(r"base\s+(hex|dec)", line, re.I) for line in lines[:5]):
        return "asc"
    begins = lines[0].startswith(";") if lines else False
    if begins and any(line.startswith(";$FILEVERSION") or _TRC_V1_0.match(line) for line in lines):
        return "trc"
    return ""


def sniff(head: bytes) -> bool:
    """Return whether it is a log of one of these three forms."""
    return form_of(head) != ""


class _Bounded(io.RawIOBase):
    """A file of which no piece is read that is larger than any writer makes."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= MOST_OBJECT_BYTES:
            raise ValueError(f"a piece of {size} bytes")
        data = self._file.read(size)
        if data[_PACKED_AT : _PACKED_AT + 1] == _ZLIB:
            unpacker = zlib.decompressobj()
            with suppress(zlib.error):  # then it is another kind of piece
                unpacker.decompress(data[_PACKED_AT:], MOST_UNPACKED_BYTES)
            if unpacker.unconsumed_tail:
                raise ValueError("a piece that unpacks to more than any writer's")
        return data


class CanLogRecording(CandumpRecording):
    """A recording of one of these logs, decoded as a log of candump is."""

    def __init__(self, path: Path, head: bytes, decoders: Decoders | None) -> None:
        if find_spec("can") is None:
            what = "is a log of CAN frames, and the package that reads it is not installed"
            raise RecordingError(path, what, hint=MISSING, recognised=True)
        self._form = form_of(head)
        super().__init__(path, head, decoders)
        local_s = self.info.start_utc_s
        if self._form == "asc":
            for date in _ASC_DATE.finditer("\n".join(head_lines(head)[:10])):
                told = date_and_time(" ".join(date[0].split()))
                local_s = local_s if told is None else told[0]
        time_of_day_s = None if local_s is None else round(local_s % DAY_S, 3)
        self.info = msgspec.structs.replace(
            self.info, format=self._form, start_utc_s=local_s, time_of_day_s=time_of_day_s
        )

    def _frames(self, log: FindingLog) -> Iterator[LoggedFrame]:
        since_s = 0.0
        try:
            with open_bytes(self.path) as file:
                reader = self._reader(file)
                for frame in reader:
                    if frame.is_error_frame or frame.is_remote_frame:
                        continue
                    raw_s = frame.timestamp
                    if self._form == "asc" and reader.timestamps_format == "relative":
                        raw_s = since_s = since_s + raw_s
                    key = frame.arbitration_id | (EXTENDED if frame.is_extended_id else 0)
                    yield LoggedFrame(raw_s, str(frame.channel), key, bytes(frame.data))
        except OSError as error:
            raise RecordingError(self.path, f"reading broke off: {error}", hint="check the disk") from None
        except PACKED_ERRORS as error:
            log.add("malformed_row", "", None, f"a packed part is damaged: {error}")
        except Exception as error:
            if not isinstance(error, _DAMAGE) and type(error).__module__.partition(".")[0] != "can":
                raise
            log.add("malformed_row", "", None, f"the file breaks off or is damaged: {str(error)[:80]}")

    def _reader(self, file: IO[bytes]) -> Any:
        can = bus_library("can")
        if self._form == "blf":
            return can.BLFReader(cast("Any", _Bounded(file)))
        text = io.TextIOWrapper(file, encoding="latin-1", newline=None)
        return can.ASCReader(text) if self._form == "asc" else can.TRCReader(text)

"""A receiver's own log in UBX (.ubx), as u-center writes it: each NAV-PVT is a fix with its day."""

from __future__ import annotations

import struct
from calendar import timegm
from collections.abc import Iterator
from pathlib import Path

import msgspec

from pitwall.telemetry.findings import Finding, FindingLog
from pitwall.telemetry.recordings.base import BUDGET, RecordingError, RecordingInfo
from pitwall.telemetry.recordings.text import open_bytes
from pitwall.telemetry.recordings.timeline import Timeline
from pitwall.telemetry.sample import Sample, Stream
from pitwall.telemetry.session_clock import DAY_S
from pitwall.telemetry.sources.ubx import CHANNELS, NAV_PVT, SYNC, Frames, read_fix

PIECE_BYTES = 64 << 10
# Year, month, day behind the time of week, and which of them are valid: 3 is date and time.
_DAY = struct.Struct("<4xHBB3xB")
_VALID = 0x03
# Of a NAV-PVT what a fix has; a receiver has no accelerometer that it tells of.
_FIX_CHANNELS = CHANNELS[:7]


def sniff(head: bytes) -> bool:
    """The first message of the file is u-blox's, and one of the first is a NAV-PVT."""
    return head.startswith(SYNC) and (SYNC + bytes(NAV_PVT)) in head


class UbxRecording:
    """A .ubx log as a `Recording` with one stream."""

    def __init__(self, path: Path, head: bytes) -> None:
        self._path, self._log = path, FindingLog()
        self.info = RecordingInfo("ubx", str(path), (Stream(0, "receiver", _FIX_CHANNELS),))
        first = next(self._fixes(FindingLog()), None)
        if first is None:
            hint = "log the message UBX-NAV-PVT"
            raise RecordingError(path, "has no fix that is dated", hint=hint, recognised=True)
        self.info = msgspec.structs.replace(self.info, start_utc_s=round(first[0], 3))

    def samples(self) -> Iterator[Sample]:
        """Yield samples in the file's order, `t` never running backwards, in constant memory."""
        log = self._log = FindingLog()
        timeline = Timeline(log)
        for utc_s, values in self._fixes(log):
            t = timeline.advance(utc_s)
            if t is not None:
                yield Sample(0, t, values)
            BUDGET.refuse_barren(self._path, log, timeline)

    def findings(self) -> list[Finding]:
        """Return what the last pass met."""
        return self._log.findings()

    def _fixes(self, log: FindingLog) -> Iterator[tuple[float, tuple[float | None, ...]]]:
        """Yield unix seconds and the values of the fixes that have a day."""
        frames, bad = Frames(), 0
        with open_bytes(self._path) as file:
            while data := file.read(PIECE_BYTES):
                for message in frames.feed(data):
                    fix = read_fix(message) if message.kind == NAV_PVT else None
                    if fix is None:
                        continue
                    year, month, day, valid = _DAY.unpack_from(message.payload)
                    if valid & _VALID == _VALID:
                        midnight_s = timegm((year, month, day, 0, 0, 0))
                        # Nanoseconds may be negative: just after midnight they belong to the day before.
                        tod_s = fix[0] - DAY_S if fix[0] > DAY_S - 1.0 and message.payload[8] == 0 else fix[0]
                        yield midnight_s + tod_s, fix[1][: len(_FIX_CHANNELS)]
                for _ in range(frames.bad - bad):
                    log.add("bad_checksum", "", None, "a message whose checksum is wrong")
                bad = frames.bad

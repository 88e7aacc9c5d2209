"""UBX: binary messages of u-blox receivers and of a RaceBox, and logs of them (.ubx).

Layouts: u-blox's interface description and RaceBox's protocol description. A wrong checksum costs
one byte: the frame's length can't be trusted. In a log each NAV-PVT is a fix with its day.
"""

from __future__ import annotations

import struct
from calendar import timegm
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.base import RecordingError, RecordingInfo, Timed, TimedRecording
from pitwall.telemetry.recordings.text import open_bytes
from pitwall.telemetry.recordings.timeline import Timeline
from pitwall.telemetry.sample import Channel, Stream, Values, channels_of
from pitwall.telemetry.session_clock import DAY_S

CHANNELS = (
    *channels_of({
        "lat_deg": "lat", "lon_deg": "lon", "altitude_m": "hMSL", "speed_mps": "gSpeed",
        "heading_deg": "headMot", "satellites": "numSV",
    }),
    Channel("accuracy_m", "m", "hAcc"),
    *channels_of({"g_long": "GForceX", "g_lat": "GForceY", "yaw_rate_dps": "RotRateZ"}),
)  # fmt: skip
SYNC = b"\xb5\x62"
NAV_PVT, RACEBOX = (0x01, 0x07), (0xFF, 0x01)
# Longer messages are skipped.
MOST_BYTES = 1_024
# Both begin: hour, minute, second, ns, fix, flags, satellites, lon, lat, height, hMSL, hAcc.
_HEAD = struct.Struct("<8xBBBxxxxxiBBxBiiiiI4x")
_PVT_MOTION = struct.Struct("<60xii")
_RACEBOX_MOTION = struct.Struct("<48xii10xBxhh6xh")
_FIXES, _FIX_OK = (2, 3, 4), 0x01
# Flag of a RaceBox: the place is not valid.
_NO_PLACE = 0x01


class _Message(NamedTuple):
    kind: tuple[int, int]
    payload: bytes


class Frames:
    """Cuts a stream of bytes into messages. `bad`: wrong checksums."""

    def __init__(self) -> None:
        self._kept = b""
        self.bad = 0

    def feed(self, data: bytes) -> list[_Message]:
        """Return the messages that `data` completes."""
        found, held, at = [], self._kept + data, 0
        while (at := held.find(SYNC, at)) >= 0 and len(held) >= at + 6:
            long = int.from_bytes(held[at + 4 : at + 6], "little")
            end = at + 8 + long
            if long > MOST_BYTES:
                at += 1
            elif len(held) < end:
                break
            elif _checksum(held[at + 2 : end - 2]) != held[end - 2 : end]:
                self.bad, at = self.bad + 1, at + 1
            else:
                found.append(_Message((held[at + 2], held[at + 3]), held[at + 6 : end - 2]))
                at = end
        self._kept = held[at:] if at >= 0 else held[-1:]
        return found


def _checksum(data: bytes) -> bytes:
    """Return Fletcher's sum over class, id, length and payload."""
    return bytes(
        reduce(lambda ab, byte: ((ab[0] + byte) & 0xFF, (ab[1] + ab[0] + byte) & 0xFF), data, (0, 0))
    )


def read_fix(message: _Message) -> tuple[float, Values] | None:
    """Return the time of day and the values of CHANNELS; None for another message."""
    payload, is_pvt = message.payload, message.kind == NAV_PVT
    if not is_pvt and message.kind != RACEBOX:
        return None
    if len(payload) < (_PVT_MOTION if is_pvt else _RACEBOX_MOTION).size:
        return None
    hour, minute, second, nano, fix, flags, used, lon, lat, _, sea_mm, within_mm = _HEAD.unpack_from(payload)
    tod_s = (hour * 3600.0 + minute * 60.0 + second + nano * 1e-9) % DAY_S
    inertial: Values = (None, None, None)
    if is_pvt:
        speed_mmps, course = _PVT_MOTION.unpack_from(payload)
    else:
        speed_mmps, course, bad, x_mg, y_mg, yaw_cdps = _RACEBOX_MOTION.unpack_from(payload)
        flags &= ~(bad & _NO_PLACE)
        inertial = (x_mg / 1000.0, y_mg / 1000.0, yaw_cdps / 100.0)
    place: Values = (None,) * 5
    if fix in _FIXES and flags & _FIX_OK:
        place = (lat / 1e7, lon / 1e7, sea_mm / 1000.0, speed_mmps / 1000.0, course / 1e5 % 360.0)
    return tod_s, (*place, float(used), within_mm / 1000.0, *inertial)


PIECE_BYTES = 64 << 10
# Year, month, day, and which are valid: 3 is all.
_DAY = struct.Struct("<4xHBB3xB")
_VALID = 0x03
# What a NAV-PVT has.
_FIX_CHANNELS = CHANNELS[:7]


def sniff(head: bytes) -> bool:
    """Accept a first message of u-blox's, and a NAV-PVT."""
    return head.startswith(SYNC) and (SYNC + bytes(NAV_PVT)) in head


class UbxRecording(TimedRecording):
    """A .ubx log."""

    def __init__(self, path: Path, head: bytes) -> None:
        super().__init__(path)
        self.info = RecordingInfo("ubx", str(path), (Stream(0, "receiver", _FIX_CHANNELS),))
        first = next(self._fixes(FindingLog()), None)
        if first is None:
            hint = "log the message UBX-NAV-PVT"
            raise RecordingError(path, "has no fix that is dated", hint=hint, recognised=True)
        self.info = msgspec.structs.replace(self.info, start_utc_s=round(first[0], 3))

    def _timed(self, log: FindingLog, timeline: Timeline) -> Timed:
        return ((utc_s, 0, values) for utc_s, values in self._fixes(log))

    def _fixes(self, log: FindingLog) -> Iterator[tuple[float, Values]]:
        frames, bad = Frames(), 0
        with open_bytes(self.path) as file:
            while data := file.read(PIECE_BYTES):
                for message in frames.feed(data):
                    fix = read_fix(message) if message.kind == NAV_PVT else None
                    if fix is None:
                        continue
                    year, month, day, valid = _DAY.unpack_from(message.payload)
                    if fix[1][0] is None:
                        log.add("void_fix", "lat_deg", None, "the receiver says it has no fix")
                    if valid & _VALID == _VALID:
                        midnight_s = timegm((year, month, day, 0, 0, 0))
                        # Nanoseconds may be negative, of the day before.
                        tod_s = fix[0] - DAY_S if fix[0] > DAY_S - 1.0 and message.payload[8] == 0 else fix[0]
                        yield midnight_s + tod_s, fix[1][: len(_FIX_CHANNELS)]
                for _ in range(frames.bad - bad):
                    log.add("bad_checksum", "", None, "a message whose checksum is wrong")
                bad = frames.bad

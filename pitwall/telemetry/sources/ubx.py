"""A u-blox receiver that sends UBX-NAV-PVT, or a RaceBox: positions, speed and their precision in binary.

    ubx:tcp://HOST:PORT                     as for nmea: (sources/nmea.py), also tcp-listen, udp and serial
    ubx:serial:///dev/ttyACM0?baud=115200

A RaceBox sends its own message (class FF, id 01) in the same frames over Bluetooth LE, which `ble.py` opens;
on a phone a bridge has to hand its bytes on over TCP. Layouts: u-blox's interface description and RaceBox's
protocol description. A frame whose checksum is wrong costs one byte: its length can't be trusted.
"""

from __future__ import annotations

import struct
from functools import reduce
from typing import NamedTuple

from pitwall.telemetry.sample import Channel, channels_of
from pitwall.telemetry.session_clock import DAY_S, CountedOn
from pitwall.telemetry.sources.base import Allowance, Options, Source, SourceHealth, fault, received
from pitwall.telemetry.sources.gnss import GnssStream
from pitwall.telemetry.sources.nmea import BURST_EPOCHS, MAX_EPOCHS_PER_S, open_receiver

FORMS = "ubx:tcp://HOST:PORT, ubx:tcp-listen://HOST:PORT, ubx:udp://HOST:PORT or ubx:serial:///dev/ttyX"
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
# The longest message that is taken; of others only their end is looked for.
MOST_BYTES = 1_024
# Both begin alike: hour, minute, second, nanoseconds, fix, flags, satellites, lon, lat, height, hMSL, hAcc.
_HEAD = struct.Struct("<8xBBBxxxxxiBBxBiiiiI4x")
_PVT_MOTION = struct.Struct("<60xii")
_RACEBOX_MOTION = struct.Struct("<48xii10xBxhh6xh")
_FIXES, _FIX_OK = (2, 3, 4), 0x01
# Of a RaceBox's last flags: latitude, longitude and height are not valid.
_NO_PLACE = 0x01


class _Message(NamedTuple):
    kind: tuple[int, int]
    payload: bytes


class Frames:
    """Cuts a stream of bytes into messages. `bad` counts frames whose checksum is wrong."""

    def __init__(self) -> None:
        self._kept = b""
        self.bad = 0

    def feed(self, data: bytes) -> list[_Message]:
        """The messages that `data` completes."""
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
    """Fletcher's over class, id, length and payload, as UBX has it."""
    return bytes(
        reduce(lambda ab, byte: ((ab[0] + byte) & 0xFF, (ab[1] + ab[0] + byte) & 0xFF), data, (0, 0))
    )


def read_fix(message: _Message) -> tuple[float, tuple[float | None, ...]] | None:
    """The receiver's time of day and the values of CHANNELS; None of another message, or one cut short."""
    payload, is_pvt = message.payload, message.kind == NAV_PVT
    if not is_pvt and message.kind != RACEBOX:
        return None
    if len(payload) < (_PVT_MOTION if is_pvt else _RACEBOX_MOTION).size:
        return None
    hour, minute, second, nano, fix, flags, used, lon, lat, _, sea_mm, within_mm = _HEAD.unpack_from(payload)
    tod_s = (hour * 3600.0 + minute * 60.0 + second + nano * 1e-9) % DAY_S
    inertial: tuple[float | None, ...] = (None, None, None)
    if is_pvt:
        speed_mmps, course = _PVT_MOTION.unpack_from(payload)
    else:
        speed_mmps, course, bad, x_mg, y_mg, yaw_cdps = _RACEBOX_MOTION.unpack_from(payload)
        flags &= ~(bad & _NO_PLACE)
        inertial = (x_mg / 1000.0, y_mg / 1000.0, yaw_cdps / 100.0)
    place: tuple[float | None, ...] = (None,) * 5
    if fix in _FIXES and flags & _FIX_OK:
        place = (lat / 1e7, lon / 1e7, sea_mm / 1000.0, speed_mmps / 1000.0, course / 1e5 % 360.0)
    return tod_s, (*place, float(used), within_mm / 1000.0, *inertial)


class UbxFeed:
    """Bytes of one receiver in, readings out to its stream; what is wrong is counted in `health`."""

    def __init__(self, health: SourceHealth, stream: GnssStream) -> None:
        self._health, self._stream = health, stream
        self._allowance, self._days = Allowance(MAX_EPOCHS_PER_S, BURST_EPOCHS), CountedOn(DAY_S)
        self._frames = Frames()

    def begin(self) -> None:
        """A new connection: half a message of the old one is none."""
        self._frames = Frames()
        self._stream.begin()

    def feed(self, data: bytes, received_s: float) -> None:
        """Take in what came at the monotonic time `received_s`."""
        bad = self._frames.bad
        for message in self._frames.feed(data):
            fix = read_fix(message)
            if fix is None:
                continue
            if not self._allowance.take(1.0, received_s):
                self._health.shed += 1
                continue
            received(self._health, received_s)
            self._stream.put(self._days.count(fix[0]), received_s, fix[1])
        if self._frames.bad > bad:
            fault(self._health, "bad_checksums", self._frames.bad - bad)


def open_ubx(text: str, options: Options) -> Source:
    """A source for a URI (forms: the module's docstring). SourceError says what to mend."""
    return open_receiver(text, options, CHANNELS, lambda health, stream, *_: UbxFeed(health, stream), FORMS)

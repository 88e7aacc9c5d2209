"""A u-blox receiver that sends UBX-NAV-PVT, or a RaceBox, live.

    ubx:tcp://HOST:PORT                     as for nmea: (sources/nmea.py), also tcp-listen, udp and serial
    ubx:serial:///dev/ttyACM0?baud=115200

A RaceBox sends its own message (class FF, id 01) in the same frames over Bluetooth LE: a bridge has
to hand its bytes on over TCP. The messages: `recordings/ubx.py`."""

from __future__ import annotations

from pitwall.telemetry.recordings.ubx import CHANNELS, Frames, read_fix
from pitwall.telemetry.session_clock import DAY_S, CountedOn
from pitwall.telemetry.sources.base import Allowance, Options, Source, SourceHealth, fault, received
from pitwall.telemetry.sources.nmea import BURST_EPOCHS, MAX_EPOCHS_PER_S, GnssStream, open_receiver

FORMS = "ubx:tcp://HOST:PORT, ubx:tcp-listen://HOST:PORT, ubx:udp://HOST:PORT or ubx:serial:///dev/ttyX"


class UbxFeed:
    """Bytes of one receiver in, readings out; faults are counted in `health`."""

    def __init__(self, health: SourceHealth, stream: GnssStream) -> None:
        self._health, self._stream = health, stream
        self._allowance, self._days = Allowance(MAX_EPOCHS_PER_S, BURST_EPOCHS), CountedOn(DAY_S)
        self._frames = Frames()

    def begin(self) -> None:
        """Begin a new connection."""
        self._frames = Frames()
        self._stream.begin()

    def feed(self, data: bytes, received_s: float) -> None:
        """Take what came at the monotonic time `received_s`."""
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
    """Return a source for a URI. SourceError."""
    return open_receiver(text, options, CHANNELS, lambda health, stream, *_: UbxFeed(health, stream), FORMS)

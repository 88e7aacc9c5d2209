"""A GNSS receiver that speaks NMEA 0183: RMC, GGA, VTG, GSA, at even or uneven rates.

    nmea:tcp://HOST:PORT                    we connect to it (a receiver app, a serial port behind TCP)
    nmea:tcp-listen://HOST:PORT             it connects to us; the newest connection is the one that counts
    nmea:udp://HOST:PORT                    it sends datagrams to us
    nmea:serial:///dev/ttyUSB0?baud=115200  a serial port; needs pyserial, from the extra `can`

Options, in the source's table of `pitwall.toml` or behind the `?` (the table wins):

    latency_s      how old a fix is at its stamp; else by the rate that is seen (GnssStream)
    checked        true: a sentence without a checksum is bad
    allow_remote   false: listening is for this machine only, as anyone in the paddock could send us positions
    baud           115200, of a serial port

The stamp is the receiver's time of day, counted on over midnight; its date is not needed.
"""

from __future__ import annotations

import importlib
import math
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import pairwise
from statistics import median
from typing import Annotated, NamedTuple

import msgspec

from pitwall.telemetry.recordings.nmea import CHANNELS, Epochs, Sentence, read_sentence
from pitwall.telemetry.sample import Channel, Values
from pitwall.telemetry.session_clock import DAY_S, CountedOn
from pitwall.telemetry.signals import NEEDS_FIX
from pitwall.telemetry.sources.base import (
    Allowance,
    Inbox,
    Options,
    Source,
    SourceAbsentError,
    SourceError,
    SourceHealth,
    SourceUri,
    count,
    fault,
    is_loopback,
    keep_connected,
    parse_address,
    parse_uri,
    read_options,
    received,
)
from pitwall.telemetry.sources.transports import (
    Feed,
    Intake,
    connect_tcp,
    listen_tcp,
    listen_udp,
    read_serial,
)

# From the field: 100 Hz 7 ms, 10-25 Hz about 42 ms, 5 Hz and slower 160 ms.
LATENCY_S: tuple[tuple[float, float], ...] = ((50.0, 0.007), (7.0, 0.042), (0.0, 0.160))
# The rate is the median of this many, or of this long.
RATE_READINGS = 8
RATE_WAIT_S = 2.0
MIN_READINGS = 3
# Another rate is believed after so long.
CHANGED_S = 3.0

_Reading = tuple[float | None, float, Values]


def latency_of_rate(rate_hz: float) -> float:
    """Return the age at the stamp, seconds, by the rate."""
    return next(latency_s for least_hz, latency_s in LATENCY_S if rate_hz >= least_hz)


class GnssStream:
    """Registers the stream once its rate, and so its latency, is known; a given one stays."""

    def __init__(
        self, inbox: Inbox, channels: Sequence[Channel], group: str, latency_s: float | None
    ) -> None:
        self._inbox, self._channels, self._group = inbox, channels, group
        self._stream: int | None = None
        self._latency_s = latency_s
        self._given = latency_s is not None
        self._waiting: list[_Reading] = []
        self._lately: deque[_Reading] = deque(maxlen=RATE_READINGS)
        # Since when the rate has implied another latency; -inf: believe the next.
        self._other_s: float | None = None
        if latency_s is not None:
            self._register(latency_s)

    def begin(self) -> None:
        """Start a new connection: learn its rate again."""
        self._lately.clear()
        self._other_s = -math.inf

    def put(self, source_s: float | None, received_s: float, values: Values) -> None:
        """As `Inbox.put`; the first few come later."""
        reading = (source_s, received_s, values)
        if self._stream is None:
            self._waiting.append(reading)
            if _tells(self._waiting):
                self._register(latency_of_rate(_rate_hz(self._waiting)))
            return
        if not self._given:
            self._watch(reading)
        self._inbox.put(self._stream, source_s, received_s, values)

    def _watch(self, reading: _Reading) -> None:
        lately = self._lately
        lately.append(reading)
        if not _tells(lately):
            return
        latency_s = latency_of_rate(_rate_hz(lately))
        at_s = reading[1] if reading[0] is None else reading[0]
        if latency_s == self._latency_s:
            self._other_s = None
        elif self._other_s is None or at_s < self._other_s:
            self._other_s = at_s
        elif at_s - self._other_s >= CHANGED_S:
            self._register(latency_s)

    def _register(self, latency_s: float) -> None:
        self._latency_s, self._other_s = latency_s, None
        self._stream = self._inbox.stream(self._channels, group=self._group, latency_s=latency_s)
        for source_s, received_s, values in self._waiting:
            self._inbox.put(self._stream, source_s, received_s, values)
        self._waiting.clear()


def _tells(readings: Sequence[_Reading]) -> bool:
    waited_s = readings[-1][1] - readings[0][1]
    return len(readings) >= RATE_READINGS or (len(readings) >= MIN_READINGS and waited_s >= RATE_WAIT_S)


def _rate_hz(readings: Sequence[_Reading]) -> float:
    stamps = [source_s for source_s, _, _ in readings if source_s is not None]
    for times in (stamps, [received_s for _, received_s, _ in readings]):
        steps = [b - a for a, b in pairwise(times) if b > a]
        if steps:
            return 1.0 / median(steps)
    return 0.0


FORMS = "nmea:tcp://HOST:PORT, nmea:tcp-listen://HOST:PORT, nmea:udp://HOST:PORT or nmea:serial:///dev/ttyX"
GROUP = "gnss"
DEFAULT_BAUD = 115_200

Connection = Callable[[Intake], Awaitable[str]]


class NmeaOptions(msgspec.Struct, frozen=True):
    latency_s: Annotated[float, msgspec.Meta(ge=0.0, le=10.0)] | None = None
    checked: bool = True
    allow_remote: bool = False
    baud: Annotated[int, msgspec.Meta(ge=1200, le=4_000_000)] = DEFAULT_BAUD


MakeFeed = Callable[[SourceHealth, GnssStream, SourceUri, NmeaOptions], Feed]


class ReceiverSource:
    """A receiver whose bytes a feed makes readings of."""

    def __init__(
        self, uri: SourceUri, options: NmeaOptions, connection: Connection, channels: Sequence[Channel],
        feed: MakeFeed,
    ) -> None:  # fmt: skip
        self.health = SourceHealth(uri.text)
        self._connection, self._channels, self._latency_s = connection, channels, options.latency_s
        self._feed: Callable[[GnssStream], Feed] = lambda stream: feed(self.health, stream, uri, options)

    async def run(self, inbox: Inbox) -> None:
        """Read until cancelled."""
        health, stream = self.health, GnssStream(inbox, self._channels, GROUP, self._latency_s)
        intake = Intake(health, self._feed(stream))
        health.state = "starting"
        try:
            await keep_connected(health, lambda: self._connection(intake))
        finally:
            health.state = "stopped"


def open_nmea(text: str, options: Options) -> Source:
    """Open a source for a URI. SourceError."""

    def feed(health: SourceHealth, stream: GnssStream, uri: SourceUri, given: NmeaOptions) -> Feed:
        return NmeaFeed(health, stream, checked=given.checked, datagrams=uri.rest.startswith("udp:"))

    return open_receiver(text, options, CHANNELS, feed, FORMS)


def open_receiver(
    text: str, options: Options, channels: Sequence[Channel], feed: MakeFeed, forms: str
) -> Source:
    """Open a receiver with this feed. SourceError shows the possible `forms`."""
    uri = parse_uri(text)
    settings = read_options(uri, options, NmeaOptions)
    return ReceiverSource(uri, settings, _connection(uri, settings, forms), channels, feed)


def _connection(uri: SourceUri, options: NmeaOptions, forms: str) -> Connection:
    kind, _, rest = uri.rest.partition(":")
    if kind == "tcp":
        return partial(connect_tcp, parse_address(uri, rest, forms))
    if kind in ("tcp-listen", "udp"):
        address = parse_address(uri, rest, forms)
        if not options.allow_remote and not is_loopback(address.host):
            raise SourceError(
                f"{uri.text}: would take positions from the whole network; "
                "listen on 127.0.0.1, or set allow_remote = true"
            )
        return partial(listen_tcp if kind == "tcp-listen" else listen_udp, address)
    if kind == "serial" and rest.startswith("///") and len(rest) > 3:
        _need_pyserial(uri)
        return partial(read_serial, "/" + rest.lstrip("/"), options.baud)
    raise SourceError(f"{uri.text}: is no way to a receiver; write {forms}")


def _need_pyserial(uri: SourceUri) -> None:
    try:
        importlib.import_module("serial")
    except ImportError:
        raise SourceAbsentError(
            f'{uri.text}: serial ports need pyserial; install the extra: pip install "pitwall[can]"'
        ) from None


# NMEA allows 82 characters, proprietary sentences take a few hundred.
MAX_LINE_BYTES = 1024


class LineSplitter:
    """Cuts a stream of bytes at CR or LF; drops `overlong` lines."""

    def __init__(self) -> None:
        self._tail = b""
        self._dropping = False
        self.overlong = 0

    def feed(self, data: bytes) -> list[str]:
        """Return the lines that `data` completes."""
        parts = (self._tail + data).replace(b"\r", b"\n").split(b"\n")
        tail = parts.pop()
        if self._dropping and parts:
            del parts[0]
            self._dropping = False
        if len(tail) > MAX_LINE_BYTES or self._dropping:
            self._drop()
            tail = b""
        self._tail = tail
        lines: list[str] = []
        for part in parts:
            if len(part) > MAX_LINE_BYTES:
                self.overlong += 1
            elif part:
                lines.append(part.decode("latin-1"))
        return lines

    def _drop(self) -> None:
        if not self._dropping:
            self.overlong += 1
        self._dropping = True


# How fast the last sentence of an epoch is learnt.
LAST_WEIGHT = 0.25
LAST_SHARE = 0.5
# One GSA a constellation; more is a flood.
MAX_SENTENCES = 16
# Overtaken datagrams are dropped, until this many in a row are older.
LATE_EPOCHS = 3
# Ten times the fastest receivers; ten seconds of backlog pass.
MAX_EPOCHS_PER_S = 1000.0
BURST_EPOCHS = 10_000.0

_FAULTS = {"malformed": "malformed_lines", "bad_checksum": "bad_checksums"}


class EpochReading(NamedTuple):
    """`tod_s`: the receiver's time of day; `received_s`: when its first sentence came."""

    tod_s: float
    received_s: float
    values: Values


class LiveEpochs:
    """Ends epochs without waiting for the next: it learns which sentence is usually last."""

    def __init__(self) -> None:
        self._epochs = Epochs()
        self._last_share: dict[str, float] = {}
        self._keys: list[str] = []
        self._given: frozenset[str] | None = None
        self._received_s = 0.0

    def add(self, sentence: Sentence, received_s: float) -> list[EpochReading]:
        """Return the readings that this sentence completes. ValueError: no time."""
        before = self._epochs.current
        ended = self._epochs.add(sentence)
        epoch = self._epochs.current
        if epoch is None:
            return []
        readings: list[EpochReading] = []
        if epoch is not before:
            if ended is not None:
                self._learn()
                if self._given is None:
                    readings.append(EpochReading(ended.tod_s, self._received_s, ended.reading()))
                else:
                    for name, value in ended.values.items():
                        if name not in self._given and name not in NEEDS_FIX:
                            epoch.values.setdefault(name, value)
            self._begin(received_s)
        key = f"{sentence.kind}{sum(key.startswith(sentence.kind) for key in self._keys)}"
        if len(self._keys) < MAX_SENTENCES:
            self._keys.append(key)
        if self._given is None and self._last_share.get(key, 0.0) > LAST_SHARE:
            self._given = frozenset(epoch.values)
            readings.append(EpochReading(epoch.tod_s, self._received_s, epoch.reading()))
        return readings

    def _begin(self, received_s: float) -> None:
        self._keys = []
        self._given = None
        self._received_s = received_s

    def _learn(self) -> None:
        last = self._keys[-1] if self._keys else ""
        for key in self._keys:
            share = self._last_share.get(key)
            now = 1.0 if key == last else 0.0
            self._last_share[key] = now if share is None else share + LAST_WEIGHT * (now - share)


class NmeaFeed:
    """Bytes of one receiver in, readings out; `datagrams`: each piece stands alone."""

    def __init__(self, health: SourceHealth, stream: GnssStream, *, checked: bool, datagrams: bool) -> None:
        self._health, self._stream = health, stream
        self._checked, self._datagrams = checked, datagrams
        self._allowance = Allowance(MAX_EPOCHS_PER_S, BURST_EPOCHS)
        self._days = CountedOn(DAY_S)
        self._newest_s = -math.inf
        self._late = 0
        self._lines, self._epochs = LineSplitter(), LiveEpochs()

    def begin(self) -> None:
        """Begin a new connection."""
        self._lines, self._epochs = LineSplitter(), LiveEpochs()
        self._stream.begin()

    def feed(self, data: bytes, received_s: float) -> None:
        """Take what came at the monotonic time `received_s`."""
        health, overlong = self._health, self._lines.overlong
        for line in self._lines.feed(data + b"\n" if self._datagrams else data):
            found = read_sentence(line, checked=self._checked)
            if isinstance(found, Sentence):
                self._take(found, received_s)
            elif found is not None:
                fault(health, _FAULTS[found])
        if self._lines.overlong > overlong:
            fault(health, "overlong_lines", self._lines.overlong - overlong)

    def _take(self, sentence: Sentence, received_s: float) -> None:
        try:
            readings = self._epochs.add(sentence, received_s)
        except ValueError:
            fault(self._health, "malformed_lines")
            return
        for reading in readings:
            source_s = self._days.count(reading.tod_s)
            if self._datagrams and self._overtaken(source_s):
                continue
            if not self._allowance.take(1.0, received_s):
                self._health.shed += 1
                continue
            received(self._health, received_s)
            self._stream.put(source_s, reading.received_s, reading.values)

    def _overtaken(self, source_s: float) -> bool:
        if source_s > self._newest_s:
            self._newest_s, self._late = source_s, 0
            return False
        if source_s == self._newest_s:
            count(self._health, "duplicate_epochs")
            return True
        self._late += 1
        if self._late >= LATE_EPOCHS:
            self._newest_s, self._late = source_s, 0
            return False
        count(self._health, "late_epochs")
        return True

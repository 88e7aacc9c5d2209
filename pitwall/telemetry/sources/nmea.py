"""A GNSS receiver that speaks NMEA 0183: RMC, GGA, VTG, GSA, at even or uneven rates.

    nmea:tcp://HOST:PORT                    we connect to it (a receiver app, a serial port behind TCP)
    nmea:tcp-listen://HOST:PORT             it connects to us; the newest connection is the one that counts
    nmea:udp://HOST:PORT                    it sends datagrams to us
    nmea:serial:///dev/ttyUSB0?baud=115200  a serial port; needs pyserial, from the extra `can`

Options, in the source's table of `pitwall.toml` or behind the `?` (the table wins):

    latency_s      how old a fix is at its stamp; else by the rate that is seen (gnss.py)
    checked        true: a sentence without a checksum is bad
    allow_remote   false: listening is for this machine only, as anyone in the paddock could send us positions
    baud           115200, of a serial port

The stamp is the receiver's time of day, counted on over midnight; its date is not needed.
"""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated

import msgspec

from pitwall.telemetry.recordings.nmea_sentences import CHANNELS
from pitwall.telemetry.sources.base import (
    Inbox,
    Options,
    Source,
    SourceAbsentError,
    SourceError,
    SourceHealth,
    keep_connected,
)
from pitwall.telemetry.sources.gnss import GnssStream
from pitwall.telemetry.sources.nmea_live import NmeaFeed
from pitwall.telemetry.sources.transports import Intake, connect_tcp, listen_tcp, listen_udp, read_serial
from pitwall.telemetry.sources.uri import SourceUri, is_loopback, parse_address, parse_uri, read_options

FORMS = "nmea:tcp://HOST:PORT, nmea:tcp-listen://HOST:PORT, nmea:udp://HOST:PORT or nmea:serial:///dev/ttyX"
GROUP = "gnss"
DEFAULT_BAUD = 115_200

Connection = Callable[[Intake], Awaitable[str]]


class NmeaOptions(msgspec.Struct, frozen=True):
    """See the module's docstring."""

    latency_s: Annotated[float, msgspec.Meta(ge=0.0, le=10.0)] | None = None
    checked: bool = True
    allow_remote: bool = False
    baud: Annotated[int, msgspec.Meta(ge=1200, le=4_000_000)] = DEFAULT_BAUD


class NmeaSource:
    """One receiver; see the module's docstring. Made by `open_nmea`."""

    def __init__(self, uri: SourceUri, options: NmeaOptions, connection: Connection) -> None:
        self.health = SourceHealth(uri.text)
        self._options, self._connection = options, connection
        self._datagrams = uri.rest.startswith("udp:")

    async def run(self, inbox: Inbox) -> None:
        """Read until cancelled, connecting again as often as it takes."""
        health, options = self.health, self._options
        stream = GnssStream(inbox, CHANNELS, GROUP, options.latency_s)
        feed = NmeaFeed(health, stream, checked=options.checked, datagrams=self._datagrams)
        intake = Intake(health, feed)
        health.state = "starting"
        try:
            await keep_connected(health, lambda: self._connection(intake))
        finally:
            health.state = "stopped"


def open_nmea(text: str, options: Options) -> Source:
    """A source for a URI (forms: the module's docstring). SourceError says what to mend; a receiver that is
    away is no error."""
    uri = parse_uri(text)
    settings = read_options(uri, options, NmeaOptions)
    return NmeaSource(uri, settings, _connection(uri, settings))


def _connection(uri: SourceUri, options: NmeaOptions) -> Connection:
    kind, _, rest = uri.rest.partition(":")
    if kind == "tcp":
        return partial(connect_tcp, parse_address(uri, rest, FORMS))
    if kind in ("tcp-listen", "udp"):
        address = parse_address(uri, rest, FORMS)
        if not options.allow_remote and not is_loopback(address.host):
            raise SourceError(
                f"{uri.text}: would take positions from the whole network; "
                "listen on 127.0.0.1, or set allow_remote = true"
            )
        return partial(listen_tcp if kind == "tcp-listen" else listen_udp, address)
    if kind == "serial" and rest.startswith("///") and len(rest) > 3:
        _need_pyserial(uri)
        return partial(read_serial, "/" + rest.lstrip("/"), options.baud)
    raise SourceError(f"{uri.text}: is no way to a receiver; write {FORMS}")


def _need_pyserial(uri: SourceUri) -> None:
    try:
        importlib.import_module("serial")
    except ImportError:
        raise SourceAbsentError(
            f'{uri.text}: serial ports need pyserial; install the extra: pip install "pitwall[can]"'
        ) from None

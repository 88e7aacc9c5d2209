"""A receiver over Bluetooth LE: a RaceBox, or a device that speaks RaceChrono's DIY protocol.

    ble:racebox                     the one RaceBox that is near
    ble:racechrono                  the one device near that offers RaceChrono's DIY service
    ble:RaceBox Mini 1234567890     a device by its name, or by how its name begins
    ble:AA:BB:CC:DD:EE:FF           a device by its address (on a Mac: the UUID that stands for it)

Options: latency_s, as for nmea: (sources/nmea.py). Needs bleak, from the extra `ble`: for Linux
with BlueZ, or a Mac; Termux has no BlueZ. A RaceBox sends its frames (sources/ubx.py) through
Nordic's UART service, cut anywhere. RaceChrono's service gives one fix a notification; layout:
RaceChrono's description of its BLE DIY APIs. Its time counts from the full hour, which is enough
for a stamp that is counted on."""

from __future__ import annotations

import asyncio
import importlib
import struct
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

from pitwall.telemetry.recordings.ubx import CHANNELS as UBX_CHANNELS
from pitwall.telemetry.sample import Channel, channels_of
from pitwall.telemetry.session_clock import CountedOn
from pitwall.telemetry.sources import ubx
from pitwall.telemetry.sources.base import (
    SILENT_S,
    Inbox,
    Options,
    Source,
    SourceAbsentError,
    SourceError,
    SourceHealth,
    SourceUri,
    fault,
    keep_connected,
    parse_uri,
    read_options,
    received,
)
from pitwall.telemetry.sources.nmea import GnssStream
from pitwall.telemetry.sources.transports import LOOK_S, Feed, Intake

if TYPE_CHECKING:
    from bleak import BleakClient
    from bleak.backends.characteristic import BleakGATTCharacteristic
    from bleak.backends.device import BLEDevice
    from bleak.backends.scanner import AdvertisementData

FORMS = "ble:racebox, ble:racechrono, ble:NAME or ble:ADDRESS"
# Devices advertise themselves once a second or more often.
SCAN_S = 6.0
# BlueZ asks a new device for all of its services, which takes some seconds.
CONNECT_S = 20.0
# How many of the devices seen are named if the wanted one is missing.
NAMED = 5

CHANNELS = channels_of({
    "lat_deg": "latitude", "lon_deg": "longitude", "altitude_m": "altitude", "speed_mps": "speed",
    "heading_deg": "bearing", "satellites": "locked satellites", "hdop": "HDOP",
})  # fmt: skip
# Sync bits and time, quality and satellites, latitude, longitude, altitude, speed, bearing, HDOP,
# VDOP.
_FIX = struct.Struct(">IiiHHHBB")
_HOUR_S, _TICKS_PER_S = 3600.0, 500.0
_NO_PLACE, _NO_WORD, _NO_BYTE, _NO_SATELLITES = 0x7FFF_FFFF, 0xFFFF, 0xFF, 0x3F


def read_fix(data: bytes) -> tuple[float, tuple[float | None, ...]] | None:
    """Return the seconds since the full hour and the values of CHANNELS; None for another
    message."""
    if len(data) != _FIX.size:
        return None
    head, lat, lon, altitude, speed, bearing, hdop, _ = _FIX.unpack(data)
    quality, used = head >> 6 & 0x3, head & 0x3F
    place: tuple[float | None, ...] = (None,) * 5
    if quality and _NO_PLACE not in (lat, lon):
        altitude_dm, speed_dkmh = _wide(altitude, 1, 10), _wide(speed, 0.1, 1)
        place = (
            lat / 1e7,
            lon / 1e7,
            None if altitude_dm is None else altitude_dm / 10.0 - 500.0,
            None if speed_dkmh is None else speed_dkmh / 36.0,
            None if bearing == _NO_WORD else bearing / 100.0 % 360.0,
        )
    satellites = None if used == _NO_SATELLITES else float(used)
    since_hour_s = (head >> 8 & 0x1F_FFFF) / _TICKS_PER_S
    return since_hour_s, (*place, satellites, None if hdop == _NO_BYTE else hdop / 10.0)


def _wide(word: int, fine: float, coarse: float) -> float | None:
    """A value of 15 bits in the fine unit, or with the highest bit set in the coarse one."""
    if word == _NO_WORD:
        return None
    return (word & 0x7FFF) * (coarse if word & 0x8000 else fine)


class RaceChronoFeed:
    """Notifications of RaceChrono's GPS characteristic in, readings out to its stream."""

    def __init__(self, health: SourceHealth, stream: GnssStream) -> None:
        self._health, self._stream = health, stream
        self._hours = CountedOn(_HOUR_S)

    def begin(self) -> None:
        """Start a new connection."""
        self._stream.begin()

    def feed(self, data: bytes, received_s: float) -> None:
        """Take in one notification of the monotonic time `received_s`."""
        fix = read_fix(data)
        if fix is None:
            fault(self._health, "malformed_messages")
            return
        received(self._health, received_s)
        self._stream.put(self._hours.count(fix[0]), received_s, fix[1])


class _Service(NamedTuple):
    """A service that gives positions, and the characteristic that notifies of them."""

    group: str
    uuid: str
    notifies: str
    channels: Sequence[Channel]
    feed: Callable[[SourceHealth, GnssStream], Feed]


RACECHRONO = "00001ff8-0000-1000-8000-00805f9b34fb"
SERVICES = (
    _Service("gnss", "6e400001-b5a3-f393-e0a9-e50e24dcca9e", "6e400003-b5a3-f393-e0a9-e50e24dcca9e",
     UBX_CHANNELS, ubx.UbxFeed),
    _Service("racechrono", RACECHRONO, "00000003-0000-1000-8000-00805f9b34fb", CHANNELS, RaceChronoFeed),
)  # fmt: skip


class BleOptions(msgspec.Struct, frozen=True):
    latency_s: Annotated[float, msgspec.Meta(ge=0.0, le=10.0)] | None = None


class _Wanted:
    """Tells which device is wanted. Once connected, only that one: the next car may have the same
    kind."""

    def __init__(self, wanted: str) -> None:
        self._wanted = wanted.lower()
        self._kept: str | None = None
        self._like: dict[str, tuple[str, BLEDevice]] = {}
        self.others: set[str] = set()

    def keep(self, device: BLEDevice) -> None:
        """Take only this one from now on, or one of exactly the wanted name."""
        self._kept = device.address.lower()

    def begin(self) -> None:
        """A new search."""
        self._like, self.others = {}, set()

    def is_it(self, device: BLEDevice, name: str, services: Sequence[str]) -> bool:
        """Return whether the address is the wanted one; gather those whose name fits."""
        address, named = device.address.lower(), name.lower()
        if address in (self._wanted, self._kept):
            return True
        offers = self._wanted == "racechrono" and RACECHRONO in services
        fits = self._kept is None and (offers or named.startswith(self._wanted))
        if fits or named == self._wanted:
            self._like[address] = (named, device)
        elif name:
            self.others.add(name)
        return False

    def like(self) -> list[BLEDevice]:
        """Return those of exactly the wanted name, else those whose name begins so."""
        like = self._like.values()
        exactly = [device for named, device in like if named == self._wanted]
        return exactly or [device for _, device in like]


class BleSource:
    """A receiver over Bluetooth LE; see the module's docstring. Made by `open_ble`."""

    def __init__(self, uri: SourceUri, options: BleOptions) -> None:
        self.health = SourceHealth(uri.text)
        self._options, self._name = options, uri.rest
        self._wanted = _Wanted(uri.rest)
        self._intakes: dict[str, Intake] = {}

    async def run(self, inbox: Inbox) -> None:
        """Read until cancelled, connecting again as often as it takes."""
        health = self.health
        self._intakes.clear()
        health.state = "starting"
        try:
            await keep_connected(health, lambda: self._connection(inbox))
        finally:
            health.state = "stopped"

    async def _connection(self, inbox: Inbox) -> str:
        from bleak import BleakClient
        from bleak.exc import BleakError

        device = await self._find()
        called = device.name or device.address
        ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def lost(_: BleakClient) -> None:
            if not ended.done():
                ended.set_result(f"{called} is gone: switched off, or out of reach")

        try:
            async with BleakClient(device, lost, timeout=CONNECT_S) as client:
                service, characteristic = _positions(client, called)
                intake = self._intake(service, inbox)
                intake.begin()
                self._wanted.keep(device)
                self.health.state, self.health.last_error = "down", f"waiting for bytes from {called}"

                def take(_: BleakGATTCharacteristic, data: bytearray) -> None:
                    try:
                        intake.take_datagram(bytes(data))
                    except Exception as error:
                        if not ended.done():
                            ended.set_exception(error)

                await client.start_notify(characteristic, take)
                while not ended.done():
                    await asyncio.wait({ended}, timeout=LOOK_S)
                    if intake.silent(time.monotonic()):
                        raise TimeoutError(f"nothing usable from {called} for {SILENT_S:.0f} s")
                return ended.result()
        except (BleakError, EOFError) as error:
            raise OSError(f"{called}: {str(error) or type(error).__name__}") from error

    def _intake(self, service: _Service, inbox: Inbox) -> Intake:
        """The way in of a service, the same over all connections."""
        if service.group not in self._intakes:
            stream = GnssStream(inbox, service.channels, service.group, self._options.latency_s)
            self._intakes[service.group] = Intake(self.health, service.feed(self.health, stream))
        return self._intakes[service.group]

    async def _find(self) -> BLEDevice:
        """Find the wanted device. OSError says what is there instead."""
        from bleak import BleakAdapter, BleakScanner
        from bleak.exc import BleakBluetoothNotAvailableError, BleakError

        wanted = self._wanted
        wanted.begin()

        def is_it(device: BLEDevice, seen: AdvertisementData) -> bool:
            return wanted.is_it(device, seen.local_name or device.name or "", seen.service_uuids)

        try:
            # BlueZ holds the link of a program that was killed, and who is connected doesn't
            # advertise.
            adapter = await BleakAdapter.get()
            for service in SERVICES:
                for device in await adapter.get_connected_devices([service.uuid]):
                    if wanted.is_it(device, device.name or "", [service.uuid]):
                        return device
            found = await BleakScanner.find_device_by_filter(is_it, timeout=SCAN_S)
        except (BleakError, EOFError, OSError) as error:
            why = error.args[0] if isinstance(error, BleakBluetoothNotAvailableError) else str(error)
            raise OSError(
                f"no Bluetooth here ({why or type(error).__name__}): switch the adapter on, "
                "and see that the system's Bluetooth service runs"
            ) from error
        like = wanted.like() if found is None else [found]
        if len(like) == 1:
            return like[0]
        if like:
            several = ", ".join(f"{each.name} ({each.address})" for each in like)
            raise OSError(f"several are called {self._name}: {several}; write the whole name or the address")
        others = f"; seen: {', '.join(sorted(wanted.others)[:NAMED])}" if wanted.others else ""
        raise OSError(
            f"no {self._name} was seen for {SCAN_S:.0f} s: switch it on, end the app that holds it{others}"
        )


def _positions(client: BleakClient, called: str) -> tuple[_Service, BleakGATTCharacteristic]:
    """The service of a device that gives positions. OSError if it has none."""
    for service in SERVICES:
        offered = client.services.get_service(service.uuid)
        if offered is not None and (notifies := offered.get_characteristic(service.notifies)) is not None:
            return service, notifies
    raise OSError(
        f"{called} gives no positions: it has neither a RaceBox's characteristic ({SERVICES[0].notifies}) "
        "nor that of RaceChrono's DIY protocol; name another device"
    )


def open_ble(text: str, options: Options) -> Source:
    """Open a source for a URI (forms: the module's docstring). SourceError says what to fix; an
    absent device is no error."""
    uri = parse_uri(text)
    settings = read_options(uri, options, BleOptions)
    if not uri.rest.strip("/ "):
        raise SourceError(f"{text}: names no device; write {FORMS}")
    try:
        importlib.import_module("bleak")
    except ImportError:
        raise SourceAbsentError(
            f'{text}: Bluetooth LE needs bleak; install the extra: pip install "pitwall[ble]"'
        ) from None
    return BleSource(uri, settings)

"""Receivers over Bluetooth LE: bleak's own scanner and client, with a radio that stands below them."""

from __future__ import annotations

import asyncio
import re
import struct
import sys
from collections.abc import Callable
from typing import Any

import bleak
import pytest
from bleak.backends.adapter import BaseBleakAdapter
from bleak.backends.characteristic import BleakGATTCharacteristic
from bleak.backends.client import BaseBleakClient
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData, BaseBleakScanner
from bleak.backends.service import BleakGATTService, BleakGATTServiceCollection
from can_inbox import running
from net_peers import LatencyInbox
from test_ubx import EXAMPLE, NAMES, racebox
from until import until

from pitwall.telemetry.sources import ble
from pitwall.telemetry.sources.base import SourceAbsentError, open_source

UART = ("6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
DIY = ("00001ff8-0000-1000-8000-00805f9b34fb", "00000003-0000-1000-8000-00805f9b34fb")
BATTERY = ("0000180f-0000-1000-8000-00805f9b34fb", "00002a19-0000-1000-8000-00805f9b34fb")
BAND = "C0:00:00:00:00:01"
OURS, THEIRS = "RaceBox Mini 1221409999", "RaceBox Mini 3331400000"


def cut(data: bytes, size: int = 20) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


class Radio:
    """Devices near, by address: a name, a service with its characteristic. `sessions`: the notifications of
    one connection after the other; but for the last, each ends with the loss of the link."""

    def __init__(self) -> None:
        self.near: dict[str, tuple[str, tuple[str, str]]] = {}
        self.held: set[str] = set()  # connected to this computer by a program that was killed: not advertised
        self.sessions: list[list[bytes]] = []
        self.connected: list[str] = []
        self.disconnects = 0
        self.broken: Exception | None = None

    def device(self, address: str) -> BLEDevice:
        return BLEDevice(address, self.near[address][0], None)


@pytest.fixture
def radio(monkeypatch: pytest.MonkeyPatch) -> Radio:
    made = Radio()

    class Scanner(BaseBleakScanner):
        def __init__(self, callback: Any, services: Any, mode: str, **_: Any) -> None:
            super().__init__(callback, services)

        async def start(self) -> None:
            if made.broken is not None:
                raise made.broken
            asyncio.get_running_loop().call_soon(self._advertise)

        async def stop(self) -> None:
            pass

        def _advertise(self) -> None:
            for address, (name, (service, _)) in made.near.items():
                if address not in made.held:
                    seen = AdvertisementData(name, {}, {}, [service.lower()], None, -60, ())
                    self.call_detection_callbacks(made.device(address), seen)

    class Adapter(BaseBleakAdapter):
        @classmethod
        async def get(cls, **_: Any) -> Adapter:
            return cls()

        async def get_connected_devices(self, service_uuids: frozenset[str]) -> list[BLEDevice]:
            return [made.device(each) for each in made.held if made.near[each][1][0].lower() in service_uuids]

    class Client(BaseBleakClient):
        is_connected = True  # type: ignore[assignment]
        name = mtu_size = pair = unpair = read_gatt_char = read_gatt_descriptor = None  # type: ignore[assignment]
        write_gatt_char = write_gatt_descriptor = stop_notify = None  # type: ignore[assignment]

        async def connect(self, pair: bool, **_: Any) -> None:
            made.connected.append(self.address)
            self.services = BleakGATTServiceCollection()
            uuid, notifies = made.near[self.address][1]
            service = BleakGATTService(None, 1, uuid.lower())
            self.services.add_service(service)
            self.services.add_characteristic(
                BleakGATTCharacteristic(None, 2, notifies.lower(), ["notify"], lambda: 20, service)
            )

        async def disconnect(self) -> None:
            made.disconnects += 1

        async def start_notify(
            self, characteristic: BleakGATTCharacteristic, callback: Callable[[bytearray], None], **_: Any
        ) -> None:
            loop = asyncio.get_running_loop()
            for piece in made.sessions.pop(0):
                loop.call_soon(callback, bytearray(piece))
            if made.sessions and self._disconnected_callback is not None:
                loop.call_soon(self._disconnected_callback)

    for kind, made_of in (("scanner", Scanner), ("client", Client), ("adapter", Adapter)):
        monkeypatch.setattr(bleak, f"get_platform_{kind}_backend_type", lambda of=made_of: (of, "fake"))
    monkeypatch.setattr(ble, "SCAN_S", 0.05)
    return made


async def test_a_racebox_whose_frames_come_in_pieces_and_that_is_lost_once(radio: Radio) -> None:
    radio.near = {BAND: ("Band 7", BATTERY), "C0:00:00:00:00:02": (OURS, UART)}
    example = bytes.fromhex(EXAMPLE)
    # The first connection ends within a frame, which the second one must not take for its own beginning.
    radio.sessions = [
        cut(example + b"".join(racebox(n) for n in range(1, 9)) + racebox(9)[:50]),
        cut(b"".join(racebox(n) for n in range(10, 14)), 7),
    ]
    inbox = LatencyInbox()
    source = open_source("ble:racebox", {"latency_s": 0.05})
    async with running(source, inbox):
        await until(lambda: len(inbox.of("gnss")) >= 9)
        # A second one comes near: the source stays with the first.
        radio.near = {"C0:00:00:00:00:03": (THEIRS, UART), **radio.near}
        await until(lambda: len(inbox.of("gnss")) >= 13)
        health = source.health
        assert (health.state, health.readings, health.shed, health.details) == ("up", 13, 0, {})
    assert radio.connected == ["C0:00:00:00:00:02"] * 2
    assert radio.disconnects == 2
    assert inbox.latency_s == {"gnss": 0.05}
    readings = inbox.of("gnss")
    assert [at for at, _, _ in readings] == pytest.approx(
        [31_868.239971626, *(43_200.0 + n for n in (*range(1, 9), *range(10, 14)))]
    )
    first = dict(zip(NAMES, readings[0][2], strict=True))
    assert (first["lat_deg"], first["lon_deg"], first["speed_mps"]) == (42.6719035, 23.2887238, 0.035)
    assert (first["g_long"], first["g_lat"], first["yaw_rate_dps"]) == (-0.003, 0.113, -0.04)
    assert dict(zip(NAMES, readings[-1][2], strict=True))["speed_mps"] == 30.5


async def test_a_link_that_a_killed_program_left_is_taken_over(radio: Radio) -> None:
    radio.near, radio.held = {"C0:00:00:00:00:02": (OURS, UART)}, {"C0:00:00:00:00:02"}
    radio.sessions = [cut(b"".join(racebox(n) for n in range(8)))]
    inbox = LatencyInbox()
    async with running(open_source(f"ble:{OURS}", {"latency_s": 0.0}), inbox):
        await until(lambda: len(inbox.of("gnss")) >= 8)


def diy(second: float, *, quality: int = 1, altitude: int = 5_720, speed: int = 10_980) -> bytes:
    """RaceChrono's GPS message at 59 minutes of the hour and so many seconds."""
    ticks = (59 * 30_000 + round(second * 500)) % 1_800_000
    head = struct.pack(">I", 5 << 29 | ticks << 8 | quality << 6 | 14)
    return head + struct.pack(">iiHHHBB", 510_000_000, -40_000_000, altitude, speed, 27_050, 8, 0xFF)


def test_racechronos_message() -> None:
    at_s, values = ble.read_fix(diy(1.5)) or (0.0, ())
    assert at_s == pytest.approx(59 * 60 + 1.5)
    assert values == pytest.approx((51.0, -4.0, 72.0, 30.5, 270.5, 14.0, 0.8))
    # Above 6,053 m and 327 km/h the units are ten times as coarse.
    high = ble.read_fix(diy(1.5, altitude=0x8000 | 6_600, speed=0x8000 | 3_600))
    assert high[1][2:4] == pytest.approx((6_100.0, 100.0))
    unknown = ble.read_fix(diy(1.5, altitude=0xFFFF, speed=0xFFFF))
    assert unknown[1][:4] == (51.0, -4.0, None, None)
    void = ble.read_fix(diy(1.5, quality=0))
    assert void[1][:5] == (None,) * 5
    assert ble.read_fix(diy(1.5)[:19]) is None


async def test_racechronos_service_over_the_full_hour(radio: Radio) -> None:
    radio.near = {"C0:00:00:00:00:04": ("RC DIY #9A4F", DIY)}
    radio.sessions = [[b"", *(diy(59.0 + 0.25 * n) for n in range(8))]]
    inbox = LatencyInbox()
    source = open_source("ble:racechrono", {"latency_s": 0.0})
    async with running(source, inbox):
        await until(lambda: len(inbox.of("racechrono")) >= 8)
        assert source.health.details == {"malformed_messages": 1}
    assert [at for at, _, _ in inbox.of("racechrono")] == [3_599.0 + 0.25 * n for n in range(8)]


@pytest.mark.parametrize(
    ("uri", "near", "told"),
    [
        ("ble:racebox", {BAND: ("Band 7", BATTERY)}, "no racebox was seen for 0 s: .*seen: Band 7"),
        (
            "ble:racebox",
            {"C0:00:00:00:00:02": (OURS, UART), "C0:00:00:00:00:03": (THEIRS, UART)},
            f"several are called racebox: {OURS} .C0:00:00:00:00:02., {THEIRS} .*write the whole name",
        ),
        (f"ble:{BAND.lower()}", {BAND: ("Band 7", BATTERY)}, "Band 7 gives no positions: it has neither "),
        ("ble:racebox", "there is no adapter", "no Bluetooth here .there is no adapter.: switch"),
    ],
)
async def test_what_is_in_the_way_is_told_and_tried_again(
    radio: Radio, uri: str, near: dict[str, tuple[str, tuple[str, str]]] | str, told: str
) -> None:
    if isinstance(near, str):
        radio.broken = bleak.exc.BleakBluetoothNotAvailableError(
            near, bleak.exc.BleakBluetoothNotAvailableReason.NO_BLUETOOTH
        )
    else:
        radio.near = near
    source = open_source(uri, {})
    async with running(source, LatencyInbox()):
        await until(lambda: re.search(told, source.health.last_error))
        assert source.health.errors >= 1
        # What was in the way is gone.
        radio.broken, radio.near = None, {BAND: (OURS, UART)}
        radio.sessions = [cut(b"".join(racebox(n) for n in range(8)))]
        await until(lambda: source.health.state == "up")


def test_without_the_package_the_line_for_pip_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bleak", None)
    with pytest.raises(SourceAbsentError, match=r'install the extra: pip install "pitwall\[ble\]"'):
        open_source("ble:racebox", {})

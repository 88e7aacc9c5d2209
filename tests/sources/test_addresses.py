"""Where a source is and how it is read: addresses, options, and what is said of the wrong ones."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from pitwall.telemetry.sources.base import SourceError, open_source
from pitwall.telemetry.sources.can import BusAddress, open_can, parse_address


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("can:slcan:///dev/ttyUSB0", BusAddress("slcan", "/dev/ttyUSB0")),
        ("can:slcan:/dev/ttyACM1", BusAddress("slcan", "/dev/ttyACM1")),
        ("can:slcan://socket/127.0.0.1:3333", BusAddress("slcan", "127.0.0.1", 3333)),
        ("can:slcan:socket://phone.local:3333", BusAddress("slcan", "phone.local", 3333)),
        ("can:slcan://socket/[::1]:3333", BusAddress("slcan", "::1", 3333)),
        ("can:socketcan/can0", BusAddress("socketcan", "can0")),
        ("can:virtual/demo", BusAddress("virtual", "demo")),
    ],
)
def test_addresses(uri: str, address: BusAddress) -> None:
    assert parse_address(uri) == address


@pytest.mark.parametrize(
    ("uri", "options", "words"),
    [
        ("can:slcan", {"dbc": "aim-mxp"}, "is no address of a CAN bus; write can:slcan:///dev/ttyUSB0"),
        ("can:slcan://socket/127.0.0.1", {"dbc": "aim-mxp"}, "is no address"),
        ("can:slcan://socket/127.0.0.1:99999", {"dbc": "aim-mxp"}, "is no address"),
        ("can:pcan/PCAN_USBBUS1", {"dbc": "aim-mxp"}, "is no address"),
        ("can:virtual/x", {}, "nothing says what the frames mean"),
        ("can:virtual/x", {"dcb": "aim-mxp"}, "unknown option 'dcb'; known are dbc, mapping"),
        ("can:virtual/x", {"dbc": "aim-mxq"}, "no file aim-mxq; give its path, or a shipped one: aim-mxp"),
        ("can:virtual/x", {"dbc": 5}, "write it as text"),
        ("can:virtual/x", {"mapping": "aim-mxp"}, "mapping without dbc"),
        ("can:virtual/x", {"obd": [0x99]}, "is no PID that we decode"),
        ("can:virtual/x", {"obd": "yes"}, "write true, or a list"),
        ("can:virtual/x?obd=0C,ZZ", {}, "'ZZ' is no PID"),
        ("can:virtual/x", {"dbc": "aim-mxp", "bitrate": 500_000}, "can't set the bitrate"),
        ("can:slcan:///dev/x?bitrate=123", {"dbc": "aim-mxp"}, "slcan has no bitrate 123; it has 10000"),
        ("can:slcan:///dev/x?bitrate=fast", {"dbc": "aim-mxp"}, "write a whole number"),
        ("can:slcan:///dev/x", {"obd": True, "listen_only": True}, "take one of them out"),
        ("can:slcan:///dev/x", {"dbc": "aim-mxp", "listen_only": "no"}, "write true or false"),
        ("nmea:tcp://host", {}, "needs a host and a port; write nmea:tcp://HOST:PORT"),
        ("nmea:tcp://host:99999", {}, "needs a host and a port"),
        ("nmea:usb://host:1", {}, "is no way to a receiver; write nmea:tcp"),
        ("nmea:udp://0.0.0.0:10110", {}, "allow_remote = true"),
        ("nmea:tcp-listen://192.168.1.5:10110", {}, "listen on 127.0.0.1"),
        ("nmea:tcp://host:1?latency_s=soon", {}, "option latency_s = 'soon'"),
        ("nmea:tcp://host:1", {"latency_s": -1}, "option latency_s = -1"),
        ("nmea:tcp://host:1?bauds=9600", {}, "unknown option 'bauds'; known are latency_s, checked"),
        ("gps:tcp://host:1", {}, "no source is called 'gps'; there are can, nmea"),
        ("/dev/ttyUSB0", {}, "is no source; write SCHEME:"),
        ("replay:/no/such/file", {}, "no recording at /no/such/file"),
        ("replay:", {}, "write replay:/path/to/file"),
        ("replay:/etc/hostname?speed=0", {}, "option speed"),
        ("replay:/etc/hostname?speed=fast", {}, "option speed = 'fast'"),
        ("replay:/etc/hostname?speed=nan", {}, "option speed"),
        ("sensorserver:http://127.0.0.1:80", {}, "needs the WebSocket of the app; write sensorserver:ws://"),
        ("sensorserver:ws://127.0.0.1", {}, "needs a host and a port"),
        ("sensorserver:ws://127.0.0.1:8080?mount=roof", {}, "option mount = 'roof'"),
        ("sensorserver:ws://127.0.0.1:8080?gps=false&imu=false", {}, "leave one in"),
        ("push:api?speed=1", {}, "unknown option 'speed'; it has none"),
    ],
)
def test_what_a_person_must_mend(uri: str, options: dict[str, object], words: str) -> None:
    with pytest.raises(SourceError, match=re.escape(words)) as caught:
        open_source(uri, options)
    assert uri.startswith("can:") or uri.partition("?")[0] in str(caught.value)


@pytest.mark.parametrize(
    ("missing", "uri"),
    [("can", "can:virtual/x"), ("cantools", "can:virtual/x"), ("serial", "can:slcan:///dev/x")],
)
def test_a_missing_extra_is_said_with_its_cure(
    monkeypatch: pytest.MonkeyPatch, missing: str, uri: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)  # as import sees a package that is not there
    with pytest.raises(SourceError, match=re.escape('pip install "pitwall[can]"')):
        open_can(uri, {"dbc": "aim-mxp"})


def test_nothing_of_the_extra_is_loaded_before_a_source_is_opened() -> None:
    code = (
        "import sys, pitwall.telemetry.sources.can; print({'can', 'cantools', 'serial'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"

"""UBX-NAV-PVT and RaceBox's message, written byte by byte, over a real socket."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from can_inbox import running
from hypothesis import given
from hypothesis import strategies as st
from net_peers import LOCAL, LatencyInbox, TcpPeer
from until import until

from pitwall.telemetry.recordings.detect import open_recording
from pitwall.telemetry.recordings.ubx import CHANNELS, Frames, read_fix
from pitwall.telemetry.sources.base import open_source

NAMES = [channel.name for channel in CHANNELS]


def framed(kind: int, number: int, payload: bytes) -> bytes:
    body = struct.pack("<BBH", kind, number, len(payload)) + payload
    a = b = 0
    for byte in body:
        a = (a + byte) % 256
        b = (b + a) % 256
    return b"\xb5\x62" + body + bytes((a, b))


def head(second: int, nano: int, fix: int, lat_deg: float) -> bytes:
    """What both messages begin with, as far as the vertical accuracy."""
    made = struct.pack("<IHBBBBBBIi", 0, 2024, 7, 14, 12, 0, second, 7, 30, nano)
    made += struct.pack("<BBBB", fix, 1 if fix else 0, 0, 12)
    return made + struct.pack("<iiiiII", 40_000_000, round(lat_deg * 1e7), 60_000, 20_000, 800, 900)


def pvt(second: int, nano: int = 0, fix: int = 3, lat_deg: float = 51.0) -> bytes:
    motion = struct.pack("<iiiii", 1, 2, 3, 30_500, -9_000_000)
    return framed(1, 7, head(second, nano, fix, lat_deg) + motion + b"\0" * 24)


def racebox(second: int, lat_deg: float = 51.0) -> bytes:
    motion = struct.pack("<iiIIHBB6h", 30_500, 9_000_000, 0, 0, 150, 0, 90, 510, -250, 1000, 1, 2, 1234)
    return framed(0xFF, 1, head(second, 0, 3, lat_deg) + motion)


def told(message: bytes) -> tuple[float, dict[str, float | None]]:
    [found] = Frames().feed(message)
    fix = read_fix(found)
    return fix[0], dict(zip(NAMES, fix[1], strict=True))


def test_nav_pvt() -> None:
    tod_s, values = told(pvt(1, -20_000_000))
    assert tod_s == pytest.approx(43_200.98)
    assert (values["lat_deg"], values["lon_deg"]) == pytest.approx((51.0, 4.0))
    assert (values["speed_mps"], values["heading_deg"], values["altitude_m"]) == (30.5, 270.0, 20.0)
    assert (values["satellites"], values["accuracy_m"], values["g_lat"]) == (12.0, 0.8, None)
    assert told(pvt(1, fix=0))[1]["lat_deg"] is None


def test_racebox() -> None:
    tod_s, values = told(racebox(2))
    assert tod_s == 43_202.0
    assert (values["speed_mps"], values["heading_deg"]) == (30.5, 90.0)
    assert (values["g_long"], values["g_lat"], values["yaw_rate_dps"]) == (0.51, -0.25, 12.34)


# The example of RaceBox's own protocol description (revision 8), as it comes from the device.
EXAMPLE = """
B5 62 FF 01 50 00 A0 E7 0C 07 E6 07 01 0A 08 33 08 37 19 00 00 00 2A AD 4D 0E 03 01 EA 0B C6 93 E1 0D
3B 37 6F 19 61 8C 09 00 0F 01 09 00 9C 03 00 00 2C 07 00 00 23 00 00 00 00 00 00 00 D0 00 00 00 88 A9
DD 00 2C 01 00 59 FD FF 71 00 CE 03 2F FF 56 00 FC FF 06 DB
"""


def test_the_example_of_raceboxs_protocol() -> None:
    tod_s, values = told(bytes.fromhex(EXAMPLE))
    assert tod_s == pytest.approx(8 * 3600 + 51 * 60 + 8.239971626)
    assert (values["lat_deg"], values["lon_deg"], values["altitude_m"]) == (42.6719035, 23.2887238, 590.095)
    assert (values["speed_mps"], values["satellites"], values["accuracy_m"]) == (0.035, 11.0, 0.924)
    assert (values["g_long"], values["g_lat"], values["yaw_rate_dps"]) == (-0.003, 0.113, -0.04)
    body = bytearray(bytes.fromhex(EXAMPLE)[6:-2])
    body[66] |= 1  # the coordinates are not valid
    assert told(framed(0xFF, 1, bytes(body)))[1]["lat_deg"] is None


async def test_a_broken_message_and_what_is_no_message_cost_only_themselves() -> None:
    broken = bytearray(pvt(3))
    broken[20] ^= 0xFF
    data = (
        b"$GNRMC,1\r\n\xb5" + pvt(1) + b"\xb5\x62\x01" + pvt(2) + bytes(broken) + pvt(4) + framed(1, 3, b"12")
    )
    inbox = LatencyInbox()
    async with TcpPeer([data + b"".join(pvt(5 + n) for n in range(8)), b""]) as peer:
        source = open_source(f"ubx:tcp://{LOCAL}:{peer.port}", {})
        async with running(source, inbox):
            await until(lambda: len(inbox.of("gnss")) >= 11)
            assert source.health.details["bad_checksums"] >= 1
    stamps = [source_s for source_s, _, _ in inbox.of("gnss")]
    assert stamps[:11] == [43_200.0 + n for n in (1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12)]


@given(st.lists(st.one_of(st.binary(max_size=40), st.sampled_from([pvt(1), racebox(2)])), max_size=8))
def test_any_bytes_in_any_pieces_are_taken(pieces: list[bytes]) -> None:
    frames = Frames()
    messages = [each for piece in pieces for each in frames.feed(piece)]
    assert all(read_fix(each) is not None for each in messages if each.kind in ((1, 7), (255, 1)))
    assert [read_fix(each) for each in messages] == [
        read_fix(each) for each in Frames().feed(b"".join(pieces))
    ]


def test_a_log_of_the_receiver_is_a_recording_with_its_day(tmp_path: Path) -> None:
    path = tmp_path / "drive.ubx"
    rows = [pvt(second, lat_deg=51.0 + second * 1e-4, fix=3 if second != 5 else 0) for second in range(10)]
    path.write_bytes(rows[0] + b"noise" + b"".join(rows[1:]) + racebox(11))
    recording = open_recording(path)
    samples = list(recording.samples())
    assert recording.info.start_utc_s == 1_720_958_400.0  # 2024-07-14 12:00
    assert [sample.t for sample in samples] == [float(second) for second in range(10)]
    assert samples[9].values[:2] == pytest.approx((51.0009, 4.0))
    assert samples[5].values[0] is None
    assert [(finding.kind, finding.count) for finding in recording.findings()] == [("void_fix", 1)]

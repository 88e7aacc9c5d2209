"""Live NMEA over real sockets and a real pseudo-terminal: peers that vanish, flood, babble and come back."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import socket
import tty
from pathlib import Path

import pytest
from can_inbox import running
from net_peers import LOCAL, LatencyInbox, TcpPeer, free_port, gga, joined, rmc
from until import until

from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.sources.base import open_source

Positions = list[tuple[float | None, float | None]]


def drive(first: int, count: int, hz: float = 10.0) -> bytes:
    """Epochs numbered from `first`."""
    return joined(
        [text for i in range(first, first + count) for text in (rmc(100.0 + i / hz), gga(100.0 + i / hz))]
    )


def positions(inbox: LatencyInbox) -> Positions:
    return [(values[0], values[1]) for _, _, values in inbox.of("gnss")]


async def test_a_recording_over_tcp_cut_off_and_back_is_what_the_file_says(recordings: Path) -> None:
    path = recordings / "orlando-18hz.nmea"
    data = path.read_bytes()
    cut = data.index(b"$", len(data) // 2) + 20  # in the middle of a sentence
    resume = data.index(b"\n", cut) + 1
    inbox = LatencyInbox()
    # The end of the last epoch is known by the next one only.
    script = [data[:cut], data[resume:] + joined([rmc(80_000.0)])]
    async with TcpPeer(script) as peer:
        source = open_source(f"nmea:tcp://{LOCAL}:{peer.port}", {})
        expected = [sample.values for sample in open_recording(path).samples()]
        async with running(source, inbox):
            await until(lambda: len(inbox.readings) >= len(expected) - 1)
            assert source.health.reconnects == 1
            assert source.health.state == "up"
    found = positions(inbox)
    lost = [row[:2] for row in expected if row[:2] not in set(found)]
    # The sentence that was cut is gone, and nothing else.
    assert len(lost) == 1
    assert [row[:2] for row in expected if row[:2] != lost[0]] == found[: len(expected) - 1]
    assert inbox.latency_s == {"gnss": 0.042}
    stamps = [source_s for source_s, _, _ in inbox.of("gnss")]
    assert stamps[0] == pytest.approx(17 * 3600 + 34 * 60 + 30.01)
    assert source.health.details == {}


async def test_peers_may_come_to_us_and_the_newest_counts() -> None:
    port = free_port()
    inbox = LatencyInbox()
    source = open_source(f"nmea:tcp-listen://{LOCAL}:{port}", {"latency_s": 0.0})
    async with running(source, inbox):
        await until(lambda: "waiting" in source.health.last_error)
        assert source.health.state == "down"
        _, first = await asyncio.open_connection(LOCAL, port)
        first.write(drive(0, 10))
        await inbox.count(9)
        assert source.health.state == "up"
        old_reader, second = await asyncio.open_connection(LOCAL, port)
        second.write(drive(50, 10))
        await inbox.count(18)
        # The older one is let go of, even in the middle of a sentence.
        first.write(b"$GPRMC,0000")
        second.write(drive(60, 10))
        await inbox.count(28)
        second.close()
        await until(lambda: source.health.state == "down")
        assert source.health.last_error == "the peer closed the connection"
        first.close()
        third_reader, third = await asyncio.open_connection(LOCAL, port)
        third.write(drive(80, 10))
        await inbox.count(36)
    # The source's end closes what was open.
    assert await asyncio.wait_for(third_reader.read(), 10.0) == b""
    assert await asyncio.wait_for(old_reader.read(), 10.0) == b""
    third.close()
    with pytest.raises(OSError, match=re.escape(str(port))):
        await asyncio.open_connection(LOCAL, port)
    assert source.health.details == {}


async def test_a_port_that_is_taken_is_told_and_tried_again() -> None:
    port = free_port()
    with socket.socket() as other:
        other.bind((LOCAL, port))
        other.listen()
        source = open_source(f"nmea:tcp-listen://{LOCAL}:{port}", {})
        inbox = LatencyInbox()
        async with running(source, inbox):
            await until(lambda: source.health.errors > 0)
            assert "in use" in source.health.last_error
            other.close()
            await until(lambda: "waiting" in source.health.last_error)


async def test_a_serial_port_that_is_pulled_and_plugged_in_again(tmp_path: Path) -> None:
    device = tmp_path / "ttyGPS"

    def plug() -> int:
        leader, follower = pty.openpty()
        tty.setraw(follower)
        device.unlink(missing_ok=True)
        device.symlink_to(os.ttyname(follower))
        os.close(follower)
        return leader

    leader = plug()
    inbox = LatencyInbox()
    source = open_source(f"nmea:serial://{device}?baud=115200", {})
    async with running(source, inbox):
        await until(lambda: "waiting for bytes" in source.health.last_error)
        assert _opened(device)
        os.write(leader, drive(0, 20))
        await inbox.count(19)
        assert source.health.state == "up"
        os.close(leader)
        await until(lambda: source.health.state == "down")
        leader = plug()
        await until(lambda: "waiting for bytes" in source.health.last_error)
        os.write(leader, drive(30, 20))
        await inbox.count(38)
        assert source.health.reconnects >= 1
    assert not _opened(device)
    os.close(leader)


def _opened(device: Path) -> bool:
    """Whether this process has the port open."""
    port = os.path.realpath(device)
    for fd in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{fd}") == port:
                return True
        except OSError:
            continue
    return False


def test_listening_to_the_network_is_a_choice() -> None:
    assert open_source("nmea:udp://0.0.0.0:10110?allow_remote=true", {}).health.state == "starting"
    assert open_source("nmea:tcp-listen://[::1]:10110", {}).health.state == "starting"

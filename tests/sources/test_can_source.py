"""The CAN source against real peers: virtual buses, an slcan adapter behind TCP, a serial port."""

from __future__ import annotations

import asyncio
import os
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path

import can
import pytest
from can_frames import GENESIS_MAPPING, encode_recording_to_frames, read_candump
from can_inbox import KeptInbox, running
from can_slcan_peer import SlcanPeer
from hypothesis import given, settings
from hypothesis import strategies as st
from until import until, wait_until

from pitwall.telemetry.recordings.can_logs import EXTENDED
from pitwall.telemetry.recordings.detect import open_recording
from pitwall.telemetry.sample import Channel
from pitwall.telemetry.sources import can_reader
from pitwall.telemetry.sources.base import Source
from pitwall.telemetry.sources.can import SHIPPED, DbcFiles, decoders_of, open_can
from pitwall.telemetry.sources.can_decode import MessagePart
from pitwall.telemetry.sources.can_link import BusLink
from pitwall.telemetry.sources.can_obd import ADDRESSINGS
from pitwall.telemetry.sources.can_reader import DecodedFrame, RowBuilder

# 100 frames of 0x420, rpm counting up from 1000.
REVS = [(0.01 * i, 0x420, (1000 + i).to_bytes(2, "little") + bytes(6)) for i in range(100)]


def aim(peer: SlcanPeer, **options: object) -> Source:
    return open_can(f"can:slcan://socket/{peer.address}?bitrate=1000000", {"dbc": "aim-mxp", **options})


def rpms(inbox: KeptInbox) -> list[float | None]:
    return [value for _, value in inbox.series("rpm")]


def stand_still(done: Callable[[], bool]) -> None:
    """Hold the event loop up until `done`."""
    wait_until(done)


def reader_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("can:")]


async def test_a_real_candump_over_a_virtual_bus_with_every_id_accounted_for(recordings: Path) -> None:
    frames = list(read_candump(recordings / "genesis-candump.log"))
    options = {"dbc": str(recordings / "genesis.dbc"), "mapping": str(GENESIS_MAPPING)}
    source, inbox = open_can("can:virtual/genesis", options), KeptInbox()
    with can.Bus(interface="virtual", channel="genesis", preserve_timestamps=True) as bus:
        async with running(source, inbox):
            await until(lambda: source.health.state == "up")
            for t, key, data in frames:
                bus.send(can.Message(timestamp=t, arbitration_id=key, data=data, is_extended_id=False))
            await until(lambda: source.health.details.get("frames") == len(frames))
    details = source.health.details
    assert details["unknown_frames"] == 2461
    assert details["unknown_ids"] == 11
    shown = {int(name[8:], 16): count for name, count in details.items() if name.startswith("unknown_0x")}
    ids = [key for _, key, _ in frames]
    assert len(shown) == 10
    assert all(count == ids.count(key) for key, count in shown.items())
    # EMS12 is multiplexed: one frame is its own stream and the one of its multiplexer value.
    assert {"EMS12", "EMS12[MUL_CODE=0]", "EMS12[MUL_CODE=3]"} <= set(inbox.groups)
    known = [frame for frame in frames if frame[1] not in shown]
    first = [key for key in ids if key == 0x316]
    assert len(inbox.series("rpm")) == len(first) == 1036
    assert [t for t, _ in inbox.series("rpm")] == [t for t, key, _ in known if key == 0x316]
    assert any(
        channel.name == "tqi_min" and not channel.canonical for row in inbox.channels for channel in row
    )


@pytest.mark.long
async def test_a_recording_through_an_slcan_adapter_comes_back_within_its_resolution(drives: Path) -> None:
    path = drives / "sonoma-m3-vbox.csv"
    frames = list(encode_recording_to_frames(path))
    inbox = KeptInbox()
    with SlcanPeer() as peer:
        async with running(aim(peer), inbox):
            await asyncio.to_thread(peer.wait_open)
            await asyncio.to_thread(peer.play, frames)
            await inbox.count(len(frames))
    assert peer.commands == ["", "", "C", "S8", "Z1", "O", "C"]
    recording = open_recording(path)
    names = [channel.name for channel in recording.info.streams[0].channels]
    samples = list(recording.samples())
    # Half a step of each signal on the bus, in our units.
    for name, resolution in (
        ("speed_mps", 0.05 * 0.44704), ("lat_deg", 0.5e-7), ("lon_deg", 0.5e-7), ("g_lat", 0.005),
        ("g_long", 0.005), ("brake_bar", 0.5 * 0.0689476), ("throttle_pct", 0.005), ("rpm", 0.5),
        ("steering_deg", 0.05), ("coolant_c", 0.05 * 5 / 9),
    ):  # fmt: skip
        column = names.index(name)
        truth = [(sample.t, sample.values[column]) for sample in samples]
        found = inbox.series(name)
        assert len(found) == len(truth) > 10_000
        for (t, value), (true_t, true_value) in zip(found, truth, strict=True):
            assert t is not None  # the adapter's own milliseconds, unwrapped over 18 minutes
            assert abs(t - true_t) <= 0.000_501
            assert true_value is not None
            low = 0.0 if name == "brake_bar" else -1e9  # the bus has no pressure below zero
            assert abs(value - max(true_value, low)) <= resolution * 1.000_001


async def test_an_adapter_without_stamps_and_listening_only() -> None:
    inbox = KeptInbox()
    with SlcanPeer(stamps=False) as peer:
        async with running(aim(peer, listen_only=True), inbox):
            await asyncio.to_thread(peer.wait_open)
            before_s = time.monotonic()
            peer.play(REVS)
            await inbox.count(len(REVS))
        assert "L" in peer.commands
        assert "O" not in peer.commands
    assert all(stamp is None for stamp, _ in inbox.series("rpm"))
    assert all(received >= before_s for _, _, received, _ in inbox.readings)


async def test_a_serial_port_that_is_unplugged(tmp_path: Path) -> None:
    adapter, port = os.openpty()
    # Another process may get the terminal's number at once: the name goes with the adapter, as in /dev.
    path = tmp_path / "ttyUSB0"
    path.symlink_to(os.ttyname(port))
    tty.setraw(port)
    source = open_can(f"can:slcan://{path}?dbc=aim-mxp", {})
    async with running(source, KeptInbox()):
        await until(lambda: source.health.state == "up")
        path.unlink()
        os.close(port)
        os.close(adapter)
        await until(lambda: source.health.errors >= 2)
        assert source.health.state == "down"
        assert str(path) in source.health.last_error
    assert reader_threads() == []


GARBAGE = [
    b"\x00\xff\xfe\x80" * 5000 + b"\r", b"\r\x07\x07\r" * 2000, b"t4208\r", b"t420811\r",
    b"t4208zz22334455667788\r", b"t42081122334455667788990\r", b"t4209112233445566778899\r", b"tFFF0\r",
    b"TFFFFFFFF0\r", b"t\r", b"T\r", b"hello\r", "t٤٢٠٠\r".encode(),
]  # fmt: skip


async def test_garbage_is_counted_and_the_next_frame_read() -> None:
    inbox = KeptInbox()
    with SlcanPeer(stamps=False) as peer:
        source = aim(peer)
        async with running(source, inbox):
            await asyncio.to_thread(peer.wait_open)
            for number, junk in enumerate(GARBAGE):
                await asyncio.to_thread(peer.send_raw, junk)
                peer.play(REVS[number : number + 1])
            await inbox.count(len(GARBAGE))
            await until(lambda: source.health.details.get("frames") == len(GARBAGE))
            assert source.health.state == "up"
        assert peer.connections == 1
    assert rpms(inbox) == [1000.0 + i for i in range(len(GARBAGE))]
    assert source.health.details["garbled_lines"] >= len(GARBAGE) - 2
    assert source.health.errors == source.health.details["garbled_lines"]


async def test_frames_in_pieces_of_any_size_are_put_together() -> None:
    inbox = KeptInbox()
    with SlcanPeer() as peer:
        async with running(aim(peer), inbox):
            await asyncio.to_thread(peer.wait_open)
            line = b"".join(peer.line(*frame) for frame in REVS)
            for at in range(0, len(line), 7):
                peer.send_raw(line[at : at + 7])
            await inbox.count(len(REVS))
    assert rpms(inbox) == [1000.0 + i for i in range(100)]


async def test_short_remote_error_and_extended_frames() -> None:
    source, inbox = open_can("can:virtual/odd", {"dbc": "aim-mxp"}), KeptInbox()
    odd = [
        can.Message(arbitration_id=0x420, data=b"1234567", is_extended_id=False),
        can.Message(arbitration_id=0x420, dlc=8, is_remote_frame=True, is_extended_id=False),
        can.Message(is_error_frame=True),
        can.Message(arbitration_id=0x420, data=b"12345678", is_extended_id=True),
        can.Message(arbitration_id=0x420, data=REVS[0][2], is_extended_id=False),
    ]
    with can.Bus(interface="virtual", channel="odd") as bus:
        async with running(source, inbox):
            await until(lambda: source.health.state == "up")
            for message in odd:
                bus.send(message)
            await inbox.count(1)
    details = source.health.details
    assert rpms(inbox) == [1000.0]
    assert (details["short_frames"], details["remote_frames"], details["error_frames"]) == (1, 1, 1)
    assert details["unknown_0x00000420"] == 1
    assert source.health.errors == 2


async def test_ids_that_nothing_decodes_are_left_out_once_they_were_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(can_reader, "LISTEN_S", 0.0)
    inbox = KeptInbox()
    noise = [(t, 0x7A0, data) for t, _, data in REVS]
    with SlcanPeer() as peer:
        source = aim(peer)
        async with running(source, inbox):
            await asyncio.to_thread(peer.wait_open)
            peer.play(REVS[:1])
            await until(lambda: source.health.details.get("frames") == 1)
            peer.play(noise)
            peer.play(REVS[1:])
            await inbox.count(len(REVS))
    assert rpms(inbox) == [1000.0 + i for i in range(100)]
    assert "unknown_frames" not in source.health.details


async def test_the_kernel_s_filters_let_through_what_is_decoded_and_answers_of_an_ecu() -> None:
    decoders = decoders_of(DbcFiles(SHIPPED / "aim-mxp.dbc", None))
    link = BusLink("virtual", "filtered")
    try:
        link.keep_only([*decoders.filters(), *(each.answers for each in ADDRESSINGS)])
        with can.Bus(interface="virtual", channel="filtered") as bus:
            sent = [
                (0x420, False),
                (0x41F, False),
                (0x420, True),
                (0x7E8, False),
                (0x7F0, False),
                (0x18DAF110, True),
            ]
            for key, extended in sent:
                bus.send(can.Message(arbitration_id=key, data=bytes(8), is_extended_id=extended))
            keys = [frame.key for _ in sent for frame in link.read(0.05)]
    finally:
        link.close()
    assert keys == [0x420, 0x7E8, EXTENDED | 0x18DAF110]


@settings(max_examples=25)
@given(
    phases=st.lists(st.floats(0.0, 0.009), min_size=2, max_size=6),
    lost=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 119)), max_size=8),
)
def test_messages_of_one_rate_are_one_row_and_no_reading_is_lost(
    phases: list[float], lost: set[tuple[int, int]]
) -> None:
    """Each message comes a hundred times a second, at its own place in the period."""
    parts = [MessagePart(f"m{i}", (Channel(f"s{i}", "", ""),)) for i in range(len(phases))]
    came = sorted(
        (0.01 * n + phase, i) for i, phase in enumerate(phases) for n in range(120) if (i, n) not in lost
    )
    builder = RowBuilder()
    rows = [row for t, i in came for row in builder.add([DecodedFrame(parts[i], t, t, (t,))])]
    rows += builder.take_all()
    told: dict[str, list[float]] = {}
    for row in rows:
        times = {ch.name: t for ch, t in zip(row.part.channels, row.values, strict=True) if t is not None}
        for name, t in times.items():
            told.setdefault(name, []).append(t)
        assert row.stamp_s == max(times.values())
        assert max(times.values()) - min(times.values()) < 0.015
    assert told == {f"s{i}": [t for t, part in came if part == i] for i in range(len(phases))}
    if not lost:
        assert len(rows) <= 122


async def test_unknown_ids_without_end_are_counted_within_bounds() -> None:
    source, inbox = open_can("can:virtual/scan", {"dbc": "aim-mxp"}), KeptInbox()
    with can.Bus(interface="virtual", channel="scan") as bus:
        async with running(source, inbox):
            await until(lambda: source.health.state == "up")
            for key in range(1000):
                bus.send(can.Message(arbitration_id=key | EXTENDED >> 4, data=b"", is_extended_id=True))
            await until(lambda: source.health.details.get("frames") == 1000)
    details = source.health.details
    assert details["unknown_frames"] == 1000
    assert details["unknown_ids"] == can_reader.MAX_UNKNOWN_IDS
    assert len(details) == 3 + can_reader.SHOWN_UNKNOWN_IDS


async def test_a_stalled_loop_sheds_what_the_drive_does_not_need_and_counts_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A batch of frames is taken whole: the queue holds two of the largest.
    monkeypatch.setattr(can_reader, "MAX_PENDING", 1000)
    monkeypatch.setattr(can_reader, "STALL_S", 0.05)
    monkeypatch.setattr(can_reader, "LEARN_READINGS", 1)
    monkeypatch.setattr(can_reader, "LEAST_HZ", float("inf"))
    source, inbox = open_can("can:virtual/stall", {"dbc": "aim-mxp"}), KeptInbox()
    wheels = can.Message(arbitration_id=0x450, data=bytes(8), is_extended_id=False)
    engine = can.Message(arbitration_id=0x420, data=bytes(8), is_extended_id=False)
    with can.Bus(interface="virtual", channel="stall") as bus:
        async with running(source, inbox):
            await until(lambda: source.health.state == "up")
            for _ in range(1500):
                bus.send(wheels)
                bus.send(engine)
            stand_still(lambda: source.health.details.get("frames") == 3000)
            await inbox.count(source.health.readings)
            assert source.health.shed == 3000 - len(inbox.readings)
            kept = [inbox.groups[stream] for stream, *_ in inbox.readings]
            assert kept.count("ENGINE") > kept.count("WHEELS")
            assert len(kept) <= 2 * 1000 + 512
            for _ in range(50):
                bus.send(wheels)
            await inbox.count(len(kept) + 50)


async def test_a_flood_is_taken_without_loss_and_in_slices_between_which_the_loop_goes_on() -> None:
    inbox, slices, taken = KeptInbox(), [], 0
    with SlcanPeer() as peer:
        async with running(aim(peer), inbox):
            await asyncio.to_thread(peer.wait_open)
            playing = asyncio.create_task(asyncio.to_thread(peer.play, REVS * 300))
            while not playing.done():
                await asyncio.sleep(0)
                slices.append(len(inbox.readings) - taken)
                taken = len(inbox.readings)
            await inbox.count(30_000)
    assert max(slices) <= 2 * can_reader.SLICE
    assert rpms(inbox) == [1000.0 + i for i in range(100)] * 300


async def test_cancelling_leaves_nothing_behind() -> None:
    with SlcanPeer() as peer:
        source, inbox = aim(peer), KeptInbox()
        async with running(source, inbox):
            await asyncio.to_thread(peer.wait_open)
            peer.play(REVS)
            await until(lambda: source.health.readings == 100)
        assert len(inbox.readings) == 100  # also those that still waited for the loop
        await asyncio.to_thread(peer.wait_closed)
        assert peer.commands[-1] == "C"
    assert reader_threads() == []
    handles = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        async with running(source, KeptInbox()):  # now nobody is there
            await until(lambda: source.health.state == "down")
    assert reader_threads() == []
    assert len(os.listdir("/proc/self/fd")) == handles

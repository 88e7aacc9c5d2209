"""The OBD-II poller: what it asks, how it adapts to the car, and ECUs on real buses."""

from __future__ import annotations

import asyncio

import pytest
from can_ecu import EXTENDED, Ecu
from can_inbox import KeptInbox, running
from can_slcan_peer import SlcanPeer
from until import until

from pitwall.telemetry.sources.can import open_can
from pitwall.telemetry.sources.can_obd import (
    BY_PID,
    LOST_AFTER,
    PENDING_S,
    SEEK_EVERY_S,
    TIMEOUT_S,
    ObdPoller,
)

CAR = {0x04: b"\x80", 0x05: b"\x7b", 0x0C: b"\x1a\xf8", 0x0D: b"\x64", 0x11: b"\x33", 0x5C: b"\x82"}
READS = {
    "rpm": 1726.0, "wheel_speed_mps": 100 / 3.6, "throttle_pct": 20.0, "coolant_c": 83.0, "oil_temp_c": 90.0,
    "obd_engine_load": 12_800 / 255,
}  # fmt: skip


def drive(poller: ObdPoller, ecus: list[Ecu], start_s: float, end_s: float) -> list[tuple[float, str, float]]:
    """Run the poller over simulated seconds in steps of 10 ms; ECUs answer at once."""
    found = []
    for step in range(round((end_s - start_s) * 100)):
        now_s = start_s + step / 100
        question = poller.due(now_s)
        for key, data in (answer for ecu in ecus for answer in (ecu.answer(*question) if question else ())):
            reading = poller.take(key, data, now_s)
            if reading is not None:
                part, (value,) = reading
                assert value is not None
                found.append((now_s, part.channels[0].name, value))
    return found


def test_it_finds_what_the_car_has_and_asks_the_fast_ones_more_often() -> None:
    ecu = Ecu(CAR)
    found = drive(ObdPoller(BY_PID), [ecu], 0.0, 10.0)
    assert ecu.asked[:3] == [0x00, 0x20, 0x40]
    assert set(ecu.asked[3:]) == set(CAR)  # nothing that the car does not have
    assert {name: value for _, name, value in found} == pytest.approx(READS)
    names = [name for _, name, _ in found]
    assert names.count("rpm") == pytest.approx(2 * names.count("coolant_c"), abs=2)
    assert names.count("coolant_c") == pytest.approx(names.count("oil_temp_c"), abs=1)


@pytest.mark.parametrize(
    ("ecus", "taken", "changed"),
    [
        # The gearbox answers too, and is not listened to.
        ([Ecu({0x0D: b"\x00", 0x05: b"\x00"}), Ecu(CAR, key=0x7E9)], (), {}),
        ([Ecu(CAR, key=EXTENDED | 0x18DAF110, ask=EXTENDED | 0x18DB33F1)], (), {}),
        # The pedal is preferred to the throttle plate; a name that the DBC has is left to it.
        ([Ecu({**CAR, 0x5A: b"\xff"})], (), {"throttle_pct": 100.0, "obd_throttle_position": 20.0}),
        ([Ecu(CAR)], {"rpm"}, {"rpm": None, "obd_engine_speed": 1726.0}),
    ],
    ids=["gearbox", "29 bits", "pedal", "DBC"],
)
def test_what_is_read_of_a_car(ecus: list[Ecu], taken: set[str], changed: dict[str, float | None]) -> None:
    found = drive(ObdPoller(BY_PID, used=taken), ecus, 0.0, 3.0)
    expected = {name: value for name, value in (READS | changed).items() if value is not None}
    assert {name: value for _, name, value in found} == pytest.approx(expected)


def test_only_what_was_wished_for() -> None:
    poller, ecu = ObdPoller({0x0C, 0x5A}), Ecu(CAR)
    assert {name for _, name, _ in drive(poller, [ecu], 0.0, 2.0)} == {"rpm"}
    assert poller.counts["obd_lacking"] == 1


def test_one_pid_that_is_never_answered_does_not_slow_the_others_for_long() -> None:
    ecu, poller = Ecu({**CAR, 0x0D: b"\x64"}), ObdPoller(BY_PID)
    drive(poller, [ecu], 0.0, 0.5)
    del ecu.values[0x0D]
    drive(poller, [ecu], 0.5, 3.0)
    before = len(ecu.asked)
    drive(poller, [ecu], 3.0, 6.0)
    asked = ecu.asked[before:]
    assert 0 < asked.count(0x0D) < asked.count(0x0C) / 2


def test_the_ignition_goes_off_and_on() -> None:
    ecu, poller = Ecu(CAR), ObdPoller(BY_PID)
    drive(poller, [ecu], 0.0, 2.0)
    ecu.silent = True
    assert drive(poller, [ecu], 2.0, 10.0) == []
    assert poller.counts["obd_ecu_lost"] == 1
    ecu.silent = False
    back = drive(poller, [ecu], 10.0, 13.0)
    assert back[0][0] - 10.0 < SEEK_EVERY_S + 8 * TIMEOUT_S
    assert {name: value for _, name, value in back} == pytest.approx(READS)


def test_refusals_and_pending_answers() -> None:
    poller, ecu = ObdPoller({0x0C}), Ecu({0x0C: b"\x1a\xf8"})
    drive(poller, [ecu], 0.0, 1.0)
    now_s = 2.0
    question = poller.due(now_s)
    assert question[1][2] == 0x0C
    assert poller.take(0x7E8, b"\x03\x7f\x01\x78\0\0\0\0", now_s) is None  # wait
    assert poller.due(now_s + PENDING_S / 2) is None
    reading = poller.take(0x7E8, b"\x04\x41\x0c\x1a\xf8\0\0\0", now_s + PENDING_S / 2)
    assert reading[1] == (1726.0,)
    for refusal in range(LOST_AFTER):
        at_s = 10.0 + refusal
        assert poller.due(at_s) is not None
        assert poller.take(0x7E8, b"\x03\x7f\x01\x12\0\0\0\0", at_s) is None
    assert poller.counts["obd_refused"] == LOST_AFTER


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\x04\x41", b"\x04\x41\x0c", b"\x04\x41\x0c\x1a", b"\x03\x7f\x01",
        b"\x03\x41\x0c\x1a\0\0\0\0", b"\x04\x41\x0d\x1a\xf8", b"\x10\x41\x0c\x1a\xf8\0\0\0",
        b"\xff\x41\x0c\x1a\xf8\0\0\0", b"\x04\x42\x0c\x1a\xf8\0\0\0", b"\x00\x41\x0c\0\0\0\0\0",
    ],
)  # fmt: skip
def test_an_answer_that_is_none_gives_no_reading(data: bytes) -> None:
    poller = ObdPoller({0x0C})
    drive(poller, [Ecu({0x0C: b"\x1a\xf8"})], 0.0, 1.0)
    assert poller.due(2.0) is not None
    assert poller.take(0x7E8, data, 2.0) is None
    assert poller.take(0x7E9, b"\x04\x41\x0c\x1a\xf8\0\0\0", 2.0) is None  # another ECU
    assert poller.take(0x7E8, b"\x04\x41\x0c\x1a\xf8\0\0\0", 2.0) is not None


async def test_a_car_behind_an_slcan_adapter_that_is_unplugged_and_back() -> None:
    ecu = Ecu(CAR)
    with SlcanPeer(ecu=ecu.answer) as peer:
        source = open_can(f"can:slcan://socket/{peer.address}?bitrate=500000&obd=0C,0D", {})
        inbox = KeptInbox()
        async with running(source, inbox):
            await inbox.count(6)
            peer.drop()
            await until(lambda: source.health.reconnects == 1)
            count = len(inbox.readings)
            await inbox.count(count + 6)
        await asyncio.to_thread(peer.wait_closed)
    assert inbox.groups == ["obd.0c", "obd.0d"]
    assert set(ecu.asked) == {0x00, 0x0C, 0x0D} | ({0x20, 0x40} & set(ecu.asked))

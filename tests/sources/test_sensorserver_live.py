"""SensorServer's protocol over real WebSockets: fixes and sensors, a phone that goes away, and garbage."""

from __future__ import annotations

import math

import pytest
from can_inbox import running
from net_peers import LOCAL, LatencyInbox, PhonePeer
from until import until

from pitwall.telemetry.recordings.columns import G_MPS2
from pitwall.telemetry.sources.base import open_source
from pitwall.telemetry.sources.sensorserver import ACCELEROMETER, GYROSCOPE

UNIX_MS = 1_780_000_000_000
BOOT_NS = 7_000_000_000_000


def fix(i: int, *, hz: float = 1.0, speed: float = 0.0) -> dict[str, object]:
    return {
        "latitude": 38.16 + i * 1e-5, "longitude": -122.45, "altitude": 12.5, "bearing": 308.0,
        "speed": speed, "accuracy": 3.8, "time": UNIX_MS + int(i * 1000 / hz), "lastKnowLocation": False,
    }  # fmt: skip


def sensor(kind: str, i: int, x: float, y: float, z: float, *, hz: float = 100.0) -> dict[str, object]:
    return {"type": kind, "values": [x, y, z], "timestamp": BOOT_NS + int(i * 1e9 / hz), "accuracy": 3}


async def test_fixes_and_sensors_of_a_phone() -> None:
    inbox = LatencyInbox()
    async with PhonePeer() as phone:
        source = open_source(f"sensorserver:ws://{LOCAL}:{phone.port}", {"mount": "portrait"})
        async with running(source, inbox):
            await phone.connected("gps", "imu")
            assert phone.types == [[ACCELEROMETER, GYROSCOPE]]
            for i in range(4):
                await phone.send("gps", fix(i, hz=0.4, speed=3.0))
            # Turning left at 10 deg/s about the phone's y, which is up.
            await phone.send("imu", sensor(GYROSCOPE, 0, 0.0, math.radians(10.0), 0.0))
            await phone.send("imu", sensor(ACCELEROMETER, 0, 0.0, G_MPS2, 0.0))
            await phone.send("imu", sensor("android.sensor.light", 0, 300.0, 0.0, 0.0))
            await until(lambda: source.health.readings == 6)
            assert source.health.state == "up"
            rates = inbox.of("gyroscope")
            forces = inbox.of("accelerometer")
    assert rates[0][0] == pytest.approx(BOOT_NS * 1e-9)
    assert rates[0][2] == pytest.approx((10.0, 0.0, 0.0))
    # Not before it is levelled.
    assert forces[0][2] == (None, None, None)
    names = [channel.name for channel in inbox.channels[inbox.groups.index("gyroscope")]]
    assert names == ["yaw_rate_dps", "roll_rate_dps", "pitch_rate_dps"]
    assert source.health.details == {}


async def test_once_it_has_stood_still_it_gives_the_cars_own_axes() -> None:
    """In landscape, leaning back by 20 degrees, nobody said how: gravity tells, then the car brakes left."""
    lean = math.radians(20.0)

    def reading(forward: float, left: float, up: float) -> tuple[float, float, float]:
        back, x = (
            -forward * math.cos(lean) + up * math.sin(lean),
            forward * math.sin(lean) + up * math.cos(lean),
        )
        return x * G_MPS2, left * G_MPS2, back * G_MPS2

    inbox = LatencyInbox()
    async with PhonePeer() as phone:
        source = open_source(f"sensorserver:ws://{LOCAL}:{phone.port}", {"latency_s": 0.0})
        async with running(source, inbox):
            await phone.connected("gps", "imu")
            for i in range(230):
                await phone.send("imu", sensor(GYROSCOPE, i, 0.01, 0.0, -0.02))
                await phone.send("imu", sensor(ACCELEROMETER, i, *reading(0.0, 0.0, 1.0)))
            await phone.send("imu", sensor(ACCELEROMETER, 230, *reading(-0.9, 0.4, 1.0)))
            await phone.send("imu", sensor(GYROSCOPE, 230, 0.01, 0.0, -0.02))
            await until(lambda: source.health.readings == 462)
    assert inbox.of("accelerometer")[0][2] == (None, None, None)
    assert inbox.of("accelerometer")[-1][2] == pytest.approx((-0.9, 0.4, 1.0), abs=1e-6)
    # What the gyroscope says at rest is its own.
    assert inbox.of("gyroscope")[-1][2] == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
    assert source.health.details == {}


async def test_a_phones_fix_is_old_at_its_stamp_unless_it_is_fast() -> None:
    for hz, latency_s in ((1.0, 0.160), (10.0, 0.042)):
        inbox = LatencyInbox()
        async with PhonePeer() as phone:
            source = open_source(f"sensorserver:ws://{LOCAL}:{phone.port}", {"imu": False})
            async with running(source, inbox):
                await phone.connected("gps")
                await phone.send("gps", fix(0, hz=hz) | {"lastKnowLocation": True})
                for i in range(10):
                    await phone.send("gps", fix(i, hz=hz))
                await inbox.count(10)
        assert inbox.latency_s == {"gps": latency_s}
        assert inbox.groups == ["gps"]
        first = inbox.of("gps")[0]
        assert first[0] == pytest.approx(UNIX_MS / 1000)
        assert first[2] == (38.16, -122.45, 12.5, 0.0, 308.0, 3.8)


async def test_a_phone_that_goes_away_and_comes_back() -> None:
    inbox = LatencyInbox()
    phone = PhonePeer()
    await phone.start()
    source = open_source(f"sensorserver:ws://{LOCAL}:{phone.port}", {"latency_s": 0.0})
    async with running(source, inbox):
        await phone.connected("gps", "imu")
        await phone.send("gps", fix(0))
        await phone.send("imu", sensor(GYROSCOPE, 0, 0.0, 0.0, 0.0))
        await until(lambda: source.health.readings == 2)
        # One half gone: the source is up as long as the other one brings readings.
        await phone.sockets["gps"][0].close()
        await until(lambda: "gps" in source.health.last_error)
        await phone.send("imu", sensor(GYROSCOPE, 1, 0.0, 0.0, 0.0))
        await until(lambda: source.health.readings == 3)
        assert source.health.state == "up"
        await phone.stop()
        await until(lambda: source.health.state == "down" and source.health.errors > 0)
        await phone.start()
        await phone.connected("gps", "imu")
        await phone.send("gps", fix(1))
        await until(lambda: source.health.readings == 4)
        assert source.health.state == "up"
        assert source.health.reconnects >= 2
    await phone.stop()


@pytest.mark.parametrize("binary", [False, True])
async def test_a_peer_that_speaks_something_else_is_told_of(binary: bool) -> None:
    async with PhonePeer() as phone:
        source = open_source(f"sensorserver:ws://{LOCAL}:{phone.port}", {})
        async with running(source, LatencyInbox()):
            await phone.connected("gps", "imu")
            if binary:
                await phone.sockets["gps"][0].send_bytes(bytes(2000))
            else:
                await phone.send("gps", {"hello": "I am a chat server"})
            await until(lambda: source.health.state == "down")
            assert "gps: what comes is no message of the app" in source.health.last_error
            await phone.send("gps", fix(0))
            await until(lambda: source.health.state == "up")

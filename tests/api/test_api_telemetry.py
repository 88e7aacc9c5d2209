"""Batches that are handed in: whole, once, on the disk before the answer, or refused with the reason."""

from __future__ import annotations

from typing import Any

import api_daemon
import msgspec
import pytest
from api_client import Client, asking

from pitwall.config import Home
from pitwall.contract.push import PushBatch, PushResult
from pitwall.store.errors import StoreError
from pitwall.telemetry.recordings.journal import JournalRecording

STREAM = {
    "group": "imu",
    "channels": [{"name": "g_lat", "unit": "g"}, {"name": "odd_one"}],
    "latency_s": 0.01,
}


def batch(number: int = 1, **changes: Any) -> dict[str, Any]:
    samples = [
        {"stream": 0, "source_s": 100.0 + number + i / 100, "values": [i / 10, None]} for i in range(10)
    ]
    whole = {"batch_id": f"b-{number}", "source": "phone", "streams": [STREAM], "samples": samples}
    return {**whole, **changes}


def on_disk(home: Home) -> list[tuple[float, tuple[float | None, ...]]]:
    """Every sample of the one journal, read from the file at this moment."""
    [journal] = home.journals.glob("*.pwj")
    return [(sample.t, sample.values) for sample in JournalRecording(journal).samples()]


@pytest.mark.parametrize("packed", [False, True])
async def test_an_answered_batch_is_on_the_disk_and_a_repeated_one_is_taken_once(
    home: Home, packed: bool
) -> None:
    async with api_daemon.running(home) as (_, port, token), asking(port, token) as session:
        client = Client(session, port)
        encode = msgspec.msgpack.encode if packed else msgspec.json.encode
        headers = {"Content-Type": "application/msgpack" if packed else "application/json; charset=utf-8"}
        for known in (False, True):
            body = encode(batch())
            result = await client.json("/telemetry", method="POST", data=body, headers=headers)
            assert result == {"type": "taken", "batch_id": "b-1", "samples": 10, "known": known}
            assert len(on_disk(home)) == 10
    assert on_disk(home)[3] == (101.03, (0.3, None))


@pytest.mark.parametrize(
    ("changes", "status", "wanted"),
    [
        ({"batch_id": "../x"}, 400, "$.batch_id"),
        ({"batch_id": ""}, 400, "$.batch_id"),
        ({"source": "a b"}, 400, "$.source"),
        ({"source": "phone\n"}, 400, "$.source"),
        ({"batch_id": "b\n"}, 400, "$.batch_id"),
        ({"streams": [{"group": "a", "channels": [{"name": "g_lat\n"}]}]}, 400, "$.streams[0].channels[0]"),
        ({"samples": []}, 400, "$.samples"),
        ({"extra": 1}, 400, "extra"),
        ({"streams": [STREAM, STREAM]}, 409, "$.streams[1].group: 'imu' is there twice"),
        ({"streams": [{"group": "a", "channels": [{"name": "x"}] * 2}]}, 409, "$.streams[0].channels"),
        (
            {"streams": [{"group": "a", "channels": [{"name": "Not Canonical"}]}]},
            400,
            "$.streams[0].channels[0]",
        ),
        ({"samples": [{"stream": 1, "source_s": 1, "values": [1, 2]}]}, 409, "$.samples[0].stream: 1"),
        ({"samples": [{"stream": 0, "source_s": 1, "values": [1]}]}, 409, "1 values for 2 channels"),
        ({"samples": [{"stream": 0, "source_s": "now", "values": [1, 2]}]}, 400, "$.samples[0].source_s"),
        ({"samples": [{"stream": 0, "source_s": float("inf"), "values": [1, 2]}]}, 409, "$.samples[0]"),
        ({"samples": [{"stream": 0, "source_s": 1, "values": [1, float("nan")]}]}, 409, "send null"),
    ],
)
async def test_a_batch_with_a_mistake_is_refused_with_its_place(
    home: Home, changes: dict[str, Any], status: int, wanted: str
) -> None:
    async with api_daemon.running(home) as (daemon, port, token), asking(port, token) as session:
        body = msgspec.msgpack.encode(batch(**changes))
        told = await Client(session, port).json(
            "/telemetry", status, method="POST", data=body, headers={"Content-Type": "application/msgpack"}
        )
        assert daemon.batches == {}
    assert wanted in told["error"]
    assert not list(home.journals.iterdir())


async def test_a_daemon_that_has_no_room_says_when_to_come_again(home: Home) -> None:
    async with api_daemon.running(home) as (daemon, port, token), asking(port, token) as session:
        client = Client(session, port)
        daemon.full = True
        async with session.post(client.base + "/telemetry", json=batch()) as response:
            assert response.status == 429
            assert response.headers["Retry-After"] == "3"
            assert (await response.json())["error"] == "the inbox is full"
        daemon.full = False
        assert not (await client.json("/telemetry", method="POST", json=batch()))["known"]


async def test_a_batch_that_fails_on_the_disk_says_so(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    async def failing(batch: PushBatch) -> PushResult:
        raise StoreError("the disk is gone")

    async with api_daemon.running(home) as (daemon, port, token), asking(port, token) as session:
        monkeypatch.setattr(daemon, "accept", failing)
        told = await Client(session, port).json("/telemetry", 503, method="POST", json=batch())
    assert "disk is gone" in told["error"]

"""Those that look on: thinned to their own pace, told what was dropped, and never felt."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp
import api_daemon
import pytest
from api_client import Client, asking, mute

from pitwall.api.live import MOST_VIEWERS, QUEUE_MESSAGES, Crowded, LiveHub
from pitwall.coach.cue import Callout
from pitwall.config import Home
from pitwall.drive.session import LiveState
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Position


def show(hub: LiveHub, t: float) -> None:
    hub.publish_frame(Frame(t, speed_mps=t), Position(t, 10 * t, 0.5, "on"), LiveState(t=t, lap=3))


def call(cue: int) -> Callout:
    return Callout(cue, cue / 10, "Brake at the bridge, then wait", 1.5, False)


async def told(viewer: Any) -> list[dict[str, Any]]:
    async with asyncio.timeout(10):
        messages = await viewer.next()
    return [json.loads(message) for message in messages or []]


async def test_a_viewer_gets_the_newest_frame_at_his_own_pace_and_every_callout() -> None:
    hub = LiveHub()
    viewer = hub.view(hz=20)
    [hello] = await told(viewer)
    assert (hello["type"], hello["hz"]) == ("hello", 20)
    for number in range(1, 101):
        show(hub, float(number))
    [frame] = await told(viewer)
    assert (frame["type"], frame["frame"]["t"], frame["state"]["lap"]) == ("frame", 100.0, 3)
    assert frame["position"]["distance_m"] == 1000.0
    show(hub, 101.0)
    hub.publish_callout(call(1))
    hub.publish_event(101.0, "source", "GPS lost")
    assert [message["type"] for message in await told(viewer)] == ["callout", "event"]
    show(hub, 102.0)
    [frame] = await told(viewer)
    assert frame["frame"]["t"] == 102.0
    assert hub.status().frames == 102
    viewer.close()
    assert hub.status().clients == 0
    assert await viewer.next() is None


async def test_what_waits_for_a_slow_viewer_is_bounded_and_he_is_told() -> None:
    hub = LiveHub()
    viewer = hub.view()
    await told(viewer)
    for number in range(1000):
        hub.publish_callout(call(number))
    await asyncio.sleep(0)
    missed, *callouts = await told(viewer)
    assert missed == {"type": "missed", "count": 1000 - QUEUE_MESSAGES}
    assert [message["callout"]["cue"] for message in callouts] == list(range(1000 - QUEUE_MESSAGES, 1000))
    assert hub.status().missed == 1000 - QUEUE_MESSAGES


async def test_no_more_viewers_than_there_is_room_for() -> None:
    hub = LiveHub()
    viewers = [hub.view() for _ in range(MOST_VIEWERS)]
    with pytest.raises(Crowded):
        hub.view()
    viewers[0].close()
    hub.view()


async def test_server_sent_events(home: Home) -> None:
    async with api_daemon.running(home) as (daemon, port, token), asking(port, token) as session:
        url = f"http://127.0.0.1:{port}/live?hz=50"
        async with session.get(url) as response:
            assert response.content_type == "text/event-stream"
            assert await event(response) == {"type": "hello", "version": "0.1.0", "hz": 50}
            show(daemon.live, 1.5)
            assert (await event(response))["frame"]["t"] == 1.5
            daemon.live.publish_callout(call(7))
            assert (await event(response))["callout"]["text"] == "Brake at the bridge, then wait"
            daemon.live.publish_event(None, "session", "paddock")
            assert await event(response) == {
                "type": "event",
                "t": None,
                "kind": "session",
                "detail": "paddock",
            }
            assert (await Client(session, port).json("/status?details=live"))["details"]["live"][
                "clients"
            ] == 1
        async with session.get(url, headers={"Accept": "application/json"}) as response:
            assert (await response.json())["frame"]["t"] == 1.5
        for hz in ("0", "51", "nan", "fast", "-1"):
            assert "$.hz" in (await Client(session, port).json(f"/live?hz={hz}", 400))["error"]


async def event(response: aiohttp.ClientResponse) -> Any:
    async with asyncio.timeout(10):
        line = await response.content.readline()
        assert await response.content.readline() == b"\n"
    assert line.startswith(b"data: ")
    return json.loads(line[6:])


async def test_a_stalled_client_is_thinned_and_the_others_do_not_notice(home: Home) -> None:
    async with (
        api_daemon.running(home) as (daemon, port, token),
        asking(port, token) as session,
        session.get(f"http://127.0.0.1:{port}/live") as healthy,
    ):
        assert (await event(healthy))["type"] == "hello"
        stalled = mute(port, "/live", token)
        async with asyncio.timeout(60):
            assert await asyncio.to_thread(stalled.recv, 9) == b"HTTP/1.1 "
            count = 0
            while daemon.live.status().missed == 0:
                daemon.live.publish_callout(call(count))
                got = await event(healthy)
                assert got["callout"]["cue"] == count
                count += 1
        for number in range(1000):
            show(daemon.live, float(number))
        stalled.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=stalled)
        lines = await read_until(reader, b'"t":999.0')
        writer.close()
        await writer.wait_closed()
    messages = [json.loads(line[6:]) for line in lines if line.startswith(b"data: ")]
    kinds = [message["type"] for message in messages]
    cues = [message["callout"]["cue"] for message in messages if message["type"] == "callout"]
    assert kinds.count("missed") == 1
    assert cues == sorted(cues)
    [missed] = [message["count"] for message in messages if message["type"] == "missed"]
    assert len(cues) + missed == count
    assert kinds.count("frame") <= 2


async def read_until(reader: asyncio.StreamReader, mark: bytes) -> list[bytes]:
    lines: list[bytes] = []
    async with asyncio.timeout(20):
        while not lines or mark not in lines[-1]:
            lines.append(await reader.readline())
    return lines


async def test_a_client_that_never_takes_anything_is_cut_off(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.api.sockets.SEND_TIME_S", 0.2)
    async with api_daemon.running(home) as (daemon, port, token):
        stalled = mute(port, "/live", token)
        async with asyncio.timeout(60):
            await asyncio.to_thread(stalled.recv, 9)
            while daemon.live.status().clients:
                daemon.live.publish_callout(call(1))
                await asyncio.sleep(0)
        stalled.close()

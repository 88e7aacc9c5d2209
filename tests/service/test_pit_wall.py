"""The pit wall over a real listener: who is let in, what is spoken, and what is said of what was not."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import split_drive
from browser import browsing
from service_inside import Moving, running, settings
from test_degradation import Driven
from until import until

from pitwall.api import paired
from pitwall.config import Home
from pitwall.contract.problems import Refused
from pitwall.contract.status import CoachChange
from pitwall.contract.wall import WallForget
from pitwall.daemon.app import Daemon
from pitwall.daemon.intake import sources as sources_module
from pitwall.drive.controls import CrewSays, record_of

WALL = """[wall]
enabled = true
host = "127.0.0.1"
port = 0
address = "127.0.0.1"
[sources.one]
uri = "test:one"
"""
MESSAGE = {"id": "ab" * 8, "says": "box", "pressed_s": 0.0}


@pytest.fixture
def driven(spoken_home: Home) -> Driven:
    return Driven(spoken_home)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon's only source drives north for ever."""
    monkeypatch.setattr(sources_module, "open_source", lambda uri, _: Moving(uri))


def is_private(path: Path, code: str) -> bool:
    return path.stat().st_mode & 0o077 == 0 and code.encode() not in path.read_bytes()


class Visitor:
    """A browser of the pits."""

    def __init__(self, client: aiohttp.ClientSession, port: int) -> None:
        self.client, self.base = client, f"http://127.0.0.1:{port}"

    async def ask(self, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        method = "GET" if body is None else "POST"
        async with self.client.request(method, self.base + path, json=body, headers=headers) as answer:
            return answer.status, await answer.json()


def visitor(daemon: Daemon) -> Visitor:
    jar = aiohttp.CookieJar(unsafe=True)
    return Visitor(aiohttp.ClientSession(cookie_jar=jar), daemon.wall.port)


def code_of(daemon: Daemon, role: Any, name: str) -> str:
    return daemon.wall.link(role, name).link.partition("#")[2]


async def test_a_link_lets_one_device_in_once_and_a_role_is_kept(home: Home, made: None) -> None:
    async with running(home, settings(home, WALL)) as daemon:
        await until(lambda: daemon.wall.port != 0)
        crew, view, stranger = visitor(daemon), visitor(daemon), visitor(daemon)
        code = code_of(daemon, "crew", "Anna")
        assert (await crew.ask("/state"))[0] == 401
        assert (await stranger.ask("/say", MESSAGE))[0] == 401
        assert (await stranger.ask("/status"))[0] in (401, 404)
        assert (await crew.ask("/pair", {"code": code}))[0] == 200
        assert (await stranger.ask("/pair", {"code": code}))[0] == 403
        assert (await view.ask("/pair", {"code": code_of(daemon, "view", "Bob")}))[0] == 200
        status, state = await crew.ask("/state")
        assert (status, state["role"], state["name"]) == (200, "crew", "Anna")
        assert (await view.ask("/say", MESSAGE))[0] == 403
        for name in ("evil.example:80", "203.0.113.9:8770", f"127.0.0.2:{daemon.wall.port}"):
            assert (await crew.ask("/state", Host=name))[0] == 421
        assert (await crew.ask("/say", MESSAGE, Origin="http://evil.example"))[0] == 403
        async with crew.client.get(f"{crew.base}/live") as stream:
            assert stream.status == 200
            assert b"hello" in await stream.content.readline()
            [anna] = [each for each in daemon.wall.devices if each.name == "Anna"]
            daemon.wall.forget(WallForget(anna.id).id)
            with pytest.raises(aiohttp.ClientError):
                await stream.content.read()
        assert (await crew.ask("/state"))[0] == 401
        token = (home.root / "token").read_text().strip()
        assert (await stranger.ask("/state", Authorization=f"Bearer {token}"))[0] == 401
        assert is_private(home.root / "wall.json", code)
        for each in (crew, view, stranger):
            await each.client.close()


async def test_strangers_neither_guess_a_code_nor_hold_the_crew_out(home: Home, made: None) -> None:
    async with running(home, settings(home, WALL)) as daemon:
        await until(lambda: daemon.wall.port != 0)
        code, stranger, crew = code_of(daemon, "crew", "Anna"), visitor(daemon), visitor(daemon)
        assert [(await stranger.ask("/pair", {"code": "x" * 22}))[0] for _ in range(12)] == [403] * 12
        idle = [socket.create_connection(("127.0.0.1", daemon.wall.port)) for _ in range(300)]
        assert (await crew.ask("/pair", {"code": code}))[0] == 200
        assert (await crew.ask("/state"))[0] == 200
        assert any(turned_away(each) for each in idle), "the oldest gave way"
        for each in idle:
            each.close()
        await stranger.client.close()
        await crew.client.close()


def turned_away(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True
    except BlockingIOError:
        return False


async def test_a_message_is_handed_on_once_and_refused_where_nobody_drives(home: Home, made: None) -> None:
    async with running(home, settings(home, WALL)) as daemon:
        await until(lambda: daemon.wall.port != 0 and daemon.keeper.session is not None)
        crew = visitor(daemon)
        await crew.ask("/pair", {"code": code_of(daemon, "crew", "Anna")})
        _, state = await crew.ask("/state")
        message = MESSAGE | {"pressed_s": state["now_s"]}
        assert (await crew.ask("/say", message | {"pressed_s": state["now_s"] - 60.0}))[0] == 409
        for _ in range(3):
            assert (await crew.ask("/say", message))[0] == 200
        assert (await crew.ask("/say", message | {"id": "cd" * 8, "says": "target"}))[0] == 422
        assert (await crew.ask("/say", message | {"id": "../../x"}))[0] == 422
        assert daemon.keeper.session is not None
        await until(lambda: "spoken" in daemon.wall.messages["ab" * 8].ended)
        _, state = await crew.ask("/state")
        [line] = state["messages"]
        assert (line["text"], line["by"]) == ("Box this lap.", "Anna")
        daemon.speak(CoachChange(understood=True))
        with pytest.raises(Refused):  # one message has one answer
            daemon.speak(CoachChange(understood=True))
        _, state = await crew.ask("/state")
        assert state["messages"][0]["understood_utc_s"] is not None
        await crew.client.close()


class WeakNetwork:
    """Forwards to a port; while `held` nothing passes."""

    def __init__(self, port: int) -> None:
        self._to, self._passing = port, asyncio.Event()
        self._passing.set()
        self._open: set[asyncio.StreamWriter] = set()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[int]:
        server = await asyncio.start_server(self._both, "127.0.0.1", 0)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            self.cut()

    def hold(self, held: bool) -> None:
        self._passing.clear() if held else self._passing.set()

    def cut(self) -> None:
        for each in tuple(self._open):
            each.transport.abort()

    async def _both(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_reader, to_writer = await asyncio.open_connection("127.0.0.1", self._to)
        self._open |= {writer, to_writer}
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(self._pass(reader, to_writer), self._pass(to_reader, writer))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 14):
            await self._passing.wait()
            writer.write(data)
        writer.close()


def pressed(name: str) -> str:
    return f"[...document.querySelectorAll('button')].find((each) => each.textContent === '{name}').click()"


@pytest.mark.long
async def test_over_a_weak_network_each_message_is_spoken_once_or_called_not_spoken(
    home: Home, made: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(home, settings(home, WALL)) as daemon, browsing() as page:
        await until(lambda: daemon.wall.port != 0 and daemon.keeper.session is not None)
        network = WeakNetwork(daemon.wall.port)
        async with network.serving() as port:
            await page.size(390, 844)
            await page.open(f"http://127.0.0.1:{port}/#{code_of(daemon, 'crew', 'Anna')}")
            await page.until("document.querySelector('.link').textContent === 'linked'")
            assert await page.run("document.documentElement.scrollWidth") <= 390
            await page.run(pressed("Box this lap"))
            await page.until("document.body.innerText.includes('\tspoken')")
            network.hold(True)
            await page.run(pressed("Traffic behind"))
            await page.until("document.body.innerText.includes('trying again: Traffic behind')")
            await page.until("document.querySelector('.link').textContent.startsWith('LINK LOST')")
            # What waited in the network is older than this by now.
            monkeypatch.setattr(paired, "MOST_AGE_S", 1.0)
            network.hold(False)
            await page.until("document.body.innerText.includes('NOT spoken: it came')")
            monkeypatch.setattr(paired, "MISSED_S", 0.0)
            network.cut()
            await until(lambda: daemon.wall.trouble() == "the link to Anna is lost")
            await page.until("document.querySelector('.link').textContent === 'linked'")
            await until(lambda: daemon.wall.trouble() == "")
            assert [each.says for each in daemon.wall.messages.values()] == ["box"]


def test_what_the_crew_says_is_said_on_a_straight_and_no_call_is_late_for_it(driven: Driven) -> None:
    said = [
        record_of(150.0, CrewSays("11" * 8, "push", "Anna")),
        record_of(165.0, CrewSays("11" * 8, "push", "Anna")),
        record_of(170.0, CrewSays("22" * 8, "target", "Anna", 113.2)),
        record_of(190.0, CrewSays("33" * 8, "red", "Anna")),
    ]
    driven.feed(heapq.merge(split_drive.drive(246.0), said, key=lambda each: each.t))
    assert len([line for line in driven.lines if line.text == "Push now."]) == 1, "one message, sent twice"
    lines = {line.text: line for line in driven.lines if "crew message" in line.reason}
    assert [line.outcome.split()[-1] for line in lines.values()] == ["spoken"] * 3
    assert "by Anna" in lines["Target lap: one fifty three point two"].reason
    assert lines["Red flag. Slow down."].t - 190.0 < 0.3
    assert all(line.time_in_hand_s is None or line.time_in_hand_s > 0.0 for line in driven.lines)

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
import msgspec
import pytest
import split_drive
from browser import browsing
from service_inside import Moving, running, settings
from test_degradation import Driven
from until import until

from pitwall.api import paired
from pitwall.coach.cue import SPOKEN
from pitwall.config import Home
from pitwall.contract.problems import Refused
from pitwall.contract.status import CoachChange
from pitwall.contract.wall import WallDevice
from pitwall.daemon.app import Daemon
from pitwall.daemon.intake import sources as sources_module
from pitwall.drive.controls import CrewSays, SayAgain, record_of
from pitwall.voice.render import VoiceError

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
        [anna] = [each for each in daemon.wall.devices if each.name == "Anna"]
        daemon.wall.forget(anna.id)
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
        # He answers while it is still said.
        await until(lambda: daemon.keeper.status().said == "Box this lap.")
        daemon.speak(CoachChange(understood=True))
        await until(lambda: "spoken" in daemon.wall.messages["ab" * 8].ended)
        _, state = await crew.ask("/state")
        [line] = state["messages"]
        assert (line["text"], line["by"]) == ("Box this lap.", "Anna")
        with pytest.raises(Refused):  # one message has one answer
            daemon.speak(CoachChange(understood=True))
        _, state = await crew.ask("/state")
        assert state["messages"][0]["understood_utc_s"] is not None
        await crew.client.close()


async def test_another_cars_page_gets_in_by_a_link_of_its_own_and_by_no_cookie(
    home: Home, made: None
) -> None:
    async with running(home, settings(home, WALL)) as daemon:
        await until(lambda: daemon.wall.port != 0)
        page, other = visitor(daemon), "http://192.0.2.7:8770"
        async with page.client.options(f"{page.base}/say", headers={"Origin": other}) as answer:
            assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (204, other)
        _, given = await page.ask("/pair", {"code": code_of(daemon, "crew", "Anna")}, Origin=other)
        assert (await page.ask("/state", Origin=other))[0] == 401
        shown = {"Origin": other, "Authorization": f"Bearer {given['secret']}"}
        assert (await page.ask("/state", **shown))[1]["name"] == "Anna"
        assert (await page.ask("/line", **shown)) == (
            200,
            {"track": "", "line": [], "step_m": 0.0, "title": ""},
        )
        assert (await page.ask("/state", **shown, Cookie="pitwall_wall_1=x"))[0] == 403
        assert (await page.ask("/state", **(shown | {"Origin": "null"})))[0] == 403
        await page.client.close()


async def test_it_is_switched_on_and_off_without_a_restart_and_stays_so(home: Home, made: None) -> None:
    off = WALL.replace("enabled = true", "")
    async with running(home, settings(home, off)) as daemon:
        with pytest.raises(Refused, match="is off"):
            daemon.wall.link("view", "Bob")
        assert (await daemon.wall.switch(True)).on
        crew = visitor(daemon)
        link = daemon.wall.link("crew", "Anna")
        assert {len(row) for row in link.qr} == {len(link.qr)}
        assert (await crew.ask("/pair", {"code": link.link.partition("#")[2]}))[0] == 200
        assert (await daemon.wall.switch(False)).trouble == ""
        with pytest.raises(aiohttp.ClientError):
            await crew.ask("/state")
        assert (await daemon.wall.switch(True)).devices[0].secret == ""
        await crew.client.close()
    async with running(home, settings(home, off)) as daemon:
        await until(lambda: daemon.wall.port != 0)
        assert [each.name for each in daemon.wall.devices] == ["Anna"]


def test_an_older_programs_devices_stay_paired(home: Home) -> None:
    kept = [WallDevice("ab12", "crew", "Anna", 1.0, "00")]
    (home.root / paired.FILE).write_bytes(msgspec.json.encode(kept))
    wall = paired.Wall(home.root)
    assert wall.devices == kept
    assert wall.switched_off.is_set()


async def test_a_line_of_the_crews_own_is_rendered_then_said_or_called_not_spoken(
    home: Home, made: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(home, settings(home, WALL)) as daemon:
        await until(lambda: daemon.wall.port != 0 and daemon.keeper.session is not None)
        crew = visitor(daemon)
        await crew.ask("/pair", {"code": code_of(daemon, "crew", "Anna")})
        _, state = await crew.ask("/state")
        line = {"id": "12" * 8, "says": "line", "pressed_s": state["now_s"], "line": "Rain in five minutes"}
        long = line | {"line": "one two three four five six seven eight nine"}
        assert (await crew.ask("/say", long))[0] == 422
        assert (await crew.ask("/say", line | {"line": " "}))[0] == 422
        assert (await crew.ask("/say", line))[0] == 200
        await until(lambda: "spoken" in daemon.wall.messages["12" * 8].ended)
        assert daemon.wall.messages["12" * 8].text == "Rain in five minutes"

        def hang(text: str) -> None:
            raise VoiceError(f"{text}: espeak hung")

        monkeypatch.setattr(daemon.vocabulary, "make_line", hang)
        await crew.ask("/say", line | {"id": "34" * 8, "line": "Come in for water"})
        await until(lambda: daemon.wall.messages["34" * 8].ended == "suppressed")
        assert "not rendered" in daemon.wall.messages["34" * 8].why
        await crew.client.close()


class WeakNetwork:
    """Forwards to a port. While `held` nothing passes; each piece is `late_s` late; of the connections
    every `drops`th is cut at its first answer (0: none)."""

    late_s, drops = 0.0, 0

    def __init__(self, port: int) -> None:
        self._to, self._passing = port, asyncio.Event()
        self._passing.set()
        self._open: set[asyncio.StreamWriter] = set()
        self._count = 0

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
        self._count += 1
        lost = bool(self.drops) and self._count % self.drops == 0
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(self._pass(reader, to_writer), self._pass(to_reader, writer, lost))

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, lost: bool = False
    ) -> None:
        while data := await reader.read(1 << 14):
            await self._passing.wait()
            if self.late_s:
                await asyncio.sleep(self.late_s)
            if lost:
                self.cut()
                return
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
            monkeypatch.setattr(paired, "MISSED_S", 3.0)
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
            await until(lambda: daemon.wall.trouble() == "the link to Anna is lost")
            # What waited in the network is older than this by now.
            monkeypatch.setattr(paired, "MOST_AGE_S", 1.0)
            network.hold(False)
            await page.until("document.body.innerText.includes('NOT spoken: it came')")
            network.cut()
            await page.until("document.querySelector('.link').textContent === 'linked'")
            await until(lambda: daemon.wall.trouble() == "")
            assert [each.says for each in daemon.wall.messages.values()] == ["box"]


@pytest.mark.long
async def test_two_cars_and_three_browsers_over_a_network_that_delays_drops_and_cuts(
    home: Home, tmp_path: Path, made: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page shows both cars; whatever is pressed is spoken once, in the car that it was meant for."""
    # Three browsers on a busy machine may take longer than a message is good for.
    monkeypatch.setattr(paired, "MOST_AGE_S", 120.0)
    second = Home(tmp_path / "second")
    second.root.mkdir()
    async with (
        running(home, settings(home, WALL)) as one,
        running(second, settings(second, WALL)) as two,
        browsing() as crew,
        browsing() as view,
        browsing() as boss,
    ):
        await until(
            lambda: all(
                each.wall.port and each.keeper.session and each.vocabulary.has("") for each in (one, two)
            )
        )
        near, far = WeakNetwork(one.wall.port), WeakNetwork(two.wall.port)
        near.late_s = 0.05
        async with near.serving() as a, far.serving() as b:
            await crew.open(f"http://127.0.0.1:{a}/#{code_of(one, 'crew', 'Anna')}")
            await view.open(f"http://127.0.0.1:{b}/#{code_of(two, 'view', 'Bob')}")
            await boss.open(f"http://127.0.0.1:{b}/#{code_of(two, 'crew', 'Cleo')}")
            linked = "[...document.querySelectorAll('.link.good')].length === {}"
            for page in (crew, view, boss):
                await page.until(linked.format(1))
            assert await view.run("document.querySelector('.row:has(button)').hidden"), "it may look"
            link = f"http://127.0.0.1:{b}/#{code_of(two, 'crew', 'Anna')}"
            await crew.run(f"document.querySelector('main > details input').value = '{link}'")
            await crew.run("document.querySelector('main > details').open = true")
            await crew.run(pressed("Add another car by its link"))
            await crew.until(linked.format(2))
            names = "[...document.querySelectorAll('h2')].map((each) => each.textContent).join()"
            cars = [f"127.0.0.1:{port}: you are Anna" for port in (a, b)]
            assert await crew.run(names) == ",".join(cars), "each car is told from the other"
            far.drops = 2
            await crew.run(pressed("Save fuel"))
            of_second = "document.querySelectorAll('section')[1]"
            await crew.run(pressed("Push").replace("document.", f"{of_second}."))
            far.cut()
            await boss.run("document.querySelector('input.line').value = 'Rain in five minutes'")
            await boss.run(pressed("Say this"))
            await until(lambda: len(one.wall.messages) == 1 and len(two.wall.messages) == 2)
            for each in (one, two):
                await until(lambda now=each: all("spoken" in it.ended for it in now.wall.messages.values()))
            said = [[it.says for it in each.wall.messages.values()] for each in (one, two)]
            assert [sorted(each) for each in said] == [["save_fuel"], ["line", "push"]]
            await view.until("document.body.innerText.includes('Rain in five minutes\\tCleo\\tspoken')")
            await crew.open(f"http://127.0.0.1:{a}/")
            await crew.until(linked.format(2))


def test_what_the_crew_says_is_said_on_a_straight_and_no_call_is_late_for_it(driven: Driven) -> None:
    said = [
        record_of(150.0, CrewSays("11" * 8, "push", "Anna")),
        record_of(165.0, CrewSays("11" * 8, "push", "Anna")),
        record_of(170.0, CrewSays("22" * 8, "target", "Anna", 113.2)),
        record_of(180.0, CrewSays("44" * 8, "line", "Anna", None, "Rain in five minutes", 1.4)),
        record_of(181.0, CrewSays("55" * 8, "line", "Anna", None, "Come in for water", None)),
        record_of(190.0, CrewSays("33" * 8, "red", "Anna")),
    ]
    driven.feed(heapq.merge(split_drive.drive(246.0), said, key=lambda each: each.t))
    assert len([line for line in driven.lines if line.text == "Push now."]) == 1, "one message, sent twice"
    lines = {line.text: line for line in driven.lines if "crew message" in line.reason}
    unsaid = lines.pop("Come in for water")
    assert (unsaid.outcome, "by Anna" in unsaid.reason) == ("suppressed", True)
    assert [line.outcome.split()[-1] for line in lines.values()] == ["spoken"] * 4
    assert "by Anna" in lines["Target lap: one fifty three point two"].reason
    assert lines["Red flag. Slow down."].t - 190.0 < 0.3
    assert all(line.time_in_hand_s is None or line.time_in_hand_s > 0.0 for line in driven.lines)


def test_the_last_callout_is_said_again_when_the_driver_asks(driven: Driven) -> None:
    asked = [record_of(150.0, CrewSays("11" * 8, "push", "Anna")), record_of(170.0, SayAgain())]
    driven.feed(heapq.merge(split_drive.drive(246.0), asked, key=lambda each: each.t))
    before = [line for line in driven.lines if line.outcome in SPOKEN and line.t < 170.0]
    [again] = [line for line in driven.lines if "wants to hear it again" in line.reason]
    assert (again.text, again.outcome in SPOKEN) == (max(before, key=lambda line: line.t).text, True)
    assert all(line.time_in_hand_s is None or line.time_in_hand_s > 0.0 for line in driven.lines)

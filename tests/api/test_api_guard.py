"""Who may ask: the token, the Host, the Origin; ids that are no paths; requests that are too much."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import re
import select
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import api_daemon
import msgspec
import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from api_client import Client, asking
from copies import copied
from multidict import CIMultiDict
from running_daemon import Daemon
from until import until

from pitwall.api import app, call, door
from pitwall.api.door import MOST_KNOWN, MOST_STRANGERS
from pitwall.api.guard import GUARD
from pitwall.api.routes import ROUTES, Route
from pitwall.api.token import TokenError, load_token, shown_token
from pitwall.config import Home

# Requests that would be taken, if one might.
GOOD_IDS = {"session": "last", "lap": "1", "track": "sonoma", "corner": "turn_2", "job": "20261122-1"}
GOOD_BODIES: dict[str, Any] = {
    "/tracks/{track}/scripts/{corner}": {"brake": "Brake"},
    "/tracks/{track}/script-changes/undo": {"corner": "turn_2"},
    "/telemetry": {
        "batch_id": "b",
        "source": "phone",
        "streams": [{"group": "aux", "channels": [{"name": "serial"}]}],
        "samples": [{"stream": 0, "source_s": 1.0, "values": [1.0]}],
    },
    "/location": {"page": "0" * 16, "number": 0, "at_s": 1.0, "lat_deg": 38.0, "lon_deg": -122.0},
    "/hear": {"text": "Brake"},
    "/changes": {"change": "tag", "session": "last", "add": ["wet"]},
    "/mark": {"mark": "traffic"},
    "/wall": {"on": False},
    "/wall/links": {"role": "view"},
    "/wall/forget": {"id": "all"},
    "/phone": {"battery_pct": 41.0},
    "/sql": {"sql": "SELECT 1"},
    "/coach": {"mode": "coach"},
    "/coach/ask": {"question": "where do I lose time?"},
    "/coach/brief": {},
    "/coach/debrief": {},
    "/coach/analyze": {"question": "where do I lose time?"},
    "/jobs": {"kind": "voice_scripts", "input": {"track": "sonoma", "wish": "shorter"}},
}
GOOD_QUERIES = {"/sessions/{session}/export": "?format=gpx"}
CLOSE = ("Connection: close",)


class Asked(msgspec.Struct, frozen=True):
    """A request that the daemon would take from whoever may ask."""

    method: str
    path: str
    headers: tuple[str, ...] = CLOSE
    body: bytes = b""


def good(route: Route) -> Asked:
    if route.path == "/imports":
        whole = (*CLOSE, "Content-Type: application/octet-stream")
        return Asked(route.method, f"{route.path}?name=day.vbo", whole, b"no recording")
    if route.body is None:
        return Asked(route.method, filled(route.path) + GOOD_QUERIES.get(route.path, ""))
    body = msgspec.json.encode(GOOD_BODIES[route.path])
    return Asked(route.method, filled(route.path), (*CLOSE, "Content-Type: application/json"), body)


def filled(path: str) -> str:
    return path.format(**GOOD_IDS)


CASES = {f"{route.method} {route.path}": good(route) for route in ROUTES} | {
    "nothing": Asked("GET", "/nowhere"),
    "another method": Asked("DELETE", "/sessions/last"),
}
PRIVATE = [asked for asked in CASES.values() if asked.path != "/health"]
# One of each kind, asked of a real daemon too.
KINDS = [
    CASES[name]
    for name in (
        "GET /sessions", "POST /changes", "POST /imports", "GET /live", "nothing",
    )
]  # fmt: skip
HOST = "127.0.0.1:8765"
TOKEN = "a secret of some length"


class NobodysDaemon:
    """A daemon that must not be asked for anything."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"the request reached the daemon's {name}")


@pytest.fixture(scope="module")
def guarded() -> web.Application:
    """The application as it is served, over a daemon that nothing may reach."""
    made = app.make_app(NobodysDaemon(), token=TOKEN)  # type: ignore[arg-type]
    made[GUARD].bound("127.0.0.1", 8765)
    made.freeze()
    return made


async def refused(guarded: web.Application, asked: Asked, *headers: str) -> tuple[int, bytes]:
    """Status and body of the answer to one request, through all that stands before the handlers."""
    answer = await guarded._handle(in_process(guarded, asked, *headers))
    assert isinstance(answer, web.Response)
    assert isinstance(answer.body, bytes)
    return answer.status, answer.body


def in_process(guarded: web.Application, asked: Asked, *headers: str) -> web.Request:
    pairs = [each.partition(":") for each in (*headers, *asked.headers)]
    held = CIMultiDict((name, value.strip()) for name, _, value in pairs)
    return make_mocked_request(asked.method, asked.path, held, app=guarded)


@pytest.fixture(scope="module")
def daemon(demo_driven: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """`pitwall run` over a driven home; it refuses what the tests ask and makes no mistake in doing so."""
    home = Home(tmp_path_factory.mktemp("guarded") / "home")
    copied(demo_driven, home.root)
    (home.root / "pitwall.toml").write_text('[audio]\nplayer = "text"\n[api]\nport = 0\n')
    home.audio_cache.joinpath("token").write_text("secret")
    with Daemon(home) as daemon:
        yield daemon
        assert daemon.end() == 0
    assert not [line for line in daemon.log if "Traceback" in line or line.startswith("pitwall.api: ")]
    assert not [line for line in daemon.log if daemon.token in line]


def taken(daemon: Daemon) -> tuple[object, ...]:
    """All that a request can leave behind."""
    status = daemon.status()
    return (
        *(daemon.ask(path) for path in ("/sessions", "/jobs", "/tracks/sonoma/scripts", "/lessons")),
        status["phone"],
        status["session"]["id"],
        status["inbox"]["taken"],
        status["live"]["clients"],
        status["paddock"]["answering"],
        sorted(path.name for path in daemon.home.audio_cache.iterdir()),
        sorted(path.name for path in daemon.home.journals.iterdir()),
    )


def port_of(daemon: Daemon) -> int:
    return int(daemon.address.rpartition(":")[2])


async def raw(port: int, request: bytes) -> tuple[int, bytes]:
    """Send these very bytes; (status, body) of the answer, (0, b"") for none before the connection's end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        async with asyncio.timeout(10):
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"\r\nContent-Length: (\d+)", head)
            body = await reader.readexactly(int(length[1])) if length else b""
    except asyncio.IncompleteReadError as ended:
        if ended.partial:
            raise
        return 0, b""
    finally:
        writer.close()
        await writer.wait_closed()
    return int(head.split()[1]), body


def request(method: str, path: str, *headers: str, body: bytes = b"") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", *headers, f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def said(asked: Asked, *headers: str) -> bytes:
    return request(asked.method, asked.path, *headers, *asked.headers, body=asked.body)


def is_problem(body: bytes) -> bool:
    told = json.loads(body)
    return set(told) == {"error", "what_to_do"} and all(told.values()) and "Traceback" not in str(told)


@pytest.mark.parametrize(
    "shown",
    [
        [], [f"Authorization: Bearer {TOKEN}x"], ["Authorization: Bearer "], [f"Authorization: {TOKEN}"],
        [f"Authorization: Basic {TOKEN}"], [f"Authorization: Bearer {TOKEN[:-1]}"],
        [f"Authorization: Bearer {TOKEN}"] * 2, [f"Cookie: token={TOKEN}"],
        [f"Sec-WebSocket-Protocol: bearer, {TOKEN}"],
    ],
)  # fmt: skip
async def test_no_route_answers_without_the_token(guarded: web.Application, shown: list[str]) -> None:
    for asked in PRIVATE:
        for path in (asked.path, f"{asked.path}?token={TOKEN}"):
            whole = msgspec.structs.replace(asked, path=path)
            status, body = await refused(guarded, whole, f"Host: {HOST}", *shown)
            assert (status, is_problem(body), TOKEN.encode() in body) == (401, True, False), asked


WRONG_HOSTS = (
    "evil.example",
    "evil.example:8765",
    "127.0.0.1",
    "127.0.0.1:1",
    "127.0.0.1.evil.example:8765",
    "",
)
WRONG_ORIGINS = (
    "https://evil.example", "null", "", f"https://{HOST}", "http://127.0.0.1:1", "http://localhost:8765",
)  # fmt: skip
FOREIGN = [
    *([f"Host: {name}"] for name in WRONG_HOSTS),
    [f"Host: {HOST}", "Host: evil.example"],
    *([f"Host: {HOST}", f"Origin: {name}"] for name in WRONG_ORIGINS),
    [f"Host: {HOST}", f"Origin: http://{HOST}", "Origin: https://evil.example"],
]


@pytest.mark.parametrize("headers", FOREIGN)
async def test_no_route_answers_a_wrong_host_or_a_foreign_page(
    guarded: web.Application, headers: list[str]
) -> None:
    for asked in CASES.values():
        status, body = await refused(guarded, asked, f"Authorization: Bearer {TOKEN}", *headers)
        assert (status, is_problem(body)) == (403, True), asked


def test_with_the_token_each_of_these_requests_is_let_in(guarded: web.Application) -> None:
    """Else their refusal would show nothing."""
    for asked in CASES.values():
        request = in_process(guarded, asked, f"Host: {HOST}", f"Authorization: Bearer {TOKEN}")
        assert guarded[GUARD].refusal(request) is None, asked


async def test_a_daemon_tells_and_takes_nothing_without_the_token(daemon: Daemon) -> None:
    before, port, token = taken(daemon), port_of(daemon), daemon.token
    host, shown = f"Host: 127.0.0.1:{port}", f"Authorization: Bearer {token}"
    for asked in KINDS:
        for wanted, headers in (
            ({401}, [host]),
            ({401}, [host, "Authorization: Bearer é\x80"]),
            ({400, 401}, [host, f"Authorization: Bearer \0{token}"]),
            ({400, 401}, [host, f"Authorization: Bearer {token}\0"]),
            ({400}, [host, f"Cookie: {token}\0"]),
            ({400, 403}, [host, "Host: evil.example", shown]),
            ({403}, ["Host: evil.example", shown]),
            ({403}, [host, "Origin: https://evil.example", shown]),
        ):
            status, body = await raw(port, said(asked, *headers))
            assert status in wanted, (asked, headers)
            assert is_problem(body), (asked, headers)
            assert token.encode() not in body, (asked, headers)
    assert taken(daemon) == before


async def test_the_loopbacks_names_may_ask(daemon: Daemon) -> None:
    port, shown = port_of(daemon), f"Authorization: bearer {daemon.token}"
    for name in (f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}", f"127.0.0.1:{port}"):
        for origin in ([], [f"Origin: http://{name}"]):
            status, _ = await raw(port, said(Asked("GET", "/sessions"), f"Host: {name}", shown, *origin))
            assert status == 200, (name, origin)
    status, _ = await raw(port, said(Asked("GET", "/health"), f"Host: localhost:{port}"))
    assert status == 200


def test_connections_without_end_leave_the_daemon_its_files(daemon: Daemon) -> None:
    """Nobody needs a token to connect: what is over the limit is closed at once, the rest soon after."""
    address, handles = ("127.0.0.1", port_of(daemon)), f"/proc/{daemon.status()['process']['pid']}/fd"
    before, over = len(os.listdir(handles)), 50
    with contextlib.ExitStack() as held:
        clients = [
            held.enter_context(socket.create_connection(address, 10)) for _ in range(MOST_STRANGERS + over)
        ]
        closed: set[socket.socket] = set()
        while len(closed) < over:
            ended, _, _ = select.select([each for each in clients if each not in closed], [], [], 10)
            assert ended
            closed.update(ended)
        # A file or two of the daemon's own come and go.
        assert len(os.listdir(handles)) <= before + MOST_STRANGERS + over // 5
        assert daemon.ask("/status")[0] == 200


def test_idle_connections_with_the_token_keep_nobody_out(daemon: Daemon) -> None:
    """The one unused for longest gives way, and whoever is in use stays."""
    address = ("127.0.0.1", port_of(daemon))
    host = f"Host: 127.0.0.1:{address[1]}"
    asked = f"GET /health HTTP/1.1\r\n{host}\r\nAuthorization: Bearer {daemon.token}\r\n\r\n"

    def answered(client: socket.socket) -> bytes:
        client.sendall(asked.encode())
        return client.recv(1 << 16)[:15]

    with contextlib.ExitStack() as held:
        clients = [held.enter_context(socket.create_connection(address, 10)) for _ in range(MOST_KNOWN)]
        assert {answered(each) for each in clients} == {b"HTTP/1.1 200 OK"}
        assert answered(clients[0]) == b"HTTP/1.1 200 OK"
        for _ in range(5):
            assert daemon.ask("/health")[0] == 200
            assert daemon.ask("/status")[0] == 200
        assert answered(clients[0]) == b"HTTP/1.1 200 OK", "it was not the one unused for longest"
        clients[1].settimeout(10)
        assert clients[1].recv(1) == b""


STRANGERS = 300
# Longer than a stranger may stay.
ASKED = 60


@pytest.mark.long
async def test_strangers_that_come_again_and_again_keep_out_nobody_with_the_token(daemon: Daemon) -> None:
    """Each sends a letter now and then, and connects anew when it is sent away."""
    port, sent_away = port_of(daemon), 0

    async def linger() -> None:
        nonlocal sent_away
        while True:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            with contextlib.suppress(OSError), contextlib.closing(writer):
                for letter in b"GET /status HTTP/1.1\r\n" * 100:
                    writer.write(bytes([letter]))
                    await writer.drain()
                    await asyncio.sleep(0.05)  # it is the trickle
            sent_away += 1

    strangers = [asyncio.create_task(linger()) for _ in range(STRANGERS)]
    try:
        await until(lambda: sent_away >= STRANGERS)
        headers = {"Authorization": f"Bearer {daemon.token}"}
        for number in range(ASKED):
            async with aiohttp.ClientSession(headers=headers if number % 4 else None) as session:
                path = "status" if number % 4 else "health"
                async with session.get(f"http://127.0.0.1:{port}/{path}") as answer:
                    assert answer.status == 200
    finally:
        for task in strangers:
            task.cancel()
        await asyncio.gather(*strangers, return_exceptions=True)


WITH_IDS = [route for route in ROUTES if "{" in route.path]
TRAVERSALS = (
    "../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%252f..%252fetc%252fpasswd",
    "..%5c..%5cetc%5cpasswd", "%2fetc%2fpasswd", "..", "%2e%2e", ".", "%00", "last%00", "last%2f..%2f..",
    "%c0%ae%c0%ae%2fetc%2fpasswd", "file:%2f%2f%2fetc%2fpasswd", "~root", "%ff", "last%0a", "C:%5cx", "token",
    ".pwj", "a" * 300, "%e2%80%ae", "last;x", "*",
)  # fmt: skip


async def test_no_path_parameter_is_a_path(daemon: Daemon) -> None:
    port, before = port_of(daemon), taken(daemon)
    known = (f"Host: 127.0.0.1:{port}", f"Authorization: Bearer {daemon.token}")
    tried: set[str] = set()
    cases: list[tuple[Route, str]] = []
    for route in WITH_IDS:
        for name in re.findall(r"{(\w+)}", route.path):
            # One table says what each parameter may be: all of them for its first route, two for the others.
            texts = TRAVERSALS if name not in tried else TRAVERSALS[:2]
            tried.add(name)
            cases += [(route, route.path.format(**{**GOOD_IDS, name: text})) for text in texts]
    for route, path in cases:
        status, body = await raw(port, said(msgspec.structs.replace(good(route), path=path), *known))
        assert 400 <= status < 500, (route.method, path, status)
        assert b"root:" not in body, (route.method, path)
        assert daemon.token.encode() not in body, (route.method, path)
    assert taken(daemon) == before


async def test_more_than_a_request_may_have_is_refused(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    async with api_daemon.running(home) as (_, port, token):
        head = [f"Host: 127.0.0.1:{port}", f"Authorization: Bearer {token}", *CLOSE]
        big = [*head, f"X-Big: {'x' * 20_000}"]
        status, _ = await raw(port, request("GET", "/status", *big))
        assert status == 400
        status, _ = await raw(port, request("GET", "/status?" + "x" * 20_000, *head))
        assert status in (400, 414)
        for path, limit in (("/sql", 1 << 20), ("/telemetry", 4 << 20), ("/phone", 1 << 20)):
            # The declared length is enough; and where there is none, what comes.
            declared = request("POST", path, *head, "Content-Type: application/json")
            declared = declared.replace(b"Content-Length: 0", b"Content-Length: %d" % (limit + 1))
            status, body = await raw(port, declared)
            assert (status, is_problem(body)) == (413, True)
            async with asking(port, token) as session:

                async def chunks(size: int = limit) -> object:
                    for _ in range(size // 65536 + 1):
                        yield b" " * 65536

                async with session.post(
                    f"http://127.0.0.1:{port}{path}",
                    data=chunks(),
                    headers={"Content-Type": "application/json"},
                ) as response:
                    assert response.status == 413
        monkeypatch.setattr(call, "BODY_TIME_S", 0.1)
        slow = request("POST", "/sql", *head, "Content-Type: application/json")
        status, body = await raw(port, slow.replace(b"Content-Length: 0", b"Content-Length: 9"))
        assert (status, is_problem(body)) == (408, True)


async def test_other_content_is_refused_by_type_and_a_wrong_field_by_its_path(home: Home) -> None:
    async with api_daemon.running(home) as (_, port, token), asking(port, token) as session:
        client = Client(session, port)
        for headers in ({"Content-Type": "text/plain"}, {"Content-Type": "application/xml"}):
            told = await client.json("/sql", 415, method="POST", data=b"{}", headers=headers)
            assert "application/msgpack" in told["what_to_do"]
        packed = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        await client.json("/sql", 415, method="POST", data=b"{}", headers=packed)
        for body in (b"", b"{", b"[" * 100_000, b"\xff", b'{"sql": "SELECT 1"} x', b"null"):
            await client.json(
                "/sql", 400, method="POST", data=body, headers={"Content-Type": "application/json"}
            )
        told = await client.json("/sql", 400, method="POST", json={"sql": "SELECT 1", "limit": 5})
        assert "limit" in told["error"]
        told = await client.json("/status", 405, method="POST", json={})
        assert "Allow" in told["what_to_do"]


async def test_who_connects_and_asks_nothing_is_sent_away(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "IDLE_S", 0.2)
    async with api_daemon.running(home) as (_, port, _):
        assert await raw(port, b"") == (0, b"")
        assert await raw(port, b"GET /health HTTP/1.1\r\nHost: 127") == (0, b"")


async def test_who_showed_the_token_while_the_loop_was_behind_stays(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "Door", functools.partial(door.Door, 0.0))
    async with api_daemon.running(home) as (_, port, token):
        with socket.create_connection(("127.0.0.1", port)) as client:
            host, shown = f"Host: 127.0.0.1:{port}", f"Authorization: Bearer {token}"
            client.sendall(said(Asked("GET", "/status"), host, shown))
            client.setblocking(False)
            answer = await asyncio.get_running_loop().sock_recv(client, 100)
    assert answer.startswith(b"HTTP/1.1 200")


def test_the_token_is_made_once_for_its_owner_alone(home: Home) -> None:
    old = os.umask(0)
    try:
        token = load_token(home)
    finally:
        os.umask(old)
    path = home.root / "token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(token) >= 43
    assert load_token(home) == token
    assert sorted(each.name for each in home.root.iterdir() if each.is_file()) == ["token"]


@pytest.mark.parametrize("spoil", [lambda p: p.chmod(0o644), lambda p: p.write_text("short\n")])
def test_a_token_that_can_not_be_trusted_is_made_anew(home: Home, spoil: object) -> None:
    token, path = load_token(home), home.root / "token"
    spoil(path)  # type: ignore[operator]
    assert load_token(home) not in (token, "short")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_client_reads_the_token_and_changes_nothing(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    path = home.root / "token"
    with pytest.raises(TokenError, match="holds no token; the daemon makes one"):
        shown_token(home)
    assert not path.exists()
    token = load_token(home)
    path.chmod(0o644)
    assert shown_token(home) == token
    assert "can be read by others" in caplog.text
    assert (path.read_text().strip(), stat.S_IMODE(path.stat().st_mode)) == (token, 0o644)


def test_a_token_file_that_is_no_file_is_an_error_that_names_it(home: Home) -> None:
    path = home.root / "token"
    for make in (path.mkdir, lambda: os.mkfifo(path), lambda: path.symlink_to("/etc/passwd")):
        make()
        for read in (load_token, shown_token):
            with pytest.raises(TokenError, match=str(path)):
                read(home)
        path.rmdir() if path.is_dir() else path.unlink()

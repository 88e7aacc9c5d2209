"""Who may ask: the token, the Host, the Origin; ids that are no paths; requests that are too much."""

from __future__ import annotations

import asyncio
import json
import os
import re
import stat

import aiohttp
import api_daemon
import pytest
from api_client import Client, asking

from pitwall.api import app, bodies
from pitwall.api.routes import ROUTES, Route
from pitwall.api.token import TokenError, load_token
from pitwall.config import Home

GOOD_IDS = {"session": "last", "lap": "1", "track": "sonoma", "corner": "turn_2", "job": "20261122-1"}
CASES = [pytest.param(route, id=f"{route.method} {route.path}") for route in ROUTES]
PRIVATE = [case for case in CASES if case.values[0].path != "/health"]  # type: ignore[union-attr]


def filled(route: Route) -> str:
    return route.path.format(**GOOD_IDS)


async def raw(port: int, request: bytes) -> tuple[int, bytes]:
    """Send these very bytes; (status, body) of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        async with asyncio.timeout(10):
            answer = await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, body


def request(method: str, path: str, *headers: str, body: bytes = b"") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", *headers, "Connection: close", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def is_problem(body: bytes) -> bool:
    told = json.loads(body)
    return set(told) == {"error", "what_to_do"} and all(told.values()) and "Traceback" not in str(told)


@pytest.mark.parametrize("route", PRIVATE)
async def test_nothing_is_told_or_taken_without_the_token(home: Home, route: Route) -> None:
    async with api_daemon.running(home) as (daemon, port, token):
        host = f"Host: 127.0.0.1:{port}"
        for shown in (
            [], ["Authorization: Bearer "], [f"Authorization: Bearer {token}x"], [f"Authorization: {token}"],
            [f"Authorization: Basic {token}"], [f"Authorization: Bearer {token[:-1]}"],
            ["Authorization: Bearer é\x80"], [f"Authorization: Bearer {token}"] * 2,
            [f"Cookie: token={token}"],
        ):  # fmt: skip
            status, body = await raw(port, request(route.method, filled(route), host, *shown))
            assert status == 401, shown
            assert is_problem(body)
        status, _ = await raw(port, request(route.method, filled(route) + f"?token={token}", host))
        assert status == 401
        assert daemon.rendered == []


@pytest.mark.parametrize("route", CASES)
async def test_a_wrong_host_or_a_foreign_page_is_refused_even_with_the_token(
    home: Home, route: Route
) -> None:
    async with api_daemon.running(home) as (_, port, token):
        shown, own = f"Authorization: Bearer {token}", f"Host: 127.0.0.1:{port}"
        for headers in (
            ["Host: evil.example"], [f"Host: evil.example:{port}"], ["Host: 127.0.0.1"],
            ["Host: 127.0.0.1:1"], [f"Host: 127.0.0.1.evil.example:{port}"], ["Host:"], [own, "Host: evil"],
            [own, "Origin: https://evil.example"], [own, "Origin: null"], [own, "Origin:"],
            [own, f"Origin: https://127.0.0.1:{port}"], [own, "Origin: http://127.0.0.1:1"],
            [own, f"Origin: http://localhost:{port}"],
            [own, f"Origin: http://127.0.0.1:{port}", "Origin: https://evil.example"],
        ):  # fmt: skip
            status, body = await raw(port, request(route.method, filled(route), shown, *headers))
            assert status in (400, 403), headers
            assert status == 400 or is_problem(body)


async def test_the_loopbacks_names_and_configured_origins_may_ask(home: Home) -> None:
    async with api_daemon.running(home) as (_, port, token):
        shown = f"Authorization: bearer {token}"
        for name in (f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}", f"127.0.0.1:{port}"):
            for origin in ([], [f"Origin: http://{name}"], [f"Origin: {api_daemon.ORIGIN}"]):
                status, _ = await raw(port, request("GET", "/sessions", f"Host: {name}", shown, *origin))
                assert status == 200, (name, origin)
        status, _ = await raw(port, request("GET", "/health", f"Host: localhost:{port}"))
        assert status == 200


async def test_a_page_of_a_configured_origin_is_let_in_by_its_browser(home: Home) -> None:
    async with api_daemon.running(home) as (_, port, token), aiohttp.ClientSession() as session:
        url, page = f"http://127.0.0.1:{port}/status", {"Origin": api_daemon.ORIGIN}
        asked = {**page, "Access-Control-Request-Method": "GET"}
        async with session.options(url, headers=asked) as response:
            assert response.status == 204
            assert response.headers["Access-Control-Allow-Origin"] == api_daemon.ORIGIN
            assert "Authorization" in response.headers["Access-Control-Allow-Headers"]
        async with session.get(url, headers={**page, "Authorization": f"Bearer {token}"}) as response:
            assert response.headers["Access-Control-Allow-Origin"] == api_daemon.ORIGIN
        foreign = {**asked, "Origin": "https://evil.example"}
        async with session.options(url, headers=foreign) as response:
            assert response.status == 403
            assert "Access-Control-Allow-Origin" not in response.headers


WITH_IDS = [case for case in CASES if "{" in case.values[0].path]  # type: ignore[union-attr]
TRAVERSALS = (
    "../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%252f..%252fetc%252fpasswd",
    "..%5c..%5cetc%5cpasswd", "%2fetc%2fpasswd", "..", "%2e%2e", ".", "%00", "last%00", "last%2f..%2f..",
    "%c0%ae%c0%ae%2fetc%2fpasswd", "file:%2f%2f%2fetc%2fpasswd", "~root", "%ff", "last%0a", "C:%5cx", "token",
    ".pwj", "a" * 300, "%e2%80%ae", "last;x", "*",
)  # fmt: skip


@pytest.mark.parametrize("route", WITH_IDS)
async def test_no_path_parameter_is_a_path(home: Home, route: Route) -> None:
    home.audio_cache.joinpath("token").write_text("secret")
    async with api_daemon.running(home) as (daemon, port, token):
        headers = [
            f"Host: 127.0.0.1:{port}",
            f"Authorization: Bearer {token}",
            "Content-Type: application/json",
        ]
        for name in re.findall(r"{(\w+)}", route.path):
            for text in TRAVERSALS:
                path = route.path.format(**{**GOOD_IDS, name: text})
                status, body = await raw(
                    port, request(route.method, path, *headers, body=b'{"brake": "Brake"}')
                )
                assert 400 <= status < 500, (path, status)
                assert b"root:" not in body
                assert token.encode() not in body
        assert daemon.rendered == []


async def test_more_than_a_request_may_have_is_refused(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BODY_TIME_S", 0.1)
    async with api_daemon.running(home) as (_, port, token):
        head = [f"Host: 127.0.0.1:{port}", f"Authorization: Bearer {token}"]
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


def test_a_token_file_that_is_no_file_is_an_error_that_names_it(home: Home) -> None:
    path = home.root / "token"
    for make in (path.mkdir, lambda: os.mkfifo(path), lambda: path.symlink_to("/etc/passwd")):
        make()
        with pytest.raises(TokenError, match=str(path)):
            load_token(home)
        path.rmdir() if path.is_dir() else path.unlink()

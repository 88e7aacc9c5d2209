"""The page in a real browser: what is seen, from a drive that goes on and from stored ones; nothing else is
asked."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import api_daemon
import pytest
from api_client import asking
from browser import Page, browsing
from running_daemon import Daemon, write_settings
from typed import typed

from pitwall.api.page_files import SCRIPTS, STYLES
from pitwall.api.page_session import COOKIE_S, LINK_S, PageSessions
from pitwall.api.routes import ROUTES
from pitwall.config import Home
from pitwall.words.language import language

SIZES = ((360, 740), (740, 360), (800, 1200), (1920, 1080))
EN = language("en").terms("page")


def test_a_link_is_good_once_and_for_a_while_and_a_cookie_as_long_as_the_token() -> None:
    now_s = 1_000.0
    pages = PageSessions("secret", lambda: now_s)
    links = [pages.link().rpartition("/")[2] for _ in range(3)]
    cookie = pages.enter(links[0])
    assert cookie is not None
    assert pages.enter(links[0]) is None
    assert pages.enter("") is None
    assert pages.knows(cookie)
    assert PageSessions("secret", lambda: now_s).knows(cookie), "a restart shuts nobody out"
    assert not PageSessions("another", lambda: now_s).knows(cookie)
    until_s, _, rest = cookie.partition(".")
    for forged in (
        "",
        "x",
        cookie[:-1],
        cookie + "0",
        f"{int(until_s) + 9}.{rest}",
        cookie.replace(".", "_"),
    ):
        assert not pages.knows(forged)
    now_s += LINK_S + 1
    assert pages.enter(links[1]) is None
    now_s += COOKIE_S
    assert not pages.knows(cookie)


async def test_what_a_cookie_may_do(home: Home) -> None:
    """It reads and asks, from the page's own origin; it hands in nothing, and makes no other link."""
    async with api_daemon.running(home) as (_, port, token), asking(port, token) as owner:
        base = f"http://127.0.0.1:{port}"
        async with owner.post(base + "/links") as answer:
            assert answer.status == 201
            link = await answer.json()
        assert token not in str(link)
        async with aiohttp.ClientSession() as stranger:
            async with stranger.get(base + link["path"], allow_redirects=False) as answer:
                assert (answer.status, answer.headers["Location"]) == (303, "/")
                told = answer.headers["Set-Cookie"]
                assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in told.split(";")}
                assert token not in told
            async with stranger.get(base + link["path"], allow_redirects=False) as answer:
                assert answer.status == 403
                assert "Set-Cookie" not in answer.headers
        cookie = {"Cookie": told.partition(";")[0]}
        own = {"Origin": base}
        async with aiohttp.ClientSession(headers=cookie) as browser:

            async def status(method: str, path: str, headers: dict[str, str], body: object = None) -> int:
                async with browser.request(method, base + path, headers=headers, json=body) as answer:
                    return answer.status

            assert await status("GET", "/status", {}) == 200
            assert await status("GET", "/sessions", {"Sec-Fetch-Site": "same-origin"}) == 200
            assert await status("PUT", SCRIPT, own, {"brake": "Brake"}) == 200
            # Another port of this address is another program, though a browser sends it this cookie.
            for foreign in ("same-site", "cross-site"):
                assert await status("GET", "/sessions", {"Sec-Fetch-Site": foreign}) == 401
            assert await status("GET", "/sessions", {"Origin": api_daemon.ORIGIN}) == 401
            assert await status("PUT", SCRIPT, {}, {"brake": "Brake"}) == 401
            assert await status("PUT", SCRIPT, {"Origin": api_daemon.ORIGIN}, {"brake": "Brake"}) == 401
            assert await status("GET", "/sessions", {"Authorization": "Bearer x"}) == 401
            for route in ROUTES:
                if route.method == "GET" or route.page:
                    continue
                assert await status(route.method, route.path.format(**IDS), own, {}) == 403, route.path
            assert await status("GET", "/telemetry/socket", {}) == 403


SCRIPT = "/tracks/sonoma/scripts/turn_2"
IDS = {"session": "last", "lap": "1", "track": "sonoma", "corner": "turn_2", "job": "j"}


async def test_the_pages_files_hold_a_strict_policy_and_no_secret(home: Home) -> None:
    async with api_daemon.running(home) as (_, port, token), aiohttp.ClientSession() as stranger:
        for path in ("/", *(f"/page/{name}" for name in (*SCRIPTS, *STYLES)), "/enter/none"):
            async with stranger.get(f"http://127.0.0.1:{port}{path}") as answer:
                assert answer.status == (403 if path == "/enter/none" else 200)
                policy = answer.headers["Content-Security-Policy"]
                assert "default-src 'none'" in policy
                assert "unsafe" not in policy
                text = await answer.text()
                assert token not in text
                assert "://" not in text.replace("http://www.w3.org/", "").replace("https://github.com/", "")
        for path in ("/page/", "/page/style.css.map", "/page/..%2froutes.py", "/page/report.js"):
            async with stranger.get(f"http://127.0.0.1:{port}{path}") as answer:
                assert answer.status == 404


@pytest.fixture(scope="module")
def going(drive: tuple[Path, bytes], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """`pitwall run` over a home with a drive in it, and the same drive going on, at ten times its speed."""
    home = Home(tmp_path_factory.mktemp("paged") / "home")
    shutil.copytree(drive[0], home.root, copy_function=shutil.copy2)
    write_settings(home, {"car": f"replay:{api_daemon.DEMO}?speed=10"})
    with Daemon(home) as daemon:
        yield daemon
        assert daemon.end() == 0
    assert not [line for line in daemon.log if "Traceback" in line or daemon.token in line]


@pytest.fixture
async def page(going: Daemon) -> AsyncIterator[Page]:
    """A browser that was let in; it complains of nothing, and asks nobody but the daemon."""
    async with browsing() as page:
        await page.size(800, 1200)
        status, link = going.ask("/links", {})
        assert status == 201
        await page.open(going.address + link["path"])
        yield page
        assert page.errors == []
        assert {urlsplit(url).netloc for url in page.asked} == {urlsplit(going.address).netloc}


def test_show_prints_a_link_or_writes_a_report(
    going: Daemon, drive: tuple[Path, bytes], tmp_path: Path
) -> None:
    shown = typed(going.home, "show", "--print", "last")
    assert shown.returncode == 0, shown.stderr
    link = shown.stdout.split()[0]
    assert link.startswith(going.address + "/enter/")
    assert link.endswith("#laps/last")
    assert going.token not in shown.stdout
    home = Path(shutil.copytree(drive[0], tmp_path / "home", copy_function=shutil.copy2))
    shown = typed(home, "show", "last")
    assert shown.returncode == 0, shown.stderr
    assert (home / "shown.html").read_bytes().startswith(b"<!doctype html>")
    assert str(home / "shown.html") in shown.stdout


async def test_a_drive_is_seen_as_it_is_driven(page: Page, going: Daemon) -> None:
    assert await page.run("location.pathname") == "/"
    figures = (
        "Object.fromEntries([...document.querySelectorAll('.figure')].map((each) => "
        "[each.querySelector('.name').textContent, each.lastElementChild.textContent]))"
    )
    seen = await page.until(f"((told) => /^[+−]/.test(told[{EN['delta']!r}]) && told)({figures})")
    assert int(await page.run("document.querySelector('.speed .value').textContent")) > 20
    assert seen[EN["said"]] != ""
    told = going.status()["session"]
    assert (await page.run(f"({figures})[{EN['last']!r}]")).startswith(("1:", "2:")), told
    assert "Sonoma" in await page.run("document.querySelector('.life').textContent")
    kinds = await page.run("[...document.querySelectorAll('.light')].map((each) => each.dataset.kind)")
    assert kinds == ["good", "good", "off", "good"]
    for width, height in SIZES:
        await page.size(width, height)
        await page.until(f"innerWidth === {width}")
        over = await page.run("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        assert over[0] <= width, (width, height)
        assert over[1] <= height, (width, height)

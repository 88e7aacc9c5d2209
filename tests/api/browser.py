"""A real Chromium without a window, driven over its DevTools protocol: one page of it.

What its console says, and where its requests go, is kept: a test asks for it at the end.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from api_client import asking

WITHIN_S = 60.0
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--mute-audio",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--disable-dev-shm-usage", "--remote-debugging-port=0", "about:blank",
)  # fmt: skip
# Gives what stands behind `await` where a promise is meant.
_RUN = {"returnByValue": True, "awaitPromise": True, "userGesture": True}

AXE = """axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })
    .then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))]))"""


class Page:
    """One page. `errors`: what its console and its scripts complained of; `asked`: the addresses it sent
    for."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, session: str) -> None:
        self.errors: list[str] = []
        self.asked: list[str] = []
        self._socket, self._session = socket, session
        self._numbers = itertools.count(10)
        self._waiting: dict[int, asyncio.Future[Any]] = {}

    async def call(self, method: str, **params: Any) -> Any:
        """One command of the protocol; its result."""
        number = next(self._numbers)
        waiting = self._waiting[number] = asyncio.get_running_loop().create_future()
        message = {"id": number, "sessionId": self._session, "method": method, "params": params}
        await self._socket.send_json(message)
        async with asyncio.timeout(WITHIN_S):
            return await waiting

    async def read(self) -> None:
        """Take what the browser tells until it ends."""
        async for message in self._socket:
            told = json.loads(message.data)
            if "id" in told:
                waiting = self._waiting.get(told["id"])
                if waiting is not None and not waiting.done():
                    error = told.get("error")
                    waiting.set_exception(AssertionError(error)) if error else waiting.set_result(
                        told["result"]
                    )
                continue
            params = told.get("params", {})
            match told["method"]:
                case "Runtime.exceptionThrown":
                    self.errors.append(str(params["exceptionDetails"].get("exception", params)))
                case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning", "assert"):
                    self.errors.append(str([each.get("value") for each in params["args"]]))
                case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                    self.errors.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
                case "Network.requestWillBeSent":
                    self.asked.append(params["request"]["url"])

    async def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = await self.call("Runtime.evaluate", expression=script, **_RUN)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    async def until(self, script: str) -> Any:
        """Wait until an expression is true in the page, looked at before each of its frames; its value."""
        wait = f"""new Promise((done) => {{ const look = () => {{ let found; try {{ found = ({script}); }}
            catch {{ }} if (found) done(found); else requestAnimationFrame(look); }}; look(); }})"""
        try:
            return await self.run(wait)
        except TimeoutError:
            seen = await self.run("document.body.innerText")
            raise AssertionError(f"{script} never came; errors: {self.errors}; the page: {seen}") from None

    async def open(self, url: str) -> None:
        await self.call("Page.navigate", url=url)
        await self.until("document.readyState === 'complete'")

    async def size(self, width: int, height: int, *, touch: bool = False) -> None:
        """As a screen of so many CSS pixels."""
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=touch,
        )

    async def press(self, *keys: str) -> None:
        """Keys, one after the other, as a person presses them."""
        codes = {
            "Tab": 9,
            "Enter": 13,
            "ArrowLeft": 37,
            "ArrowRight": 39,
            "ArrowDown": 40,
            "End": 35,
            " ": 32,
        }
        for key in keys:
            text = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
            told = {"key": key, "code": key, "windowsVirtualKeyCode": codes.get(key, 0), **text}
            await self.call("Input.dispatchKeyEvent", type="keyDown", **told)
            await self.call("Input.dispatchKeyEvent", type="keyUp", **told)

    async def picture(self, path: Path, *, whole: bool = False) -> None:
        """What is seen, as a PNG: for the eyes of whoever works on the page."""
        taken = await self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        await asyncio.to_thread(path.write_bytes, base64.b64decode(taken["data"]))


@asynccontextmanager
async def browsing() -> AsyncIterator[Page]:
    """A page of a browser of its own. Without Chromium: skipped, under CI=true a failure."""
    program = shutil.which("chromium")
    if program is None:
        reason = "chromium is not installed: apt-get install chromium"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = await asyncio.create_subprocess_exec(
            program, f"--user-data-dir={folder}", *FLAGS, stderr=asyncio.subprocess.PIPE
        )
        assert process.stderr is not None
        try:
            async with asyncio.timeout(WITHIN_S):
                while b"DevTools listening on " not in (line := await process.stderr.readline()):
                    assert line, "chromium ended"
            draining = asyncio.create_task(process.stderr.read())
            address = line.decode().split("DevTools listening on ")[1].strip()
            async with (
                aiohttp.ClientSession() as session,
                session.ws_connect(address, max_msg_size=0) as socket,
            ):
                page = Page(socket, await _target(socket))
                reading = asyncio.create_task(page.read())
                for domain in ("Page", "Runtime", "Log", "Network"):
                    await page.call(f"{domain}.enable")
                yield page
                reading.cancel()
            draining.cancel()
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def judged(page: Page) -> None:
    """axe-core finds nothing serious in what is seen, by day and by night. What a gradient lies behind it
    can't judge: test_page_axe.py reckons the palette."""
    axe = pytest.importorskip("axe_core_python", reason="pip install -e .[dev]")
    if not await page.run("typeof axe === 'object'"):
        await page.run(files(axe).joinpath("axe.min.js").read_text())
    for look in ("night", "day"):
        await page.run(f"document.documentElement.dataset.look = '{look}'; ui.recolour()")
        assert await page.run(AXE) == [], look


async def let_in(page: Page, port: int, token: str, view: str = "") -> None:
    """Open the page by a link of its owner."""
    base = f"http://127.0.0.1:{port}"
    async with asking(port, token) as owner, owner.post(base + "/links") as answer:
        await page.open(base + (await answer.json())["path"] + view)


async def _target(socket: aiohttp.ClientWebSocketResponse) -> str:
    """The session of a new page."""

    async def ask(number: int, method: str, **params: Any) -> Any:
        await socket.send_json({"id": number, "method": method, "params": params})
        async with asyncio.timeout(WITHIN_S):
            while (told := await socket.receive_json()).get("id") != number:
                pass
        return told["result"]

    target = (await ask(1, "Target.createTarget", url="about:blank"))["targetId"]
    return str((await ask(2, "Target.attachToTarget", targetId=target, flatten=True))["sessionId"])

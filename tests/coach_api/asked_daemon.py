"""The whole daemon over a driven home, its real worker, and a model whose server is scripted."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from service_inside import running, settings

from pitwall.api.token import load_token
from pitwall.config import Home
from pitwall.daemon.app import Daemon

LOADED_S = 120.0
FIRST, LAST = "routed", "done"


def model_lines(url: str) -> str:
    """[paddock] of a pitwall.toml with a model at this scripted server, and time for a loaded machine."""
    model = f'kind = "openai"\nname = "scripted"\nbase_url = "{url}/v1"\napi_key = "geheim"\n'
    return f"[paddock]\nbrief_s = 90\nanswer_s = 90\n[paddock.model]\n{model}"


def write_model(home: Home, url: str) -> None:
    """A pitwall.toml with that model, text instead of sound, any free port."""
    text = f'[audio]\nplayer = "text"\n[api]\nport = 0\n{model_lines(url)}'
    (home.root / "pitwall.toml").write_text(text)


class CoachClient:
    """Asks the daemon as a phone's page would."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.session = session

    async def stream(self, kind: str, **body: Any) -> list[tuple[str, dict[str, Any]]]:
        """All events of one answer: (name, data)."""
        async with self.session.post(f"/coach/{kind}", json=body) as response:
            assert response.status == 200, await response.text()
            assert response.content_type == "text/event-stream"
            return parsed((await response.read()).decode())

    async def json(self, method: str, path: str, status: int = 200, body: Any = None) -> Any:
        """The JSON of one answer."""
        async with self.session.request(method, path, json=body) as response:
            assert response.status == status, await response.text()
            return await response.json()


def parsed(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Server-sent events: (event, data), comments left out; each data names its own event too."""
    found = []
    for block in filter(None, text.split("\n\n")):
        lines = [line for line in block.split("\n") if not line.startswith(":")]
        if lines:
            name, data = lines[0].removeprefix("event: "), json.loads(lines[1].removeprefix("data: "))
            assert data["event"] == name
            assert len(lines) == 2
            found.append((name, data))
    return found


def answer_of(events: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """The answer at the end, which there is once."""
    assert [name for name, _ in events].count(LAST) == 1
    assert events[0][0] == FIRST
    assert events[-1][0] == LAST
    return dict(events[-1][1]["answer"])


@asynccontextmanager
async def coached(home: Home, text: str = "") -> AsyncIterator[tuple[Daemon, CoachClient]]:
    """`pitwall run` within this process, and a client with its token."""
    async with running(home, settings(home, text)) as service:
        headers = {"Authorization": f"Bearer {load_token(home)}"}
        async with aiohttp.ClientSession(f"http://127.0.0.1:{service.port}", headers=headers) as session:
            yield service, CoachClient(session)


def alive(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True

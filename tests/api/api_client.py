"""How the API's tests ask: over HTTP with the token, and by the command that a driver types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import aiohttp
from typed import typed


class Client:
    """Asks with the token."""

    def __init__(self, session: aiohttp.ClientSession, port: int) -> None:
        self.session, self.base = session, f"http://127.0.0.1:{port}"

    async def json(self, path: str, status: int = 200, **keywords: Any) -> Any:
        method = keywords.pop("method", "GET")
        async with self.session.request(method, self.base + path, **keywords) as response:
            assert response.status == status, await response.text()
            assert response.content_type == "application/json"
            return await response.json()

    async def sql(self, text: str) -> Any:
        return await self.json("/sql", method="POST", json={"sql": text})


def asking(port: int, token: str) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"})


def pitwall(home: Path, *words: str | Path) -> bytes:
    """What `pitwall WORDS --json` prints."""
    done = typed(home, *words, "--json")
    assert done.returncode == 0, done.stderr
    return done.stdout.encode()

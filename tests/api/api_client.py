"""How the API's tests ask: over HTTP with the token, and by the command that a driver types."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import aiohttp
import api_daemon


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
    done = subprocess.run(
        [sys.executable, "-m", "pitwall", *map(str, words), "--json"],
        env={**os.environ, "PITWALL_HOME": str(home)},
        capture_output=True,
        cwd=api_daemon.ROOT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout

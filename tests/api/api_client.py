"""How the API's tests ask: over HTTP with the token, and by the command that a driver types."""

from __future__ import annotations

import socket
from typing import Any

import aiohttp


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


def mute(port: int, path: str, token: str) -> socket.socket:
    """A client that asks and then neither reads nor answers; what it may receive unread is little."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Authorization: Bearer {token}"]
    client.sendall("\r\n".join([*lines, "", ""]).encode())
    return client

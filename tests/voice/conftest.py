from __future__ import annotations

from collections.abc import Iterator

import null_sink
import pytest


@pytest.fixture(scope="session")
def shared_server() -> Iterator[null_sink.SoundServer]:
    null_sink.need("pulseaudio", "pacat", "parec", "pactl")
    server = null_sink.SoundServer()
    server.start()
    yield server
    server.close()


@pytest.fixture
def server(shared_server: null_sink.SoundServer, monkeypatch: pytest.MonkeyPatch) -> null_sink.SoundServer:
    """A running null sink, and the environment that leads players to it."""
    for name, value in shared_server.environment.items():
        monkeypatch.setenv(name, value)
    return shared_server


@pytest.fixture
def own_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[null_sink.SoundServer]:
    """The same, for a test that kills it."""
    with null_sink.sounding(monkeypatch) as server:
        yield server

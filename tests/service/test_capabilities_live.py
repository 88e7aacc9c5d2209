"""What /status says can be done: beside the signals, whatever the daemon knows to stand in the way."""

from __future__ import annotations

import threading
from typing import Any, get_args

import pytest
from service_inside import WITHIN_S, Moving, running, settings
from until import until

import pitwall.daemon.sound.vocabulary as vocabulary_module
from pitwall.config import Home
from pitwall.contract.status import Capability
from pitwall.daemon.app import Daemon
from pitwall.daemon.conditions import Condition, conditions
from pitwall.drive.prepare import Words

ONE = '[sources.one]\nuri = "test:one"'


@pytest.fixture
def car(monkeypatch: pytest.MonkeyPatch) -> Moving:
    made = Moving()
    monkeypatch.setattr("pitwall.daemon.intake.sources.open_source", lambda *_: made)
    return made


def capability(service: Daemon, name: str) -> Capability:
    [found] = [each for each in service.status().capabilities if each.name == name]
    return found


async def test_on_no_track_nothing_is_called_and_the_reason_says_so(home: Home, car: Moving) -> None:
    async with running(home, settings(home, ONE)) as service:
        await until(lambda: capability(service, "speed").available)
        for name in ("timing", "corner_calls", "braking_calls"):
            assert not capability(service, name).available, name
            assert "no known track is recognised here" in capability(service, name).reason


async def test_words_are_there_once_they_are_rendered(
    home: Home, car: Moving, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = threading.Event()
    prepare = vocabulary_module.prepare_words

    def prepare_later(*given: Any, **more: Any) -> Words:
        assert told.wait(WITHIN_S)
        return prepare(*given, **more)

    monkeypatch.setattr(vocabulary_module, "prepare_words", prepare_later)
    async with running(home, settings(home, ONE)) as service:
        assert "messages: they are being rendered" in capability(service, "oil_warning").reason
        told.set()
        await until(lambda: "messages" not in capability(service, "oil_warning").reason)


async def test_every_condition_is_judged_by_the_daemon(home: Home) -> None:
    async with running(home, settings(home, "")) as service:
        judged = conditions(service.keeper.current.path, service.vocabulary, "")
        assert set(judged) == set(get_args(Condition))

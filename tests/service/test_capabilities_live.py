"""What /status says can be done: beside the signals, whatever the daemon knows to stand in the way."""

from __future__ import annotations

from typing import get_args

import pytest
from service_inside import Moving, running, settings
from until import until

from pitwall.config import Home
from pitwall.contract.status import CapabilityStatus, PhoneReport
from pitwall.daemon.app import Service
from pitwall.daemon.conditions import conditions
from pitwall.telemetry.capabilities import Condition

ONE = '[sources.one]\nuri = "test:one"'


@pytest.fixture
def car(monkeypatch: pytest.MonkeyPatch) -> Moving:
    made = Moving()
    monkeypatch.setattr("pitwall.daemon.intake.sources.open_source", lambda *_: made)
    return made


def capability(service: Service, name: str) -> CapabilityStatus:
    [found] = [each for each in service.status().capabilities if each.name == name]
    return found


async def test_on_no_track_nothing_is_called_and_the_reason_says_so(home: Home, car: Moving) -> None:
    async with running(home, settings(home, ONE)) as service:
        await until(lambda: capability(service, "live_page").available)
        for name in ("timing", "corner_calls", "braking_calls", "laps_page", "corners_page"):
            assert not capability(service, name).available, name
            assert "no known track is recognised here" in capability(service, name).reason


async def test_what_is_shed_and_what_waits_for_the_paddock_says_so(home: Home, car: Moving) -> None:
    car.speed_mps = 0.0
    async with running(home, settings(home, ONE)) as service:
        await until(lambda: capability(service, "coach_page").available)
        car.speed_mps = 20.0
        await until(lambda: service.keeper.session is not None and not service.keeper.parked.is_set())
        assert capability(service, "coach_page").reason.startswith("paddock: the car moves")
        await until(lambda: capability(service, "live_page").available)
        service.phone(PhoneReport(heat="critical"))
        assert not capability(service, "live_page").available
        assert capability(service, "live_page").reason == "live page: shed to spare the phone: heat critical"
        assert capability(service, "ledger_page").available


async def test_a_loss_that_mutes_calls_is_their_reason_until_it_is_over(home: Home, car: Moving) -> None:
    """Two good seconds after a bus is back its calls are still muted, though its signals are all there."""
    async with running(home, settings(home, ONE)) as service:
        await until(lambda: service.keeper.session is not None)
        service.keeper.tell("lost", "can: a loose plug")
        for name, phases in (("braking_calls", "brake phases"), ("throttle_calls", "exit phase")):
            assert f"{phases}: can lost" in capability(service, name).reason
        service.keeper.tell("back", "can")
        assert "can lost" not in capability(service, "braking_calls").reason


async def test_words_that_are_being_rendered_are_not_there_yet(home: Home, car: Moving) -> None:
    async with running(home, settings(home, ONE)) as service:
        await until(lambda: service.vocabulary.has(""))
        assert "messages" not in capability(service, "oil_warning").reason
        del service.vocabulary._ready[""]
        assert "messages: they are being rendered" in capability(service, "oil_warning").reason


async def test_every_condition_is_judged_by_the_daemon(home: Home) -> None:
    async with running(home, settings(home, "")) as service:
        assert set(conditions(service)) == set(get_args(Condition))

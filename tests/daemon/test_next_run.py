"""The one thing for the next run: said once a session, to the driver who stands, over no other sound."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import null_sink
import pytest
from fast_service import CAR, GPS, Item, Running, running
from until import until

sys.path.append(str(Path(__file__).resolve().parents[1] / "service"))

import split_drive

from pitwall.config import Home
from pitwall.contract.status import CoachChange
from pitwall.settings import AudioSettings
from pitwall.store.lessons import NEXT_RUN, driver_events
from pitwall.voice.wav import RATE_HZ
from pitwall.words.language import language

pytestmark = pytest.mark.long

LANES = {split_drive.GPS_ID: GPS, split_drive.CAR_ID: CAR}
SPEED = split_drive.GPS.index("speed_mps")
STANDS_S = 15.0


@pytest.fixture(scope="module")
def driven() -> list[Item]:
    """Five laps of which four brake early for Turn 7."""
    return [Item(LANES[each.stream], each.t, each.t, each.values) for each in split_drive.drive(float("inf"))]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[null_sink.SoundServer]:
    with null_sink.sounding(monkeypatch) as server:
        yield server


def standing(last: Item, from_t: float, speed_mps: float = 0.0) -> list[Item]:
    """The car stands where it is, or is said to roll."""
    values = (*last.values[:SPEED], speed_mps, *last.values[SPEED + 1 :])
    times = [from_t + step / 10.0 for step in range(int(10.0 * STANDS_S))]
    return [Item(GPS, t, t, values) for t in times]


async def drive_and_stop(car: Running, driven: list[Item]) -> Item:
    """The whole drive, in the mode that says nothing, to a stand in the paddock."""
    car.service.speak(CoachChange(mode="quiet"))
    car.source(GPS, split_drive.GPS)
    car.source(CAR, split_drive.CAR)
    await car.drive(driven)
    last = [each for each in driven if each.lane == GPS][-1]
    await car.drive(standing(last, last.t + 0.1))
    assert car.service.car.parked.is_set()
    return last


def told(car: Running) -> list[str]:
    """What the session keeps of it."""
    car.service.store.flush()
    session = car.service.keeper.current.id
    return [each.detail for each in driver_events(car.service.store, session) if each.kind == NEXT_RUN]


def loud_s(recorder: null_sink.Recorder) -> float:
    """For how long there was no silence, seconds: more or less, for speech has pauses and passes nought."""
    recorder.wait_until(time.monotonic() + null_sink.SETTLE_S)
    return sum(map(bool, recorder.samples())) / RATE_HZ


def playing(car: Running) -> str:
    player = car.service.voice.status().player
    return player.playing if player is not None else ""


async def test_it_is_heard_once_while_the_car_stands(
    spoken_home: Home, driven: list[Item], server: null_sink.SoundServer
) -> None:
    async with running(spoken_home, audio=AudioSettings(player="auto")) as car:
        last = await drive_and_stop(car, driven)
        await until(lambda: car.service.voice.heard is True)
        with server.record() as recorder:
            assert told(car) == [], "the driver wants no words"
            car.service.speak(CoachChange(mode="coach"))
            await until(lambda: playing(car).startswith("Next run, Turn 7: you brake early"))
            clip = car.service.next_run._clip
            assert clip is not None
            await until(lambda: playing(car) == "")
            assert await asyncio.to_thread(loud_s, recorder) > 0.5 * clip.clip_s
        await until(lambda: told(car) == [clip.text])
        # Another stop of the same session says nothing more.
        await car.drive(standing(last, last.t + 20.0, 20.0))
        await car.drive(standing(last, last.t + 40.0))
        assert car.service.car.parked.is_set()
        assert await car.service.paddock.next_run(car.service.keeper.current.id) == ""
        assert told(car) == [clip.text]
    async with running(spoken_home, audio=AudioSettings(player="auto")) as car:
        await until(lambda: car.service.keeper.session is not None)
        assert await car.service.paddock.next_run(car.service.keeper.current.id) == "", "nor after a restart"


async def test_it_ends_where_the_car_moves_off(
    spoken_home: Home, driven: list[Item], server: null_sink.SoundServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(spoken_home, audio=AudioSettings(player="auto")) as car:
        last = await drive_and_stop(car, driven)
        await until(lambda: car.service.voice.heard is True)
        # Half a minute of speech: on the slowest machine the car is off before its end.
        monkeypatch.setattr(car.service.next_run, "_find", long_words)
        with server.record() as recorder:
            car.service.speak(CoachChange(mode="coach"))
            await until(lambda: playing(car) != "")
            clip = car.service.next_run._clip
            assert clip is not None
            await car.drive(standing(last, last.t + 20.0, 20.0))
            await until(lambda: playing(car) == "")
            assert await asyncio.to_thread(loud_s, recorder) < 0.5 * clip.clip_s


async def long_words(session: str) -> str:
    return "Brake where that lap did. " * 18


async def test_in_german_and_as_text(
    home: Home, driven: list[Item], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="pitwall")
    german = Home(home.root, language("de"))
    async with running(german, audio=AudioSettings(player="text")) as car:
        await drive_and_stop(car, driven)
        car.service.speak(CoachChange(mode="coach"))
        await until(lambda: "says: Nächste Fahrt, Kurve 7: du bremst früh" in caplog.text)

"""The one thing for the next run: said once a session, to the driver who stands, over no other sound."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import null_sink
import pytest
import split_drive
from copies import copied, link_clips
from fast_service import CAR, GPS, Item, Running, running
from until import until

from pitwall.config import Home
from pitwall.contract.status import CoachChange
from pitwall.settings import AudioSettings, CoachSettings
from pitwall.store.lessons import NEXT_RUN, driver_events
from pitwall.voice.wav import RATE_HZ

pytestmark = pytest.mark.long

LANES = {split_drive.GPS_ID: GPS, split_drive.CAR_ID: CAR}
SPEED = split_drive.GPS.index("speed_mps")
# After the start of the daemon: a reading that came before now is late, on a slow machine too.
LATER_S = 120.0
STANDS_S = 15.0
QUIET = CoachSettings(mode="quiet")
# What to do there, and what the best pass did.
WORDS = "Next run, Turn 7: Brake a little later. Your best pass, lap 1, braked about "


@pytest.fixture(scope="module")
def driven(sonoma_clips: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, Item]:
    """A home in which five laps, of which four brake early for Turn 7, were driven in the mode that says
    nothing, to a stand in the paddock; and the last fix. The next start goes on with that session."""
    home = Home(tmp_path_factory.mktemp("next-run") / "home")
    home.prepare()
    link_clips(sonoma_clips, home.clips)
    return home, asyncio.run(drive_and_stop(home))


async def drive_and_stop(home: Home) -> Item:
    async with running(home, coach=QUIET) as car:
        last = await drive(car)
        assert told(car) == [], "the driver wants no words"
    return last


async def drive(car: Running) -> Item:
    """The whole drive, to a stand in the paddock; the last fix."""
    samples = split_drive.drive(float("inf"))
    items = [Item(LANES[each.stream], each.t, each.t, each.values) for each in samples]
    last = [each for each in items if each.lane == GPS][-1]
    car.source(GPS, split_drive.GPS)
    car.source(CAR, split_drive.CAR)
    await car.drive(items)
    await car.drive(standing(last, last.t + 0.1))
    assert car.service.car.parked.is_set()
    return last


@pytest.fixture
def stopped(driven: tuple[Home, Item], tmp_path: Path) -> Home:
    """A copy of that home."""
    return Home(copied(driven[0].root, tmp_path / "home"))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[null_sink.SoundServer]:
    with null_sink.sounding(monkeypatch) as server:
        yield server


def standing(last: Item, from_t: float, speed_mps: float = 0.0, after_s: float | None = None) -> list[Item]:
    """The car stands where it is, or is said to roll; received `after_s` after the start of the daemon."""
    values = (*last.values[:SPEED], speed_mps, *last.values[SPEED + 1 :])
    receives_t = from_t if after_s is None else after_s
    steps_s = [step / 10.0 for step in range(int(10.0 * STANDS_S))]
    return [Item(GPS, receives_t + step_s, from_t + step_s, values) for step_s in steps_s]


async def stand_again(car: Running, last: Item) -> None:
    """The session goes on where it was, and the car still stands; nobody looks for words before."""
    await until(lambda: car.service.keeper.session is not None)
    car.source(GPS, split_drive.GPS)
    await car.drive(standing(last, last.t + 20.0, after_s=LATER_S))
    assert car.service.car.parked.is_set()


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
    stopped: Home, driven: tuple[Home, Item], server: null_sink.SoundServer
) -> None:
    async with running(stopped, audio=AudioSettings(player="auto"), coach=QUIET) as car:
        await stand_again(car, driven[1])
        await until(lambda: car.service.voice.heard is True)
        with server.record() as recorder:
            assert told(car) == [], "the driver wants no words"
            car.service.speak(CoachChange(mode="coach"))
            await until(lambda: playing(car).startswith(WORDS))
            clip = car.service.next_run._clip
            assert clip is not None
            await until(lambda: playing(car) == "")
            assert await asyncio.to_thread(loud_s, recorder) > 0.5 * clip.clip_s
        await until(lambda: told(car) == [clip.text])
    async with running(stopped, audio=AudioSettings(player="auto")) as car:
        await until(lambda: car.service.keeper.session is not None)
        assert await car.service.paddock.next_run(car.service.keeper.current.id) == "", "nor after a restart"


async def test_it_ends_where_the_car_moves_off(
    spoken_home: Home, server: null_sink.SoundServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(spoken_home, audio=AudioSettings(player="auto"), coach=QUIET) as car:
        # Half a minute of speech: on the slowest machine the car is off before its end.
        monkeypatch.setattr(car.service.next_run, "_find", long_words)
        last = await drive(car)
        await until(lambda: car.service.voice.heard is True)
        with server.record() as recorder:
            car.service.speak(CoachChange(mode="coach"))
            await until(lambda: playing(car) != "")
            clip = car.service.next_run._clip
            assert clip is not None
            await car.drive(standing(last, last.t + 20.0, 20.0))
            await until(lambda: playing(car) == "")
            assert await asyncio.to_thread(loud_s, recorder) < 0.5 * clip.clip_s
        # Another stop of the same session says nothing more.
        await car.drive(standing(last, last.t + 40.0))
        assert car.service.car.parked.is_set()
        assert await car.service.paddock.next_run(car.service.keeper.current.id) == ""
        assert told(car) == [clip.text]


async def long_words(session: str) -> str:
    return "Brake where that lap did. " * 18


async def test_as_text(stopped: Home, driven: tuple[Home, Item], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="pitwall")
    async with running(stopped, audio=AudioSettings(player="text")) as car:
        await stand_again(car, driven[1])
        car.service.speak(CoachChange(mode="coach"))
        await until(lambda: f"says: {WORDS}" in caplog.text)

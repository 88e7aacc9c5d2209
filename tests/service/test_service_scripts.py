"""A voice script that changes while the daemon runs is spoken from the next stop on, not before."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from service_inside import Moving, running, settings
from until import until

from pitwall.config import Home
from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.drive.prepare import known_tracks

ONE = '[sources.one]\nuri = "test:one"\n'


def write(home: Home, phrase: str) -> None:
    (home.audio_cache / "turn_7.json").write_text(f'{{"brake": "{phrase}"}}')


def spoken(vocabulary: Vocabulary) -> str:
    phrase = vocabulary.words("sonoma").scripts.phrase("turn_7", "brake")
    return "" if phrase is None else phrase.text


@asynccontextmanager
async def worded(home: Home, standing: Callable[[], bool]) -> AsyncIterator[Vocabulary]:
    """The words of Sonoma, made and followed."""
    vocabulary = Vocabulary(home, known_tracks(home)[0], sound=True, standing=standing)
    vocabulary.want("sonoma")
    tasks = [asyncio.create_task(vocabulary.run()), asyncio.create_task(vocabulary.follow())]
    try:
        await until(lambda: vocabulary.has("sonoma"))
        yield vocabulary
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pitwall.daemon.sound.vocabulary.LOOK_EVERY_S", 0.02)


async def test_a_file_that_an_editor_changes_is_spoken_once_the_car_stands(
    spoken_home: Home,
) -> None:
    stands = [True]
    async with worded(spoken_home, lambda: stands[0]) as vocabulary:
        assert spoken(vocabulary) == "Brake at the three hundred"
        write(spoken_home, "Firm brake at the board")
        await until(lambda: spoken(vocabulary) == "Firm brake at the board")
        stands[0] = False
        write(spoken_home, "Brake hard at the board")
        vocabulary.want("sonoma", again=True, standing=True)
        # What is wanted at once passes what waits for the car to stand.
        vocabulary.want("")
        await until(lambda: vocabulary.has(""))
        assert vocabulary.waiting == 1
        assert spoken(vocabulary) == "Firm brake at the board"
        stands[0] = True
        await until(lambda: spoken(vocabulary) == "Brake hard at the board")
        shutil.rmtree(spoken_home.audio_cache)
        await until(lambda: spoken(vocabulary) == "Brake at the three hundred")


async def test_what_is_written_on_the_move_waits_for_the_paddock(
    spoken_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    car = Moving()
    car.speed_mps = 0.0
    monkeypatch.setattr("pitwall.daemon.intake.sources.open_source", lambda *_: car)
    async with running(spoken_home, settings(spoken_home, ONE)) as service:
        await until(lambda: service.car.settled.is_set() and service.car.parked.is_set())
        service.vocabulary.want("sonoma")
        await until(lambda: service.vocabulary.has("sonoma"))
        car.speed_mps = 20.0
        await until(lambda: not service.car.parked.is_set())
        write(spoken_home, "Firm brake at the board")
        service.scripts_changed("sonoma")
        service.vocabulary.want("", again=True)
        await until(lambda: service.status().voice.rendering == 1)
        assert spoken(service.vocabulary) == "Brake at the three hundred"

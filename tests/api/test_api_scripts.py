"""Voice scripts over the API: one check for every writer, whole or not at all, never among the shipped."""

from __future__ import annotations

import asyncio
import json

import api_daemon
import pytest
from api_client import Client, asking

from pitwall.coach.scripts import keep_own, load_scripts
from pitwall.config import Home, shipped
from pitwall.track.library import load_tracks

GOOD = {"brake": "Brake at the bridge now", "brake_short": "Brake"}
PATH = "/tracks/sonoma/scripts/turn_2"


async def test_a_written_script_is_read_back_and_outranks_the_shipped_one(home: Home) -> None:
    before = {path: path.read_bytes() for path in shipped("audio_cache").rglob("*.json")}
    async with api_daemon.running(home) as (daemon, port, token), asking(port, token) as session:
        client = Client(session, port)
        assert await client.json(PATH) == json.loads(before[shipped("audio_cache") / "turn_2.json"])
        written = await client.json(PATH, method="PUT", json=GOOD)
        assert written == {"track": "sonoma", "corner": "turn_2", "script": GOOD}
        assert await client.json(PATH) == GOOD
        assert (await client.json("/tracks/sonoma/scripts"))["turn_2"] == GOOD
        assert daemon.rendered == ["sonoma"]
    assert [path.name for path in home.audio_cache.glob("*.json")] == ["turn_2.json"]
    assert {path: path.read_bytes() for path in shipped("audio_cache").rglob("*.json")} == before
    track = load_tracks(home.layers("track_data"))["sonoma"]
    phrase = load_scripts(home.layers("audio_cache"), track).phrase("turn_2", "brake")
    assert phrase is not None
    assert phrase.text == GOOD["brake"]


@pytest.mark.parametrize(
    ("script", "status", "wanted"),
    [
        ({}, 409, "is empty"),
        ({"brake": "one two three four five six seven eight nine"}, 409, "at most 8"),
        ({"brake": "Brake [[now]]"}, 409, "can't speak"),
        ({"braking": "Brake"}, 409, "is no phase"),
        ({"brake_short": "Brake"}, 409, "needs a brake"),
        ({"brake": 3}, 400, "Expected `str`"),
        ("Brake", 400, "Expected `object`"),
        ({"brake": "Full throttle"}, 422, "is to tell where to brake or lift; "),
        ({"brake": "Brake " * 9, "own": "brake"}, 409, "at most 8"),
        ({"brake": "x" * 9000}, 413, "larger than 8192"),
    ],
)
async def test_a_bad_script_is_refused_in_words_and_nothing_is_written(
    home: Home, script: object, status: int, wanted: str
) -> None:
    async with api_daemon.running(home) as (daemon, port, token), asking(port, token) as session:
        told = await Client(session, port).json(PATH, status, method="PUT", json=script)
        assert daemon.rendered == []
    assert wanted in told["error"]
    assert list(home.audio_cache.iterdir()) == []


async def test_own_words_are_confirmed_once_marked_and_never_a_models(home: Home) -> None:
    mine = {"brake": "Pedal time", "brake_short": "Brake"}
    track = load_tracks(home.layers("track_data"))["sonoma"]
    async with api_daemon.running(home) as (_, port, token), asking(port, token) as session:
        client = Client(session, port)
        told = await client.json(PATH, 422, method="PUT", json=mine)
        assert "nothing we can check: it will be spoken as it is" in told["what_to_do"]
        # Whoever confirms more than is needed marks no more than his own words.
        both = {**mine, "own": "brake, brake_short"}
        written = await client.json(PATH, method="PUT", json=both)
        assert written["script"] == {**mine, "own": "brake"} == await client.json(PATH)
        # Unchanged words need no second word; words of another key do.
        await client.json(PATH, method="PUT", json={**mine, "own": "brake", "exit": "Throttle"})
    scripts = load_scripts(home.layers("audio_cache"), track)
    assert scripts.own["turn_2"] == {"brake"}
    present = scripts.texts()["turn_2"]
    assert keep_own(present, {**present, "brake": "Foot off", "own": "brake"}).get("own") is None
    assert keep_own(present, {**present, "exit": "Squeeze"})["own"] == "brake"


async def test_writers_of_one_corner_do_not_write_into_one_another(home: Home) -> None:
    scripts = [{"brake": "Brake"}, {"brake": "Brake at the bridge now", "brake_short": "Brake hard here now"}]
    path = home.audio_cache / "turn_2.json"
    async with api_daemon.running(home) as (_, port, token), asking(port, token) as session:
        client = Client(session, port)
        for _ in range(30):
            await asyncio.gather(*(client.json(PATH, method="PUT", json=each) for each in scripts))
            assert json.loads(path.read_text()) in scripts


async def test_only_corners_of_known_tracks_have_scripts(home: Home) -> None:
    async with api_daemon.running(home) as (_, port, token), asking(port, token) as session:
        client = Client(session, port)
        told = await client.json("/tracks/sonoma/scripts/turn_99", 404, method="PUT", json=GOOD)
        assert "turn_99 is no corner of sonoma" in told["error"]
        assert "carousel" in told["what_to_do"]
        await client.json("/tracks/nowhere/scripts/turn_2", 404, method="PUT", json=GOOD)
        await client.json("/tracks/sonoma/scripts/turn_99", 404)
    assert list(home.audio_cache.iterdir()) == []

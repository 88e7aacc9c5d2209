"""Lessons as they are listed: by the command, and over the API."""

from __future__ import annotations

import api_daemon
import msgspec
import pytest
from api_client import Client, asking
from lesson_drives import NAMES, session
from running_daemon import Daemon
from typed import Typed, typed

from pitwall.analysis.lessons import judge
from pitwall.config import Home
from pitwall.store.lessons import Lesson, put_lessons
from pitwall.store.store import Store

LEARNED = judge(
    [*session(0, faults={"turn_7": "more_apex_speed"}), *session(1, faults={"turn_7": "more_apex_speed"})],
    [],
    NAMES,
)


@pytest.fixture
def filled(home: Home) -> Home:
    with Store(home) as store:
        store.open()
        put_lessons(store, LEARNED)
    return home


def lessons(home: Home, *options: str) -> Typed:
    return typed(home, "debrief", "--all-days", "--only", "lessons", *options)


def test_lessons_are_listed_found_and_shown_with_their_evidence(filled: Home) -> None:
    home = filled
    everything = lessons(home)
    assert everything.stdout.splitlines() == [
        LEARNED[0].text,
        "  fault, club, Ann",
        "  s000-Ann-club: laps 2, 3, 4, 0.40 s a lap",
        "  s001-Ann-club: laps 2, 3, 4, 0.41 s a lap",
    ]
    found = lessons(home, "--about", "the carousel", "--json").stdout
    assert msgspec.json.decode(found, type=list[Lesson]) == LEARNED
    assert lessons(home, "--about", "weather").stdout == "nothing was learned about that yet\n"


def test_a_retired_lesson_is_shown_when_asked_for(home: Home) -> None:
    slow = {"turn_7": "more_apex_speed"}
    retired = judge([*session(0, faults=slow), *session(1, faults=slow), *session(2)], [], NAMES)
    with Store(home) as store:
        store.open()
        put_lessons(store, retired)
    assert lessons(home, "--json").stdout == "[]\n"
    shown = lessons(home, "--retired").stdout
    assert "no longer: on 2026-05-03 it was driven without it" in shown
    assert "s002-Ann-club: laps 2, 3, 4, 5 (against it)" in shown


@pytest.mark.long
def test_with_the_daemon_running_the_same_comes_over_its_api(filled: Home) -> None:
    home = filled
    commands = (("--json",), ("--about", "carousel"))
    alone = {words: lessons(home, *words).stdout for words in commands}
    (home.root / "pitwall.toml").write_text('[api]\nport = 0\n[audio]\nplayer = "none"\n')
    with Daemon(home) as daemon:
        for words in commands:
            over = lessons(home, *words)
            assert (over.returncode, over.stdout) == (0, alone[words]), over.stderr
        assert daemon.end() == 0


async def test_the_route_searches_within_bounds(filled: Home) -> None:
    async with api_daemon.running(filled) as (_, port, token), asking(port, token) as http:
        client = Client(http, port)
        assert await client.json("/lessons?words=carousel") == await client.json("/lessons")
        await client.json(f"/lessons?words={'x' * 301}", 400)

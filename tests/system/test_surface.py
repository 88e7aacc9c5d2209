"""The nine commands that the help shows, the others."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from copies import copied
from typed import typed

from pitwall.api.judged import report_html
from pitwall.cli import COMMANDS
from pitwall.config import Home
from pitwall.store import queries
from pitwall.store.store import Store


@pytest.fixture(scope="module")
def home(demo_replayed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A worker's own: two that ask at once would wait for each other, and say so."""
    return copied(demo_replayed, tmp_path_factory.mktemp("surface") / "home")


def listed(told: str) -> set[str]:
    """The commands that a help lists."""
    return set(re.findall(r"^    (\w+)  ", told.partition("commands")[2], re.MULTILINE))


def test_the_help_shows_nine_commands_and_more_the_others(tmp_path: Path) -> None:
    shown = listed(typed(tmp_path, "--help").stdout)
    assert shown == {"import", "laps", "debrief", "ask", "report", "show", "run", "doctor", "more"}
    for words in (("more",), ("more", "--help")):
        done = typed(tmp_path, *words)
        assert (done.returncode, listed(done.stdout)) == (0, {*COMMANDS} - shown)
    with_more, without = typed(tmp_path, "more", "track", "list"), typed(tmp_path, "track", "list")
    assert with_more == without
    assert "sonoma" in without.stdout


def test_the_last_that_the_coach_is_asked_about_is_a_replay_that_was_just_driven(home: Path) -> None:
    said = typed(home, "coach").stdout
    assert "Turn seven: brake two car lengths later" in said
    every = json.loads(typed(home, "coach", "last", "--all", "--json").stdout)
    assert {line["outcome"] for line in every} == {"spoken", "held then spoken"}
    assert len(every) == said.count("said")
    [drive] = json.loads(typed(home, "sessions", "--json").stdout)
    assert "nothing was said" in typed(home, "coach", drive["id"]).stdout
    assert drive["kind"] == "import"
    assert len(json.loads(typed(home, "sessions", "--replays", "--json").stdout)) == 2


@pytest.mark.long
def test_the_report_of_an_imported_session_holds_what_the_coach_would_have_said(home: Path) -> None:
    [drive] = json.loads(typed(home, "sessions", "--json").stdout)
    heard = json.loads(typed(home, "coach", "last", "--all", "--json").stdout)
    with Store(Home(home)) as store:
        store.open()
        broken_off = report_html(store, drive["id"], stands=lambda: False).decode()
        whole = report_html(store, drive["id"]).decode()
        assert queries.cues(store, drive["id"]) == [], "nothing was said, and nothing is stored"
    would = "What the coach would have said"
    assert f'"coach":"{would}"' in whole
    assert f'"coach":"{would}"' not in broken_off, "the car is driven meanwhile"
    spoken = {line["text"] for line in heard if "spoken" in line["outcome"]}
    # Clips are as long as they are estimated to be: a call more or less may fit.
    assert len(spoken) > 5
    assert len({text for text in spoken if f'"text":"{text}"' in whole}) >= len(spoken) - 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("sessions", "mark", "slow"), "'slow' is none of traffic"),
        (("sessions", "mark", "last", "3"), "give a session, its laps, and one of traffic"),
        (("sessions", "mark", "last", "two", "traffic"), "give a session, its laps, and one of traffic"),
        (("sessions", "mark"), "no daemon is running"),
        (("debrief", "--about", "turn 7"), "--about goes with --all-days"),
        (("ask", "--deep", "--later", "why"), "leave out --intent and --later"),
    ],
)
def test_what_does_not_go_together_is_one_clear_line(home: Path, words: tuple[str, ...], told: str) -> None:
    done = typed(home, *words)
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1

"""The commands as a driver types them, on real recordings."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from running_daemon import DEMO, ROOT
from typed import Typed, typed
from until import DEADLOCK_S

from pitwall.config import Home


class Terminal:
    """Runs `pitwall` with a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def run(self, *words: str | Path, code: int = 0) -> Typed:
        done = typed(self.home, *words)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    def json(self, *words: str | Path) -> list[Any]:
        return [json.loads(line) for line in self.run(*words, "--json").stdout.splitlines()]


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path / "home")


@pytest.fixture
def spoken(spoken_home: Home) -> Terminal:
    """One whose words are rendered, for replays."""
    return Terminal(spoken_home.root)


def test_import_twice_gives_one_session_and_its_laps(terminal: Terminal) -> None:
    first, again = terminal.json("import", DEMO), terminal.json("import", DEMO)
    assert first[0]["session"] == again[0]["session"]
    assert (first[0]["known"], again[0]["known"]) == (False, True)
    process = subprocess.run(
        [sys.executable, "-m", "pitwall", "sessions", "--json"],
        env={**os.environ, "PITWALL_HOME": str(terminal.home)},
        capture_output=True,
        check=True,
    )
    assert [row["id"] for row in json.loads(process.stdout)] == [first[0]["session"]]
    [laps] = terminal.json("laps", first[0]["session"])
    assert [lap["kind"] for lap in laps] == ["out", *["flying"] * 5, "in"]
    assert all((lap["time_s"] is not None) == (lap["kind"] == "flying") for lap in laps)


@pytest.mark.long
def test_replay_says_the_same_at_any_speed_and_from_its_own_journal(spoken: Terminal) -> None:
    at_most = spoken.run("replay", DEMO, "--speed", "max", "--json").stdout
    assert spoken.run("replay", DEMO, "--speed", "600", "--json").stdout == at_most
    [journal] = (spoken.home / "journals").glob("*-replay.pwj")
    kept = spoken.home / "kept.pwj"
    kept.write_bytes(journal.read_bytes())
    assert spoken.run("replay", kept, "--speed", "max", "--json").stdout == at_most


@pytest.mark.long
def test_a_stored_lap_can_be_the_reference(spoken: Terminal) -> None:
    [imported] = spoken.json("import", DEMO)
    cues = spoken.json("replay", DEMO, "--speed", "max", "--reference", f"{imported['session']}:1")
    free = spoken.json("replay", DEMO, "--speed", "max")
    assert cues != free
    assert f"session {imported['session']}:" in spoken.run("laps", "2025").stdout
    # The replay's id has the same beginning, which means the drive all the same.
    for session in (imported["session"], "20250517"):
        told = spoken.run("replay", DEMO, "--reference", f"{session}:77", code=2).stderr
        assert f"{imported['session']} has no lap 77; timed laps: 1, 2, 3, 4, 5" in told


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["import", "nowhere.vbo"], "nowhere.vbo"),
        (["inspekt"], "(did you mean inspect?); see pitwall --help"),
        (["inspect"], "the following arguments are required: FILE; see pitwall inspect --help"),
        (["simulate", "sonoma", "--format", "vob"], "(did you mean vbo?)"),
        (["replay", "x", "--gate", "1,2"], "give four numbers, LAT,LON,LAT,LON"),
        (["replay", str(ROOT / "pyproject.toml")], "pyproject.toml"),
        (["replay", str(DEMO), "--speed", "fast"], "--speed fast"),
        (["laps", "nosuch"], "no sessions yet"),
        (["simulate", "nowhere"], "there are sonoma"),
        (["simulate", "sonoma", "--mistake", "turn_99:coast=3"], "turn_99"),
        (["inspect", str(ROOT / ".ci")], "no file in this folder is a recording"),
        (["replay", str(ROOT)], "is a folder: name one recording in it"),
        (["track", "build", str(DEMO), "--id", "../x"], "--id '../x'"),
    ],
)
def test_bad_input_is_one_clear_line(words: list[str], wanted: str, terminal: Terminal) -> None:
    told = terminal.run(*words, code=2).stderr
    assert wanted in told
    assert len(told.strip().splitlines()) == 1


@pytest.mark.long
def test_a_folder_stands_for_the_recordings_in_it(terminal: Terminal, tmp_path: Path) -> None:
    for name in ("a.vbo", "b.vbo"):
        terminal.run(
            "simulate", "sonoma", "--laps", "1", "--seed", str(ord(name[0])), "--out", tmp_path / name
        )
    (tmp_path / "notes.txt").write_text("wet in the morning")
    seen = [Path(each["file"]).name for each in terminal.json("inspect", tmp_path)]
    assert seen == ["a.vbo", "b.vbo"]
    done = terminal.run("import", tmp_path)
    assert [line.split(":")[0][-5:] for line in done.stdout.splitlines()[:2]] == ["a.vbo", "b.vbo"]
    assert "no recordings, left out: notes.txt" in done.stderr


def test_simulate_overwrites_nothing_unasked(terminal: Terminal, tmp_path: Path) -> None:
    out = tmp_path / "kept.vbo"
    out.write_text("mine")
    words = ["simulate", "sonoma", "--laps", "1", "--rate", "5", "--out", out]
    assert f"{out} exists already" in terminal.run(*words, code=2).stderr
    assert out.read_text() == "mine"
    terminal.run(*words, "--force")
    assert out.stat().st_size > 10_000


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [["sessions"], ["--help"]], ids=lambda words: words[0])
def test_a_reader_that_goes_away_is_no_error(spoken: Terminal, words: list[str], unbuffered: str) -> None:
    # Unbuffered, what is written fails at once; else it fails when the command ends.
    _go_away_from(spoken, words, unbuffered)


@pytest.mark.long
def test_a_replay_whose_reader_goes_away_is_driven_to_its_end(spoken: Terminal) -> None:
    _go_away_from(spoken, ["replay", str(DEMO), "--speed", "1000"], "1")
    debrief = spoken.run("debrief")
    assert debrief.stderr.startswith("pitwall: (composed"), "the session is whole: nothing is rebuilt"
    [laps] = spoken.json("laps", "last")
    assert [lap["kind"] for lap in laps] == ["out", *["flying"] * 5, "in"]


def _go_away_from(spoken: Terminal, words: list[str], unbuffered: str) -> None:
    command = subprocess.Popen(
        [sys.executable, "-m", "pitwall", *words],
        env={**os.environ, "PITWALL_HOME": str(spoken.home), "PYTHONUNBUFFERED": unbuffered},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert command.stdout is not None
    command.stdout.close()
    command.stdout = None
    told = command.communicate()[1]
    assert (command.returncode, told) == (0, "")


def test_nothing_in_a_file_or_its_name_steers_the_terminal(terminal: Terminal, tmp_path: Path) -> None:
    steering = tmp_path / "a\x1b]0;owned\x07\x9b2J.vbo"
    shutil.copy(DEMO, steering)
    done = terminal.run("inspect", steering)
    refused = terminal.run("inspect", steering.with_suffix(".gone"), code=2)
    for text in (done.stdout, done.stderr, refused.stderr):
        assert not set(text) & {"\x1b", "\x07", "\x9b"}
    assert "]0;owned" in done.stdout
    assert "]0;owned" in refused.stderr


def test_the_daemon_loads_nothing_heavy(terminal: Terminal) -> None:
    """What is imported by a `pitwall run` that listens, opens a session, closes it and ends. The forecast is
    off: it is LiteRT with its numpy, loaded where a track is known."""
    terminal.home.mkdir()
    (terminal.home / "pitwall.toml").write_text(
        '[audio]\nplayer = "text"\n[api]\nport = 0\n[coach]\nforecast = false\n'
        f'[sources.car]\nuri = "replay:{DEMO}?live=true&speed=1000"\n'
    )
    with subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "pitwall", "-v", "run"],
        env={**os.environ, "PITWALL_HOME": str(terminal.home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stderr is not None
        guard = threading.Timer(DEADLOCK_S, run.kill)
        guard.start()
        said = ""
        for line in run.stderr:
            said += line
            if re.search(r"session \d{8}-\d{6}", line):
                run.terminate()
        guard.cancel()
    loaded = set(re.findall(r"^import time:.*\| +(\S+)$", said, re.MULTILINE))
    assert run.returncode == 0, said[-2000:]
    assert {"pitwall.daemon.app", "_duckdb", "aiohttp"} <= loaded
    heavy = {"google", "ai_edge_litert", "numpy", "pandas", "rich", "can", "cantools", "serial"}
    assert not heavy & {name.split(".")[0] for name in loaded}


@pytest.mark.long
def test_an_import_with_another_start_line_measures_the_same_session_anew(terminal: Terminal) -> None:
    [imported] = terminal.json("import", DEMO)
    [before] = terminal.json("laps", imported["session"])
    far = terminal.run("import", DEMO, "--gate=45.73,13.07,45.73,13.08", code=2).stderr
    assert "refused" in far
    # Across the track between the Carousel and Turn 7.
    [again] = terminal.json("import", DEMO, "--gate=38.164495,-122.459335,38.164723,-122.459151")
    [after] = terminal.json("laps", again["session"])
    [sessions] = terminal.json("sessions")
    assert len(sessions) == 1
    assert len([lap for lap in after if lap["time_s"]]) == len([lap for lap in before if lap["time_s"]]) + 1

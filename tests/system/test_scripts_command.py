"""`pitwall scripts`: what is spoken, who wrote it, changes that pass the check, and the way back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running_daemon import Daemon, write_settings

from pitwall.api.answers import find_track
from pitwall.cli import main
from pitwall.config import Home
from pitwall.contract.scripts import ScriptAuthor
from pitwall.store.voice_scripts import KEPT, save_script, script_changes, take_back

Run = Callable[..., str]
Ask = Callable[..., Any]


@pytest.fixture
def run(home: Home, capsys: pytest.CaptureFixture[str]) -> Run:
    """What a command prints, its answer before its notes; `code` is its exit code."""

    def ran(*words: str | Path, code: int = 0) -> str:
        assert main(["--home", str(home.root), "scripts", *map(str, words)]) == code
        out, err = capsys.readouterr()
        return out + err

    return ran


@pytest.fixture
def spoken(run: Run) -> Ask:
    """The script of a corner, as the command tells it."""
    return lambda corner, **more: json.loads(run("show", corner, "--json", **more))["script"]


def by_model(home: Home, corner: str, script: dict[str, str], job: str = "job 3") -> None:
    author = ScriptAuthor("model", f"{job}, gemini", job)
    save_script(home, find_track(home, "sonoma"), corner, script, author)


def files(home: Home) -> list[str]:
    return sorted(path.name for path in home.audio_cache.rglob("*") if path.is_file())


def test_a_phrase_is_changed_where_it_passes_and_every_change_can_be_taken_back(
    home: Home, run: Run, spoken: Ask
) -> None:
    before = spoken("turn_7")
    assert before["origin"] == "shipped"
    refused = run("edit", "turn_7", "brake", "Full throttle", code=2)
    assert 'brake: "Full throttle" is nothing that can be said under brake at Turn 7' in refused
    assert files(home) == ["pitwall.lock"] if "pitwall.lock" in files(home) else files(home) == []
    run("edit", "turn_7", "brake", "Firm brake at the board")
    run("edit", "turn_7", "brake_later", "Brake a touch later")
    now = spoken("turn_7")
    assert now["origin"] == "yours"
    # "Brake" abridges the new phrase too; what is not named stays.
    added = {"brake": "Firm brake at the board", "brake_later": "Brake a touch later"}
    assert now["script"] == before["script"] | added
    assert now["change"]["author"] == {"by": "driver", "through": "pitwall scripts edit", "batch": ""}
    run("edit", "turn_7", "exit")
    assert not {"exit", "exit_short"} & spoken("turn_7")["script"].keys()
    run("undo", "turn_7")
    assert spoken("turn_7")["script"] == now["script"]
    run("undo")
    run("undo")
    assert spoken("turn_7") == before
    assert files(home) == []
    assert "no change is known of turn_7" in run("undo", "turn_7", code=2)


def test_own_words_are_shown_back_and_confirmed_once(home: Home, run: Run, spoken: Ask) -> None:
    told = run("edit", "turn_7", "brake", "Pedal time", code=2)
    assert "this says nothing we can check: it will be spoken as it is" in told
    run("edit", "turn_7", "brake", "Pedal time", "--own-words")
    assert spoken("turn_7")["script"]["own"] == "brake"
    assert "Pedal time (about 0.6 s, your own words)" in run("show", "turn_7")
    run("edit", "turn_7", "exit", "Throttle")
    assert spoken("turn_7")["script"]["own"] == "brake"
    run("edit", "turn_7", "brake", "Brake at the board")
    assert "own" not in spoken("turn_7")["script"]


def test_one_word_takes_back_all_that_a_model_wrote_in_a_job(home: Home, run: Run, spoken: Ask) -> None:
    was = {corner: spoken(corner) for corner in ("turn_2", "turn_7", "turn_9")}
    by_model(home, "turn_9", {"brake": "Small lift"}, job="job 2")
    for corner in was:
        by_model(home, corner, {"brake": "Firm brake"} if corner != "turn_9" else {"brake": "Quick lift"})
    assert "a model, through job 3, gemini" in run("list")
    assert 'brake "Brake at the three hundred" -> "Firm brake"' in run("show", "turn_7")
    run("edit", "turn_2", "exit", "Throttle")
    run("undo")
    assert spoken("turn_2")["script"] == {"brake": "Firm brake"}
    told = run("undo")
    assert [corner for corner in was if f"{corner}: undone" in told] == list(was)
    assert spoken("turn_9")["script"] == {"brake": "Small lift"}
    run("undo")
    assert {corner: spoken(corner) for corner in was} == was


def test_what_an_editor_wrote_is_told_as_such_and_goes_first(home: Home, run: Run, spoken: Ask) -> None:
    by_model(home, "turn_7", {"brake": "Firm brake"})
    path = home.audio_cache / "turn_7.json"
    path.write_text('{"brake": "Brake hard at the board"}')
    assert "an editor" in run("list")
    assert 'an editor: brake "Firm brake" -> "Brake hard at the board"' in run("undo")
    assert spoken("turn_7")["script"] == {"brake": "Firm brake"}
    path.unlink()
    run("undo")
    assert spoken("turn_7")["script"] == {"brake": "Firm brake"}
    # A file that is no script is kept elsewhere, not written over.
    path.write_text("{broken")
    assert "is not JSON" in run("check", code=1)
    run("edit", "turn_7", "brake", "Brake")
    assert [kept.read_text() for kept in home.damaged.iterdir()] == ["{broken"]


def test_only_so_many_changes_are_kept_and_a_damaged_history_stops_nobody(home: Home) -> None:
    track = find_track(home, "sonoma")
    ways = ("hard", "gently", "firmly", "smoothly")
    for number in range(KEPT + 5):
        by_model(home, "turn_7", {"brake": f"Brake {ways[number % len(ways)]}"}, job=f"job {number}")
    assert len(script_changes(home, track, "turn_7")) == KEPT
    (home.audio_cache / ".turn_7.history").write_bytes(b"\xff{")
    assert script_changes(home, track, "turn_7") == []
    assert take_back(home, track) == []
    by_model(home, "turn_7", {"brake": "Brake straight"})
    assert len(take_back(home, track)) == 1


@pytest.mark.long
@pytest.mark.usefixtures("spoken_home")
def test_beside_a_daemon_the_daemon_does_it_and_tells_the_same(home: Home, run: Run, spoken: Ask) -> None:
    write_settings(home, {})
    with Daemon(home) as daemon:
        assert "is to tell where" in run("edit", "turn_7", "brake", "Full throttle", code=2)
        run("edit", "turn_7", "brake", "Firm brake at the board")
        assert daemon.ask("/tracks/sonoma/scripts/turn_7")[1]["brake"] == "Firm brake at the board"
        change = daemon.ask("/tracks/sonoma/script-changes")[1]["corners"][7]["change"]
        assert (change["author"]["through"], change["had_file"]) == ("the API", False)
        assert spoken("turn_7")["change"] == change
        assert "turn_7: undone" in run("undo")
        assert daemon.ask("/tracks/sonoma/script-changes")[1]["corners"][7]["origin"] == "shipped"
        assert daemon.end() == 0

"""What is spoken, who wrote it, and the way back: changes one by one, and all that a model wrote in a job."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.api.answers import find_track
from pitwall.api.scripts import put_script, script_table, undo_scripts
from pitwall.config import Home
from pitwall.contract.problems import Refused
from pitwall.contract.scripts import ScriptAuthor, ScriptRow
from pitwall.store.voice_scripts import KEPT, save_script, script_changes, take_back

DRIVER = ScriptAuthor("driver", "the API")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.prepare()
    return made


def spoken(home: Home, corner: str) -> ScriptRow:
    [row] = [each for each in script_table(home, find_track(home, "sonoma")).corners if each.corner == corner]
    return row


def by_driver(home: Home, corner: str, **texts: str) -> None:
    script = {**spoken(home, corner).script, **texts}
    put_script(home, find_track(home, "sonoma"), corner, script, DRIVER)


def by_model(home: Home, corner: str, script: dict[str, str], job: str = "job 3") -> None:
    author = ScriptAuthor("model", f"{job}, gemini", job)
    save_script(home, find_track(home, "sonoma"), corner, script, author)


def undo(home: Home, corner: str = "") -> list[str]:
    return [each.corner for each in undo_scripts(home, find_track(home, "sonoma"), corner)]


def test_every_change_can_be_taken_back(home: Home) -> None:
    before = spoken(home, "turn_7")
    assert before.origin == "shipped"
    by_driver(home, "turn_7", brake="Firm brake at the board")
    by_driver(home, "turn_7", brake_later="Brake a touch later")
    now = spoken(home, "turn_7")
    assert now.script == {
        **before.script,
        "brake": "Firm brake at the board",
        "brake_later": "Brake a touch later",
    }
    assert (now.origin, now.change and now.change.author) == ("yours", DRIVER)
    assert undo(home, "turn_7") == undo(home) == ["turn_7"]
    assert spoken(home, "turn_7") == before
    assert not [path for path in home.audio_cache.rglob("*.json") if path.is_file()]
    with pytest.raises(Refused, match="no change is known of turn_7"):
        undo(home, "turn_7")


def test_one_step_takes_back_all_that_a_model_wrote_in_a_job(home: Home) -> None:
    was = {corner: spoken(home, corner) for corner in ("turn_2", "turn_7", "turn_9")}
    by_model(home, "turn_9", {"brake": "Small lift"}, job="job 2")
    for corner in was:
        by_model(home, corner, {"brake": "Firm brake"} if corner != "turn_9" else {"brake": "Quick lift"})
    by_driver(home, "turn_2", exit="Throttle")
    assert undo(home) == ["turn_2"]
    assert spoken(home, "turn_2").script == {"brake": "Firm brake"}
    assert sorted(undo(home)) == sorted(was)
    assert spoken(home, "turn_9").script == {"brake": "Small lift"}
    undo(home)
    assert {corner: spoken(home, corner) for corner in was} == was


def test_what_an_editor_wrote_goes_first_and_a_broken_file_is_kept_elsewhere(home: Home) -> None:
    by_model(home, "turn_7", {"brake": "Firm brake"})
    path = home.audio_cache / "turn_7.json"
    path.write_text('{"brake": "Brake hard at the board"}')
    change = spoken(home, "turn_7").change
    assert change is not None
    assert change.author.by == "hand"
    undo(home)
    assert spoken(home, "turn_7").script == {"brake": "Firm brake"}
    path.unlink()
    undo(home)
    assert spoken(home, "turn_7").script == {"brake": "Firm brake"}
    path.write_text("{broken")
    [problem] = script_table(home, find_track(home, "sonoma")).problems
    assert "is not JSON" in problem
    by_driver(home, "turn_7", brake="Brake hard")
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

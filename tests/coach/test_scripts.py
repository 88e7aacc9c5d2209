"""Voice scripts: the shipped ones, the one check for every writer, layering, and files from outside."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from coach_world import ring

from pitwall.coach.cue import PHASES
from pitwall.coach.scripts import Phrase, check_script, load_scripts, phrases, phrases_of, script_path
from pitwall.config import shipped
from pitwall.track.library import load_track
from pitwall.track.model import Track
from pitwall.words.language import ENGLISH


# fmt: off
# fmt: on
@pytest.fixture(scope="module")
def sonoma() -> Track:
    return load_track(shipped("track_data") / "sonoma.json")


def test_every_sonoma_corner_ships_a_script_that_the_check_passes(sonoma: Track) -> None:
    for corner_id in (at.id for at in sonoma.corners):
        data = json.loads((shipped("audio_cache") / f"{corner_id}.json").read_text())
        assert check_script(corner_id, data, sonoma) == []
        assert set(data) == {key for phase in PHASES for key in (phase, f"{phase}_short")}
        assert len(data["brake"].split()) <= 5
        assert all(len(data[f"{phase}_short"].split()) <= 2 for phase in PHASES)


def test_shipped_scripts_have_no_problem_and_every_text_is_rendered_once(sonoma: Track) -> None:
    scripts = load_scripts([shipped("audio_cache")], sonoma)
    texts = phrases(scripts)
    assert scripts.problems == ()
    assert len(set(texts)) == len(texts)
    assert set(ENGLISH.fixed.values()) <= set(texts)
    assert "again, like that" in texts
    assert "Brake at the bridge" in texts


def test_a_phase_said_in_two_corners_is_never_ambiguous_at_the_brakes(sonoma: Track) -> None:
    scripts = load_scripts([shipped("audio_cache")], sonoma)
    brakes = [by_phase["brake"].text for by_phase in scripts.corners.values()]
    assert len(set(brakes)) == len(brakes)


BAD: list[tuple[object, object, str]] = [
    ("../../etc/passwd", {"brake": "Brake"}, "no corner id"),
    ("turn_1/../x", {"brake": "Brake"}, "no corner id"),
    ("turn_1\n", {"brake": "Brake"}, "no corner id"),
    ("TURN_1", {"brake": "Brake"}, "no corner id"),
    (7, {"brake": "Brake"}, "no corner id"),
    ("turn_99", {"brake": "Brake"}, "no corner of Ring"),
    ("turn_1", ["brake"], "must be an object"),
    ("turn_1", {}, "is empty"),
    ("turn_1", {"braking": "Brake"}, "is no phase"),
    ("turn_1", {3: "Brake"}, "is no phase"),
    ("turn_1", {"brake": 7}, "must be text"),
    ("turn_1", {"brake": ""}, "has no word"),
    ("turn_1", {"brake": " ... "}, "has no word"),
    ("turn_1", {"brake": "Brake\x07 now"}, "can't speak"),
    ("turn_1", {"brake": "Brake\nnow"}, "can't speak"),
    ("turn_1", {"brake": "<speak>Brake</speak>"}, "can't speak"),
    ("turn_1", {"brake": "[[bɹeɪk]]"}, "can't speak"),
    ("turn_1", {"brake": "Brake \u202enow"}, "can't speak"),
    ("turn_1", {"brake": "brake " * 9}, "at most 8"),
    ("turn_1", {"brake": "b" * 61}, "at most 8"),
    ("turn_1", {"brake": "Brake", "brake_short": "Brake now"}, "must be shorter"),
    ("turn_1", {"brake_short": "Brake"}, "needs a brake"),
]


@pytest.mark.parametrize(("corner_id", "data", "what"), BAD)
def test_the_check_says_what_is_wrong(corner_id: object, data: object, what: str) -> None:
    problems = check_script(corner_id, data, ring())
    assert any(what in problem for problem in problems), problems


def test_a_script_may_hold_advice_beside_its_phases() -> None:
    script = {"brake": "Brake in a straight line", "brake_later": "Brake a car length later"}
    assert check_script("turn_1", {**script, "brake_later_short": "Later"}, ring()) == []
    phrases_by_key = phrases_of({**script, "brake_later_short": "Later"})
    assert phrases_by_key["brake_later"] == Phrase("Brake a car length later", "Later")
    assert "brake_later: " in check_script("turn_1", {"brake_later": "Brake earlier"}, ring())[0]


@pytest.mark.parametrize("corner_id", ["../turn_1", "/etc/passwd", "turn_1.json", "", "con:", "turn_99"])
def test_a_name_from_outside_never_becomes_a_path(tmp_path: Path, corner_id: str) -> None:
    with pytest.raises(ValueError, match="corner"):
        script_path(tmp_path, corner_id, ring())


def test_a_track_id_from_outside_never_becomes_a_path(tmp_path: Path) -> None:
    import msgspec

    (tmp_path / "turn_1.json").write_text('{"brake": "Stolen words"}')
    foreign = msgspec.structs.replace(ring(), id="..")
    with pytest.raises(ValueError, match="track id"):
        script_path(tmp_path / "in", "turn_1", foreign)
    scripts = load_scripts([tmp_path / "in"], foreign)
    assert scripts.corners == {}
    assert "can't name a folder" in scripts.problems[0].what


def test_the_users_file_wins_per_corner_and_a_bad_one_is_named_and_skipped(tmp_path: Path) -> None:
    user, ours = tmp_path / "user" / "ring", tmp_path / "ours" / "ring"
    user.mkdir(parents=True)
    ours.mkdir(parents=True)
    (user / "turn_1.json").write_text('{"brake": "Brake hard"}')
    (ours / "turn_1.json").write_text('{"brake": "Brake", "exit": "Throttle"}')
    (user / "turn_2.json").write_text("{broken")
    (ours / "turn_2.json").write_text('{"brake": "Brake"}')
    (user / "turn_3.json").write_bytes(b'{"brake": "\xff"}')
    (user / "turn_9.json").write_text('{"brake": "Nowhere"}')
    os.mkfifo(user / "turn_4.json")
    scripts = load_scripts([tmp_path / "user", tmp_path / "ours"], ring())
    said = {id_: {p: phrase.text for p, phrase in phases.items()} for id_, phases in scripts.corners.items()}
    assert said["turn_1"] == {"brake": "Brake hard"}
    assert said["turn_2"] == {"brake": "Brake"}
    assert said["turn_3"]["brake"] == "Brake for turn three"
    assert said["turn_4"]["brake"] == "Brake for turn four"
    assert [Path(problem.file).name for problem in scripts.problems] == [
        "turn_2.json",
        "turn_3.json",
        "turn_9.json",
    ]


def test_a_script_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "ring").mkdir()
    (tmp_path / "ring" / "turn_1.json").write_text('{"brake": "' + " " * 9000 + 'Brake"}')
    assert "larger than" in load_scripts([tmp_path], ring()).problems[0].what


def test_no_track_has_messages_and_lap_times() -> None:
    said = phrases(load_scripts([shipped("audio_cache")], None))
    assert said[: len(ENGLISH.fixed)] == tuple(ENGLISH.fixed.values())
    times = {ENGLISH.best_lap, *ENGLISH.spoken_lap_time(88.8), *ENGLISH.spoken_lap_time(112.3)}
    assert times <= set(said[len(ENGLISH.fixed) :]) <= set(ENGLISH.texts())


def test_plain_scripts_pass_the_check_themselves() -> None:
    for at in ring().corners:
        assert check_script(at.id, ENGLISH.plain_script(at.id), ring()) == []

"""Track files: what is read, which folder wins, and what a bad one is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from synthetic_drives import HAIRPIN, circuit, perimeter

from pitwall.config import shipped
from pitwall.track.library import TrackError, find_track, load_track, load_tracks

TRACK = msgspec.structs.replace(circuit(HAIRPIN), speed_mps=())
GOOD: dict[str, Any] = msgspec.to_builtins(TRACK)
LINE = GOOD["centreline"]


def written(folder: Path, file: str, **changes: Any) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / file
    path.write_text(json.dumps({**GOOD, **changes}))
    return path


def test_a_track_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert load_track(written(tmp_path, "polygon.json")) == TRACK


def test_every_shipped_track_is_good() -> None:
    tracks = load_tracks([shipped("track_data")])
    assert "sonoma" in tracks


CORNER = GOOD["corners"][0]


@pytest.mark.parametrize(
    ("changes", "field", "what"),
    [
        ({"length_m": 2100.0}, "length_m", "2100 m, but the centreline is 1800 m"),
        ({"length_m": -1.0}, "length_m", "not a length"),
        ({"id": "../up"}, "id", "not a plain word"),
        ({"centreline": LINE[:9]}, "centreline", "9 points"),
        ({"centreline": LINE[:60] + LINE[150:]}, "centreline[59]", "hole"),
        ({"centreline": [*LINE[:1], *LINE]}, "centreline[0]", "the same"),
        ({"centreline": [[95.0, 7.0, 0.0], *LINE]}, "centreline[0]", "not a place"),
        ({"pit_lane": [[50.0, 700.0], [50.0, 7.0]]}, "pit_lane[0]", "not a place"),
        ({"speed_mps": [30.0]}, "speed_mps", "1 speeds for"),
        ({"gate": {**GOOD["gate"], "a_lat_deg": 50.01}}, "gate", "from the centreline's first point"),
        ({"gate": {**GOOD["gate"], "heading_deg": 270.0}}, "gate.heading_deg", "not the way"),
        ({"corners": [CORNER, CORNER]}, "corners[1].id", "twice"),
        ({"corners": [{**CORNER, "exit_m": 5000.0}]}, "corners[0].exit_m", "outside the lap"),
        ({"corners": [{**CORNER, "brake_m": -3.0}]}, "corners[0].brake_m", "outside the lap"),
        ({"corners": [{**CORNER, "apex_m": 100.0}]}, "corners[0].apex_m", "between entry and exit"),
        ({"sectors_m": [900.0, 600.0]}, "sectors_m", "do not rise"),
        ({"corners": [{**CORNER, "direction": "up"}]}, "corners[0].direction", "up"),
        ({"colour": "red"}, "file", "colour"),
    ],
)
def test_a_bad_file_names_itself_the_field_and_the_way_out(tmp_path, changes, field: str, what: str) -> None:
    path = written(tmp_path, "bad.json", **changes)
    with pytest.raises(TrackError) as caught:
        load_track(path)
    assert caught.value.field == field
    assert what in str(caught.value)
    assert str(path) in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[1, 2]", b'{"id": "x"}', b"NaN"])
def test_what_is_no_track_at_all(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "junk.json"
    path.write_bytes(content)
    with pytest.raises(TrackError, match=r"junk\.json"):
        load_track(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(TrackError, match="cannot be read"):
        load_track(tmp_path / "none.json")


def test_the_users_track_lies_over_the_shipped_one(tmp_path: Path) -> None:
    written(tmp_path / "user", "mine.json", name="Mine")
    written(tmp_path / "shipped", "polygon.json")
    written(tmp_path / "shipped", "other.json", id="other")
    tracks = load_tracks([tmp_path / "user", tmp_path / "missing", tmp_path / "shipped"])
    assert {name: track.name for name, track in tracks.items()} == {"polygon": "Mine", "other": "Polygon"}


def test_one_track_is_found_as_among_all_of_them_and_as_its_file_says_now(tmp_path: Path) -> None:
    folders = [tmp_path / "user", tmp_path / "missing", tmp_path / "shipped"]
    written(tmp_path / "shipped", "polygon.json")
    written(tmp_path / "user", "bad.json", length_m=1.0)
    assert find_track(folders, "polygon") == TRACK
    written(tmp_path / "user", "mine.json", name="Mine")
    mine = find_track(folders, "polygon")
    assert mine.name == "Mine"
    written(tmp_path / "user", "mine.json", name="Another")
    assert find_track(folders, "polygon") == load_tracks(folders, [])["polygon"]
    assert find_track(folders, "other") is None


def test_two_files_with_one_id_in_a_folder(tmp_path: Path) -> None:
    written(tmp_path, "a.json")
    written(tmp_path, "b.json")
    with pytest.raises(TrackError, match=r"b\.json: id: 'polygon' is also in a\.json"):
        load_tracks([tmp_path])


def test_bad_files_can_be_passed_over_and_told(tmp_path: Path) -> None:
    written(tmp_path, "bad.json", length_m=1.0)
    written(tmp_path, "good.json", length_m=perimeter(HAIRPIN))
    problems: list[TrackError] = []
    assert list(load_tracks([tmp_path], problems)) == ["polygon"]
    assert [problem.path.name for problem in problems] == ["bad.json"]

"""Track files: written readably and in one step; what people wrote in them outlives a rebuild."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from build_circuits import GRAND_PRIX, Drive

from pitwall.track.build import build_track
from pitwall.track.build_laps import TrackBuildError
from pitwall.track.build_merge import merge_hand_written
from pitwall.track.build_report import format_track, write_track
from pitwall.track.library import find_problem, load_track
from pitwall.track.model import Landmark, Track

replace = msgspec.structs.replace


@pytest.fixture(scope="module")
def found() -> Track:
    drive = Drive(GRAND_PRIX, laps=3)
    return build_track([drive], track_id="made", name="Made up", gate=GRAND_PRIX.gate()).track


@pytest.fixture(scope="module")
def found_elsewhere() -> Track:
    """The same circuit built on another day, with its gate 500 m further on."""
    later = replace_start(500)
    drive = Drive(later, laps=3, seed=7)
    return build_track([drive], track_id="other", name="Other", gate=later.gate()).track


def replace_start(by: int):  # type: ignore[no-untyped-def]
    from build_circuits import Bend, Circuit

    points = GRAND_PRIX.points[by:] + GRAND_PRIX.points[:by]
    radius = GRAND_PRIX.radius_m[by:] + GRAND_PRIX.radius_m[:by]
    bends = [
        Bend((b.apex_m - by) % GRAND_PRIX.length_m, b.direction, b.radius_m, b.turn_deg)
        for b in GRAND_PRIX.bends
    ]
    return Circuit(points, radius, sorted(bends, key=lambda bend: bend.apex_m))


def with_corner(track: Track, index: int, **changes: object) -> Track:
    corners = list(track.corners)
    corners[index] = replace(corners[index], **changes)
    return replace(track, corners=tuple(corners))


def test_a_written_track_reads_back(found: Track, tmp_path: Path) -> None:
    path = tmp_path / "folder" / "made.json"
    marked = with_corner(
        found, 2, landmarks=(Landmark("board", "the 100 board", 500.0), Landmark("wall", "a"))
    )
    write_track(marked, path)
    again = load_track(path)
    assert again.corners[2].landmarks == marked.corners[2].landmarks
    assert len(again.centreline) == len(found.centreline)
    assert again.length_m == pytest.approx(found.length_m, abs=0.05)
    assert format_track(again) == path.read_text()
    assert [p.name for p in path.parent.iterdir()] == ["made.json"]


def test_the_text_has_one_point_and_one_corner_to_a_line(found: Track) -> None:
    lines = format_track(found).splitlines()
    points = [line for line in lines if line.startswith("    [")]
    assert len(points) == len(found.centreline) + len(found.pit_lane)
    assert sum('"id": "turn_' in line for line in lines) == len(found.corners)
    lat, lon, height = msgspec.json.decode(points[0].strip().rstrip(","))
    assert round(lat, 7) == lat
    assert round(lon, 7) == lon
    assert round(height, 1) == height


def test_one_changed_apex_changes_one_line(found: Track) -> None:
    before = format_track(found).splitlines()
    after = format_track(with_corner(found, 3, apex_m=found.corners[3].apex_m + 1)).splitlines()
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_a_failed_write_leaves_the_old_file(found: Track, tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    write_track(found, path)
    old = path.read_text()
    with pytest.raises(TypeError):
        write_track(replace(found, length_m="nonsense"), path)  # type: ignore[arg-type]
    assert path.read_text() == old
    assert [p.name for p in tmp_path.iterdir()] == ["made.json"]


@pytest.mark.long
def test_names_and_landmarks_outlive_a_rebuild(found: Track) -> None:
    mark = Landmark("bridge", "the bridge", None)
    named = with_corner(
        found,
        4,
        id="arch",
        name="The Arch",
        number="5",
        nicknames=("arch",),
        landmarks=(mark,),
        apex_m=1280.0,
    )
    merged = merge_hand_written(found, named)
    arch = merged.corners[4]
    assert (arch.id, arch.name, arch.nicknames, arch.landmarks) == ("arch", "The Arch", ("arch",), (mark,))
    assert arch.apex_m == found.corners[4].apex_m
    assert [c.id for c in merged.corners if c.id != "arch"] == [
        c.id for c in found.corners if c.id != "turn_5"
    ]
    assert find_problem(merged) is None


def test_the_names_of_another_place_are_not_taken(found: Track) -> None:
    moved = replace(found, centreline=tuple((lat + 0.1, lon, up) for lat, lon, up in found.centreline))
    with pytest.raises(TrackBuildError, match="somewhere else"):
        merge_hand_written(found, moved)


def test_a_checked_corner_keeps_its_places_and_direction(found: Track) -> None:
    checked = with_corner(
        found, 4, sureness=1.0, entry_m=1240.0, apex_m=1290.0, exit_m=1350.0, brake_m=1111.0
    )
    corner = merge_hand_written(found, checked).corners[4]
    assert (corner.entry_m, corner.apex_m, corner.exit_m, corner.brake_m) == (1240.0, 1290.0, 1350.0, 1111.0)


def test_a_corner_written_by_hand_that_was_not_found_stays(found: Track) -> None:
    kink = replace(
        found.corners[0], id="kink", name="The Kink", entry_m=100, apex_m=110, exit_m=120, brake_m=None
    )
    merged = merge_hand_written(found, replace(found, corners=(kink, *found.corners)))
    assert [corner.id for corner in merged.corners] == ["kink", *(corner.id for corner in found.corners)]


def test_a_complete_hand_written_list_gets_nothing_added(found: Track) -> None:
    own = tuple(replace(corner, name=f"Corner {corner.number}") for corner in found.corners[::2])
    merged = merge_hand_written(found, replace(found, corners=own))
    assert [corner.id for corner in merged.corners] == [corner.id for corner in own]


def test_found_corners_are_added_to_a_list_that_nobody_wrote(found: Track) -> None:
    merged = merge_hand_written(found, replace(found, corners=found.corners[:-1]))
    assert [corner.id for corner in merged.corners] == [corner.id for corner in found.corners]


@pytest.mark.long
def test_with_another_gate_everything_stays_where_it_is_on_the_ground(
    found: Track, found_elsewhere: Track
) -> None:
    mark = Landmark("board", "the board", 1200.0)
    hand = with_corner(found, 4, name="The Arch", sureness=1.0, landmarks=(mark,))
    merged = merge_hand_written(found_elsewhere, hand)
    arch = next(corner for corner in merged.corners if corner.name == "The Arch")
    assert arch.apex_m == pytest.approx(found.corners[4].apex_m - 500.0, abs=6.0)
    assert arch.landmarks[0].distance_m == pytest.approx(700.0, abs=6.0)
    assert len({corner.id for corner in merged.corners}) == len(found.corners)
    assert find_problem(merged) is None

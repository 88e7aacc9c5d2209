"""What a person changes in a track stays where it is on the ground, and is kept over what is shipped."""

from __future__ import annotations

import math

import pytest
from club import club_circuit

from pitwall.cli import main
from pitwall.config import Home
from pitwall.drive.prepare import known_tracks
from pitwall.track.edit import (
    EditError,
    place_on,
    start_in_corner,
    with_corner_names,
    with_sectors,
    with_start,
)
from pitwall.track.library import find_problem
from pitwall.track.line import Centreline

CLUB = club_circuit()


@pytest.mark.parametrize("start_m", [0.0, 5.0, 123.4, 700.0, CLUB.length_m - 1.0])
def test_a_start_line_is_moved_and_the_rest_stays_on_the_ground(start_m: float) -> None:
    moved = with_start(CLUB, start_m)
    assert find_problem(moved) is None
    old, new = Centreline.of(CLUB), Centreline.of(moved)
    assert math.dist(old.point_at(start_m), old.projection.xy(*moved.centreline[0][:2])) < 0.01
    assert len(moved.corners) == len(CLUB.corners)
    for corner in moved.corners:
        [was] = [each for each in CLUB.corners if each.id == corner.id]
        there = new.projection.lat_lon(*new.point_at(corner.apex_m))
        assert math.dist(old.point_at(was.apex_m), old.projection.xy(*there)) < 1.0
    assert with_start(moved, CLUB.length_m - start_m if start_m else 0.0).corners[0].apex_m == pytest.approx(
        CLUB.corners[0].apex_m, abs=1.0
    )


def test_a_start_line_in_a_corner_is_noticed() -> None:
    assert start_in_corner(CLUB) is None
    corner = CLUB.corners[2]
    inside = start_in_corner(with_start(CLUB, corner.apex_m))
    assert inside.id == corner.id


def test_a_place_off_the_track_is_refused() -> None:
    lat_deg, lon_deg = CLUB.centreline[20][:2]
    assert place_on(CLUB, lat_deg, lon_deg) == pytest.approx(100.0, abs=5.0)
    with pytest.raises(EditError, match="off Club circuit"):
        place_on(CLUB, lat_deg + 0.1, lon_deg)


def test_sectors_are_the_drivers_own() -> None:
    assert with_sectors(CLUB, [900.0, "turn_1"]).sectors_m == (CLUB.corners[0].exit_m, 900.0)
    for ends, what in (
        ([10.0], "is no sector"),
        ([CLUB.length_m + 5.0], "is no sector"),
        ([float("nan")], "is no sector"),
        (["turn_99"], "has no corner turn_99; it has: turn_1"),
        ([60.0 * n for n in range(1, 25)], "25 sectors are too many"),
    ):
        with pytest.raises(EditError, match=what):
            with_sectors(CLUB, ends)


def test_corners_are_named() -> None:
    assert with_corner_names(CLUB, {"turn_2": "The Bowl"}).corners[1].name == "The Bowl"
    with pytest.raises(EditError, match="no corner bowl"):
        with_corner_names(CLUB, {"bowl": "The Bowl"})


def test_edits_of_a_shipped_track_lie_in_the_home(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> int:
        return main(["--home", str(home.root), "track", *words])

    shipped = known_tracks(home)[0]["sonoma"]
    assert run("edit", "sonoma", "--sectors", "1000,turn_7", "--corner", "turn_7=The Elbow") == 0
    edited = known_tracks(home)[0]["sonoma"]
    seventh = next(corner for corner in shipped.corners if corner.id == "turn_7")
    assert edited.sectors_m == (1000.0, pytest.approx(seventh.exit_m, abs=0.1))
    assert run("edit", "sonoma", "--start", "500") == 0
    again = known_tracks(home)[0]["sonoma"]
    assert again.sectors_m[0] == pytest.approx(500.0, abs=0.2)
    assert run("show", "sonoma") == 0
    told = capsys.readouterr().out
    assert "The Elbow" in told
    assert "sectors end at 500 m" in told
    assert run("edit", "sonoma") == 2
    assert run("edit", "sonoma", "--start", "99999") == 2
    assert "outside the lap" in capsys.readouterr().err

"""Tracks from real laps that nobody drew: kart tracks and Road America, from other loggers."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.telemetry.recordings import open_recording
from pitwall.track.build import build_track
from pitwall.track.build_laps import TrackBuildError
from pitwall.track.build_report import BuildResult, format_report
from pitwall.track.library import find_problem


def build(path: Path) -> BuildResult:
    return build_track([open_recording(path)], track_id="found", name="Found")


@pytest.mark.parametrize(
    ("file", "length_m", "corners", "direction"),
    [
        ("lignano-racebox.vbo", (1100.0, 1250.0), (9, 14), "clockwise"),
        ("roadamerica-racelogic.vbo", (6370.0, 6560.0), (11, 15), "clockwise"),
        ("orlando-18hz.nmea", (950.0, 1100.0), (9, 14), "clockwise"),
    ],
)
@pytest.mark.long
def test_a_track_comes_out_as_it_is(
    recordings: Path, file: str, length_m: tuple[float, float], corners: tuple[int, int], direction: str
) -> None:
    result = build(recordings / file)
    track = result.track
    print(format_report(result))
    assert length_m[0] <= track.length_m <= length_m[1]
    assert corners[0] <= len(track.corners) <= corners[1]
    assert track.direction == direction
    assert find_problem(track) is None
    ordered = [corner.apex_m for corner in track.corners]
    assert ordered == sorted(ordered)


def test_road_america_brakes_where_it_is_known_to(recordings: Path) -> None:
    """One flyer only: nothing is sure, but turns 1, 3, 5, 8, 12 and 14 are braked for from the pedal."""
    track = build(recordings / "roadamerica-racelogic.vbo").track
    assert max(corner.sureness for corner in track.corners) <= 0.5
    assert sum(corner.brake_m is not None for corner in track.corners) >= 6


def test_a_road_car_s_drive_is_refused_or_closed(recordings: Path) -> None:
    """An AiM excerpt is too short for a lap: the error says what is missing."""
    with pytest.raises(TrackBuildError, match="lap"):
        build(recordings / "excerpt-racestudio3-aim.csv")


def test_a_way_over_the_grass_is_no_pit_lane(recordings: Path) -> None:
    """In lap 3 the rider leaves the road by 72 m, and is back on it after 14 s."""
    assert build(recordings / "bike-portimao.vbo").track.pit_lane == ()

"""The shipped Sonoma: official corners, and a line that agrees with a survey it was not made from."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from pitwall.config import shipped
from pitwall.telemetry.recordings import open_recording
from pitwall.track.build_report import format_track
from pitwall.track.geometry import Projection
from pitwall.track.library import load_track
from pitwall.track.line import Centreline
from pitwall.track.model import Track

ROOT = Path(__file__).resolve().parent.parent.parent
OFFICIAL = (
    ("turn_1", "1", "left"), ("turn_2", "2", "right"), ("turn_3", "3", "left"), ("turn_3a", "3a", "right"),
    ("turn_4", "4", "right"), ("turn_5", "5", "right"), ("carousel", "6", "left"), ("turn_7", "7", "right"),
    ("turn_8", "8", "left"), ("turn_8a", "8a", "right"), ("turn_9", "9", "left"), ("turn_10", "10", "right"),
    ("turn_11", "11", "right"),
)  # fmt: skip


@pytest.fixture(scope="module")
def sonoma() -> Track:
    return load_track(shipped("track_data") / "sonoma.json")


def test_the_corners_are_the_official_ones_in_driving_order(sonoma: Track) -> None:
    assert tuple((corner.id, corner.number, corner.direction) for corner in sonoma.corners) == OFFICIAL
    apexes = [corner.apex_m for corner in sonoma.corners]
    assert apexes == sorted(apexes)
    assert sonoma.corners[6].nicknames == ("carousel",)
    assert sonoma.direction == "clockwise"
    assert len(sonoma.sectors_m) == 2


def test_each_corner_bends_the_way_it_says(sonoma: Track) -> None:
    line = Centreline.of(sonoma)
    for corner in sonoma.corners:
        entry, end = line.segment_at(corner.entry_m), line.segment_at(corner.exit_m)
        turn = sum(
            (line.heading_deg[i + 1] - line.heading_deg[i] + 180.0) % 360.0 - 180.0 for i in range(entry, end)
        )
        assert (turn > 0) == (corner.direction == "right"), corner.id
        assert abs(turn) > 25.0, corner.id


def test_heavy_braking_is_where_the_pace_falls(sonoma: Track) -> None:
    braked = {corner.id: corner.brake_m for corner in sonoma.corners if corner.brake_m is not None}
    assert {"turn_2", "turn_4", "carousel", "turn_7", "turn_10", "turn_11"} <= set(braked)
    step_m = sonoma.length_m / len(sonoma.centreline)
    for corner in sonoma.corners:
        if corner.brake_m is not None:
            assert corner.brake_m < corner.apex_m
            before = sonoma.speed_mps[int(corner.brake_m / step_m)]
            slowest = min(sonoma.speed_mps[int(corner.brake_m / step_m) : int(corner.exit_m / step_m)])
            assert slowest < before - 3.0, corner.id


def test_the_line_agrees_with_the_survey_and_is_no_copy_of_it(sonoma: Track, recordings: Path) -> None:
    """208 surveyed points, 4,000 m: mean distance at most 3 m, length within 1 %."""
    survey = msgspec.json.decode((recordings / "sonoma-survey.json").read_bytes())["pts"]
    line = Centreline.of(sonoma)
    points = [line.projection.xy(point["lat"] / 1e7, point["lon"] / 1e7) for point in survey]
    away = [line.within(x, y)[0].away_m for x, y in points]
    mean_m = sum(away) / len(away)
    length_m = sum(math.dist(points[i - 1], points[i]) for i in range(len(points)))
    print(f"survey: mean {mean_m:.2f} m, most {max(away):.2f} m, {sonoma.length_m:.1f} of {length_m:.1f} m")
    assert mean_m <= 3.0
    assert abs(sonoma.length_m - length_m) <= 0.01 * length_m
    ours = [line.projection.xy(lat, lon) for lat, lon, _ in sonoma.centreline]
    assert sum(min(math.dist(mine, point) for point in points) < 0.05 for mine in ours) <= 3


@pytest.mark.long
def test_the_shipped_file_is_what_the_script_makes(sonoma: Track, recordings: Path) -> None:
    """To the decimetre, since last digits may differ elsewhere; what people wrote, to the letter."""
    result = sonoma_script().build_sonoma([open_recording(recordings / "sonoma-m3-vbox.csv")])
    made = msgspec.json.decode(format_track(result.track), type=Track)
    assert sum(lap.used for lap in result.report.laps) >= 6
    assert made.length_m == pytest.approx(sonoma.length_m, abs=0.2)
    projection = Projection(*sonoma.centreline[0][:2])
    for mine, theirs in zip(made.centreline, sonoma.centreline, strict=True):
        assert math.dist(projection.xy(*mine[:2]), projection.xy(*theirs[:2])) < 0.2
    for corner, there in zip(made.corners, sonoma.corners, strict=True):
        assert corner.apex_m == pytest.approx(there.apex_m, abs=0.5)
        assert corner.brake_m == (there.brake_m and pytest.approx(there.brake_m, abs=0.5))
        assert (corner.id, corner.name, corner.landmarks) == (there.id, there.name, there.landmarks)
    written = ("id", "name", "country", "direction", "gate", "sources", "notes")
    assert [getattr(made, field) for field in written] == [getattr(sonoma, field) for field in written]


def sonoma_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_sonoma", ROOT / "scripts" / "build_sonoma.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

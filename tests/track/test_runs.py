"""Runs from a start to a finish: hillclimb and autocross."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from stored_facts import WritableStoreFacts, opened

from pitwall.analysis.compare import compare_laps
from pitwall.analysis.drive import load_drive
from pitwall.analysis.report import make_report
from pitwall.cli import main
from pitwall.coach.cue import SPOKEN
from pitwall.config import Home
from pitwall.drive.replay import Replay, ReplayOptions, import_file
from pitwall.store.queries import corner_passes, cues, laps, session
from pitwall.telemetry.recordings import RecordingError
from pitwall.telemetry.recordings.base import StoredGate
from pitwall.track.edit import EditError, with_start
from pitwall.track.library import known_tracks

METRE_DEG = 1.0 / 111_195.0  # of latitude on a sphere of 6,371 km, as `geometry.py` has it
START_M, FINISH_M, TOP_M = 100.0, 1100.0, 1300.0
# A bendy road swings so far to both sides, once in so many metres; the middle of its second bend lies here.
SWING_M, BEND_M = 40.0, 120.0
SECOND_BEND_M = 1.5 * math.pi * BEND_M


def climb(path: Path, *runs_mps: float, bendy: bool = False, slower: Sequence[int] = ()) -> Path:
    """A road driven north at each of these speeds, from a wait on the start line, and back at 30. It is
    straight, or `bendy`; the runs of these numbers are slower around the second bend."""
    rows, t, s = [], 0.0, 0.0

    def row(step_m: float) -> None:
        nonlocal t, s
        t, s = t + 0.1, s + step_m
        slope = SWING_M / BEND_M * math.cos(s / BEND_M) if bendy else 0.0
        course = math.degrees(math.atan(slope)) + (180.0 if step_m < 0 else 0.0)
        lat_deg = 46.5 + s * METRE_DEG
        lon_deg = road_lon_deg(s) if bendy else 7.5
        mps = abs(step_m) * 10.0 * math.hypot(1.0, slope)
        rows.append(f"{t:.2f},{lat_deg:.8f},{lon_deg:.8f},{mps * 3.6:.2f},{course % 360.0:.1f}")

    for number, mps in enumerate(runs_mps, 1):
        while s < START_M - 1.0:
            row(0.5)
        for n in range(100):  # the receiver wanders over the line
            row(0.8 if n % 2 else -0.8)
        while s < TOP_M:
            near = max(1.0 - abs(s - SECOND_BEND_M) / 150.0, 0.0)
            row((mps - (6.0 if bendy else 0.0) * near - (5.0 if number in slower else 0.0) * near) * 0.1)
        while s > 0.0:
            row(-3.0)
    path.write_text(
        "Time (s),Latitude (deg),Longitude (deg),Speed (km/h),Heading (deg)\n" + "\n".join(rows) + "\n"
    )
    return path


def road_lon_deg(s_m: float) -> float:
    return 7.5 + SWING_M * math.sin(s_m / BEND_M) * METRE_DEG / math.cos(math.radians(46.5))


def road_m(from_m: float, to_m: float) -> float:
    """How long the bendy road is between two places north of its foot."""
    steps = [from_m + (to_m - from_m) * n / 1000 for n in range(1001)]
    return sum(
        math.hypot(b - a, SWING_M * (math.sin(b / BEND_M) - math.sin(a / BEND_M))) for a, b in pairwise(steps)
    )


def run_gate(start_m: float = START_M, finish_m: float = FINISH_M, lon_deg: float = 7.5) -> StoredGate:
    return StoredGate(
        46.5 + start_m * METRE_DEG, lon_deg, 46.5 + finish_m * METRE_DEG, lon_deg, "given", True
    )


def test_runs_are_timed_and_the_way_back_is_none(tmp_path: Path, home: Home) -> None:
    path = climb(tmp_path / "hill.csv", 20.0, 25.0)
    with opened(home) as store:
        session = import_file(path, home, store, gate=run_gate()).session
        driven = laps(store, session)
        assert [lap.kind for lap in driven] == ["out", "flying", "flying"]
        assert [lap.time_s for lap in driven if lap.kind == "flying"] == pytest.approx([50.0, 40.0], abs=0.15)
        with pytest.raises(RecordingError, match="finish is never passed nearer"):
            import_file(path, home, store, gate=run_gate(finish_m=5000.0))


def test_a_hillclimb_without_a_line_says_which_to_name(tmp_path: Path, home: Home) -> None:
    """Two runs up a road and the ways back are no laps of it; the lines that it names give two runs."""
    path = climb(tmp_path / "hill.csv", 20.0, 25.0)
    with opened(home) as store:
        first = import_file(path, home, store)
        assert "flying" not in {lap.kind for lap in laps(store, first.session)}
        [told] = [note for note in first.notes if "there and back" in note]
        found = re.search(r"import hill.csv --start (\S+),(\S+) --finish (\S+),(\S+) ", told)
        assert found is not None
        gate = StoredGate(*map(float, found.groups()), "given", True)
        again = import_file(path, home, store, gate=gate)
        assert [lap.kind for lap in laps(store, again.session)].count("flying") == 2


def test_a_course_of_runs_is_learned_and_coached(tmp_path: Path, spoken_home: Home) -> None:
    """The second bend of the last four runs is driven slower than in the first two: 5 m/s at its middle."""
    home = spoken_home  # most of what is said of this course is said at Sonoma too
    path = climb(tmp_path / "My Hill.csv", *[24.0] * 6, bendy=True, slower=(3, 4, 5, 6))
    bends_m = [(0.5 + n) * math.pi * BEND_M for n in range(3)]
    gate = msgspec.structs.replace(
        run_gate(), a_lon_deg=road_lon_deg(START_M), b_lon_deg=road_lon_deg(FINISH_M)
    )
    with opened(home) as store:
        imported = import_file(path, home, store, gate=gate)
        course = known_tracks(home)[0]["my_hill"]
        assert course.has_finish
        assert course.lap_m == pytest.approx(road_m(START_M, FINISH_M), rel=0.005)
        assert "the course is known now: My Hill" in imported.notes[0]
        assert [corner.direction for corner in course.corners] == ["left", "right", "left"][: len(bends_m)]
        apexes = [road_m(START_M, bend_m) for bend_m in bends_m]
        assert [corner.apex_m for corner in course.corners] == pytest.approx(apexes, abs=8.0)
        driven = laps(store, imported.session)
        assert [lap.number for lap in driven if lap.kind == "flying"] == [1, 2, 3, 4, 5, 6]
        passes = corner_passes(store, imported.session)
        assert len(passes) == 6 * len(course.corners)  # none on the way back
        facts = WritableStoreFacts(store)
        drive = load_drive(facts, session(store, imported.session))
        report = make_report(drive, facts)
        assert not report.incidents
        assert [each.corner for each in report.opportunities] == ["turn_2"]
        compared = compare_laps(course, drive.curves[4], drive.curves[1])
        assert sum(corner.delta_s for corner in compared.corners) == pytest.approx(compared.delta_s, abs=0.02)
        assert max(compared.corners, key=lambda each: each.delta_s).corner == "turn_2"
        with pytest.raises(EditError, match="a start and a finish apart"):
            with_start(course, 100.0)

        # Another day needs no options, and the coach calls that corner in a run.
        again = climb(tmp_path / "later.csv", *[24.5] * 6, bendy=True, slower=(3, 4, 5, 6))
        replay = Replay(again, home, store, ReplayOptions())
        assert replay.track_name == "My Hill"
        assert replay.run()
        said = [line for line in cues(store, replay.session_id) if line.outcome in SPOKEN]
        assert {line.corner for line in said if line.concept} == {"turn_2"}
        assert all(line.corner in ("", "turn_2") for line in said if line.lap > 1)


def test_a_start_without_a_finish_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(tmp_path / "hill.csv"), "--start", "46.5,7.5"]) == 2
    assert "give --start and --finish" in capsys.readouterr().err

"""Tracks rebuilt from laps over circuits whose truth is known."""

from __future__ import annotations

import math

import pytest
from build_circuits import FIGURE_EIGHT, GRAND_PRIX, PLACE, Circuit, Drive, height_m, pace, there_and_back
from long_runs import a_few

from pitwall.track.build import build_track
from pitwall.track.build_laps import TrackBuildError
from pitwall.track.build_report import format_report
from pitwall.track.library import find_problem
from pitwall.track.line import Centreline
from pitwall.track.model import Track

# Different paces, as a driver has: no two laps have their fixes in the same places.
PACES = (0.9, 1.0, 0.95, 0.85, 0.97)


def build(circuit: Circuit, **drive: object) -> Track:
    made = Drive(circuit, **{"grip": PACES, **drive})  # type: ignore[arg-type]
    return build_track([made], track_id="made", name="Made up", gate=circuit.gate()).track


def mean_off_m(track: Track, circuit: Circuit) -> float:
    """The mean distance of the true line from the built one."""
    line = Centreline.of(track)
    off = []
    for x, y in circuit.points[::5]:
        here = line.projection.xy(*PLACE.lat_lon(x, y))
        spots = line.within(*here)
        assert spots, f"nothing of the built line near {here}"
        off.append(spots[0].away_m)
    return sum(off) / len(off)


@pytest.mark.parametrize("circuit", [GRAND_PRIX, FIGURE_EIGHT], ids=["grand prix", "figure of eight"])
@pytest.mark.parametrize(("rate_hz", "noise_m"), a_few([(1.0, 0.3), (10.0, 0.05), (25.0, 1.0)], 1))
def test_a_circuit_is_rebuilt_from_noisy_laps(circuit: Circuit, rate_hz: float, noise_m: float) -> None:
    track = build(circuit, rate_hz=rate_hz, noise_m=noise_m)
    assert track.length_m == pytest.approx(circuit.length_m, rel=0.003)
    assert mean_off_m(track, circuit) < 0.7
    assert [corner.direction for corner in track.corners] == [bend.direction for bend in circuit.bends]
    for corner, bend in zip(track.corners, circuit.bends, strict=True):
        half_m = 0.5 * bend.radius_m * math.radians(bend.turn_deg)
        # In an arc of one radius only noise tells one place from another: longer arcs, more play.
        play_m = 4.0 + 0.1 * half_m
        assert corner.apex_m == pytest.approx(bend.apex_m, abs=play_m)
        assert corner.entry_m == pytest.approx(bend.apex_m - half_m, abs=6.0 + play_m)
        assert corner.exit_m == pytest.approx(bend.apex_m + half_m, abs=6.0 + play_m)
        assert corner.sureness > 0.7
    assert [corner.id for corner in track.corners] == [f"turn_{i + 1}" for i in range(len(circuit.bends))]
    assert find_problem(track) is None


@pytest.mark.long
def test_pace_height_and_direction_are_those_driven() -> None:
    track = build(GRAND_PRIX)
    step_m = track.length_m / len(track.centreline)
    true_pace = pace(GRAND_PRIX)
    for i, ((_, _, height), speed) in enumerate(zip(track.centreline, track.speed_mps, strict=True)):
        assert height == pytest.approx(height_m(GRAND_PRIX, i * step_m), abs=0.6)
        assert speed == pytest.approx(true_pace[int(i * step_m) % len(true_pace)], abs=3.0)
    assert track.direction == "anticlockwise"
    assert math.dist(PLACE.xy(*track.centreline[0][:2]), GRAND_PRIX.points[0]) < 1.0
    spacing = [
        math.dist(PLACE.xy(*a[:2]), PLACE.xy(*b[:2]))
        for a, b in zip(track.centreline, track.centreline[1:], strict=False)
    ]
    assert min(spacing) > 0.95 * step_m
    assert max(spacing) < 1.01 * step_m


def test_driven_the_other_way_round_it_is_clockwise() -> None:
    mirrored = Circuit([(x, -y) for x, y in GRAND_PRIX.points], GRAND_PRIX.radius_m, GRAND_PRIX.bends)
    track = build(mirrored, laps=3)
    assert track.direction == "clockwise"
    flipped = {"left": "right", "right": "left"}
    assert [corner.direction for corner in track.corners] == [flipped[b.direction] for b in mirrored.bends]


@pytest.mark.long
def test_brake_points_come_from_deceleration_where_no_brake_is_recorded() -> None:
    """True start of braking: the last metre before the apex where the pace stops rising."""
    track = build(GRAND_PRIX, grip=(1.0,), rate_hz=20.0)
    v = pace(GRAND_PRIX)
    checked = 0
    for corner in track.corners:
        place = int(corner.apex_m)
        while v[place - 1] <= v[place] + 1e-9 and place > int(corner.entry_m) - 5:
            place -= 1
        start = place
        while v[start - 1] > v[start] + 1e-9:
            start -= 1
        if v[start] - v[place] > 8.0:
            assert corner.brake_m == pytest.approx(start % len(v), abs=10.0)
            checked += 1
    assert checked >= 6


@pytest.mark.long
def test_without_accelerometer_speed_and_height_the_line_is_still_found() -> None:
    track = build(GRAND_PRIX, signals=("lat_deg", "lon_deg"), rate_hz=5.0)
    assert track.length_m == pytest.approx(GRAND_PRIX.length_m, rel=0.003)
    assert len(track.corners) == len(GRAND_PRIX.bends)
    assert {height for _, _, height in track.centreline} == {0.0}
    assert sum(corner.brake_m is not None for corner in track.corners) >= 5


@pytest.mark.long
def test_one_bad_lap_bends_nothing_and_is_named() -> None:
    drive = Drive(GRAND_PRIX, laps=5, grip=PACES, aside=((2, 1000.0, 1250.0, 25.0),))
    result = build_track([drive], track_id="made", name="Made up", gate=GRAND_PRIX.gate())
    assert mean_off_m(result.track, GRAND_PRIX) < 0.7
    left_out = [lap for lap in result.report.laps if lap.time_s is not None and not lap.used]
    assert [lap.lap for lap in left_out] == [3]
    assert "off the line of the others" in left_out[0].why
    assert "lap 3" in format_report(result)


@pytest.mark.long
def test_a_smaller_excursion_is_averaged_away() -> None:
    track = build(GRAND_PRIX, aside=((2, 1000.0, 1250.0, 8.0),))
    line = Centreline.of(track)
    for along in range(1040, 1210, 10):
        x, y = line.projection.xy(*PLACE.lat_lon(*GRAND_PRIX.points[along]))
        assert line.within(x, y)[0].away_m < 1.5


@pytest.mark.long
def test_two_recordings_make_one_track() -> None:
    drives = [Drive(GRAND_PRIX, laps=2, seed=seed, name=f"day{seed}.csv") for seed in (1, 2)]
    result = build_track(drives, track_id="made", name="Made up", gate=GRAND_PRIX.gate())
    assert sum(lap.used for lap in result.report.laps) == 4
    assert [source.split(",")[-1] for source in result.track.sources] == [" 2 flying laps"] * 2


def test_one_lap_is_enough_but_not_sure() -> None:
    track = build(GRAND_PRIX, laps=1)
    assert len(track.corners) == len(GRAND_PRIX.bends)
    assert max(corner.sureness for corner in track.corners) <= 0.5


def test_a_hill_climb_driven_up_and_down_is_refused() -> None:
    road = there_and_back()
    with pytest.raises(TrackBuildError, match="one road driven in both directions"):
        build_track([Drive(road, laps=3)], track_id="hill", name="Hill", gate=road.gate(8.0))


def test_an_open_road_is_refused_even_with_a_gate() -> None:
    class OneWay(Drive):
        """From one place to another: the first half of a lap."""

        def samples(self):  # type: ignore[no-untyped-def]
            half = 0.5 * GRAND_PRIX.length_m / 40.0
            return (sample for sample in super().samples() if sample.t < half)

    drive = OneWay(GRAND_PRIX, laps=1)
    with pytest.raises(TrackBuildError, match="no clean flying lap"):
        build_track([drive], track_id="road", name="Road", gate=GRAND_PRIX.gate())
    with pytest.raises(TrackBuildError, match="open road or a hill climb"):
        build_track([drive], track_id="road", name="Road")


@pytest.mark.long
def test_without_a_gate_the_loop_is_found() -> None:
    result = build_track([Drive(GRAND_PRIX, laps=4)], track_id="made", name="Made up")
    assert result.track.length_m == pytest.approx(GRAND_PRIX.length_m, rel=0.003)
    assert len(result.track.corners) == len(GRAND_PRIX.bends)
    assert mean_off_m(result.track, GRAND_PRIX) < 0.7


def test_no_recording_is_said() -> None:
    with pytest.raises(TrackBuildError, match="no recording"):
        build_track([], track_id="x", name="X")

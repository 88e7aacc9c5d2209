"""Start lines: crossings between two fixes, and stored ones judged by what was driven."""

from __future__ import annotations

import itertools

import pytest
from synthetic_drives import HAIRPIN, ORIGIN, Drive, circuit, drive, frame_at

from pitwall.telemetry.recordings.base import StoredGate
from pitwall.track.driven import DrivenPath
from pitwall.track.gate import GateLine, stored_gate_verdict
from pitwall.track.model import Gate

GATE = circuit(HAIRPIN).gate


def line(gate: Gate = GATE) -> GateLine:
    return GateLine(gate, ORIGIN)


def test_the_time_is_interpolated_between_the_fixes() -> None:
    crossing = line().crossing(frame_at(10.0, -1.0, 0.0, 40.0, 90.0), frame_at(10.1, 3.0, 0.0, 40.0, 90.0))
    assert crossing == (pytest.approx(10.025), pytest.approx(0.25))


def test_an_old_fix_counts_at_its_own_time() -> None:
    before, after = frame_at(10.0, -1.0, 0.0, 40.0, 90.0), frame_at(10.1, 3.0, 0.0, 40.0, 90.0)
    before.fix_age_s = after.fix_age_s = 0.06
    crossing = line().crossing(before, after)
    assert crossing[0] == pytest.approx(9.965)


@pytest.mark.parametrize(
    ("from_xy", "to_xy"),
    [
        ((3.0, 0.0), (-1.0, 0.0)),
        ((-1.0, 13.0), (3.0, 13.0)),
        ((-1.0, -13.0), (3.0, -13.0)),
        ((-9.0, 0.0), (-5.0, 0.0)),
        ((0.0, 0.0), (4.0, 0.0)),
    ],
    ids=["backwards", "left of it", "right of it", "before it", "began on it"],
)
def test_what_is_no_crossing(from_xy, to_xy) -> None:
    assert line().crossing(frame_at(1.0, *from_xy, 40.0, 90.0), frame_at(1.1, *to_xy, 40.0, 90.0)) is None


def test_a_fix_on_the_line_is_one_crossing_not_two() -> None:
    fixes = [frame_at(0.1 * i, x_m, 0.0, 40.0, 90.0) for i, x_m in enumerate((-4.0, 0.0, 4.0))]
    found = [line().crossing(a, b) for a, b in itertools.pairwise(fixes)]
    assert [crossing is not None for crossing in found] == [True, False]


@pytest.mark.parametrize("from_m", [-20.0, -10.0, -3.0])
def test_one_fix_a_second_while_accelerating(from_m: float) -> None:
    """From 20 m/s at 4 m/s2: the place is 20 t + 2 t2, so the time of the line is known exactly."""
    to_m = from_m + 20.0 + 2.0
    true_t = (-20.0 + (400.0 - 8.0 * from_m) ** 0.5) / 4.0
    crossing = line().crossing(frame_at(0.0, from_m, 0.0, 20.0, 90.0), frame_at(1.0, to_m, 0.0, 24.0, 90.0))
    assert crossing[0] == pytest.approx(true_t, abs=1e-4)


def path_of(driven: Drive) -> DrivenPath:
    path = DrivenPath()
    for frame in driven.frames:
        assert frame.lat_deg is not None
        assert frame.lon_deg is not None
        path.add(frame.t, frame.lat_deg, frame.lon_deg)
    return path


def stored(a: tuple[float, float], b: tuple[float, float]) -> StoredGate:
    return StoredGate(*ORIGIN.lat_lon(*a), *ORIGIN.lat_lon(*b), "Start / Finish")


LAPS = path_of(drive(HAIRPIN, rate_hz=10.0))


def crosses_at(gate: Gate, y_m: float, x_m: float) -> bool:
    before, after = frame_at(0.0, x_m - 3.0, y_m, 30.0, 90.0), frame_at(0.1, x_m + 3.0, y_m, 30.0, 90.0)
    return line(gate).crossing(before, after) is not None


@pytest.mark.parametrize("b_x_m", [54.8, 45.2], ids=["with the travel", "against it"])
def test_two_points_along_the_travel_are_a_line_across_it_at_the_first(b_x_m: float) -> None:
    verdict = stored_gate_verdict(stored((50.0, 1.0), (b_x_m, 1.2)), LAPS)
    assert "along the travel" in verdict.reason
    assert verdict.gate.heading_deg == pytest.approx(90.0, abs=1.0)
    crossing = line(verdict.gate).crossing(
        frame_at(0.0, 48.0, 0.0, 30.0, 90.0), frame_at(0.1, 52.0, 0.0, 30.0, 90.0)
    )
    assert crossing[0] == pytest.approx(0.05, abs=0.002)
    # The pit lane beside the road counts.
    assert crosses_at(verdict.gate, -18.0, 50.0)


def test_a_segment_across_the_track_is_taken_as_it_is_drawn() -> None:
    verdict = stored_gate_verdict(stored((50.0, 5.0), (51.0, -12.0)), LAPS)
    assert "a segment across" in verdict.reason
    assert verdict.gate.heading_deg == pytest.approx(90.0, abs=5.0)
    assert crosses_at(verdict.gate, 0.0, 50.5)
    assert crosses_at(verdict.gate, -14.0, 50.5)
    assert not crosses_at(verdict.gate, -22.0, 50.5)


def test_a_start_line_of_another_circuit_is_refused_with_both_places() -> None:
    verdict = stored_gate_verdict(StoredGate(25.4545, -80.4155, 25.4546, -80.4155, "Start / Finish"), LAPS)
    assert verdict.gate is None
    assert "'Start / Finish' at 80.4155 W 25.4545 N" in verdict.reason
    assert "is 7,693 km from the data at 6.9986 E 50.0000 N" in verdict.reason
    assert verdict.reason.endswith("refused")


def test_a_line_half_a_kilometre_off_is_refused_too() -> None:
    verdict = stored_gate_verdict(stored((50.0, -560.0), (50.0, -580.0)), LAPS)
    assert verdict.gate is None
    assert "560 m from the data" in verdict.reason


def test_without_driving_there_is_nothing_to_judge_by() -> None:
    verdict = stored_gate_verdict(stored((50.0, 5.0), (50.0, -5.0)), DrivenPath())
    assert verdict.gate is None
    assert "nothing was driven" in verdict.reason

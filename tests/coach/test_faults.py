"""A fault by losses alone, as the debrief finds it: how often, in which part of the corner, until when."""

from __future__ import annotations

import pytest
from coach_world import LENGTH_M, corner_pass, pace, reference, ring

from pitwall.coach.faults import PassLoss, find_fault, is_cured, parts_of, rebase
from pitwall.track.passes import zones_of
from pitwall.track.same_road import Shift, line_of, lost_on


def losses(*parts: float) -> list[PassLoss]:
    return [PassLoss(lap, loss, 0.0, 0.0) for lap, loss in enumerate(parts, start=1)]


@pytest.mark.parametrize(
    ("seen", "laps"),
    [
        ((0.3,), None),
        ((0.3, 0.3), (1, 2)),
        ((0.3, 0.0), None),
        ((0.3, 0.0, 0.3), None),
        ((0.3, 0.3, 0.0), None),
        ((0.3, 0.0, 0.3, 0.3), (1, 3, 4)),
        ((0.3, 0.3, 0.0, 0.3), (1, 2, 4)),
        ((0.3, 0.3, 0.3, 0.0), (1, 2, 3)),
        ((0.3, 0.3, 0.0, 0.0), None),
        ((0.3, 0.3, 0.3, 0.0, 0.0), None),
        ((0.149, 0.149), None),
        ((0.15, 0.15), (1, 2)),
    ],
)
def test_a_fault_counts_in_two_of_two_or_three_of_four(
    seen: tuple[float, ...], laps: tuple[int, ...] | None
) -> None:
    fault = find_fault("turn_1", losses(*seen))
    assert (fault.laps if fault else None) == laps


@pytest.mark.parametrize(
    ("parts", "phase"),
    [
        (PassLoss(1, 0.3, 0.1, 0.1), "brake"),
        (PassLoss(1, 0.1, 0.3, 0.1), "apex"),
        (PassLoss(1, 0.1, 0.1, 0.3), "exit"),
        (PassLoss(1, -0.2, 0.5, 0.1, brake_late_m=15.0), "brake"),
        (PassLoss(1, -0.2, 0.5, 0.1, brake_late_m=9.0), "apex"),
        (PassLoss(1, 0.1, 0.3, 0.1, slow_late_m=-15.0), "turn_in"),
        (PassLoss(1, 0.1, 0.3, 0.1, slow_late_m=15.0), "apex"),
    ],
)
def test_the_phase_is_where_the_loss_arises(parts: PassLoss, phase: str) -> None:
    fault = find_fault("turn_1", [parts, parts])
    assert fault.phase == phase


def test_a_slow_lap_behind_traffic_is_not_a_fault() -> None:
    parts = parts_of(corner_pass("turn_1", 1, brake_s=3.5), None, None, LENGTH_M)
    assert not parts.is_attempt


def test_cured_means_two_clean_passes() -> None:
    assert not is_cured(losses(0.1))
    assert is_cured(losses(0.5, 0.1, 0.1))
    assert not is_cured(losses(0.1, 0.2))


def test_passes_are_measured_against_another_lap_exactly_and_back() -> None:
    slow, fast = reference(lambda place: 0.9 * pace(place), "slow"), reference(pace, "fast")
    zone, shift = zones_of(ring(), slow)[0], Shift(line_of(ring()))
    lost = lost_on(slow.around(), fast, zone.edges_m, 0.0, shift)
    won = lost_on(fast.around(), slow, zone.edges_m, 0.0, shift)
    assert lost is not None
    assert won is not None
    again = rebase(PassLoss(1, 0.0, 0.0, 0.0, 5.0), lost)
    entry = zone.corner.entry_m
    assert again.mid_s == pytest.approx(
        fast.time_between(entry, entry + zone.apex_m) * (1 / 0.9 - 1), abs=2e-3
    )
    assert again.loss_s > 0.15
    back = rebase(again, won)
    assert (back.brake_s, back.mid_s, back.exit_s) == pytest.approx((0.0, 0.0, 0.0), abs=2e-3)

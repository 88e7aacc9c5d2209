"""The nearest place on a closed line."""

from __future__ import annotations

import math

import pytest
from synthetic_drives import BRIDGE, HAIRPIN, SPIRAL, circuit, perimeter, walk

from pitwall.track.line import Centreline

LINES = {"hairpin": HAIRPIN, "bridge": BRIDGE, "spiral": SPIRAL}


def test_distances_are_scaled_to_the_length_of_the_track() -> None:
    square = [(0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (0.0, 100.0)]
    line = Centreline(square, 408.0, Centreline.of(circuit(HAIRPIN)).projection)
    assert line.start_m == pytest.approx([0.0, 102.0, 204.0, 306.0])
    assert line.spot(50.0, 3.0, 0).distance_m == pytest.approx(51.0)
    assert line.point_at(459.0) == pytest.approx((50.0, 0.0))
    assert line.heading_deg == pytest.approx([90.0, 0.0, 270.0, 180.0])


def test_left_of_the_line_is_positive() -> None:
    line = Centreline.of(circuit(HAIRPIN))
    assert line.near(300.0, 4.0, line.segment_at(310.0)).offset_m == pytest.approx(4.0, abs=1e-3)
    assert line.near(300.0, -4.0, line.segment_at(290.0)).offset_m == pytest.approx(-4.0, abs=1e-3)


@pytest.mark.parametrize("name", LINES)
def test_every_piece_in_reach_is_found_and_nothing_else(name: str) -> None:
    """Against looking at every segment: the nearest is the nearest, and all within reach are told."""
    line = Centreline.of(circuit(LINES[name]))
    for step in range(0, int(perimeter(LINES[name])), 7):
        x_m, y_m, _ = walk(LINES[name], step)
        x_m, y_m = x_m + 9.0 * math.sin(step), y_m + 9.0 * math.cos(step)
        everywhere = [line.spot(x_m, y_m, i) for i in range(line.count)]
        nearest_m = min(spot.away_m for spot in everywhere)
        found = line.within(x_m, y_m, 30.0)
        assert found[0].away_m == nearest_m == line.nearest(x_m, y_m).away_m
        assert all(a.away_m <= b.away_m <= 30.0 for a, b in zip(found, found[1:] + found[-1:], strict=True))
        assert len(found) <= 6


def test_two_straights_side_by_side_are_two_pieces() -> None:
    line = Centreline.of(circuit(HAIRPIN))
    found = line.within(300.0, 4.0)
    assert [round(spot.distance_m) for spot in found] == [300, 912]
    assert [round(spot.away_m) for spot in found] == [4, 8]


def test_far_away_nothing_is_in_reach() -> None:
    line = Centreline.of(circuit(HAIRPIN))
    assert line.within(300.0, -200.0) == []
    assert line.nearest(300.0, -200.0).away_m == pytest.approx(200.0, abs=1e-2)

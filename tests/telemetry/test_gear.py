"""Gears from rpm and speed: piles of driven time, numbered only by what was seen."""

from __future__ import annotations

import math

import pytest
from sonoma_streams import CAR, GPS, Rates, samples, session, stream

from pitwall.telemetry.frame import Frame
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.gear import GearFinder, begins_with_first
from pitwall.telemetry.sample import Sample

# rpm per m/s of a six-speed road car: steps 1.77, 1.46, 1.31, 1.24, 1.20.
RATIOS = (440.0, 248.0, 170.0, 130.0, 105.0, 87.5)


def shift(finder: GearFinder, gears: list[int], told: bool, from_t: float = 0.0) -> float:
    """Four seconds in each of these gears at 25 Hz, with a little noise and a clutch between."""
    t = from_t
    for gear in gears:
        for i in range(100):
            v = 0.6 * 5000.0 / RATIOS[gear - 1] * (1.0 + 0.005 * i)
            rpm = v * RATIOS[gear - 1] * (1.0 + 0.004 * math.sin(37.0 * t))
            finder.feed(t, rpm, v, float(gear) if told else None)
            t += 0.04
        for i in range(8):
            finder.feed(t, 5000.0 - 300.0 * i, 20.0, None)
            t += 0.04
    finder.learn()
    return t


def says(finder: GearFinder, t: float, gear: int) -> float | None:
    return finder.feed(t, 0.75 * 5000.0, 0.75 * 5000.0 / RATIOS[gear - 1], None)


def test_the_channel_teaches_and_its_death_costs_nothing() -> None:
    finder = GearFinder()
    t = shift(finder, [2, 3, 4, 5, 6, 3, 4], told=True)
    assert finder.gears.numbers == (2, 3, 4, 5, 6)
    assert [says(finder, t + gear, gear) for gear in (2, 3, 4, 5, 6)] == [2, 3, 4, 5, 6]
    assert says(finder, t, 1) is None


def test_pulling_away_from_a_stand_is_first_gear() -> None:
    finder = GearFinder()
    finder.feed(0.0, 900.0, 0.0, None)
    t = shift(finder, [1, 2, 3, 4, 5, 6], told=False, from_t=1.0)
    assert finder.gears.numbers == (1, 2, 3, 4, 5, 6)
    assert finder.gears.ratios == pytest.approx(RATIOS, rel=0.02)
    assert [says(finder, t + gear, gear) for gear in range(1, 7)] == [1, 2, 3, 4, 5, 6]


def test_a_gear_that_was_left_out_ends_the_counting() -> None:
    finder = GearFinder()
    finder.feed(0.0, 900.0, 0.0, None)
    t = shift(finder, [1, 2, 4, 5], told=False, from_t=1.0)
    assert finder.gears.numbers == (1, 2, None, None)
    assert says(finder, t, 4) is None


def test_a_car_that_was_never_seen_to_start_has_gears_without_numbers() -> None:
    finder = GearFinder()
    t = shift(finder, [3, 4, 5], told=False)
    assert len(finder.gears.ratios) == 3
    assert says(finder, t, 4) is None


@pytest.mark.parametrize(
    ("ratios", "known"),
    [
        ((529.0, 313.0, 212.0, 157.0, 125.0), True),  # an E36 M3: 4.20 2.49 1.66 1.24 1.00
        ((3.82, 2.20, 1.52, 1.22, 1.02, 0.84), True),  # a 911
        ((3.14, 1.89, 1.33, 1.00, 0.81), True),  # an MX-5
        ((221.0, 179.0, 157.0, 139.0, 122.0, 106.0), False),  # a race car's box
        ((313.0, 212.0, 157.0, 125.0), False),  # second to fifth
        ((529.0, 212.0, 157.0), False),  # second left out
        ((313.0, 157.0, 125.0), False),  # third left out
        ((440.0, 248.0), False),
    ],
)
def test_the_steps_tell_first_gear_where_only_first_gear_has_them(
    ratios: tuple[float, ...], known: bool
) -> None:
    assert begins_with_first(ratios) == known


def test_between_two_gears_there_is_none() -> None:
    finder = GearFinder()
    t = shift(finder, [2, 3, 4], told=True)
    assert finder.feed(t, 208.0 * 20.0, 20.0, None) is None
    assert finder.feed(t + 1.0, 900.0, 20.0, None) is None
    assert finder.feed(t + 2.0, None, 20.0, None) is None


@pytest.mark.parametrize("dies_at_s", [0.0, 90.0])
@pytest.mark.long
def test_gears_at_sonoma_without_the_gear_channel(dies_at_s: float) -> None:
    """The simulated M3 pulls out of the pits in first: its gears are found, and right in nine of ten."""
    trace = session()
    fusion = Fusion([stream(GPS), stream(CAR)])
    right = wrong = none = 0
    for sample in samples(trace, Rates(imu_hz=0.0)):
        if sample.stream == CAR and sample.t >= dies_at_s:
            sample = Sample(CAR, sample.t, (*sample.values[:4], 255.0, sample.values[5]))
        frame: Frame | None = fusion.feed(sample)
        if frame is None or frame.t < 130.0 or (frame.speed_mps or 0.0) < 15.0:
            continue
        true = trace.at(frame.t).gear
        right += frame.gear == true
        wrong += frame.gear is not None and frame.gear != true
        none += frame.gear is None
    assert right > 0.85 * (right + wrong + none)
    assert wrong < 0.02 * (right + wrong)

"""The low-pass against the formula it is made from."""

from __future__ import annotations

import cmath
import math

import pytest
from driven import stream

from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.lanes import CUTOFF_HZ, LowPass, coefficients
from pitwall.telemetry.sample import Sample


def warped(hz: float, rate_hz: float) -> float:
    """The bilinear transform's frequency axis, relative to the cut-off."""
    return math.tan(math.pi * hz / rate_hz) / math.tan(math.pi * CUTOFF_HZ / rate_hz)


@pytest.mark.parametrize("rate_hz", [40.0, 50.0, 100.0, 200.0, 416.0])
@pytest.mark.parametrize("hz", [0.5, 3.0, 6.0, 12.0, 15.0, 19.0])
def test_its_gain_is_that_of_a_second_order_butterworth(rate_hz: float, hz: float) -> None:
    b0, b1, b2, a1, a2 = coefficients(rate_hz)
    z = cmath.exp(-2j * math.pi * hz / rate_hz)
    gain = abs((b0 + b1 * z + b2 * z * z) / (1.0 + a1 * z + a2 * z * z))
    assert gain == pytest.approx(1.0 / math.sqrt(1.0 + warped(hz, rate_hz) ** 4), abs=1e-9)


@pytest.mark.parametrize("hz", [2.0, 12.0, 30.0])
def test_a_sine_comes_out_with_that_gain(hz: float) -> None:
    low_pass, step_s = LowPass(), 0.01
    out = [low_pass.feed(i * step_s, math.sin(2 * math.pi * hz * i * step_s), step_s) for i in range(1000)]
    peak = max(abs(y) for y in out[500:])
    assert peak == pytest.approx(1.0 / math.sqrt(1.0 + warped(hz, 100.0) ** 4), abs=0.02)


def test_it_begins_at_the_first_reading_and_again_after_a_hole() -> None:
    low_pass = LowPass()
    assert low_pass.feed(0.0, 0.8, 0.01) == pytest.approx(0.8)
    assert low_pass.feed(0.01, 0.8, 0.01) == pytest.approx(0.8)
    assert low_pass.feed(0.5, -0.4, 0.01) == pytest.approx(-0.4)


def test_a_stream_that_is_too_slow_goes_through_as_it_is() -> None:
    low_pass = LowPass()
    assert [low_pass.feed(i * 0.04, v, 0.04) for i, v in enumerate((0.0, 1.0, -1.0))] == [0.0, 1.0, -1.0]


@pytest.mark.parametrize(("rate_hz", "passes"), [(100.0, 0.2), (25.0, 0.9)])
def test_fusion_smooths_a_fast_imu_and_leaves_a_slow_one(rate_hz: float, passes: float) -> None:
    """A shake at 40 % of the rate: 40 Hz is gone from 100 Hz, 10 Hz stays in 25 Hz."""
    fusion = Fusion([stream(("g_lat", "rpm"))])
    seen = []
    for i in range(int(4 * rate_hz)):
        t = i / rate_hz
        frame = fusion.feed(Sample(0, t, (math.cos(0.8 * math.pi * i), 3000.0 + i % 7)))
        if frame is not None and frame.t > 2.0:
            assert frame.rpm == 3000.0 + i % 7
            seen.append(abs(frame.g_lat))
    assert (max(seen) > 0.9) == (passes > 0.5)
    assert (max(seen) < 0.2) == (passes < 0.5)

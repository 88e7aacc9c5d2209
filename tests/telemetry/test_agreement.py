"""How far a sensor is behind GPS: a sensor that is dead is behind nothing."""

from __future__ import annotations

import math

import pytest

from pitwall.telemetry.agreement import REFERENCES, Agreement
from pitwall.telemetry.motion import Block

STEP_S, LAG_S = 0.1, 0.2


@pytest.mark.parametrize(
    ("scale", "lag_s"), [(1.0, pytest.approx(LAG_S, abs=0.02)), (0.0, None)], ids=["alive", "dead"]
)
def test_the_lag_of_a_sensor_is_found_and_a_dead_one_has_none(scale: float, lag_s: object) -> None:
    agreement = Agreement(REFERENCES["g_lat"], "g")
    for number in range(400):
        t = number * STEP_S
        block = Block(t, STEP_S, math.sin(t), 0.0, 0.0, 0.0, 30.0)
        agreement.add(block, scale * math.sin(t - LAG_S))
    assert agreement.lag_s() == lag_s

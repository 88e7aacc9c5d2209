"""A live receiver that is later than the car: the lag is found while driving, and taken out."""

from __future__ import annotations

import math

import pytest
from driven import GPS, rows, stream

from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.sample import Sample

CAR = ("wheel_speed_mps", "brake_bar", "throttle_pct")


def fused(
    lag_s: float, hz: float = 10.0, duration_s: float = 180.0
) -> tuple[Fusion, list[tuple[float, float]]]:
    """Feed fixes that are `lag_s` old at their stamp beside the car at 20 Hz; return each frame's
    time and throttle."""
    fusion, frames = Fusion((stream(GPS), stream(CAR, 1))), []
    late, every = round(lag_s * 20.0), round(20.0 / hz)
    driven = list(rows(duration_s, 20.0))
    for n, row in enumerate(driven):
        t, fix = n / 20.0, driven[max(n - late, 0)]
        samples = [Sample(1, t, tuple(row[name] for name in CAR))]
        if n % every == 0:
            samples.append(Sample(0, t, tuple(fix[name] for name in GPS)))
        for sample in samples:
            frame = fusion.feed(sample)
            if frame is not None and frame.throttle_pct is not None:
                frames.append((frame.t, frame.throttle_pct))
    return fusion, frames


@pytest.mark.parametrize("lag_s", [0.3, 0.6, 1.0])
def test_pedals_come_with_the_fixes_once_their_lag_is_known(lag_s: float) -> None:
    fusion, frames = fused(lag_s)
    assert fusion.lag_s == pytest.approx(lag_s, abs=0.04)
    throttle = [row["throttle_pct"] or 0.0 for row in rows(180.0, 20.0)]
    off = [abs(v - throttle[round((t - lag_s) * 20.0)]) for t, v in frames if t > 150.0]
    assert len(off) > 300
    assert sum(off) / len(off) < 3.0
    assert [f.kind for f in fusion.findings() if "later" in f.detail or "late by" in f.detail] == ["lag"]


def test_the_lag_of_a_receiver_of_one_hertz_is_found() -> None:
    fusion, _ = fused(0.6, hz=1.0)
    assert fusion.lag_s == pytest.approx(0.6, abs=0.04)


def test_fixes_in_time_move_nothing_and_slow_ones_are_doubted() -> None:
    fusion, _ = fused(0.05)
    assert fusion.lag_s == 0.0
    assert fusion._lag.next_t == math.inf
    slow, _ = fused(0.6, hz=0.5, duration_s=200.0)
    assert slow.lag_s == 0.0
    assert any("is unknown" in finding.detail for finding in slow.findings())

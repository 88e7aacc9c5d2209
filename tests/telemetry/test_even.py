"""Times that jitter are readings of an even clock; times that are uneven stay as they are."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator

import pytest

from pitwall.telemetry.findings import Finding
from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.recordings.corrected import evened
from pitwall.telemetry.sample import Sample, Stream, channels_of
from pitwall.telemetry.session_clock import SessionClock

JITTER_S, LAP_S = 0.05, 90.0


class Circles:
    """Five minutes on a circle of 400 m; `made` gives the times of fixes, `stamped` each row's."""

    def __init__(self, made: list[float], stamped: Callable[[float], float]) -> None:
        self.made, self.stamped = made, stamped
        channels = channels_of({"lat_deg": "", "lon_deg": "", "speed_mps": ""})
        self.info = RecordingInfo("made", "made.csv", (Stream(0, "logger", channels),))

    def samples(self) -> Iterator[Sample]:
        draw, last = random.Random(1), 0.0
        for made_s in self.made:
            # 30 m/s and 5 m/s more or less: the way is the speed's integral.
            angle = (30.0 * made_s - 15.0 * math.cos(made_s / 3.0)) / 400.0
            lat, lon = 400.0 * math.sin(angle) / 111_195.0, 400.0 * math.cos(angle) / 111_195.0
            last = max(last, self.stamped(made_s) + draw.uniform(-JITTER_S, JITTER_S))
            yield Sample(0, last, (lat, lon, 30.0 + 5.0 * math.sin(made_s / 3.0)))

    def findings(self) -> list[Finding]:
        return []


def worst_lap_s(made: list[float], times: list[float], step_s: float) -> float:
    lap = round(LAP_S / step_s)
    pairs = [(i, i + lap) for i in range(len(made) // 2, len(made) - lap, 3)]
    return max(abs((times[j] - times[i]) - (made[j] - made[i])) for i, j in pairs)


@pytest.mark.parametrize(("step_s", "lost"), [(0.1, 0.0), (0.1, 0.05), (1.0, 0.05), (0.04, 0.0)])
def test_a_file_whose_times_jitter_is_put_on_an_even_clock(step_s: float, lost: float) -> None:
    draw = random.Random(2)
    made = [n * step_s for n in range(int(300.0 / step_s)) if draw.random() >= lost]
    found = evened(Circles(made, lambda s: s))
    times = [sample.t for sample in found.samples()]
    assert times == sorted(times)
    assert worst_lap_s(made, times, step_s) < 0.02
    assert [finding.kind for finding in found.findings()] == ["reckoned"]


def test_a_receiver_that_is_uneven_in_truth_keeps_its_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("test_even.JITTER_S", 0.0)
    made = [n * 0.1 + 0.04 * (n % 3 == 1) for n in range(3_000)]
    recording = Circles(made, lambda s: s)
    assert evened(recording) is recording


@pytest.mark.parametrize("seed", [1, 3, 5])
@pytest.mark.parametrize(("step_s", "lost"), [(0.1, 0.0), (0.04, 0.0), (1.0, 0.05)])
def test_a_live_receiver_without_stamps_of_its_own_runs_evenly(step_s: float, lost: float, seed: int) -> None:
    draw = random.Random(seed)
    made = [n * step_s for n in range(int(400.0 / step_s)) if draw.random() >= lost]
    clock = SessionClock(100.0).source("gps", 0.0, receiver=True)
    times = [clock.map(None, 100.1 + s + draw.uniform(0.0, 2.0 * JITTER_S)) for s in made]
    assert worst_lap_s(made, times, step_s) < 0.02

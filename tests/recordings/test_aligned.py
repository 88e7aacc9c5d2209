"""A receiver that is later than the car's signals: the lag is found and taken out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwall.config import Home
from pitwall.drive.prepare import opened
from pitwall.telemetry.findings import Finding
from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.recordings.corrected import aligned, find_lag_s
from pitwall.telemetry.recordings.journal import JournalRecording, write_journal
from pitwall.telemetry.sample import Sample, Stream, channels_of

CHANNELS = channels_of(
    {"lat_deg": "", "lon_deg": "", "speed_mps": "", "wheel_speed_mps": "", "brake_bar": ""}
)


def speed_mps(t: float) -> float:
    return 30.0 + 12.0 * math.sin(t / 3.0) + 4.0 * math.sin(t / 1.7)


def brake_bar(t: float) -> float:
    return max(0.0, -6.0 * (speed_mps(t + 0.05) - speed_mps(t - 0.05)) / 0.1)


class Drive:
    """Two minutes at 10 Hz: fixes that are `lag_s` old at their stamp beside what the car says now."""

    def __init__(self, lag_s: float, *, together: bool) -> None:
        self.lag_s, self.together = lag_s, together
        parts = [CHANNELS] if together else [CHANNELS[:3], CHANNELS[3:]]
        streams = tuple(Stream(i, "logger", part) for i, part in enumerate(parts))
        self.info = RecordingInfo("made", "made.csv", streams)

    def samples(self) -> Iterator[Sample]:
        for n in range(1_200):
            t = n / 10.0
            fix = (38.0 + t * 1e-4, -122.0, speed_mps(t - self.lag_s))
            car = (speed_mps(t), brake_bar(t))
            if self.together:
                yield Sample(0, t, (*fix, *car))
            else:
                yield Sample(0, t, fix)
                yield Sample(1, t, car)

    def findings(self) -> list[Finding]:
        return []


@pytest.mark.parametrize("together", [True, False], ids=["one row", "two streams"])
@pytest.mark.parametrize("lag_s", [0.3, 0.43, 1.0])
def test_the_cars_signals_are_moved_to_late_fixes(lag_s: float, together: bool) -> None:
    drive = Drive(lag_s, together=together)
    found = find_lag_s(drive)
    assert found == (pytest.approx(lag_s, abs=0.02), "wheel_speed_mps")
    moved = aligned(drive)
    samples = list(moved.samples())
    assert [sample.t for sample in samples] == sorted(sample.t for sample in samples)
    brakes = [(s.t, s.values[-1]) for s in samples if s.stream == len(drive.info.streams) - 1 and s.t > 2.0]
    assert len(brakes) > 1_100
    assert all(value == pytest.approx(brake_bar(t - lag_s), abs=1.5) for t, value in brakes)
    assert [finding.kind for finding in moved.findings()] == ["lag"]


def test_what_fits_and_what_nothing_tells_stays_as_it_is() -> None:
    for drive in (Drive(0.05, together=True), Drive(-0.3, together=True)):
        assert aligned(drive) is drive


def test_a_journal_is_driven_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "drive.pwj"
    drive = Drive(0.6, together=True)
    with path.open("wb") as file:
        write_journal(file, drive.info, drive.samples())
    # Corrected again, a live drive would lose what its journal says beside the samples.
    assert isinstance(opened(path, Home(tmp_path)), JournalRecording)

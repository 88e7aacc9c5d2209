"""Fixes that come behind the readings of a bus are fixes: a track is built of them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
import split_drive
from running_daemon import DEMO

from pitwall.config import shipped
from pitwall.telemetry.recordings import Recording, open_recording
from pitwall.telemetry.sample import Sample
from pitwall.track.build_laps import read_trace
from pitwall.track.library import load_track
from pitwall.track.line import Centreline

BUS_STEP_S, BUS_STEPS = 0.02, 5
DRIVEN_S = 120.0


class LateGps:
    """The demo drive as a car delivers it: a bus of 50 Hz, and each fix `late_s` behind it."""

    def __init__(self, late_s: float) -> None:
        self.late_s = late_s
        self.info = msgspec.structs.replace(open_recording(DEMO).info, streams=split_drive.streams())

    def samples(self) -> Iterator[Sample]:
        """In the order of their arrival."""
        arrivals = []
        for sample in split_drive.drive(DRIVEN_S):
            if sample.stream == split_drive.GPS_ID:
                arrivals.append((sample.t + self.late_s, sample))
                continue
            for step in range(BUS_STEPS):
                t = sample.t + step * BUS_STEP_S
                arrivals.append((t, Sample(sample.stream, t, sample.values)))
        arrivals.sort(key=lambda each: each[0])
        return (sample for _, sample in arrivals)


def test_as_many_fixes_are_found_where_gps_is_late() -> None:
    track = load_track(shipped("track_data") / "sonoma.json")
    projection = Centreline.of(track).projection

    def trace(late_s: float) -> tuple[list[float], list[float]]:
        recording: Recording = LateGps(late_s)  # type: ignore[assignment]
        found, _ = read_trace(recording, track.gate, projection)
        return list(found.t), list(found.lat_deg)

    times, places = trace(0.0)
    assert len(times) > 300
    late_times, late_places = trace(0.15)
    assert late_times == pytest.approx(times, abs=1e-6)
    assert late_places == pytest.approx(places, abs=1e-9)

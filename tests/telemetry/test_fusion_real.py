"""Real recordings taken apart into a receiver and a car, as live: places between fixes, lap times."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwall.config import shipped
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.recordings import Recording, open_recording
from pitwall.telemetry.sample import Sample, Stream
from pitwall.track.geometry import Projection
from pitwall.track.library import load_tracks
from pitwall.track.matcher import MapMatcher
from pitwall.track.timing import LapTimer
from pitwall.track.venue import Venue, venue_of_recording

OF_FIX = ("lat_deg", "lon_deg", "altitude_m", "speed_mps", "heading_deg", "satellites")
RECEIVER, CAR = 0, 1


class Apart:
    """A single-stream recording as two streams; every reading once, the fixes `late_s` after their stamp."""

    def __init__(self, recording: Recording) -> None:
        (whole,) = recording.info.streams
        self.recording = recording
        names = [channel.name for channel in whole.channels]
        self._fix = [i for i, name in enumerate(names) if name in OF_FIX]
        self._car = [i for i, name in enumerate(names) if name not in OF_FIX]
        self.streams = (
            Stream(RECEIVER, "receiver", tuple(whole.channels[i] for i in self._fix)),
            Stream(CAR, "car", tuple(whole.channels[i] for i in self._car)),
        )
        self.lat, self.lon = names.index("lat_deg"), names.index("lon_deg")

    def samples(self, late_s: float = 0.0, fix_step_s: float = 0.0) -> Iterator[tuple[Sample, Sample]]:
        """(sample as it comes, row it is from); fixes at most every `fix_step_s`."""
        waiting: list[tuple[Sample, Sample]] = []
        last_t = -math.inf
        for row in self.recording.samples():
            while waiting and waiting[0][0].t + late_s <= row.t:
                yield waiting.pop(0)
            if row.values[self.lat] is not None and row.t - last_t >= fix_step_s - 1e-3:
                last_t = row.t
                waiting.append((Sample(RECEIVER, row.t, tuple(row.values[i] for i in self._fix)), row))
            yield Sample(CAR, row.t, tuple(row.values[i] for i in self._car)), row
        yield from waiting


def laps(venue: Venue, frames: Iterator[Frame]) -> list[float]:
    track = venue.track
    matcher = MapMatcher(track) if track else None
    timer = LapTimer(venue.gate, track.length_m if track else None)
    found = (timer.feed(frame, matcher.feed(frame) if matcher else None) for frame in frames)
    return [lap.time_s for lap in found if lap is not None and lap.time_s is not None]


def fused(streams: tuple[Stream, ...], samples: Iterator[Sample]) -> Iterator[Frame]:
    fusion = Fusion(streams)
    for sample in samples:
        frame = fusion.feed(sample)
        if frame is not None:
            yield frame


@pytest.mark.parametrize("name", ["sonoma-m3-vbox.csv", "washington-racecapture.log"])
@pytest.mark.long
def test_laps_are_the_same_when_the_fixes_come_apart_and_late(drives: Path, name: str) -> None:
    recording = open_recording(drives / name)
    venue = venue_of_recording(recording, load_tracks((shipped("track_data"),)))
    whole = laps(venue, fused(recording.info.streams, recording.samples()))
    apart = Apart(recording)
    late = laps(venue, fused(apart.streams, (sample for sample, _ in apart.samples(0.06))))
    assert whole
    assert late == pytest.approx(whole, abs=0.01)


@pytest.mark.parametrize(
    ("name", "metres"),
    [
        ("sonoma-m3-vbox.csv", 0.5),
        ("roadamerica-racelogic.vbo", 1.5),
        ("tianma-racechrono-v3.csv", 0.5),
        ("washington-racecapture.log", 1.0),
    ],
)
@pytest.mark.long
def test_fixes_that_were_left_out_lie_where_they_were_reckoned(
    drives: Path, name: str, metres: float
) -> None:
    """Only every fifth of a second a fix: the others, never shown to fusion, are the truth."""
    apart = Apart(open_recording(drives / name))
    fusion, off = Fusion(apart.streams), []
    for sample, row in apart.samples(fix_step_s=0.2):
        frame = fusion.feed(sample)
        lat, lon = row.values[apart.lat], row.values[apart.lon]
        if frame is None or not frame.reckoned or lat is None or lon is None:
            continue
        assert frame.lat_deg is not None
        assert frame.lon_deg is not None
        off.append(math.hypot(*Projection(lat, lon).xy(frame.lat_deg, frame.lon_deg)))
    off.sort()
    assert len(off) > 300
    assert off[int(0.95 * len(off))] < metres

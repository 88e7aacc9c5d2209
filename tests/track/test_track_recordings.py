"""Lap times and places of the real recordings, against figures that were worked out independently."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pitwall.config import shipped
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.recordings import Recording, open_recording
from pitwall.track.lap import Lap, Position
from pitwall.track.library import load_tracks
from pitwall.track.matcher import MapMatcher
from pitwall.track.model import Gate, Track
from pitwall.track.timing import LapTimer
from pitwall.track.venue import Venue, venue_of_recording

TOLERANCE_S = 0.05
TRANSPONDER_TOLERANCE_S = 0.10


def frames_of(recording: Recording) -> list[Frame]:
    fusion = Fusion(recording.info.streams)
    made = (fusion.feed(sample) for sample in recording.samples())
    return [frame for frame in made if frame is not None]


def laps_of(frames: list[Frame], venue: Venue) -> tuple[list[Lap], list[Position]]:
    track = venue.track
    matcher = MapMatcher(track) if track else None
    timer = LapTimer(venue.gate, track.length_m if track else None, track.sectors_m if track else ())
    laps: list[Lap] = []
    positions: list[Position] = []
    for frame in frames:
        position = matcher.feed(frame) if matcher else None
        if position is not None:
            positions.append(position)
        lap = timer.feed(frame, position)
        if lap is not None:
            laps.append(lap)
    last = timer.finish(frames[-1].t)
    assert last is not None
    return [*laps, last], positions


def times(laps: list[Lap]) -> list[float]:
    return [lap.time_s for lap in laps if lap.time_s is not None]


@pytest.fixture(scope="session")
def oracles(recordings: Path) -> Any:
    return json.loads((recordings / "oracles.json").read_text())


@pytest.fixture(scope="session")
def tracks() -> dict[str, Track]:
    return load_tracks([shipped("track_data")])


@pytest.fixture(scope="session")
def sonoma(drives: Path) -> list[Frame]:
    return frames_of(open_recording(drives / "sonoma-m3-vbox.csv"))


KINDS = {
    "sonoma-m3-vbox.csv": "out out flying*7 in",
    "roadamerica-racelogic.vbo": "out flying in in",
    "lignano-racebox.vbo": "out flying*4 in flying*3 in flying*3 in",
}


def test_lap_times_with_the_gate_found_by_itself(recordings, oracles, tracks) -> None:
    for name, kinds in KINDS.items():
        recording = open_recording(recordings / name)
        laps, _ = laps_of(frames_of(recording), venue_of_recording(recording, tracks))
        assert times(laps) == pytest.approx(oracles[name]["laps_s"], abs=TOLERANCE_S), name
        expected = [
            kind
            for part in kinds.split()
            for kind in [part.partition("*")[0]] * int(part[-1] if "*" in part else 1)
        ]
        assert [lap.kind for lap in laps] == expected, name


def test_kart_laps_from_nmea_and_the_transponder(recordings, oracles) -> None:
    name = "orlando-18hz.nmea"
    (a, b), recording = oracles[name]["gate"], open_recording(recordings / name)
    venue = venue_of_recording(recording, {}, Gate(*a, *b, 351.0))
    laps, _ = laps_of(frames_of(recording), venue)
    assert venue.gate_source == "given"
    assert times(laps) == pytest.approx(oracles[name]["laps_s"], abs=TOLERANCE_S)
    transponder_s = oracles[name]["MyLaps_transponder_lap2_s"]
    assert times(laps)[1] == pytest.approx(transponder_s, abs=TRANSPONDER_TOLERANCE_S)


def test_a_gate_found_by_driving_gives_the_same_laps(recordings, oracles) -> None:
    """Another line, so single laps differ by what was gained between the two."""
    recording = open_recording(recordings / "orlando-18hz.nmea")
    venue = venue_of_recording(recording, {})
    assert venue.gate_source == "loop"
    laps, _ = laps_of(frames_of(recording), venue)
    assert times(laps) == pytest.approx(oracles["orlando-18hz.nmea"]["laps_s"], abs=0.3)


def test_the_stale_gate_is_refused_by_name(recordings) -> None:
    venue = venue_of_recording(open_recording(recordings / "roadamerica-stale-gate.vbo"), {})
    refused = [note for note in venue.notes if "refused" in note]
    assert len(refused) == 1
    assert refused[0].startswith("stored start line 'Start / Finish' at 80.4155 W 25.4545 N is 2,1")
    assert "km from the data at 87.9" in refused[0]
    assert venue.gate_source != "stored"


def test_the_loggers_own_laps_agree(recordings) -> None:
    """RaceCapture writes its own lap times, in minutes with three digits: 4.472, 4.627 and 4.320."""
    recording = open_recording(recordings / "washington-racecapture.log")
    venue = venue_of_recording(recording, {})
    assert venue.gate_source == "lap marks"
    laps, _ = laps_of(frames_of(recording), venue)
    assert times(laps)[-3:] == pytest.approx([4.472 * 60, 4.627 * 60, 4.320 * 60], abs=0.1)


def test_other_places_are_unknown(recordings, tracks) -> None:
    for name in ("lignano-racebox.vbo", "tianma-racechrono-v3.csv", "roadamerica-racelogic.vbo"):
        assert venue_of_recording(open_recording(recordings / name), tracks).track is None

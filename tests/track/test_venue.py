"""Recognising the place, and finding a start line, on recordings that were driven on known polygons."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import msgspec
import pytest
from synthetic_drives import BRIDGE, HAIRPIN, ORIGIN, SPIRAL, Drive, circuit, drive, frame_at, perimeter

from pitwall.telemetry.findings import Finding
from pitwall.telemetry.recordings.base import RecordingInfo, StoredGate
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.track.gate import great_circle_m
from pitwall.track.model import WAY_BACK_SHARE, Gate, Track
from pitwall.track.timing import LapTimer
from pitwall.track.venue import TrackFinder, venue_of_recording

CHANNELS = tuple(Channel(name, "", name) for name in ("lat_deg", "lon_deg", "speed_mps", "lap_number"))
STREAM = Stream(0, "test", CHANNELS)


class Driven:
    """A recording in memory: a drive, with the lap counter of its logger where it has one."""

    def __init__(self, driven: Drive, laps: list[float] | None = None, **info: object) -> None:
        self.info = msgspec.convert(
            {"format": "test", "path": "", "streams": (STREAM,), **info}, RecordingInfo
        )
        self._driven, self._laps = driven, laps
        self.read = 0

    def samples(self) -> Iterator[Sample]:
        for i, frame in enumerate(self._driven.frames):
            self.read += 1
            lap = self._laps[i] if self._laps else None
            yield Sample(0, frame.t, (frame.lat_deg, frame.lon_deg, frame.speed_mps, lap))

    def findings(self) -> list[Finding]:
        return []


def named(corners, name: str) -> Track:
    return msgspec.structs.replace(circuit(corners), id=name, name=name)


def places(driven: Drive) -> list[tuple[float, float]]:
    return [(f.lat_deg, f.lon_deg) for f in driven.frames if f.lat_deg is not None and f.lon_deg is not None]


def library(*tracks: Track) -> dict[str, Track]:
    return {track.id: track for track in tracks}


KNOWN = library(named(HAIRPIN, "hairpin"))


def middle(gate: Gate | None) -> tuple[float, float]:
    a, b = ORIGIN.xy(gate.a_lat_deg, gate.a_lon_deg), ORIGIN.xy(gate.b_lat_deg, gate.b_lon_deg)
    return (a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0


def lap_times(driven: Drive, gate: Gate | None) -> list[float]:
    timer = LapTimer(gate)
    laps = [lap for lap in map(timer.feed, driven.frames) if lap is not None]
    return [lap.time_s for lap in laps if lap.time_s is not None]


def found_by(driven: Drive) -> Track | None:
    finder = TrackFinder(KNOWN.values())
    for place in places(driven):
        finder.feed(*place)
    return finder.track


def test_a_hundred_metres_on_the_track_are_enough() -> None:
    found = found_by(drive(HAIRPIN, from_m=700.0, to_m=800.0, offset_m=4.0, noise_m=1.5))
    assert found is KNOWN["hairpin"]


def test_the_paddock_is_not_yet_the_track_and_does_not_spoil_it() -> None:
    finder = TrackFinder(KNOWN.values())
    paddock = Drive([frame_at(0.5 * i, -300.0 + 5.0 * (i % 40), -150.0, 8.0, 90.0) for i in range(200)], [])
    for place in places(paddock):
        finder.feed(*place)
    assert finder.track is None
    for place in places(drive(HAIRPIN, from_m=0.0, to_m=150.0)):
        finder.feed(*place)
    assert finder.track is KNOWN["hairpin"]


def other_place() -> Drive:
    driven = drive(HAIRPIN)
    for frame in driven.frames:
        frame.lat_deg = (frame.lat_deg or 0.0) + 0.05
    return driven


@pytest.mark.parametrize(
    "driven",
    [
        other_place(),
        Drive(list(reversed(drive(HAIRPIN).frames)), []),
        Drive([frame_at(0.1 * i, 300.0, -300.0 + 3.0 * i, 30.0, 0.0) for i in range(250)], []),
        Drive([frame_at(0.1 * i, 300.0, 1.0, 0.0, 0.0, 1.0) for i in range(900)], []),
    ],
    ids=["5 km away", "the other way round", "a road that crosses it", "parked on it"],
)
def test_what_is_not_driving_this_track_is_unknown(driven: Drive) -> None:
    assert found_by(driven) is None


SHORT = ((0, 0), (600, 0), (600, 12), (300, 12), (300, 200), (-100, 200), (-100, 0))


@pytest.mark.parametrize("driven_layout", ["hairpin", "short"])
def test_of_two_layouts_the_one_that_keeps_matching_wins(driven_layout: str) -> None:
    layouts = {"hairpin": HAIRPIN, "short": SHORT}
    both = library(named(HAIRPIN, "hairpin"), named(SHORT, "short"))
    recording = Driven(drive(layouts[driven_layout], laps=1.5, offset_m=2.0))
    venue = venue_of_recording(recording, both)
    assert venue.track is both[driven_layout]
    assert venue.gate is both[driven_layout].gate


def test_a_course_on_a_known_circuit_is_found_by_its_runs() -> None:
    """Runs over a third of the circuit, back beside it, are of the course; laps are of the circuit."""
    whole = KNOWN["hairpin"]
    third = whole.centreline[: len(whole.centreline) // 3]
    ends = [ORIGIN.xy(lat, lon) for lat, lon, _ in third]
    lap_m = sum(itertools.starmap(math.dist, itertools.pairwise(ends)))
    finish = msgspec.structs.replace(
        whole.gate,
        a_lat_deg=third[-1][0], a_lon_deg=third[-1][1], b_lat_deg=third[-1][0], b_lon_deg=third[-1][1],
    )  # fmt: skip
    course = msgspec.structs.replace(
        whole, id="stage", name="Stage", centreline=third, length_m=lap_m * (1.0 + WAY_BACK_SHARE),
        gate=msgspec.structs.replace(whole.gate, finish=finish), corners=(),
    )  # fmt: skip
    run = places(drive(HAIRPIN, from_m=0.0, to_m=lap_m))
    to_start = places(drive(HAIRPIN, from_m=perimeter(HAIRPIN) - 200.0, to_m=perimeter(HAIRPIN)))
    for driven, found in (((to_start + run) * 3, course), (places(drive(HAIRPIN, laps=2.0)), whole)):
        finder = TrackFinder((whole, course))
        for place in driven:
            finder.feed(*place)
            if finder.sure:
                break
        assert finder.track is found
        assert finder.sure


def test_a_known_track_is_not_read_to_the_end() -> None:
    recording = Driven(drive(HAIRPIN, laps=6.0))
    venue = venue_of_recording(recording, KNOWN)
    assert (venue.track, venue.gate_source) == (KNOWN["hairpin"], "track")
    assert recording.read < len(drive(HAIRPIN, laps=1.0).frames)


def test_a_given_gate_comes_first() -> None:
    gate = circuit(BRIDGE).gate
    venue = venue_of_recording(Driven(drive(HAIRPIN)), KNOWN, gate)
    assert (venue.track, venue.gate, venue.gate_source) == (KNOWN["hairpin"], gate, "given")


def test_the_files_own_gate_before_lap_marks() -> None:
    a, b = ORIGIN.lat_lon(200.0, 8.0), ORIGIN.lat_lon(200.0, -8.0)
    recording = Driven(drive(HAIRPIN), gate=StoredGate(*a, *b, "S/F"), lap_marks_t=(10.0, 70.0))
    venue = venue_of_recording(recording, {})
    assert venue.gate_source == "stored"
    assert middle(venue.gate) == pytest.approx((200.0, 0.0), abs=0.1)
    assert "unknown place" in venue.notes[0]


def test_a_refused_gate_is_named_and_the_next_source_serves() -> None:
    driven = drive(HAIRPIN, laps=3.2)
    recording = Driven(driven, gate=StoredGate(25.4545, -80.4155, 25.4546, -80.4155, "Homestead"))
    venue = venue_of_recording(recording, {})
    assert venue.gate_source == "loop"
    assert "'Homestead' at 80.4155 W 25.4545 N is 7,6" in venue.notes[1]
    assert lap_times(driven, venue.gate) == pytest.approx([60.0, 60.0], abs=0.02)


def test_lap_marks_of_the_header() -> None:
    driven = drive(HAIRPIN, laps=4.2)
    marks_t = tuple(100.0 / 30.0 + 60.0 * i + 0.2 for i in range(4))
    venue = venue_of_recording(Driven(driven, lap_marks_t=marks_t), {})
    assert venue.gate_source == "lap marks"
    assert middle(venue.gate) == pytest.approx((6.0, 0.0), abs=1.0)
    assert lap_times(driven, venue.gate) == pytest.approx([60.0] * 4, abs=0.01)


def test_a_lap_counter_that_restarts_in_the_pits_misleads_nobody() -> None:
    driven = drive(HAIRPIN, laps=4.2)
    counted = [float(max(0, int((m - 4.0) // perimeter(HAIRPIN)) + 1)) for m in driven.true_m]
    counted[700:] = [count - 2.0 for count in counted[700:]]
    venue = venue_of_recording(Driven(driven, counted), {})
    assert venue.gate_source == "lap marks"
    assert middle(venue.gate) == pytest.approx((6.0, 0.0), abs=4.0)


@pytest.mark.parametrize("corners", [HAIRPIN, BRIDGE, SPIRAL], ids=["hairpin", "bridge", "spiral"])
def test_a_loop_without_any_mark_is_timed_on_its_fastest_straight(corners) -> None:
    def speed_mps(true_m: float) -> float:
        return 45.0 if 100.0 < true_m % perimeter(corners) < 300.0 else 25.0

    driven = drive(corners, laps=3.3, speed_mps=speed_mps, noise_m=0.5)
    venue = venue_of_recording(Driven(driven), {})
    assert venue.gate_source == "loop"
    x_m, y_m = middle(venue.gate)
    assert 100.0 < x_m < 300.0
    assert y_m == pytest.approx(0.0, abs=2.0)
    lap_s = (perimeter(corners) - 200.0) / 25.0 + 200.0 / 45.0
    assert lap_times(driven, venue.gate)[:2] == pytest.approx([lap_s] * 2, abs=0.2)


def test_a_round_oval_without_a_straight_is_timed_too() -> None:
    turn = 2.0 * math.pi / 38.0  # 25 m/s on a radius of 151 m
    at = [turn * 0.1 * i for i in range(1_600)]
    frames = [
        frame_at(0.1 * i, 151.2 * math.cos(a), 151.2 * math.sin(a), 25.0, -math.degrees(a) % 360.0)
        for i, a in enumerate(at)
    ]
    driven = Drive(frames, [])
    venue = venue_of_recording(Driven(driven), {})
    assert lap_times(driven, venue.gate) == pytest.approx([38.0] * 3, abs=0.01)


@pytest.mark.parametrize(
    "driven",
    [
        drive(HAIRPIN, laps=1.0),
        Drive([frame_at(0.1 * i, 3.0 * i, 20.0 * (i % 300) ** 0.5, 30.0, 60.0) for i in range(900)], []),
        Drive([], []),
        Drive([frame_at(0.1 * i, 0.0, 0.0, 0.0, 0.0, 1.0) for i in range(300)], []),
    ],
    ids=["one lap", "an open road", "nothing", "parked"],
)
def test_no_loop_no_gate(driven: Drive) -> None:
    venue = venue_of_recording(Driven(driven), {})
    assert (venue.track, venue.gate, venue.gate_source) == (None, None, "none")
    assert "no start line" in venue.notes[-1]


def test_there_and_back_on_one_road_is_no_loop() -> None:
    there = [frame_at(0.1 * i, 3.0 * i, 0.0, 30.0, 90.0) for i in range(400)]
    back = [frame_at(40.0 + 0.1 * i, 1200.0 - 3.0 * i, 6.0, 30.0, 270.0) for i in range(400)]
    assert venue_of_recording(Driven(Drive(there + back, [])), {}).gate is None


def test_a_receiver_that_wakes_up_elsewhere_spoils_nothing() -> None:
    driven = drive(HAIRPIN, laps=3.2)
    for i in range(30):
        driven.frames[i].lat_deg, driven.frames[i].lon_deg = 22.5 + i * 1e-5, 114.0
    venue = venue_of_recording(Driven(driven), {})
    assert venue.gate_source == "loop"
    assert great_circle_m(50.0, 7.0, *ORIGIN.lat_lon(*middle(venue.gate))) < 1500.0
    assert all(a < b for a, b in itertools.pairwise(f.t for f in driven.frames))

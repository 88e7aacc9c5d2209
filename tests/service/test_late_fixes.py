"""Fixes that come behind the readings of a bus: a track is built of them, and brake marks are true."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import pytest
import split_drive
from heard import Heard
from running_daemon import DEMO

from pitwall.config import Home, shipped
from pitwall.daemon.sessions.open_session import OpenSession
from pitwall.drive.controls import FixesLate, control, record_of
from pitwall.drive.frozen import freeze, thaw
from pitwall.drive.journal import records
from pitwall.drive.prepare import DriveSettings, known_tracks
from pitwall.drive.rebuild import match_again, out_of_date
from pitwall.drive.recording import Fed, Recorder
from pitwall.drive.session import LIVE, PATH_OPTION, DriveSession, Supplies
from pitwall.store.queries import corner_passes
from pitwall.store.store import Store
from pitwall.telemetry.recordings import Recording, open_recording
from pitwall.telemetry.recordings.journal import JournalRecording, SessionMeta, StreamRecord
from pitwall.telemetry.sample import Sample
from pitwall.track.build_laps import read_trace
from pitwall.track.lap import CornerPass
from pitwall.track.library import load_track
from pitwall.track.line import Centreline

BUS_STEP_S, BUS_STEPS = 0.02, 5
DRIVEN_S, TWO_LAPS_S = 120.0, 260.0


class LateGps:
    """The demo drive as a car delivers it: a bus of 50 Hz, and each fix `late_s` behind it. The readings of
    the bus stand `bus_s` after those of the receiver."""

    def __init__(self, late_s: float, bus_s: float = 0.0, until_s: float = DRIVEN_S) -> None:
        self.late_s, self.bus_s, self.until_s = late_s, bus_s, until_s
        self.info = msgspec.structs.replace(open_recording(DEMO).info, streams=split_drive.streams())

    def samples(self) -> Iterator[Sample]:
        """In the order of their arrival."""
        arrivals = []
        for sample in split_drive.drive(self.until_s):
            if sample.stream == split_drive.GPS_ID:
                arrivals.append((sample.t + self.late_s, sample))
                continue
            for step in range(BUS_STEPS):
                t = sample.t + self.bus_s + step * BUS_STEP_S
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


def test_laps_and_passes_are_the_same_however_late_fixes_come_and_wherever_the_bus_reads(
    tmp_path: Path,
) -> None:
    """What lies between fixes is reckoned on a grid that each start of the daemon begins anew."""
    supplies = Supplies(known_tracks(Home(tmp_path))[0])

    def driven(late_s: float, bus_s: float) -> Heard:
        path = DriveSession(supplies, DriveSettings(), (heard := Heard(),), begun_t=0.0, coached=False)
        for stream in split_drive.streams():
            path.stream(stream)
        path.control(control(0.0, "track", "sonoma"))
        for sample in LateGps(late_s, bus_s, TWO_LAPS_S).samples():
            path.feed(sample)
        path.finish()
        return heard

    one, other = driven(0.0, 0.001), driven(0.047, 0.013)
    assert len(one.passes) == len(other.passes) > 10
    for ours, theirs in zip(one.passes, other.passes, strict=True):
        assert (ours.lap, ours.corner) == (theirs.lap, theirs.corner)
        figures = [msgspec.structs.astuple(each)[2:-1] for each in (ours, theirs)]
        assert figures[0] == pytest.approx(figures[1], abs=1e-6)
    assert one.laps[1].kind == other.laps[1].kind == "flying"
    assert one.laps[1].sectors_s == pytest.approx(other.laps[1].sectors_s, abs=1e-6)


LAG_ROWS, LAG_S = 6, 0.6


def late_drive() -> Iterator[Sample]:
    """The demo drive whose fixes are 0.6 s old at their stamp."""
    fixes = deque[Sample](maxlen=LAG_ROWS + 1)
    for sample in split_drive.drive(math.inf):
        if sample.stream == split_drive.GPS_ID:
            fixes.append(sample)
            sample = Sample(sample.stream, sample.t, fixes[0].values)
        yield sample


def brake_marks(passes: Iterable[CornerPass]) -> dict[tuple[int, str], float]:
    return {(each.lap, each.corner): each.brake_m for each in passes if each.brake_m is not None}


def test_a_late_receiver_is_found_and_what_was_driven_before_is_measured_again(tmp_path: Path) -> None:
    """Live, broken off and thawed, and measured again: one drive."""
    home, true, heard = Home(tmp_path), Heard(), Heard()
    supplies, start = Supplies(known_tracks(home)[0]), control(0.0, "track", "sonoma")

    def path(*listeners: Heard) -> Recorder:
        return Recorder(DriveSession(supplies, DriveSettings(), begun_t=0.0), None, listeners)

    def feed(recorder: Recorder, records: Iterable[Fed]) -> Iterator[Fed]:
        for stream in split_drive.streams():
            recorder.take(StreamRecord(stream))
        recorder.take(start)
        for record in records:
            recorder.take(record)
            yield record

    deque(feed(recorder := path(true), split_drive.drive(math.inf)), 0)
    with Store(home) as store:
        store.open()
        meta = SessionMeta(
            id="20260101-100000", kind="live", created_utc_s=1.7e9, format=LIVE, options={PATH_OPTION: LIVE}
        )
        writer = store.begin(meta, lossless=True)
        drive = DriveSession(supplies, DriveSettings(), begun_t=0.0)
        recorder = OpenSession(meta.id, 0.0, drive, writer, (heard,))
        lag_s = 0.0
        for record in feed(recorder, late_drive()):
            assert isinstance(record, Sample)
            if recorder.path.fusion.lag_s != lag_s:
                lag_s = recorder.path.fusion.lag_s
                recorder.take(record_of(record.t, FixesLate(lag_s)))
        recorder.finish()
        writer.close()
        assert lag_s == pytest.approx(LAG_S, abs=0.05)

        thawed = path(again := Heard())
        for number, record in enumerate(records(JournalRecording(home.journals / f"{meta.id}.pwj"))):
            thawed.feed(record)
            if number % 997 == 0:
                thawed = Recorder(thaw(freeze(thawed.path), supplies), None, (again,))
        thawed.path.finish()
        assert again.passes == heard.passes
        assert again.lines == heard.lines

        truth, live = brake_marks(true.passes), brake_marks(heard.passes)
        assert max(abs(live[key] - truth[key]) for key in live if key[0] == 0) > 15.0
        assert max(abs(live[key] - truth[key]) for key in live if key[0] > 1) < 3.0
        assert out_of_date(store, supplies.tracks) == [meta.id]
        assert match_again(home, store, meta.id) == "sonoma"
        store.flush()
        measured = brake_marks(corner_passes(store, meta.id))
        assert measured.keys() == truth.keys()
        assert out_of_date(store, supplies.tracks) == []
        assert max(abs(measured[key] - truth[key]) for key in measured) < 3.0

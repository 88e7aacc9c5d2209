"""Recordings as the car's own path sees them: each instant of a lap with its place."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from pitwall.coach.lead import G_MPS2
from pitwall.coach.model.features import Curvature, Past
from pitwall.config import Home
from pitwall.drive.journal import locate_recording, records
from pitwall.drive.prepare import DriveSettings, known_tracks
from pitwall.drive.recording import Recorder
from pitwall.drive.session import DriveListener, DriveSession, Supplies
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings import open_recording
from pitwall.track.build import build_track
from pitwall.track.build_laps import TrackBuildError
from pitwall.track.lap import Lap, Position
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceBuilder, ReferenceLap


class DrivenLap(msgspec.Struct):
    """One flying lap: what its path saw, the two seconds before it too, and the lap as a reference."""

    lap: Lap
    instants: list[tuple[Frame, Position]]
    as_reference: ReferenceLap


class Drive(msgspec.Struct):
    """One recording on one track. `t` and `speed_mps` are of all its frames with a speed.
    `highest_rpm`: what a car learns of its engine in the first lap."""

    name: str
    track: Track
    curvature: Curvature
    laps: list[DrivenLap]
    t: list[float]
    speed_mps: list[float]
    throttle: list[float]
    highest_rpm: float

    def speed_at(self, t: float) -> float:
        """m/s at a time, NaN where the recording has a hole of more than half a second there."""
        return _at(self.t, self.speed_mps, t)

    def throttle_at(self, t: float) -> float:
        """0..1, NaN where it is not known."""
        return _at(self.t, self.throttle, t)

    def way_m(self, t: float, ahead_s: float) -> float:
        """Metres driven in so many seconds, by the speeds; NaN over a hole."""
        steps = max(round(ahead_s / 0.1), 1)
        speeds = [self.speed_at(t + ahead_s * i / steps) for i in range(steps + 1)]
        return (sum(speeds) - 0.5 * (speeds[0] + speeds[-1])) * ahead_s / steps

    def braking_at(self, t: float) -> bool:
        """Whether the car slows down there as only brakes do, by its speed."""
        return (self.speed_at(t - 0.15) - self.speed_at(t + 0.15)) / 0.3 > 0.25 * G_MPS2


class _Collect(DriveListener):
    def __init__(self) -> None:
        self.instants: list[tuple[Frame, Position | None]] = []
        self.laps: list[Lap] = []

    def frame(self, frame: Frame, position: Position | None) -> None:
        self.instants.append((frame, position))

    def lap(self, lap: Lap) -> None:
        self.laps.append(lap)


def read_drive(path: Path) -> Drive:
    """A recording through the car's path, on its known track, else on one built from its own laps.

    RecordingError or TrackBuildError where neither can be had."""
    with TemporaryDirectory() as folder:
        tracks = dict(known_tracks(Home(Path(folder)))[0])
    place = locate_recording(open_recording(path), tracks)
    if place.venue.track is None:
        built = build_track([open_recording(path)], track_id="built", name=path.stem)
        tracks["built"] = built.track
        place = locate_recording(open_recording(path), tracks, "built", built.track.gate)
    track = place.venue.track
    if track is None:
        raise TrackBuildError(f"{path}: its laps are not on the track that was built from them")
    recording = open_recording(path)
    return drive_of(path.name, track, tracks, records(recording, place.controls, without=place.without))


def drive_of(name: str, track: Track, tracks: dict[str, Track], found: Iterable[object]) -> Drive:
    """A drive from what a path takes."""
    collect = _Collect()
    session = DriveSession(Supplies(tracks), DriveSettings(), coached=False)
    recorder = Recorder(session, None, (collect,))
    for record in found:
        recorder.take(record)  # type: ignore[arg-type]
    session.finish()
    return _drive(name, track, collect)


def _drive(name: str, track: Track, collect: _Collect) -> Drive:
    known = [frame for frame, _ in collect.instants if frame.speed_mps is not None]
    placed = [(frame, position) for frame, position in collect.instants if position is not None]
    builder, laps = ReferenceBuilder(track), []
    past = Past(track.length_m)
    for frame, _ in placed:
        if frame.rpm is not None and frame.speed_mps is not None:
            past.note_rpm(frame.rpm, frame.speed_mps)
    times = [frame.t for frame, _ in placed]
    fed = 0
    for lap in collect.laps:
        end = bisect_left(times, lap.end_t + 2.0)
        for frame, position in placed[fed:end]:
            builder.feed(frame, position)
        fed = max(fed, end)
        reference = builder.finish(lap)
        if lap.kind == "flying" and reference is not None:
            first = bisect_left(times, lap.start_t - 2.5)
            laps.append(DrivenLap(lap, placed[first : bisect_left(times, lap.end_t)], reference))
    throttle = [math.nan if f.throttle_pct is None else f.throttle_pct / 100.0 for f in known]
    speeds = [f.speed_mps or 0.0 for f in known]
    known_t = [frame.t for frame in known]
    return Drive(name, track, Curvature(track), laps, known_t, speeds, throttle, past.highest_rpm)


def _at(times: Sequence[float], values: Sequence[float], t: float) -> float:
    after = bisect_left(times, t)
    if not 0 < after < len(times) or times[after] - times[after - 1] > 0.5:
        return math.nan
    share = (t - times[after - 1]) / (times[after] - times[after - 1])
    return values[after - 1] + share * (values[after] - values[after - 1])

"""Where a session takes place: which known track, which start line times it, and why."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal

import msgspec

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.fix import FixJudge
from pitwall.telemetry.recordings.base import Recording, StoredGate
from pitwall.telemetry.sample import Sample, Stream
from pitwall.track.driven import DrivenPath
from pitwall.track.gate import (
    GateVerdict,
    gate_from_loop,
    gate_from_marks,
    great_circle_m,
    run_gates,
    run_there_and_back,
    stored_gate_verdict,
)
from pitwall.track.line import Centreline
from pitwall.track.model import Gate, Track

GateSource = Literal["given", "track", "stored", "lap marks", "logger", "loop", "none"]

# Places are judged this far apart: standing still tells nothing.
PLACE_STEP_M = 10.0
# Half a road, the racing line's swing and GPS wander.
ON_LINE_M = 20.0
# As a share of the way driven; else the line is crossed or driven backwards.
PROGRESS_SHARE = 0.5
# 60 m along the line is a track; on a paddock road or a kart track next to it more is not.
ENOUGH, KEEPS_MATCHING = 6, 0.6
# The way back to the start of an open course is none of it, and may be longer than the run.
OPEN_MATCHING = 0.2
# After a kilometre with hardly a miss, and no other layout nearly as good, reading can stop.
SURE_PLACES, SURE_SHARE, SURE_LEAD = 100, 0.8, 20
# Of layouts that match this nearly as long, the line nearer to the driving wins.
ALIKE_SHARE, SAME_RMS = 0.97, 1.05
# A whole lap covers all of its layout: how near the car was to pieces of the line, and how many
# fewer one layout may have than the other.
PIECE_M, OVER_M, WHOLE_SHARE, LEFT_OUT_SHARE = 20.0, 10.0, 0.95, 0.05
# A place further from the track than this is somewhere else: not even its paddock.
NEAR_TRACK_M = 1000.0
MOST_MARKS = 500

# A logger's lap counter comes once a second; the counted lap's time follows and gives its true end,
# if the two agree.
LAP_TIME_WITHIN_S, LAP_TIME_OFF_S = 2.5, 2.0

# So near to its start a run of a course begins again.
AGAIN_M = 100.0

# Two lines this close together are the same one; the matcher's distances still fit.
SAME_LINE_M = 30.0


class Venue(msgspec.Struct, frozen=True):
    """The place of a session. `marks_t`: lap ends (session s) of a logger without positions.
    `notes`: sentences for people."""

    track: Track | None
    gate: Gate | None
    gate_source: GateSource
    notes: tuple[str, ...] = ()
    marks_t: tuple[float, ...] = ()


class _Match:
    def __init__(self, track: Track) -> None:
        self.track = track
        self._line = Centreline.of(track)
        xs, ys = self._line.x_m, self._line.y_m
        self._reach_m = max(math.hypot(x, y) for x, y in zip(xs, ys, strict=True)) + NEAR_TRACK_M
        self._at: tuple[float, float] | None = None
        self._distance_m: list[float] = []
        self._over: set[int] = set()
        # An open course was driven whole, and begun again.
        self.runs_again = False
        self.on = self.places = 0
        self.away_m2 = 0.0

    def feed(self, lat_deg: float, lon_deg: float) -> None:
        """Take one place; only those at least PLACE_STEP_M apart count."""
        line = self._line
        x_m, y_m = line.projection.xy(lat_deg, lon_deg)
        step_m = math.inf if self._at is None else math.dist(self._at, (x_m, y_m))
        if step_m < PLACE_STEP_M:
            return
        self._at = (x_m, y_m)
        spots = line.within(x_m, y_m, ON_LINE_M) if math.hypot(x_m, y_m) <= self._reach_m else []
        if self.places == 0 and not spots:
            return  # still on the way from the paddock
        self.places += 1
        moved_on = [
            spot
            for spot in spots
            for from_m in self._distance_m
            if abs((spot.distance_m - from_m) % line.length_m - step_m) <= PROGRESS_SHARE * step_m
        ]
        if moved_on:
            self.on += 1
            nearest = min(moved_on, key=lambda spot: spot.away_m)
            self.away_m2 += nearest.away_m**2
            if nearest.away_m <= OVER_M:
                self._over.add(int(nearest.distance_m / PIECE_M))
                if self.track.has_finish and nearest.distance_m < AGAIN_M:
                    self.runs_again = self.runs_again or self.is_whole
        self._distance_m = [spot.distance_m for spot in spots]

    @property
    def matches(self) -> bool:
        """Return whether this track is being driven."""
        keeps = OPEN_MATCHING if self.track.has_finish else KEEPS_MATCHING
        return self.on >= ENOUGH and self.on >= keeps * self.places

    @property
    def driven_share(self) -> float:
        """Return the share of the lap that was driven by now."""
        return len(self._over) / math.ceil(self.track.lap_m / PIECE_M)

    @property
    def is_whole(self) -> bool:
        """Return whether all of the lap was driven by now."""
        return self.driven_share >= WHOLE_SHARE

    @property
    def rms_m(self) -> float:
        """Return the root mean square distance of places on the line."""
        return math.sqrt(self.away_m2 / max(self.on, 1))


class TrackFinder:
    """Recognises the track from positions in order. Of equal matches one in `first` wins."""

    def __init__(self, tracks: Iterable[Track], first: Collection[str] = ()) -> None:
        self._matches = [_Match(track) for track in sorted(tracks, key=lambda track: track.id)]
        self._first = first

    def feed(self, lat_deg: float, lon_deg: float) -> None:
        """Add one place."""
        for match in self._matches:
            match.feed(lat_deg, lon_deg)

    @property
    def track(self) -> Track | None:
        """Return the track that keeps matching best, after about 60 m of driving."""
        alike = self._alike()
        nearest_m = min((match.rms_m for match in alike), default=0.0)
        near = [match.track for match in alike if match.rms_m <= SAME_RMS * nearest_m]
        # Of two equal lines: the circuit's own name is shorter than a variant's.
        return min(near, key=lambda track: (len(track.id), track.id), default=None)

    @property
    def fits(self) -> bool:
        """Return whether hardly anything was driven off the found track."""
        return any(match.on >= ALIKE_SHARE * match.places for match in self._alike())

    @property
    def sure(self) -> bool:
        """Return whether more driving would hardly change the answer."""
        if any(match.track.has_finish and match.matches for match in self._matches):
            if self._runs():
                return True
            if len(self._matches) > 1 and not self._lapped():
                return False
        ranked = sorted((match for match in self._matches if match.matches), key=lambda match: -match.on)
        if not ranked or ranked[0].places < SURE_PLACES or ranked[0].on < SURE_SHARE * ranked[0].places:
            return False
        return len(ranked) == 1 or ranked[0].on - ranked[1].on >= SURE_LEAD

    def _alike(self) -> list[_Match]:
        matching = self._runs() or [match for match in self._matches if match.matches]
        most = max((match.on for match in matching), default=0)
        alike = [match for match in matching if match.on >= ALIKE_SHARE * most]
        driven = max((match.driven_share for match in alike), default=0.0)
        if driven >= WHOLE_SHARE:
            alike = [match for match in alike if match.driven_share >= driven - LEFT_OUT_SHARE]
        return [match for match in alike if match.track.id in self._first] or alike

    def _runs(self) -> list[_Match]:
        return [match for match in self._matches if match.runs_again and not self._lapped()]

    def _lapped(self) -> bool:
        return any(match.is_whole and match.matches and not match.track.has_finish for match in self._matches)


def venue_of_recording(
    recording: Recording, tracks: Mapping[str, Track], gate_override: Gate | None = None
) -> Venue:
    """Return a recording's track and start line, in at most one pass and constant memory.

    The start line is the first of: the given one, the known track's, the file's own unless refused,
    the logger's lap marks, a loop driven twice on its fastest straight.
    """
    if gate_override is not None and (not tracks or gate_override.finish is not None):
        return _with_given(_course(gate_override, tracks), gate_override)
    finder, drive = TrackFinder(tracks.values()), _Drive(recording.info.streams)
    for sample in recording.samples():
        place = drive.feed(sample)
        if place is not None:
            finder.feed(*place)
            if finder.sure:
                break
    track = finder.track
    if gate_override is not None:
        return _with_given(track, gate_override)
    if track is not None:
        return Venue(track, track.gate, "track")
    return _own_gate(recording, drive)


def _with_given(track: Track | None, gate: Gate) -> Venue:
    if track is None:
        return Venue(None, gate, "given")
    if gate.finish is not None:
        return Venue(track, track.gate, "given")
    away_m = _apart_m(track.gate, gate)
    if away_m <= SAME_LINE_M:
        return Venue(track, gate, "given")
    note = (
        f"the given start line is {away_m:.0f} m from that of {track.name}: laps are timed, no corner names"
    )
    return Venue(None, gate, "given", (note,))


def _course(gate: Gate, tracks: Mapping[str, Track]) -> Track | None:
    courses = [(track, track.gate, track.gate.finish) for track in tracks.values()]
    same = [
        track
        for track, start, finish in courses
        if finish is not None
        and gate.finish is not None
        and max(_apart_m(start, gate), _apart_m(finish, gate.finish)) <= SAME_LINE_M
    ]
    return min(same, key=lambda track: track.id, default=None)


def _apart_m(one: Gate, other: Gate) -> float:
    return great_circle_m(*one.middle, *other.middle)


def places_of(recording: Recording) -> Iterator[tuple[float, float]]:
    """Return a recording's believed places (lat_deg, lon_deg), some metres apart."""
    drive = _Drive(recording.info.streams)
    return (place for sample in recording.samples() if (place := drive.feed(sample)) is not None)


def first_place(recording: Recording) -> tuple[float, float] | None:
    """Return the first believed place of a recording (lat_deg, lon_deg)."""
    return next(places_of(recording), None)


def given_gate(recording: Recording, given: StoredGate) -> GateVerdict:
    """Judge a start line that a person gave as two points by what was driven."""
    drive = _Drive(recording.info.streams)
    for sample in recording.samples():
        drive.feed(sample)
    return (run_gates if given.is_run else stored_gate_verdict)(given, drive.path)


def _own_gate(recording: Recording, drive: _Drive) -> Venue:
    info = recording.info
    if drive.place_count == 0 and (ends_t := info.lap_marks_t or drive.timed_marks_t()):
        note = "no positions: laps as the logger timed them; no map and no corners"
        return Venue(None, None, "logger", (note,), tuple(ends_t))
    notes = ["unknown place: no corner names, no callouts but safety"]
    if info.gate is not None:
        verdict = stored_gate_verdict(info.gate, drive.path)
        notes.append(verdict.reason)
        if verdict.gate is not None:
            return Venue(None, verdict.gate, "stored", tuple(notes))
    marks_t: Sequence[float] = info.lap_marks_t or drive.marks_t
    gate = gate_from_marks(drive.path, marks_t)
    if gate is not None:
        notes.append(f"start line from {len(marks_t)} lap marks of the logger")
        return Venue(None, gate, "lap marks", tuple(notes))
    if marks_t:
        notes.append(f"{len(marks_t)} lap marks of the logger name no one place in the data: not used")
    if (run := run_there_and_back(drive.path)) is not None:
        notes.append(
            "the road was driven there and back, so no line begins a lap; to time runs name a start and a "
            f"finish: pitwall import {Path(info.path).name} --start {run.a_lat_deg:.5f},{run.a_lon_deg:.5f} "
            f"--finish {run.b_lat_deg:.5f},{run.b_lon_deg:.5f} (there the fastest run begins and ends)"
        )
        return Venue(None, None, "none", tuple(notes))
    gate = gate_from_loop(drive.path)
    if gate is not None:
        notes.append("start line put on the fastest straight of the loop that was driven")
        return Venue(None, gate, "loop", tuple(notes))
    notes.append("no start line: none stored, no lap marks, and no loop driven twice")
    return Venue(None, None, "none", tuple(notes))


class _Drive:
    """What is kept of a recording: the thinned path and its lap counter's changes."""

    def __init__(self, streams: Sequence[Stream]) -> None:
        self.path = DrivenPath()
        self.marks_t: list[float] = []
        self.place_count = 0
        self._lap_times: list[tuple[float, float]] = []
        self._columns = {stream.id: _columns(stream) for stream in streams}
        self._lap_number: float | None = None
        # The findings of this pass are dropped: fusion finds the same and keeps them.
        self._judge = FixJudge(FindingLog())

    def feed(self, sample: Sample) -> tuple[float, float] | None:
        """Take one sample; return its place where that is believed and some metres on."""
        lat, lon, speed, lap, lap_time = self._columns.get(sample.stream, (None,) * 5)
        values = sample.values
        if lap_time is not None:
            self._time(sample.t, values[lap_time])
        if lap is not None:
            self._count(sample.t, values[lap])
        if lat is None or lon is None:
            return None
        lat_deg, lon_deg = values[lat], values[lon]
        if lat_deg is None or lon_deg is None or not plausible_place(lat_deg, lon_deg):
            return None
        self.place_count += 1
        speed_mps = None if speed is None else values[speed]
        judge, t = self._judge, sample.t
        if t <= judge.since_t or not judge.judge(t, lat_deg, lon_deg, speed_mps, None) or not judge.fresh:
            return None
        return (lat_deg, lon_deg) if self.path.add(t, lat_deg, lon_deg) else None

    def timed_marks_t(self) -> list[float]:
        """Return the lap ends by the counter, each set to the logger's own time of that lap."""
        ends = self.marks_t[:1]
        first_s = [time_s for t, time_s in self._lap_times if ends and abs(t - ends[0]) <= LAP_TIME_WITHIN_S]
        if first_s and 0.0 < first_s[0] <= ends[0]:
            ends.insert(0, ends[0] - first_s[0])
        for before_t, counted_t in pairwise(self.marks_t):
            given_s = [
                time_s
                for t, time_s in reversed(self._lap_times)
                if t <= counted_t + LAP_TIME_WITHIN_S and abs(counted_t - before_t - time_s) <= LAP_TIME_OFF_S
            ]
            ends.append(ends[-1] + given_s[0] if given_s else counted_t)
        return ends

    def _time(self, t: float, time_s: float | None) -> None:
        last_s = self._lap_times[-1][1] if self._lap_times else None
        if time_s is not None and time_s > 0.0 and time_s != last_s and len(self._lap_times) < MOST_MARKS:
            self._lap_times.append((t, time_s))

    def _count(self, t: float, lap_number: float | None) -> None:
        if lap_number is None:
            return
        if self._lap_number is not None and lap_number > self._lap_number and len(self.marks_t) < MOST_MARKS:
            self.marks_t.append(t)
        self._lap_number = lap_number


def plausible_place(lat_deg: float, lon_deg: float) -> bool:
    """Return whether a car can be there: on the globe, and not a starting receiver's 0, 0."""
    return abs(lat_deg) <= 85.0 and abs(lon_deg) <= 180.0 and (abs(lat_deg) > 1e-3 or abs(lon_deg) > 1e-3)


_READ = ("lat_deg", "lon_deg", "speed_mps", "lap_number", "lap_time")


def _columns(stream: Stream) -> tuple[int | None, ...]:
    """Return where the stream has the channels of `_READ`."""
    index = {channel.name: i for i, channel in enumerate(stream.channels)}
    return tuple(index.get(name) for name in _READ)

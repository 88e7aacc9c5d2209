"""One stored session for analysis: laps, corner passes, each lap by place, and samples by time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

import msgspec

from pitwall.analysis.port import Facts
from pitwall.store.queries import SessionRow
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.model import Corner, Track
from pitwall.track.reference import ReferenceBuilder, ReferenceLap

Seen = Callable[[Frame, Position | None], None]

# 25 samples a second (0.04 s, less rounding) are enough for a debrief.
STEP_S = 0.035
# Samples with more acceleration are always kept, so that no impact is lost.
KEEP_G = 1.8
# Consecutive laps share their crossing time. A larger gap is a pause.
JOINED_S = 0.01
# Signals whose presence decides what can be said.
WATCHED = (
    "throttle_pct",
    "brake_bar",
    "brake_pct",
    "steering_deg",
    "yaw_rate_dps",
    "g_lat",
    "coolant_c",
    "oil_temp_c",
)


class DriveSample(msgspec.Struct, gc=False):
    """One instant in canonical units. `distance_m` is None where the place is not known; `status` is the
    position's, "" where there was none."""

    t: float
    distance_m: float | None
    offset_m: float | None
    status: str
    speed_mps: float | None
    heading_deg: float | None
    g_lat: float | None
    g_long: float | None
    yaw_rate_dps: float | None
    steering_deg: float | None
    brake_bar: float | None
    brake_pct: float | None
    throttle_pct: float | None
    coolant_c: float | None
    oil_temp_c: float | None


class Drive(msgspec.Struct, frozen=True):
    """One session. `curves`: lap number -> the lap by place (only where it was timed and seen whole).

    `signals` are those of WATCHED that had a value in at least a twentieth of the moments.
    """

    session: SessionRow
    track: Track | None
    laps: tuple[Lap, ...]
    passes: tuple[CornerPass, ...]
    curves: dict[int, ReferenceLap]
    moments: Sequence[DriveSample]
    signals: tuple[str, ...]

    @property
    def id(self) -> str:
        return self.session.id

    @property
    def flying(self) -> tuple[Lap, ...]:
        """The timed flying laps in order."""
        return tuple(lap for lap in self.laps if lap.kind == "flying" and lap.time_s is not None)

    @property
    def best(self) -> Lap | None:
        """The fastest flying lap."""
        return min(self.flying, key=lambda lap: lap.time_s or 0.0, default=None)

    @property
    def corners(self) -> tuple[Corner, ...]:
        """The track's corners in driving order."""
        return () if self.track is None else tuple(sorted(self.track.corners, key=lambda c: c.apex_m))

    def corner(self, corner_id: str) -> Corner | None:
        return next((corner for corner in self.corners if corner.id == corner_id), None)

    def lap(self, number: int) -> Lap | None:
        return next((lap for lap in self.laps if lap.number == number), None)

    def lap_at(self, t: float) -> int:
        """The number of the lap that was running at this time, -1 outside all of them."""
        return next((lap.number for lap in self.laps if lap.start_t <= t <= lap.end_t), -1)

    def reference(self) -> ReferenceLap | None:
        """The fastest flying lap that was seen whole."""
        known = [lap for lap in self.flying if lap.number in self.curves]
        fastest = min(known, key=lambda lap: lap.time_s or 0.0, default=None)
        return None if fastest is None else self.curves[fastest.number]

    def between(self, from_t: float, to_t: float) -> Sequence[DriveSample]:
        """The moments from one time to another, both included."""
        first = bisect_left(self.moments, from_t, key=lambda moment: moment.t)
        return self.moments[first : bisect_right(self.moments, to_t, key=lambda moment: moment.t)]

    def corner_at(self, distance_m: float | None) -> str:
        """The corner whose entry to exit holds this place, else an empty word."""
        if distance_m is None or self.track is None:
            return ""
        for corner in self.corners:
            span_m = (corner.exit_m - corner.entry_m) % self.track.length_m
            if (distance_m - corner.entry_m) % self.track.length_m <= span_m:
                return corner.id
        return ""

    def when(self, lap: Lap, far_m: float) -> float | None:
        """The time at a place, metres from this lap's gate; before 0 in the lap before, past the length in
        the one after. None where that lap was not seen whole or does not join."""
        found = self._found(lap, far_m)
        return None if found is None else found[0].start_t + found[1].time_at(found[2])

    def speed(self, lap: Lap, far_m: float) -> float | None:
        """The speed at such a place, m/s."""
        found = self._found(lap, far_m)
        return None if found is None else found[1].speed_at(found[2])

    def _found(self, lap: Lap, far_m: float) -> tuple[Lap, ReferenceLap, float] | None:
        if self.track is None:
            return None
        laps, place_m = divmod(far_m, self.track.length_m)
        other = self.lap(lap.number + int(laps)) if laps else lap
        curve = None if other is None else self.curves.get(other.number)
        if other is None or curve is None:
            return None
        gap_s = 0.0 if not laps else other.end_t - lap.start_t if laps < 0 else other.start_t - lap.end_t
        return (other, curve, place_m) if abs(gap_s) < JOINED_S else None


def load_drive(facts: Facts, session: SessionRow, also: Seen | None = None) -> Drive:
    """Read one session in one pass over its frames; `also` sees each of them too. StoreError where it can't
    be read."""
    track = facts.track(session.track) if session.track else None
    laps = tuple(facts.laps(session.id))
    timed = [lap for lap in laps if lap.time_s is not None]
    builder = None if track is None else ReferenceBuilder(track)
    curves: dict[int, ReferenceLap] = {}
    moments: list[DriveSample] = []
    counts = dict.fromkeys(WATCHED, 0)
    for frame, position in facts.frames(session.id):
        if also is not None:
            also(frame, position)
        if frame.reckoned or (position is not None and position.status == "reckoned"):
            continue
        if builder is not None and position is not None:
            builder.feed(frame, position)
        while timed and frame.t > timed[0].end_t:
            _take_curve(curves, builder, timed.pop(0), session.id)
        if not moments or frame.t - moments[-1].t >= STEP_S or _is_hard(frame):
            moments.append(_moment(frame, position))
            for name in WATCHED:
                counts[name] += getattr(frame, name) is not None
    for lap in timed:
        _take_curve(curves, builder, lap, session.id)
    signals = tuple(name for name in WATCHED if counts[name] * 20 >= max(len(moments), 1))
    passes = tuple(facts.corner_passes(session.id))
    return Drive(session, track, laps, passes, curves, moments, signals)


def _take_curve(
    curves: dict[int, ReferenceLap], builder: ReferenceBuilder | None, lap: Lap, session: str
) -> None:
    curve = None if builder is None else builder.finish(lap, f"{session}:{lap.number}")
    if curve is not None:
        curves[lap.number] = curve


def _is_hard(frame: Frame) -> bool:
    return abs(frame.g_lat or 0.0) > KEEP_G or abs(frame.g_long or 0.0) > KEEP_G


def _moment(frame: Frame, position: Position | None) -> DriveSample:
    known = position is not None and position.status != "lost"
    return DriveSample(
        frame.t,
        position.distance_m if position is not None and known else None,
        position.offset_m if position is not None and known else None,
        "" if position is None else position.status,
        frame.speed_mps,
        frame.heading_deg,
        frame.g_lat,
        frame.g_long,
        frame.yaw_rate_dps,
        frame.steering_deg,
        frame.brake_bar,
        frame.brake_pct,
        frame.throttle_pct,
        frame.coolant_c,
        frame.oil_temp_c,
    )

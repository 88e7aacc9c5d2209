"""Load a stored session for analysis: laps, corner passes, each lap by place, and samples by time."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import compress, islice
from operator import sub
from typing import Any, cast

import msgspec

from pitwall.analysis.port import DriveFacts
from pitwall.analysis.study import Column, Moments, Study, left_out_laps, make_study
from pitwall.store.queries import Columns, SessionRow
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.model import Corner, Track
from pitwall.track.reference import DrivenTrace, ReferenceBuilder, ReferenceLap
from pitwall.track.same_road import Shift, shift_between

Seen = Callable[[Columns], None]

# 25 samples a second (0.04 s, less rounding) are enough for a debrief.
STEP_S = 0.035
# Samples with more acceleration are always kept, so that no impact is lost.
KEEP_G = 1.8
# Consecutive laps share their crossing time. A larger gap is a pause.
JOINED_S = 0.01
# A position's words for a place that is not known.
UNPLACED = frozenset(("lost", None))
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


class Drive(msgspec.Struct, frozen=True, dict=True):
    """A session. `curves`: laps by place, seen whole; `signals`: of WATCHED, with a value often."""

    session: SessionRow
    track: Track | None
    laps: tuple[Lap, ...]
    passes: tuple[CornerPass, ...]
    curves: dict[int, ReferenceLap]
    moments: Moments
    signals: tuple[str, ...]

    @property
    def id(self) -> str:
        return self.session.id

    @property
    def flying(self) -> tuple[Lap, ...]:
        """Return the timed flying laps in order."""
        return tuple(lap for lap in self.laps if lap.kind == "flying" and lap.time_s is not None)

    @cached_property
    def counting(self) -> tuple[Lap, ...]:
        """Return the flying laps that show their driver."""
        out = {lap.number for lap in left_out_laps(self.laps)}
        return tuple(lap for lap in self.flying if lap.number not in out)

    @cached_property
    def study(self) -> Study | None:
        """Compare the drive's passes with the best ones; None without a track or a whole lap."""
        return make_study(self.id, self.track, self.laps, self.curves, self.moments)

    @property
    def best(self) -> Lap | None:
        """Return the fastest flying lap."""
        return min(self.flying, key=lambda lap: lap.time_s or 0.0, default=None)

    @property
    def corners(self) -> tuple[Corner, ...]:
        return () if self.track is None else tuple(sorted(self.track.corners, key=lambda c: c.apex_m))

    def lap(self, number: int) -> Lap | None:
        """Return the lap of this number."""
        return next((lap for lap in self.laps if lap.number == number), None)

    def lap_at(self, t: float) -> int:
        """Return the lap that was running at this time, -1 outside all of them."""
        return next((lap.number for lap in self.laps if lap.start_t <= t <= lap.end_t), -1)

    def reference(self) -> ReferenceLap | None:
        """Return the fastest whole flying lap."""
        known = [lap for lap in self.flying if lap.number in self.curves]
        fastest = min(known, key=lambda lap: lap.time_s or 0.0, default=None)
        return None if fastest is None else self.curves[fastest.number]

    @cached_property
    def shifts(self) -> dict[int, Shift]:
        """Return how each whole flying lap lies from the reference, by the receiver's drift."""
        reference, track = self.reference(), self.track
        if reference is None or track is None:
            return {}
        curves = [self.curves[lap.number] for lap in self.flying if lap.number in self.curves]
        return {curve.lap: shift_between(track, curve, reference) for curve in curves}

    def corner_at(self, distance_m: float | None) -> str:
        """Return the corner whose entry to exit holds this place, else ""."""
        if distance_m is None or self.track is None:
            return ""
        for corner in self.corners:
            span_m = (corner.exit_m - corner.entry_m) % self.track.length_m
            if (distance_m - corner.entry_m) % self.track.length_m <= span_m:
                return corner.id
        return ""

    def when(self, lap: Lap, far_m: float) -> float | None:
        """Return the time at a place, metres from this lap's gate; None: a hole."""
        found = self._found(lap, far_m)
        return None if found is None else found[0].start_t + found[1].time_at(found[2])

    def around(self, lap: Lap) -> DrivenTrace | None:
        """Return the drive by place from the lap before to the lap after, as far as they join."""
        if self.track is None or lap.number not in self.curves:
            return None
        far_m, t, speed_mps = list[float](), list[float](), list[float]()
        for laps in (-1.0, 0.0, 1.0):
            found = self._found(lap, laps * self.track.length_m)
            if found is None:
                continue
            own, curve, _ = found
            far_m += [laps * self.track.length_m + place_m for place_m in curve.distance_m[:-1]]
            t += [own.start_t + at_s for at_s in curve.t_s[:-1]]
            speed_mps += curve.speed_mps[:-1]
        return DrivenTrace(far_m, t, speed_mps)

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


def load_drive(facts: DriveFacts, session: SessionRow, also: Seen | None = None) -> Drive:
    """Read one session in one pass over its columns; `also` sees each piece too. StoreError."""
    track = facts.track(session.track) if session.track else None
    laps = tuple(facts.laps(session.id))
    curves = _Curves(track, laps, session.id)
    kept: dict[str, Sequence[Any]] = {}
    last_t = -math.inf
    for columns in facts.columns(session.id):
        if also is not None:
            also(columns)
        piece = _measured(columns)
        curves.take(piece)
        thin = _thin(piece, last_t)
        for name, values in thin.items():
            kept[name] = _longer(kept.get(name), values)
        last_t = thin["t"][-1] if thin["t"] else last_t
    curves.take(None)
    moments = Moments(*(kept.get(name, ()) for name in Moments.__struct_fields__))
    signals = tuple(name for name in WATCHED if _often(getattr(moments, name)))
    return Drive(session, track, laps, tuple(facts.corner_passes(session.id)), curves.found, moments, signals)


def _often(values: Sequence[float | None]) -> bool:
    if isinstance(values, array):
        return len(values) > 0
    known = (value for value in values if value is not None)
    return next(islice(known, max(-(-len(values) // 20), 1) - 1, None), None) is not None


def _longer(found: Any, values: Sequence[Any]) -> Sequence[Any]:
    """Append the next piece of a column; an array stays one while every piece is one."""
    if found is None:
        return values if isinstance(values, array) else list(values)
    if isinstance(found, array) and not isinstance(values, array):
        found = found.tolist()
    found.extend(values)
    return cast(Sequence[Any], found)


def _dense(values: Sequence[Any]) -> Sequence[Any]:
    """Return a column of numbers without gaps as an array, a third of their room."""
    if not values or not isinstance(values[0], float) or None in values:
        return values
    return array("d", values)


def _measured(columns: Columns) -> Columns:
    status = columns["status"]
    if "reckoned" not in status:
        return columns
    kept = [each != "reckoned" for each in status]
    return {name: list(compress(values, kept)) for name, values in columns.items()}


class _Curves:
    def __init__(self, track: Track | None, laps: Sequence[Lap], session: str) -> None:
        self.found: dict[int, ReferenceLap] = {}
        self._session = session
        self._builder = None if track is None else ReferenceBuilder(track)
        self._timed = [lap for lap in laps if lap.time_s is not None]

    def take(self, piece: Columns | None) -> None:
        """Add the next piece of the session; None: there is no more."""
        if self._builder is None:
            return
        first, t = 0, [] if piece is None else piece["t"]
        while self._timed and (piece is None or (t and t[-1] > self._timed[0].end_t)):
            # The gate's crossing lies between two samples: make the lap when the second is there.
            lap = self._timed.pop(0)
            last = min(bisect_right(t, lap.end_t) + 1, len(t))
            self._feed(piece, first, last)
            first = max(first, last)
            curve = self._builder.finish(lap, f"{self._session}:{lap.number}")
            if curve is not None:
                self.found[lap.number] = curve
        self._feed(piece, first, len(t))

    def _feed(self, piece: Columns | None, first: int, last: int) -> None:
        if piece is None or last <= first or self._builder is None:
            return
        names = ("t", "distance_m", "offset_m", "speed_mps", "brake_bar", "brake_pct", "g_long")
        status, speed_mps = piece["status"][first:last], piece["speed_mps"][first:last]
        columns = [piece[name][first:last] for name in names]
        if not (UNPLACED.isdisjoint(status) and is_whole(speed_mps)):
            kept = [
                each not in UNPLACED and mps is not None for each, mps in zip(status, speed_mps, strict=True)
            ]
            columns = [list(compress(values, kept)) for values in columns]
        t, distance_m, offset_m, speed_mps, bar, pct, g_long = columns
        self._builder.feed_all(t, distance_m, offset_m, speed_mps, (bar, pct, g_long))


def _thin(piece: Columns, last_t: float) -> dict[str, Sequence[Any]]:
    kept: list[bool] = []
    times = piece["t"]
    # Most loggers give no more than is kept.
    even = min(map(sub, times, (last_t, *times)), default=STEP_S) >= STEP_S
    for t, g_lat, g_long in () if even else zip(times, piece["g_lat"], piece["g_long"], strict=True):
        is_kept = t - last_t >= STEP_S or abs(g_lat or 0.0) > KEEP_G or abs(g_long or 0.0) > KEEP_G
        kept.append(is_kept)
        if is_kept:
            last_t = t
    whole = even or all(kept)
    status = piece["status"]
    unknown = not UNPLACED.isdisjoint(status)
    thin: dict[str, Sequence[Any]] = {}
    for name in Moments.__struct_fields__:
        values = piece[name]
        if unknown and name in ("distance_m", "offset_m"):
            values = [None if each in UNPLACED else value for each, value in zip(status, values, strict=True)]
        elif unknown and name == "status":
            values = [each or "" for each in status]
        thin[name] = _dense(values if whole else list(compress(values, kept)))
    return thin


def is_whole(values: Column) -> bool:
    """Return whether none of them is missing."""
    return isinstance(values, array) or None not in values


def measured(values: Column) -> Sequence[float]:
    """Return those that are not missing."""
    whole = is_whole(values)
    return cast(Sequence[float], values if whole else [each for each in values if each is not None])


def forces_g(g_lat: Column, g_long: Column) -> list[float]:
    """Combine the accelerations; an unknown one counts as 0."""
    if not (is_whole(g_lat) and is_whole(g_long)):
        g_lat, g_long = [each or 0.0 for each in g_lat], [each or 0.0 for each in g_long]
    return list(map(math.hypot, g_lat, g_long))  # type: ignore[arg-type]


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value that this share of the others (at least one) do not exceed."""
    return sorted(values)[int(share * (len(values) - 1))]

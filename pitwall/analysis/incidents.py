"""Find a session's incidents: offs, spins, knocks and stops, each with its evidence.

In an off, a spin or a stop a car at its usual speed falls far below it where this session's own
laps are fast. An off also leaves the corridor of those laps and soon returns at speed: so pit
entries, laps home and parking are none. A position that jumps while the speed goes on is the
receiver's fault.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import compress
from operator import sub
from typing import Literal, NamedTuple

import msgspec

from pitwall.analysis.drive import Drive, forces_g, quantile
from pitwall.analysis.study import Moments
from pitwall.track.geometry import way_m
from pitwall.track.matcher import is_short

IncidentKind = Literal["spin", "off track", "blow", "sudden stop"]

# Usual speed and corridor of each piece of road, from laps within 5 % of the best.
PIECE_M, USUAL_SHARE, EDGE_SHARE = 10.0, 1.05, 0.05
# An event begins below this share of the usual speed, from at least the next within 5 s before.
SLOW_SHARE, FAST_SHARE, BEFORE_S = 0.6, 0.75, 5.0
# It ends where the car is fast in the corridor for 3 s.
BACK_S = 3.0
# An off leaves the corridor by 4 m and slows to this share; on the road a stop slows to the next.
OUT_M, OFF_SHARE, STOP_SHARE = 4.0, 0.55, 0.35
LEAST_S = 1.0
# A car that turns by this in a second, or yaws at this rate for this long, has spun.
SPIN_COURSE_DEG, SPIN_DPS, SPIN_S = 120.0, 75.0, 0.4
# A course over ground is noise below walking pace.
COURSE_MPS = 3.0
# Against the session's own hardest hundredth: slicks and wings corner at 2.5 g all day.
BLOW_SHARE, BLOW_LEAST_G, BLOW_ROWS, QUANTILE = 1.5, 1.8, 2, 0.99
CORNERING_MPS = 8.0
# Trust an accelerometer that GPS confirmed for at least this share of the known forces.
SENSED_SHARE = 0.5
# A fix a second wanders by tens of metres in a phone, and turns by half a circle in a hairpin.
FIX_STEP_S = 0.4
# Two incidents of one kind within this time are one. A longer step is a hole in the data.
JOIN_S, HOLE_S = 4.0, 1.0


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """A moment. `evidence`: the figures behind it by name."""

    kind: IncidentKind
    lap: int
    t: float
    duration_s: float
    distance_m: float | None
    corner: str
    evidence: dict[str, float]


def find_incidents(drive: Drive) -> list[Incident]:
    """Find everything that looks like trouble, in order of time."""
    found: list[Incident] = []
    if _fix_step_s(drive.moments) <= FIX_STEP_S:
        found += _slow_events(drive)
    known = len(drive.moments) - drive.moments.g_lat.count(None)
    if known - sum(drive.moments.g_from_gps) >= SENSED_SHARE * known:
        found += _blows(drive)
    return _joined(sorted(found, key=lambda each: (each.t, each.kind)))


def _fix_step_s(moments: Moments) -> float:
    offsets = moments.offset_m
    fresh = [
        moments.t[i]
        for i in range(1, len(offsets))
        if offsets[i] is not None and offsets[i] != offsets[i - 1]
    ]
    steps = sorted(map(sub, fresh[1:], fresh))
    return steps[len(steps) // 2] if steps else 0.0


class _Usual(NamedTuple):
    """A piece of road as usually driven: m/s, and metres from the centreline at either edge."""

    speed_mps: float
    right_m: float
    left_m: float


def _usual_road(drive: Drive) -> dict[int, _Usual]:
    """Return the road as the laps within 5 % of the best drove it; empty without two such laps."""
    best_s = min((lap.time_s or math.inf for lap in drive.flying), default=math.inf)
    laps = [lap for lap in drive.flying if (lap.time_s or math.inf) <= USUAL_SHARE * best_s]
    rows: dict[int, list[tuple[float, float]]] = {}
    moments = drive.moments
    for lap in laps if len(laps) > 1 else ():
        span = moments.span(lap.start_t, lap.end_t)
        columns = zip(moments.distance_m[span], moments.speed_mps[span], moments.offset_m[span], strict=True)
        for place_m, speed_mps, offset_m in columns:
            if place_m is not None and speed_mps is not None and offset_m is not None:
                rows.setdefault(int(place_m / PIECE_M), []).append((speed_mps, offset_m))
    found = {}
    for piece, driven in rows.items():
        offsets = [offset_m for _, offset_m in driven]
        edges = (quantile(offsets, EDGE_SHARE), quantile(offsets, 1.0 - EDGE_SHARE))
        found[piece] = _Usual(quantile([speed for speed, _ in driven], 0.5), *edges)
    return found


class _Trace(NamedTuple):
    """A drive: shares of the usual speed (nan: not known) and metres outside the corridor."""

    share: list[float]
    out_m: list[float]


def _compare_with_usual(drive: Drive) -> _Trace:
    road, moments = _usual_road(drive), drive.moments
    share, out_m = [math.nan] * len(moments), [0.0] * len(moments)
    columns = (moments.distance_m, moments.speed_mps, moments.offset_m)
    for i, (place_m, speed_mps, offset_m) in enumerate(zip(*columns, strict=True) if road else ()):
        usual = None if place_m is None else road.get(int(place_m / PIECE_M))
        if usual is not None and speed_mps is not None and offset_m is not None:
            if usual.speed_mps >= CORNERING_MPS:
                share[i] = speed_mps / usual.speed_mps
            if not usual.right_m <= offset_m <= usual.left_m:
                out_m[i] = max(usual.right_m - offset_m, offset_m - usual.left_m)
    return _Trace(share, out_m)


def _slow_events(drive: Drive) -> Iterator[Incident]:
    """Yield offs, spins and stops: from usual speed to far below it, and back."""
    moments, trace = drive.moments, _compare_with_usual(drive)
    at = 0
    while at < len(moments):
        if not trace.share[at] < SLOW_SHARE:
            at += 1
            continue
        end = _back(moments, trace, at)
        run, at = range(at, min(end, len(moments) - 1) + 1), end + 1
        kind = _kind_of(drive, trace, run, back=end < len(moments))
        # Between two runs of a course one drives back.
        if kind is not None and drive.lap_at(moments.t[run[0]]) >= 0:
            evidence = {"least_share_of_usual_speed": min(_known(trace.share, run))}
            if kind == "off track":
                evidence["furthest_outside_m"] = max(trace.out_m[i] for i in run)
            yield _incident(drive, kind, run, evidence | _speeds(moments, run))


def _back(moments: Moments, trace: _Trace, first: int) -> int:
    """Return when the car is back for good: the number of moments where it never is."""
    fine_since = None
    for i in range(first, len(moments)):
        # A place that is not known says nothing.
        if not math.isnan(trace.share[i]):
            fine = trace.share[i] >= FAST_SHARE and trace.out_m[i] < OUT_M
            fine_since = (i if fine_since is None else fine_since) if fine else None
        if fine_since is not None and moments.t[i] - moments.t[fine_since] >= BACK_S:
            return fine_since
    return len(moments)


def _kind_of(drive: Drive, trace: _Trace, run: range, *, back: bool) -> IncidentKind | None:
    """Return an event's kind, None for a lap home, the pits, parking or a slow corner."""
    moments = drive.moments
    took_s = moments.t[run[-1]] - moments.t[run[0]]
    before = range(bisect_left(moments.t, moments.t[run[0]] - BEFORE_S), run[0] + 1)
    came_s = moments.t[run[0]] - moments.t[0]
    if min(took_s, came_s / BEFORE_S) < LEAST_S or max(_known(trace.share, before), default=0.0) < FAST_SHARE:
        return None
    if "yaw_rate_dps" in drive.signals and _has_yawed(moments, run):
        return "spin"
    steps = zip(moments.t[run.start : run.stop], moments.t[run.start + 1 : run.stop], strict=False)
    way_m = sum(
        (b - a) * (mps or 0.0)
        for (a, b), mps in zip(steps, moments.speed_mps[run.start : run.stop], strict=False)
    )
    if not back or not is_short(took_s, way_m):
        return None
    if "yaw_rate_dps" not in drive.signals and _has_turned(moments, run):
        return "spin"
    least = min(_known(trace.share, run))
    if least < OFF_SHARE and max(trace.out_m[i] for i in run) >= OUT_M:
        return "off track"
    return "sudden stop" if least < STOP_SHARE else None


def _has_yawed(moments: Moments, run: range) -> bool:
    """Return whether the car turned round by its yaw rate. It turns before it is slow."""
    first = bisect_left(moments.t, moments.t[run[0]] - HOLE_S)
    turning = [abs(moments.yaw_rate_dps[i] or 0.0) > SPIN_DPS for i in range(first, run.stop)]
    return any(
        moments.t[first + each[-1]] - moments.t[first + each[0]] >= SPIN_S
        for each in _stretches(moments, turning, first)
    )


def _has_turned(moments: Moments, run: range) -> bool:
    begin = bisect_left(moments.t, moments.t[run[0]] - HOLE_S)
    for i in range(begin, run.stop):
        while moments.t[i] - moments.t[begin] > HOLE_S:
            begin += 1
        one, two = moments.heading_deg[begin], moments.heading_deg[i]
        if min(moments.speed_mps[begin] or 0.0, moments.speed_mps[i] or 0.0) < COURSE_MPS:
            continue
        if one is not None and two is not None and abs(way_m(one, two, 360.0)) >= SPIN_COURSE_DEG:
            return True
    return False


def _known(values: Sequence[float], run: range) -> list[float]:
    return [values[i] for i in run if not math.isnan(values[i])]


def _blows(drive: Drive) -> Iterator[Incident]:
    moments = drive.moments
    spans = [moments.span(lap.start_t, lap.end_t) for lap in drive.laps if lap.kind not in ("out", "in")]
    forces = forces_g(moments.g_lat, moments.g_long)
    moving = [
        forces[i]
        for span in spans
        for i in range(span.start, span.stop)
        if (moments.speed_mps[i] or 0.0) > CORNERING_MPS
    ]
    if not moving:
        return
    limit_g = max(BLOW_SHARE * quantile(moving, QUANTILE), BLOW_LEAST_G)
    for span in spans:
        hard = [
            force_g >= limit_g and moments.status[i] != "pit"
            for i, force_g in enumerate(forces[span], span.start)
        ]
        for each in _stretches(moments, hard, span.start):
            run = range(span.start + each[0], span.start + each[-1] + 1)
            if len(run) >= BLOW_ROWS:
                peak_g = max(forces[i] for i in run)
                yield _incident(
                    drive, "blow", run, {"peak_g": peak_g, "limit_g": limit_g, **_speeds(moments, run)}
                )


def _speeds(moments: Moments, run: range) -> dict[str, float]:
    speeds = [mps for mps in moments.speed_mps[run.start : run.stop] if mps is not None]
    return {"entry_speed_mps": speeds[0], "least_speed_mps": min(speeds)} if speeds else {}


def _stretches(moments: Moments, flags: Sequence[bool], first: int) -> Iterator[range]:
    """Yield where the flag is set, without a hole; the first flag is that of moment `first`."""
    run = range(0)
    for i in compress(range(len(flags)), flags):
        if run and i == run[-1] + 1 and moments.t[first + i] - moments.t[first + i - 1] <= HOLE_S:
            run = range(run[0], i + 1)
            continue
        if run:
            yield run
        run = range(i, i + 1)
    if run:
        yield run


def _incident(drive: Drive, kind: IncidentKind, run: range, evidence: dict[str, float]) -> Incident:
    t, distance_m = drive.moments.t[run[0]], drive.moments.distance_m[run[0]]
    return Incident(
        kind=kind,
        lap=drive.lap_at(t),
        t=t,
        duration_s=drive.moments.t[run[-1]] - t,
        distance_m=distance_m,
        corner=drive.corner_at(distance_m),
        evidence=evidence,
    )


def _joined(incidents: Sequence[Incident]) -> list[Incident]:
    kept: list[Incident] = []
    for each in incidents:
        same = next((k for k in reversed(kept) if k.kind == each.kind), None)
        if same is None or each.t - (same.t + same.duration_s) > JOIN_S:
            kept.append(each)
    return kept

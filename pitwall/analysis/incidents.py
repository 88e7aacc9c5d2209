"""Incidents of a session: spins, excursions, impacts and sudden stops, each with its evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import msgspec

from pitwall.analysis.drive import Drive, DriveSample
from pitwall.track.geometry import turn_deg

IncidentKind = Literal["spin", "off track", "blow", "sudden stop"]

# No hairpin turns a car faster than this at speed; a kart's spin does 300 deg/s.
SPIN_DPS, SPIN_S = 75.0, 0.4
# The way over ground seldom turns by more than this within a second but in a spin, from walking pace on.
SPIN_COURSE_DEG, SPIN_FROM_MPS = 120.0, 8.0
# Half a second off the road at speed is no kerb; the way out of the paddock was never on it.
OFF_S, OFF_FROM_MPS, ON_BEFORE_S = 0.5, 8.0, 3.0
# Against the session's own hardest hundredth: slicks and wings corner at 2.5 g all day.
BLOW_SHARE, BLOW_LEAST_G, BLOW_ROWS = 1.5, 1.8, 2
QUANTILE = 0.99
# A stop from speed within so many seconds, held so long. Pit lanes allow 60 or 80 km/h, so a stop in the box
# comes from less than 90; what never goes so fast, a kart, counts from a share of its own pace.
STOP_FROM_MPS, STOP_FROM_SHARE, STOP_TO_MPS, STOP_WITHIN_S, STOP_HELD_S = 25.0, 0.6, 1.5, 8.0, 1.0
CORNERING_MPS = 8.0
# Two incidents of one kind within this time are one.
JOIN_S = 4.0
# A longer step is a hole in the data, and nothing across it is evidence.
HOLE_S = 1.0


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """One moment. `evidence` names the figures behind it, each with its unit in the name."""

    session: str
    kind: IncidentKind
    lap: int
    t: float
    duration_s: float
    distance_m: float | None
    corner: str
    evidence: dict[str, float]


def find_incidents(drive: Drive) -> list[Incident]:
    """Everything that looks like trouble, in order of time. In the pit lane nothing counts."""
    moments = [m for m in drive.moments if m.status != "pit"]
    found = [
        *_runs(drive, "off track", moments, _left_the_road(moments), OFF_S, _off),
        *_spins(drive, moments),
        *_blows(drive, moments),
        *_stops(drive, moments),
    ]
    return _joined(sorted(found, key=lambda each: (each.t, each.kind)))


def _left_the_road(moments: Sequence[DriveSample]) -> list[bool]:
    """Whether the car is off the road that it was on shortly before, at speed."""
    flags: list[bool] = []
    on_t = -math.inf
    for moment in moments:
        was_off = bool(flags) and flags[-1]
        fast = (moment.speed_mps or 0.0) >= OFF_FROM_MPS
        flags.append(moment.status == "off" and (was_off or (fast and moment.t - on_t <= ON_BEFORE_S)))
        on_t = moment.t if moment.status == "on" else on_t
    return flags


def _off(run: Sequence[DriveSample]) -> dict[str, float]:
    offsets = [abs(m.offset_m) for m in run if m.offset_m is not None]
    return {"furthest_from_line_m": max(offsets)} if offsets else {}


def _spins(drive: Drive, moments: Sequence[DriveSample]) -> Iterator[Incident]:
    """By the yaw rate where there is one, else by how the course over ground turns."""
    if "yaw_rate_dps" in drive.signals:
        turning = [abs(m.yaw_rate_dps or 0.0) >= SPIN_DPS for m in moments]
        yield from _runs(drive, "spin", moments, turning, SPIN_S, _yaw)
        return
    turned = [False] * len(moments)
    first = 0
    for i, moment in enumerate(moments):
        while moment.t - moments[first].t > HOLE_S:
            first += 1
        then = moments[first]
        known = moment.heading_deg is not None and then.heading_deg is not None
        fast = (then.speed_mps or 0.0) >= SPIN_FROM_MPS and (moment.speed_mps or 0.0) > STOP_TO_MPS
        if known and fast and i > first:
            turned[i] = abs(turn_deg(then.heading_deg or 0.0, moment.heading_deg or 0.0)) >= SPIN_COURSE_DEG
    yield from _runs(drive, "spin", moments, turned, 0.0, _course)


def _yaw(run: Sequence[DriveSample]) -> dict[str, float]:
    return {"peak_yaw_rate_dps": max(abs(m.yaw_rate_dps or 0.0) for m in run), **_speeds(run)}


def _course(run: Sequence[DriveSample]) -> dict[str, float]:
    return {"course_change_over_deg": SPIN_COURSE_DEG, "within_s": HOLE_S, **_speeds(run)}


def _blows(drive: Drive, moments: Sequence[DriveSample]) -> Iterator[Incident]:
    """At least two readings in a row far over what this car does: one alone is a lost fix or a kerb."""
    forces = [((m.g_lat or 0.0) ** 2 + (m.g_long or 0.0) ** 2) ** 0.5 for m in moments]
    moving = sorted(g for g, m in zip(forces, moments, strict=True) if (m.speed_mps or 0.0) > CORNERING_MPS)
    if not moving:
        return
    limit_g = max(BLOW_SHARE * moving[int(QUANTILE * (len(moving) - 1))], BLOW_LEAST_G)
    for run in _stretches(moments, [g >= limit_g for g in forces]):
        if len(run) >= BLOW_ROWS:
            peak = max(((m.g_lat or 0.0) ** 2 + (m.g_long or 0.0) ** 2) ** 0.5 for m in run)
            yield _incident(drive, "blow", run, {"peak_g": peak, "limit_g": limit_g, **_speeds(run)})


def _stops(drive: Drive, moments: Sequence[DriveSample]) -> Iterator[Incident]:
    standing = [m.speed_mps is not None and m.speed_mps <= STOP_TO_MPS for m in moments]
    from_mps = min(STOP_FROM_MPS, STOP_FROM_SHARE * _usual_top_mps(moments))
    index = {id(m): i for i, m in enumerate(moments)}
    for run in _stretches(moments, standing):
        first = index[id(run[0])]
        fast = next((m for m in reversed(moments[:first]) if (m.speed_mps or 0.0) >= from_mps), None)
        if fast is None or run[-1].t - run[0].t < STOP_HELD_S or run[0].t - fast.t > STOP_WITHIN_S:
            continue
        evidence = {
            "from_speed_mps": fast.speed_mps or 0.0,
            "stopped_within_s": run[0].t - fast.t,
            "stood_s": run[-1].t - run[0].t,
        }
        yield _incident(drive, "sudden stop", run, evidence)


def _usual_top_mps(moments: Sequence[DriveSample]) -> float:
    speeds = sorted(m.speed_mps for m in moments if m.speed_mps is not None)
    return speeds[int(QUANTILE * (len(speeds) - 1))] if speeds else STOP_FROM_MPS


def _speeds(run: Sequence[DriveSample]) -> dict[str, float]:
    speeds = [m.speed_mps for m in run if m.speed_mps is not None]
    return {"entry_speed_mps": speeds[0], "least_speed_mps": min(speeds)} if speeds else {}


def _runs(
    drive: Drive,
    kind: IncidentKind,
    moments: Sequence[DriveSample],
    flags: Sequence[bool],
    least_s: float,
    evidence: Callable[[Sequence[DriveSample]], dict[str, float]],
) -> Iterator[Incident]:
    for run in _stretches(moments, flags):
        if run[-1].t - run[0].t >= least_s:
            yield _incident(drive, kind, run, evidence(run))


def _stretches(moments: Sequence[DriveSample], flags: Sequence[bool]) -> Iterator[Sequence[DriveSample]]:
    """Moments in a row where the flag is set, without a hole between them."""
    begin: int | None = None
    for i, flag in enumerate(flags):
        hole = i > 0 and moments[i].t - moments[i - 1].t > HOLE_S
        if begin is not None and (not flag or hole):
            yield moments[begin:i]
            begin = None
        if flag and begin is None:
            begin = i
    if begin is not None:
        yield moments[begin:]


def _incident(
    drive: Drive, kind: IncidentKind, run: Sequence[DriveSample], evidence: dict[str, float]
) -> Incident:
    first = run[0]
    return Incident(
        session=drive.id,
        kind=kind,
        lap=drive.lap_at(first.t),
        t=first.t,
        duration_s=run[-1].t - first.t,
        distance_m=first.distance_m,
        corner=drive.corner_at(first.distance_m),
        evidence=evidence,
    )


def _joined(incidents: Sequence[Incident]) -> list[Incident]:
    kept: list[Incident] = []
    for each in incidents:
        same = next((k for k in reversed(kept) if k.kind == each.kind), None)
        if same is None or each.t - (same.t + same.duration_s) > JOIN_S:
            kept.append(each)
    return kept

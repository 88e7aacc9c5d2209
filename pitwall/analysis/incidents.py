"""Incidents of a session: spins, excursions, impacts and sudden stops, each with its evidence.

What never happened is worse than what is not told. So nothing counts in the pits, on the way out of them and
on the way home; no place or course of a receiver that has one fix a second; no force but a sensor's that GPS
agrees with; and no way off a line that no other lap of this session followed there: the line may be a drawn
one, or that of another layout.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from operator import sub
from typing import Literal

import msgspec

from pitwall.analysis.drive import Drive, Moments, forces_g, measured, quantile

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
# What GPS shows of a wall is less than this; a speed that breaks off is a fault. More stops than for so many
# of the laps are where one stops.
MOST_STOP_MPS2, HABIT_SHARE = 100.0, 0.5
CORNERING_MPS = 8.0
# An in-lap ends standing where the car does not go faster than a walk in its last seconds.
ENDS_S, CRAWL_MPS = 10.0, 3.0
# A fix a second wanders by tens of metres in a phone, and turns by half a circle in a hairpin.
FIX_STEP_S = 0.4
# An accelerometer is believed that GPS agreed with for at least this share of what is known of forces.
SENSED_SHARE = 0.5
# Another lap was there if it was on the line within so many metres of the place.
WITNESS_M = 15.0
# Two incidents of one kind within this time are one.
JOIN_S = 4.0
# The laps of a circuit follow each other; what lies between two runs takes longer.
BETWEEN_RUNS_S = 1.0
# A longer step is a hole in the data, and nothing across it is evidence.
HOLE_S = 1.0


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """A moment. `evidence` names the figures behind it, each with its unit in the name."""

    session: str
    kind: IncidentKind
    lap: int
    t: float
    duration_s: float
    distance_m: float | None
    corner: str
    evidence: dict[str, float]


def find_incidents(drive: Drive) -> list[Incident]:
    """Everything that looks like trouble, in order of time."""
    moments = _on_the_track(drive)
    found: list[Incident] = []
    if _fix_step_s(moments) <= FIX_STEP_S:
        witnessed = _witnessed(drive, moments, _left_the_road(moments))
        found += _runs(drive, "off track", moments, witnessed, OFF_S, _off)
        found += _spins(drive, moments)
    known = len(moments) - moments.g_lat.count(None)
    if known - sum(moments.g_from_gps) >= SENSED_SHARE * known:
        found += _blows(drive, moments)
    stops = list(_stops(drive, moments))
    # Where it stops lap after lap is where one stops: a driver's change, a hill's top.
    if len(stops) == 1 or len(stops) <= HABIT_SHARE * sum(lap.number > 0 for lap in drive.laps):
        found += stops
    return _joined(sorted(found, key=lambda each: (each.t, each.kind)))


def _on_the_track(drive: Drive) -> Moments:
    """The moments without pits, out-laps, ways back to the next start, and an in-lap that ends standing."""
    moments = drive.moments
    left = [(lap.start_t, lap.end_t) for lap in drive.laps if lap.kind == "out"]
    next_t = [*(lap.start_t for lap in drive.laps[1:]), *moments.t[-1:]]
    left += [
        (lap.end_t, t) for lap, t in zip(drive.laps, next_t, strict=False) if t - lap.end_t > BETWEEN_RUNS_S
    ]
    last = drive.laps[-1] if drive.laps else None
    if last is not None and last.kind == "in":
        speeds = measured(moments.speed_mps[moments.span(last.end_t - ENDS_S, last.end_t)])
        if min(speeds, default=math.inf) <= CRAWL_MPS:
            left.append((last.start_t, last.end_t))
    kept = [each != "pit" for each in moments.status]
    for begin_t, end_t in left:
        span = moments.span(begin_t, end_t)
        kept[span] = [False] * len(kept[span])
    if all(kept):
        return moments
    names = Moments.__struct_fields__
    used = {name: list(compress(getattr(moments, name), kept)) for name in names if getattr(moments, name)}
    return msgspec.structs.replace(moments, **used)


def _fix_step_s(moments: Moments) -> float:
    """The middle one of the steps between fixes: the way off the line is that of a fix until the next one."""
    offsets = moments.offset_m
    fresh = [
        moments.t[i]
        for i in range(1, len(moments))
        if offsets[i] is not None and offsets[i] != offsets[i - 1]
    ]
    steps = sorted(map(sub, fresh[1:], fresh))
    return steps[len(steps) // 2] if steps else 0.0


def _witnessed(drive: Drive, moments: Moments, flags: Sequence[bool]) -> list[bool]:
    """Of the moments off the road those at whose place another lap was on it."""
    if not any(flags):
        return list(flags)
    on: dict[int, set[int]] = {}
    for t, far_m, status in zip(moments.t, moments.distance_m, moments.status, strict=True):
        if status == "on" and far_m is not None:
            on.setdefault(drive.lap_at(t), set()).add(int(far_m / WITNESS_M))
    seen = Counter(place for places in on.values() for place in places)
    found = list(flags)
    for i in compress(range(len(flags)), flags):
        far_m = moments.distance_m[i]
        if far_m is None:
            continue
        place, own = int(far_m / WITNESS_M), on.get(drive.lap_at(moments.t[i]), set())
        found[i] = any(seen[each] > (each in own) for each in (place - 1, place, place + 1))
    return found


def _left_the_road(moments: Moments) -> list[bool]:
    """Return whether the car is off the road that it was on shortly before, at speed."""
    t, status = moments.t, moments.status
    flags = [False] * len(moments)
    for i in compress(range(len(status)), [each == "off" for each in status] if "off" in status else ()):
        if i and flags[i - 1]:
            flags[i] = True
        elif (moments.speed_mps[i] or 0.0) >= OFF_FROM_MPS:
            before = range(i - 1, bisect_left(t, t[i] - ON_BEFORE_S) - 2, -1)
            on_t = next((t[k] for k in before if k >= 0 and status[k] == "on"), -math.inf)
            flags[i] = t[i] - on_t <= ON_BEFORE_S
    return flags


def _off(moments: Moments, run: range) -> dict[str, float]:
    offsets = [abs(value) for i in run if (value := moments.offset_m[i]) is not None]
    return {"furthest_from_line_m": max(offsets)} if offsets else {}


def _spins(drive: Drive, moments: Moments) -> Iterator[Incident]:
    """By the yaw rate where there is one, else by how the course over ground turns."""
    if "yaw_rate_dps" in drive.signals:
        if _most(moments.yaw_rate_dps) < SPIN_DPS:
            return
        turning = [
            yaw_rate_dps is not None and not -SPIN_DPS < yaw_rate_dps < SPIN_DPS
            for yaw_rate_dps in moments.yaw_rate_dps
        ]
        yield from _runs(drive, "spin", moments, turning, SPIN_S, _yaw)
        return
    ts, headings, speeds = moments.t, moments.heading_deg, moments.speed_mps
    turned = [False] * len(moments)
    first = 0
    for i, (t, now_deg) in enumerate(zip(ts, headings, strict=True)):
        while t - ts[first] > HOLE_S:
            first += 1
        then_deg = headings[first]
        if now_deg is None or then_deg is None or i == first:
            continue
        # Course changes of 240 degrees are the same turn the other way round: see `turn_deg`.
        if SPIN_COURSE_DEG <= (now_deg - then_deg) % 360.0 <= 360.0 - SPIN_COURSE_DEG:
            turned[i] = (speeds[first] or 0.0) >= SPIN_FROM_MPS and (speeds[i] or 0.0) > STOP_TO_MPS
    yield from _runs(drive, "spin", moments, turned, 0.0, _course)


def _yaw(moments: Moments, run: range) -> dict[str, float]:
    return {
        "peak_yaw_rate_dps": max(abs(moments.yaw_rate_dps[i] or 0.0) for i in run),
        **_speeds(moments, run),
    }


def _course(moments: Moments, run: range) -> dict[str, float]:
    return {"course_change_over_deg": SPIN_COURSE_DEG, "within_s": HOLE_S, **_speeds(moments, run)}


def _blows(drive: Drive, moments: Moments) -> Iterator[Incident]:
    """At least two readings in a row far over what this car does: one alone is a lost fix or a kerb."""
    forces = forces_g(moments.g_lat, moments.g_long)
    peak_g = max(forces, default=0.0)
    if peak_g < BLOW_LEAST_G:
        return
    # Where more than a hundredth is as hard as this, its share is over the peak, and nothing is a blow.
    hard = [
        mps
        for mps in compress(moments.speed_mps, [g * BLOW_SHARE > peak_g for g in forces])
        if mps is not None
    ]
    if sum(mps > CORNERING_MPS for mps in hard) >= len(forces) - int(QUANTILE * (len(forces) - 1)):
        return
    moving = [
        g for g, mps in zip(forces, moments.speed_mps, strict=True) if mps is not None and mps > CORNERING_MPS
    ]
    if not moving:
        return
    limit_g = max(BLOW_SHARE * quantile(moving, QUANTILE), BLOW_LEAST_G)
    if peak_g < limit_g:
        return
    for run in _stretches(moments, [g >= limit_g for g in forces]):
        if len(run) >= BLOW_ROWS:
            peak = max(forces[i] for i in run)
            evidence = {"peak_g": peak, "limit_g": limit_g, **_speeds(moments, run)}
            yield _incident(drive, "blow", moments, run, evidence)


def _most(values: Sequence[float | None]) -> float:
    """How far from 0 they go; 0 where none is known."""
    known = measured(values)
    return max(max(known), -min(known)) if known else 0.0


def _stops(drive: Drive, moments: Moments) -> Iterator[Incident]:
    speeds = moments.speed_mps
    known = measured(speeds)
    if min(known, default=math.inf) > STOP_TO_MPS:
        return
    standing = [mps is not None and mps <= STOP_TO_MPS for mps in speeds]
    from_mps = min(STOP_FROM_MPS, STOP_FROM_SHARE * quantile(known, QUANTILE))
    for run in _stretches(moments, standing):
        begin_t, end_t = moments.t[run[0]], moments.t[run[-1]]
        if end_t - begin_t < STOP_HELD_S:
            continue
        fast = next((i for i in reversed(range(run[0])) if (speeds[i] or 0.0) >= from_mps), None)
        if fast is None or begin_t - moments.t[fast] > STOP_WITHIN_S:
            continue
        if (speeds[fast] or 0.0) > MOST_STOP_MPS2 * (begin_t - moments.t[fast]):
            continue
        evidence = {
            "from_speed_mps": speeds[fast] or 0.0,
            "stopped_within_s": begin_t - moments.t[fast],
            "stood_s": end_t - begin_t,
        }
        yield _incident(drive, "sudden stop", moments, run, evidence)


def _speeds(moments: Moments, run: range) -> dict[str, float]:
    speeds = [mps for mps in moments.speed_mps[run.start : run.stop] if mps is not None]
    return {"entry_speed_mps": speeds[0], "least_speed_mps": min(speeds)} if speeds else {}


def _runs(
    drive: Drive,
    kind: IncidentKind,
    moments: Moments,
    flags: Sequence[bool],
    least_s: float,
    evidence: Callable[[Moments, range], dict[str, float]],
) -> Iterator[Incident]:
    for run in _stretches(moments, flags):
        if moments.t[run[-1]] - moments.t[run[0]] >= least_s:
            yield _incident(drive, kind, moments, run, evidence(moments, run))


def _stretches(moments: Moments, flags: Sequence[bool]) -> Iterator[range]:
    """Moments in a row where the flag is set, without a hole between them."""
    begin = last = -1
    for i in compress(range(len(flags)), flags):
        if i != last + 1 or moments.t[i] - moments.t[last] > HOLE_S:
            if begin >= 0:
                yield range(begin, last + 1)
            begin = i
        elif begin < 0:
            begin = i
        last = i
    if begin >= 0:
        yield range(begin, last + 1)


def _incident(
    drive: Drive, kind: IncidentKind, moments: Moments, run: range, evidence: dict[str, float]
) -> Incident:
    first = run[0]
    t, distance_m = moments.t[first], moments.distance_m[first]
    return Incident(
        session=drive.id,
        kind=kind,
        lap=drive.lap_at(t),
        t=t,
        duration_s=moments.t[run[-1]] - t,
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

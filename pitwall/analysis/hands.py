"""Judge from a drive how practised the driver's hands and feet are: the coach's level, unless set."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, median

import msgspec

from pitwall.analysis.corners import PassFacts, by_corner, feet_of
from pitwall.analysis.drive import Drive
from pitwall.words.forms import LEVELS, Level

# Flying laps needed, and signs, for a car may lack a pedal's signal.
LEAST_LAPS, LEAST_SIGNS = 3, 3
# The throttle was lifted if it returned by this share of its travel, for longer than a gear change.
CLOSED_SHARE, SHIFT_S = 0.2, 0.6
# Up to the first an expert by this sign, from the second on a beginner: from a club racer's day and
# simulated drivers of both kinds.
EXPERT_BEGINNER: dict[str, tuple[float, float]] = {
    "coast_pct": (5.0, 14.0),
    "roll_s": (1.0, 3.5),
    "brake_spread_m": (4.0, 14.0),
    "jerk_pct": (35.0, 90.0),
}


class Hands(msgspec.Struct, frozen=True, kw_only=True):
    """How a driver worked the pedals in flying laps, and the level. `coast_pct`: share of the
    time off both pedals; `roll_s`: from the brakes to half throttle; `brake_spread_m`: of the
    usual corner's brake points; `jerk_pct`: share of corners where the throttle closes again
    without braking or a gear change."""

    level: Level
    laps: int
    coast_pct: float | None = None
    roll_s: float | None = None
    brake_spread_m: float | None = None
    jerk_pct: float | None = None


def hands_of(drive: Drive, passes: Sequence[PassFacts]) -> Hands | None:
    """Judge a drive's flying laps; None with too few, or no known pedal."""
    laps = [lap for lap in drive.flying if lap.time_s is not None]
    if len(laps) < LEAST_LAPS or not passes:
        return None
    driven_s = sum(lap.time_s or 0.0 for lap in laps)
    coasts = [each.coast_s for each in passes if each.coast_s is not None]
    rolls = [
        (each.throttle_m - each.off_brake_m) / max(each.min_speed_mps, 1.0)
        for each in passes
        if each.throttle_m is not None
        and each.off_brake_m is not None
        and each.throttle_m >= each.off_brake_m
    ]
    signs = {
        "coast_pct": 100.0 * sum(coasts) / driven_s if coasts else None,
        "roll_s": median(rolls) if len(rolls) >= LEAST_LAPS else None,
        "brake_spread_m": _brake_spread_m(passes),
        "jerk_pct": _jerk_pct(drive, len(passes)),
    }
    points = [_points(name, value) for name, value in signs.items() if value is not None]
    if len(points) < LEAST_SIGNS:
        return None
    return Hands(level=LEVELS[int(mean(points) + 0.5)], laps=len(laps), **signs)


def _points(name: str, value: float) -> int:
    expert, beginner = EXPERT_BEGINNER[name]
    return 2 if value <= expert else 0 if value >= beginner else 1


def _brake_spread_m(passes: Sequence[PassFacts]) -> float | None:
    """Return how far a corner's brake points lie from the middle one, for the usual corner."""
    found = []
    for each in by_corner(list(passes)).values():
        places = [one.brake_m for one in each if one.brake_m is not None]
        if len(places) >= LEAST_LAPS:
            middle_m = median(places)
            found.append(median(abs(place_m - middle_m) for place_m in places))
    return median(found) if found else None


def _jerk_pct(drive: Drive, corners: int) -> float | None:
    """Return how often the throttle closed and opened again without braking, per pass."""
    moments, feet = drive.moments, feet_of(drive.moments)
    if feet.throttle_rest_pct is None or feet.throttle_full_pct is None or not feet.brake:
        return None
    step = CLOSED_SHARE * (feet.throttle_full_pct - feet.throttle_rest_pct)
    spans = [(lap.start_t, lap.end_t) for lap in drive.flying]
    count, span = 0, 0
    peak = trough = 0.0
    closed_t: float | None = None
    braked = False
    for t, pct, brake in zip(moments.t, moments.throttle_pct, getattr(moments, feet.brake), strict=True):
        while span < len(spans) and t >= spans[span][1]:
            span += 1
        if span == len(spans):
            break
        if t < spans[span][0] or pct is None:
            closed_t, peak = None, 0.0
        elif closed_t is None:
            peak = max(peak, pct)
            if pct <= peak - step:
                closed_t, trough, braked = t, pct, False
        else:
            trough, braked = min(trough, pct), braked or (brake is not None and brake > feet.brake_pressed)
            if pct >= trough + step:
                count += not braked and t - closed_t > SHIFT_S
                closed_t, peak = None, pct
    return 100.0 * count / corners

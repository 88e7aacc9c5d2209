"""Variance map: the spread of each corner's time, speed and brake point over the laps."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import stdev

import msgspec

from pitwall.analysis.corners import PassFacts, by_corner
from pitwall.analysis.drive import Drive

# A spread needs at least this many passes.
FEWEST = 3


class CornerVariance(msgspec.Struct, frozen=True, kw_only=True):
    """One corner over a session's flying laps: sample standard deviations, and the extremes of its time."""

    corner: str
    laps: tuple[int, ...]
    time_sd_s: float
    time_range_s: float
    best_lap: int
    worst_lap: int
    min_speed_sd_mps: float
    brake_sd_m: float | None


class VarianceMap(msgspec.Struct, frozen=True, kw_only=True):
    """The corners of one session, the most uneven first."""

    session: str
    corners: tuple[CornerVariance, ...]


def map_variance(drive: Drive, passes: Sequence[PassFacts]) -> VarianceMap:
    """Spread per corner; corners with fewer than three passes are left out."""
    found = [_of(corner, own) for corner, own in by_corner(list(passes)).items() if len(own) >= FEWEST]
    ranked = sorted(found, key=lambda each: (-each.time_sd_s, each.corner))
    return VarianceMap(session=drive.id, corners=tuple(ranked))


def _of(corner: str, own: Sequence[PassFacts]) -> CornerVariance:
    times = [each.time_s for each in own]
    brakes = [each.brake_m for each in own if each.brake_m is not None]
    return CornerVariance(
        corner=corner,
        laps=tuple(each.lap for each in own),
        time_sd_s=stdev(times),
        time_range_s=max(times) - min(times),
        best_lap=min(own, key=lambda each: each.time_s).lap,
        worst_lap=max(own, key=lambda each: each.time_s).lap,
        min_speed_sd_mps=stdev(each.min_speed_mps for each in own),
        # A brake point across the gate would read as a lap's length of spread.
        brake_sd_m=stdev(brakes) if len(brakes) >= FEWEST and max(brakes) - min(brakes) < 500.0 else None,
    )

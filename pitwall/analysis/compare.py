"""Compare laps: two corner by corner, the spread of all, and the pace of a stint."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Sequence
from statistics import median, stdev

import msgspec

from pitwall.analysis.corners import PassFacts, by_corner
from pitwall.analysis.drive import Drive
from pitwall.analysis.places import pieces_of
from pitwall.track.geometry import way_m
from pitwall.track.lap import Lap
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap
from pitwall.track.same_road import shift_between

# A slope needs at least this many laps.
FEWEST_FOR_SLOPE = 4
# A fade needs this many laps after the best one, and this growth as a share of a lap.
FEWEST_FOR_FADE, FADE_SHARE = 4, 0.005
# A slope counts only beyond two standard errors.
SURE_ERRORS = 2.0


class StintPace(msgspec.Struct, frozen=True, kw_only=True):
    """Flying laps in a row, s. `slope_s_per_lap`: positive where they get slower."""

    laps: tuple[int, ...]
    left_out: tuple[int, ...]
    best_s: float
    median_s: float
    range_s: float
    slope_s_per_lap: float | None
    fades: bool
    quickens: bool


class Fade(msgspec.Struct, frozen=True, kw_only=True):
    """Laps that got slower after the best: a line from `from_s` to `to_s`."""

    laps: tuple[int, ...]
    from_s: float
    to_s: float


def find_fade(laps: Sequence[Lap]) -> Fade | None:
    """Find how the counting laps, in order, got slower after the best one."""
    timed = [(lap.number, lap.time_s) for lap in laps if lap.time_s is not None]
    best = min(range(len(timed)), key=lambda at: timed[at][1], default=0)
    after = timed[best + 1 :]
    if len(after) < FEWEST_FOR_FADE:
        return None
    numbers, times = [float(number) for number, _ in after], [time_s for _, time_s in after]
    slope, error = slope_of(times, numbers)
    grown_s = slope * (numbers[-1] - numbers[0])
    if slope <= SURE_ERRORS * error or grown_s < FADE_SHARE * timed[best][1]:
        return None
    middle_s = sum(times) / len(times) - slope * (sum(numbers) / len(numbers) - numbers[0])
    return Fade(laps=tuple(number for number, _ in after), from_s=middle_s, to_s=middle_s + grown_s)


def find_pace(drive: Drive) -> list[StintPace]:
    """Find the pace of every stint: flying laps between out and in laps."""
    counting = {lap.number for lap in drive.counting}
    rows = _in_a_row(drive.laps, lambda lap: lap.kind == "flying" and lap.time_s is not None)
    return [_stint(row, counting) for row in rows if any(lap.number in counting for lap in row)]


def slope_of(times: Sequence[float], at: Sequence[float]) -> tuple[float, float]:
    """Return the least-squares slope over `at` and its standard error; from three points on."""
    count = len(times)
    mean_x, mean_y = sum(at) / count, sum(times) / count
    sxx = sum((x - mean_x) ** 2 for x in at)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(at, times, strict=True)) / sxx
    rest = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in zip(at, times, strict=True))
    return slope, (rest / (count - 2) / sxx) ** 0.5


def outings_of(laps: Sequence[Lap]) -> list[tuple[int, int]]:
    """Return the first and last lap of each outing with a flying lap."""
    rows = _in_a_row(laps, lambda lap: lap.kind in ("flying", "broken"))
    return [(row[0].number, row[-1].number) for row in rows if any(lap.kind == "flying" for lap in row)]


def stints_of(laps: Sequence[Lap]) -> dict[int, int]:
    """Return the outing of each lap."""
    outings = enumerate(outings_of(laps))
    return {lap: at for at, (first, last) in outings for lap in range(first, last + 1)}


def _in_a_row(laps: Sequence[Lap], belongs: Callable[[Lap], bool]) -> list[list[Lap]]:
    rows: list[list[Lap]] = [[]]
    for lap in laps:
        if belongs(lap):
            rows[-1].append(lap)
        elif rows[-1]:
            rows.append([])
    return [row for row in rows if row]


def _stint(laps: Sequence[Lap], counting: Container[int]) -> StintPace:
    timed = [(lap.number, lap.time_s) for lap in laps if lap.time_s is not None]
    counted = [(number, time_s) for number, time_s in timed if number in counting]
    times = [time_s for _, time_s in counted]
    slope, error = 0.0, math.inf
    if enough := len(counted) >= FEWEST_FOR_SLOPE:
        slope, error = slope_of(times, [float(number) for number, _ in counted])
    return StintPace(
        laps=tuple(number for number, _ in counted),
        left_out=tuple(number for number, _ in timed if number not in dict(counted)),
        best_s=min(times),
        median_s=median(times),
        range_s=max(times) - min(times),
        slope_s_per_lap=slope if enough else None,
        fades=slope > SURE_ERRORS * error,
        quickens=-slope > SURE_ERRORS * error,
    )


class CornerDelta(msgspec.Struct, frozen=True, kw_only=True):
    """What the first lap lost (positive) on the second from the middle of the straight before a
    corner to that of the one after; its speeds minus the second's at the entry, the slowest
    point and the exit."""

    corner: str
    delta_s: float
    entry_speed_diff_mps: float
    min_speed_diff_mps: float
    exit_speed_diff_mps: float
    brake_shift_m: float | None


class LapComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two laps; `delta_s` positive where the first is slower."""

    lap: str
    against: str
    lap_s: float
    against_s: float
    delta_s: float
    corners: tuple[CornerDelta, ...]


def compare_laps(track: Track, lap: ReferenceLap, against: ReferenceLap) -> LapComparison:
    """Compare two laps of one track. The corners' deltas sum to the whole."""
    return LapComparison(
        lap=lap.label,
        against=against.label,
        lap_s=lap.lap_time_s,
        against_s=against.lap_time_s,
        delta_s=lap.lap_time_s - against.lap_time_s,
        corners=tuple(_corners(track, lap, against)),
    )


def _corners(track: Track, lap: ReferenceLap, against: ReferenceLap) -> list[CornerDelta]:
    found = []
    whole = len(track.corners) == 1
    shift = shift_between(track, lap, against)
    for corner, begin_m, end_m in pieces_of(track):
        seen_m = [place_m + shift.ahead_m(place_m) for place_m in (begin_m, end_m)]
        own_s = lap.lap_time_s if whole else lap.time_between(*seen_m)
        other_s = against.lap_time_s if whole else against.time_between(begin_m, end_m)
        shift_m = None
        if corner.id in lap.brake_m and corner.id in against.brake_m:
            own_m = lap.brake_m[corner.id]
            shift_m = way_m(against.brake_m[corner.id], own_m - shift.ahead_m(own_m), track.length_m)
        ends = corner.entry_m, corner.exit_m
        seen = [place_m + shift.ahead_m(place_m) for place_m in ends]
        entry, exit_ = (
            lap.speed_at(own_m) - against.speed_at(m) for own_m, m in zip(seen, ends, strict=True)
        )
        slowest = lap.slowest_between(*seen) - against.slowest_between(*ends)
        found.append(
            CornerDelta(
                corner=corner.id,
                delta_s=own_s - other_s,
                entry_speed_diff_mps=entry,
                min_speed_diff_mps=slowest,
                exit_speed_diff_mps=exit_,
                brake_shift_m=shift_m,
            )
        )
    return found


class LargestLoss(msgspec.Struct, frozen=True, kw_only=True):
    """Where a flying lap lost most to the best pass; with an empty `corner` to the best lap."""

    lap: int
    against_lap: int
    corner: str
    loss_s: float


def find_largest_loss(drive: Drive) -> LargestLoss | None:
    """Return the largest loss; None with fewer than two flying laps."""
    best, study = drive.best, drive.study
    if best is None or best.time_s is None:
        return None
    if study is None or not study.every:
        lost = [(lap.time_s - best.time_s, lap.number, best.number, "") for lap in drive.flying if lap.time_s]
    else:
        lost = [
            (each.loss_s, lap, segment.index, corner)
            for (lap, corner), each in study.every.items()
            if (segment := study.segment_of(corner)) is not None
        ]
        lost = [(loss_s, lap, study.best[at].lap, corner) for loss_s, lap, at, corner in lost]
    loss_s, lap, against, corner = max((each for each in lost if each[1] != each[2]), default=(0.0, 0, 0, ""))
    return LargestLoss(lap=lap, against_lap=against, corner=corner, loss_s=loss_s) if lap else None


# A spread needs at least this many passes.
FEWEST = 3


class CornerVariance(msgspec.Struct, frozen=True, kw_only=True):
    """The sample standard deviation of a corner's time over a session's flying laps."""

    corner: str
    laps: tuple[int, ...]
    time_sd_s: float


def map_variance(passes: Sequence[PassFacts]) -> list[CornerVariance]:
    """Return the spread of each corner with three passes or more, the most uneven first."""
    found = [
        CornerVariance(
            corner=corner,
            laps=tuple(each.lap for each in own),
            time_sd_s=stdev(each.time_s for each in own),
        )
        for corner, own in by_corner(list(passes)).items()
        if len(own) >= FEWEST
    ]
    return sorted(found, key=lambda each: (-each.time_sd_s, each.corner))

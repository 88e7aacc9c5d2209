"""Pace over a stint: usual lap time, spread, and whether laps get slower."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import msgspec

from pitwall.analysis.drive import Drive
from pitwall.track.lap import Lap

# A slope needs at least this many laps.
FEWEST_FOR_SLOPE = 4
# Slower than the stint's median by more than this share is traffic, a mistake or cooling: not pace.
NOT_PACE_SHARE = 0.03
# A slope counts only beyond two standard errors.
SURE_ERRORS = 2.0


class Stint(msgspec.Struct, frozen=True, kw_only=True):
    """Flying laps in a row. Times in seconds; `left_out` laps were more than 3 % off the median and are in
    no other figure; `range_s`: the slowest minus the fastest; `robust_sd_s`: see `spread_of`.

    `slope_s_per_lap` is the least-squares line through the laps that count (positive: getting slower), with
    its standard error; None with fewer than four. `fades`: the slope is positive by two of them.
    """

    laps: tuple[int, ...]
    left_out: tuple[int, ...]
    best_s: float
    median_s: float
    robust_sd_s: float
    range_s: float
    slope_s_per_lap: float | None
    slope_error_s_per_lap: float | None
    fades: bool
    quickens: bool


class RacePace(msgspec.Struct, frozen=True, kw_only=True):
    """The stints of one session, and what its numbers do not say."""

    session: str
    stints: tuple[Stint, ...]
    notes: tuple[str, ...]


def find_pace(drive: Drive) -> RacePace:
    """Pace of every stint: flying laps between out and in laps."""
    stints = tuple(_stint(laps) for laps in _in_a_row(drive.laps))
    notes = ["fuel load and tyre pressures are not recorded: a slope is pace, its cause is not known"]
    if not stints:
        notes.insert(0, "no flying lap was timed")
    elif all(stint.slope_s_per_lap is None for stint in stints):
        notes.insert(0, f"no stint has {FEWEST_FOR_SLOPE} laps that count: fading can't be told")
    return RacePace(session=drive.id, stints=stints, notes=tuple(notes))


def spread_of(times: Sequence[float]) -> float:
    """The spread of lap times, seconds: 1.4826 times the median absolute deviation, which is a standard
    deviation that one lap in traffic does not move (Rousseeuw and Croux 1993)."""
    middle = median(times)
    return 1.4826 * median(abs(time_s - middle) for time_s in times)


def slope_of(times: Sequence[float], at: Sequence[float]) -> tuple[float, float]:
    """Least-squares slope of times over `at`, and its standard error; three points or more."""
    count = len(times)
    mean_x, mean_y = sum(at) / count, sum(times) / count
    sxx = sum((x - mean_x) ** 2 for x in at)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(at, times, strict=True)) / sxx
    rest = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in zip(at, times, strict=True))
    return slope, (rest / (count - 2) / sxx) ** 0.5


def _in_a_row(laps: Sequence[Lap]) -> list[list[Lap]]:
    rows: list[list[Lap]] = [[]]
    for lap in laps:
        if lap.kind == "flying" and lap.time_s is not None:
            rows[-1].append(lap)
        elif rows[-1]:
            rows.append([])
    return [row for row in rows if row]


def _stint(laps: Sequence[Lap]) -> Stint:
    timed = [(lap.number, lap.time_s) for lap in laps if lap.time_s is not None]
    middle_s = median(time_s for _, time_s in timed)
    counted = [(number, time_s) for number, time_s in timed if time_s <= middle_s * (1.0 + NOT_PACE_SHARE)]
    times = [time_s for _, time_s in counted]
    slope = error = None
    if len(counted) >= FEWEST_FOR_SLOPE:
        slope, error = slope_of(times, [float(number) for number, _ in counted])
    return Stint(
        laps=tuple(number for number, _ in counted),
        left_out=tuple(number for number, _ in timed if number not in dict(counted)),
        best_s=min(times),
        median_s=median(times),
        robust_sd_s=spread_of(times),
        range_s=max(times) - min(times),
        slope_s_per_lap=slope,
        slope_error_s_per_lap=error,
        fades=slope is not None and error is not None and slope > SURE_ERRORS * error,
        quickens=slope is not None and error is not None and -slope > SURE_ERRORS * error,
    )

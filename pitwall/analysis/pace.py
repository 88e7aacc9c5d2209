"""Pace over a stint: usual lap time, spread, whether laps get slower. Conditions: temperatures, grip."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import msgspec

from pitwall.analysis.drive import Drive, forces_g, quantile
from pitwall.analysis.port import Facts
from pitwall.store.queries import SignalRange
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


# Grip in use: the hardest twentieth of a lap's readings, which a single kerb does not move.
QUANTILE = 0.95
FEWEST_LAPS = 4
# A change of grip between laps under this is how the driver drove.
GRIP_NOISE_G_PER_LAP = 0.01
# Words in the names of channels that loggers give to the weather.
WEATHER_WORDS = ("ambient", "air_temp", "track_temp", "outside", "humidity", "baro", "weather", "rain")

# Ends of scales that an unplugged weather channel reads: -40 degrees, 255, 500.
UNPLUGGED_LEAST, UNPLUGGED_MOST = -39.0, 254.0


class GripLap(msgspec.Struct, frozen=True):
    """The hardest twentieth of one flying lap: combined acceleration, g."""

    lap: int
    grip_g: float


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """`grip_slope_g_per_lap` is None with fewer than four flying laps; `grip`: what it amounts to."""

    session: str
    readings: tuple[SignalRange, ...]
    weather_recorded: bool
    grip_laps: tuple[GripLap, ...]
    median_grip_g: float | None
    grip_slope_g_per_lap: float | None
    grip: str
    notes: tuple[str, ...]


def find_conditions(drive: Drive, facts: Facts) -> Conditions:
    """Temperatures and grip of one session. There is no weather where no sensor recorded it."""
    weather = _weather(drive, facts)
    own = [_reading(drive, name) for name in ("coolant_c", "oil_temp_c") if name in drive.signals]
    grips = tuple(_grip(drive))
    slope = error = None
    if len(grips) >= FEWEST_LAPS:
        slope, error = slope_of([g.grip_g for g in grips], [float(g.lap) for g in grips])
    trend = "not known"
    if slope is not None and error is not None:
        sure = abs(slope) > max(GRIP_NOISE_G_PER_LAP, 2.0 * error)
        trend = "steady" if not sure else "rising" if slope > 0.0 else "falling"
    notes = ["grip is what the driver used, not what there was"]
    if not weather:
        notes.insert(0, "no weather was recorded: air, track and rain are not known")
    return Conditions(
        session=drive.id,
        readings=(*weather, *(reading for reading in own if reading is not None)),
        weather_recorded=bool(weather),
        grip_laps=grips,
        median_grip_g=median(g.grip_g for g in grips) if grips else None,
        grip_slope_g_per_lap=slope,
        grip=trend,
        notes=tuple(notes),
    )


def _weather(drive: Drive, facts: Facts) -> Sequence[SignalRange]:
    return [reading for reading in facts.signal_ranges(drive.id, WEATHER_WORDS) if _believable(reading)]


def _believable(reading: SignalRange) -> bool:
    """A sensor that is not there reads one value for ever: the end of its scale, or nothing."""
    return reading.least != reading.most or (
        UNPLUGGED_LEAST < reading.most < UNPLUGGED_MOST and reading.most != 0.0
    )


def _reading(drive: Drive, name: str) -> SignalRange | None:
    values = [value for value in getattr(drive.moments, name) if value is not None]
    return SignalRange(name, "degC", values[0], values[-1], min(values), max(values)) if values else None


def _grip(drive: Drive) -> list[GripLap]:
    found, moments = [], drive.moments
    for lap in drive.flying:
        span = moments.span(lap.start_t, lap.end_t)
        g_lat, g_long = moments.g_lat[span], moments.g_long[span]
        forces = [g for g, lat in zip(forces_g(g_lat, g_long), g_lat, strict=True) if lat is not None]
        if len(forces) >= FEWEST_LAPS:
            found.append(GripLap(lap.number, quantile(forces, QUANTILE)))
    return found

"""The conditions of a session: recorded temperatures and weather, and the change of grip."""

from __future__ import annotations

from statistics import median

import msgspec

from pitwall.analysis.compare import slope_of
from pitwall.analysis.drive import Drive, forces_g, measured, quantile
from pitwall.analysis.port import Facts
from pitwall.store.queries import SignalRange

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
    found = facts.signal_ranges(drive.id, WEATHER_WORDS)
    weather = [reading for reading in found if _believable(reading)]
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


def _believable(reading: SignalRange) -> bool:
    """A sensor that is not there reads one value for ever: the end of its scale, or nothing."""
    return reading.least != reading.most or (
        UNPLUGGED_LEAST < reading.most < UNPLUGGED_MOST and reading.most != 0.0
    )


def _reading(drive: Drive, name: str) -> SignalRange | None:
    values = measured(getattr(drive.moments, name))
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

"""RaceCapture log: one header row of "name"|"unit"|low|high|rate, blank cells between a channel's turns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TextIO

from pitwall.simulator.formats.rows import MPH_PER_MPS, Field, rows
from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.sample import Sample

END = "\r\n"
FEET_PER_M = 1.0 / 0.3048
PSI_PER_BAR = 14.503773773


class Timed(NamedTuple):
    """A field, its limits as the header states them, and how often it is written."""

    field: Field
    low: float
    high: float
    rate_hz: int


# Axes as the reader has measured them: x to the left, y backwards, yaw positive to the right.
FIELDS = (
    Timed(Field("AccelX", "g_lat", ".3f", unit="G"), -3.0, 3.0, 50),
    Timed(Field("AccelY", "g_long", ".3f", -1.0, "G"), -3.0, 3.0, 50),
    Timed(Field("Yaw", "yaw_rate_dps", ".1f", -1.0, "Deg/Sec"), -120.0, 120.0, 50),
    Timed(Field("Latitude", "lat_deg", ".7f", unit="Degrees"), -180.0, 180.0, 10),
    Timed(Field("Longitude", "lon_deg", ".7f", unit="Degrees"), -180.0, 180.0, 10),
    Timed(Field("Speed", "speed_mps", ".3f", MPH_PER_MPS, "MPH"), 0.0, 150.0, 10),
    Timed(Field("Altitude", "altitude_m", ".2f", FEET_PER_M, "ft"), 0.0, 4000.0, 10),
    Timed(Field("GPSSats", "satellites", ".0f"), 0.0, 20.0, 10),
    Timed(Field("RPM", "rpm", ".0f", unit="rpm"), 0.0, 10000.0, 25),
    Timed(Field("TPS", "throttle_pct", ".1f", unit="%"), 0.0, 100.0, 25),
    Timed(Field("BrakePress", "brake_bar", ".2f", PSI_PER_BAR, "PSI"), 0.0, 2000.0, 25),
    Timed(Field("SteerAngle", "steering_deg", ".1f", unit="Deg"), -360.0, 360.0, 25),
    Timed(Field("EngineTemp", "coolant_c", ".1f", unit="C"), 0.0, 150.0, 1),
    Timed(Field("LapCount", "lap_number", ".0f"), 0.0, 0.0, 10),
)
# The format has no comments: a channel of this name, 1 in its rows, says where the file is from.
MARK_CHANNEL = '"SIMULATED"|""|0|1|1'


def write_racecapture(file: TextIO, info: RecordingInfo, samples: Iterable[Sample]) -> int:
    """Write a RaceCapture log (the dialect with Interval and Utc); returns the number of rows."""
    heads = ['"Interval"|"ms"|0|0|50', '"Utc"|"ms"|0|0|50']
    heads += [f'"{f.name}"|"{f.unit}"|{low:g}|{high:g}|{rate}' for f, low, high, rate in FIELDS]
    file.write(",".join((*heads, MARK_CHANNEL)) + END)
    start_ms = round((info.start_utc_s or 0.0) * 1000.0)
    due = [float("-inf")] * (len(FIELDS) + 1)
    count = 0
    for row in rows(info, samples):
        cells = []
        for number, (field, _, _, rate_hz) in enumerate(FIELDS):
            cells.append(field.blank(row) if _turn(due, number, row.t, rate_hz) else "")
        mark = "1" if _turn(due, len(FIELDS), row.t, 1) else ""
        since_ms = round(row.t * 1000.0)
        file.write(f"{since_ms},{start_ms + since_ms},{','.join(cells)},{mark}{END}")
        count += 1
    return count


def _turn(due: list[float], number: int, t: float, rate_hz: int) -> bool:
    """Return whether a channel is written at `t`; keeps when its next turn is."""
    if t < due[number] - 1e-6:
        return False
    due[number] = max(due[number], t - 0.5 / rate_hz) + 1.0 / rate_hz
    return True

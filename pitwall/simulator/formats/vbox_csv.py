"""VBOX CSV as Racelogic's VBOX Test Suite exports it: positions in degrees and minutes, no blank cells."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TextIO

from pitwall.simulator.formats.rows import KMH_PER_MPS, MARK, Field, clock, rows
from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.sample import Sample

END = "\r\n"
# The format has no room for a comment; a column of its own carries the mark, 1 in every row.
MARK_COLUMN = MARK.replace(",", " ")
POSITION = ("lat_deg", "lon_deg")

FIELDS = (
    Field("Satellites", "satellites", ".0f"),
    Field("Speed (km/h)", "speed_mps", ".2f", KMH_PER_MPS),
    Field("Heading (Degrees)", "heading_deg", ".1f"),
    Field("Latitude", "lat_deg", ""),
    Field("Longitude", "lon_deg", ""),
    Field("Height (m)", "altitude_m", ".2f"),
    Field("Lateral acceleration (g)", "g_lat", ".2f"),
    Field("Longitudinal acceleration (g)", "g_long", ".2f"),
    Field("Brake Pressure (bar)", "brake_bar", ".15g"),
    Field("Coolant Temperature (°C)", "coolant_c", ".2f"),
    Field("Engine Speed (rpm)", "rpm", ".0f"),
    Field("Gear ((null))", "gear", ".0f"),
    Field("Indicated Vehicle Speed (km/h)", "wheel_speed_mps", ".2f", KMH_PER_MPS),
    Field("Oil Pressure (bar)", "oil_bar", ".15g"),
    Field("Oil Temperature (°C)", "oil_temp_c", ".2f"),
    Field("Steering Angle (Degrees)", "steering_deg", ".1f"),
    Field("Throttle Position (%)", "throttle_pct", ".0f"),
)


def write_vbox_csv(file: TextIO, info: RecordingInfo, samples: Iterable[Sample]) -> int:
    """Write a VBOX CSV (open `file` with utf-8-sig); returns the number of rows."""
    file.write(
        ",".join(("UTC time", *(field.name for field in FIELDS), "Elapsed time (s)", MARK_COLUMN)) + END
    )
    count = 0
    for row in rows(info, samples):
        cells = [
            arc(row.held(field.signal), "NS" if field.signal == "lat_deg" else "EW")
            if field.signal in POSITION
            else field.held(row)
            for field in FIELDS
        ]
        file.write(",".join((clock(info, row.t), *cells, f"{row.t:.3f}", "1")) + END)
        count += 1
    return count


def arc(deg: float, sides: str) -> str:
    """`38°09.608862 N`: whole degrees, minutes to 1e-6 (2 mm), side."""
    micro_minutes = round(abs(deg) * 60.0e6)
    whole, micro = divmod(micro_minutes, 60_000_000)
    side = sides[1 if math.copysign(1.0, deg) < 0 else 0]
    return f"{whole}°{micro // 1_000_000:02d}.{micro % 1_000_000:06d} {side}"

"""VBO in the dialects of Racelogic and RaceBox (layout: `facts/recordings.md`).

Positions are whole minutes of arc, longitude positive west. `[laptiming]` holds, in Racelogic's, longitude
first and two points along the travel, in RaceBox's latitude first and a gate across the track.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple, TextIO

from pitwall.simulator.formats.rows import (
    CRLF,
    KMH_PER_MPS,
    MARK,
    Field,
    WrittenRow,
    clock,
    dated,
    put_rows,
    rows,
    utc,
)
from pitwall.telemetry.recordings.base import RecordingInfo, StoredGate
from pitwall.telemetry.sample import Sample
from pitwall.track.geometry import Projection

# Length of the start-line vector that Racelogic's loggers store.
VECTOR_M = 4.8

# Four digits: what the CAN of a car resolves.
RACELOGIC_CAR = (
    Field("Indicated_Lateral_Acceleration", "g_lat", "+.3E", -1.0, "g"),
    Field("Indicated_Longitudinal_Acceleration", "g_long", "+.3E", 1.0, "g"),
    Field("Engine_Speed", "rpm", "+.3E", 1.0, "rpm"),
    Field("Steering_Angle", "steering_deg", "+.3E", 1.0, "Degrees"),
    Field("Brake_Pressure_Front", "brake_bar", "+.3E", 1.0, "bar"),
    Field("Throttle_Pedal", "throttle_pct", "+.3E", 1.0, "%"),
    Field("Vehicle_Speed", "wheel_speed_mps", "+.3E", KMH_PER_MPS, "kmh"),
    Field("Gear", "gear", "+.0E", 1.0, "(null)"),
    Field("Coolant_Temperature", "coolant_c", "+.3E", 1.0, "°C"),
    Field("Oil_Temperature", "oil_temp_c", "+.3E", 1.0, "°C"),
    Field("Oil_Pressure", "oil_bar", "+.3E", 1.0, "bar"),
    Field("Lap_Number", "lap_number", "+.3E", 1.0, "(null)"),
)

# RaceBox: axes forward, left, up, gyro right-handed (as the reader has measured it).
RACEBOX_FIELDS = (
    Field("velocity", "speed_mps", "07.3f", KMH_PER_MPS),
    Field("heading", "heading_deg", "06.2f"),
    Field("height", "altitude_m", "+09.2f"),
    Field("LongAcc", "g_long", "+.3f"),
    Field("LatAcc", "g_lat", "+.3f"),
    Field("z-rotation-gyroscope", "yaw_rate_dps", "+.3f"),
)


class Standard(NamedTuple):
    """A column that every VBO has: its name in the header, its name over the data, and its cell."""

    signal: str
    header: str
    column: str
    cell: Callable[[RecordingInfo, WrittenRow], str]


STANDARD = (
    Standard("satellites", "satellites", "sats", lambda _, row: f"{round(row.held('satellites')):03d}"),
    Standard("time", "time", "time", lambda info, row: clock(info, row.t)),
    Standard("lat_deg", "latitude", "lat", lambda _, row: f"{row.held('lat_deg') * 60:+012.6f}"),
    Standard("lon_deg", "longitude", "long", lambda _, row: f"{_west(row.held('lon_deg')):+012.6f}"),
    Standard(
        "speed_mps", "velocity kmh", "velocity",
        lambda _, row: f"{row.held('speed_mps') * KMH_PER_MPS:07.3f}",
    ),
    Standard("heading_deg", "heading", "heading", lambda _, row: f"{row.held('heading_deg'):07.3f}"),
    Standard("altitude_m", "height", "height", lambda _, row: f"{row.held('altitude_m'):+09.2f}"),
)  # fmt: skip


def write_racelogic(file: TextIO, info: RecordingInfo, samples: Iterable[Sample], mark: str = MARK) -> int:
    """Write a native Racelogic VBO with its CAN channels; returns the number of rows."""
    names = {channel.name for stream in info.streams for channel in stream.channels}
    car = [field for field in RACELOGIC_CAR if field.signal in names]
    # A receiver that tells no satellites has no column of zeros: they would mean that it has no fix.
    standard = [each for each in STANDARD if each.signal in names or each.signal == "time"]
    put = file.write
    if dated(info):
        put(f"File created on {utc(info):%d/%m/%Y @ %H:%M:%S}{CRLF}{CRLF}")
    put(CRLF.join(("[header]", *(each.header for each in standard), *(field.name for field in car), "", "")))
    put(CRLF.join(("[channel units]", *(field.unit for field in car), "", "")))
    put(CRLF.join(("[comments]", mark, f"Venue : {info.venue}", f"Vehicle : {info.vehicle}", "", "")))
    if info.gate is not None:
        a, b = _along_travel(info.gate)
        place = " ".join(f"{_west(lon):+.6f} {lat * 60:+.6f}" for lat, lon in (a, b))
        put(f"[laptiming]{CRLF}Start        {place} ¬ Start / Finish{CRLF}{CRLF}")
    columns = (*(each.column for each in standard), *(field.name for field in car))
    put(f"[column names]{CRLF}{' '.join(columns)}{CRLF}{CRLF}[data]{CRLF}")

    def line(row: WrittenRow) -> str:
        fix = " ".join(each.cell(info, row) for each in standard)
        return " ".join((fix, *(field.held(row) for field in car))) + CRLF

    return put_rows(file, map(line, rows(info, samples)))


def write_racebox(file: TextIO, info: RecordingInfo, samples: Iterable[Sample]) -> int:
    """Write RaceBox's VBO: position, inertial channels, no car. Times to 10 ms, as the device has them."""
    put = file.write
    put(f"File created on {utc(info):%d/%m/%Y @ %H:%M}{CRLF}{CRLF}")
    names = ("time", "latitude", "longitude", "velocity kmh", *(field.name for field in RACEBOX_FIELDS[1:]))
    put(CRLF.join(("[header]", *names, "satellites", "", "")))
    put(CRLF.join(("[comments]", "Generated by RaceBox", MARK, f"Venue : {info.venue}", "", "")))
    if info.gate is not None:
        gate = info.gate
        place = " ".join(
            f"{lat * 60:+012.5f} {_west(lon):+013.5f}"
            for lat, lon in ((gate.a_lat_deg, gate.a_lon_deg), (gate.b_lat_deg, gate.b_lon_deg))
        )
        put(f"[laptiming]{CRLF}Start        {place} ¬   Start / Finish{CRLF}{CRLF}")
    columns = ("time", "lat", "lng", *(field.name for field in RACEBOX_FIELDS), "sats")
    put(f"[column names]{CRLF}{' '.join(columns)}{CRLF}{CRLF}[data]{CRLF}")

    def line(row: WrittenRow) -> str:
        place = f"{row.held('lat_deg') * 60:+012.5f} {_west(row.held('lon_deg')):+013.5f}"
        cells = " ".join(field.held(row) for field in RACEBOX_FIELDS)
        return f"{clock(info, row.t, 2)} {place} {cells} {round(row.held('satellites'))}{CRLF}"

    return put_rows(file, map(line, rows(info, samples)))


def _west(lon_deg: float) -> float:
    """Minutes of arc, positive west."""
    return -lon_deg * 60.0


def _along_travel(gate: StoredGate) -> tuple[tuple[float, float], tuple[float, float]]:
    """The gate's middle, and a point beside it at a right angle to the gate."""
    projection = Projection(gate.a_lat_deg, gate.a_lon_deg)
    x, y = projection.xy(gate.b_lat_deg, gate.b_lon_deg)
    norm = math.hypot(x, y) or 1.0
    middle = projection.lat_lon(x / 2, y / 2)
    return middle, projection.lat_lon(x / 2 - y / norm * VECTOR_M, y / 2 + x / norm * VECTOR_M)

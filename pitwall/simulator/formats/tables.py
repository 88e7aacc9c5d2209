"""CSV of AiM, MoTeC, RaceChrono, RaceCapture and VBOX, a table of fields each.

AiM RaceStudio 3: fourteen lines about the session with lap beacons, names, units, rows from time 0; MoTeC's
is the same layout with every cell in quotes. RaceChrono v3: a preamble, then names, units and sources; no
value is a blank cell. RaceCapture: one header row of "name"|"unit"|low|high|rate, blank cells between a
channel's turns. VBOX, as its Test Suite exports it: positions in degrees and minutes, no blank cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import NamedTuple, TextIO

from pitwall.simulator.formats.rows import (
    CRLF,
    KMH_PER_MPS,
    LF,
    MARK,
    MPH_PER_MPS,
    Field,
    WrittenRow,
    clock,
    plain,
    put_rows,
    rows,
    utc,
)
from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.sample import Sample

# AiM's lateral acceleration and gyro are positive to the right.
AIM_FIELDS = (
    Field("GPS Speed", "speed_mps", ".4f", KMH_PER_MPS, "km/h"),
    Field("GPS Nsat", "satellites", ".0f", 1.0, " "),
    Field("GPS LatAcc", "g_lat", ".4f", -1.0, "g"),
    Field("GPS LonAcc", "g_long", ".4f", 1.0, "g"),
    Field("GPS Heading", "heading_deg", ".4f", 1.0, "deg"),
    Field("GPS Gyro", "yaw_rate_dps", ".4f", -1.0, "deg/s"),
    Field("GPS Altitude", "altitude_m", ".4f", 1.0, "m"),
    Field("GPS Latitude", "lat_deg", ".8f", 1.0, "deg"),
    Field("GPS Longitude", "lon_deg", ".8f", 1.0, "deg"),
    Field("Engine RPM", "rpm", ".4f", 1.0, "rpm"),
    Field("Gear", "gear", ".0f", 1.0, "gear"),
    Field("Wheel Speed", "wheel_speed_mps", ".4f", KMH_PER_MPS, "km/h"),
    Field("Throttle Pos", "throttle_pct", ".2f", 1.0, "%"),
    Field("Brake Press", "brake_bar", ".3f", 1.0, "bar"),
    Field("Steering Angle", "steering_deg", ".2f", 1.0, "deg"),
    Field("Water Temp", "coolant_c", ".2f", 1.0, "C"),
    Field("Oil Temp", "oil_temp_c", ".2f", 1.0, "C"),
    Field("Oil Press", "oil_bar", ".3f", 1.0, "bar"),
)


def write_aim(file: TextIO, info: RecordingInfo, samples: Iterable[Sample], mark: str = MARK) -> int:
    """Write an AiM CSV; lap ends in `info.lap_marks_t` become beacons. Returns the number of rows."""
    step_s, found = _begun(info, samples)
    head = [*_head(info, step_s, mark), []]
    for cells in head:
        file.write(",".join((*cells, *("",) * (len(AIM_FIELDS) + 1 - len(cells)))) + LF)
    file.write(",".join(("Time", *(field.name for field in AIM_FIELDS))) + LF)
    file.write(",".join(("s", *(field.unit for field in AIM_FIELDS))) + LF)
    file.write("," * len(AIM_FIELDS) + LF)
    return put_rows(
        file, (",".join((f"{row.t:.3f}", *(field.held(row) for field in AIM_FIELDS))) + LF for row in found)
    )


def write_motec(file: TextIO, info: RecordingInfo, samples: Iterable[Sample], mark: str = MARK) -> int:
    """Write a MoTeC CSV as i2 exports it; returns the number of rows."""
    step_s, found = _begun(info, samples)
    started, ends = utc(info), " ".join(f"{mark_t:.3f}" for mark_t in info.lap_marks_t)
    head = (
        ("Format", "MoTeC CSV File", "", "", "Workbook", ""),
        ("Venue", plain(info.venue)),
        ("Vehicle", plain(info.vehicle)),
        ("Driver", plain(info.driver)),
        ("Device", "Pitwall"),
        ("Comment", plain(mark)),
        ("Log Date", f"{started:%d/%m/%Y}"),
        ("Log Time", f"{started:%H:%M:%S}"),
        ("Sample Rate", f"{1.0 / step_s:.3f}", "Hz"),
        ("Duration", f"{info.lap_marks_t[-1]:.3f}" if info.lap_marks_t else "", "s"),
        ("Range", "entire outing"),
        ("Beacon Markers", ends),
        (),
        ("Time", *(field.name for field in AIM_FIELDS)),
        ("s", *(field.unit.strip() for field in AIM_FIELDS)),
        (),
    )
    for cells in head:
        file.write(_quoted(cells))
    return put_rows(
        file, (_quoted((f"{row.t:.3f}", *(field.blank(row) for field in AIM_FIELDS))) for row in found)
    )


def _quoted(cells: Sequence[str]) -> str:
    return ",".join(f'"{cell}"' for cell in cells) + LF


def _begun(info: RecordingInfo, samples: Iterable[Sample]) -> tuple[float, Iterator[WrittenRow]]:
    """The seconds between the first two samples, and all rows."""
    stream = iter(samples)
    first = list(islice(stream, 2))
    step_s = first[1].t - first[0].t if len(first) == 2 else 1.0
    return step_s or 1.0, rows(info, chain(first, stream))


def _head(info: RecordingInfo, step_s: float, mark: str) -> list[list[str]]:
    started = utc(info)
    marks = info.lap_marks_t
    times = [end - start for start, end in pairwise((0.0, *marks))]
    return [
        ["Format", "AiM CSV File"],
        ["Session", plain(info.venue)],
        ["Vehicle", plain(info.vehicle)],
        ["Racer", plain(info.driver)],
        ["Championship", ""],
        ["Comment", plain(mark)],
        ["Date", f'"{started:%A, %B} {started.day}, {started.year}"'],
        ["Time", f"{started:%I:%M %p}".lstrip("0")],
        ["Sample Rate", f"{round(1.0 / step_s)}"],
        ["Duration", f"{marks[-1]:.3f}" if marks else ""],
        ["Segment", "Session"],
        ["Beacon Markers", *(f"{end:.3f}" for end in marks)],
        ["Segment Times", *(f"{int(time // 60):02d}:{time % 60:04.1f}" for time in times)],
    ]


GPS, CALC, OBD = "100: gps", "calc", "200: obd"
RACECHRONO_FIELDS: tuple[tuple[Field, str], ...] = (
    (Field("altitude", "altitude_m", ".3f", unit="m"), GPS),
    (Field("bearing", "heading_deg", ".2f", unit="deg"), GPS),
    (Field("latitude", "lat_deg", ".7f", unit="deg"), GPS),
    (Field("longitude", "lon_deg", ".7f", unit="deg"), GPS),
    (Field("satellites", "satellites", ".1f", unit="sats"), GPS),
    (Field("speed", "speed_mps", ".4f", unit="m/s"), GPS),
    (Field("lateral_acc", "g_lat", ".5f", unit="G"), CALC),
    (Field("longitudinal_acc", "g_long", ".5f", unit="G"), CALC),
    (Field("accelerator_pos", "throttle_pct", ".5f", unit="%"), OBD),
    (Field("brake_pressure", "brake_bar", ".5f", unit="bar"), OBD),
    (Field("coolant_temp", "coolant_c", ".1f", unit="degC"), OBD),
    (Field("gear", "gear", ".0f"), OBD),
    (Field("rpm", "rpm", ".5f", unit="rpm"), OBD),
    (Field("speed", "wheel_speed_mps", ".5f", unit="m/s"), OBD),
    (Field("steering_angle", "steering_deg", ".5f", unit="deg"), OBD),
)


def write_racechrono(file: TextIO, info: RecordingInfo, samples: Iterable[Sample], mark: str = MARK) -> int:
    """Write a RaceChrono v3 export; returns the number of rows."""
    created = utc(info)
    preamble = (
        "This file is created using Pitwall, in RaceChrono Pro's layout.",
        "Format,3",
        f'Session title,"{plain(info.venue)}"',
        "Session type,Lap timing",
        f'Track name,"{plain(info.venue)}"',
        f"Driver name,{plain(info.driver)}",
        f"Created,{created:%d/%m/%Y},{created:%H:%M}",
        f'Note,"{mark}"',
        "",
    )
    file.write(CRLF.join(preamble) + CRLF)
    fixed = ("timestamp", "fragment_id", "lap_number", "elapsed_time")
    file.write(",".join((*fixed, *(field.name for field, _ in RACECHRONO_FIELDS))) + CRLF)
    file.write(",".join(("unix time", "", "", "s", *(field.unit for field, _ in RACECHRONO_FIELDS))) + CRLF)
    file.write(",".join(("", "", "", "", *(source for _, source in RACECHRONO_FIELDS))) + CRLF)
    start_s = info.start_utc_s or 0.0

    def line(row: WrittenRow) -> str:
        cells = ",".join(field.blank(row) for field, _ in RACECHRONO_FIELDS)
        lap = row.get("lap_number")
        number = "" if lap is None else f"{lap:.0f}"
        return f"{start_s + row.t:.3f},0,{number},{row.t:.3f},{cells}{CRLF}"

    return put_rows(file, map(line, rows(info, samples)))


FEET_PER_M = 1.0 / 0.3048
PSI_PER_BAR = 14.503773773


class Timed(NamedTuple):
    """A field, its limits as the header states them, and how often it is written."""

    field: Field
    low: float
    high: float
    rate_hz: int


# Axes as the reader has measured them: x to the left, y backwards, yaw positive to the right.
RACECAPTURE_FIELDS = (
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
    heads += [f'"{f.name}"|"{f.unit}"|{low:g}|{high:g}|{rate}' for f, low, high, rate in RACECAPTURE_FIELDS]
    file.write(",".join((*heads, MARK_CHANNEL)) + CRLF)
    start_ms = round((info.start_utc_s or 0.0) * 1000.0)
    due = [float("-inf")] * (len(RACECAPTURE_FIELDS) + 1)

    def line(row: WrittenRow) -> str:
        cells = [
            field.blank(row) if _turn(due, number, row.t, rate_hz) else ""
            for number, (field, _, _, rate_hz) in enumerate(RACECAPTURE_FIELDS)
        ]
        mark = "1" if _turn(due, len(RACECAPTURE_FIELDS), row.t, 1) else ""
        since_ms = round(row.t * 1000.0)
        return f"{since_ms},{start_ms + since_ms},{','.join(cells)},{mark}{CRLF}"

    return put_rows(file, map(line, rows(info, samples)))


def _turn(due: list[float], number: int, t: float, rate_hz: int) -> bool:
    """Return whether a channel is written at `t`; keeps when its next turn is."""
    if t < due[number] - 1e-6:
        return False
    due[number] = max(due[number], t - 0.5 / rate_hz) + 1.0 / rate_hz
    return True


# The format has no room for a comment; a column of its own carries the mark, 1 in every row.
MARK_COLUMN = MARK.replace(",", " ")
POSITION = ("lat_deg", "lon_deg")

VBOX_FIELDS = (
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
        ",".join(("UTC time", *(field.name for field in VBOX_FIELDS), "Elapsed time (s)", MARK_COLUMN)) + CRLF
    )

    def line(row: WrittenRow) -> str:
        cells = [
            arc(row.held(field.signal), "NS" if field.signal == "lat_deg" else "EW")
            if field.signal in POSITION
            else field.held(row)
            for field in VBOX_FIELDS
        ]
        return ",".join((clock(info, row.t), *cells, f"{row.t:.3f}", "1")) + CRLF

    return put_rows(file, map(line, rows(info, samples)))


def arc(deg: float, sides: str) -> str:
    """`38°09.608862 N`: whole degrees, minutes to 1e-6 (2 mm), side."""
    micro_minutes = round(abs(deg) * 60.0e6)
    whole, micro = divmod(micro_minutes, 60_000_000)
    side = sides[1 if math.copysign(1.0, deg) < 0 else 0]
    return f"{whole}°{micro // 1_000_000:02d}.{micro % 1_000_000:06d} {side}"

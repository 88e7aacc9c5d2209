"""AiM RaceStudio 3 CSV: fourteen lines about the session with lap beacons, names, units, rows from time 0;
and MoTeC's CSV, which is the same layout with every cell in quotes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import TextIO

from pitwall.simulator.formats.rows import KMH_PER_MPS, MARK, Field, WrittenRow, plain, put_rows, rows, utc
from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.sample import Sample

END = "\n"

# AiM's lateral acceleration and gyro are positive to the right.
FIELDS = (
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
        file.write(",".join((*cells, *("",) * (len(FIELDS) + 1 - len(cells)))) + END)
    file.write(",".join(("Time", *(field.name for field in FIELDS))) + END)
    file.write(",".join(("s", *(field.unit for field in FIELDS))) + END)
    file.write("," * len(FIELDS) + END)
    return put_rows(
        file, (",".join((f"{row.t:.3f}", *(field.held(row) for field in FIELDS))) + END for row in found)
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
        ("Time", *(field.name for field in FIELDS)),
        ("s", *(field.unit.strip() for field in FIELDS)),
        (),
    )
    for cells in head:
        file.write(_quoted(cells))
    return put_rows(
        file, (_quoted((f"{row.t:.3f}", *(field.blank(row) for field in FIELDS))) for row in found)
    )


def _quoted(cells: Sequence[str]) -> str:
    return ",".join(f'"{cell}"' for cell in cells) + END


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

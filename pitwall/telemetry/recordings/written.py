"""The formats that are written: what a session is exported as, and what the simulator makes.

VBO, which has no blank cells, repeats the last value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple, TextIO
from xml.sax.saxutils import escape

from pitwall.telemetry.reckoning import metres_per_deg
from pitwall.telemetry.recordings.base import MARK, RecordingInfo, StoredGate
from pitwall.telemetry.recordings.journal import SUFFIX
from pitwall.telemetry.sample import Sample

LF, CRLF = "\n", "\r\n"
KMH_PER_MPS = 3.6

# Racelogic's start-line vector.
VECTOR_M = 4.8


class WrittenRow:
    """An instant with its values by canonical name; reused from row to row."""

    __slots__ = ("last", "t", "values")

    def __init__(self) -> None:
        self.t = 0.0
        self.values: dict[str, float | None] = {}
        self.last: dict[str, float] = {}

    def get(self, name: str) -> float | None:
        """Return this row's value."""
        return self.values.get(name)

    def held(self, name: str, default: float = 0.0) -> float:
        """Return the value, or the last one known."""
        return self.last.get(name, default)


def written_rows(info: RecordingInfo, samples: Iterable[Sample]) -> Iterator[WrittenRow]:
    """Yield each sample as a row, the same object."""
    names = {stream.id: [channel.name for channel in stream.channels] for stream in info.streams}
    row = WrittenRow()
    for sample in samples:
        row.t = sample.t
        row.values = dict(zip(names[sample.stream], sample.values, strict=True))
        for name, value in row.values.items():
            if value is not None:
                row.last[name] = value
        yield row


class Field(NamedTuple):
    """A column: its name there, the signal, and value * factor as text."""

    name: str
    signal: str
    spec: str
    factor: float = 1.0
    unit: str = ""

    def held(self, row: WrittenRow) -> str:
        """Return the cell, or the last one."""
        return format(row.held(self.signal) * self.factor, self.spec)


def utc(info: RecordingInfo, t: float = 0.0) -> datetime:
    """Return the UTC time of session second `t`, to the millisecond."""
    return datetime.fromtimestamp(round((info.start_utc_s or 0.0) + t, 3), UTC)


def dated(info: RecordingInfo) -> bool:
    """Return whether the day is known."""
    return (info.start_utc_s or 0.0) >= 86_400.0


def clock_text(info: RecordingInfo, t: float, decimals: int = 3) -> str:
    """Return HHMMSS.SSS of session second `t`."""
    seconds = round((info.start_utc_s or 0.0) + t, decimals) % 86400.0
    hours, rest = divmod(seconds, 3600.0)
    minutes, seconds = divmod(rest, 60.0)
    return f"{int(hours):02d}{int(minutes):02d}{seconds:0{3 + decimals}.{decimals}f}"


def put_rows(file: TextIO, lines: Iterable[str]) -> int:
    """Write these lines; returns their number."""
    count = 0
    for line in lines:
        file.write(line)
        count += 1
    return count


# The columns of every VBO; minutes of arc, west positive.
VBO_FIX = (
    ("satellites", Field("sats", "satellites", "03.0f")),
    ("time", Field("time", "time", "")),
    ("latitude", Field("lat", "lat_deg", "+012.6f", 60.0)),
    ("longitude", Field("long", "lon_deg", "+012.6f", -60.0)),
    ("velocity kmh", Field("velocity", "speed_mps", "07.3f", KMH_PER_MPS)),
    ("heading", Field("heading", "heading_deg", "07.3f")),
    ("height", Field("height", "altitude_m", "+09.2f")),
)
# Four digits: what the CAN of a car resolves.
VBO_CAR = (
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


def write_vbo(file: TextIO, info: RecordingInfo, samples: Iterable[Sample], mark: str = MARK) -> int:
    """Write a native Racelogic VBO with its CAN channels; returns the number of rows."""
    names = {channel.name for stream in info.streams for channel in stream.channels}
    car = [field for field in VBO_CAR if field.signal in names]
    # Without satellites there is no column of zeros, which would mean no fix.
    fix = [(head, field) for head, field in VBO_FIX if field.signal in names or head == "time"]
    put = file.write
    if dated(info):
        put(f"File created on {utc(info):%d/%m/%Y @ %H:%M:%S}{CRLF}{CRLF}")
    put(CRLF.join(("[header]", *(head for head, _ in fix), *(field.name for field in car), "", "")))
    put(CRLF.join(("[channel units]", *(field.unit for field in car), "", "")))
    put(CRLF.join(("[comments]", mark, f"Venue : {info.venue}", f"Vehicle : {info.vehicle}", "", "")))
    if info.gate is not None:
        place = " ".join(f"{lon * -60:+.6f} {lat * 60:+.6f}" for lat, lon in _along_travel(info.gate))
        put(f"[laptiming]{CRLF}Start        {place} ¬ Start / Finish{CRLF}{CRLF}")
    fields = [*(field for _, field in fix), *car]
    put(f"[column names]{CRLF}{' '.join(field.name for field in fields)}{CRLF}{CRLF}[data]{CRLF}")

    def cell(field: Field, row: WrittenRow) -> str:
        return field.held(row) if field.spec else clock_text(info, row.t)

    rows = written_rows(info, samples)
    return put_rows(file, (" ".join(cell(field, row) for field in fields) + CRLF for row in rows))


def _along_travel(gate: StoredGate) -> tuple[tuple[float, float], tuple[float, float]]:
    north_m, east_m = metres_per_deg(gate.a_lat_deg)
    x = (gate.b_lon_deg - gate.a_lon_deg) * east_m
    y = (gate.b_lat_deg - gate.a_lat_deg) * north_m
    along = VECTOR_M / (math.hypot(x, y) or 1.0)
    lat_deg, lon_deg = gate.a_lat_deg + y / 2 / north_m, gate.a_lon_deg + x / 2 / east_m
    return (lat_deg, lon_deg), (lat_deg + x * along / north_m, lon_deg - y * along / east_m)


GPX_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Pitwall" '
    'xmlns="http://www.topografix.com/GPX/1/1" '
    'xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">\n'
)
# (signal, tag, decimals)
GPX_EXTENSION = (("speed_mps", "speed", 4), ("heading_deg", "course", 3))


def write_gpx(file: TextIO, info: RecordingInfo, samples: Iterable[Sample], mark: str = MARK) -> int:
    """Write the fixes of a drive; returns their number."""
    file.write(f"{GPX_HEAD}<metadata><desc>{escape(mark)}</desc></metadata>\n")
    file.write(f"<trk><name>{escape(info.venue or 'drive')}</name><trkseg>\n")
    placed = (
        row for row in written_rows(info, samples) if None not in (row.get("lat_deg"), row.get("lon_deg"))
    )
    count = put_rows(file, (_trkpt(info, row) for row in placed))
    file.write("</trkseg></trk>\n</gpx>\n")
    return count


def _trkpt(info: RecordingInfo, row: WrittenRow) -> str:
    when = utc(info, row.t).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]
    height_m = row.get("altitude_m")
    height = "" if height_m is None else f"<ele>{height_m:.2f}</ele>"
    more = "".join(
        f"<gpxtpx:{tag}>{value:.{decimals}f}</gpxtpx:{tag}>"
        for signal, tag, decimals in GPX_EXTENSION
        if (value := row.get(signal)) is not None
    )
    extension = f"<gpxtpx:TrackPointExtension>{more}</gpxtpx:TrackPointExtension>"
    return (
        f'<trkpt lat="{row.held("lat_deg"):.9f}" lon="{row.held("lon_deg"):.9f}">{height}'
        f"<time>{when}Z</time><extensions>{extension}</extensions></trkpt>\n"
    )


class WrittenFormat(NamedTuple):
    """A text format; the journal has no `write`. The mark may follow the samples."""

    suffix: str
    write: Callable[..., int] | None
    encoding: str = "utf-8"


WRITTEN: dict[str, WrittenFormat] = {
    "vbo": WrittenFormat(".vbo", write_vbo),
    "gpx": WrittenFormat(".gpx", write_gpx),
    "journal": WrittenFormat(SUFFIX, None),
}

"""RaceChrono CSV v3: a preamble, then names, units and sources, then rows; no value is a blank cell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from pitwall.simulator.formats.rows import MARK, Field, plain, rows, utc
from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.sample import Sample

END = "\r\n"

GPS, CALC, OBD = "100: gps", "calc", "200: obd"
FIELDS: tuple[tuple[Field, str], ...] = (
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
    file.write(END.join(preamble) + END)
    fixed = ("timestamp", "fragment_id", "lap_number", "elapsed_time")
    file.write(",".join((*fixed, *(field.name for field, _ in FIELDS))) + END)
    file.write(",".join(("unix time", "", "", "s", *(field.unit for field, _ in FIELDS))) + END)
    file.write(",".join(("", "", "", "", *(source for _, source in FIELDS))) + END)
    start_s = info.start_utc_s or 0.0
    count = 0
    for row in rows(info, samples):
        cells = ",".join(field.blank(row) for field, _ in FIELDS)
        lap = row.get("lap_number")
        number = "" if lap is None else f"{lap:.0f}"
        file.write(f"{start_s + row.t:.3f},0,{number},{row.t:.3f},{cells}{END}")
        count += 1
    return count

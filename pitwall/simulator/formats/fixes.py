"""Files of fixes. GPX 1.1: one track, with speed and course as Garmin's TrackPointExtension v2 has them.
NMEA 0183: one RMC and one GGA a fix, with checksums; a fix that is lost is void, its fields empty."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import xor
from typing import TextIO
from xml.sax.saxutils import escape

from pitwall.simulator.formats.rows import (
    CRLF,
    KNOTS_PER_MPS,
    MARK,
    WrittenRow,
    clock,
    dated,
    put_rows,
    rows,
    utc,
)
from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.sample import Sample

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
    placed = (row for row in rows(info, samples) if None not in (row.get("lat_deg"), row.get("lon_deg")))
    count = put_rows(file, (_point(info, row) for row in placed))
    file.write("</trkseg></trk>\n</gpx>\n")
    return count


def _point(info: RecordingInfo, row: WrittenRow) -> str:
    when = utc(info, row.t).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]
    height_m = row.get("altitude_m")
    height = "" if height_m is None else f"<ele>{height_m:.2f}</ele>"
    more = "".join(
        f"<gpxtpx:{tag}>{value:.{decimals}f}</gpxtpx:{tag}>"
        for signal, tag, decimals in GPX_EXTENSION
        if (value := row.get(signal)) is not None
    )
    told = f"<gpxtpx:TrackPointExtension>{more}</gpxtpx:TrackPointExtension>"
    return (
        f'<trkpt lat="{row.held("lat_deg"):.9f}" lon="{row.held("lon_deg"):.9f}">{height}'
        f"<time>{when}Z</time><extensions>{told}</extensions></trkpt>\n"
    )


def sentence(body: str) -> str:
    """`$body*CS`: the checksum is the exclusive or of all characters between."""
    return f"${body}*{reduce(xor, body.encode('ascii')):02X}{CRLF}"


def write_nmea(file: TextIO, info: RecordingInfo, samples: Iterable[Sample], mark: str = MARK) -> int:
    """Write an NMEA log of the fixes alone; returns the number of fixes. A TXT sentence carries the mark."""
    file.write(sentence(f"GPTXT,01,01,02,{mark.replace(',', ' ').replace(':', '')}"))
    return put_rows(file, (_sentences(info, row) for row in rows(info, samples)))


def _sentences(info: RecordingInfo, row: WrittenRow) -> str:
    when = clock(info, row.t)
    date = f"{utc(info, row.t):%d%m%y}" if dated(info) else ""
    lat, lon = row.get("lat_deg"), row.get("lon_deg")
    known = row.last.get("satellites")
    satellites = "" if known is None else str(round(known))
    if lat is None or lon is None:
        return sentence(f"GPRMC,{when},V,,,,,,,{date},,,N") + sentence(
            f"GPGGA,{when},,,,,0,{satellites},,,M,,M,,"
        )
    place = f"{nmea_arc(lat, 2)},{'N' if lat >= 0 else 'S'},{nmea_arc(lon, 3)},{'E' if lon >= 0 else 'W'}"
    knots = _cell(row.get("speed_mps"), KNOTS_PER_MPS, 3)
    course = _cell(row.get("heading_deg"), 1.0, 2)
    height = _cell(row.get("altitude_m"), 1.0, 2)
    return sentence(f"GPRMC,{when},A,{place},{knots},{course},{date},,,A") + sentence(
        f"GPGGA,{when},{place},1,{satellites},0.80,{height},M,,M,,"
    )


def nmea_arc(deg: float, degree_digits: int) -> str:
    """DDMM.MMMMM: whole degrees, then minutes to 1e-5 (2 cm)."""
    units = round(abs(deg) * 60.0e5)
    whole, minutes = divmod(units, 6_000_000)
    return f"{whole:0{degree_digits}d}{minutes // 100_000:02d}.{minutes % 100_000:05d}"


def _cell(value: float | None, factor: float, decimals: int) -> str:
    return "" if value is None else f"{value * factor:.{decimals}f}"

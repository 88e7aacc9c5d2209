"""GPX 1.1: one track of fixes, with speed and course as Garmin's TrackPointExtension v2 has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO
from xml.sax.saxutils import escape

from pitwall.simulator.formats.rows import MARK, WrittenRow, rows, utc
from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.sample import Sample

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Pitwall" '
    'xmlns="http://www.topografix.com/GPX/1/1" '
    'xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">\n'
)
# (signal, tag, decimals)
EXTENSION = (("speed_mps", "speed", 4), ("heading_deg", "course", 3))


def write_gpx(file: TextIO, info: RecordingInfo, samples: Iterable[Sample], mark: str = MARK) -> int:
    """Write the fixes of a drive; returns their number."""
    file.write(f"{HEAD}<metadata><desc>{escape(mark)}</desc></metadata>\n")
    file.write(f"<trk><name>{escape(info.venue or 'drive')}</name><trkseg>\n")
    count = 0
    for row in rows(info, samples):
        if row.get("lat_deg") is not None and row.get("lon_deg") is not None:
            file.write(_point(info, row))
            count += 1
    file.write("</trkseg></trk>\n</gpx>\n")
    return count


def _point(info: RecordingInfo, row: WrittenRow) -> str:
    when = utc(info, row.t).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]
    height_m = row.get("altitude_m")
    height = "" if height_m is None else f"<ele>{height_m:.2f}</ele>"
    more = "".join(
        f"<gpxtpx:{tag}>{value:.{decimals}f}</gpxtpx:{tag}>"
        for signal, tag, decimals in EXTENSION
        if (value := row.get(signal)) is not None
    )
    told = f"<gpxtpx:TrackPointExtension>{more}</gpxtpx:TrackPointExtension>"
    return (
        f'<trkpt lat="{row.held("lat_deg"):.9f}" lon="{row.held("lon_deg"):.9f}">{height}'
        f"<time>{when}Z</time><extensions>{told}</extensions></trkpt>\n"
    )

#!/usr/bin/env bash
# gpxo reads a GPX into a table with speed and compass bearing of each fix. Its function compass takes degrees, as it
# says, and turns them to radians. gpxo 0.3.0's Track hands it radians, which are turned once more, so that each track
# lies within two degrees of the equator, where a degree of longitude is as long as one of latitude: a car that drives
# north-east is said to drive at 57 degrees at the Nürburgring, and at 63 in Norway. Speed and distance are right, and
# so are north, east, south and west, which is why a first look finds nothing. The function by itself is right.
# Guess before the run: 45, by the function and in the table, whatever the latitude.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --no-compile --target "$dir" \
  gpxo==0.3.0 gpxpy==1.6.2 pandas==3.1.1 pyproj==3.7.2
found=$(cd "$dir" && PYTHONPATH=$dir python3 -W ignore - <<'P'
import gpxo
from gpxo.general import compass
from pyproj import Geod

earth = Geod(ellps="WGS84")
for latitude, course in ((0.0, 45.0), (35.0, 45.0), (50.3, 45.0), (50.3, 90.0), (60.0, 45.0)):
    ways = [earth.fwd(6.9, latitude, course, 20.0 * second)[:2] for second in range(3)]
    fixes = "".join(
        f'<trkpt lat="{lat:.9f}" lon="{lon:.9f}"><ele>100</ele><time>2026-05-01T10:00:0{second}Z</time></trkpt>'
        for second, (lon, lat) in enumerate(ways)
    )
    with open("drive.gpx", "w") as file:
        file.write(f'<gpx version="1.1" creator="x"><trk><trkseg>{fixes}</trkseg></trk></gpx>')
    last = gpxo.Track("drive.gpx").data.iloc[-1]
    (from_lon, from_lat), (to_lon, to_lat) = ways[1:]
    alone = round(float(compass((from_lat, from_lon), (to_lat, to_lon))))
    print(latitude, course, "->", round(last["compass (°)"]), "function", alone, "km/h", round(last["velocity (km/h)"]))
P
)
echo "$found"
[ "$found" = "0.0 45.0 -> 45 function 45 km/h 72
35.0 45.0 -> 51 function 45 km/h 72
50.3 45.0 -> 57 function 45 km/h 72
50.3 90.0 -> 90 function 90 km/h 72
60.0 45.0 -> 63 function 45 km/h 72" ] || { echo "this has changed" >&2; exit 1; }

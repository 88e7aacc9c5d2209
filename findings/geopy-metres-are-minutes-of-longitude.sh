#!/usr/bin/env bash
# A place is written as text: latitude, longitude, height above the sea ("50.3416, 6.9466 600m"). geopy 2.5.0 reads such
# texts (Point, and each of its distances, which take one), knows "m" as the unit of a height, and lets a blank stand
# between any two. But "m" is its sign for minutes of arc too, and 600 of these are ten degrees: where only a blank
# stands before "600m", the longitude is 16.9466 and the height 0, and the Nürburgring lies in Poland, 700 km away.
# After a comma, with "E" behind the longitude, in feet or in kilometres the same height is right.
# Guess before the run: 6.9466 and 0.6 km for each, which are all made as the documentation of from_string says.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" geopy==2.5.0
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
from geopy import Point
from geopy.distance import geodesic

for text in (
    "50.3416, 6.9466, 600m",
    "50.3416 N 6.9466 E 600m",
    "50.3416 6.9466 0.6km",
    "50.3416, 6.9466 600m",
    "50.3416 6.9466 600m",
    "50.3416 6.9466 45m",
):
    place = Point(text)
    print(text, "->", place.latitude, place.longitude, place.altitude)
print(round(geodesic("50.3416 6.9466", "50.3416 6.9466 600m").km), "km")
P
)
echo "$found"
[ "$found" = "50.3416, 6.9466, 600m -> 50.3416 6.9466 0.6
50.3416 N 6.9466 E 600m -> 50.3416 6.9466 0.6
50.3416 6.9466 0.6km -> 50.3416 6.9466 0.6
50.3416, 6.9466 600m -> 50.3416 16.9466 0.0
50.3416 6.9466 600m -> 50.3416 16.9466 0.0
50.3416 6.9466 45m -> 50.3416 7.6966 0.0
711 km" ] || { echo "this has changed" >&2; exit 1; }

#!/usr/bin/env bash
# A logger at 20 Hz writes each fix of a 10 Hz receiver twice, and a car in the paddock stays where it is: two fixes at
# one place. The way between them has no course. pyproj 3.7.2's Geod.inv and geographiclib 2.1's Inverse give 180 for
# it, not nan and not 0: due south, like a true course. Of a car that drives due east every second course is 180, and
# the mean of all of them 135. pynmeagps 1.1.8's bearing gives 0 for the same, so it heads north there.
# Guess before the run: nan, or 0 as atan2(0, 0) gives.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" pyproj==3.7.2 geographiclib==2.1 \
  pynmeagps==1.1.8
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
from itertools import pairwise

from geographiclib.geodesic import Geodesic
from pynmeagps import bearing
from pyproj import Geod

east = [(38.0, -122.0 + each // 2 * 2e-5) for each in range(9)]  # each fix twice, 1.8 m apart
courses = {
    "pyproj": [Geod(ellps="WGS84").inv(a[1], a[0], b[1], b[0])[0] for a, b in pairwise(east)],
    "geographiclib": [Geodesic.WGS84.Inverse(*a, *b)["azi1"] for a, b in pairwise(east)],
    "pynmeagps": [bearing(*a, *b) for a, b in pairwise(east)],
}
for library, found in courses.items():
    print(library, [round(course, 3) for course in found[:4]], "mean", round(sum(found) / len(found), 3))
P
)
echo "$found"
[ "$found" = "pyproj [180.0, 90.0, 180.0, 90.0] mean 135.0
geographiclib [180.0, 90.0, 180.0, 90.0] mean 135.0
pynmeagps [0.0, 90.0, 0.0, 90.0] mean 45.0" ] || { echo "this has changed" >&2; exit 1; }

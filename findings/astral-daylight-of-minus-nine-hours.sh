#!/usr/bin/env bash
# How long there is light on a date at a circuit: astral's daylight(observer, date) gives its start and its end, and
# sun() its sunrise and sunset. astral 3.2 looks for each by itself within that date of UTC, unless it is told another
# zone: in America the evening of a summer's day is the next date in UTC, in Japan and Australia the morning is the one
# before. So the end lies before the start: the daylight of Laguna Seca in June is -9.3 h, the sunset is that of the
# evening before, and the night at Suzuka lasts 32 h. In Europe all is right. astral 2.2 gave the two of one day.
# Guess before the run: the sunset that follows the sunrise, 14.7 h at Laguna Seca, in UTC.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for version in 2.2 3.2; do
  python3 -m pip install --quiet --disable-pip-version-check --target "$dir/$version" "astral==$version"
done
found=$(cd "$dir" && for version in 2.2 3.2; do PYTHONPATH=$dir/$version python3 - "$version" <<'P'
import sys
from datetime import date

from astral import Observer
from astral.sun import daylight, night

for name, latitude, longitude in (("Nürburgring", 50.34, 6.95), ("Laguna Seca", 36.58, -121.75), ("Suzuka", 34.84, 136.54)):
    (up, down), (dusk, dawn) = (of(Observer(latitude, longitude), date(2026, 6, 21)) for of in (daylight, night))
    hours = [f"{(end - begin).total_seconds() / 3600:.1f} h" for begin, end in ((up, down), (dusk, dawn))]
    print(sys.argv[1], name, hours[0], f"{up:%d %H:%M} {down:%d %H:%M}", "night", hours[1])
P
done)
echo "$found"
[ "$found" = "2.2 Nürburgring 16.4 h 21 03:21 21 19:46 night 6.0 h
2.2 Laguna Seca 14.7 h 21 12:49 22 03:28 night 8.3 h
2.2 Suzuka 14.5 h 20 19:40 21 10:10 night 8.5 h
3.2 Nürburgring 16.4 h 21 03:21 21 19:46 night 6.0 h
3.2 Laguna Seca -9.3 h 21 12:49 21 03:28 night 32.3 h
3.2 Suzuka -9.5 h 21 19:41 21 10:10 night 32.5 h" ] || { echo "this has changed" >&2; exit 1; }

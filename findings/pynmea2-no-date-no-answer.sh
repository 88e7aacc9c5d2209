#!/usr/bin/env bash
# A receiver that does not know the date yet leaves it empty in RMC, and says so by its status V: after each cold
# start, and in a garage for as long as the car stands there. pynmea2 1.19.0 gives None for the empty date, but raises
# a TypeError for `datetime`, which is neither its own ParseError nor caught by getattr with a default: a logger that
# reads the time before the status ends there. The coordinates are 0.0, not None. pynmeagps 1.1.8 gives '' for each.
# Guess before the run: datetime is None, like the date that it is made of.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" pynmea2==1.19.0 pynmeagps==1.1.8
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import pynmea2
from pynmeagps import NMEAReader

line = b"$GNRMC,101500.20,V,,,,,,,,,,N*%02X\r\n"
total = 0
for byte in line[1 : line.index(b"*")]:
    total ^= byte
sentence = pynmea2.parse((line % total).decode())
print("pynmea2", sentence.timestamp, sentence.datestamp, sentence.latitude, sentence.longitude)
try:
    print(getattr(sentence, "datetime", None))
except pynmea2.ParseError as error:
    print("ParseError", error)
except TypeError as error:
    print("TypeError", error)
sentence = NMEAReader.parse(line % total)
print("pynmeagps", sentence.time, repr(sentence.date), repr(sentence.lat))
P
)
echo "$found"
[ "$found" = "pynmea2 10:15:00.200000+00:00 None 0.0 0.0
TypeError combine() argument 1 must be datetime.date, not None
pynmeagps 10:15:00.200000 '' ''" ] || { echo "this has changed" >&2; exit 1; }

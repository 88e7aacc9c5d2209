#!/usr/bin/env bash
# A car has several CAN buses, and one identifier may mean two things on two of them. python-can 4.6.1 gives every
# message the bus it came from (`channel`), and writes eight file formats behind one interface (`can.Logger`, chosen
# by the file's name). CSV and SQLite have no column for it: the two buses of a log come back as none, and their
# frames can no longer be told apart. BLF, ASC and candump's .log keep them apart.
# Guess before the run: all five give each frame with the bus that it was written with.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" python-can==4.6.1
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import can

for kind in ("blf", "asc", "log", "csv", "db"):
    with can.Logger(f"drive.{kind}") as log:
        for bus in (1, 2):
            log(can.Message(timestamp=1000.0 + bus, arbitration_id=0x123, is_extended_id=False, data=[bus], channel=bus))
    with can.LogReader(f"drive.{kind}") as log:
        buses = [str(message.channel) for message in log]
    print(kind, len(buses), "frames, buses apart:", len(set(buses)) == 2)
P
)
echo "$found"
[ "$found" = "blf 2 frames, buses apart: True
asc 2 frames, buses apart: True
log 2 frames, buses apart: True
csv 2 frames, buses apart: False
db 2 frames, buses apart: False" ] || { echo "this has changed" >&2; exit 1; }

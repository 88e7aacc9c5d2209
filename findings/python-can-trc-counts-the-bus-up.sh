#!/usr/bin/env bash
# PEAK's trace format (.trc 2.1) counts buses from 1, python-can from 0. python-can 4.6.1's TRCWriter adds the one,
# and its TRCReader does not take it off again: bus 0 comes back as bus 1, and as bus 2 where that is written once
# more, so the bus by which a DBC is chosen is another one after each copy. ASC and BLF count from 1 in the file too,
# and their readers give back the number that was written.
# Guess before the run: each reader undoes what the writer of its own format did.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" python-can==4.6.1
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import can

for kind in ("asc", "blf", "trc"):
    frame = can.Message(timestamp=1780000000.0, arbitration_id=0x123, is_extended_id=False, data=[1], channel=0)
    buses = [0]
    for _ in range(3):
        with can.Logger(f"drive.{kind}") as log:
            log(frame)
        with can.LogReader(f"drive.{kind}") as log:
            frame = next(iter(log))
        buses.append(frame.channel)
    print(kind, *buses)
P
)
echo "$found"
[ "$found" = "asc 0 0 0 0
blf 0 0 0 0
trc 0 1 2 3" ] || { echo "this has changed" >&2; exit 1; }

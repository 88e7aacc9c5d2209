#!/usr/bin/env bash
# A logger writes a file for each drive and numbers them: 9.mf4, 10.mf4, 11.mf4. asammdf 8.8.28 makes one of them by
# MDF.concatenate, whose sync=True (the default) puts each file's times where its own start of measurement says. That
# holds only as long as each file begins after all before it: of one that does not, the times are dropped, and it is
# glued to the end. By name 10 and 11 come before 9, so the drive of nine o'clock stands right behind that of eleven,
# 0.1 s after its last sample, though the file's own start is nine o'clock and the others lie where they belong.
# Nothing is said. MDF.stack puts all three right from the same list.
# Guess before the run: the times are right and come in the files' order, as sync is documented, or an error.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --no-compile --target "$dir" asammdf==8.8.28
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
from datetime import datetime, timezone
from glob import glob

import numpy as np
from asammdf import MDF, Signal

for hour in (9, 10, 11):
    with MDF(version="4.10") as log:
        log.start_time = datetime(2026, 5, 1, hour, tzinfo=timezone.utc)
        log.append(Signal(np.full(3, float(hour)), np.array([0.0, 0.1, 0.2]), name="Hour"))
        log.save(f"{hour}.mf4")

def told(what, log, signals):
    print(what, log.start_time.hour, *(f"{round(t, 1)}:{v:.0f}" for s in signals for t, v in zip(s.timestamps, s.samples)))

by_name = sorted(glob("*.mf4"))
for names in (["9.mf4", "10.mf4", "11.mf4"], by_name):
    with MDF.concatenate(names) as log:
        told("concatenate", log, [log.get("Hour")])
with MDF.stack(by_name) as log:
    told("stack", log, [log.get("Hour", group, index) for group, index in log.channels_db["Hour"]])
P
)
echo "$found"
[ "$found" = "concatenate 9 0.0:9 0.1:9 0.2:9 3600.0:10 3600.1:10 3600.2:10 7200.0:11 7200.1:11 7200.2:11
concatenate 9 3600.0:10 3600.1:10 3600.2:10 7200.0:11 7200.1:11 7200.2:11 7200.3:9 7200.4:9 7200.5:9
stack 9 3600.0:10 3600.1:10 3600.2:10 7200.0:11 7200.1:11 7200.2:11 0.0:9 0.1:9 0.2:9" ] ||
  { echo "this has changed" >&2; exit 1; }

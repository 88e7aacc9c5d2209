#!/usr/bin/env bash
# An MDF keeps each channel with its own times. asammdf 8.8.28's to_dataframe puts them all on the union of these
# times, and where a channel has none yet or none any more it fills in its first or its last value, not NaN: a brake
# sensor that came up 20 s into the drive shows its first reading from the start, and a speed that ended at 10 s
# stands at that value to the end. isna() finds nothing, so the means over the drive count what nobody measured.
# Guess before the run: NaN outside of a channel's own times, as pandas gives it when it joins tables.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --no-compile --target "$dir" asammdf==8.8.28
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import numpy as np
from asammdf import MDF, Signal

with MDF(version="4.10") as log:
    log.append(Signal(np.array([50.0, 30.0]), np.array([0.0, 10.0]), name="Speed"))
    log.append(Signal(np.array([4.0, 8.0]), np.array([20.0, 30.0]), name="Brake"))
    table = log.to_dataframe()
for at, row in table.iterrows():
    print(at, *row[["Speed", "Brake"]])
print("missing", int(table.isna().sum().sum()))
P
)
echo "$found"
[ "$found" = "0.0 50.0 4.0
10.0 30.0 4.0
20.0 30.0 4.0
30.0 30.0 8.0
missing 0" ] || { echo "this has changed" >&2; exit 1; }
